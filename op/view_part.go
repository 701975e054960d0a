package op

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Views of a part of the elements. Their VJPs write the gradient into zeros
// through the same view, by ops of their own so that they differentiate again.

func init() {
	Register(
		&Def{
			Sig: "select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)", Doc: "One index of a dimension, which goes away.", Bind: Usual,
			View: func(c *Call) tensor.Meta {
				m := c.In[0]
				if m.Rank() == 0 {
					Raise(tensor.IndexError, "select() cannot be applied to a 0-dim tensor.")
				}
				d := c.Dim("dim", m.Rank())
				i := c.Sym("index")
				n := m.Size[d]
				if i.Lt(n.Neg()) || i.Ge(n) {
					Raise(tensor.IndexError, "select(): index %d out of range for tensor of size %s at dimension %d", i.Hint(), ShapeText(m.Size), d)
				}
				if i.Lt(C(0)) {
					i = i.Add(n)
				}
				return Meta{Size: without(m.Size, d), Stride: without(m.Stride, d), Off: m.Off.Add(i.Mul(m.Stride[d]))}
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.Op("select_backward", grad[0], c.In[0].Size, c.Int("dim"), c.Sym("index"))}
			},
			Samples: func() []Sample {
				s := samplesOf("select.int").each([]int64{3, 4}, 1, 2)
				s.add(s.f(3), 0, -1).add(s.f(2, 0), 0, 1).add(s.f(2, 3, 4), -2, -3)
				return s.raises(tensor.IndexError, s.f(2, 3), 1, 7).raises(tensor.IndexError, s.f(), 0, 0).done()
			},
		},
		backwardOf("select_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt index) -> Tensor", "select.int", "dim", "index"),
		&Def{
			Sig: "slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)", Doc: "Python's slice of a dimension; step must be positive.",
			View: func(c *Call) tensor.Meta {
				m := c.In[0]
				if m.Rank() == 0 {
					Raise(tensor.IndexError, "slice() cannot be applied to a 0-dim tensor.")
				}
				d := c.Dim("dim", m.Rank())
				step := c.Sym("step")
				if !step.Gt(C(0)) {
					Raise(tensor.RuntimeError, "slice step must be positive")
				}
				n := m.Size[d]
				start, end := C(0), n
				if c.Given("start") {
					start = clampIndex(c.Sym("start"), n)
				}
				if c.Given("end") {
					if e := c.Sym("end"); !e.Is(1<<63 - 1) {
						end = clampIndex(e, n)
					}
				}
				o := copyMeta(m)
				switch {
				case start.Is(0) && end == n:
				case end.Lt(start):
					end = start
				}
				o.Size[d] = end.Sub(start).CeilDiv(step)
				o.Stride[d] = m.Stride[d].Mul(step)
				o.Off = m.Off.Add(start.Mul(m.Stride[d]))
				return o
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.Op("slice_backward", grad[0], c.In[0].Size, c.Int("dim"), *c.Arg("start"), *c.Arg("end"), c.Sym("step"))}
			},
			Samples: func() []Sample {
				s := samplesOf("slice.Tensor").each([]int64{5, 3}, 0, 1, 4)
				s.add(s.f(5), 0, -3, nil).add(s.f(5), 0, nil, -1, 2).add(s.f(2, 5), 1, 3, 100).add(s.f(5), 0, 4, 2).add(s.f(0, 2), 0, 1, 3).add(s.f(5, 2), 0, 0, 9223372036854775807, 3)
				return s.raises(tensor.RuntimeError, s.f(3), 0, nil, nil, 0).raises(tensor.IndexError, s.f(), 0, 0, 1).done()
			},
		},
		backwardOf("slice_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt? start, SymInt? end, SymInt step) -> Tensor", "slice.Tensor", "dim", "start", "end", "step"),
		&Def{
			Sig: "narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)", Doc: "length indices of a dimension from start.", Bind: Usual,
			View: func(c *Call) tensor.Meta {
				m := c.In[0]
				if m.Rank() == 0 {
					Raise(tensor.RuntimeError, "narrow() cannot be applied to a 0-dim tensor.")
				}
				d := c.Dim("dim", m.Rank())
				n, start, l := m.Size[d], c.Sym("start"), c.Sym("length")
				if start.Lt(C(0)) {
					start = start.Add(n)
				}
				if start.Lt(C(0)) || start.Gt(n) {
					Raise(tensor.IndexError, "Dimension out of range (expected to be in range of [%d, %d], but got %d)", -n.Hint(), n.Hint()-1, c.Sym("start").Hint())
				}
				if l.Lt(C(0)) || start.Add(l).Gt(n) {
					Raise(tensor.RuntimeError, "start (%d) + length (%d) exceeds dimension size (%d).", start.Hint(), l.Hint(), n.Hint())
				}
				o := copyMeta(m)
				o.Size[d], o.Off = l, m.Off.Add(start.Mul(m.Stride[d]))
				return o
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.Op("narrow_backward", grad[0], c.In[0].Size, c.Int("dim"), c.Sym("start"), c.Sym("length"))}
			},
			Samples: func() []Sample {
				s := samplesOf("narrow").each([]int64{4, 3}, 0, 1, 2)
				s.add(s.f(4), 0, -2, 2).add(s.f(4), 0, 4, 0).add(s.f(0, 2), 0, 0, 0)
				return s.raises(tensor.RuntimeError, s.f(2, 3), 1, 2, 3).raises(tensor.RuntimeError, s.f(2, 3), 1, 0, -1).raises(tensor.IndexError, s.f(2, 3), 1, 5, 0).done()
			},
		},
		backwardOf("narrow_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt start, SymInt length) -> Tensor", "narrow", "dim", "start", "length"),
		&Def{
			Sig: "diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)", Doc: "The diagonal of two dimensions, as a last dimension.", Bind: Usual,
			View: func(c *Call) tensor.Meta {
				m := c.In[0]
				d1, d2 := c.Dim("dim1", m.Rank()), c.Dim("dim2", m.Rank())
				if d1 == d2 {
					Raise(tensor.RuntimeError, "diagonal dimensions cannot be identical %d, %d", c.Int("dim1"), c.Int("dim2"))
				}
				k := int64(c.Int("offset"))
				a, b := m.Size[d1], m.Size[d2]
				off := m.Off
				if k >= 0 {
					b = b.Sub(C(k))
				} else {
					a = a.Add(C(k))
				}
				n := a
				if b.Lt(a) {
					n = b
				}
				if n.Le(C(0)) {
					n = C(0)
				} else if k >= 0 {
					off = off.Add(m.Stride[d2].Mul(C(k)))
				} else {
					off = off.Add(m.Stride[d1].Mul(C(-k)))
				}
				lo, hi := min(d1, d2), max(d1, d2)
				return Meta{Size: append(without(without(m.Size, hi), lo), n), Stride: append(without(without(m.Stride, hi), lo), m.Stride[d1].Add(m.Stride[d2])), Off: off}
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.Op("diagonal_backward", grad[0], c.In[0].Size, c.Int("offset"), c.Int("dim1"), c.Int("dim2"))}
			},
			Samples: func() []Sample {
				s := samplesOf("diagonal").each([]int64{3, 4})
				s.add(s.f(3, 4), 1).add(s.f(3, 4), -2).add(s.f(2, 3, 4), 0, -1, 1).add(s.f(3, 3), 5).add(s.f(0, 3))
				return s.raises(tensor.RuntimeError, s.f(2, 3), 0, 0, 0).raises(tensor.IndexError, s.f(3)).done()
			},
		},
		backwardOf("diagonal_backward(Tensor grad_output, SymInt[] input_sizes, int offset, int dim1, int dim2) -> Tensor", "diagonal", "offset", "dim1", "dim2"),
		&Def{
			Sig: "unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)", Doc: "Windows of a dimension, as a last dimension.", Bind: Method,
			View: func(c *Call) tensor.Meta {
				m := c.In[0]
				d, k, step := c.Dim("dimension", m.Rank()), int64(c.Int("size")), int64(c.Int("step"))
				n, st := C(1), C(1)
				if m.Rank() > 0 {
					n, st = m.Size[d], m.Stride[d]
				}
				if n.Lt(C(k)) {
					Raise(tensor.RuntimeError, "maximum size for tensor at dimension %d is %d but size is %d", d, n.Hint(), k)
				}
				if step <= 0 {
					Raise(tensor.RuntimeError, "step is %d but must be > 0", step)
				}
				o := Meta{Off: m.Off, Size: append(clip(m.Size), C(k)), Stride: append(clip(m.Stride), st)}
				if m.Rank() > 0 {
					o.Size = with(o.Size, d, n.Sub(C(k)).Div(C(step)).Add(C(1)))
					o.Stride = with(o.Stride, d, st.Mul(C(step)))
				}
				return o
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.Op("_unfold_add", g.Full(grad[0], c.In[0].Size, 0), grad[0], c.Int("dimension"), c.Int("step"))}
			},
			Samples: func() []Sample {
				s := samplesOf("unfold").each([]int64{7, 2}, 0, 3, 2)
				s.add(s.f(4), 0, 2, 1).add(s.f(), 0, 1, 1).add(s.f(0, 3), 1, 2, 1)
				return s.raises(tensor.RuntimeError, s.f(2, 3), 1, 4, 1).raises(tensor.RuntimeError, s.f(2, 3), 1, 2, 0).done()
			},
		},
		&Def{
			Sig: "_unfold_add(Tensor self, Tensor windows, int dimension, int step) -> Tensor", Doc: "Adds windows back to where unfold took them from.",
			Shape: shapeLike0,
			Scatter: &Scatter{
				Combine: combineAdd,
				At: func(b *loop.Builder, c *Call, at []loop.Ix) ([]loop.Ix, loop.V) {
					n := c.In[0].Rank()
					v := b.At(1, at, 0)
					if n == 0 {
						return nil, v
					}
					d := c.Dim("dimension", n)
					w := append([]loop.Ix{}, at[:n]...)
					w[d] = at[d].Scale(C(int64(c.Int("step"))), C(0)).Plus(at[n])
					return w, v
				},
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				m := c.In[1]
				return []Tensor{grad[0], g.Op("unfold", grad[0], c.Int("dimension"), int(m.Size[m.Rank()-1].Must()), c.Int("step"))}
			},
		},
		&Def{
			Sig: "as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)", Doc: "Any window of the storage. Whoever executes it checks that it lies inside the storage.",
			Bind: Usual,
			View: func(c *Call) tensor.Meta {
				size, st := c.Syms("size"), c.Syms("stride")
				if len(size) != len(st) {
					Raise(tensor.RuntimeError, "mismatch in length of strides and shape")
				}
				for d := range st {
					if st[d].Lt(C(0)) {
						Raise(tensor.RuntimeError, "as_strided: Negative strides are not supported at the moment, got strides: %s", ShapeText(st))
					}
					if size[d].Lt(C(0)) {
						Raise(tensor.RuntimeError, "Storage size calculation overflowed with sizes=%s and strides=%s", ShapeText(size), ShapeText(st))
					}
				}
				o := Meta{Size: size, Stride: st, Off: c.In[0].Off}
				if c.Given("storage_offset") {
					if o.Off = c.Sym("storage_offset"); o.Off.Lt(C(0)) {
						Raise(tensor.RuntimeError, "Tensor: invalid storage offset %d", o.Off.Hint())
					}
				}
				return o
			},
			VJP: vjpAsStrided,
			Samples: func() []Sample {
				s := samplesOf("as_strided")
				s.add(s.f(3, 4), []int{2, 2}, []int{4, 1}).add(s.f(3, 4), []int{3, 2}, []int{1, 2}, 1).add(s.lay(LayOffset, 3, 4), []int{2, 3}, []int{0, 1})
				return s.add(s.f(), []int{}, []int{}).add(s.f(0), []int{0}, []int{1}).add(s.lay(LayTrans, 3, 4), []int{4, 3}, []int{3, 1}).
					raises(tensor.RuntimeError, s.f(2, 3), []int{2}, []int{1, 2}).raises(tensor.RuntimeError, s.f(2, 3), []int{20}, []int{1}).done()
			},
		},
		&Def{
			Sig: "_strided_add(Tensor self, Tensor src, SymInt[] stride, SymInt offset) -> Tensor", Doc: "Adds src into flat memory through strides.",
			Shape: shapeLike0,
			Scatter: &Scatter{
				Combine: combineAdd,
				At: func(b *loop.Builder, c *Call, at []loop.Ix) ([]loop.Ix, loop.V) {
					w := loop.IxInt(c.Sym("offset"))
					for d, st := range c.Syms("stride") {
						w = w.Plus(at[d].Scale(st, C(0)))
					}
					return []loop.Ix{w}, b.At(1, at, 0)
				},
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				flat := g.Op("_contiguous", grad[0])
				return []Tensor{grad[0], g.Op("as_strided", flat, c.In[1].Size, c.Syms("stride"), flat.Meta().Off.Add(c.Sym("offset")))}
			},
		},
	)
}

