package op

import (
	"math"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Comparison, logic, bits, selection.

// ordered makes bool operands comparable by <.
func ordered(b *loop.Builder, x []loop.V) (loop.V, loop.V) {
	if b.Type(x[0]) == loop.B1 {
		return b.Cast(x[0], loop.I32), b.Cast(x[1], loop.I32)
	}
	return x[0], x[1]
}

const notDifferentiable = "its result is not a floating-point tensor"

func compare(name, alias, doc string, f func(b *loop.Builder, x, y loop.V) loop.V) *Def {
	return &Def{Sig: name + "(Tensor self, Tensor|Scalar other) -> Tensor", Doc: doc, Aliases: alias1(alias), Bind: Arith, Promote: PromoteCompare, NoGrad: notDifferentiable,
		Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
			p, q := ordered(b, x)
			return f(b, p, q)
		},
		Samples: samplesBinary(integers(-2, 3), integers(-2, 3), []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int64, tensor.BFloat16, tensor.Bool}, true)}
}

func logical(name, doc string, f func(b *loop.Builder, x, y loop.V) loop.V) *Def {
	return &Def{Sig: name + "(Tensor self, Tensor other) -> Tensor", Doc: doc, Bind: Arith, Promote: PromoteBool, NoGrad: notDifferentiable,
		Body:    func(b *loop.Builder, x []loop.V, c *Call) loop.V { return f(b, x[0], x[1]) },
		Samples: samplesBinary(integers(-1, 2), integers(-1, 2), []tensor.DType{tensor.Bool, tensor.Float32, tensor.Int64}, false)}
}

func noFloatBits(name string) func(c *Call) []tensor.Meta {
	return func(c *Call) []tensor.Meta {
		if c.DType.Category() >= tensor.CatFloat {
			Raise(tensor.RuntimeError, "\"%s_cpu\" not implemented for '%s'", name, c.DType.ScalarName())
		}
		return []tensor.Meta{{Size: c.broadcastSize()}}
	}
}

func bitwise(name, doc string, f func(b *loop.Builder, x, y loop.V) loop.V) *Def {
	return &Def{Sig: name + "(Tensor|Scalar self, Tensor|Scalar other) -> Tensor", Doc: doc, Bind: Arith, Promote: PromoteArith, NoGrad: notDifferentiable,
		Shape:   noFloatBits(name),
		Body:    func(b *loop.Builder, x []loop.V, c *Call) loop.V { return f(b, x[0], x[1]) },
		Samples: samplesBinary(normal(), normal(), []tensor.DType{tensor.Int64, tensor.Uint8, tensor.Int8, tensor.Bool}, false)}
}

func shift(name, doc string, f func(b *loop.Builder, x, y loop.V) loop.V) *Def {
	return &Def{Sig: name + "(Tensor|Scalar self, Tensor|Scalar other) -> Tensor", Doc: doc, Bind: Arith, Promote: PromoteArith, NoGrad: notDifferentiable,
		Shape:   noFloatBits(name),
		Body:    func(b *loop.Builder, x []loop.V, c *Call) loop.V { return f(b, x[0], x[1]) },
		Samples: samplesBinary(integers(-9, 9), integers(0, 5), []tensor.DType{tensor.Int64, tensor.Int32}, false)}
}

// clampV limits v by the operands that are present; NaN stays NaN.
func clampV(b *loop.Builder, x []loop.V) loop.V {
	v := x[0]
	if x[1] != 0 {
		v = b.Max(v, x[1])
	}
	if x[2] != 0 {
		v = b.Min(v, x[2])
	}
	return v
}

