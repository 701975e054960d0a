package op

import (
	"strings"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Pooling. Windows are int arguments, so bodies are built window by window.
//
//	max      _max_pool (value) and _max_pool_index (flat position in the plane);
//	         the gradient is added at the positions
//	avg      _window_sum over a divisor; _window_add is its transpose
//	adaptive where the size divides, avg or max pooling; else a product with
//	         a matrix of weights
//
// Where padding or ceil_mode let a window reach outside, its loads are masked.

// pool is the geometry of a pooling over the last dims dimensions.
type pool struct {
	dims                     int
	kernel, stride, pad, dil []int
	ceil                     bool
	lead                     []SymInt // dimensions before the window's
	in, out                  []SymInt
}

const poolTail = "int[] kernel, int[] stride, int[] padding, int[] dilation, bool ceil_mode) -> Tensor"

func init() {
	Register(
		&Def{
			Sig: "_max_pool(Tensor self, " + poolTail, Doc: "The maximum of each window.",
			Shape: func(c *Call) []tensor.Meta { return shapePool(c, c.In[0].DType) },
			Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V { return maxWindow(b, c, at)[0] },
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				ix := g.Op("_max_pool_index", poolArgs(c, in[0])...)
				return []Tensor{g.planeAdd(c, grad[0], ix)}
			},
		},
		&Def{
			Sig: "_max_pool_index(Tensor self, " + poolTail, Doc: "Where in its plane the maximum of each window is first.", NoGrad: "indices are integers",
			Shape: func(c *Call) []tensor.Meta { return shapePool(c, tensor.Int64) },
			Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V { return maxWindow(b, c, at)[1] },
		},
		&Def{
			Sig: "_window_sum(Tensor self, " + poolTail, Doc: "The sum of each window.",
			Shape: func(c *Call) []tensor.Meta { return shapePool(c, c.In[0].DType) },
			Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V {
				p := poolOf(c)
				t := loop.TypeOf(c.In[0].DType)
				return p.taps(b, at, []loop.V{b.Const(t, 0)}, func(ix []loop.Ix, mask loop.V, cur []loop.V) []loop.V {
					return []loop.V{b.Add(cur[0], b.At(0, ix, mask))}
				})[0]
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.windowAdd(c, grad[0])}
			},
		},
		&Def{
			Sig: "_window_add(Tensor self, Tensor src, int[] kernel, int[] stride, int[] dilation) -> Tensor", Doc: "Adds each element of src to every place of its window in self, which is padded already.",
			Shape: shapeLike0,
			Scatter: &Scatter{
				Combine: combineAdd,
				Over: func(c *Call) []SymInt {
					s := clip(c.In[1].Size)
					for _, k := range c.Ints("kernel") {
						s = append(s, C(int64(k)))
					}
					return s
				},
				At: func(b *loop.Builder, c *Call, at []loop.Ix) ([]loop.Ix, loop.V) {
					n := c.In[1].Rank()
					k := len(c.Ints("kernel"))
					w := append([]loop.Ix{}, at[:n]...)
					for i := range k {
						w[n-k+i] = at[n-k+i].Scale(C(int64(c.Ints("stride")[i])), C(0)).Plus(at[n+i].Scale(C(int64(c.Ints("dilation")[i])), C(0)))
					}
					return w, b.At(1, at[:n], 0)
				},
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				zero := make([]int, len(c.Ints("kernel")))
				s := g.Op("_window_sum", grad[0], c.Ints("kernel"), c.Ints("stride"), zero, c.Ints("dilation"), false)
				for d, n := range c.In[1].Size { // the padded size may leave room for more windows
					if !s.Meta().Size[d].KnownEq(n) {
						s = g.Op("narrow", s, d, 0, n)
					}
				}
				return []Tensor{grad[0], s}
			},
		},
		&Def{
			Sig: "_pool_divisor(Tensor like, SymInt[] size, int[] kernel, int[] stride, int[] padding, SymInt[] output, bool count_include_pad) -> Tensor", Doc: "How many elements each window of avg_pool counts.", NoGrad: "it depends on sizes only",
			Shape: func(c *Call) []tensor.Meta {
				return []tensor.Meta{{Size: c.Syms("output"), DType: c.In[0].DType}}
			},
			Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V {
				n := b.ConstI(loop.I64, 1)
				zero := b.ConstI(loop.I64, 0)
				for i := range at {
					size, pad := c.Syms("size")[i], C(int64(c.Ints("padding")[i]))
					start := b.Idx(at[i].Scale(C(int64(c.Ints("stride")[i])), pad.Neg()))
					end := b.Min(b.Add(start, b.ConstI(loop.I64, int64(c.Ints("kernel")[i]))), b.Size(size.Add(pad)))
					if !c.Bool("count_include_pad") {
						start, end = b.Max(start, zero), b.Min(end, b.Size(size))
					}
					n = b.Mul(n, b.Sub(end, start))
				}
				return b.Cast(n, loop.TypeOf(c.In[0].DType))
			},
		},
		&Def{
			Sig: "_im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor", Doc: "Windows of images as columns.",
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				m := in[0].Meta()
				k, dil, pad, st := grown(c.Ints("kernel_size"), 2), grown(c.Ints("dilation"), 2), grown(c.Ints("padding"), 2), grown(c.Ints("stride"), 2)
				if m.Rank() != 4 && m.Rank() != 3 {
					Raise(tensor.RuntimeError, "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: %s", ShapeText(m.Size))
				}
				x := in[0]
				if m.Rank() == 3 {
					x = g.Op("unsqueeze", x, 0)
				}
				p, q := C(int64(pad[0])), C(int64(pad[1]))
				x = g.Op("constant_pad_nd", x, []SymInt{q, q, p, p}, 0)
				m = x.Meta()
				var l []SymInt
				for i := range 2 {
					l = append(l, m.Size[2+i].Sub(C(int64(dil[i]*(k[i]-1)+1))).Div(C(int64(st[i]))).Add(C(1)))
				}
				for _, n := range l {
					if n.Lt(C(1)) {
						Raise(tensor.RuntimeError, "Given input with spatial size %s, kernel_size=(%d, %d), dilation=(%d, %d), padding=(%d, %d), calculated shape of the array of sliding blocks as %s, but its components must be at least one.", tupleText(c.In[0].Size[c.In[0].Rank()-2:]), k[0], k[1], dil[0], dil[1], pad[0], pad[1], tupleText(l))
					}
				}
				r := g.Op("_windows", x, k, dil, st, l)
				r = g.reshape(r, []SymInt{m.Size[0], m.Size[1].Mul(C(int64(k[0] * k[1]))), l[0].Mul(l[1])})
				if c.In[0].Rank() == 3 {
					r = g.Op("select.int", r, 0, 0)
				}
				return []Tensor{r}
			},
		},
		&Def{
			Sig: "_windows(Tensor self, int[] kernel, int[] dilation, int[] stride, SymInt[] blocks) -> Tensor", Doc: "[N, C, k…, l…] from [N, C, …]: every window of every plane.",
			Shape: func(c *Call) []tensor.Meta {
				s := append([]SymInt{}, c.In[0].Size[:2]...)
				for _, k := range c.Ints("kernel") {
					s = append(s, C(int64(k)))
				}
				return []tensor.Meta{{Size: append(s, c.Syms("blocks")...), DType: c.In[0].DType}}
			},
			Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V { return b.At(0, windowAt(c, at), 0) },
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.Op("_windows_add", g.Full(grad[0], c.In[0].Size, 0), grad[0], c.Ints("kernel"), c.Ints("dilation"), c.Ints("stride"))}
			},
		},
		&Def{
			Sig: "_windows_add(Tensor self, Tensor windows, int[] kernel, int[] dilation, int[] stride) -> Tensor", Doc: "Adds windows back to where _windows took them from.",
			Shape: shapeLike0,
			Scatter: &Scatter{Combine: combineAdd, At: func(b *loop.Builder, c *Call, at []loop.Ix) ([]loop.Ix, loop.V) {
				return windowAt(c, at), b.At(1, at, 0)
			}},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				n := len(c.Ints("kernel"))
				return []Tensor{grad[0], g.Op("_windows", grad[0], c.Ints("kernel"), c.Ints("dilation"), c.Ints("stride"), c.In[1].Size[2+n:])}
			},
		},
		&Def{
			Sig: "unfold.im2col(Tensor input, int[2] kernel_size, int[2] dilation=1, int[2] padding=0, int[2] stride=1) -> Tensor", Doc: "torch.nn.functional.unfold: windows of images as columns.", Bind: NN,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				return []Tensor{g.Op("_im2col", in[0], c.Ints("kernel_size"), c.Ints("dilation"), c.Ints("padding"), c.Ints("stride"))}
			},
			Samples: func() []Sample {
				s := samplesOf("unfold.im2col")
				for _, l := range layouts {
					s.add(s.lay(l, 2, 2, 4, 5), []int{2, 3}).add(s.lay(l, 1, 2, 4, 4), 2, 1, 1, 2)
				}
				return s.add(s.f(2, 5, 5), 2, 2).add(s.f(0, 2, 4, 4), 2).raises(tensor.RuntimeError, s.f(1, 1, 2, 2), 3).done()
			},
		},
		&Def{
			Sig: "fold(Tensor input, SymInt[2] output_size, int[2] kernel_size, int[2] dilation=1, int[2] padding=0, int[2] stride=1) -> Tensor", Doc: "torch.nn.functional.fold: columns added back into images.", Bind: NN,
			Decomp: decompFold,
			Samples: func() []Sample {
				s := samplesOf("fold")
				for _, l := range layouts {
					s.add(s.lay(l, 2, 8, 9), []int{4, 4}, 2).add(s.lay(l, 1, 4, 9), []int{4, 4}, 2, 1, 1, 2)
				}
				return s.add(s.f(8, 9), []int{4, 4}, 2).raises(tensor.RuntimeError, s.f(2, 3), 4, 2).done()
			},
		},
	)
	for d := 1; d <= 3; d++ {
		Register(maxPoolDef(d, true), maxPoolDef(d, false), avgPoolDef(d), adaptiveAvgDef(d), adaptiveMaxDef(d, true), adaptiveMaxDef(d, false))
	}
	Register(lpPoolDef(1), lpPoolDef(2))
}

