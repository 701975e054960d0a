package op

import (
	"math"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Random numbers. Every op here that draws has State and one of the templates
// below; the rest decompose into them. A template fills Out through its geometry
// in the order in which PyTorch's iterator visits it (random.Order), so that
// in-place ops on strided tensors draw as PyTorch's do; State is the generator's
// bytes (random.State.Bytes / SetBytes).
//
//	template             Nums               In            package random
//	random_uniform       from, to                         Uniform32/64/16
//	random_normal        mean, std                        Normal32/64/16; "contiguous" is Out's geometry
//	random_bernoulli     p                  (ignored)     Bernoulli(p), for every dtype of Out
//	random_bernoulli     none               p[Out's size] BernoulliFloat for float32 and 16-bit p, Bernoulli for float64
//	random_int           from, to (ints)                  IntFromTo(from, to-from, wide)
//	random_any                                            IntBelow by dtype of Out (random_() without bounds)
//	random_perm                                           Perm
//	random_exponential   lambda                           Exponential
//	random_geometric     p                                Geometric
//	random_cauchy        median, sigma                    Cauchy
//	random_log_normal    mean, std                        LogNormal
//	random_poisson                          rate          Poisson
//	random_multinomial                      weights[…,k]  Multinomial, or MultinomialDistinct where Flags[0] (replacement) is false
//
// Where an op has self among its operands it is in In, too, and not read.

const noGradRandom = "a random draw depends on no operand"

func init() {
	Register(
		random("rand(SymInt[] size, *, Generator? generator=None"+factoryTail, "Uniform in [0, 1).", "_uniform", nil),
		random("randn(SymInt[] size, *, Generator? generator=None"+factoryTail, "Standard normal.", "_normal", nil),
		random("rand_like(Tensor self"+likeTail, "Uniform in [0, 1), like self.", "_uniform", nil),
		random("randn_like(Tensor self"+likeTail, "Standard normal, like self.", "_normal", nil),
		randint("randint(SymInt high, SymInt[] size, *, Generator? generator=None"+factoryTail),
		randint("randint.low(SymInt low, SymInt high, SymInt[] size, *, Generator? generator=None"+factoryTail),
		randint("randint_like(Tensor self, SymInt high"+likeTail),
		randint("randint_like.low_dtype(Tensor self, SymInt low, SymInt high"+likeTail),
		&Def{
			Sig: "_uniform(SymInt[] size, float from=0.0, float to=1.0, *, Generator? generator=None, dtype? dtype=None, device? device=None, SymInt[]? stride=None) -> Tensor", Doc: "A new tensor of uniform draws, with given strides.",
			State: true, NoGrad: noGradRandom, Shape: shapeDraw, Extern: draws("random_uniform", "from", "to"),
		},
		&Def{
			Sig: "_normal(SymInt[] size, float mean=0.0, float std=1.0, *, Generator? generator=None, dtype? dtype=None, device? device=None, SymInt[]? stride=None) -> Tensor", Doc: "A new tensor of normal draws, with given strides.",
			State: true, NoGrad: noGradRandom, Shape: shapeDraw, Extern: draws("random_normal", "mean", "std"),
		},
		&Def{
			Sig: "_randint(SymInt[] size, Scalar from, Scalar to, *, Generator? generator=None, dtype? dtype=None, device? device=None, SymInt[]? stride=None) -> Tensor", Doc: "A new tensor of integers from … to-1.",
			State: true, NoGrad: noGradRandom, Shape: func(c *Call) []tensor.Meta {
				checkRange(c.Num("from").Int64(), c.Num("to").Int64())
				return shapeDraw(c)
			}, Extern: func(*Call) loop.Template {
				return loop.Template{Name: "random_int", NumArgs: []string{"from", "to"}}
			},
		},
		&Def{
			Sig: "randperm(SymInt n, *, Generator? generator=None, dtype? dtype=None, layout? layout=None, device? device=None, bool? pin_memory=None, bool requires_grad=False) -> Tensor", Doc: "A permutation of 0 … n-1.", Bind: Fn,
			State: true, NoGrad: noGradRandom,
			Shape: func(c *Call) []tensor.Meta {
				n := c.Sym("n")
				if n.Lt(C(0)) {
					Raise(tensor.RuntimeError, "n must be non-negative, got%d", n.Hint())
				}
				return []tensor.Meta{{Size: []SymInt{n}, DType: c.DTypeOr("dtype", tensor.Int64)}}
			},
			Extern: draws("random_perm"),
			Samples: func() []Sample {
				s := samplesOf("randperm")
				return s.add(10).add(0).add(1).add(7, KW{"dtype", tensor.Int32}).add(5, KW{"dtype", tensor.Float32}).done()
			},
		},
		fill("uniform(Tensor self, float from=0.0, float to=1.0, *, Generator? generator=None) -> Tensor", "Uniform draws; its in-place form is uniform_.", "random_uniform", []string{"from", "to"}, func(c *Call) {
			if a, z := c.Num("from").Float64(), c.Num("to").Float64(); a > z {
				Raise(tensor.RuntimeError, "uniform_ expects to return a [from, to) range, but found from=%g > to=%g", a, z)
			}
		}, []any{}, []any{-1.0, 2.5}, []any{1.0, 0.0}),
		fill("normal_functional(Tensor self, float mean=0.0, float std=1.0, *, Generator? generator=None) -> Tensor", "Normal draws; its in-place form is normal_.", "random_normal", []string{"mean", "std"}, func(c *Call) { checkStd(c.Num("std")) }, []any{}, []any{1.0, 2.0}, []any{0.0, -1.0}),
		fill("exponential(Tensor self, float lambd=1.0, *, Generator? generator=None) -> Tensor", "Exponential draws; its in-place form is exponential_.", "random_exponential", []string{"lambd"}, func(c *Call) {
			if l := c.Num("lambd"); l.Less(0) {
				Raise(tensor.RuntimeError, "exponential_ expects lambda >= 0.0, but found lambda=%g", l.Float64())
			}
		}, []any{}, []any{2.0}, []any{-1.0}),
		fill("geometric(Tensor self, float p, *, Generator? generator=None) -> Tensor", "Geometric draws; its in-place form is geometric_.", "random_geometric", []string{"p"}, func(c *Call) {
			if p := c.Num("p"); p.AtMost(0) || !p.Less(1) {
				Raise(tensor.RuntimeError, "geometric_ expects p to be in (0, 1), but got p=%g", p.Float64())
			}
		}, []any{0.5}, []any{0.1}, []any{2.0}),
		fill("cauchy(Tensor self, float median=0.0, float sigma=1.0, *, Generator? generator=None) -> Tensor", "Cauchy draws; its in-place form is cauchy_.", "random_cauchy", []string{"median", "sigma"}, nil, []any{}, []any{1.0, 2.0}, nil),
		fill("log_normal(Tensor self, float mean=1.0, float std=2.0, *, Generator? generator=None) -> Tensor", "Log-normal draws; its in-place form is log_normal_.", "random_log_normal", []string{"mean", "std"}, func(c *Call) {
			if s := c.Num("std"); s.AtMost(0) {
				Raise(tensor.RuntimeError, "log_normal_ expects std > 0.0, but found std=%g", s.Float64())
			}
		}, []any{}, []any{0.0, 0.5}, []any{0.0, -1.0}),
		fill("random(Tensor self, *, Generator? generator=None) -> Tensor", "Integers over the dtype's range; its in-place form is random_.", "random_any", nil, nil, []any{}, []any{}, nil),
		fill("random.to(Tensor self, Scalar to, *, Generator? generator=None) -> Tensor", "Integers 0 … to-1.", "random_int", []string{"from", "to"}, func(c *Call) { checkRange(0, c.Num("to").Int64()) }, []any{10}, []any{3}, []any{0}),
		fill("random.from(Tensor self, Scalar from, Scalar to, *, Generator? generator=None) -> Tensor", "Integers from … to-1.", "random_int", []string{"from", "to"}, func(c *Call) {
			checkRange(c.Num("from").Int64(), c.Num("to").Int64())
		}, []any{-5, 10}, []any{2, 3}, []any{5, 2}),
		fill("bernoulli.p(Tensor self, float p=0.5, *, Generator? generator=None) -> Tensor", "1 with probability p; its in-place form is bernoulli_.", "random_bernoulli", []string{"p"}, func(c *Call) { checkP(c.Num("p")) }, []any{}, []any{0.1}, []any{2.0}),
		&Def{
			Sig: "bernoulli(Tensor self, *, Generator? generator=None) -> Tensor", Doc: "1 with the probability that the element holds.", Bind: Usual | OutArg,
			State: true, Shape: shapeLike0, Layout: LayoutContiguous, Extern: draws("random_bernoulli"),
			NoGrad: "a draw does not vary with its probability",
			Samples: func() []Sample {
				s := samplesOf("bernoulli")
				return s.add(s.pos(3, 4)).add(s.make(tensor.Float32, LayTrans, Fill{Kind: FillUniform, Lo: 0, Hi: 1}, []int64{3, 5})).add(s.make(tensor.Float64, LayStep, Fill{Kind: FillUniform, Lo: 0, Hi: 1}, []int64{7})).add(s.pos()).add(s.pos(0)).done()
			},
		},
		&Def{
			Sig: "bernoulli.Tensor(Tensor self, Tensor p, *, Generator? generator=None) -> Tensor", Doc: "1 with probability p, element by element.", Bind: InPlace,
			NoGrad: "a draw does not vary with its probability",
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				p := g.Op("expand", in[1], in[0].Meta().Size)
				return []Tensor{g.Cast(g.Op("bernoulli", p, KW{"generator", *c.Arg("generator")}), in[0].Meta().DType)}
			},
		},
		&Def{
			Sig: "poisson(Tensor self, Generator? generator=None) -> Tensor", Doc: "Poisson draws with the rates that the elements hold.", Bind: Fn,
			State: true, Shape: shapeLike0, Extern: draws("random_poisson"), NoGrad: "a draw does not vary with its rate",
			Samples: func() []Sample {
				s := samplesOf("poisson")
				f := Fill{Kind: FillUniform, Lo: 0.1, Hi: 30}
				return s.add(s.make(tensor.Float32, LayContig, f, []int64{4, 5})).add(s.make(tensor.Float32, LayTrans, f, []int64{4, 5})).add(s.make(tensor.Float32, LayStep, f, []int64{5})).add(s.make(tensor.Float64, LayContig, f, []int64{6})).add(s.make(tensor.Float32, LayContig, f, nil)).add(s.make(tensor.Float32, LayContig, f, []int64{0})).done()
			},
		},
		&Def{
			Sig: "multinomial(Tensor self, int num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor", Doc: "Categories drawn by the weights of each row.", Bind: Usual | OutArg,
			State: true, NoGrad: "indices are integers",
			Shape: func(c *Call) []tensor.Meta {
				m, n := c.In[0], int64(c.Int("num_samples"))
				if m.Rank() != 1 && m.Rank() != 2 {
					Raise(tensor.RuntimeError, "prob_dist must be 1 or 2 dim")
				}
				if !m.DType.IsFloat() {
					Raise(tensor.RuntimeError, "multinomial only supports floating-point dtypes for input, got: %s", m.DType.ScalarName())
				}
				if n <= 0 {
					Raise(tensor.RuntimeError, "cannot sample n_sample <= 0 samples")
				}
				k := m.Size[m.Rank()-1]
				if !c.Bool("replacement") && k.Lt(C(n)) {
					Raise(tensor.RuntimeError, "cannot sample n_sample > prob_dist.size(-1) samples without replacement")
				}
				return []tensor.Meta{{Size: append(clip(m.Size[:m.Rank()-1]), C(n)), DType: tensor.Int64}}
			},
			Extern: func(c *Call) loop.Template {
				return loop.Template{Name: "random_multinomial", Flags: []bool{c.Bool("replacement")}}
			},
			Samples: func() []Sample {
				s := samplesOf("multinomial")
				s.add(s.pos(5), 3).add(s.pos(3, 4), 2).add(s.pos(4), 7, true).add(s.make(tensor.Float64, LayTrans, Fill{Kind: FillUniform, Lo: 0, Hi: 2}, []int64{2, 5}), 4, true).add(s.make(tensor.Float32, LayStep, Fill{Kind: FillUniform, Lo: 0, Hi: 2}, []int64{6}), 1)
				s.raises(tensor.RuntimeError, s.pos(2), 3).raises(tensor.RuntimeError, s.i(1, 3, 2), 1).raises(tensor.RuntimeError, s.pos(2), 0)
				return s.raises(tensor.RuntimeError, s.make(tensor.Float32, LayContig, Fill{Kind: FillUniform, Lo: -2, Hi: -1}, []int64{3}), 1).done()
			},
		},
		&Def{
			Sig: "normal.Tensor_float(Tensor mean, float std=1.0, *, Generator? generator=None) -> Tensor", Doc: "Normal draws around the elements of mean.", Bind: Fn,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				checkStd(c.Num("std"))
				m := in[0].Meta()
				z := g.Op("_normal", m.Size, KW{"dtype", m.DType}, KW{"device", m.Dev}, KW{"generator", *c.Arg("generator")})
				return []Tensor{g.Add(g.scaled(z, c.Num("std")), g.Op("detach", in[0]))}
			},
			NoGrad: noGradRandom, Samples: func() []Sample {
				s := samplesOf("normal.Tensor_float")
				return s.add(s.f(3, 4), 2.0).add(s.lay(LayTrans, 3, 6)).add(s.lay(LayStep, 5)).add(s.f()).add(s.f(0)).raises(tensor.RuntimeError, s.f(2), -1.0).done()
			},
		},
		&Def{
			Sig: "normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor", Doc: "Normal draws with the elements of std.", Bind: Fn,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				m := in[0].Meta()
				z := g.Op("_normal", m.Size, KW{"dtype", m.DType}, KW{"device", m.Dev}, KW{"generator", *c.Arg("generator")})
				return []Tensor{g.Add(g.Mul(z, g.Op("detach", in[0])), c.Num("mean"))}
			},
			NoGrad: noGradRandom, Samples: func() []Sample {
				s := samplesOf("normal.float_Tensor")
				return s.add(1.0, s.pos(3, 4)).add(0.0, s.pos()).add(2.0, s.pos(20)).add(2.0, s.pos(0)).done()
			},
		},
		&Def{
			Sig: "normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor", Doc: "Normal draws with mean and std element by element.", Bind: Fn,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				l := g.broadcast(in)
				size := l[0].Meta().Size
				z := g.Op("_normal", size, KW{"dtype", in[0].Meta().DType}, KW{"device", in[0].Meta().Dev}, KW{"generator", *c.Arg("generator")})
				return []Tensor{g.Add(g.Mul(z, g.Op("detach", in[1])), g.Op("detach", in[0]))}
			},
			NoGrad: noGradRandom, Samples: func() []Sample {
				s := samplesOf("normal.Tensor_Tensor")
				return s.add(s.f(3, 4), s.pos(3, 4)).add(s.f(), s.pos()).add(s.f(4, 5), s.pos(5)).add(s.f(0), s.pos(0)).done()
			},
		},
		&Def{
			Sig: "normal.float_float(float mean, float std, SymInt[] size, *, Generator? generator=None" + factoryTail, Doc: "Normal draws of a given size.", Bind: Fn,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				checkStd(c.Num("std"))
				return []Tensor{g.Op("_normal", newSize(c), c.Num("mean"), c.Num("std"), KW{"dtype", c.DTypeOr("dtype", c.Default)}, KW{"device", *c.Arg("device")}, KW{"generator", *c.Arg("generator")})}
			},
			NoGrad: noGradRandom, Samples: func() []Sample {
				s := samplesOf("normal.float_float")
				return s.add(1.0, 2.0, []int{3, 4}).add(0.0, 1.0, []int{20}).add(0.0, 1.0, []int{}).add(0.0, 1.0, []int{0}).raises(tensor.RuntimeError, 0.0, -1.0, []int{2}).done()
			},
		},
		dropoutDef("dropout(Tensor input, float p=0.5, bool training=True, bool inplace=False) -> Tensor", Fn|InPlace, false, false),
		dropoutDef("feature_dropout(Tensor input, float p=0.5, bool training=True, bool inplace=False) -> Tensor", Fn|InPlace, true, false),
		dropoutDef("alpha_dropout(Tensor input, float p=0.5, bool training=False, bool inplace=False) -> Tensor", Fn|InPlace, false, true),
		dropoutDef("feature_alpha_dropout(Tensor input, float p=0.5, bool training=False, bool inplace=False) -> Tensor", Fn|InPlace, true, true),
		dropoutDef("dropout1d(Tensor input, float p=0.5, bool training=True, bool inplace=False) -> Tensor", NN, true, false),
		dropoutDef("dropout2d(Tensor input, float p=0.5, bool training=True, bool inplace=False) -> Tensor", NN, true, false),
		dropoutDef("dropout3d(Tensor input, float p=0.5, bool training=True, bool inplace=False) -> Tensor", NN, true, false),
	)
}

