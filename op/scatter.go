package op

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Writes at indices that come from data, into a copy of self. Where several
// elements meet in one place and the op does not combine them, the last wins
// (in row-major order of the source on the portable target; undefined in torch).

func init() {
	Register(
		&Def{
			Sig: "scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", Doc: "self[index[i][j]][j] = src[i][j] for dim 0, and so on.", Bind: Arith,
			Shape:   shapeScatter,
			Scatter: &Scatter{Over: overIndex, At: scatterAt},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.Op("scatter.value", grad[0], c.Int("dim"), in[1], 0), nil, gatherFor(g, c, grad[0], in[1])}
			},
			Samples: func() []Sample {
				s := samplesOf("scatter.src")
				for _, l := range layouts {
					s.add(s.lay(l, 6, 2), 0, distinctRows(6, 3, 2), s.f(3, 2)).add(s.lay(l, 2, 4), 1, distinctRows(4, 2, 2).turned(), s.lay(l, 2, 2))
				}
				s.add(s.f(), 0, s.i(0, 1), s.f()).add(s.f(3), 0, s.i(0, 1, 0), s.f(0)).add(s.i(0, 9, 4), 0, s.perm(4), s.i(0, 9, 4))
				s.raises(tensor.RuntimeError, s.f(2, 3), 1, s.i(5, 6, 1, 1), s.f(1, 1)).raises(tensor.RuntimeError, s.f(2, 3), 1, s.i(0, 1, 1, 2), s.f(1, 1))
				return s.raises(tensor.RuntimeError, s.f(2, 3), 1, s.i(0, 1, 1, 1), s.d64(1, 1)).done()
			},
		},
		&Def{
			Sig: "scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", Doc: "scatter of one number.", Bind: Arith,
			Shape:   shapeScatter,
			Scatter: &Scatter{Over: overIndex, At: scatterAt},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.Op("scatter.value", grad[0], c.Int("dim"), in[1], 0), nil}
			},
			Samples: func() []Sample {
				s := samplesOf("scatter.value")
				for _, l := range layouts {
					s.add(s.lay(l, 3, 4), 1, s.i(0, 4, 3, 2), 1.5)
				}
				s.add(s.f(), 0, s.i(0, 1), 2).add(s.f(3), 0, s.i(0, 1, 0), 1).add(s.b(3), 0, s.i(0, 3, 2), true).add(s.i(0, 9, 3), 0, s.i(0, 3, 1), 5)
				return s.raises(tensor.RuntimeError, s.f(2, 3), 1, s.i(5, 6, 1, 1), 1.0).raises(tensor.RuntimeError, s.f(2, 3), 1, s.i(0, 1, 3, 1), 1.0).done()
			},
		},
		&Def{
			Sig: "scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor", Doc: "scatter that adds to or multiplies what is there.", Bind: Arith,
			Shape:   shapeScatter,
			Scatter: &Scatter{Over: overIndex, Combine: combineReduce, At: scatterAt},
			NoGrad:  "torch gives none either: use scatter_add or scatter_reduce",
			Samples: func() []Sample {
				s := samplesOf("scatter.reduce")
				for _, l := range layouts {
					s.add(s.lay(l, 3, 4), 1, s.i(0, 4, 3, 2), s.f(3, 2), KW{"reduce", "add"})
				}
				s.add(s.f(), 0, s.i(0, 1), s.f(), KW{"reduce", "multiply"}).add(s.f(3), 0, s.i(0, 1, 0), s.f(0), KW{"reduce", "add"})
				return s.raises(tensor.RuntimeError, s.f(2, 3), 1, s.i(0, 1, 1, 1), s.f(1, 1), KW{"reduce", "foo"}).done()
			},
		},
		&Def{
			Sig: "scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor", Doc: "scatter of one number that adds or multiplies.", Bind: Arith,
			Shape:   shapeScatter,
			Scatter: &Scatter{Over: overIndex, Combine: combineReduce, At: scatterAt},
			NoGrad:  "torch gives none either: use scatter_add or scatter_reduce",
			Samples: func() []Sample {
				s := samplesOf("scatter.value_reduce")
				for _, l := range layouts {
					s.add(s.lay(l, 3, 4), 1, s.i(0, 4, 3, 2), 2.0, KW{"reduce", "multiply"})
				}
				return s.add(s.f(), 0, s.i(0, 1), 2, KW{"reduce", "add"}).add(s.f(3), 0, s.i(0, 1, 0), 1, KW{"reduce", "add"}).done()
			},
		},
		&Def{
			Sig: "scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", Doc: "scatter that adds.", Bind: Arith,
			Shape:   shapeScatter,
			Scatter: &Scatter{Over: overIndex, Combine: combineAdd, At: scatterAt},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{grad[0], nil, gatherFor(g, c, grad[0], in[1])}
			},
			Samples: func() []Sample {
				s := samplesOf("scatter_add")
				for _, l := range layouts {
					s.add(s.lay(l, 3, 4), 1, s.i(0, 4, 3, 2), s.lay(l, 3, 2)).add(s.lay(l, 3, 4), 0, s.it(0, 3, 2, 4), s.f(2, 4))
				}
				s.add(s.f(), 0, s.i(0, 1), s.f()).add(s.f(3), 0, s.i(0, 3, 6), s.f(6)).add(s.i(0, 9, 3), 0, s.i(0, 3, 4), s.i(0, 9, 4)).add(s.b(3), 0, s.i(0, 3, 4), s.b(4)).add(s.d64(3), 0, s.i(0, 3, 4), s.d64(4))
				return s.raises(tensor.RuntimeError, s.f(2, 3), 1, s.i(0, 1, 1), s.f(1, 1)).done()
			},
		},
		&Def{
			Sig: "scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor",
			Doc: "scatter that combines: sum, prod, mean, amax or amin. The gradient of prod divides by the factors, so it is wrong where one is 0.", Bind: Arith,
			Decomp: decompScatterReduce,
			Samples: func() []Sample {
				s := samplesOf("scatter_reduce.two")
				for i, r := range []string{"sum", "prod", "mean", "amax", "amin"} {
					l := layouts[i%len(layouts)]
					s.add(s.lay(l, 3, 4), 1, s.i(0, 4, 3, 2), s.f(3, 2), r).add(s.lay(l, 5), 0, s.i(0, 4, 6), s.f(6), r, KW{"include_self", false})
				}
				s.add(s.f(), 0, s.i(0, 1), s.f(), "sum").add(s.f(3), 0, s.i(0, 1, 0), s.f(0), "amax")
				return s.raises(tensor.RuntimeError, s.f(2, 3), 1, s.i(0, 1, 1, 1), s.f(1, 1), "foo").done()
			},
		},
		&Def{
			Sig: "_scatter_combine(Tensor self, int dim, Tensor index, Tensor src, str reduce) -> Tensor", Doc: "scatter_reduce's inner step: prod, amax or amin, self included.",
			Shape: shapeScatter,
			Scatter: &Scatter{Over: overIndex, At: scatterAt, Combine: func(c *Call) loop.Combine {
				return map[string]loop.Combine{"prod": loop.CombineMul, "amax": loop.CombineMax, "amin": loop.CombineMin}[c.Str("reduce")]
			}},
			VJP: vjpScatterCombine,
		},
		&Def{
			Sig: "index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor", Doc: "Adds slices of source at the listed indices.", Bind: Arith,
			Shape: func(c *Call) []tensor.Meta { return shapeIndexInto(c, "index_add_", tensor.RuntimeError) },
			Scatter: &Scatter{Over: overSource, Combine: combineAdd, At: func(b *loop.Builder, c *Call, at []loop.Ix) ([]loop.Ix, loop.V) {
				w, v := indexIntoAt(b, c, at, "index out of range in self")
				if b.Type(v) == loop.B1 {
					return w, v
				}
				return w, b.Mul(v, b.Num("alpha", b.Type(v)))
			}},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				s := selectFor(g, c, grad[0], in)
				if s != nil && !c.Num("alpha").Is(1) {
					s = g.Mul(s, c.Num("alpha"))
				}
				return []Tensor{grad[0], nil, s}
			},
			Samples: func() []Sample {
				s := samplesOf("index_add")
				for _, l := range layouts {
					s.add(s.lay(l, 3, 4), 1, s.i(0, 4, 2), s.lay(l, 3, 2)).add(s.lay(l, 3, 2), 0, s.i(0, 3, 5), s.f(5, 2), KW{"alpha", 2.5})
				}
				s.add(s.f(), 0, s.i(0, 1, 1), s.f()).add(s.f(3), 0, s.i(0, 1, 0), s.f(0)).add(s.i(0, 9, 3), 0, s.i(0, 3, 2), s.i(0, 9, 2))
				s.raises(tensor.RuntimeError, s.f(2, 3), 1, s.i(0, 1, 1), s.f(2, 2)).raises(tensor.IndexError, s.f(2, 3), 1, s.i(7, 8, 1), s.f(2, 1))
				return s.raises(tensor.RuntimeError, s.f(2, 3), 1, s.i(0, 1, 2), s.d64(2, 2)).done()
			},
		},
		&Def{
			Sig: "index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor", Doc: "Slices of source put at the listed indices.", Bind: Arith,
			Shape: func(c *Call) []tensor.Meta { return shapeIndexInto(c, "index_copy_", tensor.IndexError) },
			Scatter: &Scatter{Over: overSource, At: func(b *loop.Builder, c *Call, at []loop.Ix) ([]loop.Ix, loop.V) {
				return indexIntoAt(b, c, at, "index_copy_(): index %i is out of bounds for dimension %d with size %n")
			}},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.Op("index_fill.int_Scalar", grad[0], c.Int("dim"), in[1], 0), nil, selectFor(g, c, grad[0], in)}
			},
			Samples: func() []Sample {
				s := samplesOf("index_copy")
				for _, l := range layouts {
					s.add(s.lay(l, 3, 4), 0, s.perm(3), s.lay(l, 3, 4)).add(s.lay(l, 3, 2), 1, s.perm(2), s.f(3, 2))
				}
				return s.add(s.f(3), 0, s.i(0, 1, 0), s.f(0)).add(s.f(4), 0, s.i(2, 3, 1), s.f(1)).raises(tensor.IndexError, s.f(2, 3), 1, s.i(0, 1, 1), s.f(2, 2)).done()
			},
		},
		&Def{
			Sig: "index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", Doc: "The listed indices of a dimension set to a number; negative ones count from the end.", Bind: Arith,
			Layout: LayoutPreserve,
			Shape:  shapeIndexFill,
			Scatter: &Scatter{Over: overIndexFill, At: func(b *loop.Builder, c *Call, at []loop.Ix) ([]loop.Ix, loop.V) {
				return indexFillAt(b, c, at), b.Num("value", loop.TypeOf(c.In[0].DType))
			}},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.Op("index_fill.int_Scalar", grad[0], c.Int("dim"), in[1], 0), nil}
			},
			Samples: func() []Sample {
				s := samplesOf("index_fill.int_Scalar")
				for _, l := range layouts {
					s.add(s.lay(l, 3, 4), 1, s.i(-4, 4, 2), 1.5)
				}
				return s.add(s.f(), 0, s.i(0, 1, 1), 2).add(s.f(3), 0, s.i(0, 1, 0), 1).raises(tensor.IndexError, s.f(2, 3), 1, s.i(7, 8, 1), 0.0).done()
			},
		},
		&Def{
			Sig: "index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor", Doc: "index_fill of a 0-dim tensor's value.", Bind: Arith,
			Layout: LayoutPreserve,
			Shape: func(c *Call) []tensor.Meta {
				if c.In[2].Rank() != 0 {
					Raise(tensor.RuntimeError, "Only supports 0-dimension value tensor")
				}
				return shapeIndexFill(c)
			},
			Scatter: &Scatter{Over: overIndexFill, At: func(b *loop.Builder, c *Call, at []loop.Ix) ([]loop.Ix, loop.V) {
				return indexFillAt(b, c, at), b.CastTo(b.At(2, nil, 0), c.In[0].DType)
			}},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				o := []Tensor{g.Op("index_fill.int_Scalar", grad[0], c.Int("dim"), in[1], 0), nil, nil}
				if c.NeedsGrad(2) {
					o[2] = g.Op("sum", g.Sub(grad[0], o[0])) // an index listed twice counts once
				}
				return o
			},
			Samples: func() []Sample {
				s := samplesOf("index_fill.int_Tensor")
				return s.add(s.f(3, 4), 1, s.i(0, 4, 2), s.f()).add(s.lay(LayTrans, 3, 2), 0, s.i(0, 3, 2), s.f()).add(s.lay(LayStep, 3), 0, s.i(0, 1, 0), s.f()).add(s.f(), 0, s.i(0, 1, 1), s.f()).done()
			},
		},
		&Def{
			Sig: "masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor", Doc: "A number where the mask is true.", Bind: Arith,
			Promote: PromoteNone, Shape: shapeMasked, Layout: LayoutContiguous,
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
				return b.Select(b.Cast(x[1], loop.B1), b.Num("value", b.Type(x[0])), x[0])
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.Op("masked_fill.Scalar", grad[0], in[1], 0), nil}
			},
			Samples: func() []Sample {
				s := samplesOf("masked_fill.Scalar")
				for _, l := range layouts {
					s.add(s.lay(l, 2, 3), s.b(2, 3), 1.5).add(s.lay(l, 2, 3), s.b(3), -1)
				}
				s.add(s.f(), s.b(), 2.5).add(s.f(3), s.b(2, 3), 0.5).add(s.f(0, 3), s.b(3), 1).add(s.i(0, 9, 3), s.b(3), 7).add(s.d64(3), s.b(3), 0.1).add(s.bf(4), s.b(4), 0.1)
				return s.raises(tensor.RuntimeError, s.f(2, 3), s.b(2), 0.0).done()
			},
		},
		&Def{
			Sig: "masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor", Doc: "A 0-dim tensor's value where the mask is true.", Bind: Arith,
			Promote: PromoteNone, Layout: LayoutContiguous,
			Shape: func(c *Call) []tensor.Meta {
				if r := c.In[2].Rank(); r != 0 {
					Raise(tensor.RuntimeError, "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with %d dimension(s).", r)
				}
				return shapeMasked(c)
			},
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
				return b.Select(b.Cast(x[1], loop.B1), b.CastTo(x[2], c.In[0].DType), x[0])
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				o := []Tensor{g.Op("masked_fill.Scalar", grad[0], in[1], 0), nil, nil}
				if c.NeedsGrad(2) {
					o[2] = g.Op("masked_fill.Scalar", grad[0], g.Op("logical_not", in[1]), 0)
				}
				return o
			},
			Samples: func() []Sample {
				s := samplesOf("masked_fill.Tensor")
				for _, l := range layouts {
					s.add(s.lay(l, 2, 3), s.b(3), s.f())
				}
				return s.add(s.f(), s.b(), s.f()).add(s.f(0), s.b(1), s.f()).raises(tensor.RuntimeError, s.f(2, 3), s.b(3), s.f(3)).done()
			},
		},
		&Def{
			Sig: "masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor", Doc: "The mask's true places take source's elements in order.", Bind: Fn | Method | InPlace,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				if in[0].Meta().DType != in[2].Meta().DType {
					Raise(tensor.RuntimeError, "masked_scatter: expected self and source to have same dtypes but got%s and %s", in[0].Meta().DType.ScalarName(), in[2].Meta().DType.ScalarName())
				}
				l := g.broadcast([]Tensor{in[0], in[1]})
				flat := g.reshape(l[1], []SymInt{C(-1)})
				pos := g.Sub(g.Op("cumsum", flat, 0), 1)
				pos = g.Op("masked_fill.Scalar", pos, g.Op("logical_not", flat), 0)
				src := g.reshape(in[2], []SymInt{C(-1)})
				if IsEmpty(src.Meta()) {
					return []Tensor{g.Op("clone", l[0])}
				}
				v := g.Op("view", g.Op("gather", src, 0, pos), l[0].Meta().Size)
				return []Tensor{g.Op("where", l[1], v, l[0])}
			},
			Samples: func() []Sample {
				s := samplesOf("masked_scatter")
				return s.add(s.f(2, 3), s.b(2, 3), s.f(6)).add(s.lay(LayTrans, 2, 3), s.b(3), s.f(2, 4)).add(s.lay(LayStep, 4), s.b(4), s.lay(LayTrans, 2, 2)).add(s.f(0), s.b(0), s.f(1)).add(s.f(), s.b(), s.f(1)).done()
			},
		},
	)
}

