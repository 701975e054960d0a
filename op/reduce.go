package op

import (
	"math"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Reductions. Parameter "dim" absent or None means all dimensions.

// reducedMeta is the output of folding operand 0.
func reducedMeta(c *Call, d tensor.DType) tensor.Meta {
	keep := false
	for i := range c.Def.Params {
		if c.Def.Params[i].Name == "keepdim" {
			keep = c.Bool("keepdim")
		}
	}
	return tensor.Meta{DType: d, Size: Drop(c.In[0].Size, c.ReduceDims(), keep)}
}

func reducedShape(c *Call) []tensor.Meta { return []tensor.Meta{reducedMeta(c, c.DType)} }

// spread gives a reduced tensor the rank of the operand again, so that it broadcasts.
func spread(g *G, c *Call, t Tensor) Tensor {
	if len(t.Meta().Size) == len(c.In[0].Size) {
		return t
	}
	for _, d := range c.ReduceDims() {
		t = g.Op("unsqueeze", t, d)
	}
	return t
}

// over is t broadcast to operand 0's size.
func over(g *G, c *Call, t Tensor) Tensor {
	return g.Op("expand", spread(g, c, t), c.In[0].Size)
}

func needFloat(c *Call) {
	if d := c.In[0].DType; !d.IsFloat() && !c.hasDType() {
		Raise(tensor.RuntimeError, "%s(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: %s", c.Def.Base, d.ScalarName())
	}
}

func (c *Call) hasDType() bool {
	for i := range c.Def.Params {
		if c.Def.Params[i].Type == PDType {
			return c.Args[i].Kind == ArgDType
		}
	}
	return false
}

// comparable makes bool foldable by min and max.
func foldable(b *loop.Builder, x loop.V) loop.V {
	if b.Type(x) == loop.B1 {
		return b.Cast(x, loop.I32)
	}
	return x
}

// emptyDims refuses to fold an extremum over nothing.
func emptyDims(c *Call, name string, all bool) {
	m := c.In[0]
	for _, d := range c.ReduceDims() {
		if !m.Size[d].Gt(C(0)) {
			if all {
				Raise(tensor.RuntimeError, "%s(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.", name)
			}
			Raise(tensor.IndexError, "%s(): Expected reduction dim %d to have non-zero size.", name, d)
		}
	}
}

// evenly shares a gradient among the elements that equal the result.
func evenly(g *G, c *Call, in, out, gr []Tensor) []Tensor {
	mask := g.Op("eq", in[0], spread(g, c, out[0]))
	n := g.Op("sum", mask, c.ReduceDims(), true)
	if len(c.ReduceDims()) == 0 {
		return grads{gr[0]}
	}
	return grads{g.Mul(mask, g.Div(spread(g, c, gr[0]), n))}
}

// atIndex places a gradient where the index of a dim-reduction points.
func atIndex(g *G, c *Call, in, out, gr []Tensor) []Tensor {
	if gr[0] == nil {
		return grads{nil}
	}
	if len(c.In[0].Size) == 0 {
		return grads{gr[0]}
	}
	d := c.Dim("dim", len(c.In[0].Size))
	a, ix := gr[0], out[1]
	if !c.Bool("keepdim") {
		a, ix = g.Op("unsqueeze", a, d), g.Op("unsqueeze", ix, d)
	}
	return grads{g.Op("_place", a, ix, c.In[0].Size[d], d)}
}

// extremum makes the Defs of max or min: over all, over a dim with indices,
// against another tensor, and arg- and a- forms.
func extremum(name string, fold, arg loop.FoldOp) []*Def {
	types := append(append([]tensor.DType{}, floatTypes...), tensor.Int64, tensor.Uint8, tensor.Bool)
	dimSamples := func() []Sample {
		return samplesReduce(Fill{Kind: FillPerm}, types[:5], false, []Arg{IntArg(C(0))}, []Arg{IntArg(C(-1)), Bool(true)})()
	}
	argShape := func(c *Call) []tensor.Meta {
		emptyDims(c, "arg"+name, !c.Given("dim"))
		m := reducedMeta(c, tensor.Int64)
		return []tensor.Meta{m}
	}
	return []*Def{
		{Sig: name + "(Tensor self) -> Tensor", Doc: "The " + name + "imum of all elements.", Bind: Usual,
			Shape:  func(c *Call) []tensor.Meta { emptyDims(c, name, true); return reducedShape(c) },
			Reduce: &Reduction{Ops: []loop.FoldOp{fold}, Each: func(b *loop.Builder, c *Call, x, pos loop.V) []loop.V { return []loop.V{foldable(b, x)} }},
			VJP:    evenly, Samples: samplesReduce(normal(), types, false, []Arg{})},
		{Sig: name + ".dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", Doc: "The " + name + "imum along a dimension, and where it is first.", Bind: Usual,
			Shape: func(c *Call) []tensor.Meta {
				emptyDims(c, name, false)
				return []tensor.Meta{reducedMeta(c, c.DType), reducedMeta(c, tensor.Int64)}
			},
			Reduce: &Reduction{Ops: []loop.FoldOp{arg}, Each: func(b *loop.Builder, c *Call, x, pos loop.V) []loop.V { return []loop.V{foldable(b, x), pos} }},
			VJP:    atIndex, Samples: dimSamples},
		{Sig: name + ".other(Tensor self, Tensor other) -> Tensor", Doc: "Elementwise " + name + "imum.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor { return g.Ops(name+"imum", in[0], in[1]) }},
		{Sig: "a" + name + "(Tensor self, int[] dim=[], bool keepdim=False) -> Tensor", Doc: "The " + name + "imum over dimensions; ties share the gradient.", Bind: Usual | OutArg,
			Shape:  func(c *Call) []tensor.Meta { emptyDims(c, "a"+name, false); return reducedShape(c) },
			Reduce: &Reduction{Ops: []loop.FoldOp{fold}, Each: func(b *loop.Builder, c *Call, x, pos loop.V) []loop.V { return []loop.V{foldable(b, x)} }},
			VJP:    evenly, Samples: samplesReduce(normal(), types[:5], false, []Arg{}, []Arg{dims(0)}, []Arg{dims(0, 1), Bool(true)})},
		{Sig: "arg" + name + "(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", Doc: "Where the " + name + "imum is first; over the flattened tensor without dim.", Bind: Usual | OutArg, NoGrad: notDifferentiable,
			Shape: argShape,
			Reduce: &Reduction{Ops: []loop.FoldOp{arg},
				Each: func(b *loop.Builder, c *Call, x, pos loop.V) []loop.V { return []loop.V{foldable(b, x), pos} },
				Post: func(b *loop.Builder, c *Call, acc []loop.V, n loop.V) []loop.V { return acc[1:] }},
			Samples: samplesReduce(Fill{Kind: FillPerm}, types[:5], false, []Arg{{}}, []Arg{IntArg(C(0))}, []Arg{IntArg(C(-1)), Bool(true)})},
	}
}

func truthFold(name string, op loop.FoldOp) []*Def {
	red := &Reduction{Ops: []loop.FoldOp{op}, Each: func(b *loop.Builder, c *Call, x, pos loop.V) []loop.V { return []loop.V{b.Cast(x, loop.B1)} }}
	shape := func(c *Call) []tensor.Meta {
		d := tensor.Bool
		if c.In[0].DType == tensor.Uint8 {
			d = tensor.Uint8
		}
		return []tensor.Meta{reducedMeta(c, d)}
	}
	types := []tensor.DType{tensor.Bool, tensor.Float32, tensor.Int64, tensor.Uint8}
	return []*Def{
		{Sig: name + "(Tensor self) -> Tensor", Doc: "Whether " + name + " elements are nonzero.", Bind: Usual, NoGrad: notDifferentiable, Shape: shape, Reduce: red,
			Samples: samplesReduce(integers(0, 2), types, true, []Arg{})},
		{Sig: name + ".dim(Tensor self, int dim, bool keepdim=False) -> Tensor", Doc: "Whether " + name + " elements along a dimension are nonzero.", Bind: Usual, NoGrad: notDifferentiable, Shape: shape, Reduce: red,
			Samples: samplesReduce(integers(0, 2), types, true, []Arg{IntArg(C(0))}, []Arg{IntArg(C(-1)), Bool(true)})},
	}
}

// varRows computes the variance in two passes, so that it is exact to rounding.
var varRows = &Rows{
	Dims: func(c *Call) []int { return c.ReduceDims() },
	Run: func(b *loop.Builder, c *Call, r Row) {
		r.EachRow(func() {
			add := []loop.FoldOp{loop.FoldAdd}
			s := r.Fold(add, func() []loop.V { return []loop.V{r.In(0)} })[0]
			t := b.Type(s)
			n := b.Cast(r.Len(), t)
			mean := b.Div(s, n)
			q := r.Fold(add, func() []loop.V {
				d := b.Sub(r.In(0), mean)
				return []loop.V{b.Mul(d, d)}
			})[0]
			// torch: division by max(0, n - correction)
			r.Out(0, b.Div(q, b.Max(b.Sub(n, b.Num("correction", t)), b.Const(t, 0))))
		})
	},
}

func initVariance() []*Def {
	correction := func(c *Call) tensor.Number {
		if c.Given("correction") {
			return tensor.Float(float64(c.Int("correction")))
		}
		return tensor.Float(1)
	}
	unbiased := func(c *Call) tensor.Number {
		if c.Bool("unbiased") {
			return tensor.Float(1)
		}
		return tensor.Float(0)
	}
	var out []*Def
	for _, name := range []string{"var", "std"} {
		out = append(out,
			&Def{Sig: name + "(Tensor self, bool unbiased=True) -> Tensor", Doc: "Variance or standard deviation of all elements.", Bind: Usual,
				Decomp: func(g *G, c *Call, in []Tensor) []Tensor { return g.Ops("_"+name, in[0], nil, unbiased(c)) }},
			&Def{Sig: name + ".dim(Tensor self, int[]? dim, bool unbiased=True, bool keepdim=False) -> Tensor", Doc: "Variance or standard deviation over dimensions.", Bind: Usual | OutArg,
				Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
					return g.Ops("_"+name, in[0], *c.Arg("dim"), unbiased(c), c.Bool("keepdim"))
				}},
			&Def{Sig: name + ".correction(Tensor self, int[]? dim=None, *, int? correction=None, bool keepdim=False) -> Tensor", Doc: "The divisor is n - correction.", Bind: Usual | OutArg,
				Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
					return g.Ops("_"+name, in[0], *c.Arg("dim"), correction(c), c.Bool("keepdim"))
				}},
			&Def{Sig: name + "_mean(Tensor self, int[]? dim=None, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)", Doc: "The two together.", Bind: Fn,
				Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
					return grads{g.Op("_"+name, in[0], *c.Arg("dim"), unbiased(c), c.Bool("keepdim")), g.Op("mean", in[0], *c.Arg("dim"), c.Bool("keepdim"))}
				}})
	}
	fill := []Arg{{}, Num(tensor.Float(1))}
	return append(out,
		&Def{Sig: "_var(Tensor self, int[]? dim, float correction, bool keepdim=False) -> Tensor", Doc: "Variance with divisor n - correction.",
			Shape: func(c *Call) []tensor.Meta {
				if !c.In[0].DType.IsFloat() {
					Raise(tensor.RuntimeError, "std and var only support floating point and complex dtypes")
				}
				return reducedShape(c)
			}, Rows: varRows,
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				n := C(1)
				for _, d := range c.ReduceDims() {
					n = n.Mul(c.In[0].Size[d])
				}
				m := g.Op("mean", in[0], *c.Arg("dim"), true)
				k := g.Op("_scalar_size", n, c.Num("correction"), c.DType)
				return grads{g.Mul(g.Mul(spread(g, c, gr[0]), k), g.Sub(in[0], m))}
			}, Samples: samplesReduce(normal(), floatTypes, false, fill, []Arg{dims(0), Num(tensor.Float(0))}, []Arg{dims(0, -1), Num(tensor.Float(1)), Bool(true)})},
		&Def{Sig: "_std(Tensor self, int[]? dim, float correction, bool keepdim=False) -> Tensor", Doc: "Square root of _var; its gradient at 0 is 0.",
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				return g.Ops("sqrt", g.Op("_var", in[0], *c.Arg("dim"), c.Num("correction"), c.Bool("keepdim")))
			},
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				n := C(1)
				for _, d := range c.ReduceDims() {
					n = n.Mul(c.In[0].Size[d])
				}
				m := g.Op("mean", in[0], *c.Arg("dim"), true)
				k := g.Op("_scalar_size", n, c.Num("correction"), in[0].Meta().DType)
				s := g.Op("masked_fill", g.Div(gr[0], g.Mul(out[0], 2)), g.Op("eq", out[0], 0), 0.0)
				return grads{g.Mul(g.Mul(spread(g, c, s), k), g.Sub(in[0], m))}
			}, Samples: samplesReduce(normal(), floatTypes[:2], false, fill, []Arg{dims(0), Num(tensor.Float(0))})},
		&Def{Sig: "_scalar_size(SymInt n, float correction, dtype dtype) -> Tensor", Doc: "2 / (n - correction), a 0-dim tensor: sizes are run-time operands.", NoGrad: "it has no tensor operand",
			Shape: func(c *Call) []tensor.Meta { return []tensor.Meta{{DType: c.Arg("dtype").DT}} },
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
				t := loop.TypeOf(c.Arg("dtype").DT)
				return b.Div(b.Const(t, 2), b.Sub(b.Cast(b.Size(c.Sym("n")), t), b.Num("correction", t)))
			}})
}

