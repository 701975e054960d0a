package op

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Normalisation. layer_norm, group_norm, instance_norm and batch_norm are one
// Rows program, _normalize, over different dimensions and views.

// keptOne is operand 0's size with 1 in the row dimensions.
func keptOne(c *Call, k int, dims []int) []SymInt { return Drop(c.In[k].Size, dims, true) }

func normDims(c *Call) []int { return c.Dims("dim", len(c.In[c.Operand("self")].Size)) }

// rowStats folds mean and biased variance of operand k over the row.
func rowStats(b *loop.Builder, r Row, k int) (mean, variance loop.V) {
	s := r.Fold(foldAdd, func() []loop.V { return []loop.V{r.In(k)} })[0]
	n := b.Cast(r.Len(), b.Type(s))
	mean = b.Div(s, n)
	q := r.Fold(foldAdd, func() []loop.V {
		d := b.Sub(r.In(k), mean)
		return []loop.V{b.Mul(d, d)}
	})[0]
	return mean, b.Div(q, n)
}

func rstdV(b *loop.Builder, variance loop.V) loop.V {
	return b.Recip(b.Sqrt(b.Add(variance, b.Num("eps", b.Type(variance)))))
}

// as casts an operand (weights may have another float dtype) to x's type.
func as(b *loop.Builder, v, x loop.V) loop.V { return b.Cast(v, b.Type(x)) }

func statsDType(c *Call) tensor.DType {
	if d := c.In[c.Operand("self")].DType; d.Is16() {
		return tensor.Float32
	}
	return c.In[c.Operand("self")].DType
}

// channels views a [C] tensor over [N, C, …] of the given rank.
func channels(g *G, t Tensor, rank int) Tensor {
	if t == nil {
		return nil
	}
	for range rank - 2 {
		t = g.Op("unsqueeze", t, -1)
	}
	return t
}

func checkFloat(c *Call, name string) {
	if d := c.In[0].DType; !d.IsFloat() {
		Raise(tensor.RuntimeError, "\"%s\" not implemented for '%s'", name, d.ScalarName())
	}
}

func normalizedDims(c *Call) []int {
	shape, size := c.Syms("normalized_shape"), c.In[0].Size
	if len(shape) == 0 {
		Raise(tensor.RuntimeError, "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = []")
	}
	k := len(size) - len(shape)
	if k < 0 || !equalSizes(size[k:], shape) {
		rest := ShapeText(shape)
		Raise(tensor.RuntimeError, "Given normalized_shape=%s, expected input with shape [*, %s, but got input of size%s", rest, rest[1:], ShapeText(size))
	}
	d := make([]int, len(shape))
	for i := range d {
		d[i] = k + i
	}
	for _, name := range []string{"weight", "bias"} {
		for i := range c.Def.Params {
			if c.Def.Params[i].Name != name {
				continue
			}
			if m := c.In[c.Operand(name)]; m != nil && !equalSizes(m.Size, shape) {
				Raise(tensor.RuntimeError, "Expected %s to be of same shape as normalized_shape, but got %s of shape %s and normalized_shape = %s", name, name, ShapeText(m.Size), ShapeText(shape))
			}
		}
	}
	return d
}

func equalSizes(a, b []SymInt) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !a[i].Eq(b[i]) {
			return false
		}
	}
	return true
}

