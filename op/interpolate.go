package op

import (
	"math"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Resampling. One op reads each output element from a few taps a dimension
// (nearest 1, linear 2, cubic 4), one op adds gradients back through the same
// taps. A scale of 0 means input size / output size.

func init() {
	tail := "str mode, bool align_corners, float scale0, float scale1, float scale2) -> Tensor"
	Register(
		&Def{
			Sig: "interpolate(Tensor input, SymInt[]? size=None, float[]? scale_factor=None, str mode=\"nearest\", bool? align_corners=None, bool? recompute_scale_factor=None, bool antialias=False) -> Tensor",
			Doc: "Resampling to a size or by a factor: nearest, nearest-exact, linear, bilinear, trilinear, bicubic, area.", Aliases: []string{"upsample"}, Bind: NN,
			Decomp: decompInterpolate,
			Samples: func() []Sample {
				s := samplesOf("interpolate")
				for _, l := range layouts {
					s.add(s.lay(l, 2, 3, 4), []int{7}).add(s.lay(l, 1, 2, 3, 4), []int{5, 6}, nil, "bilinear", false).add(s.lay(l, 1, 2, 3, 4), nil, []float64{2}, "nearest")
				}
				s.add(s.f(1, 2, 4), []int{6}, nil, "linear", true).add(s.f(1, 1, 3, 3), nil, []float64{2, 1.5}, "bilinear", true).add(s.f(1, 1, 2, 3, 2), []int{3, 4, 3}, nil, "trilinear", false).add(s.f(1, 1, 4, 4), []int{6, 7}, nil, "bicubic", false).add(s.f(1, 1, 4, 4), []int{3, 7}, nil, "bicubic", true)
				s.add(s.f(1, 2, 4, 6), []int{2, 3}, nil, "area").add(s.f(1, 1, 5), []int{3}, nil, "nearest-exact").add(s.f(1, 1, 5), nil, []float64{1.7}, "linear", false, true).add(s.f(1, 1, 4, 4), nil, []float64{0.5}, "bilinear", false).add(s.f(1, 1, 2, 3, 2), nil, []float64{2})
				s.raises(tensor.ValueError, s.f(2, 3), []int{4}).raises(tensor.ValueError, s.f(1, 1, 2, 2), []int{1, 2, 3})
				return s.raises(tensor.ValueError, s.f(1, 1, 2, 2)).done()
			},
		},
		&Def{
			Sig: "_interpolate(Tensor self, SymInt[] size, " + tail, Doc: "Resampling of the dimensions after the first two.",
			Shape: func(c *Call) []tensor.Meta {
				return []tensor.Meta{{Size: append(clip(c.In[0].Size[:2]), c.Syms("size")...), DType: c.In[0].DType}}
			},
			Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V {
				return interpTaps(b, c, at, c.In[0].Size[2:], c.Syms("size"))
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.Op("_interpolate_add", g.Full(grad[0], c.In[0].Size, 0), grad[0], c.Str("mode"), c.Bool("align_corners"), c.Num("scale0"), c.Num("scale1"), c.Num("scale2"))}
			},
		},
		&Def{
			Sig: "_interpolate_add(Tensor self, Tensor grad, " + tail, Doc: "Adds gradients back through the taps of _interpolate.",
			Shape: shapeLike0,
			Scatter: &Scatter{
				Combine: combineAdd,
				Over: func(c *Call) []SymInt {
					s := clip(c.In[1].Size)
					for range c.In[1].Size[2:] {
						s = append(s, C(int64(tapCount(c.Str("mode")))))
					}
					return s
				},
				At: func(b *loop.Builder, c *Call, at []loop.Ix) ([]loop.Ix, loop.V) {
					n := c.In[1].Rank()
					v := b.At(1, at[:n], 0)
					ix := append([]loop.Ix{}, at[:2]...)
					for d := range n - 2 {
						p := newTap(b, c, d, at[2+d], c.In[0].Size[2+d], c.In[1].Size[2+d])
						i, w := p.at(b, b.Idx(at[n+d]))
						ix = append(ix, loop.IxData(i, nil))
						if w != 0 {
							v = b.Mul(v, b.Cast(w, b.Type(v)))
						}
					}
					return ix, v
				},
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{grad[0], g.Op("_interpolate", grad[0], c.In[1].Size[2:], c.Str("mode"), c.Bool("align_corners"), c.Num("scale0"), c.Num("scale1"), c.Num("scale2"))}
			},
		},
		&Def{
			Sig: "_adaptive_weights(Tensor like, SymInt size, SymInt output) -> Tensor", Doc: "[output, size]: row i averages the elements of adaptive window i.", NoGrad: "it depends on sizes only",
			Shape: func(c *Call) []tensor.Meta {
				return []tensor.Meta{{Size: []SymInt{c.Sym("output"), c.Sym("size")}, DType: c.In[0].DType}}
			},
			Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V {
				i, j, n, o := b.Idx(at[0]), b.Idx(at[1]), b.Size(c.Sym("size")), b.Size(c.Sym("output"))
				start := b.Div(b.Mul(i, n), o)
				end := b.Div(b.Sub(b.Add(b.Mul(b.Add(i, b.ConstI(loop.I64, 1)), n), o), b.ConstI(loop.I64, 1)), o)
				t := loop.TypeOf(c.In[0].DType)
				w := b.Div(b.Const(t, 1), b.Cast(b.Sub(end, start), t))
				return b.Select(b.And(b.Ge(j, start), b.Lt(j, end)), w, b.Const(t, 0))
			},
		},
		shuffleDef("pixel_shuffle", "Channels into space: [N, C r², H, W] to [N, C, H r, W r]."),
		shuffleDef("pixel_unshuffle", "Space into channels: the inverse of pixel_shuffle."),
		&Def{
			Sig: "channel_shuffle(Tensor self, int groups) -> Tensor", Doc: "Interleaves groups of channels.", Bind: Fn | NN,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				m, n := in[0].Meta(), int64(c.Int("groups"))
				if m.Rank() < 3 {
					Raise(tensor.RuntimeError, "channel_shuffle expects input with > 2 dims, but got input with sizes %s", ShapeText(m.Size))
				}
				if n <= 0 {
					Raise(tensor.RuntimeError, "Number of groups to divide channels in must be positive. Value of groups:%d", n)
				}
				if !m.Size[1].Mod(C(n)).Eq(C(0)) {
					Raise(tensor.RuntimeError, "Number of channels must be divisible by groups. Got %d channels and %d groups.", m.Size[1].Hint(), n)
				}
				x := g.reshape(in[0], append([]SymInt{m.Size[0], C(n), m.Size[1].Div(C(n))}, m.Size[2:]...))
				return []Tensor{g.reshape(g.Op("transpose.int", x, 1, 2), m.Size)}
			},
			Samples: func() []Sample {
				s := samplesOf("channel_shuffle").each([]int64{2, 4, 3}, 2)
				return s.add(s.f(0, 4, 2, 2), 2).raises(tensor.RuntimeError, s.f(2, 3, 2), 2).done()
			},
		},
	)
}

