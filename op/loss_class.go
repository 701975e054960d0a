package op

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Classification losses: rows over the class dimension, which is 1 (0 for a
// single example). The target's class is picked from the row.

func classDim(size []SymInt) int {
	if len(size) < 2 {
		return 0
	}
	return 1
}

// classRows makes the Rows of operand `input` (scores), with the target aligned
// to the other dimensions and the weight to the class dimension.
func classRows(input, target, weight int, run func(b *loop.Builder, c *Call, r Row)) *Rows {
	return &Rows{
		Frame: func(c *Call) []SymInt { return c.In[input].Size },
		Dims:  func(c *Call) []int { return []int{classDim(c.In[input].Size)} },
		Align: func(c *Call, k int) []int {
			n := len(c.In[input].Size)
			d := classDim(c.In[input].Size)
			switch k {
			case input:
				return nil
			case weight:
				return []int{d}
			}
			// one for each example (target, per-row results), or the whole frame
			m := c.operandMeta(k)
			if m == nil || len(m.Size) == n && k != target {
				return nil
			}
			if len(m.Size) == 0 && n > 1 {
				return []int{}
			}
			var al []int
			for i := range n {
				if i != d {
					al = append(al, i)
				}
			}
			return al
		},
		Run: run,
	}
}

// operandMeta is operand k's geometry, outputs following the operands.
func (c *Call) operandMeta(k int) *tensor.Meta {
	if k < len(c.In) {
		return c.In[k]
	}
	return &c.Out[k-len(c.In)]
}

var targetCheck = &loop.Check{Kind: tensor.IndexError, Msg: "Target %i is out of bounds."}

// target reads the class of the current row: its index, and whether it counts.
func target(b *loop.Builder, c *Call, r Row, k int) (t, counts loop.V) {
	t = b.Cast(r.In(k), loop.I64)
	return t, b.Ne(t, b.Size(c.Sym("ignore_index")))
}

// weightOf is the weight of class t, 1 without weights, 0 where the row does not count.
func weightOf(b *loop.Builder, r Row, k int, t, counts loop.V, typ loop.Type) loop.V {
	one, zero := b.Const(typ, 1), b.Const(typ, 0)
	if r.Has(k) {
		one = b.Cast(r.Pick(k, t, counts, targetCheck), typ)
	}
	return b.Select(counts, one, zero)
}

func checkTarget(name string, x, t, w *tensor.Meta) {
	if !x.DType.IsFloat() {
		Raise(tensor.RuntimeError, "\"%s\" not implemented for '%s'", name+"_out_frame", x.DType.ScalarName())
	}
	n := len(x.Size)
	if n == 0 {
		Raise(tensor.RuntimeError, "input tensor should be 1D or 2D")
	}
	if t.DType != tensor.Int64 && t.DType != tensor.Uint8 {
		Raise(tensor.RuntimeError, "expected scalar type Long but found %s", t.DType.ScalarName())
	}
	rest := Drop(x.Size, []int{classDim(x.Size)}, false)
	if len(rest) != len(t.Size) {
		Raise(tensor.RuntimeError, "Expected target size %s, got %s", ShapeText(rest), ShapeText(t.Size))
	}
	for i := range rest {
		if !rest[i].Eq(t.Size[i]) {
			if i == 0 {
				Raise(tensor.ValueError, "Expected input batch_size (%d) to match target batch_size (%d).", rest[0].Hint(), t.Size[0].Hint())
			}
			Raise(tensor.RuntimeError, "Expected target size %s, got %s", ShapeText(rest), ShapeText(t.Size))
		}
	}
	if w != nil {
		if k := x.Size[classDim(x.Size)]; len(w.Size) != 1 || !w.Size[0].Eq(k) {
			Raise(tensor.RuntimeError, "weight tensor should be defined either for all %d classes or no classes but got weight tensor of shape: %s", k.Hint(), ShapeText(w.Size))
		}
	}
}

// classLossOut is the shape of the loss (by reduction) and of the total weight.
func classLossOut(c *Call) (loss, total tensor.Meta) {
	d := c.In[0].DType
	loss, total = tensor.Meta{DType: d}, tensor.Meta{DType: d}
	if c.Str("reduction") == "none" {
		loss.Size = Drop(c.In[0].Size, []int{classDim(c.In[0].Size)}, false)
	}
	return
}

// reduceRows runs f for each row (its loss and weight) and stores output 0 by
// the reduction, and the total weight in output j.
func reduceRows(b *loop.Builder, c *Call, r Row, j int, f func() (loss, w loop.V)) {
	red := c.Str("reduction")
	s := r.FoldRows([]loop.FoldOp{loop.FoldAdd, loop.FoldAdd}, func() []loop.V {
		l, w := f()
		if red == "none" {
			r.Out(0, l)
		}
		return []loop.V{l, w}
	})
	r.Out(j, s[1])
	switch red {
	case "mean":
		r.Out(0, b.Div(s[0], s[1]))
	case "sum":
		r.Out(0, s[0])
	}
}

// rowScale is the incoming gradient of the current row, divided by the total
// weight where the loss was a mean.
func rowScale(b *loop.Builder, c *Call, r Row, grad, total int) loop.V {
	g := r.In(grad)
	if c.Str("reduction") == "mean" {
		g = b.Div(g, b.Cast(r.In(total), b.Type(g)))
	}
	return g
}

func checkReduction(c *Call) {
	switch r := c.Str("reduction"); r {
	case "none", "mean", "sum":
	default:
		Raise(tensor.ValueError, "%s is not a valid value for reduction", r)
	}
}

func init() {
	Register(
		&Def{Sig: "nll_loss(Tensor self, Tensor target, Tensor? weight=None, bool? size_average=None, SymInt ignore_index=-100, bool? reduce=None, str reduction='mean') -> Tensor", Doc: "Negative log likelihood of the target classes.", Bind: NN,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				return g.Ops("_nll_loss", in[0], in[1], in[2], c.Sym("ignore_index"), c.Str("reduction"))[:1]
			}, Samples: classSamples(false)},
		&Def{Sig: "_nll_loss(Tensor self, Tensor target, Tensor? weight, SymInt ignore_index, str reduction) -> (Tensor, Tensor total_weight)", Doc: "nll_loss and the sum of weights.",
			Shape: func(c *Call) []tensor.Meta {
				checkReduction(c)
				checkTarget("nll_loss", c.In[0], c.In[1], c.In[2])
				l, t := classLossOut(c)
				return []tensor.Meta{l, t}
			},
			Rows: classRows(0, 1, 2, func(b *loop.Builder, c *Call, r Row) {
				reduceRows(b, c, r, 1, func() (loop.V, loop.V) {
					t, counts := target(b, c, r, 1)
					x := r.Pick(0, t, counts, targetCheck)
					w := weightOf(b, r, 2, t, counts, b.Type(x))
					return b.Select(counts, b.Neg(b.Mul(w, x)), b.Like(x, 0)), w
				})
			}),
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				if gr[0] == nil {
					return grads{nil, nil, nil}
				}
				return grads{g.Op("_nll_loss_backward", gr[0], in[0], in[1], in[2], out[1], c.Sym("ignore_index"), c.Str("reduction")), nil, nil}
			}, Samples: func() (out []Sample) {
				for _, s := range classSamples(false)() {
					w := Arg{}
					if len(s.Args) > 2 {
						w = s.Args[2]
					}
					out = append(out, Sample{Args: []Arg{s.Args[0], s.Args[1], w, IntArg(C(-100)), Str("mean")}})
				}
				return
			}},
		&Def{Sig: "_nll_loss_backward(Tensor grad, Tensor self, Tensor target, Tensor? weight, Tensor total_weight, SymInt ignore_index, str reduction) -> Tensor", Doc: "Gradient of nll_loss.",
			VJP:   vjpNLLBackward,
			Shape: func(c *Call) []tensor.Meta { return []tensor.Meta{{DType: c.In[1].DType, Size: c.In[1].Size}} },
			Rows: classRows(1, 2, 3, func(b *loop.Builder, c *Call, r Row) {
				r.EachRow(func() {
					t, counts := target(b, c, r, 2)
					typ := loop.TypeOf(c.In[1].DType)
					w := weightOf(b, r, 3, t, counts, typ)
					// a row that does not count has weight 0, but the scale may be 0/0
					k := b.Select(counts, b.Neg(b.Mul(w, b.Cast(rowScale(b, c, r, 0, 4), typ))), b.Const(typ, 0))
					r.Pass(func() { r.Out(0, b.Select(b.Eq(r.Pos(), t), k, b.Const(typ, 0))) })
				})
			})},
		&Def{Sig: "cross_entropy(Tensor self, Tensor target, Tensor? weight=None, bool? size_average=None, SymInt ignore_index=-100, bool? reduce=None, str reduction='mean', float label_smoothing=0.0) -> Tensor",
			Doc: "nll_loss of log_softmax, as one kernel; target holds classes or probabilities.", Bind: NN,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				ls := c.Num("label_smoothing")
				if ls.Less(0) || !ls.AtMost(1) {
					Raise(tensor.RuntimeError, "label_smoothing must be between 0.0 and 1.0. Got: %v", ls.Float64())
				}
				if len(c.In[0].Size) == len(c.In[1].Size) && c.In[1].DType.IsFloat() {
					return grads{soft(g, c, in, ls.Float64())}
				}
				return g.Ops("_cross_entropy", in[0], in[1], in[2], c.Sym("ignore_index"), c.Str("reduction"), !ls.Is(0), ls)[:1]
			}, Samples: classSamples(true)},
		&Def{Sig: "_cross_entropy(Tensor self, Tensor target, Tensor? weight, SymInt ignore_index, str reduction, bool smooth, float label_smoothing) -> (Tensor, Tensor lse, Tensor total_weight)",
			Doc: "cross_entropy over class indices, the log of each row's sum of exp, and the sum of weights.",
			Shape: func(c *Call) []tensor.Meta {
				checkReduction(c)
				checkTarget("cross_entropy", c.In[0], c.In[1], c.In[2])
				l, t := classLossOut(c)
				lse := tensor.Meta{DType: statsDType(c), Size: Drop(c.In[0].Size, []int{classDim(c.In[0].Size)}, false)}
				return []tensor.Meta{l, lse, t}
			},
			Rows: classRows(0, 1, 2, func(b *loop.Builder, c *Call, r Row) {
				smooth := c.Bool("smooth")
				reduceRows(b, c, r, 2, func() (loop.V, loop.V) {
					l := logSumExp(b, r)
					r.Out(1, l)
					t, counts := target(b, c, r, 1)
					zero := b.Like(l, 0)
					x := r.Pick(0, t, counts, targetCheck)
					w := weightOf(b, r, 2, t, counts, b.Type(l))
					loss := b.Mul(w, b.Sub(l, x))
					if smooth {
						e := b.Num("label_smoothing", b.Type(l))
						q := r.Fold(foldAdd, func() []loop.V {
							d := b.Sub(l, r.In(0))
							if r.Has(2) {
								d = b.Mul(d, as(b, r.In(2), d))
							}
							return []loop.V{d}
						})[0]
						n := b.Cast(r.Len(), b.Type(l))
						loss = b.Add(b.Mul(b.Sub(b.Like(l, 1), e), loss), b.Mul(b.Div(e, n), q))
					}
					return b.Select(counts, loss, zero), w
				})
			}),
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				if gr[0] == nil {
					return grads{nil, nil, nil}
				}
				return grads{g.Op("_cross_entropy_backward", gr[0], in[0], in[1], in[2], out[1], out[2], c.Sym("ignore_index"), c.Str("reduction"), c.Bool("smooth"), c.Num("label_smoothing")), nil, nil}
			}, Samples: func() (out []Sample) {
				for _, s := range classSamples(false)() {
					w := Arg{}
					if len(s.Args) > 2 {
						w = s.Args[2]
					}
					out = append(out, Sample{Args: []Arg{s.Args[0], s.Args[1], w, IntArg(C(-100)), Str("mean"), Bool(true), Num(tensor.Float(0.1))}})
				}
				return
			}},
		&Def{Sig: "_cross_entropy_backward(Tensor grad, Tensor self, Tensor target, Tensor? weight, Tensor lse, Tensor total_weight, SymInt ignore_index, str reduction, bool smooth, float label_smoothing) -> Tensor", Doc: "Gradient of cross_entropy.",
			VJP:   vjpCrossEntropyBackward,
			Shape: func(c *Call) []tensor.Meta { return []tensor.Meta{{DType: c.In[1].DType, Size: c.In[1].Size}} },
			Rows: classRows(1, 2, 3, func(b *loop.Builder, c *Call, r Row) {
				r.EachRow(func() {
					t, counts := target(b, c, r, 2)
					l := r.In(4)
					typ := b.Type(l)
					zero, one := b.Const(typ, 0), b.Const(typ, 1)
					w := weightOf(b, r, 3, t, counts, typ)
					k := b.Select(counts, b.Cast(rowScale(b, c, r, 0, 5), typ), zero)
					kw := b.Mul(k, w)
					var e, sumW loop.V
					if c.Bool("smooth") {
						e = b.Num("label_smoothing", typ)
						n := b.Cast(r.Len(), typ)
						sumW = n
						if r.Has(3) {
							sumW = r.Fold(foldAdd, func() []loop.V { return []loop.V{b.Cast(r.In(3), typ)} })[0]
						}
						kw = b.Mul(kw, b.Sub(one, e))
						e = b.Mul(k, b.Div(e, n))
					}
					r.Pass(func() {
						p := b.Exp(b.Sub(b.Cast(r.In(1), typ), l))
						d := b.Mul(kw, b.Sub(p, b.Select(b.Eq(r.Pos(), t), one, zero)))
						if e != 0 {
							wc := one
							if r.Has(3) {
								wc = b.Cast(r.In(3), typ)
							}
							d = b.Add(d, b.Mul(e, b.Sub(b.Mul(p, sumW), wc)))
						}
						r.Out(0, b.Select(counts, d, zero))
					})
				})
			})},
	)
}

