package op

import (
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Views that keep every element: shape and order of dimensions. None emits a
// node; their VJPs are views of the gradient.

func init() {
	Register(
		&Def{
			Sig: "view(Tensor(a) self, SymInt[] size) -> Tensor(a)", Doc: "The same elements in another shape; one size may be -1.",
			Bind: Method,
			View: func(c *Call) tensor.Meta {
				m := c.In[0]
				size := InferSize(c.Syms("size"), m.Numel())
				st, ok := ViewStride(m, size)
				if !ok {
					Raise(tensor.RuntimeError, "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.")
				}
				return Meta{Size: size, Stride: st, Off: m.Off}
			},
			VJP: vjpReshape,
			Samples: func() []Sample {
				s := samplesOf("view")
				s.add(s.f(2, 6), []int{3, 4}).add(s.f(2, 6), []int{-1}).add(s.lay(LayOffset, 2, 6), []int{2, 2, 3}).add(s.lay(LayTrans, 4, 3), []int{2, 2, 3})
				s.add(s.lay(LayStep, 4, 3), []int{12}).add(s.f(), []int{1, 1}).add(s.f(1), []int{}).add(s.f(0, 3), []int{3, 0, 2}).add(s.i(0, 9, 4), []int{2, -1})
				return s.raises(tensor.RuntimeError, s.f(2, 3), []int{4, 2}).raises(tensor.RuntimeError, s.lay(LayTrans, 2, 3), []int{6}).
					raises(tensor.RuntimeError, s.f(2, 3), []int{-1, -1}).raises(tensor.RuntimeError, s.f(0, 3), []int{-1, 0}).raises(tensor.RuntimeError, s.f(2, 3), []int{-2, 3}).done()
			},
		},
		&Def{
			Sig: "_reshape_alias(Tensor(a) self, SymInt[] size, SymInt[] stride) -> Tensor(a)", Doc: "The view that reshape makes where no copy is needed.",
			View: func(c *Call) tensor.Meta {
				return Meta{Size: c.Syms("size"), Stride: c.Syms("stride"), Off: c.In[0].Off}
			},
			VJP: vjpReshape,
		},
		&Def{
			Sig: "reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)", Doc: "The same elements in another shape: a view where strides allow, else a copy.",
			Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				return []Tensor{g.reshape(in[0], c.Syms("shape"))}
			},
			Samples: func() []Sample {
				s := samplesOf("reshape").each([]int64{2, 6}, []int{3, 4})
				s.add(s.f(), []int{1}).add(s.lay(LayTrans, 2, 3, 4), []int{-1}).add(s.f(2, 0), []int{0, 5}).add(s.lay(LayExpanded, 3, 2), []int{2, 3})
				return s.raises(tensor.RuntimeError, s.f(2, 3), []int{7}).done()
			},
		},
		&Def{
			Sig: "view_as(Tensor(a) self, Tensor other) -> Tensor(a)", Doc: "view to other's size.", Bind: Method,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				return []Tensor{g.Op("view", in[0], in[1].Meta().Size)}
			},
			Samples: func() []Sample {
				s := samplesOf("view_as")
				return s.add(s.f(2, 3), s.f(3, 2)).add(s.lay(LayOffset, 2, 3), s.f(2, 3, 1)).add(s.f(), s.lay(LayStep, 1)).add(s.f(0, 2), s.f(3, 0)).done()
			},
		},
		&Def{
			Sig: "reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)", Doc: "reshape to other's size.", Bind: Method,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				return []Tensor{g.reshape(in[0], in[1].Meta().Size)}
			},
			Samples: func() []Sample {
				s := samplesOf("reshape_as")
				return s.add(s.f(2, 3), s.f(3, 2)).add(s.lay(LayTrans, 2, 3), s.f(6)).add(s.f(), s.lay(LayStep, 1)).add(s.f(0, 2), s.f(3, 0)).done()
			},
		},
		&Def{
			Sig: "flatten(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)", Doc: "Merges a run of dimensions into one.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				m := in[0].Meta()
				a, z := c.Dim("start_dim", m.Rank()), c.Dim("end_dim", m.Rank())
				switch {
				case a > z:
					Raise(tensor.RuntimeError, "flatten() has invalid args: start_dim cannot come after end_dim")
				case m.Rank() == 0:
					return []Tensor{g.reshape(in[0], []SymInt{C(1)})}
				case a == z:
					return in[:1]
				}
				size := append(append(clip(m.Size[:a]), sym.Prod(m.Size[a:z+1])), m.Size[z+1:]...)
				return []Tensor{g.reshape(in[0], size)}
			},
			Samples: func() []Sample {
				s := samplesOf("flatten").each([]int64{2, 3, 2}, 1)
				s.add(s.f(2, 3, 4)).add(s.f()).add(s.f(0, 3)).add(s.lay(LayTrans, 2, 3), 1).add(s.f(2, 3, 4, 2), 1, 2)
				return s.raises(tensor.RuntimeError, s.f(2, 3), 1, 0).raises(tensor.IndexError, s.f(2, 3), 2).done()
			},
		},
		&Def{
			Sig: "unflatten.int(Tensor(a) self, int dim, SymInt[] sizes) -> Tensor(a)", Doc: "Splits a dimension into several.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				m := in[0].Meta()
				d := c.Dim("dim", m.Rank())
				l := c.Syms("sizes")
				if m.Rank() == 0 || len(l) == 0 {
					Raise(tensor.RuntimeError, "unflatten: sizes must be non-empty")
				}
				p, infer := C(1), -1
				for i, s := range l {
					if s.Eq(C(-1)) {
						infer = i
					} else {
						p = p.Mul(s)
					}
				}
				n := m.Size[d]
				if infer >= 0 {
					l = InferSize(l, n)
				} else if !p.Eq(n) {
					Raise(tensor.RuntimeError, "unflatten: Provided sizes %s don't multiply up to the size of dim %d (%d) in the input tensor", ShapeText(l), d, n.Hint())
				}
				return []Tensor{g.Op("view", in[0], append(append(clip(m.Size[:d]), l...), m.Size[d+1:]...))}
			},
			Samples: func() []Sample {
				s := samplesOf("unflatten.int").each([]int64{3, 4}, 1, []int{2, 2})
				s.add(s.f(6, 2), 0, []int{-1, 3}).add(s.f(0), 0, []int{0, 2})
				return s.raises(tensor.RuntimeError, s.f(2, 3), 1, []int{2, 2}).done()
			},
		},
		&Def{
			Sig: "transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)", Doc: "Swaps two dimensions.",
			Aliases: []string{"swapaxes", "swapdims"}, Bind: Usual | InPlace,
			View: func(c *Call) tensor.Meta {
				m := c.In[0]
				a, b := c.Dim("dim0", m.Rank()), c.Dim("dim1", m.Rank())
				o := copyMeta(m)
				if m.Rank() > 0 {
					o.Size[a], o.Size[b] = o.Size[b], o.Size[a]
					o.Stride[a], o.Stride[b] = o.Stride[b], o.Stride[a]
				}
				return o
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.Op("transpose.int", grad[0], c.Int("dim0"), c.Int("dim1"))}
			},
			Samples: func() []Sample {
				s := samplesOf("transpose.int").each([]int64{2, 3, 4}, 0, -1)
				return s.add(s.f(), 0, -1).add(s.f(0, 2), 0, 1).add(s.b(2, 3), 1, 0).raises(tensor.IndexError, s.f(2, 3), 0, 3).done()
			},
		},
		transposeLast("t", "Transposes a matrix; vectors and 0-dim tensors stay."),
		transposeLast("mT", "Swaps the last two dimensions (the attribute mT)."),
		&Def{
			Sig: "numpy_T(Tensor(a) self) -> Tensor(a)", Doc: "All dimensions reversed (the attribute T).",
			View: func(c *Call) tensor.Meta { return permuted(c.In[0], reversed(c.In[0].Rank())) },
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.Op("numpy_T", grad[0])}
			},
			Samples: func() []Sample {
				s := samplesOf("numpy_T")
				return s.add(s.f(2, 3)).add(s.lay(LayTrans, 2, 3)).add(s.lay(LayStep, 3, 2)).add(s.f()).add(s.f(0, 2)).done()
			},
		},
		&Def{
			Sig: "permute(Tensor(a) self, int[] dims) -> Tensor(a)", Doc: "Dimensions in another order.", Bind: Usual,
			View: func(c *Call) tensor.Meta { return permuted(c.In[0], permuteDims(c)) },
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.Op("permute", grad[0], inverse(permuteDims(c)))}
			},
			Samples: func() []Sample {
				s := samplesOf("permute").each([]int64{2, 3, 4}, []int{2, 0, 1})
				s.add(s.f(), []int{}).add(s.f(2, 0), []int{-1, 0})
				return s.raises(tensor.RuntimeError, s.f(2, 3), []int{0}).raises(tensor.RuntimeError, s.f(2, 3), []int{0, 0}).done()
			},
		},
		&Def{
			Sig: "movedim.intlist(Tensor(a) self, int[1] source, int[1] destination) -> Tensor(a)", Doc: "Moves dimensions to other places; the rest keep their order.",
			Aliases: []string{"moveaxis"}, Bind: Usual,
			Decomp: decompMovedim,
			Samples: func() []Sample {
				s := samplesOf("movedim.intlist").each([]int64{2, 3, 4}, 0, 2)
				s.add(s.f(2, 3, 4), []int{0, 1}, []int{-1, 0}).add(s.f(0, 2), 0, 1)
				return s.raises(tensor.RuntimeError, s.f(2, 3), []int{0, 1}, []int{0}).raises(tensor.RuntimeError, s.f(2, 3), []int{0, 0}, []int{0, 1}).done()
			},
		},
		&Def{
			Sig: "squeeze(Tensor(a) self) -> Tensor(a)", Doc: "Drops the dimensions of size 1.", Bind: Usual | InPlace,
			View: func(c *Call) tensor.Meta { return squeezed(c.In[0], nil) },
			VJP:  vjpReshape,
			Samples: func() []Sample {
				s := samplesOf("squeeze").each([]int64{1, 3, 1, 2})
				return s.add(s.f()).add(s.f(1, 1)).add(s.f(1, 0)).done()
			},
		},
		&Def{
			Sig: "squeeze.dim(Tensor(a) self, int[1] dim) -> Tensor(a)", Doc: "Drops the listed dimensions if their size is 1.", Bind: Usual | InPlace,
			View: func(c *Call) tensor.Meta {
				drop := make([]bool, max(c.In[0].Rank(), 1))
				for _, d := range c.Ints("dim") {
					drop[WrapDim(d, c.In[0].Rank())] = true
				}
				return squeezed(c.In[0], drop)
			},
			VJP: vjpReshape,
			Samples: func() []Sample {
				s := samplesOf("squeeze.dim").each([]int64{3, 1, 2}, 1)
				return s.add(s.f(3, 1), 0).add(s.f(), -1).add(s.f(0, 1), 1).raises(tensor.IndexError, s.f(2, 3), 3).done()
			},
		},
		&Def{
			Sig: "unsqueeze(Tensor(a) self, int dim) -> Tensor(a)", Doc: "Adds a dimension of size 1.", Bind: Usual | InPlace,
			View: func(c *Call) tensor.Meta {
				m := c.In[0]
				d := WrapDim(c.Int("dim"), m.Rank()+1)
				st := C(1)
				if d < m.Rank() {
					st = m.Stride[d].Mul(m.Size[d])
				}
				return Meta{Size: insert(m.Size, d, C(1)), Stride: insert(m.Stride, d, st), Off: m.Off}
			},
			VJP: vjpReshape,
			Samples: func() []Sample {
				s := samplesOf("unsqueeze").each([]int64{2, 3}, 1)
				return s.add(s.f(), 0).add(s.f(2, 3), -1).add(s.f(0), 0).raises(tensor.IndexError, s.f(2, 3), 4).done()
			},
		},
		&Def{
			Sig: "expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)", Doc: "Repeats dimensions of size 1 with stride 0; -1 keeps a size.", Bind: Method,
			View: func(c *Call) tensor.Meta {
				m := c.In[0]
				size := append([]SymInt(nil), c.Syms("size")...)
				lead := len(size) - m.Rank()
				if lead < 0 {
					Raise(tensor.RuntimeError, "expand(%s{%s}, size=%s): the number of sizes provided (%d) must be greater or equal to the number of dimensions in the tensor (%d)",
						typeText(m.DType), ShapeText(m.Size), ShapeText(size), len(size), m.Rank())
				}
				for d, s := range size {
					if s.Eq(C(-1)) {
						if d < lead {
							Raise(tensor.RuntimeError, "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension %d", d)
						}
						size[d] = m.Size[d-lead]
					}
				}
				return Expand(m, size)
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor { return grad },
			Samples: func() []Sample {
				s := samplesOf("expand").each([]int64{3, 1}, []int{3, 4})
				s.add(s.f(), []int{2, 2}).add(s.f(1, 3), []int{2, -1, 3}).add(s.f(1, 3), []int{0, 3}).add(s.f(2, 3), []int{4, 2, 3})
				return s.raises(tensor.RuntimeError, s.f(2, 3), []int{3, 3}).raises(tensor.RuntimeError, s.f(2, 3), []int{3}).raises(tensor.RuntimeError, s.f(2, 3), []int{-1, 2, 3}).done()
			},
		},
		&Def{
			Sig: "expand_as(Tensor(a) self, Tensor other) -> Tensor(a)", Doc: "expand to other's size.", Bind: Method,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				return []Tensor{g.Op("expand", in[0], in[1].Meta().Size)}
			},
			Samples: func() []Sample {
				s := samplesOf("expand_as")
				return s.add(s.f(3, 1), s.f(2, 3, 4)).add(s.lay(LayStep, 3, 1), s.f(3, 4)).add(s.lay(LayTrans, 1, 3), s.f(2, 3)).add(s.f(), s.f(2)).add(s.f(1), s.f(0)).done()
			},
		},
		&Def{
			Sig: "broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)", Doc: "expand under numpy's name.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				return []Tensor{g.Op("expand", in[0], c.Syms("size"))}
			},
			Samples: func() []Sample {
				s := samplesOf("broadcast_to").each([]int64{3, 1}, []int{2, 3, 4})
				return s.add(s.f(), []int{2}).add(s.f(1), []int{0}).done()
			},
		},
		&Def{
			Sig: "detach(Tensor(a) self) -> Tensor(a)", Doc: "The same tensor, cut from the tape.", Bind: Usual | InPlace,
			View:   func(c *Call) tensor.Meta { return *c.In[0] },
			NoGrad: "it exists to stop gradients",
			Samples: func() []Sample {
				s := samplesOf("detach")
				return s.add(s.f(2, 3)).add(s.lay(LayTrans, 2, 3)).add(s.lay(LayStep, 3)).add(s.f()).add(s.f(0)).done()
			},
		},
		&Def{
			Sig: "alias(Tensor(a) self) -> Tensor(a)", Doc: "A new tensor over the same storage and geometry.",
			View: func(c *Call) tensor.Meta { return *c.In[0] },
			VJP:  func(g *G, c *Call, in, out, grad []Tensor) []Tensor { return grad },
			Samples: func() []Sample {
				s := samplesOf("alias")
				return s.add(s.f(2, 3)).add(s.lay(LayTrans, 2, 3)).add(s.lay(LayStep, 3)).add(s.f()).add(s.f(0)).done()
			},
		},
	)
}