func tapCount(mode string) int {
	switch mode {
	case "nearest", "nearest-exact":
		return 1
	case "bicubic":
		return 4
	}
	return 2
}

// tap is one dimension's source position for an output index.
type tap struct {
	mode string
	last loop.V // input size - 1
	base loop.V // i64: the first tap before clamping (cubic: the second)
	frac loop.V // distance from base
}

func newTap(b *loop.Builder, c *Call, d int, at loop.Ix, in, out SymInt) *tap {
	t := loop.F32
	if c.In[0].DType == tensor.Float64 {
		t = loop.F64
	}
	p := &tap{mode: c.Str("mode"), last: b.Size(in.Sub(C(1)))}
	n, o := b.Cast(b.Size(in), t), b.Cast(b.Size(out), t)
	zero, one := b.Const(t, 0), b.Const(t, 1)
	scale := b.Num([]string{"scale0", "scale1", "scale2"}[d], t)
	scale = b.Select(b.Gt(scale, zero), scale, b.Div(n, o))
	i := b.Cast(b.Idx(at), t)
	switch p.mode {
	case "nearest":
		p.base = b.Cast(b.Floor(b.Mul(i, scale)), loop.I64)
		return p
	case "nearest-exact":
		p.base = b.Cast(b.Floor(b.Mul(b.Add(i, b.Const(t, 0.5)), scale)), loop.I64)
		return p
	}
	var x loop.V
	if c.Bool("align_corners") {
		step := b.Select(b.Gt(o, one), b.Div(b.Sub(n, one), b.Sub(o, one)), zero)
		x = b.Mul(i, step)
	} else {
		half := b.Const(t, 0.5)
		x = b.Sub(b.Mul(scale, b.Add(i, half)), half)
		if p.mode != "bicubic" {
			x = b.Max(x, zero)
		}
	}
	f := b.Floor(x)
	p.base, p.frac = b.Cast(f, loop.I64), b.Sub(x, f)
	return p
}

