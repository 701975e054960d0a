package op

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Padding. pad lists (before, after) from the last dimension on, as torch does;
// negative amounts of a constant pad crop.

func init() {
	Register(
		&Def{
			Sig: "constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor", Doc: "A border of a constant around the last dimensions.", Bind: Fn,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				pad, m := c.Syms("pad"), c.In[0]
				n := m.Rank()
				if len(pad)%2 != 0 {
					Raise(tensor.RuntimeError, "Length of pad must be even but instead it equals %d", len(pad))
				}
				if len(pad)/2 > n {
					Raise(tensor.RuntimeError, "Length of pad should be no more than twice the number of dimensions of the input. Pad length is %dwhile the input has %ddimensions.", len(pad), n)
				}
				size := append([]SymInt{}, m.Size...)
				for i := 0; i < len(pad); i += 2 {
					d := n - 1 - i/2
					size[d] = size[d].Add(pad[i]).Add(pad[i+1])
					if size[d].Lt(C(0)) {
						Raise(tensor.RuntimeError, "The input size %d, plus negative padding %d and %d, resulted in a negative output size, which is invalid. Check dimension %d of your input.", m.Size[d].Hint(), pad[i].Hint(), pad[i+1].Hint(), d)
					}
				}
				out := g.Op("full", size, c.Num("value"), KW{"dtype", m.DType}, KW{"device", m.Dev})
				to, from := g.padWindow(out, in[0], pad)
				g.Put(to, from)
				return []Tensor{out}
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				pad, crop := append([]SymInt{}, c.Syms("pad")...), true
				for i := range pad {
					crop = crop && pad[i].Ge(C(0))
					pad[i] = pad[i].Neg()
				}
				if crop { // the gradient's middle, as a view
					_, from := g.padWindow(nil, grad[0], pad)
					return []Tensor{from}
				}
				return []Tensor{g.Op("constant_pad_nd", grad[0], pad)}
			},
			Samples: func() []Sample {
				s := samplesOf("constant_pad_nd").each([]int64{2, 3}, []int{1, 2}, 1.5).each([]int64{2, 3}, []int{0, 1, 2, 0})
				s.add(s.f(3, 4), []int{-1, 1, 0, -1}, 9).add(s.f(), []int{}).add(s.f(0, 2), []int{1, 1, 1, 1}).add(s.i(1, 5, 3), []int{1, 0}, 2).add(s.b(2), []int{1, 1}, true)
				return s.raises(tensor.RuntimeError, s.f(2, 3), []int{-4, 0}).raises(tensor.RuntimeError, s.f(2), []int{1, 1, 1, 1}).done()
			},
		},
		&Def{
			Sig: "pad(Tensor input, SymInt[] pad, str mode=\"constant\", float? value=None) -> Tensor", Doc: "torch.nn.functional.pad: constant, reflect, replicate or circular.", Bind: NN,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				pad, m := c.Syms("pad"), in[0].Meta()
				if len(pad)%2 != 0 {
					Raise(tensor.RuntimeError, "Padding length must be divisible by 2")
				}
				if len(pad)/2 > m.Rank() {
					Raise(tensor.RuntimeError, "Padding length too large")
				}
				mode := c.Str("mode")
				if mode == "constant" {
					v := tensor.Int(0)
					if c.Given("value") {
						v = c.Num("value")
					}
					return []Tensor{g.Op("constant_pad_nd", in[0], pad, v)}
				}
				if v := c.Arg("value"); v.Kind == ArgNumber && !v.N.Is(0) {
					Raise(tensor.RuntimeError, "Padding mode \"%s\" doesn't take in value argument", mode)
				}
				if mode != "reflect" && mode != "replicate" && mode != "circular" {
					Raise(tensor.NotImplementedError, "Unrecognised padding mode %s", mode)
				}
				if n := len(pad) / 2; n > 3 || m.Rank() != n+1 && m.Rank() != n+2 {
					Raise(tensor.NotImplementedError, "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now")
				}
				return []Tensor{g.Op("_pad_wrap", in[0], pad, mode)}
			},
			Samples: func() []Sample {
				s := samplesOf("pad").each([]int64{2, 3, 4}, []int{1, 2}, "reflect").each([]int64{1, 3, 4}, []int{1, 2, 0, 1}, "replicate").each([]int64{2, 3, 4}, []int{1, 2}, "circular")
				s.add(s.f(2, 3), []int{1, 1}, "constant", 2.5).add(s.f(0, 2, 3), []int{1, 1}).add(s.f(2, 3, 4, 5), []int{1, 1, 2, 2}, "circular").add(s.f(2, 4), []int{-1, 2}, "replicate").add(s.f(1, 3, 3), []int{2, 2, 1, 0}, "reflect")
				return s.raises(tensor.RuntimeError, s.f(2, 3), []int{1, 1, 1}).raises(tensor.RuntimeError, s.f(3, 4, 5), []int{5, 1}, "reflect").raises(tensor.RuntimeError, s.f(3, 4, 5), []int{6, 1}, "circular").done()
			},
		},
		&Def{
			Sig: "_pad_wrap(Tensor self, SymInt[] pad, str mode) -> Tensor", Doc: "A border made of the tensor's own elements.",
			Shape: func(c *Call) []tensor.Meta {
				pad, m := c.Syms("pad"), c.In[0]
				size := append([]SymInt{}, m.Size...)
				for i := 0; i < len(pad); i += 2 {
					d := m.Rank() - 1 - i/2
					n, lo, hi := m.Size[d], pad[i], pad[i+1]
					switch c.Str("mode") {
					case "reflect":
						if lo.Ge(n) || hi.Ge(n) {
							Raise(tensor.RuntimeError, "Argument #%d: Padding size should be less than the corresponding input dimension, but got: padding (%d, %d) at dimension %d of input %s", i+4, lo.Hint(), hi.Hint(), d, ShapeText(m.Size))
						}
					case "circular":
						if lo.Gt(n) || hi.Gt(n) {
							Raise(tensor.RuntimeError, "Padding value causes wrapping around more than once.")
						}
					}
					if size[d] = n.Add(lo).Add(hi); size[d].Lt(C(1)) {
						Raise(tensor.RuntimeError, "input (%d) is too small: calculated output size %d along dimension %d", n.Hint(), size[d].Hint(), d)
					}
				}
				return []tensor.Meta{{Size: size, DType: m.DType}}
			},
			Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V {
				return b.At(0, padSource(b, c, at, c.In[0].Size), 0)
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.Op("_pad_wrap_add", g.Full(grad[0], c.In[0].Size, 0), grad[0], c.Syms("pad"), c.Str("mode"))}
			},
		},
		&Def{
			Sig: "_pad_wrap_add(Tensor self, Tensor src, SymInt[] pad, str mode) -> Tensor", Doc: "Adds a padded tensor's elements to those they were copied from.",
			Shape: shapeLike0,
			Scatter: &Scatter{Combine: combineAdd, At: func(b *loop.Builder, c *Call, at []loop.Ix) ([]loop.Ix, loop.V) {
				return padSource(b, c, at, c.In[0].Size), b.At(1, at, 0)
			}},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{grad[0], g.Op("_pad_wrap", grad[0], c.Syms("pad"), c.Str("mode"))}
			},
		},
	)
}

