package op

import (
	"math"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

func init() {
	Register(&Def{
		Sig:  "scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor",
		Doc:  "softmax(query @ key.T * scale + mask) @ value. A bool mask is true where attention is allowed.",
		Bind: NN,
		Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
			q, k, v, mask := in[0], in[1], in[2], in[3]
			m, n := q.Meta(), k.Meta()
			if m.Rank() < 2 || n.Rank() < 2 || v.Meta().Rank() < 2 {
				Raise(tensor.RuntimeError, "scaled_dot_product_attention: Expected query, key and value to have at least 2 dimensions, but got %d, %d and %d", m.Rank(), n.Rank(), v.Meta().Rank())
			}
			grouped, k0, v0 := c.Bool("enable_gqa"), k, v
			if grouped {
				h := m.Size[m.Rank()-3]
				k = g.Op("repeat_interleave.self_int", k, h.Div(n.Size[n.Rank()-3]), n.Rank()-3)
				v = g.Op("repeat_interleave.self_int", v, h.Div(v.Meta().Size[v.Meta().Rank()-3]), v.Meta().Rank()-3)
				n = k.Meta()
			}
			var scale float64
			if c.Given("scale") {
				scale = c.Num("scale").Float64()
			} else {
				scale = 1 / math.Sqrt(float64(count(m.Size[m.Rank()-1])))
			}
			if r := g.oneAttention(c, in, k0, v0, scale); r != nil {
				return []Tensor{r}
			}
			// half of the scale to each side keeps 16-bit products in range, as torch does
			root := math.Sqrt(scale)
			w := g.matmul(g.Mul(q, root), g.Mul(g.Op("mT", k), root))
			if c.Bool("is_causal") {
				if mask != nil {
					Raise(tensor.RuntimeError, "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
				}
				mask = g.Op("tril", g.Op("ones", []SymInt{m.Size[m.Rank()-2], n.Size[n.Rank()-2]}, KW{"dtype", tensor.Bool}, KW{"device", m.Dev}))
			}
			if mask != nil {
				if mask.Meta().DType == tensor.Bool {
					w = g.Op("masked_fill.Scalar", w, g.Op("logical_not", mask), -inf)
				} else {
					w = g.Add(w, mask)
				}
			}
			w = g.Op("softmax", w, -1)
			if p := c.Num("dropout_p"); !p.Is(0) {
				w = g.Op("dropout", w, p, true)
			}
			return []Tensor{g.matmul(w, v)}
		},
		Samples: func() []Sample {
			s := samplesOf("scaled_dot_product_attention")
			for _, l := range layouts {
				s.add(s.lay(l, 2, 3, 4), s.f(2, 5, 4), s.lay(l, 2, 5, 4)).add(s.f(2, 2, 3, 4), s.lay(l, 2, 2, 3, 4), s.f(2, 2, 3, 4), nil, 0.0, true)
			}
			s.add(s.f(3, 4), s.f(5, 4), s.f(5, 2), s.f(3, 5)).add(s.f(2, 3, 4), s.f(2, 3, 4), s.f(2, 3, 4), s.b(3, 3)).add(s.f(0, 3, 4), s.f(0, 3, 4), s.f(0, 3, 4)).add(s.f(1, 3, 4), s.f(1, 3, 4), s.f(1, 3, 4), nil, 0.0, false, KW{"scale", 0.3})
			return s.done()
		},
	})
}

// oneAttention is attention as one kernel, where the device has it: operands of 16 bits
// on a GPU, of one rank, no dropout, and no mask or one of bools. nil: it is not for this.
func (g *G) oneAttention(c *Call, in []Tensor, k, v Tensor, scale float64) Tensor {
	q, m := in[0], in[0].Meta()
	n, w := k.Meta(), v.Meta()
	rank := m.Rank()
	if m.Dev.Type != tensor.CUDA || m.DType != tensor.BFloat16 && m.DType != tensor.Float16 || n.DType != m.DType || w.DType != m.DType {
		return nil
	}
	if rank < 3 || n.Rank() != rank || w.Rank() != rank || !c.Num("dropout_p").Is(0) {
		return nil
	}
	d := m.Size[rank-1]
	if !n.Size[rank-1].Eq(d) || !w.Size[rank-1].Eq(d) || !n.Size[rank-2].Eq(w.Size[rank-2]) || !d.Mod(C(8)).Eq(C(0)) || C(128).Lt(d) || n.Size[rank-2].Eq(C(0)) || d.Eq(C(0)) {
		return nil
	}
	for i := range rank - 2 {
		if !m.Size[i].Eq(n.Size[i]) && i < rank-3 || !n.Size[i].Eq(w.Size[i]) || m.Size[i].Eq(C(0)) || n.Size[i].Eq(C(0)) || !m.Size[i].Mod(n.Size[i]).Eq(C(0)) {
			return nil
		}
	}
	if !m.Size[rank-3].Eq(n.Size[rank-3]) && !c.Bool("enable_gqa") {
		return nil
	}
	var mask any
	if in[3] != nil {
		x := in[3].Meta()
		if x.DType != tensor.Bool || c.Bool("is_causal") || x.Rank() > rank {
			return nil
		}
		t := g.Op("expand", in[3], append(clip(m.Size[:rank-1]), n.Size[rank-2]))
		mask = g.four(t)
	}
	r := g.Ops("_attention", g.four(q), g.four(k), g.four(v), mask, scale, c.Bool("is_causal"))[0]
	if rank != 4 {
		r = g.Op("reshape", r, append(clip(m.Size[:rank-1]), d))
	}
	return r
}

// four is a tensor with four dimensions: one of three gets a batch of one, more
// batches become one.
func (g *G) four(t Tensor) Tensor {
	m := t.Meta()
	switch r := m.Rank(); {
	case r == 4:
		return t
	case r == 3:
		return g.Op("unsqueeze", t, 0)
	default:
		b := C(1)
		for _, s := range m.Size[:r-3] {
			b = b.Mul(s)
		}
		return g.Op("reshape", t, append([]SymInt{b}, m.Size[r-3:]...))
	}
}

func init() {
	meaning := func(name string) func(*Call) loop.Template {
		return func(c *Call) loop.Template {
			return loop.Template{Name: name, NumArgs: []string{"scale"}, Flags: []bool{c.Bool("causal")}}
		}
	}
	Register(&Def{
		Sig: "_attention(Tensor query, Tensor key, Tensor value, Tensor? mask, float scale, bool causal) -> (Tensor, Tensor)",
		Doc: "Attention of [batch, heads, rows, size] as one computation, and the logarithm to base 2 of each row's sum of exponentials.",
		Shape: func(c *Call) []tensor.Meta {
			q := c.In[0]
			return []tensor.Meta{{Size: append(clip(q.Size[:3]), c.In[2].Size[3]), DType: q.DType}, {Size: clip(q.Size[:3]), DType: tensor.Float32}}
		},
		Extern: meaning("attention"),
		VJP: func(g *G, c *Call, in, out, grad []Tensor) []Tensor {
			o := make([]Tensor, 4)
			if grad[0] == nil {
				return o
			}
			var mask any
			if in[3] != nil {
				mask = in[3]
			}
			d := g.Ops("_attention_grad", in[0], in[1], in[2], mask, out[0], out[1], grad[0], c.Num("scale").Float64(), c.Bool("causal"))
			copy(o, d)
			return o
		},
	}, &Def{
		Sig: "_attention_grad(Tensor query, Tensor key, Tensor value, Tensor? mask, Tensor output, Tensor sums, Tensor grad, float scale, bool causal) -> (Tensor, Tensor, Tensor)",
		Doc: "What attention's query, key and value get from its output.", NoGrad: "attention as one kernel has no second derivative", Unwritten: true,
		Shape: func(c *Call) []tensor.Meta {
			var l []tensor.Meta
			for _, m := range c.In[:3] {
				l = append(l, tensor.Meta{Size: m.Size, DType: m.DType})
			}
			return l
		},
		Extern: meaning("attention_grad"),
	})
}
