package op

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Losses. Elementwise ones are a Body and a reduction; cross_entropy and
// nll_loss are one Rows program each, forward and backward.

// reduction applies the 'reduction' argument to elementwise losses.
func reduction(g *G, c *Call, l Tensor) Tensor {
	switch r := c.Str("reduction"); r {
	case "none":
		return l
	case "mean":
		return g.Op("mean", l)
	case "sum":
		return g.Op("sum", l)
	default:
		Raise(tensor.ValueError, "%s is not a valid value for reduction", r)
	}
	return nil
}

const reductionParams = ", bool? size_average=None, bool? reduce=None, str reduction='mean'"

// lossSamples covers layouts and reductions; rest are arguments after target.
func lossSamples(a, t Fill, rest ...Arg) func() []Sample {
	return func() (out []Sample) {
		for i, d := range floatTypes[:2] {
			s := uint64(40*i + 1)
			for j, red := range []string{"mean", "sum", "none"} {
				for k, l := range []Lay{LayContig, LayTrans, LayExpanded} {
					q := s + uint64(6*j+2*k)
					args := append([]Arg{T(NewSample(d, l, q, a, 3, 4)), T(NewSample(d, LayContig, q+1, t, 3, 4))}, rest...)
					out = append(out, Sample{Args: append(args, Arg{}, Arg{}, Str(red))})
				}
			}
			out = append(out, Sample{Args: append(append([]Arg{T(NewSample(d, LayContig, s+30, a)), T(NewSample(d, LayContig, s+31, t))}, rest...), Arg{}, Arg{}, Str("mean"))})
		}
		return out
	}
}

// pairLoss is an elementwise loss with a fused gradient. extra is the text of
// further parameters; slope gives d loss / d self.
// bend gives its second derivative, from self - target, as ops; nil: it is 0.
func pairLoss(name, extra, doc string, f, slope func(b *loop.Builder, x, t loop.V) loop.V, bend func(g *G, c *Call, d Tensor) any, samples func() []Sample) []*Def {
	names := paramNames(extra)
	rest := func(c *Call, a []any) []any {
		for _, n := range names {
			a = append(a, *c.Arg(n))
		}
		return a
	}
	params := ", Tensor target" + reductionParams + extra
	fill := make([]Arg, len(names))
	for i := range fill {
		fill[i] = Num(tensor.Float(0.7))
	}
	return []*Def{
		{Sig: name + "(Tensor self" + params + ") -> Tensor", Doc: doc, Bind: NN, Samples: samples,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				return grads{reduction(g, c, g.Op("_"+name, rest(c, []any{in[0], in[1]})...))}
			}},
		{Sig: "_" + name + "(Tensor self, Tensor target" + extra + ") -> Tensor", Doc: doc + " Elementwise.", Promote: PromoteArith,
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V { return f(b, x[0], x[1]) },
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				d := g.Op("_"+name+"_backward", rest(c, []any{gr[0], in[0], in[1]})...)
				return grads{d, when(c, 1, func() Tensor { return g.Neg(d) })}
			}, Samples: samplesPair(normal(), normal(), fill...)},
		{Sig: "_" + name + "_backward(Tensor grad, Tensor self, Tensor target" + extra + ") -> Tensor", Doc: "Gradient of " + name + " for self.", Promote: PromoteArith,
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				r := grads{when(c, 0, func() Tensor { return g.Op("_"+name+"_backward", rest(c, []any{gr[0], in[1], in[2]})...) }), nil, nil}
				if bend != nil && (c.NeedsGrad(1) || c.NeedsGrad(2)) {
					d := g.Mul(g.Mul(gr[0], in[0]), bend(g, c, g.Sub(in[1], in[2])))
					r[1], r[2] = d, when(c, 2, func() Tensor { return g.Neg(d) })
				}
				return r
			},
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V { return b.Mul(x[0], slope(b, x[1], x[2])) },
			Samples: func() []Sample {
				f := func(s uint64) Arg { return T(NewSample(tensor.Float64, LayContig, s, normal(), 3, 4)) }
				return []Sample{{Args: append([]Arg{f(1), f(2), f(3)}, fill...)}}
			}},
	}
}