// padWindow is the part of a padded tensor that holds the original, and the part
// of the original that it holds: amounts above 0 leave out a border of the one,
// those below 0 of the other.
func (g *G) padWindow(out, in Tensor, pad []SymInt) (to, from Tensor) {
	cut := func(t Tensor, d int, lo, hi SymInt) Tensor {
		if t == nil || lo.Is(0) && hi.Is(0) {
			return t
		}
		return g.Op("narrow", t, d, lo, t.Meta().Size[d].Sub(lo).Sub(hi))
	}
	to, from = out, in
	for i := 0; i < len(pad); i += 2 {
		d := in.Meta().Rank() - 1 - i/2
		var grow, crop [2]SymInt
		for e := range 2 {
			if p := pad[i+e]; p.Gt(C(0)) {
				grow[e] = p
			} else if !p.Is(0) {
				crop[e] = p.Neg()
			}
		}
		if crop[0].Add(crop[1]).Gt(in.Meta().Size[d]) { // nothing of it is left: one side's border covers all
			from = g.Op("narrow", from, d, 0, 0)
			if to != nil {
				to = g.Op("narrow", to, d, 0, 0)
			}
			continue
		}
		from = cut(from, d, crop[0], crop[1])
		to = cut(to, d, grow[0], grow[1])
	}
	return
}

// andInside is mask and 0 <= i < n.
func andInside(b *loop.Builder, mask, i loop.V, n SymInt) loop.V {
	in := b.And(b.Ge(i, b.ConstI(loop.I64, 0)), b.Lt(i, b.Size(n)))
	if mask == 0 {
		return in
	}
	return b.And(mask, in)
}

// padSource is where the element at a padded index comes from.
func padSource(b *loop.Builder, c *Call, at []loop.Ix, size []SymInt) []loop.Ix {
	ix := append([]loop.Ix{}, at...)
	zero := b.ConstI(loop.I64, 0)
	for i, p := range c.Syms("pad") {
		if i%2 != 0 {
			continue
		}
		d := len(at) - 1 - i/2
		n, v := b.Size(size[d]), b.Idx(at[d].Shift(p.Neg()))
		last := b.Sub(n, b.ConstI(loop.I64, 1))
		switch c.Str("mode") {
		case "reflect":
			v = b.Abs(v)
			v = b.Sub(last, b.Abs(b.Sub(last, v)))
		case "replicate":
			v = b.Min(b.Max(v, zero), last)
		case "circular":
			v = b.Select(b.Lt(v, zero), b.Add(v, n), b.Select(b.Ge(v, n), b.Sub(v, n), v))
		}
		ix[d] = loop.IxData(v, nil)
	}
	return ix
}
