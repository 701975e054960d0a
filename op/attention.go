package op

import (
	"math"

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
			if c.Bool("enable_gqa") {
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