func initPairLosses() {
	num := func(b *loop.Builder, x loop.V, n string) loop.V { return b.Num(n, b.Type(x)) }
	huberSamples := func() []Sample {
		return []Sample{{Args: []Arg{T(NewSample(tensor.Float64, LayContig, 1, normal(), 3, 4)), T(NewSample(tensor.Float64, LayTrans, 2, normal(), 3, 4)), {}, {}, Str("mean"), Num(tensor.Float(0.7))}},
			{Args: []Arg{T(NewSample(tensor.Float32, LayContig, 1, normal(), 3, 4)), T(NewSample(tensor.Float32, LayContig, 2, normal(), 3, 4)), {}, {}, Str("none"), Num(tensor.Float(1))}},
			{Args: []Arg{T(NewSample(tensor.Float32, LayStep, 1, normal(), 5)), T(NewSample(tensor.Float32, LayContig, 2, normal(), 5)), {}, {}, Str("sum"), Num(tensor.Float(1))}}}
	}
	Register(pairLoss("mse_loss", "", "Squared difference.",
		func(b *loop.Builder, x, t loop.V) loop.V { return b.Square(b.Sub(x, t)) },
		func(b *loop.Builder, x, t loop.V) loop.V { return b.Mul(b.Like(x, 2), b.Sub(x, t)) },
		func(g *G, c *Call, d Tensor) any { return 2.0 }, lossSamples(normal(), normal()))...)
	Register(pairLoss("l1_loss", "", "Absolute difference.",
		func(b *loop.Builder, x, t loop.V) loop.V { return b.Abs(b.Sub(x, t)) },
		func(b *loop.Builder, x, t loop.V) loop.V { return signV(b, b.Sub(x, t)) }, nil, lossSamples(normal(), normal()))...)
	Register(pairLoss("smooth_l1_loss", ", float beta=1.0", "Squared below beta, absolute above.",
		func(b *loop.Builder, x, t loop.V) loop.V {
			d, be, half := b.Abs(b.Sub(x, t)), num(b, x, "beta"), b.Like(x, 0.5)
			return b.Select(b.Lt(d, be), b.Div(b.Mul(half, b.Mul(d, d)), be), b.Sub(d, b.Mul(half, be)))
		},
		func(b *loop.Builder, x, t loop.V) loop.V {
			d, be := b.Sub(x, t), num(b, x, "beta")
			return b.Select(b.Lt(b.Abs(d), be), b.Div(d, be), signV(b, d))
		},
		func(g *G, c *Call, d Tensor) any {
			be := c.Num("beta")
			return g.Div(g.Cast(g.Op("lt", g.Op("abs", d), be), d.Meta().DType), be)
		}, huberSamples)...)
	Register(pairLoss("huber_loss", ", float delta=1.0", "Squared below delta, linear above.",
		func(b *loop.Builder, x, t loop.V) loop.V {
			d, de, half := b.Abs(b.Sub(x, t)), num(b, x, "delta"), b.Like(x, 0.5)
			return b.Select(b.Le(d, de), b.Mul(half, b.Mul(d, d)), b.Mul(de, b.Sub(d, b.Mul(half, de))))
		},
		func(b *loop.Builder, x, t loop.V) loop.V {
			d, de := b.Sub(x, t), num(b, x, "delta")
			return b.Select(b.Le(b.Abs(d), de), d, b.Mul(de, signV(b, d)))
		},
		func(g *G, c *Call, d Tensor) any {
			return g.Cast(g.Op("le", g.Op("abs", d), c.Num("delta")), d.Meta().DType)
		}, huberSamples)...)
}

