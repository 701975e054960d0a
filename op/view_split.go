package op

import (
	"github.com/larkspur-ml/larkspur/tensor"
)

// Ops that give several views of one tensor. Only the number of results is
// guarded where sizes are symbolic.

func init() {
	Register(
		&Def{
			Sig: "split.Tensor(Tensor(a) self, SymInt split_size, int dim=0) -> Tensor(a)[]", Doc: "Pieces of split_size along a dimension; the last may be smaller.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				m := in[0].Meta()
				if m.Rank() == 0 {
					Raise(tensor.RuntimeError, "split expects at least a 1-dimensional tensor")
				}
				d, k := c.Dim("dim", m.Rank()), c.Sym("split_size")
				if k.Lt(C(0)) {
					Raise(tensor.RuntimeError, "split expects split_size be non-negative, but got split_size=%d", k.Hint())
				}
				n := m.Size[d]
				if k.Eq(C(0)) {
					if !n.Eq(C(0)) {
						Raise(tensor.RuntimeError, "split_size can only be 0 if dimension size is 0, but got dimension size of %d", n.Hint())
					}
					return []Tensor{g.Op("narrow", in[0], d, 0, 0)}
				}
				return g.pieces(in[0], d, k, max(count(n.CeilDiv(k)), 1))
			},
			Samples: func() []Sample {
				s := samplesOf("split.Tensor").each([]int64{5, 3}, 2)
				s.add(s.f(2, 4), 2, 1).add(s.f(0, 2), 0).add(s.f(0, 2), 3).add(s.f(3), 5)
				return s.raises(tensor.RuntimeError, s.f(2, 3), -1).raises(tensor.RuntimeError, s.f(2, 3), 0).raises(tensor.RuntimeError, s.f(), 1).done()
			},
		},
		splitSizes("split.sizes(Tensor(a) self, SymInt[] split_size, int dim=0) -> Tensor(a)[]", "split_size"),
		splitSizes("split_with_sizes(Tensor(a) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]", "split_sizes"),
		&Def{
			Sig: "chunk(Tensor(a) self, int chunks, int dim=0) -> Tensor(a)[]", Doc: "At most chunks pieces of equal size (the last may be smaller).", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				m := in[0].Meta()
				n := int64(c.Int("chunks"))
				if m.Rank() == 0 {
					Raise(tensor.RuntimeError, "chunk expects at least a 1-dimensional tensor")
				}
				if n <= 0 {
					Raise(tensor.RuntimeError, "chunk expects `chunks` to be greater than 0, got: %d", n)
				}
				d := c.Dim("dim", m.Rank())
				size := m.Size[d]
				if size.HintEq(C(0)) && size.Eq(C(0)) {
					o := make([]Tensor, n)
					for i := range o {
						o[i] = g.Op("narrow", in[0], d, 0, 0)
					}
					return o
				}
				if k, ok := size.DivExact(C(n)); ok { // no question where the count is known
					return g.pieces(in[0], d, k, int(n))
				}
				k := size.CeilDiv(C(n))
				return g.pieces(in[0], d, k, count(size.CeilDiv(k)))
			},
			Samples: func() []Sample {
				s := samplesOf("chunk").each([]int64{5, 4}, 3).each([]int64{3, 4}, 2, -1)
				s.add(s.f(0, 2), 3).add(s.f(2), 5)
				return s.raises(tensor.RuntimeError, s.f(2), 0).raises(tensor.RuntimeError, s.f(), 2).done()
			},
		},
		&Def{
			Sig: "tensor_split.sections(Tensor(a) self, int sections, int dim=0) -> Tensor(a)[]", Doc: "Exactly sections pieces, the first ones larger by one where the size does not divide.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				m, d := in[0].Meta(), splitDim(c, "tensor_split")
				k := int64(c.Int("sections"))
				if k <= 0 {
					Raise(tensor.RuntimeError, "number of sections must be larger than 0, got %d", k)
				}
				q := m.Size[d].Div(C(k))
				r := int64(count(m.Size[d].Mod(C(k))))
				at, o := C(0), make([]Tensor, k)
				for i := range o {
					l := q
					if int64(i) < r {
						l = l.Add(C(1))
					}
					o[i], at = g.Op("narrow", in[0], d, at, l), at.Add(l)
				}
				return o
			},
			Samples: func() []Sample {
				s := samplesOf("tensor_split.sections").each([]int64{5, 3}, 3)
				return s.add(s.f(0, 2), 2).add(s.f(1, 2), 2).raises(tensor.RuntimeError, s.f(2, 3), 0).done()
			},
		},
		&Def{
			Sig: "tensor_split.indices(Tensor(a) self, SymInt[] indices, int dim=0) -> Tensor(a)[]", Doc: "Pieces cut at the given indices.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				d := splitDim(c, "tensor_split")
				var o []Tensor
				at := C(0)
				for _, i := range c.Syms("indices") {
					o = append(o, g.Op("slice.Tensor", in[0], d, at, i))
					at = i
				}
				return append(o, g.Op("slice.Tensor", in[0], d, at, nil))
			},
			Samples: func() []Sample {
				s := samplesOf("tensor_split.indices").each([]int64{5, 3}, []int{1, 3})
				return s.add(s.f(5), []int{}).add(s.f(5), []int{2, 9}).add(s.f(0, 2), []int{1}, 1).done()
			},
		},
		&Def{
			Sig: "unbind.int(Tensor(a) self, int dim=0) -> Tensor(a)[]", Doc: "Every index of a dimension as a view of its own.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				m := in[0].Meta()
				if m.Rank() == 0 {
					Raise(tensor.IndexError, "Dimension specified as %d but tensor has no dimensions", c.Int("dim"))
				}
				d := c.Dim("dim", m.Rank())
				o := make([]Tensor, count(m.Size[d]))
				for i := range o {
					o[i] = g.Op("select.int", in[0], d, i)
				}
				return o
			},
			Samples: func() []Sample {
				s := samplesOf("unbind.int").each([]int64{2, 3}).each([]int64{2, 3}, -1)
				return s.add(s.f(0, 2)).add(s.f(3)).raises(tensor.IndexError, s.f()).done()
			},
		},
	)
}