// poolOf reads the geometry of an inner op; it asks nothing.
func poolOf(c *Call) *pool {
	p := &pool{kernel: c.Ints("kernel"), stride: c.Ints("stride"), pad: c.Ints("padding"), dil: c.Ints("dilation"), ceil: c.Bool("ceil_mode")}
	p.dims = len(p.kernel)
	s := c.In[0].Size
	p.lead, p.in = s[:len(s)-p.dims], s[len(s)-p.dims:]
	return p
}

func poolArgs(c *Call, t Tensor) []any {
	return []any{t, c.Ints("kernel"), c.Ints("stride"), c.Ints("padding"), c.Ints("dilation"), c.Bool("ceil_mode")}
}

// size computes the output; with ceil_mode a last window that would start in
// the padding behind is dropped.
func (p *pool) size() {
	p.out = nil
	for i, n := range p.in {
		k, s, pad := int64(p.dil[i]*(p.kernel[i]-1)+1), int64(p.stride[i]), int64(p.pad[i])
		room := n.Add(C(2*pad - k))
		if !p.ceil {
			p.out = append(p.out, room.Div(C(s)).Add(C(1)))
			continue
		}
		o := room.Add(C(s - 1)).Div(C(s)).Add(C(1))
		if o.Sub(C(1)).Mul(C(s)).Ge(n.Add(C(pad))) {
			o = o.Sub(C(1))
		}
		p.out = append(p.out, o)
	}
}

