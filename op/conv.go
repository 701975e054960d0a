package op

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Convolutions. Three Defs with templates are each other's derivatives:
//
//	_conv(x, w) -> y          dx = _conv_input(dy, w)   dw = _conv_weight(x, dy)
//	_conv_input(y, w) -> x    the transposed convolution
//	_conv_weight(x, y) -> w
//
// Everything else is shape checks and views around them. Weights are
// [out, in/groups, k…] for all three.

func init() {
	geometry := "int[] stride, int[] padding, int[] dilation, int groups) -> Tensor"
	Register(
		&Def{
			Sig: "_conv(Tensor input, Tensor weight, Tensor? bias, " + geometry, Doc: "Convolution of a batch.",
			Shape: func(c *Call) []tensor.Meta {
				x, w := c.In[0], c.In[1]
				return []tensor.Meta{{Size: append([]SymInt{x.Size[0], w.Size[0]}, convSize(c, x.Size[2:], w.Size[2:])...), DType: x.DType}}
			},
			Extern: convTemplate("conv"),
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				o := make([]Tensor, 3)
				if c.NeedsGrad(0) {
					o[0] = g.Op("_conv_input", convArgs(c, grad[0], in[1], c.In[0].Size)...)
				}
				if c.NeedsGrad(1) {
					o[1] = g.Op("_conv_weight", convArgs(c, in[0], grad[0], c.In[1].Size)...)
				}
				if c.NeedsGrad(2) {
					dims := []int{0}
					for d := 2; d < grad[0].Meta().Rank(); d++ {
						dims = append(dims, d)
					}
					o[2] = g.Op("sum", grad[0], dims)
				}
				return o
			},
		},
		&Def{
			Sig: "_conv_input(Tensor grad, Tensor weight, SymInt[] size, " + geometry, Doc: "What a convolution's input gets from its output: the transposed convolution.",
			Shape: func(c *Call) []tensor.Meta {
				return []tensor.Meta{{Size: c.Syms("size"), DType: c.In[0].DType}}
			},
			Extern: convTemplate("conv_input"),
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				o := make([]Tensor, 2)
				if c.NeedsGrad(0) {
					o[0] = g.Op("_conv", convArgs(c, grad[0], in[1], nil)...)
				}
				if c.NeedsGrad(1) {
					o[1] = g.Op("_conv_weight", convArgs(c, grad[0], in[0], c.In[1].Size)...)
				}
				return o
			},
		},
		&Def{
			Sig: "_conv_weight(Tensor input, Tensor grad, SymInt[] size, " + geometry, Doc: "What a convolution's weight gets from its input and output.",
			Shape: func(c *Call) []tensor.Meta {
				return []tensor.Meta{{Size: c.Syms("size"), DType: c.In[0].DType}}
			},
			Extern: convTemplate("conv_weight"),
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				o := make([]Tensor, 2)
				if c.NeedsGrad(0) {
					o[0] = g.Op("_conv_input", convArgs(c, in[1], grad[0], c.In[0].Size)...)
				}
				if c.NeedsGrad(1) {
					o[1] = g.Op("_conv", convArgs(c, in[0], grad[0], nil)...)
				}
				return o
			},
		},
		&Def{
			Sig: "convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, bool transposed, int[] output_padding, int groups) -> Tensor",
			Doc: "The general convolution.", Bind: Fn,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				p := convParams{dims: c.In[0].Rank() - 2, stride: c.Ints("stride"), padding: c.Ints("padding"), dilation: c.Ints("dilation"), outPad: c.Ints("output_padding"), groups: c.Int("groups"), transposed: c.Bool("transposed")}
				return []Tensor{p.run(g, in[0], in[1], in[2])}
			},
			Samples: func() []Sample {
				s := samplesOf("convolution")
				for _, l := range layouts {
					s.add(s.lay(l, 2, 3, 5, 4), s.f(4, 3, 2, 2), s.f(4), []int{1, 1}, []int{0, 0}, []int{1, 1}, false, []int{0, 0}, 1)
				}
				return s.add(s.f(1, 2, 4), s.f(2, 3, 2), nil, []int{2}, []int{0}, []int{1}, true, []int{1}, 1).done()
			},
		},
	)
	for d := 1; d <= 3; d++ {
		Register(convDef(d), convStrDef(d), convTransposeDef(d))
	}
}

// convParams are the checked parameters of one convolution.
type convParams struct {
	dims                              int
	stride, padding, dilation, outPad []int
	groups                            int
	transposed                        bool
}