// at is the index and the weight (0: none, it is 1) of tap k.
func (p *tap) at(b *loop.Builder, k loop.V) (i, w loop.V) {
	zero := b.ConstI(loop.I64, 0)
	if p.frac == 0 {
		return b.Max(b.Min(p.base, p.last), zero), 0
	}
	i = b.Add(p.base, k)
	if p.mode != "bicubic" {
		// the second tap stays on the last element
		one := b.Like(p.frac, 1)
		return b.Max(b.Min(i, p.last), zero), b.Select(b.Eq(k, zero), b.Sub(one, p.frac), p.frac)
	}
	i = b.Max(b.Min(b.Sub(i, b.ConstI(loop.I64, 1)), p.last), zero)
	// Keys' kernel with a = -0.75: near taps (k = 1, 2) and far ones (0, 3)
	a := b.Like(p.frac, -0.75)
	kf := b.Cast(b.Sub(k, b.ConstI(loop.I64, 1)), b.Type(p.frac))
	x := b.Abs(b.Sub(kf, p.frac))
	near := b.Add(b.Mul(b.Mul(b.Sub(b.Mul(b.Add(a, b.Like(a, 2)), x), b.Add(a, b.Like(a, 3))), x), x), b.Like(a, 1))
	far := b.Sub(b.Mul(b.Add(b.Mul(b.Sub(b.Mul(a, x), b.Mul(a, b.Like(a, 5))), x), b.Mul(a, b.Like(a, 8))), x), b.Mul(a, b.Like(a, 4)))
	isNear := b.And(b.Ge(k, b.ConstI(loop.I64, 1)), b.Le(k, b.ConstI(loop.I64, 2)))
	return i, b.Select(isNear, near, far)
}

func interpTaps(b *loop.Builder, c *Call, at []loop.Ix, in, out []SymInt) loop.V {
	ix := append([]loop.Ix{}, at...)
	n := tapCount(c.Str("mode"))
	taps := make([]*tap, len(in))
	for d := range in {
		taps[d] = newTap(b, c, d, at[2+d], in[d], out[d])
	}
	var walk func(d int) loop.V
	walk = func(d int) loop.V {
		if d == len(in) {
			return b.At(0, append([]loop.Ix{}, ix...), 0)
		}
		var sum loop.V
		for k := range n {
			i, w := taps[d].at(b, b.ConstI(loop.I64, int64(k)))
			ix[2+d] = loop.IxData(i, nil)
			v := walk(d + 1)
			if w != 0 {
				v = b.Mul(v, b.Cast(w, b.Type(v)))
			}
			if k == 0 {
				sum = v
			} else {
				sum = b.Add(sum, v)
			}
		}
		return sum
	}
	return walk(0)
}

// floats reads a float[] argument, also from a single number or integers.
func (c *Call) floats(name string) []float64 {
	var o []float64
	switch a := c.Arg(name); a.Kind {
	case ArgNumber:
		o = []float64{a.N.Float64()}
	case ArgNumbers:
		for _, n := range a.P.([]tensor.Number) {
			o = append(o, n.Float64())
		}
	case ArgInt:
		o = []float64{float64(a.I.Must())}
	case ArgInts:
		for _, i := range a.P.([]SymInt) {
			o = append(o, float64(i.Must()))
		}
	}
	return o
}