func shapePool(c *Call, d tensor.DType) []tensor.Meta {
	p := poolOf(c)
	p.size()
	return []tensor.Meta{{Size: append(clip(p.lead), p.out...), DType: d}}
}

// taps runs f over the places of one window, unrolled where there are few. cur
// is carried from place to place.
func (p *pool) taps(b *loop.Builder, at []loop.Ix, cur []loop.V, f func(ix []loop.Ix, mask loop.V, cur []loop.V) []loop.V) []loop.V {
	total := 1
	for _, k := range p.kernel {
		total *= k
	}
	n := len(at) - p.dims
	ix := append([]loop.Ix{}, at...)
	var walk func(i int, mask loop.V, cur []loop.V) []loop.V
	walk = func(i int, mask loop.V, cur []loop.V) []loop.V {
		if i == p.dims {
			return f(append([]loop.Ix{}, ix...), mask, cur)
		}
		start := at[n+i].Scale(C(int64(p.stride[i])), C(int64(-p.pad[i])))
		step := func(x loop.Ix, cur []loop.V) []loop.V {
			ix[n+i] = x
			m := mask
			if p.pad[i] > 0 || p.ceil {
				m = andInside(b, mask, b.Idx(x), p.in[i])
			}
			return walk(i+1, m, cur)
		}
		if total <= 16 {
			for k := range p.kernel[i] {
				cur = step(start.Shift(C(int64(k*p.dil[i]))), cur)
			}
			return cur
		}
		return b.Carry(C(int64(p.kernel[i])), cur, func(a loop.Axis, cur []loop.V) []loop.V {
			return step(start.Plus(loop.At(a).Scale(C(int64(p.dil[i])), C(0))), cur)
		})
	}
	return walk(0, 0, cur)
}