func init() {
	initPairLosses()
	Register(
		&Def{Sig: "binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None" + reductionParams + ") -> Tensor", Doc: "-(t log p + (1 - t) log(1 - p)).", Bind: NN,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				if !equalSizes(c.In[0].Size, c.In[1].Size) {
					Raise(tensor.ValueError, "Using a target size (torch.Size(%s)) that is different to the input size (torch.Size(%s)) is deprecated. Please ensure they have the same size.", ShapeText(c.In[1].Size), ShapeText(c.In[0].Size))
				}
				l := g.Op("_bce", in[0], in[1])
				if in[2] != nil {
					l = g.Mul(l, in[2])
				}
				return grads{reduction(g, c, l)}
			}, Samples: lossSamples(uniform(0.05, 0.95), uniform(0, 1), Arg{})},
		&Def{Sig: "_bce(Tensor self, Tensor target) -> Tensor", Doc: "Elementwise binary cross entropy; logarithms are at least -100.", Promote: PromoteArith,
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
				p, t := x[0], x[1]
				zero, one, low := b.Like(p, 0), b.Like(p, 1), b.Like(p, -100)
				b.Assert(b.And(b.Ge(p, zero), b.Le(p, one)), p, 0, loop.Check{Kind: tensor.RuntimeError, Msg: "all elements of input should be between 0 and 1"})
				return b.Sub(b.Mul(b.Sub(t, one), b.Max(b.Log1p(b.Neg(p)), low)), b.Mul(t, b.Max(b.Log(p), low)))
			},
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				return grads{
					when(c, 0, func() Tensor { return g.Op("_bce_backward", gr[0], in[0], in[1]) }),
					when(c, 1, func() Tensor { return g.Mul(gr[0], g.Sub(g.Op("log1p", g.Neg(in[0])), g.Op("log", in[0]))) })}
			}, Samples: samplesBinary(uniform(0.05, 0.95), uniform(0, 1), floatTypes[:2], false)},
		&Def{Sig: "_bce_backward(Tensor grad, Tensor self, Tensor target) -> Tensor", Doc: "Gradient of binary_cross_entropy for self.", Promote: PromoteArith,
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				p, h := in[1], gr[0]
				q := g.Op("clamp_min", g.Mul(p, g.Op("rsub", p, 1)), 1e-12)
				return grads{
					when(c, 0, func() Tensor { return g.Op("_bce_backward", h, p, in[2]) }),
					when(c, 1, func() Tensor {
						bend := g.Div(g.Mul(g.Sub(p, in[2]), g.Sub(g.Mul(p, 2.0), 1.0)), q)
						return g.Mul(g.Mul(h, in[0]), g.Div(g.Add(bend, 1.0), q))
					}),
					when(c, 2, func() Tensor { return g.Neg(g.Div(g.Mul(h, in[0]), q)) })}
			},
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
				p, one := x[1], b.Like(x[1], 1)
				return b.Div(b.Mul(x[0], b.Sub(p, x[2])), b.Max(b.Mul(b.Sub(one, p), p), b.Like(p, 1e-12)))
			}, Samples: func() []Sample {
				return []Sample{{Args: []Arg{T(NewSample(tensor.Float64, LayContig, 1, normal(), 3, 4)), T(NewSample(tensor.Float64, LayContig, 2, uniform(0.05, 0.95), 3, 4)), T(NewSample(tensor.Float64, LayContig, 3, uniform(0, 1), 3, 4))}}}
			}},
		&Def{Sig: "binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, bool? size_average=None, bool? reduce=None, str reduction='mean', Tensor? pos_weight=None) -> Tensor", Doc: "binary_cross_entropy of sigmoid(self), without overflow.", Bind: NN | Fn,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				if !equalSizes(c.In[0].Size, c.In[1].Size) {
					Raise(tensor.ValueError, "Target size (torch.Size(%s)) must be the same as input size (torch.Size(%s))", ShapeText(c.In[1].Size), ShapeText(c.In[0].Size))
				}
				l := g.Op("_bce_with_logits", in[0], in[1], in[3])
				if in[2] != nil {
					l = g.Mul(l, in[2])
				}
				return grads{reduction(g, c, l)}
			}, Samples: lossSamples(normal(), uniform(0, 1), Arg{})},
		&Def{Sig: "_bce_with_logits(Tensor self, Tensor target, Tensor? pos_weight=None) -> Tensor", Doc: "Elementwise binary_cross_entropy_with_logits.", Promote: PromoteArith,
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
				v, t := x[0], x[1]
				zero, one := b.Like(v, 0), b.Like(v, 1)
				soft := b.Add(b.Log1p(b.Exp(b.Neg(b.Abs(v)))), b.Max(b.Neg(v), zero))
				if x[2] != 0 {
					soft = b.Mul(soft, b.Add(one, b.Mul(b.Sub(x[2], one), t)))
				}
				return b.Add(b.Mul(b.Sub(one, t), v), soft)
			},
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				return grads{
					when(c, 0, func() Tensor { return g.Op("_bce_with_logits_backward", gr[0], in[0], in[1], in[2]) }),
					when(c, 1, func() Tensor {
						ls := g.Op("log_sigmoid", g.Neg(in[0]))
						lp := g.Op("log_sigmoid", in[0])
						if in[2] != nil {
							lp = g.Mul(lp, in[2])
						}
						return g.Mul(gr[0], g.Sub(ls, lp))
					}),
					when(c, 2, func() Tensor { return g.Neg(g.Mul(g.Mul(gr[0], in[1]), g.Op("log_sigmoid", in[0]))) })}
			}, Samples: func() []Sample {
				l := samplesBinary(normal(), uniform(0, 1), floatTypes[:2], false)()
				return append(l, Sample{Args: []Arg{T(NewSample(tensor.Float64, LayContig, 1, normal(), 3, 4)), T(NewSample(tensor.Float64, LayContig, 2, uniform(0, 1), 3, 4)), T(NewSample(tensor.Float64, LayContig, 3, uniform(0.5, 2), 4))}})
			}},
		&Def{Sig: "_bce_with_logits_backward(Tensor grad, Tensor self, Tensor target, Tensor? pos_weight=None) -> Tensor", Doc: "Gradient of binary_cross_entropy_with_logits for self.", Promote: PromoteArith,
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				h, t, pw := gr[0], in[2], in[3]
				hg, s := g.Mul(h, in[0]), g.Op("sigmoid", in[1])
				return grads{
					when(c, 0, func() Tensor { return g.Op("_bce_with_logits_backward", h, in[1], t, pw) }),
					when(c, 1, func() Tensor {
						d := g.Mul(hg, g.Mul(s, g.Op("rsub", s, 1)))
						if pw != nil {
							d = g.Mul(d, g.Add(g.Mul(t, g.Sub(pw, 1.0)), 1.0))
						}
						return d
					}),
					when(c, 2, func() Tensor {
						if pw == nil {
							return g.Neg(hg)
						}
						return g.Mul(hg, g.Sub(g.Mul(g.Sub(pw, 1.0), s), pw))
					}),
					when(c, 3, func() Tensor { return g.Mul(hg, g.Mul(t, g.Sub(s, 1.0))) })}
			},
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
				s, t, one := sigmoidV(b, x[1]), x[2], b.Like(x[1], 1)
				if x[3] == 0 {
					return b.Mul(x[0], b.Sub(s, t))
				}
				pt := b.Mul(x[3], t)
				return b.Mul(x[0], b.Sub(b.Mul(b.Sub(b.Add(pt, one), t), s), pt))
			}, Samples: func() []Sample {
				f := func(s uint64) Arg { return T(NewSample(tensor.Float64, LayContig, s, normal(), 3, 4)) }
				return []Sample{{Args: []Arg{f(1), f(2), T(NewSample(tensor.Float64, LayContig, 3, uniform(0, 1), 3, 4))}}}
			}},
		&Def{Sig: "kl_div(Tensor self, Tensor target" + reductionParams + ", bool log_target=False) -> Tensor", Doc: "target * (log(target) - self).", Bind: NN,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				l := g.Op("_kl_div", in[0], in[1], c.Bool("log_target"))
				if c.Str("reduction") == "batchmean" {
					s := g.Op("sum", l)
					if len(c.In[0].Size) == 0 {
						return grads{s}
					}
					return grads{g.Mul(g.Mul(s, g.Op("_scalar_size", c.In[0].Size[0], 0.0, s.Meta().DType)), 0.5)}
				}
				return grads{reduction(g, c, l)}
			}, Samples: func() []Sample {
				x, t := T(NewSample(tensor.Float64, LayContig, 1, normal(), 3, 4)), T(NewSample(tensor.Float64, LayTrans, 2, uniform(0.1, 1), 3, 4))
				return []Sample{{Args: []Arg{x, t}}, {Args: []Arg{x, t, {}, {}, Str("batchmean")}}, {Args: []Arg{x, t, {}, {}, Str("none"), Bool(true)}}, {Args: []Arg{x, t, {}, {}, Str("sum")}}}
			}},
		&Def{Sig: "_kl_div(Tensor self, Tensor target, bool log_target) -> Tensor", Doc: "Elementwise kl_div; 0 where target is 0.", Promote: PromoteArith,
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
				if c.Bool("log_target") {
					return b.Mul(b.Exp(x[1]), b.Sub(x[1], x[0]))
				}
				zero := b.Like(x[0], 0)
				return b.Select(b.Gt(x[1], zero), b.Mul(x[1], b.Sub(b.Log(x[1]), x[0])), zero)
			},
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				t := in[1]
				if c.Bool("log_target") {
					t = g.Op("exp", t)
				}
				return grads{
					when(c, 0, func() Tensor { return g.Neg(g.Mul(gr[0], t)) }),
					when(c, 1, func() Tensor {
						if c.Bool("log_target") {
							return g.Mul(gr[0], g.Mul(t, g.Sub(g.Add(in[1], 1), in[0])))
						}
						return g.Mul(gr[0], g.Op("where", g.Op("gt", t, 0), g.Sub(g.Add(g.Op("log", t), 1), in[0]), 0.0))
					})}
			}, Samples: samplesPair(normal(), uniform(0.1, 1), Bool(false))},
	)
}