// soft is cross_entropy against class probabilities.
func soft(g *G, c *Call, in []Tensor, ls float64) Tensor {
	d := classDim(c.In[0].Size)
	if !equalSizes(c.In[0].Size, c.In[1].Size) {
		Raise(tensor.RuntimeError, "Expected floating point type for target with class probabilities, got %s", c.In[1].DType.ScalarName())
	}
	t := in[1]
	if ls > 0 {
		n := g.Op("_scalar_size", c.In[0].Size[d], 0.0, t.Meta().DType) // 2/C
		t = g.Add(g.Mul(t, 1-ls), g.Mul(n, ls/2))
	}
	l := g.Op("log_softmax", in[0], d)
	if in[2] != nil {
		w := in[2]
		for range len(c.In[0].Size) - d - 1 {
			w = g.Op("unsqueeze", w, -1)
		}
		l = g.Mul(l, w)
	}
	s := g.Neg(g.Mul(l, t))
	switch c.Str("reduction") {
	case "none":
		return g.Op("sum", s, d)
	case "sum":
		return g.Op("sum", s)
	}
	if d == 0 {
		return g.Op("sum", s)
	}
	rows := Drop(c.In[0].Size, []int{d}, false)
	return g.Mul(g.Mul(g.Op("sum", s), g.Op("_scalar_size", sizeProduct(rows), 0.0, s.Meta().DType)), 0.5)
}