// reshape is a view where the strides allow it and a copy otherwise.
func (g *G) reshape(t Tensor, shape []SymInt) Tensor {
	m := t.Meta()
	size := InferSize(shape, m.Numel())
	if st, ok := ViewStride(m, size); ok {
		return g.Op("_reshape_alias", t, size, st)
	}
	return g.Op("view", g.Op("_contiguous", t), size)
}

// vjpReshape gives the gradient its operand's shape.
func vjpReshape(g *G, c *Call, in, out, grad []Tensor) []Tensor {
	return []Tensor{g.reshape(grad[0], c.In[0].Size)}
}

func transposeLast(name, doc string) *Def {
	return &Def{
		Sig: name + "(Tensor(a) self) -> Tensor(a)", Doc: doc, Bind: map[string]Bind{"t": Usual | InPlace}[name],
		View: func(c *Call) tensor.Meta {
			m := c.In[0]
			n := m.Rank()
			if name == "t" && n > 2 {
				Raise(tensor.RuntimeError, "t() expects a tensor with <= 2 dimensions, but self is %dD", n)
			}
			if name == "mT" && n < 2 {
				Raise(tensor.RuntimeError, "tensor.mT is only supported on matrices or batches of matrices. Got %d-D tensor.", n)
			}
			o := copyMeta(m)
			if n >= 2 {
				o.Size[n-1], o.Size[n-2] = o.Size[n-2], o.Size[n-1]
				o.Stride[n-1], o.Stride[n-2] = o.Stride[n-2], o.Stride[n-1]
			}
			return o
		},
		VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor { return []Tensor{g.Op(name, grad[0])} },
		Samples: func() []Sample {
			s := samplesOf(name).each([]int64{2, 3}).add(NewSample(tensor.Float32, LayContig, 3, Fill{}, 0, 3))
			if name == "t" {
				s.add(s.f()).add(s.f(3)).raises(tensor.RuntimeError, s.f(2, 3, 4))
			} else {
				s.add(s.f(2, 3, 4)).raises(tensor.RuntimeError, s.f(3))
			}
			return s.done()
		},
	}
}

