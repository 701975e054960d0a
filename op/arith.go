package op

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Arithmetic of two or three operands. bool follows torch: + is or, * is and,
// - is an error.

// when computes a gradient only where it is wanted.
func when(c *Call, k int, f func() Tensor) Tensor {
	if !c.NeedsGrad(k) {
		return nil
	}
	return f()
}

// both is the VJP of a binary op from its two partial products.
func both(f, h func(g *G, c *Call, x, y any, out, gr Tensor) Tensor) func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
	return func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
		x, y := c.Of(0, in), c.Of(1, in)
		return grads{
			when(c, 0, func() Tensor { return f(g, c, x, y, out[0], gr[0]) }),
			when(c, 1, func() Tensor { return h(g, c, x, y, out[0], gr[0]) }),
		}
	}
}

// noBool refuses bool operands on both sides.
func noBoolSub(c *Call) []tensor.Meta {
	if c.DType == tensor.Bool {
		Raise(tensor.RuntimeError, "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.")
	}
	return []tensor.Meta{{Size: c.broadcastSize()}}
}

func alphaCheck(c *Call) {
	if c.Given("alpha") && c.DType.Category() < tensor.CatFloat && c.Num("alpha").Kind == tensor.NumFloat {
		Raise(tensor.RuntimeError, "For integral input tensors, argument alpha must not be a floating point number.")
	}
}

// scaled is y times alpha, where alpha is given.
func scaled(b *loop.Builder, c *Call, y loop.V) loop.V {
	if !c.Given("alpha") {
		return y
	}
	t := b.Type(y)
	if t == loop.B1 {
		return b.And(y, b.Num("alpha", t))
	}
	return b.Mul(y, b.Num("alpha", t))
}

func addBody(b *loop.Builder, x []loop.V, c *Call) loop.V {
	y := scaled(b, c, x[1])
	if b.Type(y) == loop.B1 {
		return b.Or(x[0], y)
	}
	return b.Add(x[0], y)
}

func mulV(b *loop.Builder, x, y loop.V) loop.V {
	if b.Type(x) == loop.B1 {
		return b.And(x, y)
	}
	return b.Mul(x, y)
}

// timesAlpha scales a gradient by the alpha argument.
func timesAlpha(g *G, c *Call, t Tensor) Tensor {
	if !c.Given("alpha") {
		return t
	}
	return g.Mul(t, c.Num("alpha"))
}

// floorDivV is torch's floor division of floats: exact where the quotient is.
func floorDivV(b *loop.Builder, x, y loop.V) loop.V {
	if b.Type(x).IsInt() {
		return b.FloorDiv(x, y)
	}
	zero, one := b.Like(x, 0), b.Like(x, 1)
	m := b.Mod(x, y)
	d := b.Div(b.Sub(x, m), y)
	wrong := b.And(b.Ne(m, zero), b.Ne(b.Lt(y, zero), b.Lt(m, zero)))
	d = b.Select(wrong, b.Sub(d, one), d)
	f := b.Floor(d)
	f = b.Select(b.Gt(b.Sub(d, f), b.Like(x, 0.5)), b.Add(f, one), f)
	q := b.Div(x, y)
	f = b.Select(b.Eq(d, zero), b.Mul(zero, q), f)
	return b.Select(b.Eq(y, zero), q, f)
}

func remainderV(b *loop.Builder, x, y loop.V) loop.V {
	m := b.Mod(x, y)
	if b.Type(x).IsInt() {
		return m
	}
	zero := b.Like(x, 0)
	wrong := b.And(b.Ne(m, zero), b.Ne(b.Lt(y, zero), b.Lt(m, zero)))
	return b.Select(wrong, b.Add(m, y), m)
}

func extremeV(b *loop.Builder, x, y loop.V, most bool) loop.V {
	switch {
	case b.Type(x) == loop.B1 && most:
		return b.Or(x, y)
	case b.Type(x) == loop.B1:
		return b.And(x, y)
	case most:
		return b.Max(x, y)
	}
	return b.Min(x, y)
}

// extreme is maximum (most) or minimum; ties share the gradient.
func extreme(name string, most bool, rel string) *Def {
	part := func(other bool) func(g *G, c *Call, x, y any, out, gr Tensor) Tensor {
		return func(g *G, c *Call, x, y any, out, gr Tensor) Tensor {
			a, b := asTensor(g, x, out), asTensor(g, y, out)
			if other {
				a, b = b, a
			}
			tie := g.Op("eq", a, b)
			return g.Op("where", tie, g.Div(gr, 2.0), g.Op("where", g.Op(rel, a, b), gr, 0.0))
		}
	}
	return &Def{Sig: name + "(Tensor self, Tensor|Scalar other) -> Tensor", Doc: "Elementwise " + name + "; NaN where either is NaN.", Bind: Fn | Method | OutArg, Promote: PromoteArith,
		Body:    func(b *loop.Builder, x []loop.V, c *Call) loop.V { return extremeV(b, x[0], x[1], most) },
		VJP:     both(part(false), part(true)),
		Samples: samplesBinary(normal(), normal(), append(floatTypes, tensor.Int64, tensor.Bool), false)}
}

