package op

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Products of vectors and matrices. All of them are _matmul, the one op with
// the matmul template, between views; a bias is added by the template.

func init() {
	Register(
		&Def{
			Sig: "_matmul(Tensor a, Tensor b, Tensor? bias=None) -> Tensor", Doc: "a @ b + bias over equal batch dimensions; bias is expanded to the result.",
			Shape: func(c *Call) []tensor.Meta {
				a, b := c.In[0], c.In[1]
				n := a.Rank()
				sameDType(a, b)
				size := append(append(clip(a.Size[:n-2]), a.Size[n-2]), b.Size[n-1])
				return []tensor.Meta{{Size: size, DType: a.DType}}
			},
			Extern: func(c *Call) loop.Template { return loop.Template{Name: "matmul"} },
			VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
				o := make([]Tensor, 3)
				if c.NeedsGrad(0) {
					o[0] = g.Op("_matmul", grad[0], g.Op("mT", in[1]))
				}
				if c.NeedsGrad(1) {
					o[1] = g.Op("_matmul", g.Op("mT", in[0]), grad[0])
				}
				if c.NeedsGrad(2) {
					o[2] = grad[0]
				}
				return o
			},
		},
		&Def{
			Sig: "mm(Tensor self, Tensor mat2) -> Tensor", Doc: "Matrix times matrix.", Bind: Fn | Method | OutArg,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				checkMM(c.In[0], c.In[1])
				return []Tensor{g.Op("_matmul", in[0], in[1])}
			},
			Samples: func() []Sample {
				s := samplesOf("mm")
				for _, l := range layouts {
					s.add(s.lay(l, 3, 4), s.f(4, 2)).add(s.f(2, 3), s.lay(l, 3, 5))
				}
				s.add(s.f(0, 3), s.f(3, 2)).add(s.f(2, 0), s.f(0, 3)).add(s.d64(2, 3), s.d64(3, 2)).add(s.i(-3, 4, 2, 3), s.i(-3, 4, 3, 2)).add(s.bf(3, 4), s.bf(4, 2)).add(s.f(17, 33), s.f(33, 9))
				return s.raises(tensor.RuntimeError, s.f(2, 3), s.f(2, 3)).raises(tensor.RuntimeError, s.f(2, 3), s.f(2, 3, 4)).raises(tensor.RuntimeError, s.f(2, 3), s.d64(3, 2)).done()
			},
		},
		&Def{
			Sig: "bmm(Tensor self, Tensor mat2) -> Tensor", Doc: "Batches of matrices.", Bind: Fn | Method | OutArg,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				checkBMM(c.In[0], c.In[1])
				return []Tensor{g.Op("_matmul", in[0], in[1])}
			},
			Samples: func() []Sample {
				s := samplesOf("bmm")
				for _, l := range layouts {
					s.add(s.lay(l, 2, 3, 4), s.lay(l, 2, 4, 2))
				}
				s.add(s.f(0, 3, 2), s.f(0, 2, 4)).add(s.f(2, 3, 0), s.f(2, 0, 1)).add(s.d64(1, 2, 3), s.d64(1, 3, 2)).add(s.lay(LayExpanded, 2, 3, 2), s.f(2, 2, 2))
				return s.raises(tensor.RuntimeError, s.f(3, 4, 5), s.f(3, 4, 5)).raises(tensor.RuntimeError, s.f(2, 3), s.f(3, 4, 5)).done()
			},
		},
		&Def{
			Sig: "mv(Tensor self, Tensor vec) -> Tensor", Doc: "Matrix times vector.", Bind: Fn | Method | OutArg,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				a, b := c.In[0], c.In[1]
				if a.Rank() != 2 || b.Rank() != 1 {
					Raise(tensor.RuntimeError, "vector + matrix @ vector expected, got 1, %d, %d", a.Rank(), b.Rank())
				}
				if !a.Size[1].Eq(b.Size[0]) {
					Raise(tensor.RuntimeError, "size mismatch, got %d, %dx%d,%d", a.Size[0].Hint(), a.Size[0].Hint(), a.Size[1].Hint(), b.Size[0].Hint())
				}
				return []Tensor{g.Op("select.int", g.Op("_matmul", in[0], g.Op("unsqueeze", in[1], 1)), 1, 0)}
			},
			Samples: func() []Sample {
				s := samplesOf("mv")
				for _, l := range layouts {
					s.add(s.lay(l, 3, 4), s.lay(l, 4))
				}
				return s.add(s.f(2, 0), s.f(0)).raises(tensor.RuntimeError, s.f(2, 3), s.f(2, 3)).raises(tensor.RuntimeError, s.f(2, 3), s.f(2)).done()
			},
		},
		&Def{
			Sig: "dot(Tensor self, Tensor tensor) -> Tensor", Doc: "Vector times vector.", Aliases: []string{"vdot"}, Bind: Fn | Method | OutArg,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				a, b := c.In[0], c.In[1]
				if a.Rank() != 1 || b.Rank() != 1 {
					Raise(tensor.RuntimeError, "1D tensors expected, but got %dD and %dD tensors", a.Rank(), b.Rank())
				}
				if a.DType != b.DType {
					Raise(tensor.RuntimeError, "dot : expected both vectors to have same dtype, but found %s and %s", a.DType.ScalarName(), b.DType.ScalarName())
				}
				if !a.Size[0].Eq(b.Size[0]) {
					Raise(tensor.RuntimeError, "inconsistent tensor size, expected tensor %s and src %s to have the same number of elements, but got %d and %d elements respectively", ShapeText(a.Size), ShapeText(b.Size), a.Size[0].Hint(), b.Size[0].Hint())
				}
				r := g.Op("_matmul", g.Op("unsqueeze", in[0], 0), g.Op("unsqueeze", in[1], 1))
				return []Tensor{g.Op("view", r, []int{})}
			},
			Samples: func() []Sample {
				s := samplesOf("dot")
				for _, l := range layouts {
					s.add(s.lay(l, 4), s.f(4))
				}
				return s.add(s.f(0), s.f(0)).add(s.i(0, 5, 3), s.i(0, 5, 3)).raises(tensor.RuntimeError, s.f(2), s.f(3)).raises(tensor.RuntimeError, s.f(2, 3), s.f(2, 3)).done()
			},
		},
		&Def{
			Sig: "matmul(Tensor self, Tensor other) -> Tensor", Doc: "The product by rank: vectors, matrices, batches that broadcast (the operator @).", Bind: Fn | Method | OutArg,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor { return []Tensor{g.matmul(in[0], in[1])} },
			Samples: func() []Sample {
				s := samplesOf("matmul")
				for _, l := range layouts {
					s.add(s.lay(l, 3, 4), s.f(4, 2)).add(s.lay(l, 2, 3, 4), s.f(4, 2)).add(s.f(2, 1, 3, 4), s.lay(l, 3, 4, 2)).add(s.f(4), s.lay(l, 4, 3)).add(s.lay(l, 3, 4), s.f(4)).add(s.f(3, 2), s.lay(l, 4, 2, 3))
				}
				s.add(s.f(4), s.f(4)).add(s.f(2, 3, 4), s.f(4)).add(s.f(4), s.f(2, 4, 3)).add(s.f(0, 3, 4), s.f(4, 2)).add(s.f(2, 3, 0), s.f(2, 0, 4)).add(s.d64(2, 2, 3), s.d64(2, 3, 2))
				s.raises(tensor.RuntimeError, s.f(2, 3), s.f(2, 3)).raises(tensor.RuntimeError, s.f(3, 4, 5), s.f(3, 4, 5)).raises(tensor.RuntimeError, s.f(), s.f(2, 3)).raises(tensor.RuntimeError, s.f(2, 3, 4), s.f(5, 4, 3))
				return s.raises(tensor.RuntimeError, s.f(2, 3), s.f(2)).done()
			},
		},
		&Def{
			Sig: "addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", Doc: "beta*self + alpha*(mat1 @ mat2).", Bind: Arith,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				if c.In[1].Rank() != 2 || c.In[2].Rank() != 2 {
					Raise(tensor.RuntimeError, "mat1 and mat2 must be matrices, got %d-D and %d-D tensors", c.In[1].Rank(), c.In[2].Rank())
				}
				checkAdd(c.In[0], c.In[1], c.In[2])
				checkMM(c.In[1], c.In[2])
				return []Tensor{g.addMatmul(c, in[0], in[1], in[2])}
			},
			Samples: func() []Sample {
				s := samplesOf("addmm")
				for _, l := range layouts {
					s.add(s.lay(l, 3, 2), s.lay(l, 3, 4), s.f(4, 2)).add(s.f(2), s.f(3, 4), s.lay(l, 4, 2), KW{"beta", 0.5}, KW{"alpha", 2})
				}
				return s.add(s.f(), s.f(2, 0), s.f(0, 3)).add(s.f(3), s.f(0, 2), s.f(2, 3)).raises(tensor.RuntimeError, s.f(5), s.f(2, 3), s.f(3, 4)).raises(tensor.RuntimeError, s.f(2, 2), s.f(2, 3), s.f(2, 3)).done()
			},
		},
		&Def{
			Sig: "baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", Doc: "addmm for batches.", Bind: Arith,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				checkBMM(c.In[1], c.In[2])
				return []Tensor{g.addMatmul(c, in[0], in[1], in[2])}
			},
			Samples: func() []Sample {
				s := samplesOf("baddbmm")
				for _, l := range layouts {
					s.add(s.lay(l, 2, 3, 2), s.lay(l, 2, 3, 4), s.f(2, 4, 2)).add(s.f(2), s.f(2, 3, 4), s.lay(l, 2, 4, 2), KW{"beta", 0.5}, KW{"alpha", 2})
				}
				return s.add(s.f(1), s.f(0, 2, 3), s.f(0, 3, 1)).raises(tensor.RuntimeError, s.f(5), s.f(3, 4, 5), s.f(3, 5, 4)).done()
			},
		},
		&Def{
			Sig: "addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor", Doc: "beta*self + alpha*(mat @ vec).", Bind: Arith,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				r := g.Op("mv", in[1], in[2])
				return []Tensor{g.Add(g.scaled(in[0], c.Num("beta")), g.scaled(r, c.Num("alpha")))}
			},
			Samples: func() []Sample {
				s := samplesOf("addmv")
				for _, l := range layouts {
					s.add(s.lay(l, 3), s.lay(l, 3, 4), s.f(4))
				}
				return s.add(s.f(), s.f(3, 2), s.f(2), KW{"beta", 0.5}, KW{"alpha", 2}).add(s.f(0), s.f(0, 2), s.f(2)).done()
			},
		},
		&Def{
			Sig: "addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", Doc: "beta*self + alpha*(sum of the batches' products).", Bind: Arith,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				checkBMM(c.In[1], c.In[2])
				r := g.Op("sum", g.Op("_matmul", in[1], in[2]), []int{0})
				return []Tensor{g.Add(g.scaled(r, c.Num("alpha")), g.scaled(in[0], c.Num("beta")))}
			},
			Samples: func() []Sample {
				s := samplesOf("addbmm")
				for _, l := range layouts {
					s.add(s.lay(l, 3, 2), s.lay(l, 2, 3, 4), s.f(2, 4, 2))
				}
				return s.add(s.f(3, 2), s.f(0, 3, 4), s.f(0, 4, 2)).add(s.f(3, 2), s.f(2, 3, 4), s.f(2, 4, 2), KW{"beta", 0.5}, KW{"alpha", 2}).done()
			},
		},
		&Def{
			Sig: "outer(Tensor self, Tensor vec2) -> Tensor", Doc: "All products of two vectors' elements.", Aliases: []string{"ger"}, Bind: Fn | Method | OutArg,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				for i, n := range []string{"self", "vec2"} {
					if r := c.In[i].Rank(); r != 1 {
						Raise(tensor.RuntimeError, "outer: Expected 1-D argument %s, but got %d-D", n, r)
					}
				}
				return []Tensor{g.Mul(g.Op("unsqueeze", in[0], 1), in[1])}
			},
			Samples: func() []Sample {
				s := samplesOf("outer")
				for _, l := range layouts {
					s.add(s.lay(l, 3), s.lay(l, 4))
				}
				return s.add(s.f(0), s.f(2)).add(s.i(0, 4, 2), s.f(3)).raises(tensor.RuntimeError, s.f(2, 3), s.f(2, 3)).done()
			},
		},
		&Def{
			Sig: "inner(Tensor self, Tensor other) -> Tensor", Doc: "Products summed over the last dimensions.", Bind: Fn | Method | OutArg,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				a, b := c.In[0], c.In[1]
				if a.Rank() == 0 || b.Rank() == 0 {
					return []Tensor{g.Mul(in[0], in[1])}
				}
				n := a.Size[a.Rank()-1]
				if !n.Eq(b.Size[b.Rank()-1]) {
					Raise(tensor.RuntimeError, "inner() the last dimension must match on both input tensors but got shapes %s and %s", ShapeText(a.Size), ShapeText(b.Size))
				}
				return []Tensor{g.tensordot(in[0], in[1], []int{a.Rank() - 1}, []int{b.Rank() - 1})}
			},
			Samples: func() []Sample {
				s := samplesOf("inner")
				for _, l := range layouts {
					s.add(s.lay(l, 2, 3), s.f(4, 3))
				}
				return s.add(s.f(3), s.f(3)).add(s.f(), s.f(2)).add(s.f(0, 2), s.f(3, 2)).raises(tensor.RuntimeError, s.f(2), s.f(3)).done()
			},
		},
		&Def{
			Sig: "linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor", Doc: "input @ weight.T + bias.", Bind: NN,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor { return []Tensor{g.linear(in[0], in[1], in[2])} },
			Samples: func() []Sample {
				s := samplesOf("linear")
				for _, l := range layouts {
					s.add(s.lay(l, 2, 3), s.f(4, 3), s.f(4)).add(s.lay(l, 2, 2, 3), s.lay(l, 4, 3), nil)
				}
				s.add(s.f(3), s.f(4, 3), s.f(4)).add(s.f(0, 3), s.f(4, 3), s.f(4)).add(s.f(2, 3), s.f(3)).add(s.bf(2, 3), s.bf(4, 3), s.bf(4)).add(s.d64(2, 3), s.d64(4, 3), s.d64(4))
				return s.raises(tensor.RuntimeError, s.f(2, 3), s.f(4, 5)).raises(tensor.RuntimeError, s.f(2, 3), s.f(4, 3), s.f(5)).done()
			},
		},
		&Def{
			Sig: "bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor", Doc: "input1 times weight times input2, for each output.", Bind: NN,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				r := g.Op("einsum", "...i,oij,...j->...o", []Tensor{in[0], in[2], in[1]})
				if in[3] != nil {
					r = g.Add(r, in[3])
				}
				return []Tensor{r}
			},
			Samples: func() []Sample {
				s := samplesOf("bilinear")
				return s.add(s.f(2, 3), s.f(2, 4), s.f(5, 3, 4), s.f(5)).add(s.lay(LayTrans, 2, 3), s.lay(LayStep, 2, 4), s.f(2, 3, 4)).add(s.lay(LayOffset, 2, 2, 3), s.f(2, 2, 4), s.f(2, 3, 4), s.f(2)).done()
			},
		},
		&Def{
			Sig: "tensordot.n(Tensor a, Tensor b, int dims=2) -> Tensor", Doc: "Products summed over the last dims dimensions of a and the first of b.", Bind: Fn,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				n := c.Int("dims")
				if n < 0 {
					Raise(tensor.RuntimeError, "tensordot expects dims >= 0, but got dims=%d", n)
				}
				a, b := make([]int, n), make([]int, n)
				for i := range n {
					a[i], b[i] = i-n, i
				}
				return []Tensor{g.Op("tensordot", in[0], in[1], a, b)}
			},
			Samples: func() []Sample {
				s := samplesOf("tensordot.n")
				for _, l := range layouts {
					s.add(s.lay(l, 2, 3, 4), s.f(3, 4, 2))
				}
				return s.add(s.f(2, 3), s.f(3, 4), 1).add(s.f(2), s.f(3), 0).raises(tensor.RuntimeError, s.f(2, 3), s.f(2, 3), 1).done()
			},
		},
		&Def{
			Sig: "tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor", Doc: "Products summed over pairs of dimensions. (dims=n is translated by the binding.)", Bind: Fn,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				a, b := c.Ints("dims_self"), c.Ints("dims_other")
				if len(a) != len(b) {
					Raise(tensor.RuntimeError, "both dimension lists should have same length")
				}
				for i := range a {
					a[i], b[i] = WrapDim(a[i], c.In[0].Rank()), WrapDim(b[i], c.In[1].Rank())
					x, y := c.In[0].Size[a[i]], c.In[1].Size[b[i]]
					if !x.Eq(y) {
						Raise(tensor.RuntimeError, "contracted dimensions need to match, but first has size %d in dim %d and second has size %d in dim %d", x.Hint(), c.Ints("dims_self")[i], y.Hint(), c.Ints("dims_other")[i])
					}
				}
				return []Tensor{g.tensordot(in[0], in[1], a, b)}
			},
			Samples: func() []Sample {
				s := samplesOf("tensordot")
				for _, l := range layouts {
					s.add(s.lay(l, 2, 3, 4), s.f(4, 3, 2), []int{1, 2}, []int{1, 0})
				}
				return s.add(s.f(2, 3), s.f(3, 4), []int{-1}, []int{0}).add(s.f(2), s.f(3), []int{}, []int{}).add(s.f(0, 2), s.f(2, 3), []int{1}, []int{0}).raises(tensor.RuntimeError, s.f(2, 3), s.f(2, 3), []int{-1}, []int{0}).done()
			},
		},
		&Def{
			Sig: "kron(Tensor self, Tensor other) -> Tensor", Doc: "Kronecker product.", Bind: Usual,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				n := max(c.In[0].Rank(), c.In[1].Rank())
				var sa, sb, size []SymInt
				for d := range n {
					x, y := C(1), C(1)
					if i := d - (n - c.In[0].Rank()); i >= 0 {
						x = c.In[0].Size[i]
					}
					if i := d - (n - c.In[1].Rank()); i >= 0 {
						y = c.In[1].Size[i]
					}
					sa, sb, size = append(sa, x, C(1)), append(sb, C(1), y), append(size, x.Mul(y))
				}
				return []Tensor{g.reshape(g.Mul(g.reshape(in[0], sa), g.reshape(in[1], sb)), size)}
			},
			Samples: func() []Sample {
				s := samplesOf("kron")
				return s.add(s.f(2, 3), s.f(2, 2)).add(s.lay(LayOffset, 2, 3), s.f(2)).add(s.lay(LayStep, 2), s.f(3, 2)).add(s.f(), s.f(2)).add(s.f(0), s.f(2)).done()
			},
		},
		&Def{
			Sig: "cross(Tensor self, Tensor other, int? dim=None) -> Tensor", Doc: "Vector product along dim; without it, along the first dimension of size 3.", Bind: Fn | Method | OutArg,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				m := c.In[0]
				d := -1
				if c.Given("dim") {
					d = c.Dim("dim", m.Rank())
				} else {
					for i := m.Rank() - 1; i >= 0; i-- {
						if m.Size[i].Eq(C(3)) {
							d = i
						}
					}
					if d < 0 {
						Raise(tensor.RuntimeError, "no dimension of size 3 in input")
					}
				}
				if !m.Size[d].Eq(C(3)) || !c.In[1].Size[d].Eq(C(3)) {
					Raise(tensor.RuntimeError, "linalg.cross: inputs dimension %d must have length 3. Got %d and %d", d, m.Size[d].Hint(), c.In[1].Size[d].Hint())
				}
				turn := func(t Tensor, k int) Tensor { return g.Op("roll", t, []int{k}, []int{d}) }
				return []Tensor{g.Sub(g.Mul(turn(in[0], -1), turn(in[1], -2)), g.Mul(turn(in[0], -2), turn(in[1], -1)))}
			},
			Samples: func() []Sample {
				s := samplesOf("cross")
				return s.add(s.f(2, 3), s.f(2, 3)).add(s.f(3, 3), s.f(3, 3), 1).raises(tensor.RuntimeError, s.f(2), s.f(2)).done()
			},
		},
	)
}