func init() {
	sumTypes := append(append([]tensor.DType{}, floatTypes...), tensor.Int64, tensor.Int32, tensor.Uint8, tensor.Bool)
	spreads := [][]Arg{{}, {dims(0)}, {dims(-1), Bool(true)}, {dims(0, 1)}}
	Register(
		&Def{Sig: "sum(Tensor self, int[]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor", Doc: "Sum over dimensions.", Bind: Usual | OutArg, Promote: PromoteInt,
			Shape: reducedShape, Reduce: &Reduction{Ops: []loop.FoldOp{loop.FoldAdd}},
			VJP:     func(g *G, c *Call, in, out, gr []Tensor) []Tensor { return grads{over(g, c, gr[0])} },
			Samples: samplesReduce(normal(), sumTypes, true, spreads...)},
		&Def{Sig: "mean(Tensor self, int[]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor", Doc: "Mean over dimensions.", Bind: Usual | OutArg, Promote: PromoteInt, Keeps: func(c *Call) bool { return c.Given("dim") },
			Shape: func(c *Call) []tensor.Meta {
				needFloat(c)
				return reducedShape(c)
			},
			Reduce: &Reduction{Ops: []loop.FoldOp{loop.FoldAdd}, Post: func(b *loop.Builder, c *Call, acc []loop.V, n loop.V) []loop.V {
				return []loop.V{b.Div(acc[0], b.Cast(n, b.Type(acc[0])))}
			}},
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				n := C(1)
				for _, d := range c.ReduceDims() {
					n = n.Mul(c.In[0].Size[d])
				}
				k := g.Op("_scalar_size", n, 0.0, c.DType) // 2/n
				return grads{over(g, c, g.Mul(g.Mul(gr[0], k), 0.5))}
			}, Samples: samplesReduce(normal(), floatTypes, true, spreads...)},
		&Def{Sig: "prod(Tensor self, *, dtype? dtype=None) -> Tensor", Doc: "Product of all elements.", Bind: Usual, Promote: PromoteInt,
			Shape: reducedShape, Reduce: &Reduction{Ops: []loop.FoldOp{loop.FoldMul}}, VJP: prodVJP,
			Samples: samplesReduce(integers(-2, 3), sumTypes[:6], true, []Arg{})},
		&Def{Sig: "prod.dim_int(Tensor self, int dim, bool keepdim=False, *, dtype? dtype=None) -> Tensor", Doc: "Product along a dimension.", Bind: Usual, Promote: PromoteInt,
			Shape: reducedShape, Reduce: &Reduction{Ops: []loop.FoldOp{loop.FoldMul}}, VJP: prodVJP,
			Samples: samplesReduce(integers(-2, 3), sumTypes[:6], true, []Arg{IntArg(C(0))}, []Arg{IntArg(C(-1)), Bool(true)})},
		&Def{Sig: "_prod_backward(Tensor grad, Tensor self, int[] dim) -> Tensor", Doc: "Gradient of prod, right also where elements are 0.", NoGrad: "second derivatives of prod are not implemented", Unwritten: true,
			Shape: func(c *Call) []tensor.Meta { return []tensor.Meta{{DType: c.In[1].DType, Size: c.In[1].Size}} },
			Rows: &Rows{
				Frame: func(c *Call) []SymInt { return c.In[1].Size },
				Dims:  func(c *Call) []int { return c.Dims("dim", len(c.In[1].Size)) },
				Run: func(b *loop.Builder, c *Call, r Row) {
					r.EachRow(func() {
						p := r.Fold([]loop.FoldOp{loop.FoldMul, loop.FoldAdd}, func() []loop.V {
							x := r.In(1)
							one, zero := b.Like(x, 1), b.Like(x, 0)
							z := b.Eq(x, zero)
							return []loop.V{b.Select(z, one, x), b.Select(z, one, zero)}
						})
						r.Pass(func() {
							x, gr := r.In(1), r.In(0)
							zero, one := b.Like(x, 0), b.Like(x, 1)
							d := b.Select(b.Eq(p[1], zero), b.Div(p[0], x), b.Select(b.And(b.Eq(p[1], one), b.Eq(x, zero)), p[0], zero))
							r.Out(0, b.Mul(gr, d))
						})
					})
				}},
			Samples: func() []Sample {
				return []Sample{{Args: []Arg{T(NewSample(tensor.Float64, LayContig, 1, normal(), 3, 1)), T(NewSample(tensor.Float64, LayTrans, 2, integers(-2, 3), 3, 4)), dims(1)}}}
			}},
		&Def{Sig: "_place(Tensor grad, Tensor index, SymInt size, int dim) -> Tensor", Doc: "Zeros of size along dim, with grad where index points.",
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				return grads{g.Op("gather", gr[0], c.Int("dim"), in[1]), nil}
			},
			Shape: func(c *Call) []tensor.Meta {
				s := append([]SymInt(nil), c.In[0].Size...)
				s[c.Int("dim")] = c.Sym("size")
				return []tensor.Meta{{DType: c.In[0].DType, Size: s}}
			},
			Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V {
				d := c.Int("dim")
				src := append([]loop.Ix(nil), at...)
				src[d] = loop.IxInt(C(0))
				v := b.At(0, src, 0)
				return b.Select(b.Eq(b.At(1, src, 0), b.Idx(at[d])), v, b.Like(v, 0))
			},
			Samples: func() []Sample {
				return []Sample{{Args: []Arg{T(NewSample(tensor.Float64, LayContig, 1, normal(), 3, 1)), T(NewSample(tensor.Int64, LayContig, 2, integers(0, 4), 3, 1)), IntArg(C(4)), IntArg(C(1))}}}
			}},
	)
	Register(extremum("max", loop.FoldMax, loop.FoldArgMax)...)
	Register(extremum("min", loop.FoldMin, loop.FoldArgMin)...)
	Register(truthFold("all", loop.FoldAnd)...)
	Register(truthFold("any", loop.FoldOr)...)
	Register(initVariance()...)
	Register(
		&Def{Sig: "_norm2(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", Doc: "Euclidean norm; its gradient at 0 is 0.", Promote: PromoteFloat, Shape: reducedShape,
			Reduce: &Reduction{Ops: []loop.FoldOp{loop.FoldAdd},
				Each: func(b *loop.Builder, c *Call, x, pos loop.V) []loop.V { return []loop.V{b.Mul(x, x)} },
				Post: func(b *loop.Builder, c *Call, acc []loop.V, n loop.V) []loop.V { return []loop.V{b.Sqrt(acc[0])} }},
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				n := spread(g, c, out[0])
				k := g.Op("masked_fill", g.Div(spread(g, c, gr[0]), n), g.Op("eq", n, 0), 0.0)
				return grads{g.Mul(in[0], k)}
			}, Samples: samplesReduce(normal(), floatTypes, true, spreads...)},
		&Def{Sig: "norm(Tensor self, Scalar? p=2, int[]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor", Doc: "p-norm over dimensions.", Bind: Usual,
			Decomp:  func(g *G, c *Call, in []Tensor) []Tensor { return grads{pNorm(g, c, in[0], normP(c))} },
			Samples: samplesReduce(normal(), floatTypes[:2], false, []Arg{}, []Arg{Num(tensor.Int(1)), dims(0)}, []Arg{Num(tensor.Float(math.Inf(1))), dims(-1), Bool(true)}, []Arg{Num(tensor.Float(3)), dims(0)})},
		&Def{Sig: "norm.fro(Tensor self, str p, int[]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor", Doc: "Norm by name: 'fro'.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				if p := c.Str("p"); p != "fro" {
					Raise(tensor.NotImplementedError, "norm with p='%s' is not implemented", p)
				}
				return grads{pNorm(g, c, in[0], 2)}
			}},
		&Def{Sig: "logsumexp(Tensor self, int[] dim, bool keepdim=False) -> Tensor", Doc: "log(sum(exp(self))), without overflow.", Bind: Usual | OutArg, Promote: PromoteFloat, Shape: reducedShape,
			Rows: &Rows{Dims: func(c *Call) []int { return c.ReduceDims() },
				Run: func(b *loop.Builder, c *Call, r Row) {
					r.EachRow(func() { r.Out(0, logSumExp(b, r)) })
				}},
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				return grads{g.Mul(spread(g, c, gr[0]), g.Op("exp", g.Sub(in[0], spread(g, c, out[0]))))}
			}, Samples: samplesReduce(normal(), floatTypes, false, []Arg{dims(0)}, []Arg{dims(-1), Bool(true)}, []Arg{dims(0, 1)})},
		&Def{Sig: "count_nonzero(Tensor self, int[]? dim=None) -> Tensor", Doc: "How many elements are nonzero.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				return g.Ops("sum", g.Op("ne", in[0], 0), *c.Arg("dim"))
			}},
	)
}