// maxWindow is the maximum of a window and its flat position; NaN wins.
func maxWindow(b *loop.Builder, c *Call, at []loop.Ix) []loop.V {
	p := poolOf(c)
	n := len(at) - p.dims
	t := loop.TypeOf(c.In[0].DType)
	first := b.ConstI(loop.I64, -1)
	return p.taps(b, at, []loop.V{b.Const(t, 0), first}, func(ix []loop.Ix, mask loop.V, cur []loop.V) []loop.V {
		x := b.At(0, ix, mask)
		pos := b.Idx(ix[n])
		for i := 1; i < p.dims; i++ {
			pos = b.Add(b.Mul(pos, b.Size(p.in[i])), b.Idx(ix[n+i]))
		}
		take := b.Or(b.Or(b.Gt(x, cur[0]), b.IsNaN(x)), b.Lt(cur[1], b.ConstI(loop.I64, 0)))
		if mask != 0 {
			take = b.And(take, mask)
		}
		return []loop.V{b.Select(take, x, cur[0]), b.Select(take, pos, cur[1])}
	})
}

// planeAdd adds values at flat positions of zeros like operand 0's planes.
func (g *G) planeAdd(c *Call, grad, ix Tensor) Tensor {
	n := len(c.Ints("kernel"))
	m := c.In[0]
	lead := m.Size[:m.Rank()-n]
	z := g.Full(grad, append(clip(lead), prodOf(m.Size[len(lead):])), 0)
	s := grad.Meta().Size
	flat := append(clip(lead), prodOf(s[len(lead):]))
	z = g.Op("scatter_add", z, len(lead), g.reshape(ix, flat), g.reshape(grad, flat))
	return g.Op("view", z, m.Size)
}

// windowAdd is the gradient of _window_sum: added into a padded plane, of which
// the middle is kept.
func (g *G) windowAdd(c *Call, grad Tensor) Tensor {
	p := poolOf(c)
	size := clip(p.lead)
	gs := grad.Meta().Size
	for i := range p.dims {
		reach := gs[len(p.lead)+i].Sub(C(1)).Mul(C(int64(p.stride[i]))).Add(C(int64(p.dil[i]*(p.kernel[i]-1) + 1)))
		size = append(size, reach.Max(p.in[i].Add(C(int64(2*p.pad[i])))))
	}
	z := g.Op("_window_add", g.Full(grad, size, 0), grad, p.kernel, p.stride, p.dil)
	for i := range p.dims {
		z = g.Op("narrow", z, len(p.lead)+i, p.pad[i], p.in[i])
	}
	return z
}

// windowAt is the place in a plane of [n, c, k…, l…].
func windowAt(c *Call, at []loop.Ix) []loop.Ix {
	n := len(c.Ints("kernel"))
	ix := append([]loop.Ix{}, at[:2]...)
	for i := range n {
		ix = append(ix, at[2+n+i].Scale(C(int64(c.Ints("stride")[i])), C(0)).Plus(at[2+i].Scale(C(int64(c.Ints("dilation")[i])), C(0))))
	}
	return ix
}

