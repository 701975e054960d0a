package op

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Reads at indices that come from data. Where an index is out of range the
// kernel raises; empty index tensors skip the shape checks, as torch's do.

// boundsRuntime is torch's error of gather and scatter, which is no IndexError.
var boundsRuntime = &loop.Check{Kind: tensor.RuntimeError, Msg: "index %i is out of bounds for dimension %d with size %n"}

func init() {
	Register(
		&Def{
			Sig: "gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor", Doc: "out[i][j] = self[index[i][j]][j] for dim 0, and so on.", Bind: Fn | Method | OutArg,
			Shape: func(c *Call) []tensor.Meta {
				x, ix := c.In[0], c.In[1]
				d := c.Dim("dim", x.Rank())
				needInt64("gather", ix)
				if !IsEmpty(ix) {
					if max(x.Rank(), 1) != max(ix.Rank(), 1) {
						Raise(tensor.RuntimeError, "Index tensor must have the same number of dimensions as input tensor")
					}
					for i := range ix.Size {
						if i != d && i < x.Rank() && ix.Size[i].Gt(x.Size[i]) {
							Raise(tensor.RuntimeError, "Size does not match at dimension %d expected index %s to be smaller than self %s apart from dimension %d", i, ShapeText(ix.Size), ShapeText(x.Size), d)
						}
					}
				}
				return []tensor.Meta{{Size: ix.Size, DType: x.DType}}
			},
			Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V {
				i := b.At(1, at, 0)
				return b.At(0, replaced(b, c, at, c.In[0].Rank(), i), 0)
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.Op("scatter_add", g.Full(grad[0], c.In[0].Size, 0), c.Int("dim"), in[1], grad[0]), nil}
			},
			Samples: func() []Sample {
				s := samplesOf("gather")
				for _, l := range layouts {
					s.add(s.lay(l, 3, 4), 1, s.i(0, 4, 3, 2)).add(s.lay(l, 3, 4), 0, s.it(0, 3, 2, 4))
				}
				s.add(s.f(), 0, s.i(0, 1)).add(s.f(3, 0), 1, s.i(0, 1, 3, 0)).add(s.f(3), 0, s.i(0, 3, 5)).add(s.d64(2, 3), -1, s.i(0, 3, 2, 3)).add(s.b(4), 0, s.i(0, 4, 2))
				s.raises(tensor.RuntimeError, s.f(2, 3), 1, s.i(0, 1, 1)).raises(tensor.RuntimeError, s.f(2, 3), 1, s.i(0, 3, 3, 2)).raises(tensor.RuntimeError, s.f(2, 3), 1, s.i(5, 6, 1, 1))
				return s.raises(tensor.RuntimeError, s.f(2, 3), 1, s.f(1, 1)).raises(tensor.IndexError, s.f(2, 3), 2, s.i(0, 1, 1, 1)).done()
			},
		},
		&Def{
			Sig: "index_select(Tensor self, int dim, Tensor index) -> Tensor", Doc: "The listed indices of a dimension.", Bind: Fn | Method | OutArg,
			Shape: func(c *Call) []tensor.Meta {
				x := c.In[0]
				d := c.Dim("dim", x.Rank())
				n := indexVector("index_select(): Index is supposed to be a vector", "index_select", c.In[1])
				if x.Rank() == 0 {
					return []tensor.Meta{{Size: []SymInt{}, DType: x.DType}}
				}
				return []tensor.Meta{{Size: with(x.Size, d, n), DType: x.DType}}
			},
			Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V {
				r := c.In[0].Rank()
				i := b.At(1, vectorAt(c, at, r, 1), 0)
				ix := replaced(b, c, at, r, i)
				if r > 0 {
					check := &loop.Check{Kind: tensor.IndexError, Msg: "index out of range in self"}
					if c.Dim("dim", r) == 1 {
						check = &loop.Check{Kind: tensor.RuntimeError, Msg: "INDICES element is out of DATA bounds, id=%i axis_dim=%n"}
					}
					ix[c.Dim("dim", r)].Check = check
				}
				return b.At(0, ix, 0)
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.Op("index_add", g.Full(grad[0], c.In[0].Size, 0), c.Int("dim"), in[1], grad[0]), nil}
			},
			Samples: func() []Sample {
				s := samplesOf("index_select")
				for _, l := range layouts {
					s.add(s.lay(l, 3, 4), 1, s.i(0, 4, 2)).add(s.lay(l, 3, 4), 0, s.i(0, 3, 4))
				}
				s.add(s.f(), 0, s.i(0, 1, 1)).add(s.f(3, 2), 0, s.i(0, 1, 0)).add(s.f(3), 0, s.i(0, 3)).add(s.f(3, 2), 0, s.make(tensor.Int32, LayStep, Fill{Kind: FillInt, Lo: 0, Hi: 3}, []int64{2}))
				s.raises(tensor.IndexError, s.f(2, 3), 1, s.i(0, 1, 1, 1)).raises(tensor.RuntimeError, s.f(2, 3), 1, s.i(5, 6, 1)).raises(tensor.RuntimeError, s.f(2, 3), 1, s.i(-1, 0, 1))
				return s.raises(tensor.RuntimeError, s.f(2, 3), 1, s.f(1)).done()
			},
		},
		&Def{
			Sig: "take(Tensor self, Tensor index) -> Tensor", Doc: "Elements of the flattened tensor, with the index's size.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				flat := g.reshape(in[0], []SymInt{C(-1)})
				return []Tensor{g.Op("_take", flat, in[1])}
			},
			Samples: func() []Sample {
				s := samplesOf("take")
				s.add(s.f(2, 3), s.i(0, 6, 4)).add(s.lay(LayTrans, 2, 3), s.i(-6, 6, 2, 2)).add(s.lay(LayStep, 4), s.i(0, 4)).add(s.f(2), s.i(0, 1, 0)).add(s.f(), s.i(0, 1, 2))
				return s.raises(tensor.IndexError, s.f(2, 3), s.i(7, 8, 1)).done()
			},
		},
		&Def{
			Sig: "_take(Tensor self, Tensor index) -> Tensor", Doc: "take from a vector.",
			Shape: func(c *Call) []tensor.Meta {
				if c.In[1].DType != tensor.Int64 {
					Raise(tensor.RuntimeError, "take(): Expected a long tensor for index, but got %s", c.In[1].DType.ScalarName())
				}
				return []tensor.Meta{{Size: c.In[1].Size, DType: c.In[0].DType}}
			},
			Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V {
				i := wrapIndex(b, b.At(1, at, 0), c.In[0].Size[0])
				return b.At(0, []loop.Ix{loop.IxData(i, &loop.Check{Kind: tensor.IndexError, Msg: "out of range: tried to access index %i on a tensor of %n elements."})}, 0)
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.Op("_index_put", g.Full(grad[0], c.In[0].Size, 0), grad[0], []Tensor{in[1]}, true), nil}
			},
		},
		&Def{
			Sig: "take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor", Doc: "gather whose operands broadcast outside the dimension.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				x, ix := in[0], in[1]
				needInt64("torch.take_along_dim", ix.Meta())
				if !c.Given("dim") {
					return []Tensor{g.Op("gather", g.reshape(x, []SymInt{C(-1)}), 0, g.reshape(ix, []SymInt{C(-1)}))}
				}
				m, n := x.Meta(), ix.Meta()
				if m.Rank() != n.Rank() {
					Raise(tensor.RuntimeError, "torch.take_along_dim(): input and indices should have the same number of dimensions, but got %d dimensions for input, and %d dimensions for indices", m.Rank(), n.Rank())
				}
				d := c.Dim("dim", m.Rank())
				if m.Rank() == 0 {
					return []Tensor{g.Op("gather", x, 0, ix)}
				}
				size := Broadcast(with(m.Size, d, C(1)), with(n.Size, d, C(1)))
				x = g.Op("expand", x, with(size, d, m.Size[d]))
				ix = g.Op("expand", ix, with(size, d, n.Size[d]))
				return []Tensor{g.Op("gather", x, d, ix)}
			},
			Samples: func() []Sample {
				s := samplesOf("take_along_dim")
				s.add(s.f(2, 3), s.i(0, 3, 2, 2), 1).add(s.lay(LayTrans, 2, 3), s.i(0, 3, 1, 2), -1).add(s.lay(LayStep, 1, 3), s.i(0, 3, 4, 1), 1).add(s.f(2, 3), s.i(0, 6, 2)).add(s.f(2, 3), s.i(0, 3, 2, 0), 1)
				return s.raises(tensor.RuntimeError, s.f(2, 3), s.i(0, 1, 1), 1).done()
			},
		},
		&Def{
			Sig: "embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor", Doc: "Rows of a table. The gradient is dense; padding_idx gets none.", Bind: Fn,
			Shape: shapeEmbedding,
			Index: indexEmbedding,
			VJP:   vjpEmbedding,
			Samples: func() []Sample {
				s := samplesOf("embedding")
				for _, l := range layouts {
					s.add(s.lay(l, 5, 3), s.i(0, 5, 2, 2)).add(s.lay(l, 5, 3), s.it(0, 5, 2, 3), 1)
				}
				s.add(s.f(5, 3), s.i(0, 5)).add(s.f(5, 3), s.i(0, 1, 0)).add(s.d64(4, 2), s.make(tensor.Int32, LayContig, Fill{Kind: FillInt, Lo: 0, Hi: 4}, []int64{3}))
				return s.raises(tensor.IndexError, s.f(2, 3), s.i(7, 8, 1)).raises(tensor.IndexError, s.f(2, 3), s.i(-1, 0, 1)).raises(tensor.RuntimeError, s.f(2, 3), s.f(1)).done()
			},
		},
		&Def{
			Sig: "embedding_dense_backward(Tensor grad_output, Tensor indices, SymInt num_weights, int padding_idx, bool scale_grad_by_freq) -> Tensor", Doc: "Gradients added into the rows they came from.",
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				m := in[0].Meta()
				z := g.Full(in[0], []SymInt{c.Sym("num_weights"), m.Size[m.Rank()-1]}, 0)
				grad := in[0]
				if c.Bool("scale_grad_by_freq") {
					flat := g.reshape(in[1], []SymInt{C(-1)})
					n := g.Op("index_add", g.Full(grad, []SymInt{c.Sym("num_weights")}, 0), 0, flat, g.Full(grad, flat.Meta().Size, 1))
					grad = g.Div(grad, g.Op("unsqueeze", g.Op("_index", n, []Tensor{in[1]}), -1))
				}
				return []Tensor{g.Op("_embedding_add", z, grad, in[1], c.Int("padding_idx"))}
			},
			NoGrad: "second derivatives go through embedding itself",
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.Op("_embedding_back2", grad[0], in[1], c.Int("padding_idx")), nil}
			},
		},
		&Def{
			Sig: "_embedding_add(Tensor self, Tensor src, Tensor indices, int padding_idx) -> Tensor", Doc: "Adds rows of src at indices, but for padding_idx.",
			Shape: shapeLike0,
			Scatter: &Scatter{Combine: combineAdd, At: func(b *loop.Builder, c *Call, at []loop.Ix) ([]loop.Ix, loop.V) {
				n := len(at) - 1
				i := b.Cast(b.At(2, at[:n], 0), loop.I64)
				v := b.At(1, at, 0)
				if p := c.Int("padding_idx"); p >= 0 {
					v = b.Select(b.Eq(i, b.ConstI(loop.I64, int64(p))), b.Like(v, 0), v)
				}
				return []loop.Ix{loop.IxData(i, nil), at[n]}, v
			}},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{grad[0], g.Op("_embedding_back2", grad[0], in[2], c.Int("padding_idx")), nil}
			},
		},
		&Def{
			Sig: "_embedding_back2(Tensor weight, Tensor indices, int padding_idx) -> Tensor", Doc: "Rows of a table, zeros for padding_idx.",
			Shape: shapeEmbedding,
			Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V {
				v := indexEmbedding(b, c, at)
				if p := c.Int("padding_idx"); p >= 0 {
					i := b.Cast(b.At(1, at[:len(at)-1], 0), loop.I64)
					v = b.Select(b.Eq(i, b.ConstI(loop.I64, int64(p))), b.Like(v, 0), v)
				}
				return v
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				z := g.Full(grad[0], c.In[0].Size, 0)
				return []Tensor{g.Op("_embedding_add", z, grad[0], in[1], c.Int("padding_idx")), nil}
			},
		},
	)
}