// classSamples covers ranks, layouts, weights, ignored rows and reductions.
func classSamples(smoothing bool) func() []Sample {
	return func() (out []Sample) {
		for i, d := range floatTypes[:2] {
			s := uint64(60*i + 1)
			tgt := func(k uint64, l Lay, size ...int64) Arg {
				return T(NewSample(tensor.Int64, l, s+k, integers(0, 5), size...))
			}
			w := NewSample(d, LayContig, s+50, uniform(0.5, 2), 5)
			w.Grad = false
			for k, l := range []Lay{LayContig, LayTrans, LayExpanded, LayOffset} {
				x := T(NewSample(d, l, s+uint64(k), normal(), 4, 5))
				out = append(out, Sample{Args: []Arg{x, tgt(9, LayContig, 4)}},
					Sample{Args: []Arg{x, tgt(10, LayStep, 4), T(w), {}, IntArg(C(2)), {}, Str([]string{"mean", "sum", "none", "mean"}[k])}})
			}
			out = append(out,
				Sample{Args: []Arg{T(NewSample(d, LayContig, s+20, normal(), 2, 5, 3)), tgt(21, LayTrans, 2, 3)}},
				Sample{Args: []Arg{T(NewSample(d, LayContig, s+22, normal(), 5)), tgt(23, LayContig)}},
				Sample{Args: []Arg{T(NewSample(d, LayContig, s+24, normal(), 0, 5)), tgt(25, LayContig, 0), {}, {}, IntArg(C(-100)), {}, Str("sum")}})
			if smoothing {
				out = append(out,
					Sample{Args: []Arg{T(NewSample(d, LayContig, s+30, normal(), 4, 5)), tgt(31, LayContig, 4), T(w), {}, IntArg(C(1)), {}, Str("mean"), Num(tensor.Float(0.2))}},
					Sample{Args: []Arg{T(NewSample(d, LayTrans, s+32, normal(), 4, 5)), tgt(33, LayContig, 4), {}, {}, IntArg(C(-100)), {}, Str("sum"), Num(tensor.Float(0.1))}},
					Sample{Args: []Arg{T(NewSample(d, LayContig, s+34, normal(), 4, 5)), T(NewSample(d, LayContig, s+35, uniform(0, 1), 4, 5))}})
			}
		}
		return out
	}
}