func decompMovedim(g *G, c *Call, in []Tensor) []Tensor {
	n := in[0].Meta().Rank()
	src, dst := c.Ints("source"), c.Ints("destination")
	if len(src) != len(dst) {
		Raise(tensor.RuntimeError, "movedim: Invalid source or destination dims: source (%s dims) should contain the same number of dims as destination (%s dims)", ShapeText(c.Syms("source")), ShapeText(c.Syms("destination")))
	}
	dims := make([]int, n)
	for i := range dims {
		dims[i] = -1
	}
	used := make([]bool, max(n, 1))
	for i := range src {
		s, d := WrapDim(src[i], n), WrapDim(dst[i], n)
		if used[s] {
			Raise(tensor.RuntimeError, "movedim: repeated dim in `source` (%s)", ShapeText(c.Syms("source")))
		}
		if n > 0 {
			if dims[d] >= 0 {
				Raise(tensor.RuntimeError, "movedim: repeated dim in `destination` (%s)", ShapeText(c.Syms("destination")))
			}
			dims[d] = s
		}
		used[s] = true
	}
	next := 0
	for d := range dims {
		if dims[d] >= 0 {
			continue
		}
		for used[next] {
			next++
		}
		dims[d] = next
		next++
	}
	return []Tensor{g.Op("permute", in[0], dims)}
}

