package op

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// The elements of one tensor in another arrangement: repeated, reversed,
// rotated, cut to a triangle, laid on a diagonal.

func init() {
	Register(
		&Def{
			Sig: "repeat(Tensor self, SymInt[] repeats) -> Tensor", Doc: "Copies along each dimension.", Bind: Method,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor { return []Tensor{g.repeat(in[0], c.Syms("repeats"))} },
			Samples: func() []Sample {
				s := samplesOf("repeat").each([]int64{2, 3}, []int{2, 1, 3})
				s.add(s.f(), []int{3}).add(s.f(0, 2), []int{2, 2}).add(s.f(2), []int{0}).add(s.f(), []int{})
				return s.raises(tensor.RuntimeError, s.f(2, 3), []int{2}).raises(tensor.RuntimeError, s.f(2, 3), []int{2, -1}).done()
			},
		},
		&Def{
			Sig: "tile(Tensor self, SymInt[] dims) -> Tensor", Doc: "repeat that adds leading ones to the counts.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				l := c.Syms("dims")
				for len(l) < in[0].Meta().Rank() {
					l = append([]SymInt{C(1)}, l...)
				}
				return []Tensor{g.repeat(in[0], l)}
			},
			Samples: func() []Sample {
				s := samplesOf("tile").each([]int64{2, 3}, []int{2})
				return s.add(s.f(), []int{3}).add(s.f(0, 2), []int{2, 2}).add(s.f(2), []int{2, 2}).done()
			},
		},
		&Def{
			Sig: "repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor", Doc: "Each element repeated in place.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				t, d, r := in[0], 0, c.Sym("repeats")
				if r.Lt(C(0)) {
					Raise(tensor.RuntimeError, "repeats can not be negative")
				}
				if c.Given("dim") {
					d = c.Dim("dim", t.Meta().Rank())
				} else {
					t = g.Op("flatten", t)
				}
				if t.Meta().Rank() == 0 {
					t = g.Op("flatten", t)
				}
				size := t.Meta().Size
				t = g.Op("_contiguous", g.Op("expand", g.Op("unsqueeze", t, d+1), insert(size, d+1, r)))
				return []Tensor{g.Op("view", t, with(size, d, size[d].Mul(r)))}
			},
			Samples: func() []Sample {
				s := samplesOf("repeat_interleave.self_int").each([]int64{2, 3}, 2, 1)
				return s.add(s.lay(LayTrans, 2, 3), 3).add(s.f(), 2).add(s.f(0, 2), 2, 0).add(s.f(2), 0).raises(tensor.RuntimeError, s.f(2), -1).done()
			},
		},
		&Def{
			Sig: "flip(Tensor self, int[] dims) -> Tensor", Doc: "Dimensions in reverse order.", Bind: Usual,
			Shape: func(c *Call) []tensor.Meta {
				flipDims(c)
				return shapeLike0(c)
			}, Layout: LayoutPreserve,
			Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V {
				ix := append([]loop.Ix{}, at...)
				for _, d := range flipDims(c) {
					ix[d] = at[d].Scale(C(-1), c.In[0].Size[d].Sub(C(1)))
				}
				return b.At(0, ix, 0)
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.Op("flip", grad[0], c.Ints("dims"))}
			},
			Samples: func() []Sample {
				s := samplesOf("flip").each([]int64{2, 3}, []int{1}).each([]int64{2, 3}, []int{0, -1})
				s.add(s.f(0, 2), []int{0}).add(s.f(2), []int{}).add(s.f(), []int{0})
				return s.raises(tensor.RuntimeError, s.f(2, 3), []int{0, 0}).raises(tensor.IndexError, s.f(2, 3), []int{5}).done()
			},
		},
		flipDef("fliplr", 1, 2), flipDef("flipud", 0, 1),
		&Def{
			Sig: "roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor", Doc: "Dimensions rotated; without dims the flattened tensor is.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				sh, dims := c.Syms("shifts"), c.Ints("dims")
				t, m := in[0], in[0].Meta()
				if len(sh) == 0 {
					Raise(tensor.RuntimeError, "`shifts` required")
				}
				if len(dims) == 0 && len(sh) == 1 {
					flat := g.roll(g.Op("flatten", t), sh[0], 0)
					return []Tensor{g.Op("view", flat, m.Size)}
				}
				if len(sh) != len(dims) {
					Raise(tensor.RuntimeError, "shifts and dimensions must align. shifts: %d, dims:%d", len(sh), len(dims))
				}
				for i, d := range dims {
					t = g.roll(t, sh[i], WrapDim(d, m.Rank()))
				}
				return []Tensor{t}
			},
			Samples: func() []Sample {
				s := samplesOf("roll").each([]int64{3, 4}, 1, 1).each([]int64{2, 3}, []int{-1, 5}, []int{0, 1})
				s.add(s.f(2, 3), 2).add(s.f(0, 2), 1, 0)
				return s.raises(tensor.IndexError, s.f(2, 3), 1, 5).raises(tensor.RuntimeError, s.f(2, 3), []int{1, 2}, 0).done()
			},
		},
		&Def{
			Sig: "rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor", Doc: "Rotates a plane by quarter turns.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				r, dims := in[0].Meta().Rank(), c.Ints("dims")
				if len(dims) != 2 {
					Raise(tensor.RuntimeError, "expected total rotation dims == 2, but got dims = %d", len(dims))
				}
				if r < 2 {
					Raise(tensor.RuntimeError, "expected total dims >= 2, but got total dims = %d", r)
				}
				if dims[0] == dims[1] || dims[0]-dims[1] == r || dims[1]-dims[0] == r {
					Raise(tensor.RuntimeError, "expected rotation dims to be different, but got dim0 = %d and dim1 = %d", dims[0], dims[1])
				}
				a, b := WrapDim(dims[0], r), WrapDim(dims[1], r)
				switch ((c.Int("k") % 4) + 4) % 4 {
				case 1:
					return []Tensor{g.Op("transpose.int", g.Op("flip", in[0], []int{b}), a, b)}
				case 2:
					return []Tensor{g.Op("flip", in[0], []int{a, b})}
				case 3:
					return []Tensor{g.Op("transpose.int", g.Op("flip", in[0], []int{a}), a, b)}
				}
				return []Tensor{g.Op("clone", in[0])}
			},
			Samples: func() []Sample {
				s := samplesOf("rot90").each([]int64{2, 3}).each([]int64{2, 3}, -1)
				return s.add(s.f(2, 3), 2).add(s.f(0, 2), 4).raises(tensor.RuntimeError, s.f(2, 3), 1, []int{0, 0}).raises(tensor.RuntimeError, s.f(3)).done()
			},
		},
		triangle("tril", "The lower triangle of matrices; what is above the diagonal becomes 0."),
		triangle("triu", "The upper triangle of matrices; what is below the diagonal becomes 0."),
		&Def{
			Sig: "diag(Tensor self, int diagonal=0) -> Tensor", Doc: "A matrix with the vector on its diagonal, or a copy of a matrix's diagonal.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				switch in[0].Meta().Rank() {
				case 1:
					return []Tensor{g.Op("diag_embed", in[0], c.Int("diagonal"))}
				case 2:
					return []Tensor{g.Op("_contiguous", g.Op("diagonal", in[0], c.Int("diagonal")))}
				}
				Raise(tensor.RuntimeError, "matrix or a vector expected")
				return nil
			},
			Samples: func() []Sample {
				s := samplesOf("diag").each([]int64{3, 4}).each([]int64{3}, -1)
				return s.add(s.f(0)).add(s.f(3, 3), 2).raises(tensor.RuntimeError, s.f(2, 2, 2)).done()
			},
		},
		&Def{
			Sig: "fill_diagonal(Tensor self, Scalar fill_value, bool wrap=False) -> Tensor", Doc: "A number on the main diagonal; its in-place form is fill_diagonal_.", Bind: InPlace,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				m := in[0].Meta()
				if m.Rank() < 2 {
					Raise(tensor.RuntimeError, "dimensions must larger than 1")
				}
				if c.Bool("wrap") {
					Raise(tensor.NotImplementedError, "fill_diagonal_: wrap is not supported")
				}
				t := g.Op("clone", in[0])
				d := t.Meta()
				n, step := d.Size[0], C(0)
				for i := range d.Size {
					if m.Rank() > 2 && !d.Size[i].Eq(n) {
						Raise(tensor.RuntimeError, "all dimensions of input must be of equal length")
					}
					if d.Size[i].Lt(n) {
						n = d.Size[i]
					}
					step = step.Add(d.Stride[i])
				}
				g.Put(g.Op("as_strided", t, []SymInt{n}, []SymInt{step}, d.Off), g.Op("full", nil, c.Num("fill_value"), KW{"dtype", m.DType}, KW{"device", m.Dev}))
				return []Tensor{t}
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.Op("fill_diagonal", grad[0], 0)}
			},
			Samples: func() []Sample {
				s := samplesOf("fill_diagonal").each([]int64{3, 4}, 2.5)
				return s.add(s.f(3, 3, 3), 1).add(s.f(4, 2), 1).add(s.f(0, 0), 1).raises(tensor.RuntimeError, s.f(3), 1).raises(tensor.RuntimeError, s.f(2, 3, 2), 1).done()
			},
		},
		&Def{
			Sig: "diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor", Doc: "Matrices with the last dimension on their diagonal.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				m := in[0].Meta()
				n := m.Rank() + 1
				a, b := WrapDim(c.Int("dim1"), n), WrapDim(c.Int("dim2"), n)
				if a == b {
					Raise(tensor.RuntimeError, "diagonal dimensions cannot be identical %d, %d", c.Int("dim1"), c.Int("dim2"))
				}
				k := c.Int("offset")
				side := m.Size[m.Rank()-1].Add(C(int64(max(k, -k))))
				size := insert(insert(m.Size[:m.Rank()-1], min(a, b), side), max(a, b), side)
				z := g.Full(in[0], size, 0)
				g.Put(g.Op("diagonal", z, k, a, b), in[0])
				return []Tensor{z}
			},
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				return []Tensor{g.Op("diagonal", grad[0], c.Int("offset"), c.Int("dim1"), c.Int("dim2"))}
			},
			Samples: func() []Sample {
				s := samplesOf("diag_embed").each([]int64{2, 3}).each([]int64{2, 3}, 1, 0, -1)
				return s.add(s.f(3), -2).add(s.f(0)).raises(tensor.RuntimeError, s.f(2, 3), 0, 1, 1).done()
			},
		},
	)
}