func shapeIndexFill(c *Call) []tensor.Meta {
	c.Dim("dim", c.In[0].Rank())
	if c.In[1].Rank() > 1 {
		Raise(tensor.IndexError, "index_fill_(): Index is supposed to be a vector")
	}
	if c.In[1].DType != tensor.Int64 {
		Raise(tensor.IndexError, "index_fill_(): Expected dtype int64 for index.")
	}
	return shapeLike0(c)
}

func overIndexFill(c *Call) []SymInt {
	m := c.In[0]
	if m.Rank() == 0 {
		return []SymInt{c.In[1].Numel()}
	}
	return with(m.Size, c.Dim("dim", m.Rank()), c.In[1].Numel())
}

func indexFillAt(b *loop.Builder, c *Call, at []loop.Ix) []loop.Ix {
	m := c.In[0]
	if m.Rank() == 0 {
		return nil
	}
	d := c.Dim("dim", m.Rank())
	w := append([]loop.Ix{}, at...)
	w[d] = loop.IxData(wrapIndex(b, b.At(1, vectorAt(c, at, m.Rank(), 1), 0), m.Size[d]), nil)
	return w
}

func overIndex(c *Call) []SymInt  { return c.In[1].Size }
func overSource(c *Call) []SymInt { return c.In[2].Size }