// logSumExp, inside a row: the stable log of the sum of exp of operand 0. A row
// whose maximum is infinite yields that maximum.
func logSumExp(b *loop.Builder, r Row) loop.V {
	m := r.Fold([]loop.FoldOp{loop.FoldMax}, func() []loop.V { return []loop.V{r.In(0)} })[0]
	m = b.Select(b.Eq(b.Abs(m), b.Like(m, math.Inf(1))), b.Like(m, 0), m)
	s := r.Fold([]loop.FoldOp{loop.FoldAdd}, func() []loop.V { return []loop.V{b.Exp(b.Sub(r.In(0), m))} })[0]
	return b.Add(m, b.Log(s))
}

func prodVJP(g *G, c *Call, in, out, gr []Tensor) []Tensor {
	x := g.Cast(in[0], c.DType)
	if len(c.In[0].Size) == 0 {
		return grads{gr[0]}
	}
	return grads{g.Op("_prod_backward", spread(g, c, gr[0]), x, c.ReduceDims())}
}

func normP(c *Call) float64 {
	if !c.Given("p") {
		return 2
	}
	return c.Num("p").Float64()
}

// pNorm branches on the value of p: the number is structure here.
func pNorm(g *G, c *Call, x Tensor, p float64) Tensor {
	dim, keep := *c.Arg("dim"), c.Bool("keepdim")
	if d := c.DTypeOr("dtype", x.Meta().DType); d != x.Meta().DType {
		x = g.Cast(x, d)
	}
	if !x.Meta().DType.IsFloat() {
		Raise(tensor.RuntimeError, "linalg.vector_norm: Expected a floating point or complex tensor as input. Got %s", x.Meta().DType.ScalarName())
	}
	list := dim
	if dim.Kind == ArgNone {
		list = dims()
	}
	switch p {
	case 2:
		return g.Op("_norm2", x, dim, keep)
	case 1:
		return g.Op("sum", g.Op("abs", x), dim, keep)
	case 0:
		return g.Op("sum", g.Cast(g.Op("ne", x, 0), x.Meta().DType), dim, keep)
	case math.Inf(1):
		return g.Op("amax", g.Op("abs", x), list, keep)
	case math.Inf(-1):
		return g.Op("amin", g.Op("abs", x), list, keep)
	}
	return g.Op("pow", g.Op("sum", g.Op("pow", g.Op("abs", x), p), dim, keep), 1/p)
}