func convTemplate(name string) func(c *Call) loop.Template {
	return func(c *Call) loop.Template {
		t := loop.Template{Name: name}
		for _, p := range []string{"stride", "padding", "dilation"} {
			t.Ints = append(t.Ints, c.Syms(p)...)
		}
		t.Ints = append(t.Ints, C(int64(c.Int("groups"))))
		return t
	}
}

// convArgs are the arguments of a neighbour of c with c's parameters; size nil
// means _conv, which takes a bias there.
func convArgs(c *Call, a, b Tensor, size []SymInt) []any {
	var third any
	if size != nil {
		third = size
	}
	return []any{a, b, third, c.Ints("stride"), c.Ints("padding"), c.Ints("dilation"), c.Int("groups")}
}

// convSize is (in + 2*padding - dilation*(k-1) - 1) // stride + 1.
func convSize(c *Call, in, k []SymInt) []SymInt {
	stride, pad, dil := c.Ints("stride"), c.Ints("padding"), c.Ints("dilation")
	o := make([]SymInt, len(in))
	for i := range in {
		o[i] = in[i].Add(C(int64(2*pad[i] - 1))).Sub(k[i].Sub(C(1)).Mul(C(int64(dil[i])))).Div(C(int64(stride[i]))).Add(C(1))
	}
	return o
}

func grown(l []int, n int) []int {
	for len(l) == 1 && n > 1 || len(l) > 0 && len(l) < n {
		l = append(l, l[0])
	}
	return l
}

// run checks as torch does, adds a batch dimension where there is none, and
// calls the template ops.
func (p *convParams) run(g *G, x, w, bias Tensor) Tensor {
	n := p.dims
	p.stride, p.padding, p.dilation = grown(p.stride, n), grown(p.padding, n), grown(p.dilation, n)
	for i := range n {
		if p.padding[i] < 0 {
			Raise(tensor.RuntimeError, "negative padding is not supported")
		}
		if p.stride[i] <= 0 {
			Raise(tensor.RuntimeError, "non-positive stride is not supported")
		}
		if p.dilation[i] <= 0 {
			Raise(tensor.RuntimeError, "dilation should be greater than zero")
		}
	}
	if p.groups <= 0 {
		Raise(tensor.RuntimeError, "non-positive groups is not supported")
	}
	name := map[bool]string{false: "conv", true: "conv_transpose"}[p.transposed]
	m := x.Meta()
	if m.Rank() == n+1 {
		r := p.run(g, g.Op("unsqueeze", x, 0), w, bias)
		return g.Op("select.int", r, 0, 0)
	}
	if m.Rank() != n+2 {
		Raise(tensor.RuntimeError, "Expected %dD (unbatched) or %dD (batched) input to %s%dd, but got input of size: %s", n+1, n+2, name, n, ShapeText(m.Size))
	}
	v := w.Meta()
	if v.Rank() != n+2 {
		Raise(tensor.RuntimeError, "Expected %d-dimensional input for %d-dimensional weight %s, but got %d-dimensional input of size %s instead", v.Rank(), v.Rank(), ShapeText(v.Size), m.Rank(), ShapeText(m.Size))
	}
	gr := C(int64(p.groups))
	if !p.transposed {
		if !v.Size[0].Mod(gr).Eq(C(0)) || v.Size[0].Lt(gr) {
			Raise(tensor.RuntimeError, "Given groups=%d, expected weight to be divisible by %d at dimension 0, but got weight of size [%s] instead", p.groups, p.groups, ShapeText(v.Size))
		}
		if !m.Size[1].Eq(v.Size[1].Mul(gr)) {
			Raise(tensor.RuntimeError, "Given groups=%d, weight of size %s, expected input%s to have %d channels, but got %d channels instead", p.groups, ShapeText(v.Size), ShapeText(m.Size), v.Size[1].Hint()*int64(p.groups), m.Size[1].Hint())
		}
		p.checkBias(bias, v, v.Size[0])
		for i := range n {
			in := m.Size[2+i].Add(C(int64(2 * p.padding[i])))
			k := v.Size[2+i].Sub(C(1)).Mul(C(int64(p.dilation[i]))).Add(C(1))
			if in.Lt(k) {
				Raise(tensor.RuntimeError, "Calculated padded input size per channel: %s. Kernel size: %s. Kernel size can't be greater than actual input size", p.times(m.Size[2:], 2), p.kernel(v.Size[2:]))
			}
		}
	} else {
		if !m.Size[1].Eq(v.Size[0]) {
			Raise(tensor.RuntimeError, "Given transposed=1, weight of size %s, expected input%s to have %d channels, but got %d channels instead", ShapeText(v.Size), ShapeText(m.Size), v.Size[0].Hint(), m.Size[1].Hint())
		}
		p.checkBias(bias, v, v.Size[1].Mul(gr))
	}
	if m.DType != v.DType {
		Raise(tensor.RuntimeError, "expected scalar type %s but found %s", m.DType.ScalarName(), v.DType.ScalarName())
	}
	if !p.transposed {
		return g.Op("_conv", x, w, bias, p.stride, p.padding, p.dilation, p.groups)
	}
	p.outPad = grown(p.outPad, n)
	size := []SymInt{m.Size[0], v.Size[1].Mul(gr)}
	for i := range n {
		if op := p.outPad[i]; op >= p.stride[i] && op >= p.dilation[i] {
			Raise(tensor.RuntimeError, "output padding must be smaller than either stride or dilation, but got output_padding: %v stride: %v dilation: %v", p.outPad, p.stride, p.dilation)
		}
		k := v.Size[2+i].Sub(C(1)).Mul(C(int64(p.dilation[i])))
		s := m.Size[2+i].Sub(C(1)).Mul(C(int64(p.stride[i]))).Sub(C(int64(2 * p.padding[i]))).Add(k).Add(C(int64(p.outPad[i] + 1)))
		size = append(size, s)
	}
	r := g.Op("_conv_input", x, w, size, p.stride, p.padding, p.dilation, p.groups)
	if bias != nil {
		shape := []SymInt{C(1), bias.Meta().Size[0]}
		for range n {
			shape = append(shape, C(1))
		}
		r = g.Add(r, g.Op("view", bias, shape))
	}
	return r
}

