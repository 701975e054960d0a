package op

import (
	"strings"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Copies, casts and fills. A memory_format argument is an Arg of kind str with
// torch's name: "contiguous_format", "preserve_format", "channels_last".

func init() {
	Register(
		&Def{
			Sig: "contiguous(Tensor(a) self, *, memory_format? memory_format=None) -> Tensor(a)", Doc: "The tensor itself if it is row-major (or in the given format), else a copy that is.", Bind: Method,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				if f := memoryFormat(c); f != "" && f != "contiguous_format" && f != "preserve_format" {
					m := in[0].Meta()
					p := permuted(m, formatOrder(f, m.Rank()))
					if IsContig(&p) {
						return in[:1]
					}
					order := formatOrder(f, m.Rank())
					return []Tensor{g.Op("permute", g.Op("_contiguous", g.Op("permute", in[0], order)), inverse(order))}
				}
				if IsContig(in[0].Meta()) {
					return in[:1]
				}
				return []Tensor{g.Op("_contiguous", in[0])}
			},
			Samples: func() []Sample {
				s := samplesOf("contiguous").each([]int64{2, 3})
				return s.add(s.f()).add(s.f(0, 2)).add(s.lay(LayExpanded, 2, 3)).add(s.f(2, 3, 2, 2), KW{"memory_format", "channels_last"}).done()
			},
		},
		&Def{
			Sig: "_to_copy(Tensor self, *, dtype? dtype=None, device? device=None, memory_format? memory_format=None) -> Tensor", Doc: "A copy in another dtype or on another device.",
			Layout: LayoutPreserve,
			Shape: func(c *Call) []tensor.Meta {
				m := formatted(c, c.In[0])
				m.DType = c.DTypeOr("dtype", c.In[0].DType)
				return []tensor.Meta{m}
			},
			Body: bodyCast, VJP: passGrad,
			Samples: func() []Sample {
				s := samplesOf("_to_copy").each([]int64{2, 3}, KW{"dtype", tensor.Float64})
				return s.add(s.f(), KW{"dtype", tensor.Int64}).add(s.f(0, 2), KW{"dtype", tensor.Float16}).add(s.f(4), KW{"dtype", tensor.BFloat16}).add(s.i(-3, 3, 4), KW{"dtype", tensor.Bool}).
					add(s.b(4), KW{"dtype", tensor.Float32}).add(s.i(-200, 200, 5), KW{"dtype", tensor.Int8}).add(s.f(2, 2)).done()
			},
		},
		toDef("to.dtype(Tensor(a) self, dtype dtype, bool non_blocking=False, bool copy=False, *, memory_format? memory_format=None) -> Tensor(a)"),
		toDef("to.device(Tensor(a) self, device? device=None, dtype? dtype=None, bool non_blocking=False, bool copy=False, *, memory_format? memory_format=None) -> Tensor(a)"),
		toDef("to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, *, memory_format? memory_format=None) -> Tensor(a)"),
		&Def{
			Sig: "type_as(Tensor(a) self, Tensor other) -> Tensor(a)", Doc: "to other's dtype and device.", Bind: Method,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				m := in[1].Meta()
				return []Tensor{g.to(in[0], m.DType, m.Dev, false, "")}
			},
			Samples: func() []Sample {
				s := samplesOf("type_as")
				return s.add(s.f(2, 3), s.i(0, 2, 1)).add(s.lay(LayTrans, 2, 3), s.d64()).add(s.lay(LayStep, 4), s.f(2)).add(s.f(), s.bf(1)).add(s.i(0, 3, 0), s.f(1)).done()
			},
		},
		&Def{
			Sig: "copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor", Doc: "src broadcast and cast to self; its in-place form is copy_.", Bind: InPlace,
			Layout: LayoutPreserve,
			Shape: func(c *Call) []tensor.Meta {
				if s := Broadcast(c.In[0].Size, c.In[1].Size); !same(s, c.In[0].Size) && !sameSize(s, c.In[0].Size) {
					Raise(tensor.RuntimeError, "output with shape %s doesn't match the broadcast shape %s", ShapeText(c.In[0].Size), ShapeText(s))
				}
				return shapeLike0(c)
			},
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V { return b.CastTo(x[1], c.In[0].DType) },
			VJP:  func(g *G, c *Call, in, out, grad []Tensor) []Tensor { return []Tensor{nil, grad[0]} },
			Samples: func() []Sample {
				s := samplesOf("copy")
				return s.add(s.f(2, 3), s.f(2, 3)).add(s.lay(LayTrans, 2, 3), s.f(3)).add(s.lay(LayStep, 3), s.i(0, 9, 3)).add(s.f(), s.d64()).add(s.f(0), s.f(1)).
					raises(tensor.RuntimeError, s.f(2), s.f(3)).done()
			},
		},
		&Def{
			Sig: "fill.Scalar(Tensor self, Scalar value) -> Tensor", Doc: "Every element set to a number; its in-place form is fill_.", Bind: Fn | InPlace,
			Layout: LayoutPreserve, Shape: shapeLike0,
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
				return b.Num("value", loop.TypeOf(c.In[0].DType))
			},
			NoGrad: "the result does not depend on the operand",
			Samples: func() []Sample {
				s := samplesOf("fill.Scalar").each([]int64{2, 3}, 1.5)
				return s.add(s.f(), 2).add(s.f(0), 2.5).add(s.i(0, 5, 3), 7).add(s.b(3), true).done()
			},
		},
		&Def{
			Sig: "fill.Tensor(Tensor self, Tensor value) -> Tensor", Doc: "Every element set to a 0-dim tensor's value.", Bind: Fn | InPlace,
			Layout: LayoutPreserve,
			Shape: func(c *Call) []tensor.Meta {
				if r := c.In[1].Rank(); r != 0 {
					Raise(tensor.RuntimeError, "fill_ only supports 0-dimension value tensor but got tensor with %d dimensions.", r)
				}
				return shapeLike0(c)
			},
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V { return b.CastTo(x[1], c.In[0].DType) },
			VJP:  func(g *G, c *Call, in, out, grad []Tensor) []Tensor { return []Tensor{nil, grad[0]} },
			Samples: func() []Sample {
				s := samplesOf("fill.Tensor")
				return s.add(s.f(2, 3), s.f()).add(s.lay(LayTrans, 2, 3), s.d64()).add(s.lay(LayStep, 2), s.f()).add(s.f(), s.f()).add(s.f(0), s.f()).raises(tensor.RuntimeError, s.f(2), s.f(2)).done()
			},
		},
		&Def{
			Sig: "zero(Tensor self) -> Tensor", Doc: "Zeros like self; its in-place form is zero_.", Bind: InPlace,
			Layout: LayoutPreserve, Shape: shapeLike0,
			Body: func(b *loop.Builder, x []loop.V, c *Call) loop.V {
				return b.Const(loop.TypeOf(c.In[0].DType), 0)
			},
			NoGrad: "the result does not depend on the operand",
			Samples: func() []Sample {
				s := samplesOf("zero").each([]int64{2, 3})
				return s.add(s.f()).add(s.f(0)).done()
			},
		},
	)
	for _, x := range []struct {
		name string
		d    tensor.DType
	}{
		{"float", tensor.Float32}, {"double", tensor.Float64}, {"half", tensor.Float16}, {"bfloat16", tensor.BFloat16}, {"int", tensor.Int32},
		{"long", tensor.Int64}, {"short", tensor.Int16}, {"char", tensor.Int8}, {"byte", tensor.Uint8}, {"bool", tensor.Bool},
	} {
		Register(&Def{
			Sig: x.name + "(Tensor(a) self, *, memory_format? memory_format=None) -> Tensor(a)", Doc: "to(torch." + x.d.String() + ").", Bind: Method,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				return []Tensor{g.to(in[0], x.d, in[0].Meta().Dev, false, memoryFormat(c))}
			},
			Samples: func() []Sample {
				s := samplesOf(x.name)
				pos := s.make(tensor.Float32, LayTrans, Fill{Kind: FillUniform, Lo: 0, Hi: 100}, []int64{2, 3})
				return s.add(pos).add(s.i(0, 3, 4)).add(s.b(2, 2)).add(s.make(tensor.Float64, LayStep, Fill{Kind: FillUniform, Lo: 0, Hi: 9}, nil)).add(s.f(0)).done()
			},
		})
	}
}