func combineReduce(c *Call) loop.Combine {
	if c.Str("reduce") == "multiply" {
		return loop.CombineMul
	}
	return loop.CombineAdd
}

func shapeMasked(c *Call) []tensor.Meta {
	if d := c.In[1].DType; d != tensor.Bool && d != tensor.Uint8 {
		Raise(tensor.RuntimeError, "expected predicate to be bool, got %s", d.ScalarName())
	}
	return []tensor.Meta{{Size: Broadcast(c.In[1].Size, c.In[0].Size), DType: c.In[0].DType}}
}

// shapeScatter checks a scatter's operands: self, index and perhaps src.
func shapeScatter(c *Call) []tensor.Meta {
	x, ix := c.In[0], c.In[1]
	d := c.Dim("dim", x.Rank())
	needInt64("scatter", ix)
	var src *tensor.Meta
	if len(c.In) > 2 {
		src = c.In[2]
		if src.DType != x.DType {
			Raise(tensor.RuntimeError, "scatter(): Expected self.dtype to be equal to src.dtype")
		}
	}
	for i := range c.Def.Params {
		if c.Def.Params[i].Name == "reduce" && c.Def.Base == "scatter" {
			if r := c.Str("reduce"); r != "add" && r != "multiply" {
				Raise(tensor.RuntimeError, "reduce argument must be either add or multiply.")
			}
		}
	}
	if IsEmpty(ix) {
		return shapeLike0(c)
	}
	if max(ix.Rank(), 1) != max(x.Rank(), 1) {
		Raise(tensor.RuntimeError, "Index tensor must have the same number of dimensions as self tensor")
	}
	if src != nil && max(ix.Rank(), 1) != max(src.Rank(), 1) {
		Raise(tensor.RuntimeError, "Index tensor must have the same number of dimensions as src tensor")
	}
	bad := func() {
		t := ""
		if src != nil {
			t = " and to be smaller size than src " + ShapeText(src.Size)
		}
		Raise(tensor.RuntimeError, "Expected index %s to be smaller than self %s apart from dimension %d%s", ShapeText(ix.Size), ShapeText(x.Size), d, t)
	}
	for i := range ix.Size {
		if i != d && i < x.Rank() && ix.Size[i].Gt(x.Size[i]) || src != nil && i < src.Rank() && ix.Size[i].Gt(src.Size[i]) {
			bad()
		}
	}
	return shapeLike0(c)
}