func draws(name string, nums ...string) func(*Call) loop.Template {
	return func(*Call) loop.Template { return loop.Template{Name: name, NumArgs: nums} }
}

// shapeDraw is a new tensor of the given size and, if given, strides.
func shapeDraw(c *Call) []tensor.Meta {
	return []tensor.Meta{{Size: newSize(c), Stride: c.Syms("stride"), DType: c.DTypeOr("dtype", c.Default)}}
}

func checkStd(n tensor.Number) {
	if n.Less(0) || !n.AtMost(math.Inf(1)) {
		Raise(tensor.RuntimeError, "normal expects std >= 0.0, but found std %g", n.Float64())
	}
}

func checkP(n tensor.Number) {
	if !n.Within(0, 1) {
		Raise(tensor.RuntimeError, "bernoulli_ expects p to be in [0, 1], but got p=%g", n.Float64())
	}
}

func checkRange(from, to int64) {
	if from >= to {
		Raise(tensor.RuntimeError, "random_ expects 'from' to be less than 'to', but got from=%d >= to=%d", from, to)
	}
}

// random is a public factory over one of the inner draws.
func random(sig, doc, draw string, sample []any) *Def {
	name, ps, _ := parseSig(sig)
	like := ps[0].Name == "self"
	return &Def{
		Sig: sig, Doc: doc, Bind: Fn, NoGrad: noGradRandom,
		Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
			a := []any{nil, KW{"dtype", c.DTypeOr("dtype", c.Default)}, KW{"device", *c.Arg("device")}}
			if like {
				m := in[0].Meta()
				f := formatted(c, m)
				if f.Stride == nil {
					f.Stride = preserveStride(m, m.Size)
				}
				a = []any{m.Size, KW{"stride", f.Stride}, KW{"dtype", c.DTypeOr("dtype", m.DType)}, KW{"device", m.Dev}}
			} else {
				a[0] = newSize(c)
				a = append(a, KW{"generator", *c.Arg("generator")})
			}
			return []Tensor{g.Op(draw, a...)}
		},
		Samples: func() []Sample {
			s := samplesOf(name)
			if like {
				return s.each([]int64{3, 4}).add(s.f(5, 6)).add(s.f()).add(s.f(0)).add(s.f(2), KW{"dtype", tensor.Float64}).done()
			}
			s.add([]int{3, 4}).add([]int{17}).add([]int{}).add([]int{0, 2}).add([]int{4, 5}, KW{"dtype", tensor.Float64}).add([]int{20}, KW{"dtype", tensor.BFloat16}).add([]int{20}, KW{"dtype", tensor.Float16})
			return s.raises(tensor.RuntimeError, []int{-1}).done()
		},
	}
}

