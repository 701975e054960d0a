package op

import (
	"github.com/larkspur-ml/larkspur/tensor"
)

// Ops whose output size comes from data. They are Decomps that count first and
// read the count by G.Item, which only a graph that executes at once can do
// (Reader); for any other graph the op is a graph break. Their Defs have Sized
// set. After the count everything is an op of known size:
//
//	nonzero   k = inclusive scan of (x != 0); n = k[-1]; each true element writes its
//	          position into slot k-1 of n, each false one into a slot that is cut off

// Reader is a Graph that can read a value now.
type Reader interface {
	// ReadItem is the value of a tensor of one element.
	ReadItem(t Tensor) (tensor.Number, error)
}

// Item reads the value of a tensor of one element.
func (g *G) Item(t Tensor) tensor.Number {
	r, ok := g.Graph.(Reader)
	if !ok {
		Raise(tensor.NotImplementedError, "the size of this op's result depends on data, which cannot be read here")
	}
	n, err := r.ReadItem(t)
	if err != nil {
		panic(asError(err))
	}
	return n
}

func init() {
	Register(
		&Def{
			Sig: "nonzero(Tensor self) -> Tensor", Doc: "Indices of the elements that are not 0, a row each.", Bind: Usual, Sized: true,
			NoGrad: "indices are integers",
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				if IsEmpty(in[0].Meta()) {
					return []Tensor{g.nonzero(in[0], C(0))}
				}
				mask := g.Cast(g.Op("reshape", in[0], []int{-1}), tensor.Bool)
				return []Tensor{g.nonzero(in[0], C(g.Item(g.Op("sum", mask)).Int64()))}
			},
			Samples: func() []Sample {
				s := samplesOf("nonzero")
				return s.add(s.b(3, 4)).add(s.i(-1, 2, 5)).add(s.make(tensor.Bool, LayTrans, Fill{}, []int64{2, 3})).add(s.make(tensor.Bool, LayStep, Fill{}, []int64{2, 3, 2})).add(s.f(0, 3)).add(s.make(tensor.Float32, LayContig, Fill{Kind: FillOnes}, nil)).add(s.i(0, 1, 3)).done()
			},
		},
		&Def{
			Sig: "argwhere(Tensor self) -> Tensor", Doc: "nonzero.", Bind: Usual, Sized: true, NoGrad: "indices are integers",
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor { return []Tensor{g.Op("nonzero", in[0])} },
			Samples: func() []Sample {
				s := samplesOf("argwhere")
				return s.add(s.b(3, 4)).add(s.make(tensor.Bool, LayTrans, Fill{}, []int64{2, 3})).add(s.make(tensor.Bool, LayStep, Fill{}, []int64{4})).add(s.f(0, 3)).add(s.f()).done()
			},
		},
		&Def{
			Sig: "nonzero_numpy(Tensor self) -> Tensor[]", Doc: "nonzero as one tensor for each dimension (as_tuple=True, and where with a condition only).", Sized: true, NoGrad: "indices are integers",
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				t := in[0]
				if t.Meta().Rank() == 0 {
					t = g.Op("unsqueeze", t, 0)
				}
				return g.Ops("unbind.int", g.Op("nonzero", t), 1)
			},
		},
		&Def{
			Sig: "masked_select(Tensor self, Tensor mask) -> Tensor", Doc: "The elements where the mask is true, as a vector.", Bind: Usual, Sized: true,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				if d := in[1].Meta().DType; d != tensor.Bool && d != tensor.Uint8 {
					Raise(tensor.RuntimeError, "masked_select: expected BoolTensor or ByteTensor for mask")
				}
				l := g.broadcast([]Tensor{in[1], in[0]}) // in PyTorch's order, for its error
				x := g.reshape(l[1], []SymInt{C(-1)})
				return []Tensor{g.Op("index.Tensor", x, []Tensor{g.reshape(l[0], []SymInt{C(-1)})})}
			},
			Samples: func() []Sample {
				s := samplesOf("masked_select")
				return s.add(s.f(3, 4), s.b(3, 4)).add(s.lay(LayTrans, 2, 3), s.b(3)).add(s.lay(LayStep, 3), s.b(2, 3)).add(s.f(), s.b()).add(s.f(0), s.b(0)).raises(tensor.RuntimeError, s.f(3), s.i(0, 2, 3)).done()
			},
		},
		&Def{
			Sig: "repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor", Doc: "Each element repeated as often as repeats says.", Bind: Usual, Sized: true,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				x, d := in[0], 0
				if c.Given("dim") {
					d = c.Dim("dim", x.Meta().Rank())
				} else {
					x = g.Op("flatten", x)
				}
				n := x.Meta().Size[d]
				r := g.Op("reshape", in[1], []int{-1})
				if !r.Meta().Size[0].Eq(n) {
					if !r.Meta().Size[0].Eq(C(1)) {
						Raise(tensor.RuntimeError, "repeats must have the same size as input along dim")
					}
					r = g.Op("expand", r, []SymInt{n})
				}
				ends := g.Op("cumsum", g.Cast(r, tensor.Int64), 0)
				total := C(0)
				if c.Given("output_size") {
					total = c.Sym("output_size")
				} else if !n.Eq(C(0)) {
					if g.Item(g.Op("amin", r)).Int64() < 0 {
						Raise(tensor.RuntimeError, "repeats can not be negative")
					}
					total = C(g.Item(g.Op("select.int", ends, 0, -1)).Int64())
				}
				ix := g.Op("searchsorted", ends, g.Op("arange.end_int", total, KW{"device", ends.Meta().Dev}), KW{"right", true})
				return []Tensor{g.Op("index_select", x, d, ix)}
			},
			Samples: func() []Sample {
				s := samplesOf("repeat_interleave.self_Tensor")
				return s.add(s.f(3, 2), s.i(0, 4, 3), 0).add(s.lay(LayTrans, 2, 3), s.i(1, 3, 6)).add(s.lay(LayStep, 3), s.i(2, 3, 1)).add(s.f(0, 2), s.i(0, 1, 0), 0).add(s.f(), s.i(2, 3, 1)).done()
			},
		},
		&Def{
			Sig: "bincount(Tensor self, Tensor? weights=None, int minlength=0) -> Tensor", Doc: "How often each value of a vector of small integers occurs.", Bind: Usual, Sized: true, NoGrad: "torch gives none",
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				m := in[0].Meta()
				if m.DType.IsFloat() {
					Raise(tensor.RuntimeError, "\"bincount_cpu\" not implemented for '%s'", m.DType.ScalarName())
				}
				if m.Rank() != 1 || !m.DType.IsInt() {
					Raise(tensor.RuntimeError, "bincount only supports 1-d non-negative integral inputs.")
				}
				n := int64(c.Int("minlength"))
				if n < 0 {
					Raise(tensor.RuntimeError, "minlength should be >= 0")
				}
				dt := tensor.Int64
				if in[1] != nil {
					if dt = tensor.Float64; in[1].Meta().DType == tensor.Float32 {
						dt = tensor.Float32
					}
				}
				if IsEmpty(m) {
					return []Tensor{g.Op("zeros", []int{int(n)}, KW{"dtype", tensor.Int64}, KW{"device", m.Dev})}
				}
				if g.Item(g.Op("amin", in[0])).Int64() < 0 {
					Raise(tensor.RuntimeError, "bincount only supports 1-d non-negative integral inputs.")
				}
				n = max(n, g.Item(g.Op("amax", in[0])).Int64()+1)
				z := g.Op("zeros", []SymInt{C(n)}, KW{"dtype", dt}, KW{"device", m.Dev})
				w := in[1]
				if w == nil {
					w = g.Op("ones", m.Size, KW{"dtype", dt}, KW{"device", m.Dev})
				}
				return []Tensor{g.Op("scatter_add", z, 0, g.Cast(in[0], tensor.Int64), g.Cast(w, dt))}
			},
			Samples: func() []Sample {
				s := samplesOf("bincount")
				return s.add(s.i(0, 5, 8)).add(s.i(0, 3, 4), s.d64(4)).add(s.make(tensor.Int64, LayStep, Fill{Kind: FillInt, Lo: 0, Hi: 4}, []int64{5}), nil, 7).add(s.i(0, 1, 0), nil, 2).
					raises(tensor.RuntimeError, s.i(-1, 0, 1)).raises(tensor.RuntimeError, s.f(2)).done()
			},
		},
		&Def{
			Sig: "_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor values, Tensor inverse, Tensor counts)",
			Doc: "The distinct values in order, where each element went, and how often each occurs. torch.unique shows those asked for.", Sized: true, NoGrad: "torch gives none",
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				flat := g.reshape(in[0], []SymInt{C(-1)})
				s := g.Ops("sort", flat)
				v, ix, n := g.runs(s[0])
				inverse := g.Op("scatter.src", g.Op("zeros", flat.Meta().Size, KW{"dtype", tensor.Int64}, KW{"device", flat.Meta().Dev}), 0, s[1], ix)
				return []Tensor{v, g.Op("view", inverse, in[0].Meta().Size), n}
			},
			Samples: func() []Sample {
				s := samplesOf("_unique2")
				return s.add(s.i(0, 4, 7), true, true, true).add(s.it(0, 3, 2, 3), true, true, true).add(s.make(tensor.Int64, LayStep, Fill{Kind: FillInt, Lo: 0, Hi: 4}, []int64{5}), true, true, true).add(s.f(3), true, true, true).add(s.i(0, 1, 0), true, true, true).add(s.f(), true, true, true).done()
			},
		},
		&Def{
			Sig: "unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False) -> (Tensor values, Tensor inverse, Tensor counts)",
			Doc: "As _unique2 for runs of equal neighbours.", Sized: true, NoGrad: "torch gives none",
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				v, ix, n := g.runs(g.reshape(in[0], []SymInt{C(-1)}))
				return []Tensor{v, g.Op("view", ix, in[0].Meta().Size), n}
			},
			Samples: func() []Sample {
				s := samplesOf("unique_consecutive")
				return s.add(s.i(0, 2, 7), true, true).add(s.it(0, 2, 2, 3), true, true).add(s.make(tensor.Int64, LayStep, Fill{Kind: FillInt, Lo: 0, Hi: 2}, []int64{5}), true, true).add(s.i(0, 1, 0), true, true).add(s.f(), true, true).done()
			},
		},
	)
}