func needInt64(name string, ix *tensor.Meta) {
	if ix.DType != tensor.Int64 {
		Raise(tensor.RuntimeError, "%s(): Expected dtype int64 for index", name)
	}
}

// indexVector checks an index that is a vector or 0-dim and gives its length.
func indexVector(why, name string, ix *tensor.Meta) SymInt {
	if ix.Rank() > 1 {
		Raise(tensor.IndexError, "%s", why)
	}
	if ix.DType != tensor.Int64 && ix.DType != tensor.Int32 {
		Raise(tensor.RuntimeError, "%s(): Expected dtype int32 or int64 for index", name)
	}
	return ix.Numel()
}

// replaced is the index into operand 0, of rank r, with dimension "dim" taken
// from data. A 0-dim operand has no dimension: its index is asserted to be 0.
func replaced(b *loop.Builder, c *Call, at []loop.Ix, r int, i loop.V) []loop.Ix {
	i = b.Cast(i, loop.I64)
	if r == 0 {
		b.Assert(b.Eq(i, b.ConstI(loop.I64, 0)), i, 0, loop.Check{Kind: tensor.RuntimeError, Msg: "index %i is out of bounds for dimension 0 with size 1"})
		return nil
	}
	ix := make([]loop.Ix, r)
	for d := range ix {
		if d < len(at) {
			ix[d] = at[d]
		} else {
			ix[d] = loop.IxInt(C(0)) // a 0-dim index into a vector
		}
	}
	ix[c.Dim("dim", r)] = loop.IxData(i, boundsRuntime)
	return ix
}

