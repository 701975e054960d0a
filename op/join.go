package op

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Several tensors into one.

// catBySelect is the number of elements up to which cat is one kernel that picks
// the source of each element (of a few): masked loads cost more than plain
// copies, a second kernel more than a few masked loads.
const catBySelect = 4096

func init() {
	Register(
		&Def{
			Sig: "cat(Tensor[] tensors, int dim=0) -> Tensor", Doc: "Tensors one after the other along a dimension.",
			Aliases: []string{"concat", "concatenate"}, Bind: Fn | OutArg,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				if len(in) == 0 {
					Raise(tensor.RuntimeError, "torch.cat(): expected a non-empty list of Tensors")
				}
				ts := in
				for i, t := range in {
					if t.Meta().Rank() == 0 {
						Raise(tensor.RuntimeError, "zero-dimensional tensor (at position %d) cannot be concatenated", i)
					}
				}
				// torch skips tensors of size [0] whatever the others' rank
				var keep []Tensor
				dt := tensor.Promoter{}
				for _, t := range in {
					m := t.Meta()
					dt.Tensor(m.DType, m.Rank())
					if m.Rank() != 1 || !m.Size[0].Eq(C(0)) {
						keep = append(keep, t)
					}
				}
				if len(keep) > 0 {
					ts = keep
				} else {
					ts = in[:1]
				}
				ts = append([]Tensor{}, ts...)
				for i := range ts {
					ts[i] = g.Cast(ts[i], dt.Result())
				}
				n := int64(0)
				for _, t := range ts {
					n += t.Meta().Numel().Hint()
				}
				name := "_cat" // the hint decides between two ways to the same result
				if len(ts) > 6 || n > catBySelect {
					name = "_cat_write"
				}
				return []Tensor{g.Op(name, ts, WrapDim(c.Int("dim"), ts[0].Meta().Rank()))}
			},
			Samples: func() []Sample {
				s := samplesOf("cat")
				s.add(ts(s.f(2, 3), s.f(1, 3))).add(ts(s.lay(LayTrans, 2, 3), s.lay(LayStep, 2, 2)), 1).add(ts(s.lay(LayOffset, 2, 3), s.f(2, 3), s.f(2, 1)), -1)
				s.add(ts(s.f(3))).add(ts(s.f(0, 3), s.f(2, 3))).add(ts(s.i(0, 3, 2), s.f(3))).add(ts(s.f(0), s.f(2, 3))).add(ts(s.f(0), s.f(0)))
				s.add(ts(s.f(1, 2), s.f(2, 2), s.f(1, 2), s.lay(LayTrans, 2, 2), s.f(1, 2), s.f(0, 2), s.f(1, 2), s.f(3, 2)))
				return s.raises(tensor.RuntimeError, ts(s.f(2, 3), s.f(3, 3)), 1).raises(tensor.RuntimeError, ts(s.f(2, 3), s.f(2))).raises(tensor.RuntimeError, ts(s.f(), s.f(2))).raises(tensor.RuntimeError, ts()).done()
			},
		},
		&Def{
			Sig: "_cat(Tensor[] tensors, int dim) -> Tensor", Doc: "cat of a few tensors of one dtype.",
			Shape: shapeCat,
			Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V {
				d := c.Int("dim")
				pos := b.Idx(at[d])
				start := C(0)
				var v loop.V
				for k, m := range c.In {
					end := start.Add(m.Size[d])
					var mask loop.V
					if k < len(c.In)-1 {
						mask = b.Lt(pos, b.Size(end))
					}
					if k > 0 {
						lo := b.Ge(pos, b.Size(start))
						if mask != 0 {
							lo = b.And(lo, mask)
						}
						mask = lo
					}
					ix := append([]loop.Ix{}, at...)
					ix[d] = at[d].Shift(start.Neg())
					x := b.At(k, ix, mask)
					if k == 0 {
						v = x
					} else {
						v = b.Select(mask, x, v)
					}
					start = end
				}
				return v
			},
			VJP: vjpCat,
		},
		&Def{
			Sig: "_cat_write(Tensor[] tensors, int dim) -> Tensor", Doc: "cat of many tensors of one dtype: a new tensor and a write for each.",
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				m := in[0].Meta()
				o := g.Op("_unset", catSize(c), KW{"dtype", m.DType}, KW{"device", m.Dev})
				d, start := c.Int("dim"), C(0)
				for _, t := range in {
					n := t.Meta().Size[d]
					g.Put(g.Op("narrow", o, d, start, n), t)
					start = start.Add(n)
				}
				return []Tensor{o}
			},
			VJP: vjpCat,
		},
		&Def{
			Sig: "stack(Tensor[] tensors, int dim=0) -> Tensor", Doc: "Tensors of one size along a new dimension.", Bind: Fn | OutArg,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				if len(in) == 0 {
					Raise(tensor.RuntimeError, "stack expects a non-empty TensorList")
				}
				d := WrapDim(c.Int("dim"), in[0].Meta().Rank()+1)
				ts := make([]Tensor, len(in))
				for i, t := range in {
					if !sameSize(t.Meta().Size, in[0].Meta().Size) {
						Raise(tensor.RuntimeError, "stack expects each tensor to be equal size, but got %s at entry 0 and %s at entry %d", ShapeText(in[0].Meta().Size), ShapeText(t.Meta().Size), i)
					}
					ts[i] = g.Op("unsqueeze", t, d)
				}
				return []Tensor{g.Op("cat", ts, d)}
			},
			Samples: func() []Sample {
				s := samplesOf("stack")
				s.add(ts(s.f(2, 3), s.f(2, 3))).add(ts(s.lay(LayTrans, 2, 3), s.lay(LayStep, 2, 3)), 1).add(ts(s.lay(LayOffset, 2, 3), s.f(2, 3), s.f(2, 3)), -1)
				s.add(ts(s.f(), s.f())).add(ts(s.f(0, 2), s.f(0, 2)))
				return s.raises(tensor.RuntimeError, ts(s.f(2, 3), s.f(2, 2))).raises(tensor.RuntimeError, ts()).done()
			},
		},
		atLeastDef("atleast_1d", 1), atLeastDef("atleast_2d", 2), atLeastDef("atleast_3d", 3),
		stackDef("hstack", nil, 1, func(rank int) int { return min(rank-1, 1) }, "Tensors side by side: along dimension 1, or 0 for vectors."),
		stackDef("vstack", []string{"row_stack"}, 2, func(int) int { return 0 }, "Tensors on top of each other; vectors are rows."),
		stackDef("dstack", nil, 3, func(int) int { return 2 }, "Tensors along the third dimension."),
		&Def{
			Sig: "broadcast_tensors(Tensor[] tensors) -> Tensor(a)[]", Doc: "All tensors expanded to their common size.", Bind: Fn,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor { return g.broadcast(in) },
			Samples: func() []Sample {
				s := samplesOf("broadcast_tensors")
				s.add(ts(s.f(3, 1), s.f(4))).add(ts(s.lay(LayTrans, 2, 3), s.f())).add(ts(s.lay(LayStep, 1, 3), s.f(0, 1))).add(ts(s.f(), s.f()))
				return s.raises(tensor.RuntimeError, ts(s.f(2), s.f(3))).done()
			},
		},
		&Def{
			Sig: "meshgrid(Tensor[] tensors, *, str? indexing=None) -> Tensor(a)[]", Doc: "Coordinate grids of several vectors, as expanded views.", Bind: Fn,
			Decomp: decompMeshgrid,
			Samples: func() []Sample {
				s := samplesOf("meshgrid")
				s.add(ts(s.f(2), s.f(3)), KW{"indexing", "ij"}).add(ts(s.lay(LayStep, 2), s.f(3), s.f(2)), KW{"indexing", "xy"}).add(ts(s.f(), s.f(3)), KW{"indexing", "ij"}).add(ts(s.f(0), s.f(2)), KW{"indexing", "ij"})
				return s.add(ts(s.f(4)), KW{"indexing", "xy"}).raises(tensor.RuntimeError, ts(s.f(2), s.i(0, 2, 2)), KW{"indexing", "ij"}).done()
			},
		},
		&Def{
			Sig: "block_diag(Tensor[] tensors) -> Tensor", Doc: "Matrices along the diagonal of a matrix of zeros.", Bind: Fn,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				var rows []Tensor
				cols, at := C(0), C(0)
				ms := make([]Tensor, len(in))
				for i, t := range in {
					if t.Meta().Rank() > 2 {
						Raise(tensor.RuntimeError, "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input %d has %d dimensions", i, t.Meta().Rank())
					}
					ms[i] = g.Op("atleast_2d", t)
					cols = cols.Add(ms[i].Meta().Size[1])
				}
				for _, t := range ms {
					w := t.Meta().Size[1]
					rows = append(rows, g.Op("constant_pad_nd", t, []SymInt{at, cols.Sub(at).Sub(w)}, 0))
					at = at.Add(w)
				}
				return []Tensor{g.Op("cat", rows, 0)}
			},
			Samples: func() []Sample {
				s := samplesOf("block_diag")
				return s.add(ts(s.f(2, 3), s.f(1, 2))).add(ts(s.lay(LayTrans, 2, 3), s.f(3))).add(ts(s.lay(LayStep, 2, 2), s.f())).add(ts(s.f(0, 2), s.f(2, 1))).done()
			},
		},
	)
}