// newPool checks the arguments of a public pooling op.
func newPool(c *Call, d int) *pool {
	p := &pool{dims: d, kernel: grown(c.Ints("kernel_size"), d), stride: grown(c.Ints("stride"), d), pad: grown(c.Ints("padding"), d), ceil: c.Bool("ceil_mode")}
	if len(p.stride) == 0 {
		p.stride = p.kernel
	}
	p.dil = make([]int, d)
	for i := range p.dil {
		p.dil[i] = 1
	}
	for i := range c.Def.Params {
		if c.Def.Params[i].Name == "dilation" {
			p.dil = grown(c.Ints("dilation"), d)
		}
	}
	m := c.In[0]
	if m.Rank() != d+1 && m.Rank() != d+2 {
		switch {
		case c.Def.Base == "max_pool1d":
			Raise(tensor.RuntimeError, "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:%s", ShapeText(m.Size))
		case d == 1:
			wrongRank1(c)
		case c.Def.Base == "avg_pool2d" && m.Rank() < 3:
			WrapDim(-3, m.Rank())
		default:
			Raise(tensor.RuntimeError, "non-empty %dD or %dD (batch mode) tensor expected for input", d+1, d+2)
		}
	}
	p.lead, p.in = m.Size[:m.Rank()-d], m.Size[m.Rank()-d:]
	for i := range d {
		if p.kernel[i] <= 0 {
			Raise(tensor.RuntimeError, "kernel size should be greater than zero, but got %v", p.kernel)
		}
		if p.stride[i] <= 0 {
			Raise(tensor.RuntimeError, "stride should not be zero")
		}
		if p.dil[i] <= 0 {
			Raise(tensor.RuntimeError, "dilation should be greater than zero, but got dilation = %d", p.dil[i])
		}
		if p.pad[i] < 0 {
			Raise(tensor.RuntimeError, "pad must be non-negative, but got pad: %d", p.pad[i])
		}
		if p.pad[i] > p.kernel[i]/2 {
			Raise(tensor.RuntimeError, "pad should be at most half of kernel size, but got pad=%d and kernel_size=%d", p.pad[i], p.kernel[i])
		}
	}
	p.size()
	for i := range d {
		if p.out[i].Lt(C(1)) {
			if d == 1 {
				return p // torch gives an empty result here
			}
			text := func(s []SymInt) string {
				t := C(p.lead[len(p.lead)-1].Hint()).String()
				for _, x := range s {
					t += "x" + C(max(x.Hint(), 0)).String()
				}
				return t
			}
			Raise(tensor.RuntimeError, "Given input size: (%s). Calculated output size: (%s). Output size is too small", text(p.in), text(p.out))
		}
	}
	return p
}

func (p *pool) args(t Tensor) []any { return []any{t, p.kernel, p.stride, p.pad, p.dil, p.ceil} }

func poolSamples(s *sampler, d int, more func(s *sampler, x []int64)) []Sample {
	x := []int64{2, 3, 6, 5, 4}[:2+d]
	for _, l := range layouts {
		s.add(s.distinct(l, x...), 2)
	}
	s.add(s.distinct(LayContig, x[1:]...), 2, 1).add(s.distinct(LayContig, x...), 3, 2, 1)
	s.add(s.make(tensor.Float64, LayContig, Fill{}, x), 3)
	more(s, x)
	s.raises(map[bool]tensor.ErrKind{true: tensor.IndexError, false: tensor.RuntimeError}[s.d.Base == "avg_pool2d"], s.f(2), 2).raises(tensor.RuntimeError, s.f(x...), 2, 1, 2)
	return s.done()
}