// toDef is one overload of Tensor.to.
func toDef(sig string) *Def {
	name, _, _ := parseSig(sig)
	return &Def{
		Sig: sig, Doc: "The tensor itself if dtype and device are right already (unless copy), else a copy.", Bind: Method,
		Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
			m := in[0].Meta()
			dt, dev := m.DType, m.Dev
			if name == "to.other" {
				dt, dev = in[1].Meta().DType, in[1].Meta().Dev
			} else {
				dt = c.DTypeOr("dtype", dt)
			}
			if name == "to.device" {
				if a := c.Arg("device"); a.Kind == ArgDevice {
					dev = a.P.(tensor.Device)
				}
			}
			return []Tensor{g.to(in[0], dt, dev, c.Bool("copy"), memoryFormat(c))}
		},
		Samples: func() []Sample {
			s := samplesOf(name)
			switch name {
			case "to.other":
				return s.add(s.f(2), s.i(0, 2, 1)).add(s.lay(LayTrans, 2, 3), s.d64()).add(s.lay(LayStep, 2), s.f()).add(s.f(), s.f()).add(s.f(0), s.bf(1)).done()
			case "to.device":
				return s.each([]int64{2, 3}, nil, tensor.Float64).add(s.f(2), tensor.Device{}).add(s.f(), nil, nil, false, true).add(s.f(0, 3)).done()
			}
			return s.each([]int64{2, 3}, tensor.Float64).add(s.f(), tensor.Float32).add(s.f(0), tensor.Int32).add(s.lay(LayTrans, 2, 3), tensor.Float32, false, true).done()
		},
	}
}