func sameDType(a, b *tensor.Meta) {
	if a.DType != b.DType {
		Raise(tensor.RuntimeError, "expected scalar type %s but found %s", a.DType.ScalarName(), b.DType.ScalarName())
	}
}

// checkAdd holds a term that is added to a matrix product to the dtype of the
// factors: the template reads it as that.
func checkAdd(self, a, b *tensor.Meta) {
	switch {
	case self.DType != b.DType:
		Raise(tensor.RuntimeError, "self and mat2 must have the same dtype")
	case a.DType != b.DType:
		Raise(tensor.RuntimeError, "mat1 and mat2 must have the same dtype")
	}
}

func checkMM(a, b *tensor.Meta) {
	if a.Rank() != 2 {
		Raise(tensor.RuntimeError, "self must be a matrix")
	}
	if b.Rank() != 2 {
		Raise(tensor.RuntimeError, "mat2 must be a matrix")
	}
	if !a.Size[1].Eq(b.Size[0]) {
		Raise(tensor.RuntimeError, "mat1 and mat2 shapes cannot be multiplied (%dx%d and %dx%d)", a.Size[0].Hint(), a.Size[1].Hint(), b.Size[0].Hint(), b.Size[1].Hint())
	}
	sameDType(a, b)
}

func checkBMM(a, b *tensor.Meta) {
	if a.Rank() != 3 {
		Raise(tensor.RuntimeError, "batch1 must be a 3D tensor")
	}
	if b.Rank() != 3 {
		Raise(tensor.RuntimeError, "batch2 must be a 3D tensor")
	}
	if !b.Size[0].Eq(a.Size[0]) || !b.Size[1].Eq(a.Size[2]) {
		Raise(tensor.RuntimeError, "Expected size for first two dimensions of batch2 tensor to be: [%d, %d] but got: [%d, %d].", a.Size[0].Hint(), a.Size[2].Hint(), b.Size[0].Hint(), b.Size[1].Hint())
	}
	sameDType(a, b)
}