func maxPoolDef(d int, indices bool) *Def {
	ds := string(rune('0' + d))
	base := "max_pool" + ds + "d"
	sig := base + "(Tensor self, int[" + ds + "] kernel_size, int[" + ds + "]? stride=[], int[" + ds + "] padding=0, int[" + ds + "] dilation=1, bool ceil_mode=False) -> Tensor"
	name, doc := base, "The maximum of each window."
	if indices {
		name, doc = base+"_with_indices", "The maximum of each window and its flat position in the plane."
		sig = name + sig[len(base):len(sig)-len("Tensor")] + "(Tensor, Tensor)"
	}
	return &Def{
		Sig: sig, Doc: doc, Bind: Fn | NN,
		Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
			p := newPool(c, d)
			if !indices {
				return []Tensor{g.Op("_max_pool", p.args(in[0])...)}
			}
			ix := g.Op("_max_pool_index", p.args(in[0])...)
			n := len(p.lead)
			flat := append(clip(p.lead), C(-1))
			size := ix.Meta().Size
			if IsEmpty(in[0].Meta()) {
				return []Tensor{g.Op("_max_pool", p.args(in[0])...), ix}
			}
			v := g.Op("gather", g.reshape(in[0], flat), n, g.reshape(ix, flat))
			return []Tensor{g.Op("view", v, size), ix}
		},
		Samples: func() []Sample {
			return poolSamples(samplesOf(name), d, func(s *sampler, x []int64) {
				s.add(s.distinct(LayContig, x...), 2, 2, 0, 1, true).add(s.distinct(LayContig, x...), 2, 1, 1, 2).add(s.distinct(LayContig, append([]int64{0}, x[1:]...)...), 2).add(s.distinct(LayContig, x...), 2, 3, 1, 1, true)
				if d == 1 {
					s.add(s.distinct(LayContig, 2, 3, 40), 17, 3)
				}
				if d == 2 {
					s.add(s.distinct(LayContig, 1, 2, 12, 11), []int{5, 4}, []int{2, 3}, []int{2, 1}).raises(tensor.RuntimeError, s.f(1, 1, 1, 1), 2)
				}
			})
		},
	}
}

func avgPoolDef(d int) *Def {
	ds := string(rune('0' + d))
	name := "avg_pool" + ds + "d"
	over := ", int? divisor_override=None"
	if d == 1 {
		over = ""
	}
	return &Def{
		Sig: name + "(Tensor self, int[" + ds + "] kernel_size, int[" + ds + "]? stride=[], int[" + ds + "] padding=0, bool ceil_mode=False, bool count_include_pad=True" + over + ") -> Tensor",
		Doc: "The mean of each window.", Bind: NN,
		Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
			p := newPool(c, d)
			sum := g.Op("_window_sum", p.args(in[0])...)
			if d > 1 && c.Given("divisor_override") {
				n := c.Int("divisor_override")
				if n == 0 {
					Raise(tensor.RuntimeError, "divisor must be not zero")
				}
				return []Tensor{g.Div(sum, n)}
			}
			whole, n := !p.ceil, 1
			for i := range d {
				n *= p.kernel[i]
				whole = whole && (p.pad[i] == 0 || c.Bool("count_include_pad"))
			}
			if whole { // every window counts the same
				return []Tensor{g.Div(sum, n)}
			}
			return []Tensor{g.Div(sum, g.Op("_pool_divisor", in[0], p.in, p.kernel, p.stride, p.pad, p.out, c.Bool("count_include_pad")))}
		},
		Samples: func() []Sample {
			return poolSamples(samplesOf(name), d, func(s *sampler, x []int64) {
				s.add(s.f(x...), 2, 2, 0, true).add(s.f(x...), 3, 2, 1, true, false).add(s.f(x...), 3, 1, 1, false, false).add(s.f(append([]int64{0}, x[1:]...)...), 2)
				if d > 1 {
					s.add(s.f(x...), 2, 2, 0, false, true, 3).raises(tensor.RuntimeError, s.f(x...), 2, 2, 0, false, true, 0)
				}
			})
		},
	}
}

func wrongRank1(c *Call) {
	Raise(tensor.RuntimeError, "Expected 2 to 3 dimensions, but got %d-dimensional tensor for argument #1 'self' (while checking arguments for %s)", c.In[0].Rank(), strings.TrimSuffix(c.Def.Base, "_with_indices"))
}

// adaptive resolves the output size: None entries keep the input's.
func adaptive(c *Call, d int) (in, out []SymInt, lead []SymInt) {
	m := c.In[0]
	if m.Rank() != d+1 && m.Rank() != d+2 {
		if d == 1 {
			wrongRank1(c)
		}
		if m.Rank() <= d {
			Raise(tensor.ValueError, "Input dimension should be at least %d", d+1)
		}
		Raise(tensor.RuntimeError, "%s(): Expected %dD or %dD tensor, but got %s", c.Def.Base, d+1, d+2, ShapeText(m.Size))
	}
	lead, in = m.Size[:m.Rank()-d], m.Size[m.Rank()-d:]
	out = append([]SymInt{}, c.Syms("output_size")...)
	for len(out) < d {
		out = append(out, out[0])
	}
	for i := range out {
		if out[i].Eq(C(-1)) { // None in torch's tuple
			out[i] = in[i]
		}
		if out[i].Lt(C(0)) {
			Raise(tensor.RuntimeError, "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received %s", ShapeText(out))
		}
	}
	return
}

