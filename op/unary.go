package op

import (
	"math"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Functions of one operand.

type vjp1 func(g *G, x, y, gr Tensor) Tensor

// float1 is a function on floats; integers are computed in the default dtype.
func float1(name, doc string, f func(b *loop.Builder, x loop.V) loop.V, d vjp1, fill Fill) *Def {
	return &Def{Sig: name + "(Tensor self) -> Tensor", Doc: doc, Bind: Arith, Promote: PromoteFloat,
		Body:    func(b *loop.Builder, x []loop.V, c *Call) loop.V { return f(b, x[0]) },
		VJP:     func(g *G, c *Call, in, out, gr []Tensor) []Tensor { return grads{d(g, in[0], out[0], gr[0])} },
		Samples: samplesUnary(fill, append(floatTypes, tensor.Int64))}
}

// keep1 keeps the dtype; integers go through i, floats through f.
func keep1(name, doc string, f, i func(b *loop.Builder, x loop.V) loop.V, d vjp1, types []tensor.DType) *Def {
	return &Def{Sig: name + "(Tensor self) -> Tensor", Doc: doc, Bind: Arith, Promote: PromoteArith,
		Shape: func(c *Call) []tensor.Meta {
			if c.DType == tensor.Bool {
				if name == "neg" {
					Raise(tensor.RuntimeError, "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.")
				}
				Raise(tensor.RuntimeError, "\"%s_cpu\" not implemented for 'Bool'", name)
			}
			return []tensor.Meta{{Size: c.In[0].Size}}
		},
		Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
			if b.Type(x[0]).IsFloat() {
				return f(b, x[0])
			}
			return i(b, x[0])
		},
		VJP:     func(g *G, c *Call, in, out, gr []Tensor) []Tensor { return grads{d(g, in[0], out[0], gr[0])} },
		Samples: samplesUnary(normal(), types)}
}

func prim(op loop.Op) func(b *loop.Builder, x loop.V) loop.V {
	return func(b *loop.Builder, x loop.V) loop.V { return b.Unary(op, x) }
}

func same1(b *loop.Builder, x loop.V) loop.V { return x }

func signV(b *loop.Builder, x loop.V) loop.V {
	zero, one := b.Like(x, 0), b.Like(x, 1)
	s := b.Select(b.Gt(x, zero), one, b.Select(b.Lt(x, zero), b.Like(x, -1), zero))
	return s
}

func test1(name, doc string, f func(b *loop.Builder, x loop.V) loop.V) *Def {
	return &Def{Sig: name + "(Tensor self) -> Tensor", Doc: doc, Bind: Usual, Promote: PromoteNone, NoGrad: notDifferentiable,
		Shape: func(c *Call) []tensor.Meta { return []tensor.Meta{{DType: tensor.Bool, Size: c.In[0].Size}} },
		Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
			if !b.Type(x[0]).IsFloat() {
				return b.Bool(name == "isfinite")
			}
			return f(b, x[0])
		}, Samples: samplesUnary(normal(), append(floatTypes, tensor.Int64))}
}