// matmul is the product by rank.
func (g *G) matmul(a, b Tensor) Tensor {
	m, n := a.Meta(), b.Meta()
	if m.Rank() == 0 || n.Rank() == 0 {
		Raise(tensor.RuntimeError, "both arguments to matmul need to be at least 1D, but they are %dD and %dD", m.Rank(), n.Rank())
	}
	switch {
	case m.Rank() == 1 && n.Rank() == 1:
		return g.Op("dot", a, b)
	case m.Rank() == 2 && n.Rank() == 1:
		return g.Op("mv", a, b)
	case m.Rank() == 1 && n.Rank() == 2:
		return g.Op("select.int", g.Op("mm", g.Op("unsqueeze", a, 0), b), 0, 0)
	case m.Rank() == 2 && n.Rank() == 2:
		return g.Op("mm", a, b)
	case n.Rank() == 1: // batches times a vector: one matrix times the vector
		k := m.Size[m.Rank()-1]
		r := g.Op("mv", g.reshape(a, []SymInt{prodOf(m.Size[:m.Rank()-1]), k}), b)
		return g.Op("view", r, m.Size[:m.Rank()-1])
	case n.Rank() == 2: // batches times a matrix: one taller matrix
		k := m.Size[m.Rank()-1]
		r := g.Op("mm", g.reshape(a, []SymInt{prodOf(m.Size[:m.Rank()-1]), k}), b)
		return g.Op("view", r, append(clip(m.Size[:m.Rank()-1]), n.Size[1]))
	case m.Rank() == 1:
		r := g.batched(g.Op("unsqueeze", a, 0), b)
		return g.Op("select.int", r, r.Meta().Rank()-2, 0)
	}
	return g.batched(a, b)
}

