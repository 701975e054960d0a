package op

import (
	"math"
	"strings"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Activations. Their gradients are Defs of one Body (grad, x or y -> grad), so
// that backward is one kernel as forward is.

type bodyFn = func(b *loop.Builder, x loop.V, c *Call) loop.V

// activation makes the Defs of a function and its gradient. rest is the text of
// the parameters after self. slope gives d out / d x from v, which is the input,
// or the output where fromOut is set.
func activation(name, rest, doc string, bind Bind, fromOut bool, f, slope, curve bodyFn, fill Fill, more ...Arg) []*Def {
	back := "_" + name + "_backward"
	names := paramNames(rest)
	fwd := &Def{Sig: name + "(Tensor self" + rest + ") -> Tensor", Doc: doc, Bind: bind, Promote: PromoteFloat,
		Shape: func(c *Call) []tensor.Meta {
			if !c.In[0].DType.IsFloat() && bind&Arith == 0 { // those of Arith take integers, as other functions of torch do
				Raise(tensor.RuntimeError, "\"%s_cpu\" not implemented for '%s'", name, c.In[0].DType.ScalarName())
			}
			return []tensor.Meta{{Size: c.In[0].Size}}
		},
		Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V { return f(b, x[0], c) },
		VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
			v := in[0]
			if fromOut {
				v = out[0]
			}
			args := []any{gr[0], v}
			for _, n := range names {
				args = append(args, *c.Arg(n))
			}
			return grads{g.Op(back, args...)}
		},
		Samples: samplesUnary(fill, floatTypes, more...)}
	again := func(g *G, c *Call, op string, grad, self Tensor) Tensor {
		args := []any{grad, self}
		for _, n := range names {
			args = append(args, *c.Arg(n))
		}
		return g.Op(op, args...)
	}
	bwd := &Def{Sig: back + "(Tensor grad, Tensor self" + rest + ") -> Tensor", Doc: "Gradient of " + name + ".", Promote: PromoteArith,
		Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V { return b.Mul(x[0], slope(b, x[1], c)) },
		VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
			return grads{
				when(c, 0, func() Tensor { return again(g, c, back, gr[0], in[1]) }),
				when(c, 1, func() Tensor {
					if curve == nil {
						return nil
					}
					return again(g, c, back+"2", g.Mul(gr[0], in[0]), in[1])
				})}
		},
		Samples: samplesPair(normal(), fill, more...)}
	if curve == nil {
		return []*Def{fwd, bwd}
	}
	return []*Def{fwd, bwd, {Sig: back + "2(Tensor grad, Tensor self" + rest + ") -> Tensor", Doc: "grad times the second derivative of " + name + ".", Promote: PromoteArith,
		NoGrad: "third derivatives of " + name + " are not implemented", Unwritten: true,
		Body:    func(b *loop.Builder, x []loop.V, c *Call) loop.V { return b.Mul(x[0], curve(b, x[1], c)) },
		Samples: samplesPair(normal(), fill, more...)}}
}

// samplesPair is samplesBinary on floats with further arguments.
func samplesPair(a, f Fill, more ...Arg) func() []Sample {
	return func() []Sample {
		l := samplesBinary(a, f, floatTypes[:2], false)()
		for i := range l {
			l[i].Args = append(l[i].Args, more...)
		}
		return l
	}
}

// paramNames lists the names in ", float alpha=1.0, str mode='x'".
func paramNames(rest string) (out []string) {
	for _, f := range splitTop(rest) {
		f, _, _ = strings.Cut(strings.TrimSpace(f), "=")
		if _, n, ok := strings.Cut(f, " "); ok {
			out = append(out, n)
		}
	}
	return out
}

func sigmoidV(b *loop.Builder, x loop.V) loop.V {
	one := b.Like(x, 1)
	return b.Div(one, b.Add(one, b.Exp(b.Neg(x))))
}

// geluTanh is the inner u of gelu's tanh form: sqrt(2/pi) (x + 0.044715 x³).
func geluTanh(b *loop.Builder, x loop.V) loop.V {
	return b.Mul(b.Like(x, math.Sqrt(2/math.Pi)), b.FMA(b.Mul(b.Mul(b.Like(x, 0.044715), b.Mul(x, x)), x), b.Like(x, 1), x))
}