func (g *G) repeat(t Tensor, r []SymInt) Tensor {
	m := t.Meta()
	lead := len(r) - m.Rank()
	if lead < 0 {
		Raise(tensor.RuntimeError, "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
	}
	var from, to, size []SymInt
	for i, k := range r {
		n := C(1)
		if i >= lead {
			n = m.Size[i-lead]
		}
		size = append(size, k.Mul(n))
		from, to = append(from, C(1), n), append(to, k, n)
	}
	for _, k := range r {
		if k.Lt(C(0)) {
			Raise(tensor.RuntimeError, "Trying to create tensor with negative dimension %d: %s", firstNegative(size), ShapeText(size))
		}
	}
	x := g.Op("_contiguous", g.Op("expand", g.reshape(t, from), to))
	return g.Op("view", x, size)
}

func firstNegative(size []SymInt) int64 {
	for _, s := range size {
		if s.Hint() < 0 {
			return s.Hint()
		}
	}
	return 0
}

// roll moves dimension d by s: the tail comes first.
func (g *G) roll(t Tensor, s SymInt, d int) Tensor {
	m := t.Meta()
	if m.Rank() == 0 {
		return g.Op("clone", t)
	}
	n := m.Size[d]
	if IsEmpty(m) {
		return g.Op("clone", t)
	}
	cut := s.Neg().Mod(n)
	return g.Op("_cat", []Tensor{g.Op("narrow", t, d, cut, n.Sub(cut)), g.Op("narrow", t, d, 0, cut)}, d)
}

func flipDims(c *Call) []int {
	r := c.In[0].Rank()
	if len(c.Ints("dims")) == 0 {
		return nil
	}
	d := c.Dims("dims", r)
	if r == 0 {
		return nil
	}
	return d
}

func flipDef(name string, dim, rank int) *Def {
	return &Def{
		Sig: name + "(Tensor self) -> Tensor", Doc: "flip of one dimension.", Bind: Usual,
		Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
			if in[0].Meta().Rank() < rank {
				Raise(tensor.RuntimeError, "Input must be >= %d-d.", rank)
			}
			return []Tensor{g.Op("flip", in[0], []int{dim})}
		},
		Samples: func() []Sample {
			s := samplesOf(name).each([]int64{2, 3})
			return s.add(s.f(0, 2)).raises(tensor.RuntimeError, s.f()).done()
		},
	}
}