// vectorAt is the position in index operand k (a vector or 0-dim) that belongs
// to an iteration over a tensor of rank r.
func vectorAt(c *Call, at []loop.Ix, r, k int) []loop.Ix {
	if c.In[k].Rank() == 0 {
		return nil
	}
	if r == 0 {
		return []loop.Ix{loop.IxInt(C(0))}
	}
	return []loop.Ix{at[c.Dim("dim", r)]}
}

func shapeEmbedding(c *Call) []tensor.Meta {
	w, ix := c.In[0], c.In[1]
	if w.Rank() != 2 {
		Raise(tensor.RuntimeError, "'weight' must be 2-D")
	}
	if ix.DType != tensor.Int64 && ix.DType != tensor.Int32 {
		Raise(tensor.RuntimeError, "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got %s instead (while checking arguments for embedding)", typeText(ix.DType))
	}
	return []tensor.Meta{{Size: append(clip(ix.Size), w.Size[1]), DType: w.DType}}
}

func indexEmbedding(b *loop.Builder, c *Call, at []loop.Ix) loop.V {
	n := len(at) - 1
	i := b.Cast(b.At(1, at[:n], 0), loop.I64)
	return b.At(0, []loop.Ix{loop.IxData(i, &loop.Check{Kind: tensor.IndexError, Msg: "index out of range in self"}), at[n]}, 0)
}

func vjpEmbedding(g *G, c *Call, in, out, grad []Tensor) []Tensor {
	return []Tensor{g.Op("embedding_dense_backward", grad[0], in[1], c.In[0].Size[0], c.Int("padding_idx"), c.Bool("scale_grad_by_freq")), nil}
}