// to is t itself or a copy.
func (g *G) to(t Tensor, dt tensor.DType, dev tensor.Device, always bool, format string) Tensor {
	m := t.Meta()
	other := format != "" && format != "preserve_format"
	if m.DType == dt && m.Dev == dev && !always && !other {
		return t
	}
	var f any
	if format != "" {
		f = format
	}
	return g.Op("_to_copy", t, KW{"dtype", dt}, KW{"device", dev}, KW{"memory_format", f})
}

func bodyCast(b *loop.Builder, x []loop.V, c *Call) loop.V {
	return b.CastTo(x[0], c.DTypeOr("dtype", c.In[0].DType))
}

// memoryFormat is the memory_format argument without "torch.", "" for None.
func memoryFormat(c *Call) string { return strings.TrimPrefix(c.Str("memory_format"), "torch.") }

// formatOrder lists dims from outermost in memory.
func formatOrder(f string, rank int) []int {
	switch {
	case f == "channels_last" && rank == 4:
		return []int{0, 2, 3, 1}
	case f == "channels_last_3d" && rank == 5:
		return []int{0, 2, 3, 4, 1}
	case f == "channels_last":
		Raise(tensor.RuntimeError, "required rank 4 tensor to use channels_last format")
	case f == "channels_last_3d":
		Raise(tensor.RuntimeError, "required rank 5 tensor to use channels_last_3d format")
	}
	o := make([]int, rank)
	for i := range o {
		o[i] = i
	}
	return o
}

// formatted is an output like m in the memory format asked for; no strides
// where the layout rule decides.
func formatted(c *Call, m *tensor.Meta) tensor.Meta {
	o := Meta{Size: m.Size, DType: m.DType}
	f := memoryFormat(c)
	if f == "" || f == "preserve_format" {
		return o
	}
	o.Stride = make([]SymInt, m.Rank())
	z, order := C(1), formatOrder(f, m.Rank())
	for i := len(order) - 1; i >= 0; i-- {
		o.Stride[order[i]] = z
		z = z.Mul(atLeast1(m.Size[order[i]]))
	}
	return o
}

// sameSize is equality of sizes, asked dimension by dimension.
func sameSize(a, b []SymInt) bool {
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
