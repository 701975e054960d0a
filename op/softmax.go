package op

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Softmax and scans: programs over one dimension.

// oneDim is the row dimension named "dim"; a 0-dim tensor has none.
func oneDim(c *Call) []int {
	n := len(c.In[0].Size)
	d := c.Dim("dim", n)
	if n == 0 {
		return nil
	}
	return []int{d}
}

var (
	foldAdd = []loop.FoldOp{loop.FoldAdd}
	foldMax = []loop.FoldOp{loop.FoldMax}
)

// rowMax is the maximum of operand 0 over the row, 0 where all is -inf.
func rowMax(b *loop.Builder, r Row) loop.V {
	return r.Fold(foldMax, func() []loop.V { return []loop.V{r.In(0)} })[0]
}

func withDType(name string) func(g *G, c *Call, in []Tensor) []Tensor {
	return func(g *G, c *Call, in []Tensor) []Tensor {
		x := in[0]
		if d := c.DTypeOr("dtype", x.Meta().DType); d != x.Meta().DType {
			x = g.Cast(x, d)
		}
		if !x.Meta().DType.IsFloat() {
			Raise(tensor.RuntimeError, "\"%s_lastdim_kernel_impl\" not implemented for '%s'", name, x.Meta().DType.ScalarName())
		}
		return g.Ops("_"+name, x, c.Int("dim"))
	}
}

// scan is cumsum or cumprod.
func scan(name, doc string, init float64, step func(b *loop.Builder, acc, x loop.V) loop.V, vjp func(g *G, c *Call, in, out, gr []Tensor) []Tensor) *Def {
	return &Def{Sig: name + "(Tensor self, int dim, *, dtype? dtype=None) -> Tensor", Doc: doc, Bind: Arith, Promote: PromoteInt,
		Shape: func(c *Call) []tensor.Meta {
			c.Dim("dim", len(c.In[0].Size))
			return []tensor.Meta{{DType: c.DType, Size: c.In[0].Size}}
		},
		Rows: &Rows{Dims: oneDim, Serial: true, Run: func(b *loop.Builder, c *Call, r Row) {
			r.EachRow(func() {
				r.Scan([]loop.V{b.Const(loop.TypeOf(c.DType), init)}, func(cur []loop.V) []loop.V {
					v := step(b, cur[0], r.In(0))
					r.Out(0, v)
					return []loop.V{v}
				})
			})
		}},
		VJP:     vjp,
		Samples: samplesReduce(normal(), append(floatTypes, tensor.Int64), true, []Arg{IntArg(C(0))}, []Arg{IntArg(C(-1))})}
}

// runningExtreme is cummax or cummin: values and the index of the last extreme.
func runningExtreme(name, doc string, better func(b *loop.Builder, x, acc loop.V) loop.V) *Def {
	return &Def{Sig: name + "(Tensor self, int dim) -> (Tensor values, Tensor indices)", Doc: doc, Bind: Usual,
		Shape: func(c *Call) []tensor.Meta {
			c.Dim("dim", len(c.In[0].Size))
			return []tensor.Meta{{DType: c.In[0].DType, Size: c.In[0].Size}, {DType: tensor.Int64, Size: c.In[0].Size}}
		},
		Rows: &Rows{Dims: oneDim, Serial: true, Run: func(b *loop.Builder, c *Call, r Row) {
			r.EachRow(func() {
				t := loop.TypeOf(c.In[0].DType)
				if t == loop.B1 {
					t = loop.I32
				}
				r.Scan([]loop.V{b.Const(t, 0), b.ConstI(loop.I64, 0)}, func(cur []loop.V) []loop.V {
					x, pos := foldable(b, r.In(0)), r.Pos()
					take := b.Or(b.Eq(pos, b.ConstI(loop.I64, 0)), b.Or(b.IsNaN(x), better(b, x, cur[0])))
					v, i := b.Select(take, x, cur[0]), b.Select(take, pos, cur[1])
					r.Out(0, v)
					r.Out(1, i)
					return []loop.V{v, i}
				})
			})
		}},
		VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
			if gr[0] == nil {
				return grads{nil}
			}
			if len(c.In[0].Size) == 0 {
				return grads{gr[0]}
			}
			return grads{g.Op("scatter_add", g.Zeros(in[0]), c.Int("dim"), out[1], gr[0])}
		},
		Samples: samplesReduce(Fill{Kind: FillPerm}, []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int64}, false, []Arg{IntArg(C(0))}, []Arg{IntArg(C(-1))})}
}

