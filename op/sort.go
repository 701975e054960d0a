package op

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Order: sorting, the largest, and search in what is sorted. NaN counts as
// greater than every number.

func init() {
	Register(
		&Def{
			Sig: "sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)", Doc: "Sorted along a dimension, and where each element came from. Always stable.", Bind: Usual,
			Shape: shapeSort, Extern: externSort, VJP: vjpOrder,
			Samples: func() []Sample {
				s := samplesOf("sort")
				for _, l := range layouts {
					s.add(s.distinct(l, 3, 4)).add(s.distinct(l, 3, 4), 0, true)
				}
				s.add(s.f()).add(s.f(0, 3)).add(s.f(3, 0)).add(s.d64(5)).add(s.perm(6), 0, true).add(s.bf(5))
				return s.raises(tensor.IndexError, s.f(2, 3), 5).done()
			},
		},
		&Def{
			Sig: "sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)", Doc: "sort that keeps equal elements in order.", Bind: Usual,
			Shape: shapeSort, Extern: externSort, VJP: vjpOrder,
			Samples: func() []Sample {
				s := samplesOf("sort.stable")
				for _, l := range layouts {
					s.add(s.lay(l, 3, 4), KW{"stable", true})
				}
				return s.add(s.i(0, 3, 7), KW{"stable", true}).add(s.i(0, 3, 7), KW{"stable", true}, KW{"descending", true}).add(s.f(), KW{"stable", true}).add(s.b(5), KW{"stable", true}).add(s.f(0), KW{"stable", true}).done()
			},
		},
		&Def{
			Sig: "argsort(Tensor self, int dim=-1, bool descending=False, bool stable=False) -> Tensor", Doc: "The indices that sort.", Bind: Usual, NoGrad: "indices are integers",
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				return g.Ops("sort", in[0], c.Int("dim"), c.Bool("descending"))[1:]
			},
			Samples: func() []Sample {
				s := samplesOf("argsort")
				for _, l := range layouts {
					s.add(s.distinct(l, 3, 4)).add(s.distinct(l, 3, 4), 0, true)
				}
				return s.add(s.f()).add(s.f(0)).done()
			},
		},
		&Def{
			Sig: "msort(Tensor self) -> Tensor", Doc: "sort of dimension 0.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor { return g.Ops("sort", in[0], 0)[:1] },
			Samples: func() []Sample {
				s := samplesOf("msort").each([]int64{3, 4})
				return s.add(s.f(0)).done()
			},
		},
		&Def{
			Sig: "topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)", Doc: "The k largest (or smallest) along a dimension, in order, and where they are. Always sorted.", Bind: Usual,
			Shape: func(c *Call) []tensor.Meta {
				m, k := c.In[0], C(int64(c.Int("k")))
				d := c.Dim("dim", m.Rank())
				if m.Rank() == 0 {
					if !k.Is(0) && !k.Is(1) {
						Raise(tensor.RuntimeError, "selected index k out of range")
					}
					return []tensor.Meta{{Size: m.Size, DType: m.DType}, {Size: m.Size, DType: tensor.Int64}}
				}
				if k.Lt(C(0)) || k.Gt(m.Size[d]) {
					Raise(tensor.RuntimeError, "selected index k out of range")
				}
				s := with(m.Size, d, k)
				return []tensor.Meta{{Size: s, DType: m.DType}, {Size: s, DType: tensor.Int64}}
			},
			Extern: func(c *Call) loop.Template {
				return loop.Template{Name: "topk", Ints: []SymInt{C(int64(c.Dim("dim", c.In[0].Rank()))), C(int64(c.Int("k")))}, Flags: []bool{c.Bool("largest"), c.Bool("sorted")}}
			},
			VJP: vjpOrder,
			Samples: func() []Sample {
				s := samplesOf("topk")
				for _, l := range layouts {
					s.add(s.distinct(l, 3, 5), 2).add(s.distinct(l, 3, 4), 2, 0, false)
				}
				s.add(s.f(), 1).add(s.f(3), 0).add(s.f(0, 3), 2).add(s.perm(6), 6).add(s.d64(5), 3)
				return s.raises(tensor.RuntimeError, s.f(2, 3), 7).raises(tensor.IndexError, s.f(2, 3), 1, 5).done()
			},
		},
		&Def{
			Sig: "kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)", Doc: "The k-th smallest along a dimension (from 1), and where it is.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				m := in[0].Meta()
				d, k := c.Dim("dim", m.Rank()), c.Int("k")
				n := C(1)
				if m.Rank() > 0 {
					n = m.Size[d]
				}
				if k < 1 || C(int64(k)).Gt(n) {
					Raise(tensor.RuntimeError, "kthvalue(): selected number k out of range for dimension %d", d)
				}
				return g.ranked(in[0], d, C(int64(k-1)), c.Bool("keepdim"))
			},
			Samples: func() []Sample {
				s := samplesOf("kthvalue")
				for _, l := range layouts {
					s.add(s.distinct(l, 3, 5), 2).add(s.distinct(l, 3, 4), 1, 0, true)
				}
				return s.add(s.f(), 1).add(s.f(0, 3), 1).raises(tensor.RuntimeError, s.f(2, 3), 7).done()
			},
		},
		&Def{
			Sig: "median(Tensor self) -> Tensor", Doc: "The lower median of all elements.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				x := g.reshape(in[0], []SymInt{C(-1)})
				if IsEmpty(x.Meta()) {
					return []Tensor{g.Full(x, nil, nan)}
				}
				return g.median(x, 0, false)[:1]
			},
			Samples: func() []Sample {
				s := samplesOf("median")
				for _, l := range layouts {
					s.add(s.distinct(l, 3, 4))
				}
				return s.add(s.f()).add(s.perm(5)).add(s.f(0)).done()
			},
		},
		&Def{
			Sig: "median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", Doc: "The lower median along a dimension, and where it is.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				m := in[0].Meta()
				d := c.Dim("dim", m.Rank())
				if m.Rank() > 0 && m.Size[d].Eq(C(0)) {
					Raise(tensor.IndexError, "median(): Expected reduction dim %d to have non-zero size.", d)
				}
				return g.median(in[0], d, c.Bool("keepdim"))
			},
			Samples: func() []Sample {
				s := samplesOf("median.dim")
				for _, l := range layouts {
					s.add(s.distinct(l, 3, 5), 1).add(s.distinct(l, 4, 3), 0, true)
				}
				return s.add(s.f(), 0).add(s.f(0, 3), 1).raises(tensor.IndexError, s.f(3, 0), 1).done()
			},
		},
		&Def{
			Sig: "searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor",
			Doc: "Where each value would be inserted to keep the sequence sorted.", Bind: Fn, NoGrad: "indices are integers",
			Shape: func(c *Call) []tensor.Meta {
				s, v := c.In[0], c.In[1]
				ok := s.Rank() == 1 || s.Rank() == v.Rank() && s.Rank() > 0
				for d := 0; ok && s.Rank() > 1 && d < s.Rank()-1; d++ {
					ok = s.Size[d].Eq(v.Size[d])
				}
				if !ok {
					Raise(tensor.RuntimeError, "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input value tensor must match, but we got boundaries tensor %s and input value tensor %s", ShapeText(s.Size), ShapeText(v.Size))
				}
				if s.DType != v.DType {
					Raise(tensor.RuntimeError, "torch.searchsorted(): boundary tensor and input value tensor should have same dtype, but got boundary tensor dtype %s and input value tensor dtype %s", s.DType.ScalarName(), v.DType.ScalarName())
				}
				if c.Given("sorter") {
					Raise(tensor.NotImplementedError, "searchsorted: sorter is not supported")
				}
				if f := c.Str("side"); f != "" && f != "left" && f != "right" {
					Raise(tensor.RuntimeError, "torch.searchsorted(): side can only be 'left' or 'right' but got %s", f)
				}
				dt := tensor.Int64
				if c.Bool("out_int32") {
					dt = tensor.Int32
				}
				return []tensor.Meta{{Size: v.Size, DType: dt}}
			},
			Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V {
				return b.Cast(bisect(b, c, at), loop.TypeOf(c.Out[0].DType))
			},
			Samples: func() []Sample {
				s := samplesOf("searchsorted.Tensor")
				seq := func(l Lay, n int64) *SampleTensor { return ramp(l, n) }
				s.add(seq(LayContig, 5), s.make(tensor.Float32, LayContig, Fill{Kind: FillInt, Lo: -1, Hi: 7}, []int64{2, 3})).add(seq(LayStep, 4), s.make(tensor.Float32, LayTrans, Fill{Kind: FillInt, Lo: -1, Hi: 7}, []int64{2, 3}), KW{"right", true})
				s.add(seq(LayOffset, 6), s.f()).add(seq(LayContig, 3), s.f(0)).add(seq(LayContig, 0), s.f(2)).add(seq(LayContig, 9), s.make(tensor.Float32, LayContig, Fill{Kind: FillInt, Lo: 0, Hi: 9}, []int64{7}), KW{"side", "right"}, KW{"out_int32", true})
				return s.raises(tensor.RuntimeError, s.f(2, 3), s.f(3, 4, 5)).done()
			},
		},
		&Def{
			Sig: "searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor", Doc: "searchsorted of one number.", Bind: Fn, NoGrad: "indices are integers",
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				v := g.Full(in[0], nil, c.Num("self").Float64())
				return []Tensor{g.Op("searchsorted.Tensor", in[0], v, KW{"out_int32", c.Bool("out_int32")}, KW{"right", c.Bool("right")}, KW{"side", *c.Arg("side")})}
			},
			Samples: func() []Sample {
				s := samplesOf("searchsorted.Scalar")
				return s.add(ramp(LayContig, 5), 2).add(ramp(LayStep, 5), 2.5).add(ramp(LayOffset, 5), 3, KW{"right", true}).done()
			},
		},
		&Def{
			Sig: "bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor", Doc: "searchsorted with its operands swapped.", Bind: Fn, NoGrad: "indices are integers",
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				if r := c.In[1].Rank(); r != 1 {
					Raise(tensor.RuntimeError, "boundaries tensor must be 1 dimension, but got dim(%d)", r)
				}
				return []Tensor{g.Op("searchsorted.Tensor", in[1], in[0], KW{"out_int32", c.Bool("out_int32")}, KW{"right", c.Bool("right")})}
			},
			Samples: func() []Sample {
				s := samplesOf("bucketize.Tensor")
				return s.add(s.f(2, 3), ramp(LayContig, 5)).add(s.lay(LayTrans, 2, 3), ramp(LayStep, 4), KW{"right", true}).add(s.f(), ramp(LayOffset, 4)).add(s.f(0), ramp(LayContig, 2)).raises(tensor.RuntimeError, s.f(2), s.f(2, 2)).done()
			},
		},
		&Def{
			Sig: "one_hot(Tensor self, int num_classes=-1) -> Tensor", Doc: "A 1 at each element's class, in a new last dimension. Without num_classes it is the largest class + 1.", Bind: NN, Sized: true, NoGrad: "indices are integers",
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				n, m := int64(c.Int("num_classes")), in[0].Meta()
				if m.DType != tensor.Int64 {
					Raise(tensor.RuntimeError, "one_hot is only applicable to index tensor.")
				}
				if n < 0 && n != -1 {
					Raise(tensor.RuntimeError, "num_classes should be positive")
				}
				if n <= 0 {
					if IsEmpty(m) {
						Raise(tensor.RuntimeError, "Can not infer total number of classes from empty tensor.")
					}
					if n == 0 {
						Raise(tensor.RuntimeError, "Class values must be smaller than num_classes.")
					}
					if g.Item(g.Op("amin", in[0])).Int64() < 0 {
						Raise(tensor.RuntimeError, "Class values must be non-negative.")
					}
					n = g.Item(g.Op("amax", in[0])).Int64() + 1
				}
				return []Tensor{g.Op("_one_hot", in[0], C(n))}
			},
			Samples: func() []Sample {
				s := samplesOf("one_hot")
				return s.add(s.i(0, 4, 5), 4).add(s.it(0, 3, 2, 3), 3).add(s.make(tensor.Int64, LayStep, Fill{Kind: FillInt, Lo: 0, Hi: 3}, []int64{4})).add(s.i(0, 2), 3).add(s.i(0, 1, 0), 3).
					raises(tensor.RuntimeError, s.i(3, 4, 1), 2).raises(tensor.RuntimeError, s.i(-1, 0, 1)).raises(tensor.RuntimeError, s.f(2)).done()
			},
		},
		&Def{
			Sig: "_one_hot(Tensor self, SymInt n) -> Tensor", Doc: "one_hot of n classes.", NoGrad: "indices are integers",
			Shape: func(c *Call) []tensor.Meta {
				return []tensor.Meta{{Size: append(clip(c.In[0].Size), c.Sym("n")), DType: tensor.Int64}}
			},
			Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V {
				k := len(at) - 1
				v := b.At(0, at[:k], 0)
				zero := b.ConstI(loop.I64, 0)
				b.Assert(b.Ge(v, zero), v, 0, loop.Check{Kind: tensor.RuntimeError, Msg: "Class values must be non-negative."})
				b.Assert(b.Lt(v, b.Size(c.Sym("n"))), v, 0, loop.Check{Kind: tensor.RuntimeError, Msg: "Class values must be smaller than num_classes."})
				return b.Cast(b.Eq(v, b.Idx(at[k])), loop.I64)
			},
		},
	)
}