func init() {
	zero := func(g *G, x, y, gr Tensor) Tensor { return g.Zeros(gr) }
	sq := func(g *G, t Tensor) Tensor { return g.Mul(t, t) }
	one := func(g *G, t Tensor, sign float64) Tensor { // 1 + sign * t²
		if sign < 0 {
			return g.Op("rsub", sq(g, t), 1)
		}
		return g.Add(sq(g, t), 1)
	}
	withInts := append(append([]tensor.DType{}, floatTypes...), tensor.Int64, tensor.Int32)
	Register(
		float1("exp", "e to the self.", prim(loop.OpExp), func(g *G, x, y, gr Tensor) Tensor { return g.Mul(gr, y) }, normal()),
		float1("exp2", "2 to the self.", prim(loop.OpExp2), func(g *G, x, y, gr Tensor) Tensor { return g.Mul(g.Mul(gr, y), math.Ln2) }, normal()),
		float1("expm1", "exp(self) - 1.", prim(loop.OpExpm1), func(g *G, x, y, gr Tensor) Tensor { return g.Mul(gr, g.Add(y, 1)) }, normal()),
		float1("log", "Natural logarithm.", prim(loop.OpLog), func(g *G, x, y, gr Tensor) Tensor { return g.Div(gr, x) }, uniform(0.1, 4)),
		float1("log2", "Logarithm to base 2.", prim(loop.OpLog2), func(g *G, x, y, gr Tensor) Tensor { return g.Div(gr, g.Mul(x, math.Ln2)) }, uniform(0.1, 4)),
		float1("log10", "Logarithm to base 10.", prim(loop.OpLog10), func(g *G, x, y, gr Tensor) Tensor { return g.Div(gr, g.Mul(x, math.Ln10)) }, uniform(0.1, 4)),
		float1("log1p", "log(1 + self).", prim(loop.OpLog1p), func(g *G, x, y, gr Tensor) Tensor { return g.Div(gr, g.Add(x, 1)) }, uniform(-0.5, 4)),
		float1("sqrt", "Square root.", prim(loop.OpSqrt), func(g *G, x, y, gr Tensor) Tensor { return g.Div(gr, g.Mul(y, 2)) }, uniform(0.1, 4)),
		float1("rsqrt", "1 / sqrt(self).", func(b *loop.Builder, x loop.V) loop.V { return b.Recip(b.Sqrt(x)) },
			func(g *G, x, y, gr Tensor) Tensor { return g.Mul(g.Mul(gr, -0.5), g.Mul(sq(g, y), y)) }, uniform(0.1, 4)),
		float1("reciprocal", "1 / self.", func(b *loop.Builder, x loop.V) loop.V { return b.Recip(x) },
			func(g *G, x, y, gr Tensor) Tensor { return g.Neg(g.Mul(gr, sq(g, y))) }, uniform(0.3, 3)),
		float1("sin", "Sine.", prim(loop.OpSin), func(g *G, x, y, gr Tensor) Tensor { return g.Mul(gr, g.Op("cos", x)) }, normal()),
		float1("cos", "Cosine.", prim(loop.OpCos), func(g *G, x, y, gr Tensor) Tensor { return g.Neg(g.Mul(gr, g.Op("sin", x))) }, normal()),
		float1("tan", "Tangent.", prim(loop.OpTan), func(g *G, x, y, gr Tensor) Tensor { return g.Mul(gr, one(g, y, 1)) }, uniform(-1, 1)),
		float1("asin", "Inverse sine.", prim(loop.OpAsin), func(g *G, x, y, gr Tensor) Tensor { return g.Mul(gr, g.Op("rsqrt", one(g, x, -1))) }, uniform(-0.9, 0.9)),
		float1("acos", "Inverse cosine.", prim(loop.OpAcos), func(g *G, x, y, gr Tensor) Tensor {
			return g.Neg(g.Mul(gr, g.Op("rsqrt", one(g, x, -1))))
		}, uniform(-0.9, 0.9)),
		float1("atan", "Inverse tangent.", prim(loop.OpAtan), func(g *G, x, y, gr Tensor) Tensor { return g.Div(gr, one(g, x, 1)) }, normal()),
		float1("sinh", "Hyperbolic sine.", prim(loop.OpSinh), func(g *G, x, y, gr Tensor) Tensor { return g.Mul(gr, g.Op("cosh", x)) }, normal()),
		float1("cosh", "Hyperbolic cosine.", prim(loop.OpCosh), func(g *G, x, y, gr Tensor) Tensor { return g.Mul(gr, g.Op("sinh", x)) }, normal()),
		float1("erf", "Error function.", prim(loop.OpErf), func(g *G, x, y, gr Tensor) Tensor {
			return g.Mul(g.Mul(gr, 2/math.Sqrt(math.Pi)), g.Op("exp", g.Neg(sq(g, x))))
		}, normal()),
		float1("erfc", "1 - erf(self).", prim(loop.OpErfc), func(g *G, x, y, gr Tensor) Tensor {
			return g.Mul(g.Mul(gr, -2/math.Sqrt(math.Pi)), g.Op("exp", g.Neg(sq(g, x))))
		}, normal()),
		float1("erfinv", "Inverse of erf.", prim(loop.OpErfinv), func(g *G, x, y, gr Tensor) Tensor {
			return g.Mul(g.Mul(gr, math.Sqrt(math.Pi)/2), g.Op("exp", sq(g, y)))
		}, uniform(-0.9, 0.9)),
		float1("lgamma", "Logarithm of the gamma function.", prim(loop.OpLgamma), func(g *G, x, y, gr Tensor) Tensor { return g.Mul(gr, g.Op("digamma", x)) }, uniform(0.3, 4)),
		&Def{Sig: "digamma(Tensor self) -> Tensor", Doc: "Derivative of lgamma.", Bind: Arith, Promote: PromoteFloat,
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				return grads{g.Mul(gr[0], g.Op("_trigamma", in[0]))}
			},
			Body:    func(b *loop.Builder, x []loop.V, c *Call) loop.V { return b.Digamma(x[0]) },
			Samples: samplesUnary(uniform(0.3, 4), floatTypes[:2])},
		&Def{Sig: "atan2(Tensor self, Tensor other) -> Tensor", Doc: "Angle of the point (other, self).", Aliases: []string{"arctan2"}, Bind: Arith, Promote: PromoteFloat,
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V { return b.Atan2(x[0], x[1]) },
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				r := g.Div(gr[0], g.Add(sq(g, in[0]), sq(g, in[1])))
				return grads{when(c, 0, func() Tensor { return g.Mul(r, in[1]) }), when(c, 1, func() Tensor { return g.Neg(g.Mul(r, in[0])) })}
			}, Samples: samplesBinary(normal(), normal(), floatTypes, false)},

		keep1("neg", "-self.", func(b *loop.Builder, x loop.V) loop.V { return b.Neg(x) }, func(b *loop.Builder, x loop.V) loop.V { return b.Neg(x) },
			func(g *G, x, y, gr Tensor) Tensor { return g.Neg(gr) }, withInts),
		keep1("abs", "Absolute value.", func(b *loop.Builder, x loop.V) loop.V { return b.Abs(x) }, func(b *loop.Builder, x loop.V) loop.V { return b.Abs(x) },
			func(g *G, x, y, gr Tensor) Tensor { return g.Mul(gr, g.Op("sign", x)) }, withInts),
		keep1("sign", "-1, 0 or 1.", signV, signV, zero, withInts),
		keep1("floor", "Largest integer not above.", prim(loop.OpFloor), same1, zero, withInts),
		keep1("ceil", "Smallest integer not below.", prim(loop.OpCeil), same1, zero, withInts),
		keep1("trunc", "Integer part.", prim(loop.OpTrunc), same1, zero, withInts),
		&Def{Sig: "round(Tensor self, *, int decimals=0) -> Tensor", Doc: "Nearest integer, ties to even.", Bind: Arith, Promote: PromoteArith,
			Shape: func(c *Call) []tensor.Meta { return []tensor.Meta{{Size: c.In[0].Size}} },
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
				if !b.Type(x[0]).IsFloat() {
					return x[0]
				}
				d := c.Int("decimals")
				if d == 0 {
					return b.Nearest(x[0])
				}
				s := b.Like(x[0], math.Pow(10, math.Abs(float64(d))))
				if d > 0 {
					return b.Div(b.Nearest(b.Mul(x[0], s)), s)
				}
				return b.Mul(b.Nearest(b.Div(x[0], s)), s)
			},
			VJP:     func(g *G, c *Call, in, out, gr []Tensor) []Tensor { return grads{g.Zeros(gr[0])} },
			Samples: samplesUnary(normal(), withInts)},
		keep1("frac", "Fractional part.", func(b *loop.Builder, x loop.V) loop.V { return b.Sub(x, b.Trunc(x)) },
			func(b *loop.Builder, x loop.V) loop.V { return b.Like(x, 0) }, func(g *G, x, y, gr Tensor) Tensor { return gr }, floatTypes),
		&Def{Sig: "square(Tensor self) -> Tensor", Doc: "self * self.", Bind: Arith,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor { return g.Ops("mul", in[0], in[0]) }},
		&Def{Sig: "positive(Tensor self) -> Tensor", Doc: "self.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor { return in }},
		test1("isnan", "Is NaN.", func(b *loop.Builder, x loop.V) loop.V { return b.IsNaN(x) }),
		test1("isinf", "Is infinite.", func(b *loop.Builder, x loop.V) loop.V { return b.Eq(b.Abs(x), b.Like(x, math.Inf(1))) }),
		test1("isfinite", "Is neither infinite nor NaN.", func(b *loop.Builder, x loop.V) loop.V { return b.Lt(b.Abs(x), b.Like(x, math.Inf(1))) }),
		&Def{Sig: "nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor", Doc: "Replaces NaN and infinities.", Bind: Arith, Promote: PromoteArith,
			Shape: func(c *Call) []tensor.Meta { return []tensor.Meta{{Size: c.In[0].Size}} },
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
				v := x[0]
				t := b.Type(v)
				if !t.IsFloat() {
					return v
				}
				lim := math.MaxFloat64
				switch c.DType {
				case tensor.Float32:
					lim = math.MaxFloat32
				case tensor.Float16:
					lim = 65504
				case tensor.BFloat16:
					lim = 3.3895313892515355e38
				}
				or := func(name string, d float64) loop.V {
					if c.Given(name) {
						return b.Num(name, t)
					}
					return b.Const(t, d)
				}
				r := b.Select(b.Eq(v, b.Like(v, math.Inf(1))), or("posinf", lim), v)
				r = b.Select(b.Eq(v, b.Like(v, math.Inf(-1))), or("neginf", -lim), r)
				return b.Select(b.IsNaN(v), or("nan", 0), r)
			},
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				return grads{g.Op("where", g.Op("isfinite", in[0]), gr[0], 0.0)}
			}, Samples: samplesUnary(normal(), floatTypes)},
	)
}