func scatterAt(b *loop.Builder, c *Call, at []loop.Ix) ([]loop.Ix, loop.V) {
	r := c.In[0].Rank()
	w := replaced(b, c, at, r, b.At(1, at, 0))
	if len(c.In) > 2 {
		s := at
		if c.In[2].Rank() < len(at) {
			s = nil
		} else if c.In[2].Rank() > len(at) {
			s = []loop.Ix{loop.IxInt(C(0))}
		}
		return w, b.At(2, s, 0)
	}
	return w, b.Num("value", loop.TypeOf(c.In[0].DType))
}

// gatherFor is the gradient of src: what lies where src was written.
func gatherFor(g *G, c *Call, grad, index Tensor) Tensor {
	if !c.NeedsGrad(2) {
		return nil
	}
	t := g.Op("gather", grad, c.Int("dim"), index)
	return growTo(g, t, c.In[2].Size)
}

// growTo pads t with zeros up to size: the part of src that was not used.
func growTo(g *G, t Tensor, size []SymInt) Tensor {
	m := t.Meta()
	if same(m.Size, size) || m.Rank() != len(size) {
		return t
	}
	pad := make([]SymInt, 0, 2*len(size))
	for d := len(size) - 1; d >= 0; d-- {
		pad = append(pad, C(0), size[d].Sub(m.Size[d]))
	}
	return g.Op("constant_pad_nd", t, pad)
}