// asTensor makes a 0-dim tensor of a number.
func asTensor(g *G, x any, like Tensor) Tensor {
	switch x := x.(type) {
	case Tensor:
		return x
	case tensor.Number:
		m := like.Meta()
		return g.Op("full", []SymInt{}, x, KW{"dtype", m.DType}, KW{"device", m.Dev})
	}
	panic("BUG: neither tensor nor number")
}

// plus adds a constant to an operand; a number stays a number, so that it keeps
// its 64 bits and promotes weakly.
func plus(g *G, x any, v float64) any {
	if n, ok := x.(tensor.Number); ok {
		if n.Kind != tensor.NumFloat {
			return n.Plus(tensor.Int(int64(v)))
		}
		return n.Plus(tensor.Float(v))
	}
	return g.Add(x.(Tensor), v)
}

// oneMinus is 1 - x.
func oneMinus(g *G, x any) any {
	if n, ok := x.(tensor.Number); ok {
		return tensor.Float(1).Minus(n)
	}
	return g.Op("sub", 1, x)
}

func zeroGrad(g *G, c *Call, x, y any, out, gr Tensor) Tensor { return g.Zeros(gr) }

func init() {
	arithTypes := append(append([]tensor.DType{}, floatTypes...), tensor.Int64, tensor.Int32, tensor.Int8, tensor.Uint8)
	Register(
		&Def{Sig: "add(Tensor|Scalar self, Tensor|Scalar other, *, Scalar? alpha=None) -> Tensor", Doc: "self + alpha * other.", Bind: Arith, Promote: PromoteArith,
			Shape: func(c *Call) []tensor.Meta {
				alphaCheck(c)
				return []tensor.Meta{{Size: c.broadcastSize()}}
			},
			Body: addBody,
			VJP: both(func(g *G, c *Call, x, y any, out, gr Tensor) Tensor { return gr },
				func(g *G, c *Call, x, y any, out, gr Tensor) Tensor { return timesAlpha(g, c, gr) }),
			Samples: samplesBinary(normal(), normal(), append(arithTypes, tensor.Bool), true)},
		&Def{Sig: "sub(Tensor|Scalar self, Tensor|Scalar other, *, Scalar? alpha=None) -> Tensor", Doc: "self - alpha * other.", Aliases: []string{"subtract"}, Bind: Arith, Promote: PromoteArith,
			Shape: func(c *Call) []tensor.Meta { alphaCheck(c); return noBoolSub(c) },
			Body:  func(b *loop.Builder, x []loop.V, c *Call) loop.V { return b.Sub(x[0], scaled(b, c, x[1])) },
			VJP: both(func(g *G, c *Call, x, y any, out, gr Tensor) Tensor { return gr },
				func(g *G, c *Call, x, y any, out, gr Tensor) Tensor { return g.Neg(timesAlpha(g, c, gr)) }),
			Samples: samplesBinary(normal(), normal(), arithTypes, true)},
		&Def{Sig: "rsub(Tensor self, Tensor|Scalar other, *, Scalar? alpha=None) -> Tensor", Doc: "other - alpha * self.", Bind: Fn,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				return g.Ops("sub", c.Of(1, in), in[0], KW{"alpha", *c.Arg("alpha")})
			},
			Samples: samplesBinary(normal(), normal(), arithTypes[:2], true)},
		&Def{Sig: "mul(Tensor|Scalar self, Tensor|Scalar other) -> Tensor", Doc: "self * other.", Aliases: []string{"multiply"}, Bind: Arith, Promote: PromoteArith, Keeps: always,
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V { return mulV(b, x[0], x[1]) },
			VJP: both(func(g *G, c *Call, x, y any, out, gr Tensor) Tensor { return g.Mul(gr, y) },
				func(g *G, c *Call, x, y any, out, gr Tensor) Tensor { return g.Mul(gr, x) }),
			Samples: samplesBinary(normal(), normal(), append(arithTypes, tensor.Bool), true)},
		&Def{Sig: "div(Tensor|Scalar self, Tensor|Scalar other) -> Tensor", Doc: "True division.", Aliases: []string{"divide", "true_divide"}, Bind: Arith, Promote: PromoteFloat, Keeps: always,
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V { return b.Div(x[0], x[1]) },
			VJP: both(func(g *G, c *Call, x, y any, out, gr Tensor) Tensor { return g.Div(gr, y) },
				func(g *G, c *Call, x, y any, out, gr Tensor) Tensor {
					return g.Neg(g.Mul(gr, g.Div(out, y)))
				}),
			Samples: samplesBinary(normal(), uniform(0.5, 3), append(floatTypes, tensor.Int64), true)},
		&Def{Sig: "div.Tensor_mode(Tensor|Scalar self, Tensor|Scalar other, *, str? rounding_mode) -> Tensor", Doc: "Division rounded by 'floor', 'trunc' or not at all.", Aliases: []string{"divide"}, Bind: Arith,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				x, y := c.Of(0, in), c.Of(1, in)
				switch m := c.Str("rounding_mode"); {
				case !c.Given("rounding_mode"):
					return g.Ops("div", x, y)
				case m == "floor":
					return g.Ops("floor_divide", x, y)
				case m == "trunc":
					return g.Ops("_div_trunc", x, y)
				default:
					Raise(tensor.RuntimeError, "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '%s'", m)
				}
				return nil
			}},
		&Def{Sig: "_div_trunc(Tensor|Scalar self, Tensor|Scalar other) -> Tensor", Doc: "Division rounded toward zero.", Promote: PromoteArith,
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
				d := b.Div(x[0], x[1])
				if b.Type(d).IsFloat() {
					d = b.Trunc(d)
				}
				return d
			}, VJP: both(zeroGrad, zeroGrad),
			Samples: samplesBinary(normal(), integers(1, 4), []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int64}, true)},
		&Def{Sig: "floor_divide(Tensor|Scalar self, Tensor|Scalar other) -> Tensor", Doc: "Division rounded down.", Bind: Arith, Promote: PromoteArith,
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V { return floorDivV(b, x[0], x[1]) }, VJP: both(zeroGrad, zeroGrad),
			Samples: samplesBinary(normal(), integers(1, 4), []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int64}, true)},
		&Def{Sig: "remainder(Tensor|Scalar self, Tensor|Scalar other) -> Tensor", Doc: "Remainder with the divisor's sign (Python's %).", Bind: Arith, Promote: PromoteArith,
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V { return remainderV(b, x[0], x[1]) },
			VJP: both(func(g *G, c *Call, x, y any, out, gr Tensor) Tensor { return gr },
				func(g *G, c *Call, x, y any, out, gr Tensor) Tensor {
					return g.Neg(g.Mul(gr, g.Op("floor_divide", x, y)))
				}),
			Samples: samplesBinary(normal(), integers(1, 4), []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int64}, true)},
		&Def{Sig: "fmod(Tensor self, Tensor|Scalar other) -> Tensor", Doc: "Remainder with the dividend's sign (C's fmod).", Bind: Arith, Promote: PromoteArith,
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
				if b.Type(x[0]).IsInt() {
					return b.Sub(x[0], b.Mul(b.Div(x[0], x[1]), x[1]))
				}
				return b.Mod(x[0], x[1])
			},
			VJP: both(func(g *G, c *Call, x, y any, out, gr Tensor) Tensor { return gr },
				func(g *G, c *Call, x, y any, out, gr Tensor) Tensor {
					return g.Neg(g.Mul(gr, g.Op("_div_trunc", x, y)))
				}),
			Samples: samplesBinary(normal(), integers(1, 4), []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int64}, true)},
		extreme("maximum", true, "gt"),
		extreme("minimum", false, "lt"),
		&Def{Sig: "pow(Tensor|Scalar self, Tensor|Scalar exponent) -> Tensor", Doc: "self to the power of exponent.", Bind: Arith,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				x, y := c.Of(0, in), c.Of(1, in)
				if c.IsNum(1) && !c.IsNum(0) {
					n, d := c.Nums[1].N, c.In[0].DType
					if d.Category() < tensor.CatFloat && n.Kind == tensor.NumInt && n.Less(0) {
						Raise(tensor.RuntimeError, "Integers to negative integer powers are not allowed.")
					}
					if d != tensor.Bool && (d.IsFloat() || n.Kind != tensor.NumFloat) {
						switch {
						case n.Is(2):
							return g.Ops("mul", x, x)
						case n.Is(3):
							return g.Ops("mul", g.Op("mul", x, x), x)
						case n.Is(0.5):
							return g.Ops("sqrt", x)
						case n.Is(-0.5):
							return g.Ops("rsqrt", x)
						case n.Is(-1):
							return g.Ops("reciprocal", x)
						}
					}
				}
				return g.Ops("_pow", x, y)
			},
			Samples: samplesBinary(uniform(0.2, 2), uniform(-2, 2), floatTypes[:2], true)},
		&Def{Sig: "_pow(Tensor|Scalar self, Tensor|Scalar exponent) -> Tensor", Doc: "pow without special exponents.", Promote: PromoteArith,
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
				if b.Type(x[0]) == loop.B1 {
					return b.Or(x[0], b.Not(x[1]))
				}
				return b.Pow(x[0], x[1])
			},
			VJP: both(func(g *G, c *Call, x, y any, out, gr Tensor) Tensor {
				d := g.Mul(gr, g.Mul(g.Op("_pow", x, plus(g, y, -1)), y))
				if n, ok := y.(tensor.Number); ok {
					if n.Is(0) {
						return g.Zeros(gr)
					}
					return d
				}
				return g.Op("where", g.Op("eq", y, 0), 0.0, d)
			}, func(g *G, c *Call, x, y any, out, gr Tensor) Tensor {
				l := g.Op("log", asTensor(g, x, out))
				zero := g.Op("logical_and", g.Op("eq", asTensor(g, x, out), 0), g.Op("ge", asTensor(g, y, out), 0))
				return g.Mul(gr, g.Op("where", zero, 0.0, g.Mul(out, l)))
			}),
			Samples: samplesBinary(uniform(0.2, 2), uniform(-2, 2), floatTypes[:2], true)},
		&Def{Sig: "addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", Doc: "self + value * tensor1 * tensor2.", Bind: Arith, Promote: PromoteArith,
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
				return b.Add(x[0], b.Mul(b.Mul(b.Num("value", b.Type(x[0])), x[1]), x[2]))
			},
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				v := c.Num("value")
				return grads{gr[0], when(c, 1, func() Tensor { return g.Mul(g.Mul(gr[0], in[2]), v) }), when(c, 2, func() Tensor { return g.Mul(g.Mul(gr[0], in[1]), v) })}
			}, Samples: samplesTernary(normal(), normal(), normal())},
		&Def{Sig: "addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", Doc: "self + value * tensor1 / tensor2.", Bind: Arith, Promote: PromoteArith,
			Shape: func(c *Call) []tensor.Meta {
				if c.DType.Category() < tensor.CatFloat {
					Raise(tensor.RuntimeError, "Integer division with addcdiv is no longer supported, and in a future release addcdiv will perform a true division of tensor1 and tensor2.")
				}
				return []tensor.Meta{{Size: c.broadcastSize()}}
			},
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
				return b.Add(x[0], b.Div(b.Mul(b.Num("value", b.Type(x[0])), x[1]), x[2]))
			},
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				v := c.Num("value")
				return grads{gr[0], when(c, 1, func() Tensor { return g.Mul(g.Div(gr[0], in[2]), v) }), when(c, 2, func() Tensor {
					return g.Neg(g.Mul(g.Mul(gr[0], v), g.Div(in[1], g.Mul(in[2], in[2]))))
				})}
			}, Samples: samplesTernary(normal(), normal(), uniform(0.5, 2))},
		&Def{Sig: "lerp(Tensor self, Tensor end, Tensor|Scalar weight) -> Tensor", Doc: "self + weight * (end - self).", Bind: Arith, Promote: PromoteArith,
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
				d := b.Sub(x[1], x[0])
				half, one := b.Like(d, 0.5), b.Like(d, 1)
				return b.Select(b.Lt(b.Abs(x[2]), half), b.Add(x[0], b.Mul(x[2], d)), b.Sub(x[1], b.Mul(d, b.Sub(one, x[2]))))
			},
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				w := c.Of(2, in)
				return grads{
					when(c, 0, func() Tensor { return g.Mul(gr[0], oneMinus(g, w)) }), when(c, 1, func() Tensor { return g.Mul(gr[0], w) }),
					when(c, 2, func() Tensor { return g.Mul(gr[0], g.Sub(in[1], in[0])) })}
			}, Samples: samplesTernary(normal(), normal(), uniform(0, 1))},
	)
}

func samplesTernary(a, b, d Fill) func() []Sample {
	return func() (out []Sample) {
		for i, t := range floatTypes {
			s := uint64(50*i + 1)
			out = append(out,
				Sample{Args: []Arg{T(NewSample(t, LayContig, s, a, 3, 4)), T(NewSample(t, LayContig, s+1, b, 3, 4)), T(NewSample(t, LayContig, s+2, d, 3, 4))}},
				Sample{Args: []Arg{T(NewSample(t, LayTrans, s+3, a, 3, 4)), T(NewSample(t, LayStep, s+4, b, 4)), T(NewSample(t, LayExpanded, s+5, d, 3, 1))}})
		}
		out = append(out,
			Sample{Args: []Arg{T(NewSample(tensor.Float64, LayContig, 1, a)), T(NewSample(tensor.Float64, LayContig, 2, b)), T(NewSample(tensor.Float64, LayContig, 3, d))}},
			Sample{Args: []Arg{T(NewSample(tensor.Float32, LayContig, 4, a, 0, 3)), T(NewSample(tensor.Float32, LayContig, 5, b, 3)), T(NewSample(tensor.Float32, LayContig, 6, d, 1, 3))}})
		return out
	}
}

func always(*Call) bool { return true }