// batched multiplies over broadcast batch dimensions, flattened into one.
func (g *G) batched(a, b Tensor) Tensor {
	m, n := a.Meta(), b.Meta()
	ma, nb := m.Size[:m.Rank()-2], n.Size[:n.Rank()-2]
	batch := Broadcast(ma, nb)
	total := prodOf(batch)
	fold := func(t Tensor, own []SymInt) Tensor {
		s := t.Meta().Size
		last := s[len(s)-2:]
		if !same(own, batch) {
			t = g.Op("expand", t, append(clip(batch), last...))
		}
		return g.reshape(t, append([]SymInt{total}, last...))
	}
	r := g.Op("bmm", fold(a, ma), fold(b, nb))
	s := r.Meta().Size
	return g.Op("view", r, append(clip(batch), s[1], s[2]))
}

func prodOf(s []SymInt) SymInt {
	p := C(1)
	for _, x := range s {
		p = p.Mul(x)
	}
	return p
}

func (g *G) scaled(t Tensor, k tensor.Number) Tensor {
	if k.Is(1) {
		return t
	}
	return g.Mul(t, k)
}

// addMatmul is beta*self + alpha*(a @ b), in the template where both are 1.
func (g *G) addMatmul(c *Call, self, a, b Tensor) Tensor {
	m, n := a.Meta(), b.Meta()
	checkAdd(self.Meta(), m, n)
	size := append(append(clip(m.Size[:m.Rank()-2]), m.Size[m.Rank()-2]), n.Size[n.Rank()-1])
	self = g.Op("expand", self, size)
	alpha, beta := c.Num("alpha"), c.Num("beta")
	if alpha.Is(1) && beta.Is(1) {
		return g.Op("_matmul", a, b, self)
	}
	r := g.scaled(g.Op("_matmul", a, b), alpha)
	if beta.Is(0) {
		return r
	}
	return g.Add(r, g.scaled(self, beta))
}