// clampIndex is a slice bound: wrapped, then cut to 0 … n. Each question is
// asked only where the one before did not settle the answer.
func clampIndex(i, n SymInt) SymInt {
	if i.Is(0) {
		return i
	}
	if i.Lt(C(0)) {
		if i = i.Add(n); i.Lt(C(0)) {
			return C(0)
		}
		return i
	}
	if i == n || i.Le(n) {
		return i
	}
	return n
}

// shapeLike0 is the shape rule of an op whose output is like operand 0.
func shapeLike0(c *Call) []tensor.Meta {
	return []tensor.Meta{{Size: c.In[0].Size, DType: c.In[0].DType}}
}

func combineAdd(*Call) loop.Combine { return loop.CombineAdd }

// backwardOf is the op that puts a gradient into zeros through a view: the
// parameters after input_sizes are the view's, by name.
func backwardOf(sig, view string, params ...string) *Def {
	args := func(c *Call, t Tensor) []any {
		a := []any{t}
		for _, p := range params {
			a = append(a, *c.Arg(p))
		}
		return a
	}
	return &Def{
		Sig: sig, Doc: "Zeros of the input's size with the gradient written through the view " + view + ".",
		Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
			z := g.Full(in[0], c.Syms("input_sizes"), 0)
			g.Put(g.Op(view, args(c, z)...), in[0])
			return []Tensor{z}
		},
		VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
			return []Tensor{g.Op(view, args(c, grad[0])...)}
		},
	}
}

// vjpAsStrided adds the gradient into memory as long as either geometry needs,
// then reads it through the operand's. Where operand elements share memory,
// each gets the whole sum divided by nothing: torch counts them, we do not.
func vjpAsStrided(g *G, c *Call, in, out, grad []Tensor) []Tensor {
	m, o := c.In[0], out[0].Meta()
	base := m.Off
	if o.Off.Lt(base) {
		base = o.Off
	}
	n := reach(m)
	if r := reach(o); n.Lt(r) {
		n = r
	}
	flat := g.Full(grad[0], []SymInt{n.Sub(base)}, 0)
	flat = g.Op("_strided_add", flat, grad[0], o.Stride, o.Off.Sub(base))
	return []Tensor{g.Op("as_strided", flat, m.Size, m.Stride, flat.Meta().Off.Add(m.Off.Sub(base)))}
}

// reach is one more than the last address of m (its offset, if it is empty).
func reach(m *tensor.Meta) SymInt {
	r := m.Off.Add(C(1))
	for d := range m.Size {
		if m.Size[d].Eq(C(0)) {
			return m.Off
		}
		r = r.Add(m.Size[d].Sub(C(1)).Mul(m.Stride[d]))
	}
	return r
}