func init() {
	softSamples := func() []Sample {
		out := samplesReduce(normal(), floatTypes, true, []Arg{IntArg(C(0))}, []Arg{IntArg(C(-1))})()
		return append(out, Sample{Args: []Arg{T(NewSample(tensor.Float32, LayContig, 71, uniform(-60, 60), 2, 40)), IntArg(C(1))}})
	}
	sameShape := func(c *Call) []tensor.Meta {
		c.Dim("dim", len(c.In[0].Size))
		return likeSelf(c)
	}
	pairSamples := func() (out []Sample) {
		for i, d := range floatTypes[:2] {
			s := uint64(20*i + 1)
			out = append(out, Sample{Args: []Arg{T(NewSample(d, LayContig, s, normal(), 3, 4)), T(NewSample(d, LayTrans, s+1, uniform(0.1, 0.9), 3, 4)), IntArg(C(1))}},
				Sample{Args: []Arg{T(NewSample(d, LayExpanded, s+2, normal(), 3, 4)), T(NewSample(d, LayContig, s+3, uniform(0.1, 0.9), 3, 4)), IntArg(C(0))}},
				Sample{Args: []Arg{T(NewSample(d, LayContig, s+4, normal())), T(NewSample(d, LayContig, s+5, uniform(0.1, 0.9))), IntArg(C(0))}})
		}
		return
	}
	Register(
		&Def{Sig: "softmax(Tensor self, int dim, dtype? dtype=None) -> Tensor", Doc: "exp(self) normalised along a dimension.", Bind: Usual | NN | Special, Decomp: withDType("softmax")},
		&Def{Sig: "log_softmax(Tensor self, int dim, dtype? dtype=None) -> Tensor", Doc: "log(softmax(self)).", Bind: Usual | NN | Special, Decomp: withDType("log_softmax")},
		&Def{Sig: "softmin(Tensor self, int dim, dtype? dtype=None) -> Tensor", Doc: "softmax(-self).", Bind: NN,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				return g.Ops("softmax", g.Neg(in[0]), c.Int("dim"), *c.Arg("dtype"))
			}},
		&Def{Sig: "_softmax(Tensor self, int dim) -> Tensor", Doc: "softmax of floats.", Shape: sameShape,
			Rows: &Rows{Dims: oneDim, Run: func(b *loop.Builder, c *Call, r Row) {
				r.EachRow(func() {
					m := rowMax(b, r)
					// full-width outputs hold exp between the passes; narrow ones would round it
					keep := c.In[0].DType == tensor.Float32 || c.In[0].DType == tensor.Float64
					s := r.Fold(foldAdd, func() []loop.V {
						e := b.Exp(b.Sub(r.In(0), m))
						if keep {
							r.Out(0, e)
						}
						return []loop.V{e}
					})[0]
					k := b.Recip(s)
					r.Pass(func() {
						if keep {
							r.Out(0, b.Mul(r.Back(0), k))
						} else {
							r.Out(0, b.Mul(b.Exp(b.Sub(r.In(0), m)), k))
						}
					})
				})
			}},
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				return grads{g.Op("_softmax_backward_data", gr[0], out[0], c.Int("dim"))}
			}, Samples: softSamples},
		&Def{Sig: "_softmax_backward_data(Tensor grad, Tensor output, int dim) -> Tensor", Doc: "output * (grad - sum(grad * output)).", Shape: likeSelf,
			Rows: &Rows{Dims: oneDim, Run: func(b *loop.Builder, c *Call, r Row) {
				r.EachRow(func() {
					s := r.Fold(foldAdd, func() []loop.V { return []loop.V{b.Mul(r.In(0), r.In(1))} })[0]
					r.Pass(func() { r.Out(0, b.Mul(r.In(1), b.Sub(r.In(0), s))) })
				})
			}},
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				d, h := []int{c.Int("dim")}, gr[0]
				gd, y := in[0], in[1]
				sum := func(t Tensor) Tensor { return g.Op("sum", t, d, true) }
				return grads{
					when(c, 0, func() Tensor { return g.Op("_softmax_backward_data", h, y, c.Int("dim")) }),
					when(c, 1, func() Tensor {
						return g.Sub(g.Mul(h, g.Sub(gd, sum(g.Mul(gd, y)))), g.Mul(gd, sum(g.Mul(h, y))))
					})}
			}, Samples: pairSamples},
		&Def{Sig: "_log_softmax(Tensor self, int dim) -> Tensor", Doc: "log_softmax of floats.", Shape: sameShape,
			Rows: &Rows{Dims: oneDim, Run: func(b *loop.Builder, c *Call, r Row) {
				r.EachRow(func() {
					m := rowMax(b, r)
					s := r.Fold(foldAdd, func() []loop.V { return []loop.V{b.Exp(b.Sub(r.In(0), m))} })[0]
					l := b.Log(s)
					r.Pass(func() { r.Out(0, b.Sub(b.Sub(r.In(0), m), l)) })
				})
			}},
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				return grads{g.Op("_log_softmax_backward_data", gr[0], out[0], c.Int("dim"))}
			}, Samples: softSamples},
		&Def{Sig: "_log_softmax_backward_data(Tensor grad, Tensor output, int dim) -> Tensor", Doc: "grad - exp(output) * sum(grad).", Shape: likeSelf,
			Rows: &Rows{Dims: oneDim, Run: func(b *loop.Builder, c *Call, r Row) {
				r.EachRow(func() {
					s := r.Fold(foldAdd, func() []loop.V { return []loop.V{r.In(0)} })[0]
					r.Pass(func() { r.Out(0, b.Sub(r.In(0), b.Mul(b.Exp(r.In(1)), s))) })
				})
			}},
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				d, h := []int{c.Int("dim")}, gr[0]
				p := g.Op("exp", in[1])
				return grads{
					when(c, 0, func() Tensor { return g.Sub(h, g.Op("sum", g.Mul(h, p), d, true)) }),
					when(c, 1, func() Tensor { return g.Neg(g.Mul(g.Mul(h, p), g.Op("sum", in[0], d, true))) })}
			}, Samples: pairSamples},

		scan("cumsum", "Running sum along a dimension.", 0, func(b *loop.Builder, acc, x loop.V) loop.V { return b.Add(acc, x) },
			func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				if len(c.In[0].Size) == 0 {
					return grads{gr[0]}
				}
				d := []int{c.Int("dim")}
				return grads{g.Op("flip", g.Op("cumsum", g.Op("flip", gr[0], d), c.Int("dim")), d)}
			}),
		scan("cumprod", "Running product along a dimension.", 1, func(b *loop.Builder, acc, x loop.V) loop.V { return b.Mul(acc, x) },
			func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				if len(c.In[0].Size) == 0 {
					return grads{gr[0]}
				}
				return grads{g.Op("_cumprod_backward", gr[0], in[0], out[0], c.Dim("dim", len(c.In[0].Size)))}
			}),
		&Def{Sig: "_cumprod_backward(Tensor grad, Tensor self, Tensor output, int dim) -> Tensor", Doc: "Gradient of cumprod: sum over j >= i of grad[j] * output[j] / self[i], without the division where self is 0.",
			NoGrad: "second derivatives of cumprod are not implemented", Unwritten: true,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				d := c.Int("dim")
				rev := func(t Tensor) Tensor {
					return g.Op("flip", g.Op("cumsum", g.Op("flip", t, []int{d}), d), []int{d})
				}
				zero := g.Op("eq", in[1], 0)
				plain := g.Div(rev(g.Mul(in[0], in[2])), in[1])
				// at the first zero: products up to it without it, then on with it left out
				first := g.Op("logical_and", zero, g.Op("eq", g.Op("cumsum", zero, d), 1))
				seen := g.Op("cumsum", zero, d)
				skip := g.Op("cumprod", g.Op("masked_fill", in[1], first, 1.0), d)
				at := rev(g.Mul(in[0], g.Op("where", g.Op("eq", seen, 0), 0.0, skip)))
				r := g.Op("where", g.Op("eq", seen, 0), g.Op("where", zero, 0.0, plain), 0.0)
				return grads{g.Op("where", first, at, r)}
			}},
		runningExtreme("cummax", "Running maximum along a dimension.", func(b *loop.Builder, x, acc loop.V) loop.V { return b.Ge(x, acc) }),
		runningExtreme("cummin", "Running minimum along a dimension.", func(b *loop.Builder, x, acc loop.V) loop.V { return b.Le(x, acc) }),
	)
}