// shapeIndexInto checks index_add and index_copy: source is like self but for dim.
func shapeIndexInto(c *Call, name string, kind tensor.ErrKind) []tensor.Meta {
	x, ix, src := c.In[0], c.In[1], c.In[2]
	d := c.Dim("dim", x.Rank())
	if ix.Rank() > 1 {
		Raise(tensor.IndexError, "%s(): Index is supposed to be a vector", name)
	}
	if ix.DType != tensor.Int64 && ix.DType != tensor.Int32 {
		Raise(tensor.RuntimeError, "%s(): Expected dtype int32/int64 for index", name)
	}
	if x.DType != src.DType {
		Raise(tensor.RuntimeError, "%s(): self (%s) and source (%s) must have the same scalar type", name, x.DType.ScalarName(), src.DType.ScalarName())
	}
	n := C(1)
	if src.Rank() > 0 {
		if x.Rank() != src.Rank() {
			Raise(tensor.RuntimeError, "%s(): source.dim() = %d must match self.dim() = %d", name, src.Rank(), x.Rank())
		}
		n = src.Size[d]
	}
	if !ix.Numel().Eq(n) {
		if kind == tensor.IndexError {
			Raise(kind, "%s(): Number of indices (%d) should be equal to source.size(dim) (%d)", name, ix.Numel().Hint(), n.Hint())
		}
		Raise(kind, "%s(): Number of indices (%d) should be equal to source.size(dim): (%d), for dim: %d", name, ix.Numel().Hint(), n.Hint(), d)
	}
	for i := range src.Size {
		if i != d && !src.Size[i].Eq(x.Size[i]) {
			Raise(tensor.RuntimeError, "The size of tensor a (%d) must match the size of tensor b (%d) at non-singleton dimension %d", x.Size[i].Hint(), src.Size[i].Hint(), i)
		}
	}
	return shapeLike0(c)
}