func permuteDims(c *Call) []int {
	n := c.In[0].Rank()
	dims := c.Ints("dims")
	if len(dims) != n {
		Raise(tensor.RuntimeError, "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = %d is not equal to len(dims) = %d", n, len(dims))
	}
	seen := make([]bool, n)
	for i, d := range dims {
		dims[i] = WrapDim(d, n)
		if seen[dims[i]] {
			Raise(tensor.RuntimeError, "permute(): duplicate dims are not allowed.")
		}
		seen[dims[i]] = true
	}
	return dims
}

func permuted(m *tensor.Meta, dims []int) tensor.Meta {
	o := Meta{Off: m.Off, Size: make([]SymInt, len(dims)), Stride: make([]SymInt, len(dims))}
	for i, d := range dims {
		o.Size[i], o.Stride[i] = m.Size[d], m.Stride[d]
	}
	return o
}

func inverse(dims []int) []int {
	o := make([]int, len(dims))
	for i, d := range dims {
		o[d] = i
	}
	return o
}

func reversed(n int) []int {
	o := make([]int, n)
	for i := range o {
		o[i] = n - 1 - i
	}
	return o
}

// squeezed drops dims of size 1, those marked in drop or all (nil).
func squeezed(m *tensor.Meta, drop []bool) tensor.Meta {
	o := Meta{Off: m.Off, Size: []SymInt{}, Stride: []SymInt{}}
	for d := range m.Size {
		if (drop == nil || drop[d]) && m.Size[d].Eq(C(1)) {
			continue
		}
		o.Size, o.Stride = append(o.Size, m.Size[d]), append(o.Stride, m.Stride[d])
	}
	return o
}

// copyMeta copies geometry so that its slices may be changed.
func copyMeta(m *tensor.Meta) tensor.Meta {
	return Meta{Off: m.Off, Size: append([]SymInt{}, m.Size...), Stride: append([]SymInt{}, m.Stride...)}
}

// clip is s with no room to append into what follows it.
func clip(s []SymInt) []SymInt { return s[:len(s):len(s)] }

func insert(s []SymInt, d int, v SymInt) []SymInt {
	return append(append(clip(s[:d]), v), s[d:]...)
}

// without is s without entry d.
func without(s []SymInt, d int) []SymInt { return append(clip(s[:d]), s[d+1:]...) }

// with is s with entry d replaced.
func with(s []SymInt, d int, v SymInt) []SymInt {
	o := append([]SymInt{}, s...)
	o[d] = v
	return o
}

// typeText is the type name in torch's older messages: torch.FloatTensor.
func typeText(d tensor.DType) string { return "torch." + d.ScalarName() + "Tensor" }