func triangle(name, doc string) *Def {
	return &Def{
		Sig: name + "(Tensor self, int diagonal=0) -> Tensor", Doc: doc, Bind: Arith,
		Shape: func(c *Call) []tensor.Meta {
			if n := c.In[0].Rank(); n < 2 {
				Raise(tensor.RuntimeError, "%s: input tensor must have at least 2 dimensions", name)
			}
			return shapeLike0(c)
		},
		Index: func(b *loop.Builder, c *Call, at []loop.Ix) loop.V {
			n := len(at)
			row, col := b.Idx(at[n-2]), b.Idx(at[n-1])
			edge := b.Add(row, b.ConstI(loop.I64, int64(c.Int("diagonal"))))
			in := b.Le(col, edge)
			if name == "triu" {
				in = b.Ge(col, edge)
			}
			return b.At(0, at, in) // a masked-off load is 0
		},
		VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
			return []Tensor{g.Op(name, grad[0], c.Int("diagonal"))}
		},
		Samples: func() []Sample {
			s := samplesOf(name).each([]int64{3, 4}).each([]int64{2, 3, 3}, -1)
			return s.add(s.f(3, 3), 1).add(s.f(0, 2)).add(s.b(3, 3)).add(s.i(1, 9, 2, 4), -1).done()
		},
	}
}