func decompInterpolate(g *G, c *Call, in []Tensor) []Tensor {
	m, mode := in[0].Meta(), c.Str("mode")
	d := m.Rank() - 2
	if d == 0 && len(c.Syms("size")) > 0 {
		Raise(tensor.ValueError, "Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of [] and output size of %s. Please provide input tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) format.", ShapeText(c.Syms("size")))
	}
	switch mode {
	case "nearest", "area", "nearest-exact":
		if c.Given("align_corners") {
			Raise(tensor.ValueError, "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear")
		}
	case "linear", "bilinear", "bicubic", "trilinear":
	default:
		Raise(tensor.NotImplementedError, "Input Error: Only 3D, 4D and 5D input Tensors supported (got %dD) for the modes: nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact (got %s)", m.Rank(), mode)
	}
	need := map[string]int{"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}[mode]
	if d < 1 || d > 3 || need != 0 && need != d {
		Raise(tensor.NotImplementedError, "Input Error: Only 3D, 4D and 5D input Tensors supported (got %dD) for the modes: nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact (got %s)", m.Rank(), mode)
	}
	if c.Bool("antialias") {
		Raise(tensor.NotImplementedError, "interpolate: antialias is not supported")
	}
	size, factor := append([]SymInt{}, c.Syms("size")...), c.floats("scale_factor")
	scales := make([]float64, 3)
	switch {
	case len(size) > 0 && len(factor) > 0:
		Raise(tensor.ValueError, "only one of size or scale_factor should be defined")
	case len(size) > 0:
		if len(size) == 1 {
			for len(size) < d {
				size = append(size, size[0])
			}
		}
		if len(size) != d {
			Raise(tensor.ValueError, "Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of %s and output size of %s. Please provide input tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) format.", ShapeText(m.Size[2:]), ShapeText(size))
		}
	case len(factor) > 0:
		if len(factor) == 1 {
			for len(factor) < d {
				factor = append(factor, factor[0])
			}
		}
		if len(factor) != d {
			Raise(tensor.ValueError, "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial dimensions of %s and scale_factor of shape %v. Please provide input tensor in (N, C, d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format.", ShapeText(m.Size[2:]), factor)
		}
		for i, f := range factor {
			n := m.Size[2+i]
			if f == math.Trunc(f) { // stays symbolic
				size = append(size, n.Mul(C(int64(f))))
			} else {
				size = append(size, C(int64(math.Floor(float64(count(n))*f))))
			}
			if !c.Bool("recompute_scale_factor") {
				scales[i] = 1 / f
			}
		}
	default:
		Raise(tensor.ValueError, "either size or scale_factor should be defined")
	}
	for i, s := range size {
		if !s.Gt(C(0)) || !m.Size[2+i].Gt(C(0)) {
			Raise(tensor.RuntimeError, "Input and output sizes should be greater than 0, but got input (%s) output (%s)", ShapeText(m.Size[2:]), ShapeText(size))
		}
	}
	if mode == "area" {
		return []Tensor{g.Op("adaptive_avg_pool"+string(rune('0'+d))+"d", in[0], size)}
	}
	return []Tensor{g.Op("_interpolate", in[0], size, mode, c.Given("align_corners") && c.Bool("align_corners"), scales[0], scales[1], scales[2])}
}

func tupleText(s []SymInt) string {
	t := ShapeText(s)
	return "(" + t[1:len(t)-1] + ")"
}

func shuffleDef(name, doc string) *Def {
	un := name == "pixel_unshuffle"
	param := map[bool]string{false: "upscale_factor", true: "downscale_factor"}[un]
	return &Def{
		Sig: name + "(Tensor self, int " + param + ") -> Tensor", Doc: doc, Bind: Fn | NN,
		Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
			m, r := in[0].Meta(), C(int64(c.Int(param)))
			n := m.Rank()
			if n < 3 {
				Raise(tensor.RuntimeError, "%s expects input to have at least 3 dimensions, but got input with %d dimension(s)", name, n)
			}
			if r.Le(C(0)) {
				Raise(tensor.RuntimeError, "%s expects a positive %s, but got %s", name, param, r)
			}
			lead := m.Size[:n-3]
			ch, h, w := m.Size[n-3], m.Size[n-2], m.Size[n-1]
			k := n - 3
			if un {
				for i, s := range []SymInt{h, w} {
					if !s.Mod(r).Eq(C(0)) {
						Raise(tensor.RuntimeError, "pixel_unshuffle expects %s to be divisible by downscale_factor, but input.size(%d)=%d is not divisible by %s", []string{"height", "width"}[i], i-2, s.Hint(), r)
					}
				}
				x := g.reshape(in[0], append(clip(lead), ch, h.Div(r), r, w.Div(r), r))
				x = g.Op("permute", x, append(upTo(k), k, k+2, k+4, k+1, k+3))
				return []Tensor{g.reshape(x, append(clip(lead), ch.Mul(r).Mul(r), h.Div(r), w.Div(r)))}
			}
			rr := r.Mul(r)
			if !ch.Mod(rr).Eq(C(0)) {
				Raise(tensor.RuntimeError, "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but input.size(-3)=%d is not divisible by %s", ch.Hint(), rr)
			}
			x := g.reshape(in[0], append(clip(lead), ch.Div(rr), r, r, h, w))
			x = g.Op("permute", x, append(upTo(k), k, k+3, k+1, k+4, k+2))
			return []Tensor{g.reshape(x, append(clip(lead), ch.Div(rr), h.Mul(r), w.Mul(r)))}
		},
		Samples: func() []Sample {
			s := samplesOf(name)
			x := []int64{2, 8, 3, 2}
			if un {
				x = []int64{2, 2, 4, 6}
			}
			s.each(x, 2).add(s.f(x[1:]...), 2) // empty batches lose their shape in torch 1.13
			return s.raises(tensor.RuntimeError, s.f(1, 3, 3, 3), 2).done()
		},
	}
}

func upTo(n int) []int {
	o := make([]int, n)
	for i := range o {
		o[i] = i
	}
	return o
}