// nonzero lists the positions of x's n nonzero elements, [n, rank].
func (g *G) nonzero(x Tensor, n SymInt) Tensor {
	m := x.Meta()
	flat := g.Cast(g.Op("reshape", x, []int{-1}), tensor.Bool)
	if len(m.Size) == 0 || IsEmpty(m) {
		return g.Op("zeros", []SymInt{n, C(int64(m.Rank()))}, KW{"dtype", tensor.Int64}, KW{"device", m.Dev})
	}
	slot := g.Sub(g.Op("cumsum", flat, 0), 1)
	slot = g.Op("where", flat, slot, g.Op("full", nil, int(n.Hint()), KW{"device", m.Dev}))
	pos := g.Op("arange.end_int", flat.Meta().Size[0], KW{"device", m.Dev})
	lin := g.Op("scatter.src", g.Op("zeros", []SymInt{n.Add(C(1))}, KW{"dtype", tensor.Int64}, KW{"device", m.Dev}), 0, slot, pos)
	lin = g.Op("narrow", lin, 0, 0, n)
	cols := make([]Tensor, m.Rank())
	for d := m.Rank() - 1; d > 0; d-- {
		size := count(m.Size[d])
		cols[d] = g.Op("remainder", lin, size)
		lin = g.Op("div.Tensor_mode", lin, size, KW{"rounding_mode", "floor"})
	}
	cols[0] = lin
	return g.Op("transpose.int", g.Op("stack", cols, 0), 0, 1) // column by column in memory, as torch lays it out
}

// runs finds runs of equal neighbours in a vector: their values, the run of each
// element, and their lengths.
func (g *G) runs(x Tensor) (values, of, lengths Tensor) {
	m := x.Meta()
	if IsEmpty(m) {
		z := g.Op("zeros", []int{0}, KW{"dtype", tensor.Int64}, KW{"device", m.Dev})
		return g.Op("clone", x), z, z
	}
	n := m.Size[0]
	differs := g.Op("ne", g.Op("narrow", x, 0, 1, n.Sub(C(1))), g.Op("narrow", x, 0, 0, n.Sub(C(1))))
	of = g.Op("constant_pad_nd", g.Op("cumsum", differs, 0), []int{1, 0}, 0)
	k := C(g.Item(g.Op("select.int", of, 0, -1)).Int64() + 1)
	values = g.Op("scatter.src", g.Full(x, []SymInt{k}, 0), 0, of, x)
	one := g.Op("ones", []SymInt{n}, KW{"dtype", tensor.Int64}, KW{"device", m.Dev})
	lengths = g.Op("scatter_add", g.Op("zeros", []SymInt{k}, KW{"dtype", tensor.Int64}, KW{"device", m.Dev}), 0, of, one)
	return
}