func indexIntoAt(b *loop.Builder, c *Call, at []loop.Ix, msg string) ([]loop.Ix, loop.V) {
	r := c.In[0].Rank()
	w := replaced(b, c, at, r, b.At(1, vectorAt(c, at, len(at), 1), 0))
	if r > 0 {
		w[c.Dim("dim", r)].Check = &loop.Check{Kind: tensor.IndexError, Msg: msg}
	}
	return w, b.At(2, at, 0)
}

// selectFor is the gradient of index_add's and index_copy's source.
func selectFor(g *G, c *Call, grad Tensor, in []Tensor) Tensor {
	if !c.NeedsGrad(2) {
		return nil
	}
	return g.reshape(g.Op("index_select", grad, c.Int("dim"), in[1]), c.In[2].Size)
}

func decompScatterReduce(g *G, c *Call, in []Tensor) []Tensor {
	self, ix, src, d := in[0], in[1], in[2], c.Int("dim")
	how := c.Str("reduce")
	switch how {
	case "sum", "prod", "mean", "amax", "amin":
	default:
		Raise(tensor.RuntimeError, "reduce argument must be either sum, prod, mean, amax or amin.")
	}
	if !c.Bool("include_self") {
		var v any = 0
		switch how {
		case "prod":
			v = 1
		case "amax", "amin":
			v = dtypeBound(self.Meta().DType, how == "amax")
		}
		self = g.Op("scatter.value", self, d, ix, v)
	}
	switch how {
	case "sum":
		return []Tensor{g.Op("scatter_add", self, d, ix, src)}
	case "mean":
		sum := g.Op("scatter_add", self, d, ix, src)
		n := g.Full(self, self.Meta().Size, 1)
		if !c.Bool("include_self") {
			n = g.Op("scatter.value", n, d, ix, 0)
		}
		n = g.Op("scatter_add", n, d, ix, g.Full(src, src.Meta().Size, 1))
		n = g.Op("masked_fill.Scalar", n, g.Op("eq", n, 0), 1)
		if !self.Meta().DType.IsFloat() {
			return []Tensor{g.Op("div.Tensor_mode", sum, n, KW{"rounding_mode", "floor"})}
		}
		return []Tensor{g.Div(sum, n)}
	}
	return []Tensor{g.Op("_scatter_combine", self, d, ix, src, how)}
}