func catSize(c *Call) []SymInt {
	d, m := c.Int("dim"), c.In[0]
	n := C(0)
	for k, x := range c.In {
		if x.Rank() != m.Rank() {
			Raise(tensor.RuntimeError, "Tensors must have same number of dimensions: got %d and %d", m.Rank(), x.Rank())
		}
		for i := range m.Size {
			if i != d && !x.Size[i].Eq(m.Size[i]) {
				Raise(tensor.RuntimeError, "Sizes of tensors must match except in dimension %d. Expected size %d but got size %d for tensor number %d in the list.", d, m.Size[i].Hint(), x.Size[i].Hint(), k)
			}
		}
		n = n.Add(x.Size[d])
	}
	return with(m.Size, d, n)
}

func shapeCat(c *Call) []tensor.Meta {
	return []tensor.Meta{{Size: catSize(c), DType: c.In[0].DType}}
}

// vjpCat narrows the gradient to each operand's place.
func vjpCat(g *G, c *Call, in, out, grad []Tensor) []Tensor {
	o := make([]Tensor, len(c.In))
	d, at := c.Int("dim"), C(0)
	for k, m := range c.In {
		if c.NeedsGrad(k) {
			o[k] = g.Op("narrow", grad[0], d, at, m.Size[d])
		}
		at = at.Add(m.Size[d])
	}
	return o
}