func (p *convParams) checkBias(bias Tensor, w *tensor.Meta, channels SymInt) {
	if bias == nil {
		return
	}
	if b := bias.Meta(); b.Rank() != 1 || !b.Size[0].Eq(channels) {
		t := ""
		if p.transposed {
			t = "transposed=1, "
		}
		Raise(tensor.RuntimeError, "Given %sweight of size %s, expected bias to be 1-dimensional with %d elements, but got bias of size %s instead", t, ShapeText(w.Size), channels.Hint(), ShapeText(b.Size))
	}
}

func (p *convParams) times(s []SymInt, by int) string {
	t := "("
	for i, x := range s {
		if i > 0 {
			t += " x "
		}
		t += C(x.Hint() + int64(by*p.padding[i])).String()
	}
	return t + ")"
}

func (p *convParams) kernel(s []SymInt) string {
	t := "("
	for i, x := range s {
		if i > 0 {
			t += " x "
		}
		t += C((x.Hint()-1)*int64(p.dilation[i]) + 1).String()
	}
	return t + ")"
}

func convName(base string, d int) string { return base + string(rune('0'+d)) + "d" }

func convDef(d int) *Def {
	name := convName("conv", d)
	ds := string(rune('0' + d))
	return &Def{
		Sig: name + "(Tensor input, Tensor weight, Tensor? bias=None, int[" + ds + "] stride=1, int[" + ds + "] padding=0, int[" + ds + "] dilation=1, int groups=1) -> Tensor",
		Doc: "Convolution over " + ds + " dimensions.", Bind: Fn | NN,
		Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
			p := convParams{dims: d, stride: c.Ints("stride"), padding: c.Ints("padding"), dilation: c.Ints("dilation"), groups: c.Int("groups")}
			return []Tensor{p.run(g, in[0], in[1], in[2])}
		},
		Samples: func() []Sample {
			s := samplesOf(name)
			x, w := []int64{2, 4, 6, 5, 4}[:2+d], []int64{6, 4, 3, 2, 2}[:2+d]
			for _, l := range layouts {
				s.add(s.lay(l, x...), s.lay(l, w...), s.f(6))
			}
			w2 := append([]int64{6, 2}, w[2:]...)
			s.add(s.f(x...), s.f(w2...), nil, 2, 1, 1, 2).add(s.f(x[1:]...), s.f(w...), s.f(6), 1, 1, 2).add(s.d64(x...), s.d64(w...)).add(s.f(append([]int64{0}, x[1:]...)...), s.f(w...), s.f(6))
			dw := append([]int64{4, 1}, w[2:]...)
			s.add(s.f(x...), s.f(dw...), s.f(4), 1, 1, 1, 4)
			s.raises(tensor.RuntimeError, s.f(2), s.f(w...)).raises(tensor.RuntimeError, s.f(x...), s.f(w2...)).raises(tensor.RuntimeError, s.f(x...), s.f(w...), s.f(4)).raises(tensor.RuntimeError, s.f(x...), s.f(w...), nil, 0)
			return s.raises(tensor.RuntimeError, s.f(append(append([]int64{}, x[:1+d]...), 1)...), s.f(append(append([]int64{}, w[:1+d]...), 2)...)).done()
		},
	}
}