// even reports that each size is a multiple of the output's, and how often.
func even(in, out []SymInt) (k []int, ok bool) {
	for i := range in {
		if out[i].Eq(C(0)) || !in[i].Mod(out[i]).Eq(C(0)) || in[i].Lt(C(1)) {
			return nil, false
		}
		k = append(k, count(in[i].Div(out[i])))
	}
	return k, true
}

func adaptiveAvgDef(d int) *Def {
	ds := string(rune('0' + d))
	name := "adaptive_avg_pool" + ds + "d"
	return &Def{
		Sig: name + "(Tensor self, SymInt[" + ds + "] output_size) -> Tensor", Doc: "The means of as many windows as asked for; -1 keeps a size.", Bind: Fn | NN,
		Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
			size, out, lead := adaptive(c, d)
			one, dims := true, []int{}
			for i := range d {
				one = one && out[i].Eq(C(1))
				dims = append(dims, len(lead)+i)
			}
			if one {
				return []Tensor{g.Op("mean", in[0], dims, true)}
			}
			if k, ok := even(size, out); ok {
				zero, dil := make([]int, d), make([]int, d)
				n := 1
				for i := range d {
					dil[i] = 1
					n *= k[i]
				}
				return []Tensor{g.Div(g.Op("_window_sum", in[0], k, k, zero, dil, false), n)}
			}
			r := in[0]
			for i := range d { // one dimension after the other, last in the product
				x := g.Op("transpose.int", r, len(lead)+i, -1)
				w := g.Op("_adaptive_weights", in[0], size[i], out[i])
				r = g.Op("transpose.int", g.matmul(x, g.Op("t", w)), len(lead)+i, -1)
			}
			return []Tensor{g.contiguous(r)}
		},
		Samples: func() []Sample {
			s := samplesOf(name)
			x := []int64{2, 3, 6, 5, 4}[:2+d]
			for _, l := range layouts {
				s.add(s.lay(l, x...), 1).add(s.lay(l, x...), 3)
			}
			s.add(s.f(x[1:]...), 2).add(s.f(append([]int64{0}, x[1:]...)...), 2).add(s.f(append(append([]int64{}, x[:1+d]...), 6)...), []int{2, 2, 2}[:d])
			return s.raises(map[bool]tensor.ErrKind{true: tensor.RuntimeError, false: tensor.ValueError}[d == 1], s.f(2), 2).done()
		},
	}
}

func adaptiveMaxDef(d int, indices bool) *Def {
	ds := string(rune('0' + d))
	base := "adaptive_max_pool" + ds + "d"
	name, ret, bind := base, "Tensor", NN
	if indices {
		name, ret = base+"_with_indices", "(Tensor, Tensor)"
	} else if d == 1 { // torch.adaptive_max_pool1d gives both
		ret, bind = "(Tensor, Tensor)", Fn
	}
	return &Def{
		Sig: name + "(Tensor self, SymInt[" + ds + "] output_size) -> " + ret, Doc: "The maxima of as many windows as asked for. Sizes that do not divide are not supported.", Bind: bind,
		Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
			size, out, _ := adaptive(c, d)
			k, ok := even(size, out)
			if !ok {
				Raise(tensor.NotImplementedError, "%s: output size %s does not divide the input size %s", name, ShapeText(out), ShapeText(size))
			}
			r := g.Ops("max_pool"+ds+"d_with_indices", in[0], k)
			if ret == "Tensor" {
				return r[:1]
			}
			return r
		},
		Samples: func() []Sample {
			s := samplesOf(name)
			x := []int64{2, 3, 6, 6, 4}[:2+d]
			for _, l := range layouts {
				s.add(s.distinct(l, x...), 1).add(s.distinct(l, x...), 2)
			}
			return s.add(s.distinct(LayContig, x[1:]...), 2).raises(map[bool]tensor.ErrKind{true: tensor.RuntimeError, false: tensor.ValueError}[d == 1], s.f(2), 2).done()
		},
	}
}