// count is a size that decides how many results there are: guarded.
func count(n SymInt) int {
	h := n.Hint()
	if !n.Eq(C(h)) {
		panic("BUG: a size differs from its hint")
	}
	return int(h)
}

// pieces cuts dimension d into n pieces of k; the last has what is left.
func (g *G) pieces(t Tensor, d int, k SymInt, n int) []Tensor {
	o := make([]Tensor, n)
	at := C(0)
	for i := range o {
		l := k
		if i == n-1 {
			l = t.Meta().Size[d].Sub(at)
		}
		o[i], at = g.Op("narrow", t, d, at, l), at.Add(k)
	}
	return o
}

func splitDim(c *Call, name string) int {
	if c.In[0].Rank() == 0 {
		Raise(tensor.RuntimeError, "%s expected at least a 1-dimensional tensor, but got a tensor with 0 dims", name)
	}
	return c.Dim("dim", c.In[0].Rank())
}

func splitSizes(sig, param string) *Def {
	d := &Def{
		Sig: sig, Doc: "Pieces of the given sizes.", Bind: Usual,
		Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
			m := in[0].Meta()
			if m.Rank() == 0 {
				Raise(tensor.RuntimeError, "split expects at least a 1-dimensional tensor")
			}
			d, l := c.Dim("dim", m.Rank()), c.Syms(param)
			o := make([]Tensor, len(l))
			at := C(0)
			for _, k := range l {
				if k.Lt(C(0)) {
					Raise(tensor.RuntimeError, "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes=%s", ShapeText(l))
				}
				at = at.Add(k)
			}
			if !at.Eq(m.Size[d]) {
				Raise(tensor.RuntimeError, "split_with_sizes expects split_sizes to sum exactly to %d (input tensor's size at dimension %d), but got split_sizes=%s", m.Size[d].Hint(), d, ShapeText(l))
			}
			at = C(0)
			for i, k := range l {
				o[i], at = g.Op("narrow", in[0], d, at, k), at.Add(k)
			}
			return o
		},
	}
	name, _, _ := parseSig(sig)
	d.Samples = func() []Sample {
		s := samplesOf(name).each([]int64{5, 3}, []int{1, 0, 4})
		return s.add(s.f(2, 3), []int{2, 1}, -1).add(s.f(0, 2), []int{0, 0}).raises(tensor.RuntimeError, s.f(2, 3), []int{1, 3}).done()
	}
	return d
}