func tanhForm(c *Call) bool {
	switch a := c.Str("approximate"); a {
	case "none":
		return false
	case "tanh":
		return true
	default:
		Raise(tensor.RuntimeError, "approximate argument must be either none or tanh.")
	}
	return false
}

// reluSlope is 1 where v > 0, else low.
func stepV(b *loop.Builder, v, low loop.V) loop.V {
	return b.Select(b.Gt(v, b.Like(v, 0)), b.Like(v, 1), low)
}

func init() {
	num := func(b *loop.Builder, x loop.V, name string) loop.V { return b.Num(name, b.Type(x)) }
	logSigmoid := activation("log_sigmoid", "", "log(sigmoid(self)).", NN, false,
		func(b *loop.Builder, x loop.V, c *Call) loop.V {
			return b.Sub(b.Min(x, b.Like(x, 0)), b.Log1p(b.Exp(b.Neg(b.Abs(x)))))
		},
		func(b *loop.Builder, x loop.V, c *Call) loop.V { return sigmoidV(b, b.Neg(x)) },
		func(b *loop.Builder, x loop.V, c *Call) loop.V {
			s := sigmoidV(b, x)
			return b.Mul(s, b.Sub(s, b.Like(x, 1)))
		}, normal())
	logSigmoid[0].Aliases = []string{"logsigmoid"}
	logSigmoid[0].Layout = LayoutContiguous
	for _, l := range [][]*Def{
		logSigmoid,
		activation("sigmoid", "", "1 / (1 + exp(-self)).", Arith|NN, true,
			func(b *loop.Builder, x loop.V, c *Call) loop.V { return sigmoidV(b, x) },
			func(b *loop.Builder, y loop.V, c *Call) loop.V { return b.Mul(y, b.Sub(b.Like(y, 1), y)) },
			func(b *loop.Builder, y loop.V, c *Call) loop.V { return b.Sub(b.Like(y, 1), b.Add(y, y)) }, normal()),
		activation("tanh", "", "Hyperbolic tangent.", Arith|NN, true,
			func(b *loop.Builder, x loop.V, c *Call) loop.V { return b.Tanh(x) },
			func(b *loop.Builder, y loop.V, c *Call) loop.V { return b.Sub(b.Like(y, 1), b.Mul(y, y)) },
			func(b *loop.Builder, y loop.V, c *Call) loop.V { return b.Mul(b.Like(y, -2), y) }, normal()),
		activation("gelu", ", *, str approximate='none'", "x Φ(x), or its approximation by tanh.", NN, false,
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				half, one := b.Like(x, 0.5), b.Like(x, 1)
				if tanhForm(c) {
					return b.Mul(b.Mul(half, x), b.Add(one, b.Tanh(geluTanh(b, x))))
				}
				return b.Gelu(x)
			},
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				half, one := b.Like(x, 0.5), b.Like(x, 1)
				if tanhForm(c) {
					t := b.Tanh(geluTanh(b, x))
					du := b.Mul(b.Like(x, math.Sqrt(2/math.Pi)), b.FMA(b.Like(x, 3*0.044715), b.Mul(x, x), one))
					return b.Add(b.Mul(half, b.Add(one, t)), b.Mul(b.Mul(half, x), b.Mul(b.Sub(one, b.Mul(t, t)), du)))
				}
				cdf := b.Mul(half, b.Add(one, b.Erf(b.Mul(x, b.Like(x, math.Sqrt2/2)))))
				pdf := b.Mul(b.Like(x, 1/math.Sqrt(2*math.Pi)), b.Exp(b.Mul(b.Like(x, -0.5), b.Mul(x, x))))
				return b.Add(cdf, b.Mul(x, pdf))
			},
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				one, two := b.Like(x, 1), b.Like(x, 2)
				if tanhForm(c) {
					t, r := b.Tanh(geluTanh(b, x)), math.Sqrt(2/math.Pi)
					du := b.Mul(b.Like(x, r), b.FMA(b.Like(x, 3*0.044715), b.Mul(x, x), one))
					d2u := b.Mul(b.Like(x, 6*0.044715*r), x)
					bend := b.Sub(b.Mul(b.Like(x, 0.5), d2u), b.Mul(t, b.Mul(du, du)))
					return b.Mul(b.Sub(one, b.Mul(t, t)), b.Add(du, b.Mul(x, bend)))
				}
				pdf := b.Mul(b.Like(x, 1/math.Sqrt(2*math.Pi)), b.Exp(b.Mul(b.Like(x, -0.5), b.Mul(x, x))))
				return b.Mul(pdf, b.Sub(two, b.Mul(x, x)))
			}, normal()),
		activation("silu", "", "self * sigmoid(self).", NN, false,
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				return b.Div(x, b.Add(b.Like(x, 1), b.Exp(b.Neg(x))))
			},
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				s, one := sigmoidV(b, x), b.Like(x, 1)
				return b.Mul(s, b.Add(one, b.Mul(x, b.Sub(one, s))))
			},
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				s, one := sigmoidV(b, x), b.Like(x, 1)
				return b.Mul(b.Mul(s, b.Sub(one, s)), b.Add(b.Like(x, 2), b.Mul(x, b.Sub(one, b.Add(s, s)))))
			}, normal()),
		activation("leaky_relu", ", float negative_slope=0.01", "self, scaled by negative_slope below 0.", NN, false,
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				return b.Select(b.Gt(x, b.Like(x, 0)), x, b.Mul(x, num(b, x, "negative_slope")))
			},
			func(b *loop.Builder, x loop.V, c *Call) loop.V { return stepV(b, x, num(b, x, "negative_slope")) },
			nil, normal(), Num(tensor.Float(0.2))),
		activation("elu", ", float alpha=1.0, float scale=1.0, float input_scale=1.0", "self above 0, else alpha (exp(self) - 1).", NN, false,
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				a, s, i := num(b, x, "alpha"), num(b, x, "scale"), num(b, x, "input_scale")
				return b.Mul(s, b.Select(b.Gt(x, b.Like(x, 0)), x, b.Mul(a, b.Expm1(b.Mul(x, i)))))
			},
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				a, s, i := num(b, x, "alpha"), num(b, x, "scale"), num(b, x, "input_scale")
				return b.Mul(s, b.Select(b.Gt(x, b.Like(x, 0)), b.Like(x, 1), b.Mul(b.Mul(a, i), b.Exp(b.Mul(x, i)))))
			},
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				a, s, i := num(b, x, "alpha"), num(b, x, "scale"), num(b, x, "input_scale")
				return b.Mul(s, b.Select(b.Gt(x, b.Like(x, 0)), b.Like(x, 0), b.Mul(b.Mul(a, b.Mul(i, i)), b.Exp(b.Mul(x, i)))))
			}, normal(), Num(tensor.Float(0.7)), Num(tensor.Float(1.0)), Num(tensor.Float(1.0))),
		activation("softplus", ", float beta=1.0, float threshold=20.0", "log(1 + exp(beta self)) / beta, linear above threshold.", NN, false,
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				be := num(b, x, "beta")
				z := b.Mul(x, be)
				return b.Select(b.Gt(z, num(b, x, "threshold")), x, b.Div(b.Log1p(b.Exp(z)), be))
			},
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				z := b.Mul(x, num(b, x, "beta"))
				return b.Select(b.Gt(z, num(b, x, "threshold")), b.Like(x, 1), sigmoidV(b, z))
			},
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				be := num(b, x, "beta")
				z := b.Mul(x, be)
				s := sigmoidV(b, z)
				return b.Select(b.Gt(z, num(b, x, "threshold")), b.Like(x, 0), b.Mul(be, b.Mul(s, b.Sub(b.Like(x, 1), s))))
			}, normal(), Num(tensor.Float(1.5)), Num(tensor.Float(2))),
		activation("hardtanh", ", float min_val=-1.0, float max_val=1.0", "self limited to min_val … max_val.", NN, false,
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				return b.Min(b.Max(x, num(b, x, "min_val")), num(b, x, "max_val"))
			},
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				in := b.And(b.Gt(x, num(b, x, "min_val")), b.Lt(x, num(b, x, "max_val")))
				return b.Select(in, b.Like(x, 1), b.Like(x, 0))
			},
			nil, normal(), Num(tensor.Float(-0.5)), Num(tensor.Float(0.75))),
		activation("hardsigmoid", "", "clamp(self + 3, 0, 6) / 6.", NN, false,
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				return b.Div(b.Min(b.Max(b.Add(x, b.Like(x, 3)), b.Like(x, 0)), b.Like(x, 6)), b.Like(x, 6))
			},
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				in := b.And(b.Gt(x, b.Like(x, -3)), b.Lt(x, b.Like(x, 3)))
				return b.Select(in, b.Like(x, 1.0/6), b.Like(x, 0))
			},
			nil, uniform(-5, 5)),
		activation("hardswish", "", "self * clamp(self + 3, 0, 6) / 6.", NN, false,
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				return b.Div(b.Mul(x, b.Min(b.Max(b.Add(x, b.Like(x, 3)), b.Like(x, 0)), b.Like(x, 6))), b.Like(x, 6))
			},
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				mid := b.Add(b.Div(x, b.Like(x, 3)), b.Like(x, 0.5))
				return b.Select(b.Lt(x, b.Like(x, -3)), b.Like(x, 0), b.Select(b.Le(x, b.Like(x, 3)), mid, b.Like(x, 1)))
			},
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				return b.Select(b.Le(b.Abs(x), b.Like(x, 3)), b.Like(x, 1.0/3), b.Like(x, 0))
			}, uniform(-5, 5)),
		activation("mish", "", "self * tanh(softplus(self)).", NN, false,
			func(b *loop.Builder, x loop.V, c *Call) loop.V { return b.Mul(x, b.Tanh(b.Log1p(b.Exp(x)))) },
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				t, one := b.Tanh(b.Log1p(b.Exp(x))), b.Like(x, 1)
				return b.Add(t, b.Mul(b.Mul(x, sigmoidV(b, x)), b.Sub(one, b.Mul(t, t))))
			},
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				t, s, one := b.Tanh(b.Log1p(b.Exp(x))), sigmoidV(b, x), b.Like(x, 1)
				inner := b.Sub(b.Add(b.Like(x, 2), b.Mul(x, b.Sub(one, s))), b.Mul(b.Mul(b.Like(x, 2), x), b.Mul(s, t)))
				return b.Mul(b.Mul(b.Sub(one, b.Mul(t, t)), s), inner)
			}, normal()),
		activation("softsign", "", "self / (1 + |self|).", NN, false,
			func(b *loop.Builder, x loop.V, c *Call) loop.V { return b.Div(x, b.Add(b.Like(x, 1), b.Abs(x))) },
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				d := b.Add(b.Like(x, 1), b.Abs(x))
				return b.Recip(b.Mul(d, d))
			},
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				d := b.Add(b.Like(x, 1), b.Abs(x))
				return b.Div(b.Mul(b.Like(x, -2), signV(b, x)), b.Mul(d, b.Mul(d, d)))
			}, normal()),
		activation("hardshrink", ", float lambd=0.5", "self outside -lambd … lambd, else 0.", NN, false,
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				return b.Select(b.Le(b.Abs(x), num(b, x, "lambd")), b.Like(x, 0), x)
			},
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				return b.Select(b.Le(b.Abs(x), num(b, x, "lambd")), b.Like(x, 0), b.Like(x, 1))
			},
			nil, normal(), Num(tensor.Float(0.4))),
		activation("softshrink", ", float lambd=0.5", "self moved toward 0 by lambd.", NN, false,
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				l := num(b, x, "lambd")
				return b.Select(b.Gt(x, l), b.Sub(x, l), b.Select(b.Lt(x, b.Neg(l)), b.Add(x, l), b.Like(x, 0)))
			},
			func(b *loop.Builder, x loop.V, c *Call) loop.V {
				return b.Select(b.Le(b.Abs(x), num(b, x, "lambd")), b.Like(x, 0), b.Like(x, 1))
			},
			nil, normal(), Num(tensor.Float(0.4))),
	} {
		Register(l...)
	}
	// relu keeps integers, and its gradient is differentiable again.
	Register(
		&Def{Sig: "relu(Tensor self) -> Tensor", Doc: "max(self, 0).", Bind: Arith | NN, Promote: PromoteArith,
			Shape: func(c *Call) []tensor.Meta {
				if c.DType == tensor.Bool {
					Raise(tensor.RuntimeError, "Boolean inputs not supported for relu")
				}
				return []tensor.Meta{{Size: c.In[0].Size}}
			},
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V { return b.Max(x[0], b.Like(x[0], 0)) },
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				return grads{g.Op("_threshold_backward", gr[0], out[0])}
			},
			Samples: samplesUnary(normal(), append(floatTypes, tensor.Int64))},
		&Def{Sig: "_threshold_backward(Tensor grad, Tensor self) -> Tensor", Doc: "grad where self > 0, else 0.", Promote: PromoteArith,
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
				return b.Select(b.Gt(x[1], b.Like(x[1], 0)), x[0], b.Like(x[0], 0))
			},
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				return grads{g.Op("_threshold_backward", gr[0], in[1]), nil}
			}, Samples: samplesBinary(normal(), normal(), floatTypes, false)},
		&Def{Sig: "relu6(Tensor self) -> Tensor", Doc: "clamp(self, 0, 6).", Bind: NN,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor { return g.Ops("hardtanh", in[0], 0.0, 6.0) }},
		&Def{Sig: "selu(Tensor self) -> Tensor", Doc: "Scaled exponential linear unit.", Bind: Fn | NN | InPlace,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				return g.Ops("elu", in[0], 1.6732632423543772848170429916717, 1.0507009873554804934193349852946)
			}},
		&Def{Sig: "celu(Tensor self, float alpha=1.0) -> Tensor", Doc: "max(0, x) + min(0, alpha (exp(x/alpha) - 1)).", Bind: Fn | NN | InPlace,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				a := c.Num("alpha")
				if a.Is(0) {
					Raise(tensor.RuntimeError, "ZeroDivisionError: alpha cannot be 0 for CELU")
				}
				return g.Ops("elu", in[0], a, 1.0, tensor.Float(1).Over(a))
			}},
		&Def{Sig: "tanhshrink(Tensor self) -> Tensor", Doc: "self - tanh(self).", Bind: NN,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor { return grads{g.Sub(in[0], g.Op("tanh", in[0]))} }},
		&Def{Sig: "threshold(Tensor self, float threshold, float value) -> Tensor", Doc: "self where above threshold, else value.", Bind: Fn | NN,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				return g.Ops("where", g.Op("gt", in[0], c.Num("threshold")), in[0], c.Num("value"))
			}},
		&Def{Sig: "prelu(Tensor self, Tensor weight) -> Tensor", Doc: "self, scaled by weight (one, or one a channel) below 0.", Bind: Fn | NN | Method,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				w := in[1]
				if n := len(c.In[0].Size); n >= 2 && len(c.In[1].Size) == 1 && !c.In[1].Size[0].Eq(C(1)) {
					if !c.In[1].Size[0].Eq(c.In[0].Size[1]) {
						Raise(tensor.RuntimeError, "Mismatch of parameter numbers and input channel size. Found parameter numbers = %d and channel size = %d.", c.In[1].Size[0].Hint(), c.In[0].Size[1].Hint())
					}
					for range n - 2 {
						w = g.Op("unsqueeze", w, -1)
					}
				}
				return g.Ops("where", g.Op("gt", in[0], 0), in[0], g.Mul(in[0], w))
			}},
		&Def{Sig: "glu(Tensor self, int dim=-1) -> Tensor", Doc: "First half times the sigmoid of the second.", Bind: NN,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				d := c.Dim("dim", len(c.In[0].Size))
				n := c.In[0].Size[d]
				if !n.Mod(C(2)).Eq(C(0)) {
					Raise(tensor.RuntimeError, "Halving dimension must be even, but dimension %d is size %d", d, n.Hint())
				}
				h := n.Div(C(2))
				return grads{g.Mul(g.Op("narrow", in[0], d, 0, h), g.Op("sigmoid", g.Op("narrow", in[0], d, h, h)))}
			}},
	)
}
