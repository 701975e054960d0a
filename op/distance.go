package op

import (
	"github.com/larkspur-ml/larkspur/tensor"
)

// Norm-based compositions of two tensors or of one along a dimension.

func distanceSamples(more ...Arg) func() []Sample {
	return func() (out []Sample) {
		for i, d := range floatTypes[:2] {
			s := uint64(20*i + 1)
			for k, l := range []Lay{LayContig, LayTrans, LayOffset} {
				out = append(out, Sample{Args: append([]Arg{T(NewSample(d, l, s+uint64(k), normal(), 3, 4)), T(NewSample(d, LayContig, s+9, normal(), 3, 4))}, more...)})
			}
		}
		return out
	}
}

func init() {
	Register(
		&Def{Sig: "normalize(Tensor self, float p=2.0, int dim=1, float eps=1e-12) -> Tensor", Doc: "self divided by its p-norm along dim, at least eps.", Bind: NN,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				n := g.Op("norm", in[0], c.Num("p"), []int{c.Int("dim")}, true)
				return grads{g.Div(in[0], g.Op("expand", g.Op("clamp_min", n, c.Num("eps")), c.In[0].Size))}
			},
			Samples: samplesReduce(normal(), floatTypes[:2], false, []Arg{Num(tensor.Float(2)), IntArg(C(0))}, []Arg{Num(tensor.Float(1)), IntArg(C(-1))})},
		&Def{Sig: "cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor", Doc: "Cosine of the angle between two tensors along dim.", Bind: NN | Fn,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				d := []int{c.Int("dim")}
				dot := g.Op("sum", g.Mul(in[0], in[1]), d)
				n1 := g.Op("clamp_min", g.Op("_norm2", in[0], d), c.Num("eps"))
				n2 := g.Op("clamp_min", g.Op("_norm2", in[1], d), c.Num("eps"))
				return grads{g.Div(dot, g.Mul(n1, n2))}
			}, Samples: distanceSamples(IntArg(C(1)))},
		&Def{Sig: "pairwise_distance(Tensor x1, Tensor x2, float p=2.0, float eps=1e-06, bool keepdim=False) -> Tensor", Doc: "p-norm of x1 - x2 + eps along the last dimension.", Bind: NN | Fn,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				return g.Ops("norm", g.Add(g.Sub(in[0], in[1]), c.Num("eps")), c.Num("p"), []int{-1}, c.Bool("keepdim"))
			}, Samples: distanceSamples(Num(tensor.Float(2)))},
		&Def{Sig: "nansum(Tensor self, int[]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor", Doc: "Sum with NaN as 0.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				x := in[0]
				if x.Meta().DType.IsFloat() {
					x = g.Op("where", g.Op("isnan", x), 0.0, x)
				}
				return g.Ops("sum", x, *c.Arg("dim"), c.Bool("keepdim"), *c.Arg("dtype"))
			}, Samples: samplesReduce(normal(), floatTypes[:2], true, []Arg{}, []Arg{dims(0)})},
		&Def{Sig: "margin_ranking_loss(Tensor self, Tensor other, Tensor target, float margin=0.0, bool? size_average=None, bool? reduce=None, str reduction='mean') -> Tensor", Doc: "max(0, -target (self - other) + margin).", Bind: NN | Fn,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				l := g.Op("relu", g.Add(g.Neg(g.Mul(in[2], g.Sub(in[0], in[1]))), c.Num("margin")))
				return grads{reduction(g, c, l)}
			}},
		&Def{Sig: "soft_margin_loss(Tensor self, Tensor target, bool? size_average=None, bool? reduce=None, str reduction='mean') -> Tensor", Doc: "log(1 + exp(-target self)).", Bind: NN,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				return grads{reduction(g, c, g.Op("log1p", g.Op("exp", g.Neg(g.Mul(in[1], in[0])))))}
			}, Samples: lossSamples(normal(), uniform(-1, 1))},
		&Def{Sig: "triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2.0, float eps=1e-06, bool swap=False, bool? size_average=None, bool? reduce=None, str reduction='mean') -> Tensor", Doc: "max(0, d(anchor, positive) - d(anchor, negative) + margin).", Bind: NN | Fn,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				dist := func(a, b Tensor) Tensor { return g.Op("pairwise_distance", a, b, c.Num("p"), c.Num("eps")) }
				dp, dn := dist(in[0], in[1]), dist(in[0], in[2])
				if c.Bool("swap") {
					dn = g.Op("minimum", dn, dist(in[1], in[2]))
				}
				return grads{reduction(g, c, g.Op("relu", g.Add(g.Sub(dp, dn), c.Num("margin"))))}
			}},
	)
}