func shapeSort(c *Call) []tensor.Meta {
	m := c.In[0]
	c.Dim("dim", m.Rank())
	st := preserveStride(m, m.Size)
	return []tensor.Meta{{Size: m.Size, Stride: st, DType: m.DType}, {Size: m.Size, Stride: st, DType: tensor.Int64}}
}

func externSort(c *Call) loop.Template {
	return loop.Template{Name: "sort", Ints: []SymInt{C(int64(c.Dim("dim", c.In[0].Rank())))}, Flags: []bool{c.Bool("descending"), true}}
}

// vjpOrder puts the gradient of (values, indices) back to where values came from.
func vjpOrder(g *G, c *Call, in, out, grad []Tensor) []Tensor {
	if grad[0] == nil {
		return []Tensor{nil}
	}
	return []Tensor{g.Op("scatter.src", g.Full(grad[0], c.In[0].Size, 0), c.Int("dim"), out[1], grad[0])}
}

// ranked is the element of rank k along d.
func (g *G) ranked(x Tensor, d int, k SymInt, keep bool) []Tensor {
	if x.Meta().Rank() == 0 {
		return []Tensor{g.Op("clone", x), g.Op("zeros", []int{}, KW{"dtype", tensor.Int64}, KW{"device", x.Meta().Dev})}
	}
	if IsEmpty(x.Meta()) {
		size := Drop(x.Meta().Size, []int{d}, keep)
		return []Tensor{g.Full(x, size, 0), g.Op("zeros", size, KW{"dtype", tensor.Int64}, KW{"device", x.Meta().Dev})}
	}
	s := g.Ops("sort", x, d)
	for i := range s {
		s[i] = g.Op("narrow", s[i], d, k, 1)
		if !keep {
			s[i] = g.Op("select.int", s[i], d, 0)
		}
		s[i] = g.Op("_contiguous", s[i])
	}
	return s
}