// randint is one overload: low and size come from the arguments it has.
func randint(sig string) *Def {
	name, ps, _ := parseSig(sig)
	has := map[string]bool{}
	for _, p := range ps {
		has[p.Name] = true
	}
	return &Def{
		Sig: sig, Doc: "Integers low … high-1.", Bind: Fn, NoGrad: noGradRandom,
		Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
			lo, hi := int64(0), int64(count(c.Sym("high")))
			if has["low"] {
				lo = int64(count(c.Sym("low")))
			}
			checkRange(lo, hi)
			var size []SymInt
			dt := tensor.Int64
			a := []any{}
			if has["self"] {
				m := in[0].Meta()
				size, dt = m.Size, m.DType
				a = append(a, KW{"stride", preserveStride(m, m.Size)}, KW{"device", m.Dev})
			} else {
				size = newSize(c)
				a = append(a, KW{"device", *c.Arg("device")}, KW{"generator", *c.Arg("generator")})
			}
			a = append([]any{size, tensor.Int(lo), tensor.Int(hi), KW{"dtype", c.DTypeOr("dtype", dt)}}, a...)
			return []Tensor{g.Op("_randint", a...)}
		},
		Samples: func() []Sample {
			s := samplesOf(name)
			lo := []any{}
			if has["low"] {
				lo = append(lo, -5)
			}
			args := func(first []any, rest ...any) []any {
				return append(append(append([]any{}, first...), append(lo, 10)...), rest...)
			}
			if has["self"] {
				s.add(args([]any{s.f(3, 4)})...).add(args([]any{s.lay(LayTrans, 3, 4)})...).add(args([]any{s.lay(LayStep, 3)})...).add(args([]any{s.i(0, 5, 6)})...).add(args([]any{s.f()})...)
				return s.done()
			}
			s.add(args(nil, []int{3, 4})...).add(args(nil, []int{})...).add(args(nil, []int{0})...).add(args(nil, []int{5}, KW{"dtype", tensor.Float32})...)
			if has["low"] {
				return s.raises(tensor.RuntimeError, 5, 2, []int{2}).done()
			}
			return s.raises(tensor.RuntimeError, 0, []int{2}).done()
		},
	}
}