func lpPoolDef(d int) *Def {
	ds := string(rune('0' + d))
	name := "lp_pool" + ds + "d"
	return &Def{
		Sig: name + "(Tensor input, float norm_type, int[" + ds + "] kernel_size, int[" + ds + "]? stride=[], bool ceil_mode=False) -> Tensor", Doc: "The p-norm of each window.", Bind: NN,
		Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
			p := c.Num("norm_type")
			k := grown(c.Ints("kernel_size"), d)
			n := 1
			for _, x := range k {
				n *= x
			}
			avg := g.Op("avg_pool"+ds+"d", g.Op("pow", in[0], p), k, c.Ints("stride"), 0, c.Bool("ceil_mode"))
			s := g.Mul(g.Mul(g.Op("sign", avg), g.Op("relu", g.Op("abs", avg))), n)
			return []Tensor{g.Op("pow", s, 1/p.Float64())}
		},
		Samples: func() []Sample {
			s := samplesOf(name)
			x := []int64{2, 3, 6, 4}[:2+d]
			return s.add(s.pos(x...), 2.0, 2).add(s.pos(x[1:]...), 3.0, 2, 1).add(s.make(tensor.Float32, LayTrans, Fill{Kind: FillUniform, Lo: 0.1, Hi: 2}, x), 2.0, 3, 2).add(s.make(tensor.Float32, LayStep, Fill{Kind: FillUniform, Lo: 0.1, Hi: 2}, x), 1.0, 2).done()
		},
	}
}

func (g *G) contiguous(t Tensor) Tensor {
	if IsContig(t.Meta()) {
		return t
	}
	return g.Op("_contiguous", t)
}

func decompFold(g *G, c *Call, in []Tensor) []Tensor {
	k, dil, pad, st := grown(c.Ints("kernel_size"), 2), grown(c.Ints("dilation"), 2), grown(c.Ints("padding"), 2), grown(c.Ints("stride"), 2)
	m := in[0].Meta()
	if m.Rank() != 2 && m.Rank() != 3 {
		Raise(tensor.RuntimeError, "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for input, but got: %s", ShapeText(m.Size))
	}
	x := in[0]
	if m.Rank() == 2 {
		x = g.Op("unsqueeze", x, 0)
		m = x.Meta()
	}
	kk := int64(k[0] * k[1])
	if !m.Size[1].Mod(C(kk)).Eq(C(0)) {
		Raise(tensor.RuntimeError, "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got input.size(1)=%d and kernel_size=(%d, %d).", m.Size[1].Hint(), k[0], k[1])
	}
	out := append([]SymInt{}, c.Syms("output_size")...)
	ch := m.Size[1].Div(C(kk))
	padded := []SymInt{m.Size[0], ch}
	blocks := []SymInt{}
	for i := range 2 {
		n := out[i].Add(C(int64(2 * pad[i])))
		padded = append(padded, n)
		blocks = append(blocks, n.Sub(C(int64(dil[i]*(k[i]-1)+1))).Div(C(int64(st[i]))).Add(C(1)))
	}
	if !blocks[0].Mul(blocks[1]).Eq(m.Size[2]) {
		Raise(tensor.RuntimeError, "Given output_size=(%d, %d), kernel_size=(%d, %d), dilation=(%d, %d), padding=(%d, %d), stride=(%d, %d), expected size of input's dimension 2 to match the calculated number of sliding blocks %d * %d = %d, but got input.size(2)=%d.",
			out[0].Hint(), out[1].Hint(), k[0], k[1], dil[0], dil[1], pad[0], pad[1], st[0], st[1], blocks[0].Hint(), blocks[1].Hint(), blocks[0].Mul(blocks[1]).Hint(), m.Size[2].Hint())
	}
	x = g.reshape(x, append([]SymInt{m.Size[0], ch, C(int64(k[0])), C(int64(k[1]))}, blocks...))
	z := g.Op("_windows_add", g.Full(x, padded, 0), x, k, dil, st)
	for i := range 2 {
		if pad[i] > 0 {
			z = g.Op("narrow", z, 2+i, pad[i], out[i])
		}
	}
	if in[0].Meta().Rank() == 2 {
		z = g.Op("select.int", z, 0, 0)
	}
	return []Tensor{g.contiguous(z)}
}