// median is the element of rank (n-1)//2, or NaN where there is one: sorted, it
// is the last.
func (g *G) median(x Tensor, d int, keep bool) []Tensor {
	m := x.Meta()
	if m.Rank() == 0 {
		return g.ranked(x, 0, C(0), keep)
	}
	n := m.Size[d]
	r := g.ranked(x, d, n.Sub(C(1)).Div(C(2)), keep)
	if !m.DType.IsFloat() || IsEmpty(m) {
		return r
	}
	top := g.ranked(x, d, n.Sub(C(1)), keep)
	isNaN := g.Op("isnan", top[0])
	return []Tensor{g.Op("where", isNaN, top[0], r[0]), g.Op("where", isNaN, top[1], r[1])}
}

// bisect is the first position whose element is not less than the value (or,
// to the right, greater). 32 steps halve any sequence of fewer than 2^32 elements.
func bisect(b *loop.Builder, c *Call, at []loop.Ix) loop.V {
	s := c.In[0]
	n := s.Rank()
	v := b.At(1, at, 0)
	right := c.Bool("right") || c.Str("side") == "right"
	one := b.ConstI(loop.I64, 1)
	lo, hi := b.ConstI(loop.I64, 0), b.Size(s.Size[n-1])
	r := b.Carry(C(32), []loop.V{lo, hi}, func(_ loop.Axis, cur []loop.V) []loop.V {
		lo, hi := cur[0], cur[1]
		open := b.Lt(lo, hi)
		mid := b.Shr(b.Add(lo, hi), one)
		ix := []loop.Ix{loop.IxData(mid, nil)}
		if n > 1 {
			ix = append(append([]loop.Ix{}, at[:n-1]...), ix...)
		}
		x := b.At(0, ix, open)
		var below loop.V // the answer lies to the right of mid
		if right {
			below = b.Not(b.Gt(x, v))
		} else {
			below = b.Not(b.Ge(x, v))
		}
		return []loop.V{b.Select(b.And(open, below), b.Add(mid, one), lo), b.Select(b.And(open, b.Not(below)), mid, hi)}
	})
	return r[0]
}