func init() {
	Register(
		compare("eq", "", "self == other.", func(b *loop.Builder, x, y loop.V) loop.V { return b.Eq(x, y) }),
		compare("ne", "not_equal", "self != other.", func(b *loop.Builder, x, y loop.V) loop.V { return b.Ne(x, y) }),
		compare("lt", "less", "self < other.", func(b *loop.Builder, x, y loop.V) loop.V { return b.Lt(x, y) }),
		compare("le", "less_equal", "self <= other.", func(b *loop.Builder, x, y loop.V) loop.V { return b.Le(x, y) }),
		compare("gt", "greater", "self > other.", func(b *loop.Builder, x, y loop.V) loop.V { return b.Gt(x, y) }),
		compare("ge", "greater_equal", "self >= other.", func(b *loop.Builder, x, y loop.V) loop.V { return b.Ge(x, y) }),
		logical("logical_and", "Both are nonzero.", func(b *loop.Builder, x, y loop.V) loop.V { return b.And(x, y) }),
		logical("logical_or", "Either is nonzero.", func(b *loop.Builder, x, y loop.V) loop.V { return b.Or(x, y) }),
		logical("logical_xor", "Exactly one is nonzero.", func(b *loop.Builder, x, y loop.V) loop.V { return b.Xor(x, y) }),
		&Def{Sig: "logical_not(Tensor self) -> Tensor", Doc: "self is zero.", Bind: Arith, Promote: PromoteBool, NoGrad: notDifferentiable,
			Body:    func(b *loop.Builder, x []loop.V, c *Call) loop.V { return b.Not(x[0]) },
			Samples: samplesUnary(integers(-1, 2), []tensor.DType{tensor.Bool, tensor.Float32, tensor.Int64})},
		bitwise("bitwise_and", "Bitwise and; logical and of bools.", func(b *loop.Builder, x, y loop.V) loop.V { return b.And(x, y) }),
		bitwise("bitwise_or", "Bitwise or; logical or of bools.", func(b *loop.Builder, x, y loop.V) loop.V { return b.Or(x, y) }),
		bitwise("bitwise_xor", "Bitwise exclusive or.", func(b *loop.Builder, x, y loop.V) loop.V { return b.Xor(x, y) }),
		&Def{Sig: "bitwise_not(Tensor self) -> Tensor", Doc: "Bitwise complement; logical not of bools.", Bind: Arith, Promote: PromoteArith, NoGrad: notDifferentiable,
			Shape:   noFloatBits("bitwise_not"),
			Body:    func(b *loop.Builder, x []loop.V, c *Call) loop.V { return b.Not(x[0]) },
			Samples: samplesUnary(normal(), []tensor.DType{tensor.Int64, tensor.Uint8, tensor.Bool})},
		shift("bitwise_left_shift", "self times 2 to the other.", func(b *loop.Builder, x, y loop.V) loop.V { return b.Shl(x, y) }),
		shift("bitwise_right_shift", "Arithmetic shift right.", func(b *loop.Builder, x, y loop.V) loop.V { return b.Shr(x, y) }),

		&Def{Sig: "where(Tensor condition, Tensor|Scalar self, Tensor|Scalar other) -> Tensor", Doc: "self where condition, else other.", Bind: Fn, Promote: PromoteArith, PromoteOf: []string{"self", "other"},
			Shape: func(c *Call) []tensor.Meta {
				if d := c.In[0].DType; d != tensor.Bool && d != tensor.Uint8 {
					Raise(tensor.RuntimeError, "where expected condition to be a boolean tensor, but got a tensor with dtype %s", d.ScalarName())
				}
				return []tensor.Meta{{Size: c.broadcastSize()}}
			},
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
				return b.Select(b.Cast(x[0], loop.B1), x[1], x[2])
			},
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				return grads{nil, when(c, 1, func() Tensor { return g.Op("where", in[0], gr[0], 0.0) }), when(c, 2, func() Tensor { return g.Op("where", in[0], 0.0, gr[0]) })}
			}, Samples: func() (out []Sample) {
				for i, d := range []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int64, tensor.BFloat16} {
					s := uint64(30*i + 1)
					out = append(out,
						Sample{Args: []Arg{T(NewSample(tensor.Bool, LayContig, s, normal(), 3, 4)), T(NewSample(d, LayTrans, s+1, normal(), 3, 4)), T(NewSample(d, LayContig, s+2, normal(), 4))}},
						Sample{Args: []Arg{T(NewSample(tensor.Bool, LayStep, s+3, normal(), 3, 1)), T(NewSample(d, LayExpanded, s+4, normal(), 3, 4)), T(NewSample(d, LayContig, s+5, normal()))}},
						Sample{Args: []Arg{T(NewSample(tensor.Bool, LayContig, s+6, normal(), 0)), T(NewSample(d, LayContig, s+7, normal(), 1)), T(NewSample(d, LayContig, s+8, normal()))}},
						Sample{Args: []Arg{T(NewSample(tensor.Bool, LayContig, s+9, normal())), T(NewSample(d, LayContig, s+10, normal())), T(NewSample(d, LayContig, s+11, normal()))}})
				}
				return out
			}},
		&Def{Sig: "where.self(Tensor self, Tensor condition, Tensor|Scalar other) -> Tensor", Doc: "The method form: self where condition, else other.", Bind: Method,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor { return g.Ops("where", in[1], in[0], c.Of(2, in)) }},
		&Def{Sig: "clamp(Tensor self, Tensor|Scalar? min=None, Tensor|Scalar? max=None) -> Tensor", Doc: "self limited to min … max.", Aliases: []string{"clip"}, Bind: Arith, Promote: PromoteArith,
			Shape: func(c *Call) []tensor.Meta {
				if c.In[1] == nil && c.In[2] == nil {
					Raise(tensor.RuntimeError, "torch.clamp: At least one of 'min' or 'max' must not be None")
				}
				return []tensor.Meta{{Size: c.broadcastSize()}}
			},
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V { return clampV(b, x) },
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				m := Tensor(nil)
				if c.In[1] != nil {
					m = g.Op("ge", in[0], c.Of(1, in))
				}
				if c.In[2] != nil {
					n := g.Op("le", in[0], c.Of(2, in))
					if m != nil {
						n = g.Op("logical_and", m, n)
					}
					m = n
				}
				r := grads{g.Op("where", m, gr[0], 0.0), nil, nil}
				if c.In[1] != nil {
					r[1] = when(c, 1, func() Tensor { return g.Op("where", g.Op("lt", in[0], c.Of(1, in)), gr[0], 0.0) })
				}
				if c.In[2] != nil {
					r[2] = when(c, 2, func() Tensor { return g.Op("where", g.Op("gt", in[0], c.Of(2, in)), gr[0], 0.0) })
				}
				return r
			}, Samples: func() []Sample {
				out := samplesUnary(normal(), append(floatTypes, tensor.Int64), Num(tensor.Int(-1)), Num(tensor.Int(1)))()
				return append(out,
					Sample{Args: []Arg{T(NewSample(tensor.Float64, LayContig, 1, normal(), 3, 4)), Num(tensor.Float(0.25))}},
					Sample{Args: []Arg{T(NewSample(tensor.Float64, LayContig, 2, normal(), 3, 4)), {}, Num(tensor.Float(0.25))}},
					Sample{Args: []Arg{T(NewSample(tensor.Float64, LayContig, 3, normal(), 3, 4)), {}, T(NewSample(tensor.Float64, LayContig, 4, normal(), 4))}})
			}},
		&Def{Sig: "clamp_min(Tensor self, Tensor|Scalar min) -> Tensor", Doc: "self, at least min.", Bind: Arith,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor { return g.Ops("clamp", in[0], c.Of(1, in)) }},
		&Def{Sig: "clamp_max(Tensor self, Tensor|Scalar max) -> Tensor", Doc: "self, at most max.", Bind: Arith,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor { return g.Ops("clamp", in[0], nil, c.Of(1, in)) }},
	)
}

func alias1(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func init() {
	Register(&Def{Sig: "isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor", Doc: "|self - other| <= atol + rtol * |other|; equal infinities are close.", Bind: Usual, Promote: PromoteCompare, NoGrad: notDifferentiable,
		Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
			eq := b.Eq(x[0], x[1])
			if b.Type(x[0]) == loop.B1 {
				return eq
			}
			p, q := x[0], x[1]
			if !b.Type(p).IsFloat() {
				p, q = b.Cast(p, loop.F64), b.Cast(q, loop.F64)
			}
			t := b.Type(p)
			d := b.Abs(b.Sub(p, q))
			near := b.And(b.Le(d, b.Add(b.Num("atol", t), b.Mul(b.Num("rtol", t), b.Abs(q)))), b.Lt(d, b.Const(t, math.Inf(1))))
			r := b.Or(eq, near)
			if c.Bool("equal_nan") {
				r = b.Or(r, b.And(b.IsNaN(p), b.IsNaN(q)))
			}
			return r
		}, Samples: samplesBinary(integers(-2, 3), integers(-2, 3), []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int64}, false)})
}