// dtypeBound is the least (or greatest) value of a dtype: where a maximum
// (minimum) starts.
func dtypeBound(d tensor.DType, least bool) tensor.Number {
	switch {
	case d.IsFloat():
		v := tensor.Float(inf)
		if least {
			v.F = -inf
		}
		return v
	case d == tensor.Bool:
		return tensor.Truth(!least)
	case d == tensor.Uint8:
		if least {
			return tensor.Int(0)
		}
		return tensor.Int(255)
	}
	n := uint(8*d.Size() - 1)
	if least {
		return tensor.Int(-1 << n)
	}
	return tensor.Int(1<<n - 1)
}

// vjpScatterCombine: for amax and amin the gradient is shared evenly by those
// that are equal to the result, as torch does.
func vjpScatterCombine(g *G, c *Call, in, out, grad []Tensor) []Tensor {
	self, ix, src, d := in[0], in[1], in[2], c.Int("dim")
	res, dy := out[0], grad[0]
	if c.Str("reduce") == "prod" {
		p := g.Mul(dy, res)
		gs := g.Div(p, self)
		var gsrc Tensor
		if c.NeedsGrad(2) {
			gsrc = growTo(g, g.Div(g.Op("gather", p, d, ix), cropTo(g, src, ix)), c.In[2].Size)
		}
		return []Tensor{gs, nil, gsrc}
	}
	dt := self.Meta().DType
	hitSelf := g.Cast(g.Op("eq", self, res), dt)
	hitSrc := g.Cast(g.Op("eq", cropTo(g, src, ix), g.Op("gather", res, d, ix)), dt)
	n := g.Op("scatter_add", hitSelf, d, ix, hitSrc)
	share := g.Div(dy, n)
	var gsrc Tensor
	if c.NeedsGrad(2) {
		gsrc = growTo(g, g.Mul(hitSrc, g.Op("gather", share, d, ix)), c.In[2].Size)
	}
	return []Tensor{g.Mul(hitSelf, share), nil, gsrc}
}

// cropTo is the part of t that an index of that size uses.
func cropTo(g *G, t, ix Tensor) Tensor {
	for d, n := range ix.Meta().Size {
		if !t.Meta().Size[d].KnownEq(n) {
			t = g.Op("narrow", t, d, 0, n)
		}
	}
	return t
}