func (g *G) linear(x, w, bias Tensor) Tensor {
	m := x.Meta()
	if w.Meta().Rank() == 1 || m.Rank() == 1 || w.Meta().Rank() != 2 {
		r := g.matmul(x, g.Op("t", w))
		if bias != nil {
			r = g.Add(r, bias)
		}
		return r
	}
	k := m.Size[m.Rank()-1]
	lead := m.Size[:m.Rank()-1]
	flat := x
	if m.Rank() != 2 {
		flat = g.reshape(x, []SymInt{prodOf(lead), k})
	}
	wt := g.Op("t", w)
	if bias != nil {
		checkAdd(bias.Meta(), flat.Meta(), w.Meta())
	}
	checkMM(flat.Meta(), wt.Meta())
	if bias != nil {
		bias = g.Op("expand", bias, []SymInt{flat.Meta().Size[0], w.Meta().Size[0]})
	}
	r := g.Op("_matmul", flat, wt, bias)
	if m.Rank() == 2 {
		return r
	}
	return g.Op("view", r, append(clip(lead), w.Meta().Size[0]))
}

// tensordot moves the summed dimensions inward, multiplies and reshapes.
func (g *G) tensordot(a, b Tensor, da, db []int) Tensor {
	rest := func(t Tensor, dims []int) (keep []int, size []SymInt) {
		for d, s := range t.Meta().Size {
			in := false
			for _, x := range dims {
				in = in || x == d
			}
			if !in {
				keep, size = append(keep, d), append(size, s)
			}
		}
		return
	}
	ka, sa := rest(a, da)
	kb, sb := rest(b, db)
	k := C(1)
	for _, d := range da {
		k = k.Mul(a.Meta().Size[d])
	}
	x := g.reshape(g.Op("permute", a, append(append([]int{}, ka...), da...)), []SymInt{prodOf(sa), k})
	y := g.reshape(g.Op("permute", b, append(append([]int{}, db...), kb...)), []SymInt{k, prodOf(sb)})
	return g.reshape(g.Op("mm", x, y), append(clip(sa), sb...))
}