func convStrDef(d int) *Def {
	name := convName("conv", d) + ".padding"
	ds := string(rune('0' + d))
	return &Def{
		Sig: name + "(Tensor input, Tensor weight, Tensor? bias=None, int[" + ds + "] stride=1, str padding=\"valid\", int[" + ds + "] dilation=1, int groups=1) -> Tensor",
		Doc: "Convolution with padding 'same' or 'valid'.", Bind: Fn | NN,
		Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
			p := convParams{dims: d, stride: c.Ints("stride"), padding: make([]int, d), dilation: c.Ints("dilation"), groups: c.Int("groups")}
			x := in[0]
			switch c.Str("padding") {
			case "valid":
			case "same":
				var more []SymInt // torch pads the end first where the total is odd
				odd := false
				p.dilation = grown(p.dilation, d)
				for i := range d {
					for _, s := range p.stride {
						if s != 1 {
							Raise(tensor.RuntimeError, "padding='same' is not supported for strided convolutions")
						}
					}
					k := count(c.In[1].Size[2+i])
					total := p.dilation[i] * (k - 1)
					p.padding[i] = total / 2
					odd = odd || total%2 != 0
					more = append([]SymInt{C(0), C(int64(total % 2))}, more...)
				}
				if odd {
					x = g.Op("constant_pad_nd", x, more, 0)
				}
			default:
				Raise(tensor.RuntimeError, "Invalid padding string: '%s'", c.Str("padding"))
			}
			return []Tensor{p.run(g, x, in[1], in[2])}
		},
		Samples: func() []Sample {
			s := samplesOf(name)
			x, w := []int64{2, 2, 6, 5, 4}[:2+d], []int64{3, 2, 3, 2, 2}[:2+d]
			for _, l := range layouts[:3] {
				s.add(s.lay(l, x...), s.lay(l, w...), s.f(3), 1, "same")
			}
			s.add(s.f(x...), s.f(w...), nil, 2, "valid").add(s.f(x...), s.f(w...), nil, 1, "same", 2)
			return s.raises(tensor.RuntimeError, s.f(x...), s.f(w...), nil, 2, "same").raises(tensor.RuntimeError, s.f(x...), s.f(w...), nil, 1, "foo").done()
		},
	}
}

func convTransposeDef(d int) *Def {
	base := convName("conv_transpose", d)
	name := base
	if d > 1 {
		name += ".input"
	}
	ds := string(rune('0' + d))
	return &Def{
		Sig: name + "(Tensor input, Tensor weight, Tensor? bias=None, int[" + ds + "] stride=1, int[" + ds + "] padding=0, int[" + ds + "] output_padding=0, int groups=1, int[" + ds + "] dilation=1) -> Tensor",
		Doc: "Transposed convolution over " + ds + " dimensions.", Bind: Fn | NN,
		Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
			p := convParams{dims: d, stride: c.Ints("stride"), padding: c.Ints("padding"), dilation: c.Ints("dilation"), outPad: c.Ints("output_padding"), groups: c.Int("groups"), transposed: true}
			return []Tensor{p.run(g, in[0], in[1], in[2])}
		},
		Samples: func() []Sample {
			s := samplesOf(name)
			x, w := []int64{2, 4, 3, 4, 2}[:2+d], []int64{4, 3, 3, 2, 2}[:2+d]
			for _, l := range layouts[:3] {
				s.add(s.lay(l, x...), s.lay(l, w...), s.f(3))
			}
			s.add(s.f(x...), s.f(w...), nil, 2, 1, 1).add(s.f(x[1:]...), s.f(w...), s.f(6), 2, 0, 0, 2).add(s.f(x...), s.f(w...), nil, 1, 1, 0, 1, 2)
			return s.raises(tensor.RuntimeError, s.f(x...), s.f(append([]int64{3}, w[1:]...)...)).done()
		},
	}
}