func init() {
	Register(
		&Def{Sig: "_normalize(Tensor self, int[] dim, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor mean, Tensor var)",
			Doc: "(self - mean) / sqrt(var + eps) * weight + bias over dims; weight and bias align to the right.",
			Shape: func(c *Call) []tensor.Meta {
				d := normDims(c)
				k := keptOne(c, 0, d)
				st := statsDType(c)
				return []tensor.Meta{{DType: c.In[0].DType, Size: c.In[0].Size}, {DType: st, Size: k}, {DType: st, Size: k}}
			},
			Rows: &Rows{Dims: normDims, Run: func(b *loop.Builder, c *Call, r Row) {
				r.EachRow(func() {
					mean, va := rowStats(b, r, 0)
					r.Out(1, mean)
					r.Out(2, va)
					k := rstdV(b, va)
					r.Pass(func() {
						y := b.Mul(b.Sub(r.In(0), mean), k)
						if r.Has(1) {
							y = b.Mul(y, as(b, r.In(1), y))
						}
						if r.Has(2) {
							y = b.Add(y, as(b, r.In(2), y))
						}
						r.Out(0, y)
					})
				})
			}},
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				d, eps := normDims(c), c.Num("eps")
				var dx Tensor
				if gr[0] != nil && c.NeedsGrad(0) {
					dx = g.Op("_normalize_backward", gr[0], in[0], out[1], out[2], in[1], d, eps)
				}
				if c.NeedsGrad(0) {
					dx = vjpNormalizeStats(g, c, in, out, gr, d, dx)
				}
				if gr[0] == nil {
					return grads{dx, nil, nil}
				}
				return grads{
					dx,
					when(c, 1, func() Tensor { return g.Op("_normalized_times", gr[0], in[0], out[1], out[2], eps) }),
					when(c, 2, func() Tensor { return gr[0] })}
			},
			Samples: func() (out []Sample) {
				for i, t := range floatTypes {
					s := uint64(40*i + 1)
					w, bi := NewSample(t, LayContig, s+1, uniform(0.5, 2), 4), NewSample(t, LayContig, s+2, normal(), 4)
					for j, l := range []Lay{LayContig, LayTrans, LayExpanded, LayOffset} {
						out = append(out, Sample{Args: []Arg{T(NewSample(t, l, s+3+uint64(j), normal(), 3, 4)), dims(1), T(w), T(bi), Num(tensor.Float(1e-5))}})
					}
					out = append(out, Sample{Args: []Arg{T(NewSample(t, LayContig, s+9, normal(), 2, 3, 4)), dims(0, 2), {}, {}, Num(tensor.Float(1e-5))}})
				}
				return
			}},
		&Def{Sig: "_normalize_backward(Tensor grad, Tensor self, Tensor mean, Tensor var, Tensor? weight, int[] dim, float eps) -> Tensor", Doc: "Gradient of _normalize for self.",
			VJP:   vjpNormalizeBackward,
			Shape: func(c *Call) []tensor.Meta { return []tensor.Meta{{DType: c.In[1].DType, Size: c.In[1].Size}} },
			Rows: &Rows{Dims: normDims, Frame: func(c *Call) []SymInt { return c.In[1].Size },
				Run: func(b *loop.Builder, c *Call, r Row) {
					r.EachRow(func() {
						mean, k := r.In(2), rstdV(b, r.In(3))
						gw := func() loop.V {
							v := as(b, r.In(0), mean)
							if r.Has(4) {
								v = b.Mul(v, as(b, r.In(4), v))
							}
							return v
						}
						hat := func() loop.V { return b.Mul(b.Sub(r.In(1), mean), k) }
						s := r.Fold([]loop.FoldOp{loop.FoldAdd, loop.FoldAdd}, func() []loop.V {
							v := gw()
							return []loop.V{v, b.Mul(v, hat())}
						})
						n := b.Cast(r.Len(), b.Type(mean))
						a, q := b.Div(s[0], n), b.Div(s[1], n)
						r.Pass(func() { r.Out(0, b.Mul(k, b.Sub(b.Sub(gw(), a), b.Mul(hat(), q)))) })
					})
				}},
			Samples: func() []Sample {
				f := func(l Lay, s uint64, size ...int64) Arg { return T(NewSample(tensor.Float64, l, s, normal(), size...)) }
				v := T(NewSample(tensor.Float64, LayContig, 9, uniform(0.5, 2), 3, 1))
				return []Sample{{Args: []Arg{f(LayContig, 1, 3, 4), f(LayTrans, 2, 3, 4), f(LayContig, 3, 3, 1), v, f(LayContig, 4, 4), dims(1), Num(tensor.Float(1e-5))}},
					{Args: []Arg{f(LayExpanded, 1, 3, 4), f(LayContig, 2, 3, 4), f(LayContig, 3, 3, 1), v, {}, dims(1), Num(tensor.Float(1e-5))}}}
			}},
		&Def{Sig: "_normalized_times(Tensor grad, Tensor self, Tensor mean, Tensor var, float eps) -> Tensor", Doc: "grad * (self - mean) / sqrt(var + eps): what a weight's gradient sums.", Promote: PromoteArith,
			VJP: vjpNormalizedTimes,
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
				return b.Mul(x[0], b.Mul(b.Sub(x[1], x[2]), rstdV(b, x[3])))
			}, Samples: func() []Sample {
				f := func(l Lay, s uint64, size ...int64) Arg { return T(NewSample(tensor.Float64, l, s, normal(), size...)) }
				return []Sample{{Args: []Arg{f(LayContig, 1, 3, 4), f(LayTrans, 2, 3, 4), f(LayContig, 3, 3, 1), T(NewSample(tensor.Float64, LayContig, 9, uniform(0.5, 2), 3, 1)), Num(tensor.Float(1e-5))}}}
			}},
		&Def{Sig: "layer_norm(Tensor self, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enable=True) -> Tensor", Doc: "Normalises the last dimensions.", Bind: Fn | NN,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				d := normalizedDims(c)
				checkFloat(c, "LayerNormKernelImpl")
				return grads{g.Ops("_normalize", in[0], d, in[1], in[2], c.Num("eps"))[0]}
			},
			Samples: func() (out []Sample) {
				for i, t := range floatTypes {
					s := uint64(40*i + 1)
					w, bi := T(NewSample(t, LayContig, s+1, uniform(0.5, 2), 4)), T(NewSample(t, LayContig, s+2, normal(), 4))
					for j, l := range []Lay{LayContig, LayTrans, LayExpanded, LayOffset} {
						out = append(out, Sample{Args: []Arg{T(NewSample(t, l, s+3+uint64(j), normal(), 3, 4)), dims(4), w, bi}})
					}
					out = append(out, Sample{Args: []Arg{T(NewSample(t, LayContig, s+9, normal(), 2, 3, 4)), dims(3, 4)}}, Sample{Args: []Arg{T(NewSample(t, LayContig, s+9, normal(), 0, 4)), dims(4), w, bi}})
				}
				return
			}},
		&Def{Sig: "group_norm(Tensor self, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enabled=True) -> Tensor", Doc: "Normalises groups of channels.", Bind: Fn | NN,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				size, n := c.In[0].Size, C(int64(c.Int("num_groups")))
				if len(size) < 2 {
					Raise(tensor.RuntimeError, "Expected at least 2 dimensions for input tensor but received %d", len(size))
				}
				if !size[1].Mod(n).Eq(C(0)) {
					Raise(tensor.RuntimeError, "Expected number of channels in input to be divisible by num_groups, but got input of shape %s and num_groups=%d", ShapeText(size), n.Must())
				}
				for i, what := range []string{"weight", "bias"} {
					if m := c.In[1+i]; m != nil && (len(m.Size) != 1 || !m.Size[0].Eq(size[1])) {
						Raise(tensor.RuntimeError, "Expected %s to be a vector of size equal to the number of channels in input, but got %s of shape %s and input of shape %s", what, what, ShapeText(m.Size), ShapeText(size))
					}
				}
				per := size[1].Div(n)
				x := g.Op("reshape", in[0], []SymInt{size[0], n, per, sizeProduct(size[2:])})
				view := func(t Tensor) Tensor {
					if t == nil {
						return nil
					}
					return g.Op("reshape", t, []SymInt{n, per, C(1)})
				}
				y := g.Ops("_normalize", x, []int{2, 3}, view(in[1]), view(in[2]), c.Num("eps"))[0]
				return grads{g.Op("reshape", y, size)}
			},
			Samples: func() (out []Sample) {
				for i, t := range floatTypes[:3] {
					s := uint64(40*i + 1)
					w, bi := T(NewSample(t, LayContig, s+1, uniform(0.5, 2), 4)), T(NewSample(t, LayContig, s+2, normal(), 4))
					for j, l := range []Lay{LayContig, LayTrans, LayExpanded} {
						out = append(out, Sample{Args: []Arg{T(NewSample(t, l, s+3+uint64(j), normal(), 2, 4, 3)), IntArg(C(2)), w, bi}})
					}
				}
				return
			}},
		&Def{Sig: "instance_norm(Tensor self, Tensor? running_mean=None, Tensor? running_var=None, Tensor? weight=None, Tensor? bias=None, bool use_input_stats=True, float momentum=0.1, float eps=1e-05) -> Tensor", Doc: "Normalises each channel of each instance.", Bind: NN,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				rank := len(c.In[0].Size)
				if !c.Bool("use_input_stats") || in[1] != nil {
					Raise(tensor.NotImplementedError, "instance_norm with running statistics is not implemented")
				}
				d := make([]int, 0, rank)
				for i := 2; i < rank; i++ {
					d = append(d, i)
				}
				if len(d) == 0 {
					Raise(tensor.ValueError, "expected at least 3D input (got %dD input)", rank)
				}
				for i, what := range []string{"weight", "bias"} {
					if m, s := c.In[3+i], c.In[0].Size; m != nil && !m.Numel().Eq(s[1]) {
						Raise(tensor.RuntimeError, "%s should contain %d elements not %d", what, s[0].Mul(s[1]).Hint(), s[0].Mul(m.Numel()).Hint())
					}
				}
				return grads{g.Ops("_normalize", in[0], d, channels(g, in[3], rank), channels(g, in[4], rank), c.Num("eps"))[0]}
			}},
		&Def{Sig: "batch_norm(Tensor self, Tensor? running_mean=None, Tensor? running_var=None, Tensor? weight=None, Tensor? bias=None, bool training=False, float momentum=0.1, float eps=1e-05) -> Tensor",
			Doc: "Normalises each channel over the batch; in training the running statistics are updated in place.", Bind: NN,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				checkFloat(c, "batch_norm")
				size := c.In[0].Size
				rank := len(size)
				if rank < 2 {
					Raise(tensor.ValueError, "expected at least 2D input (got %dD input)", rank)
				}
				for i, what := range []string{"running_mean", "running_var", "weight", "bias"} {
					if m := c.In[1+i]; m != nil && !m.Numel().Eq(size[1]) {
						Raise(tensor.RuntimeError, "%s should contain %d elements not %d", what, size[1].Hint(), m.Numel().Hint())
					}
				}
				w, bi := channels(g, in[3], rank), channels(g, in[4], rank)
				if !c.Bool("training") {
					if in[1] == nil || in[2] == nil {
						Raise(tensor.RuntimeError, "Expected running_mean and running_var to be defined when not training")
					}
					return g.Ops("_batch_norm_eval", in[0], channels(g, in[1], rank), channels(g, in[2], rank), w, bi, c.Num("eps"))
				}
				d := []int{0}
				n := size[0]
				for i := 2; i < rank; i++ {
					d = append(d, i)
					n = n.Mul(size[i])
				}
				if n.Eq(C(1)) {
					Raise(tensor.ValueError, "Expected more than 1 value per channel when training, got input size torch.Size(%s)", ShapeText(size))
				}
				o := g.Ops("_normalize", in[0], d, w, bi, c.Num("eps"))
				if in[1] != nil {
					m := c.Num("momentum")
					flat := func(t Tensor) Tensor { return g.Op("reshape", g.Op("detach", t), []SymInt{size[1]}) }
					g.Put(in[1], g.Op("lerp", in[1], flat(o[1]), m))
					// n/(n-1) as a run-time operand: 2/(n-1) over 2/n
					k := g.Op("_scalar_size", n, 1.0, o[2].Meta().DType)
					unb := g.Div(g.Mul(flat(o[2]), k), g.Op("_scalar_size", n, 0.0, o[2].Meta().DType))
					g.Put(in[2], g.Op("lerp", in[2], unb, m))
				}
				return o[:1]
			},
			Samples: func() (out []Sample) {
				for i, t := range floatTypes[:2] {
					s := uint64(40*i + 1)
					st := func(k uint64, lo, hi float64) Arg {
						x := NewSample(t, LayContig, s+k, uniform(lo, hi), 4)
						x.Grad = false
						return T(x)
					}
					w, bi := T(NewSample(t, LayContig, s+1, uniform(0.5, 2), 4)), T(NewSample(t, LayContig, s+2, normal(), 4))
					for j, l := range []Lay{LayContig, LayTrans, LayOffset} {
						for _, train := range []bool{false, true} {
							out = append(out, Sample{Args: []Arg{T(NewSample(t, l, s+3+uint64(j), normal(), 2, 4, 3)), st(20, -1, 1), st(21, 0.5, 2), w, bi, Bool(train)}})
						}
					}
					out = append(out, Sample{Args: []Arg{T(NewSample(t, LayContig, s+12, normal(), 3, 4)), {}, {}, {}, {}, Bool(true)}})
				}
				return
			}},
		&Def{Sig: "batch_norm.fn(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled=True) -> Tensor", Doc: "torch.batch_norm: the functional with its operands in another order.", Bind: Fn,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				return g.Ops("batch_norm", in[0], in[3], in[4], in[1], in[2], c.Bool("training"), c.Num("momentum"), c.Num("eps"))
			}},
		&Def{Sig: "instance_norm.fn(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool use_input_stats, float momentum, float eps, bool cudnn_enabled=True) -> Tensor", Doc: "torch.instance_norm: the functional with its operands in another order.", Bind: Fn,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				return g.Ops("instance_norm", in[0], in[3], in[4], in[1], in[2], c.Bool("use_input_stats"), c.Num("momentum"), c.Num("eps"))
			}},
		&Def{Sig: "_batch_norm_eval(Tensor self, Tensor mean, Tensor var, Tensor? weight, Tensor? bias, float eps) -> Tensor", Doc: "batch_norm with given statistics.", Layout: LayoutContiguous,
			Shape: likeSelf,
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
				mean, va := as(b, x[1], x[0]), as(b, x[2], x[0])
				y := b.Mul(b.Sub(x[0], mean), rstdV(b, va))
				if x[3] != 0 {
					y = b.Mul(y, as(b, x[3], y))
				}
				if x[4] != 0 {
					y = b.Add(y, as(b, x[4], y))
				}
				return y
			},
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				k := g.Op("rsqrt", g.Add(in[2], c.Num("eps")))
				gw := gr[0]
				if in[3] != nil {
					gw = g.Mul(gw, in[3])
				}
				return grads{
					when(c, 0, func() Tensor { return g.Mul(gw, k) }), when(c, 1, func() Tensor { return g.Neg(g.Mul(gw, k)) }),
					when(c, 2, func() Tensor {
						return g.Mul(g.Mul(gw, g.Sub(in[0], in[1])), g.Mul(g.Mul(k, g.Mul(k, k)), -0.5))
					}),
					when(c, 3, func() Tensor { return g.Mul(gr[0], g.Mul(g.Sub(in[0], in[1]), k)) }), when(c, 4, func() Tensor { return gr[0] })}
			},
			Samples: func() []Sample {
				f := func(l Lay, s uint64, size ...int64) Arg { return T(NewSample(tensor.Float64, l, s, normal(), size...)) }
				return []Sample{{Args: []Arg{f(LayContig, 1, 2, 4, 3), f(LayContig, 3, 4, 1), T(NewSample(tensor.Float64, LayContig, 9, uniform(0.5, 2), 4, 1)), f(LayContig, 5, 4, 1), f(LayContig, 6, 4, 1), Num(tensor.Float(1e-5))}},
					{Args: []Arg{f(LayTrans, 1, 2, 4, 3), f(LayContig, 3, 4, 1), T(NewSample(tensor.Float64, LayContig, 9, uniform(0.5, 2), 4, 1)), {}, {}, Num(tensor.Float(1e-5))}}}
			}},
		&Def{Sig: "rms_norm(Tensor self, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor", Doc: "Divides by the root mean square of the last dimensions.", Bind: Fn | NN,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				d := normalizedDims(c)
				checkFloat(c, "rms_norm")
				eps := tensor.Float(1.1920928955078125e-07)
				switch {
				case c.Given("eps"):
					eps = c.Num("eps")
				case c.In[0].DType == tensor.Float64:
					eps = tensor.Float(2.220446049250313e-16)
				case c.In[0].DType == tensor.BFloat16:
					eps = tensor.Float(0.0078125)
				case c.In[0].DType == tensor.Float16:
					eps = tensor.Float(0.0009765625)
				}
				return grads{g.Ops("_rms_norm", in[0], d, in[1], eps)[0]}
			}},
		&Def{Sig: "_rms_norm(Tensor self, int[] dim, Tensor? weight, float eps) -> (Tensor, Tensor ms)", Doc: "self / sqrt(mean(self²) + eps) * weight.",
			Shape: func(c *Call) []tensor.Meta {
				return []tensor.Meta{{DType: c.In[0].DType, Size: c.In[0].Size}, {DType: statsDType(c), Size: keptOne(c, 0, normDims(c))}}
			},
			Rows: &Rows{Dims: normDims, Run: func(b *loop.Builder, c *Call, r Row) {
				r.EachRow(func() {
					s := r.Fold(foldAdd, func() []loop.V { return []loop.V{b.Square(r.In(0))} })[0]
					ms := b.Div(s, b.Cast(r.Len(), b.Type(s)))
					r.Out(1, ms)
					k := rstdV(b, ms)
					r.Pass(func() {
						y := b.Mul(r.In(0), k)
						if r.Has(1) {
							y = b.Mul(y, as(b, r.In(1), y))
						}
						r.Out(0, y)
					})
				})
			}},
			VJP: func(g *G, c *Call, in, out, gr []Tensor) []Tensor {
				if gr[0] == nil {
					return grads{nil, nil}
				}
				return grads{
					when(c, 0, func() Tensor {
						return g.Op("_rms_norm_backward", gr[0], in[0], out[1], in[1], normDims(c), c.Num("eps"))
					}),
					when(c, 1, func() Tensor {
						return g.Mul(g.Mul(gr[0], in[0]), g.Op("rsqrt", g.Add(out[1], c.Num("eps"))))
					})}
			},
			Samples: func() (out []Sample) {
				for i, t := range floatTypes {
					s := uint64(40*i + 1)
					w := T(NewSample(t, LayContig, s+1, uniform(0.5, 2), 4))
					for j, l := range []Lay{LayContig, LayTrans, LayExpanded} {
						out = append(out, Sample{Args: []Arg{T(NewSample(t, l, s+3+uint64(j), normal(), 3, 4)), dims(1), w, Num(tensor.Float(1e-5))}})
					}
				}
				return
			}},
		&Def{Sig: "_rms_norm_backward(Tensor grad, Tensor self, Tensor ms, Tensor? weight, int[] dim, float eps) -> Tensor", Doc: "Gradient of _rms_norm for self.",
			NoGrad: "second derivatives of rms_norm are not implemented", Unwritten: true,
			Shape: func(c *Call) []tensor.Meta { return []tensor.Meta{{DType: c.In[1].DType, Size: c.In[1].Size}} },
			Rows: &Rows{Dims: normDims, Frame: func(c *Call) []SymInt { return c.In[1].Size },
				Run: func(b *loop.Builder, c *Call, r Row) {
					r.EachRow(func() {
						k := rstdV(b, r.In(2))
						gw := func() loop.V {
							v := as(b, r.In(0), k)
							if r.Has(3) {
								v = b.Mul(v, as(b, r.In(3), v))
							}
							return v
						}
						s := r.Fold(foldAdd, func() []loop.V { return []loop.V{b.Mul(gw(), b.Mul(r.In(1), k))} })[0]
						q := b.Div(s, b.Cast(r.Len(), b.Type(s)))
						r.Pass(func() { r.Out(0, b.Mul(k, b.Sub(gw(), b.Mul(b.Mul(r.In(1), k), q)))) })
					})
				}},
			Samples: func() []Sample {
				f := func(l Lay, s uint64, size ...int64) Arg { return T(NewSample(tensor.Float64, l, s, normal(), size...)) }
				return []Sample{{Args: []Arg{f(LayContig, 1, 3, 4), f(LayTrans, 2, 3, 4), T(NewSample(tensor.Float64, LayContig, 9, uniform(0.5, 2), 3, 1)), f(LayContig, 4, 4), dims(1), Num(tensor.Float(1e-5))}}}
			}},
	)
}

func sizeProduct(s []SymInt) SymInt {
	n := C(1)
	for _, x := range s {
		n = n.Mul(x)
	}
	return n
}
