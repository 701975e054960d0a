package op

import (
	"math"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Inverse hyperbolic functions and a few that build on logarithm and sine.

func init() {
	half := func(b *loop.Builder, x loop.V) loop.V { return b.Mul(x, b.Like(x, 0.5)) }
	one := func(b *loop.Builder, x loop.V) loop.V { return b.Like(x, 1) }
	reg := func(name, doc string, aliases []string, lo, hi float64, body func(b *loop.Builder, x loop.V) loop.V, vjp func(g *G, x, dy Tensor) Tensor) {
		Register(&Def{
			Sig: name + "(Tensor self) -> Tensor", Doc: doc, Aliases: aliases, Bind: Arith, Promote: PromoteFloat,
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V { return body(b, x[0]) },
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{vjp(g, g.Cast(in[0], grad[0].Meta().DType), grad[0])}
			},
			Samples: samplesUnary(uniform(lo, hi), floatTypes),
		})
	}
	reg("asinh", "Inverse hyperbolic sine.", []string{"arcsinh"}, -4, 4, func(b *loop.Builder, x loop.V) loop.V {
		// log1p(|x| + x²/(1 + sqrt(x²+1))), odd; beyond 1e9 the square would overflow first
		a := b.Abs(x)
		sq := b.Mul(a, a)
		y := b.Log1p(b.Add(a, b.Div(sq, b.Add(one(b, x), b.Sqrt(b.Add(sq, one(b, x)))))))
		y = b.Select(b.Gt(a, b.Like(x, 1e9)), b.Add(b.Log(a), b.Like(x, math.Ln2)), y)
		return b.Select(b.Lt(x, b.Like(x, 0)), b.Neg(y), b.Select(b.Eq(x, b.Like(x, 0)), x, y))
	}, func(g *G, x, dy Tensor) Tensor { return g.Mul(dy, g.Op("rsqrt", g.Add(g.Mul(x, x), 1))) })
	reg("acosh", "Inverse hyperbolic cosine.", []string{"arccosh"}, 1.1, 5, func(b *loop.Builder, x loop.V) loop.V {
		t := b.Sub(x, one(b, x))
		return b.Log1p(b.Add(t, b.Sqrt(b.Add(b.Mul(t, t), b.Add(t, t)))))
	}, func(g *G, x, dy Tensor) Tensor { return g.Mul(dy, g.Op("rsqrt", g.Sub(g.Mul(x, x), 1))) })
	reg("atanh", "Inverse hyperbolic tangent.", []string{"arctanh"}, -0.9, 0.9, func(b *loop.Builder, x loop.V) loop.V {
		return half(b, b.Sub(b.Log1p(x), b.Log1p(b.Neg(x))))
	}, func(g *G, x, dy Tensor) Tensor { return g.Div(dy, g.Add(g.Neg(g.Mul(x, x)), 1)) })
	reg("sinc", "sin(πx)/(πx), 1 at 0.", nil, 0.1, 3, func(b *loop.Builder, x loop.V) loop.V {
		p := b.Mul(x, b.Like(x, math.Pi))
		return b.Select(b.Eq(x, b.Like(x, 0)), one(b, x), b.Div(b.Sin(p), p))
	}, func(g *G, x, dy Tensor) Tensor {
		p := g.Mul(x, math.Pi)
		d := g.Div(g.Sub(g.Mul(p, g.Op("cos", p)), g.Op("sin", p)), g.Mul(p, x))
		return g.Mul(dy, g.Op("masked_fill.Scalar", d, g.Op("eq", x, 0), 0))
	})
	Register(
		&Def{
			Sig: "logit(Tensor self, float? eps=None) -> Tensor", Doc: "log(x / (1 - x)), with x clamped to eps … 1-eps if eps is given.", Bind: Arith | Special,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				x := in[0]
				if !x.Meta().DType.IsFloat() {
					x = g.Cast(x, c.Default)
				}
				if c.Given("eps") {
					e := c.Num("eps")
					x = g.Op("clamp", x, e, tensor.Float(1).Minus(e))
				}
				return []Tensor{g.Op("log", g.Div(x, g.Add(g.Neg(x), 1)))}
			},
			Samples: func() []Sample {
				s := samplesOf("logit")
				return s.add(s.pos(3, 4)).add(s.make(tensor.Float32, LayTrans, Fill{Kind: FillUniform, Lo: 0.1, Hi: 0.9}, []int64{3, 4})).add(s.make(tensor.Float64, LayStep, Fill{Kind: FillUniform, Lo: 0.1, Hi: 0.9}, []int64{5}), 0.2).add(s.pos()).add(s.pos(0)).done()
			},
		},
		&Def{
			Sig: "ravel(Tensor(a) self) -> Tensor(a)", Doc: "One dimension: a view where strides allow, else a copy.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				return []Tensor{g.reshape(g.contiguous(in[0]), []SymInt{C(-1)})}
			},
			Samples: func() []Sample {
				s := samplesOf("ravel").each([]int64{2, 3})
				return s.add(s.f()).add(s.f(0, 2)).done()
			},
		},
		&Def{
			Sig: "trace(Tensor self) -> Tensor", Doc: "The sum of a matrix's diagonal.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				if r := c.In[0].Rank(); r != 2 {
					Raise(tensor.RuntimeError, "trace: expected a matrix, but got tensor with dim %d", r)
				}
				return []Tensor{g.Op("sum", g.Op("diagonal", in[0]))}
			},
			Samples: func() []Sample {
				s := samplesOf("trace").each([]int64{3, 4})
				return s.add(s.f(0, 3)).raises(tensor.RuntimeError, s.f(3)).done()
			},
		},
		&Def{
			Sig: "diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor", Doc: "Differences of neighbours, n times.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				if c.In[0].Rank() == 0 {
					Raise(tensor.RuntimeError, "diff expects input to be at least one-dimensional")
				}
				if c.Int("n") < 0 {
					Raise(tensor.RuntimeError, "order must be non-negative but got %d", c.Int("n"))
				}
				d := c.Dim("dim", c.In[0].Rank())
				var l []Tensor
				for _, t := range []Tensor{in[1], in[0], in[2]} {
					if t != nil {
						l = append(l, t)
					}
				}
				x := in[0]
				if len(l) > 1 {
					x = g.Op("cat", l, d)
				}
				for range c.Int("n") {
					k := x.Meta().Size[d]
					if k.Lt(C(1)) {
						break
					}
					a, b := g.Op("narrow", x, d, 1, k.Sub(C(1))), g.Op("narrow", x, d, 0, k.Sub(C(1)))
					if x.Meta().DType == tensor.Bool {
						x = g.Op("logical_xor", a, b)
					} else {
						x = g.Sub(a, b)
					}
				}
				return []Tensor{x}
			},
			Samples: func() []Sample {
				s := samplesOf("diff").each([]int64{3, 4})
				return s.add(s.f(5), 2).add(s.f(3, 2), 1, 0, s.f(1, 2), s.f(2, 2)).add(s.f(0, 3)).add(s.b(5)).raises(tensor.RuntimeError, s.f()).done()
			},
		},
		&Def{
			Sig: "cdist(Tensor x1, Tensor x2, float p=2.0, str? compute_mode=None) -> Tensor", Doc: "p-norm distances of all pairs of rows.", Bind: Fn,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				a, b := in[0].Meta(), in[1].Meta()
				if a.Rank() < 2 || b.Rank() < 2 {
					Raise(tensor.RuntimeError, "cdist only supports at least 2D tensors, X1 got: %dD", a.Rank())
				}
				if !a.Size[a.Rank()-1].Eq(b.Size[b.Rank()-1]) {
					Raise(tensor.RuntimeError, "X1 and X2 must have the same number of columns. X1: %d X2: %d", a.Size[a.Rank()-1].Hint(), b.Size[b.Rank()-1].Hint())
				}
				d := g.Sub(g.Op("unsqueeze", in[0], -2), g.Op("unsqueeze", in[1], -3))
				return []Tensor{g.Op("norm", d, c.Num("p"), []int{-1})}
			},
			Samples: func() []Sample {
				s := samplesOf("cdist")
				for _, l := range layouts {
					s.add(s.lay(l, 2, 3), s.lay(l, 4, 3))
				}
				return s.add(s.f(2, 3, 2), s.f(2, 4, 2), 1.0).add(s.f(0, 3), s.f(2, 3)).raises(tensor.RuntimeError, s.f(2, 3), s.f(2, 2)).done()
			},
		},
		&Def{
			Sig: "empty_strided(SymInt[] size, SymInt[] stride, *" + factoryTail, Doc: "A tensor of given strides, values as empty's.", Bind: Fn, NoGrad: noGradNew,
			Shape: func(c *Call) []tensor.Meta {
				if len(c.Syms("size")) != len(c.Syms("stride")) {
					Raise(tensor.RuntimeError, "mismatch in length of strides and shape")
				}
				return []tensor.Meta{{Size: newSize(c), Stride: c.Syms("stride"), DType: c.DTypeOr("dtype", c.Default)}}
			},
			Index: func(b *loop.Builder, c *Call, _ []loop.Ix) loop.V {
				return b.Const(loop.TypeOf(c.Out[0].DType), 0)
			},
			Samples: func() []Sample {
				s := samplesOf("empty_strided")
				return s.add([]int{2, 3}, []int{1, 2}).add([]int{2}, []int{3}).add([]int{}, []int{}).done()
			},
		},
		&Def{
			Sig: "aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)", Doc: "Minimum and maximum, over a dimension or all.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				var d []int
				if c.Given("dim") {
					d = []int{c.Int("dim")}
				}
				return []Tensor{g.Op("amin", in[0], d, c.Bool("keepdim")), g.Op("amax", in[0], d, c.Bool("keepdim"))}
			},
			Samples: func() []Sample {
				s := samplesOf("aminmax")
				for _, l := range layouts {
					s.add(s.distinct(l, 3, 4), KW{"dim", 1}).add(s.distinct(l, 3, 4))
				}
				return s.add(s.f()).done()
			},
		},
	)
}