// fill is an op whose in-place form fills self with draws; bad is a sample that
// must be refused.
func fill(sig, doc, template string, nums []string, check func(c *Call), one, two, bad []any) *Def {
	name, ps, _ := parseSig(sig)
	has := map[string]bool{}
	for _, p := range ps {
		has[p.Name] = true
	}
	var args []string
	for _, n := range nums {
		if has[n] {
			args = append(args, n)
		}
	}
	return &Def{
		Sig: sig, Doc: doc, Aliases: map[string][]string{"normal_functional": {"normal"}}[name], Bind: InPlace, State: true, NoGrad: "the result does not depend on the operand", Layout: LayoutPreserve,
		Shape: func(c *Call) []tensor.Meta {
			if check != nil {
				check(c)
			}
			return shapeLike0(c)
		},
		Extern: func(c *Call) loop.Template {
			t := loop.Template{Name: template, NumArgs: args}
			if template == "random_int" && !has["from"] {
				t.Nums = []tensor.Number{tensor.Int(0)}
			}
			return t
		},
		Samples: func() []Sample {
			s := samplesOf(name)
			for i, l := range layouts {
				a := one
				if i%2 == 1 {
					a = two
				}
				s.add(append([]any{s.lay(l, 4, 5)}, a...)...)
			}
			s.add(append([]any{s.f()}, one...)...).add(append([]any{s.f(0, 2)}, one...)...).add(append([]any{s.d64(7)}, two...)...)
			if bad != nil {
				s.raises(tensor.RuntimeError, append([]any{s.f(2)}, bad...)...)
			}
			return s.done()
		},
	}
}