// broadcast expands all tensors to their common size.
func (g *G) broadcast(in []Tensor) []Tensor {
	var size []SymInt
	for i, t := range in {
		if i == 0 {
			size = t.Meta().Size
		} else {
			size = Broadcast(size, t.Meta().Size)
		}
	}
	o := make([]Tensor, len(in))
	for i, t := range in {
		if o[i] = t; !same(t.Meta().Size, size) {
			o[i] = g.Op("expand", t, size)
		}
	}
	return o
}

func atLeast(g *G, t Tensor, n int) Tensor {
	switch r := t.Meta().Rank(); {
	case r >= n:
		return t
	case r == 0:
		one := make([]int, n)
		for i := range one {
			one[i] = 1
		}
		return g.Op("reshape", t, one)
	case n == 2 && r == 1:
		return g.Op("unsqueeze", t, 0)
	case r == 1:
		return g.Op("unsqueeze", g.Op("unsqueeze", t, 0), 2)
	}
	return g.Op("unsqueeze", t, 2)
}

func atLeastDef(name string, n int) *Def {
	return &Def{
		Sig: name + "(Tensor(a) self) -> Tensor(a)", Doc: "A view with at least that many dimensions.", Bind: Fn,
		Decomp: func(g *G, c *Call, in []Tensor) []Tensor { return []Tensor{atLeast(g, in[0], n)} },
		Samples: func() []Sample {
			s := samplesOf(name)
			return s.add(s.f()).add(s.lay(LayStep, 3)).add(s.lay(LayTrans, 2, 3)).add(s.f(0)).done()
		},
	}
}

func stackDef(name string, aliases []string, rank int, dim func(rank int) int, doc string) *Def {
	return &Def{
		Sig: name + "(Tensor[] tensors) -> Tensor", Doc: doc, Aliases: aliases, Bind: Fn | OutArg,
		Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
			if len(in) == 0 {
				Raise(tensor.RuntimeError, "%s expects a non-empty TensorList", name)
			}
			ts := make([]Tensor, len(in))
			for i, t := range in {
				ts[i] = atLeast(g, t, rank)
			}
			return []Tensor{g.Op("cat", ts, dim(ts[0].Meta().Rank()))}
		},
		Samples: func() []Sample {
			s := samplesOf(name)
			return s.add(ts(s.f(3), s.f(3))).add(ts(s.lay(LayTrans, 2, 3), s.f(2, 3))).add(ts(s.lay(LayStep, 2, 2), s.f(2, 2))).add(ts(s.f(), s.f())).add(ts(s.f(0), s.f(0))).done()
		},
	}
}

func decompMeshgrid(g *G, c *Call, in []Tensor) []Tensor {
	if len(in) == 0 {
		Raise(tensor.RuntimeError, "meshgrid expects a non-empty TensorList")
	}
	ts := append([]Tensor{}, in...)
	for i, t := range ts {
		m := t.Meta()
		if m.Rank() > 1 {
			Raise(tensor.RuntimeError, "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got a tensor of size %s", ShapeText(m.Size))
		}
		if m.DType != ts[0].Meta().DType {
			Raise(tensor.RuntimeError, "meshgrid expects all tensors to have the same dtype")
		}
		if m.Rank() == 0 {
			ts[i] = g.Op("reshape", t, []int{1})
		}
	}
	swap := false
	switch f := c.Str("indexing"); f {
	case "", "ij":
	case "xy":
		if swap = len(ts) >= 2; swap {
			ts[0], ts[1] = ts[1], ts[0]
		}
	default:
		Raise(tensor.RuntimeError, "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: %s", f)
	}
	n := len(ts)
	size := make([]SymInt, n)
	for i, t := range ts {
		size[i] = t.Meta().Size[0]
	}
	o := make([]Tensor, n)
	for i, t := range ts {
		one := make([]SymInt, n)
		for j := range one {
			one[j] = C(1)
		}
		one[i] = size[i]
		o[i] = g.Op("expand", g.Op("view", t, one), size)
	}
	if swap {
		o[0], o[1] = o[1], o[0]
	}
	return o
}
