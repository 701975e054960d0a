package op

import (
	"math"
	"strings"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// New tensors from sizes and numbers. requires_grad and pin_memory are accepted
// here because torch's signatures have them: whoever binds the op to the
// language marks the result, the op itself ignores both.

const (
	factoryTail = ", dtype? dtype=None, layout? layout=None, device? device=None, bool? pin_memory=None, bool requires_grad=False) -> Tensor"
	likeTail    = ", *, dtype? dtype=None, layout? layout=None, device? device=None, bool? pin_memory=None, bool requires_grad=False, memory_format? memory_format=None) -> Tensor"
)

const noGradNew = "a new tensor depends on no operand"

func init() {
	Register(
		constant("zeros(SymInt[] size, *"+factoryTail, "Zeros.", 0),
		constant("ones(SymInt[] size, *"+factoryTail, "Ones.", 1),
		constant("empty(SymInt[] size, *, dtype? dtype=None, layout? layout=None, device? device=None, bool? pin_memory=None, bool requires_grad=False, memory_format? memory_format=None) -> Tensor",
			"A tensor whose values mean nothing; ours are zeros, so that programs repeat and old memory stays private.", 0),
		&Def{
			Sig: "_unset(SymInt[] size, *, dtype? dtype=None, device? device=None) -> Tensor", Doc: "Memory to be written at once; never seen by a program.",
			Unset: true, NoGrad: noGradNew, Shape: shapeFactory,
			Index: func(b *loop.Builder, c *Call, _ []loop.Ix) loop.V {
				return b.Const(loop.TypeOf(c.Out[0].DType), 0)
			},
		},
		constant("zeros_like(Tensor self"+likeTail, "Zeros like self.", 0),
		constant("ones_like(Tensor self"+likeTail, "Ones like self.", 1),
		constant("empty_like(Tensor self"+likeTail, "Like self, values as empty's.", 0),
		constant("new_zeros(Tensor self, SymInt[] size, *"+factoryTail, "Zeros of self's dtype and device.", 0),
		constant("new_ones(Tensor self, SymInt[] size, *"+factoryTail, "Ones of self's dtype and device.", 1),
		constant("new_empty(Tensor self, SymInt[] size, *"+factoryTail, "Of self's dtype and device, values as empty's.", 0),
		&Def{
			Sig: "full(SymInt[] size, Scalar fill_value, *" + factoryTail, Doc: "A tensor filled with a number, whose kind gives the dtype.", Bind: Fn,
			Shape: func(c *Call) []tensor.Meta {
				return []tensor.Meta{{Size: newSize(c), DType: c.DTypeOr("dtype", c.Num("fill_value").Kind.DType(c.Default))}}
			},
			Index: indexFill, NoGrad: noGradNew,
			Samples: func() []Sample {
				s := samplesOf("full")
				s.add([]int{2, 3}, 1.5).add([]int{2}, 7).add([]int{}, true).add([]int{0, 3}, 1).add([]int{3}, 2.7, KW{"dtype", tensor.Int32}).add([]int{2}, 2, KW{"dtype", tensor.BFloat16})
				return s.raises(tensor.RuntimeError, []int{2, -1}, 1).done()
			},
		},
		&Def{
			Sig: "full_like(Tensor self, Scalar fill_value" + likeTail, Doc: "Like self, filled with a number.", Bind: Fn,
			Layout: LayoutPreserve, Shape: shapeLike, Index: indexFill, NoGrad: noGradNew,
			Samples: func() []Sample {
				s := samplesOf("full_like").each([]int64{2, 3}, 2)
				return s.add(s.f(), 2.5).add(s.f(0), 1).add(s.i(0, 3, 2), 2.5).done()
			},
		},
		&Def{
			Sig: "new_full(Tensor self, SymInt[] size, Scalar fill_value, *" + factoryTail, Doc: "Of self's dtype and device, filled with a number.", Bind: Method,
			Shape: shapeNew, Index: indexFill, NoGrad: noGradNew,
			Samples: func() []Sample {
				s := samplesOf("new_full").each([]int64{2, 3}, []int{3}, 2.5)
				return s.add(s.f(), []int{}, 2).add(s.i(0, 2, 1), []int{0, 2}, 1).done()
			},
		},
		&Def{
			Sig: "scalar_tensor(Scalar s, *" + factoryTail, Doc: "A 0-dim tensor of the default dtype.", Bind: Fn,
			Shape: func(c *Call) []tensor.Meta {
				return []tensor.Meta{{Size: []SymInt{}, DType: c.DTypeOr("dtype", c.Default)}}
			},
			Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V {
				return b.Num("s", loop.TypeOf(c.Out[0].DType))
			},
			NoGrad: noGradNew,
			Samples: func() []Sample {
				s := samplesOf("scalar_tensor")
				return s.add(1.5).add(2).add(3, KW{"dtype", tensor.Int64}).done()
			},
		},
		&Def{
			Sig: "eye(SymInt n, SymInt? m=None, *" + factoryTail, Doc: "Ones on the diagonal of a matrix of zeros.", Bind: Fn,
			Shape: func(c *Call) []tensor.Meta {
				n := c.Sym("n")
				m := n
				if c.Given("m") {
					m = c.Sym("m")
				}
				if n.Lt(C(0)) {
					Raise(tensor.RuntimeError, "n must be greater or equal to 0, got %d", n.Hint())
				}
				if m.Lt(C(0)) {
					Raise(tensor.RuntimeError, "m must be greater or equal to 0, got %d", m.Hint())
				}
				return []tensor.Meta{{Size: []SymInt{n, m}, DType: c.DTypeOr("dtype", c.Default)}}
			},
			Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V {
				return b.Cast(b.Eq(b.Idx(at[0]), b.Idx(at[1])), loop.TypeOf(c.Out[0].DType))
			},
			NoGrad: noGradNew,
			Samples: func() []Sample {
				s := samplesOf("eye")
				return s.add(3).add(2, 4).add(0, 3).add(2, 2, KW{"dtype", tensor.Int64}).add(3, KW{"dtype", tensor.Bool}).raises(tensor.RuntimeError, -1).done()
			},
		},
		arangeInt("arange.end_int(SymInt end, *"+factoryTail, 5),
		arangeInt("arange.start_int(SymInt start, SymInt end, SymInt step=1, *"+factoryTail, 2, 9, 3),
		arangeFloat("arange(Scalar end, *"+factoryTail, 4.5),
		arangeFloat("arange.start(Scalar start, Scalar end, Scalar step=1, *"+factoryTail, 1, 2.05, 0.25),
		&Def{
			Sig: "linspace(Scalar start, Scalar end, int steps, *" + factoryTail, Doc: "Numbers at equal distances, both ends included.", Bind: Fn,
			Shape:  shapeSteps,
			Index:  func(b *loop.Builder, c *Call, at []loop.Ix) loop.V { return linspace(b, c, b.Idx(at[0])) },
			NoGrad: noGradNew,
			Samples: func() []Sample {
				s := samplesOf("linspace")
				return s.add(0, 1, 5).add(-2.5, 7, 4, KW{"dtype", tensor.Float64}).add(3, 3, 1).add(0, 1, 0).raises(tensor.RuntimeError, 0, 1, -1).done()
			},
		},
		&Def{
			Sig: "logspace(Scalar start, Scalar end, int steps, float base=10.0, *" + factoryTail, Doc: "base to the power of linspace.", Bind: Fn,
			Shape: shapeSteps,
			Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V {
				e := linspace(b, c, b.Idx(at[0]))
				return b.Pow(b.Num("base", loop.F64), b.Cast(e, loop.F64))
			},
			NoGrad: noGradNew,
			Samples: func() []Sample {
				s := samplesOf("logspace")
				return s.add(0, 1, 5).add(-1, 1, 4, 2.0).add(0, 1, 0).done()
			},
		},
		triangleIndices("tril_indices"), triangleIndices("triu_indices"),
	)
}

// newSize checks the size argument.
func newSize(c *Call) []SymInt {
	size := c.Syms("size")
	for _, s := range size {
		if s.Lt(C(0)) {
			Raise(tensor.RuntimeError, "Trying to create tensor with negative dimension %d: %s", s.Hint(), ShapeText(size))
		}
	}
	return size
}

// shapeLike, shapeNew: operand 0 gives dtype (and size), arguments override.
func shapeLike(c *Call) []tensor.Meta {
	m := formatted(c, c.In[0])
	m.DType = c.DTypeOr("dtype", c.In[0].DType)
	return []tensor.Meta{m}
}

func shapeNew(c *Call) []tensor.Meta {
	return []tensor.Meta{{Size: newSize(c), DType: c.DTypeOr("dtype", c.In[0].DType)}}
}

func shapeFactory(c *Call) []tensor.Meta {
	return []tensor.Meta{{Size: newSize(c), DType: c.DTypeOr("dtype", c.Default)}}
}

func indexFill(b *loop.Builder, c *Call, _ []loop.Ix) loop.V {
	return b.Num("fill_value", loop.TypeOf(c.Out[0].DType))
}

// constant is a factory of zeros or ones; its kind follows from its name.
func constant(sig, doc string, v float64) *Def {
	name, _, _ := parseSig(sig)
	d := &Def{
		Sig: sig, Doc: doc, NoGrad: noGradNew, Bind: Fn, Shape: shapeFactory,
		Index: func(b *loop.Builder, c *Call, _ []loop.Ix) loop.V {
			return b.Const(loop.TypeOf(c.Out[0].DType), v)
		},
	}
	switch {
	case strings.HasPrefix(name, "new_"):
		d.Bind, d.Shape = Method, shapeNew
		d.Samples = func() []Sample {
			s := samplesOf(name).each([]int64{2, 3}, []int{3, 2})
			return s.add(s.f(), []int{}).add(s.i(0, 2, 1), []int{0, 2}).add(s.f(2), []int{2}, KW{"dtype", tensor.Int64}).raises(tensor.RuntimeError, s.f(2), []int{-1}).done()
		}
	case strings.HasSuffix(name, "_like"):
		d.Layout, d.Shape = LayoutPreserve, shapeLike
		d.Samples = func() []Sample {
			s := samplesOf(name).each([]int64{2, 3})
			return s.add(s.f()).add(s.f(0, 2)).add(s.lay(LayExpanded, 2, 3)).add(s.f(2), KW{"dtype", tensor.Int64}).add(s.lay(LayTrans, 2, 3), KW{"memory_format", "contiguous_format"}).done()
		}
	default:
		d.Samples = func() []Sample {
			s := samplesOf(name)
			s.add([]int{2, 3}).add([]int{}).add([]int{0, 3}).add([]int{3}, KW{"dtype", tensor.Int64}).add([]int{2}, KW{"dtype", tensor.Bool})
			return s.raises(tensor.RuntimeError, []int{2, -1}).done()
		}
	}
	return d
}

// arangeInt is arange of integers, whose ends may be symbolic.
func arangeInt(sig string, sample ...any) *Def {
	name, _, _ := parseSig(sig)
	start := name == "arange.start_int"
	return &Def{
		Sig: sig, Doc: "start, start+step, … up to end, which is left out.", Bind: Fn,
		Shape: func(c *Call) []tensor.Meta {
			n := c.Sym("end")
			if start {
				step := c.Sym("step")
				if step.Eq(C(0)) {
					Raise(tensor.RuntimeError, "step must be nonzero")
				}
				n = n.Sub(c.Sym("start"))
				if step.Lt(C(0)) {
					n, step = n.Neg(), step.Neg()
				}
				n = n.Add(step).Sub(C(1)).Div(step)
			}
			if n.Lt(C(0)) {
				Raise(tensor.RuntimeError, "upper bound and larger bound inconsistent with step sign")
			}
			return []tensor.Meta{{Size: []SymInt{n}, DType: c.DTypeOr("dtype", tensor.Int64)}}
		},
		Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V {
			v := b.Idx(at[0])
			if start {
				v = b.Add(b.Mul(v, b.Size(c.Sym("step"))), b.Size(c.Sym("start")))
			}
			return b.Cast(v, loop.TypeOf(c.Out[0].DType))
		},
		NoGrad: noGradNew,
		Samples: func() []Sample {
			s := samplesOf(name).add(sample...).add(append(append([]any{}, sample...), KW{"dtype", tensor.Float32})...)
			if start {
				return s.add(0, 0).add(5, 0, -2).add(-3, 4).raises(tensor.RuntimeError, 1, 0).raises(tensor.RuntimeError, 0, 1, 0).done()
			}
			return s.add(0).add(1, KW{"dtype", tensor.Int32}).raises(tensor.RuntimeError, -1).done()
		},
	}
}

// arangeFloat is arange of numbers that are not all integers.
func arangeFloat(sig string, sample ...any) *Def {
	name, _, _ := parseSig(sig)
	ends := func(c *Call) (from, to, step tensor.Number) {
		from, to, step = tensor.Int(0), c.Num("end"), tensor.Int(1)
		if name == "arange.start" {
			from, step = c.Num("start"), c.Num("step")
		}
		return
	}
	return &Def{
		Sig: sig, Doc: "start, start+step, … up to end, which is left out.", Bind: Fn,
		Shape: func(c *Call) []tensor.Meta {
			from, to, step := ends(c)
			a, z, s := from.Float64(), to.Float64(), step.Float64()
			switch {
			case s == 0:
				Raise(tensor.RuntimeError, "step must be nonzero")
			case math.IsNaN(a) || math.IsNaN(z) || math.IsInf(a, 0) || math.IsInf(z, 0):
				Raise(tensor.RuntimeError, "unsupported range: %s -> %s", from, to)
			case s > 0 && a > z || s < 0 && a < z:
				Raise(tensor.RuntimeError, "upper bound and larger bound inconsistent with step sign")
			}
			n := math.Ceil((z - a) / s)
			if n > 1<<53 {
				Raise(tensor.RuntimeError, "invalid size, possible overflow?")
			}
			dt := tensor.Int64
			for _, x := range []tensor.Number{from, to, step} {
				if x.Kind == tensor.NumFloat {
					dt = c.Default
				}
			}
			return []tensor.Meta{{Size: []SymInt{C(int64(n))}, DType: c.DTypeOr("dtype", dt)}}
		},
		Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V {
			t := loop.F64
			if c.Out[0].DType.IsInt() {
				t = loop.I64
			}
			v := b.Cast(b.Idx(at[0]), t)
			if name == "arange.start" {
				v = b.Add(b.Mul(v, b.Num("step", t)), b.Num("start", t))
			}
			return b.Cast(v, loop.TypeOf(c.Out[0].DType))
		},
		NoGrad: noGradNew,
		Samples: func() []Sample {
			s := samplesOf(name).add(sample...).add(append(append([]any{}, sample...), KW{"dtype", tensor.Float64})...)
			if name == "arange.start" {
				return s.add(0.0, 0.0).add(2.5, 0, -0.5).raises(tensor.RuntimeError, 1.5, 0).raises(tensor.RuntimeError, 0.5, 1, 0).done()
			}
			return s.add(0.0).add(0.5).raises(tensor.RuntimeError, -1.5).done()
		},
	}
}

func shapeSteps(c *Call) []tensor.Meta {
	n := c.Int("steps")
	if n < 0 {
		Raise(tensor.RuntimeError, "number of steps must be non-negative")
	}
	return []tensor.Meta{{Size: []SymInt{C(int64(n))}, DType: c.DTypeOr("dtype", c.Default)}}
}

// linspace is element i, counted from the nearer end so that both are exact.
func linspace(b *loop.Builder, c *Call, i loop.V) loop.V {
	t := loop.F64
	n := int64(c.Int("steps"))
	from, to := b.Num("start", t), b.Num("end", t)
	if n < 2 {
		return b.Cast(from, loop.TypeOf(c.Out[0].DType))
	}
	step := b.Div(b.Sub(to, from), b.Const(t, float64(n-1)))
	up := b.Add(from, b.Mul(step, b.Cast(i, t)))
	down := b.Sub(to, b.Mul(step, b.Cast(b.Sub(b.ConstI(loop.I64, n-1), i), t)))
	return b.Cast(b.Select(b.Lt(i, b.ConstI(loop.I64, n/2)), up, down), loop.TypeOf(c.Out[0].DType))
}

func triangleIndices(name string) *Def {
	return &Def{
		Sig: name + "(int row, int col, int offset=0, *, dtype? dtype=None, layout? layout=None, device? device=None, bool? pin_memory=None) -> Tensor",
		Doc: "Row and column indices of a triangle, row by row.", Bind: Fn,
		Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
			r, w, k := c.Int("row"), c.Int("col"), c.Int("offset")
			n := 0
			for i := range r {
				e := min(max(i+k+1, 0), w) // columns 0 … e-1 are in the lower triangle
				if name == "triu_indices" {
					e = w - min(max(i+k, 0), w)
				}
				n += e
			}
			mask := g.Op("ones", []int{r, w}, KW{"dtype", tensor.Bool}, KW{"device", *c.Arg("device")})
			mask = g.Op(name[:4], mask, k)
			p := g.Op("transpose.int", g.nonzero(mask, C(int64(n))), 0, 1)
			return []Tensor{g.Op("_to_copy", p, KW{"dtype", c.DTypeOr("dtype", tensor.Int64)}, KW{"memory_format", "contiguous_format"})}
		},
		NoGrad: "indices are integers",
		Samples: func() []Sample {
			s := samplesOf(name)
			return s.add(3, 4).add(3, 3, 1).add(4, 2, -1).add(0, 3).done()
		},
	}
}