// dropoutDef is dropout as torch's CPU path does it: noise like the input (or
// one number a channel), drawn with probability 1-p and divided by it.
func dropoutDef(sig string, bind Bind, feature, alpha bool) *Def {
	name, _, _ := parseSig(sig)
	return &Def{
		Sig: sig, Doc: "Zeros a fraction p of the elements (or channels) in training and scales the rest.", Bind: bind,
		Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
			x := in[0]
			m := x.Meta()
			p := c.Num("p")
			if !p.Within(0, 1) {
				if bind&NN != 0 {
					Raise(tensor.ValueError, "dropout probability has to be between 0 and 1, but got %s", c.Num("p"))
				}
				Raise(tensor.RuntimeError, "dropout probability has to be between 0 and 1, but got %g", p.Float64())
			}
			if p.Is(0) || !c.Bool("training") || IsEmpty(m) {
				return []Tensor{x}
			}
			if p.Is(1) {
				return []Tensor{g.Mul(x, g.Full(x, nil, 0))}
			}
			size := m.Size
			if feature {
				if m.Rank() < 2 {
					Raise(tensor.RuntimeError, "Feature dropout requires at least 2 dimensions in the input")
				}
				size = append([]SymInt{}, m.Size[:2]...)
				for range m.Size[2:] {
					size = append(size, C(1))
				}
			}
			keep := tensor.Float(1).Minus(p)
			noise := g.Op("bernoulli.p", g.Op("new_empty", x, size), keep)
			if !alpha {
				return []Tensor{g.Mul(x, g.Div(noise, keep))}
			}
			const k = 1.7580993408473766
			v := p.Float64()
			a := 1 / math.Sqrt((k*k*v+1)*(1-v))
			b := g.Add(g.Mul(g.Sub(noise, 1), k*a), k*a*v)
			return []Tensor{g.Add(g.Mul(x, g.Mul(noise, a)), b)}
		},
		Samples: func() []Sample {
			s := samplesOf(name)
			for _, l := range layouts {
				s.add(s.lay(l, 4, 3, 2), 0.5, true)
			}
			s.add(s.f(4, 5), 0.3, true).add(s.f(4, 5), 0.3, false).add(s.f(3, 2), 0.0, true).add(s.f(3, 2), 1.0, true).add(s.f(0, 2), 0.5, true).add(s.d64(4, 6), 0.25, true)
			if !feature {
				s.add(s.f(), 0.5, true)
			}
			return s.raises(map[bool]tensor.ErrKind{true: tensor.ValueError, false: tensor.RuntimeError}[bind&NN != 0], s.f(2, 2), 2.0, true).done()
		},
	}
}
