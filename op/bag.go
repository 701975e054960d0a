package op

import (
	"github.com/larkspur-ml/larkspur/tensor"
)

func init() {
	Register(
		&Def{
			Sig: "embedding_bag(Tensor input, Tensor weight, Tensor? offsets=None, float? max_norm=None, float norm_type=2.0, bool scale_grad_by_freq=False, str mode=\"mean\", bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int? padding_idx=None) -> Tensor",
			Doc: "Sum, mean or maximum of the rows of each bag: a row of input, or a run of it from an offset on.", Bind: NN,
			Decomp: decompBag,
			Samples: func() []Sample {
				s := samplesOf("embedding_bag")
				for _, l := range layouts {
					s.add(s.i(0, 5, 2, 3), s.lay(l, 5, 4)).add(s.i(0, 5, 2, 3), s.lay(l, 5, 4), KW{"mode", "sum"}, KW{"per_sample_weights", s.f(2, 3)})
				}
				ramp := s.make(tensor.Int64, LayContig, Fill{Kind: FillRamp}, []int64{3})
				return s.add(s.i(0, 5, 6), s.f(5, 4), ramp).add(s.i(0, 5, 6), s.f(5, 4), ramp, KW{"mode", "max"}).add(s.i(0, 5, 6), s.f(5, 4), ramp, KW{"mode", "sum"}).done()
			},
		},
		&Def{
			Sig: "embedding_renorm(Tensor self, Tensor indices, float max_norm, float norm_type) -> Tensor", Doc: "Rows that indices name, scaled down to a greatest norm; its in-place form is embedding_renorm_.", Bind: InPlace,
			NoGrad: "torch gives none",
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				in[0] = g.Op("detach", in[0])
				m := in[0].Meta()
				flat := g.Op("reshape", in[1], []int{-1})
				used := g.Op("index_fill.int_Scalar", g.Op("zeros", m.Size[:1], KW{"dtype", tensor.Bool}, KW{"device", m.Dev}), 0, g.Cast(flat, tensor.Int64), true)
				norm := g.Op("norm", in[0], c.Num("norm_type"), []int{1}, true)
				over := g.Op("logical_and", g.Op("gt", norm, c.Num("max_norm")), g.Op("unsqueeze", used, 1))
				scale := g.Mul(g.Op("reciprocal", g.Add(norm, 1e-7)), c.Num("max_norm"))
				return []Tensor{g.Op("where", over, g.Mul(in[0], scale), in[0])}
			},
			Samples: func() []Sample {
				s := samplesOf("embedding_renorm")
				return s.add(s.f(5, 4), s.i(0, 5, 3), 1.0, 2.0).add(s.lay(LayTrans, 5, 4), s.i(0, 5, 3), 0.5, 1.0).add(s.lay(LayOffset, 5, 4), s.i(0, 5, 2), 1.0, 2.0).done()
			},
		},
	)
}

func decompBag(g *G, c *Call, in []Tensor) []Tensor {
	ix, w, offsets, weights := in[0], in[1], in[2], in[3]
	m := ix.Meta()
	mode := c.Str("mode")
	if mode != "sum" && mode != "mean" && mode != "max" {
		Raise(tensor.ValueError, "mode has to be one of sum, mean or max")
	}
	if c.Given("max_norm") {
		Raise(tensor.NotImplementedError, "embedding_bag: max_norm is not supported")
	}
	if weights != nil && mode != "sum" {
		Raise(tensor.NotImplementedError, "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got mode='%s'). Please open a feature request on GitHub.", mode)
	}
	pad := -1
	if c.Given("padding_idx") {
		if pad = c.Int("padding_idx"); pad < 0 {
			pad += count(w.Meta().Size[0])
		}
	}
	if m.Rank() == 2 {
		if offsets != nil {
			Raise(tensor.ValueError, "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences. However, found offsets of type <class 'torch.Tensor'>")
		}
		k := m.Size[1]
		offsets = g.Op("arange.start_int", 0, m.Size[0].Mul(k), k, KW{"device", m.Dev})
		ix = g.Op("reshape", ix, []int{-1})
		if weights != nil {
			weights = g.Op("reshape", weights, []int{-1})
		}
	} else if m.Rank() != 1 {
		Raise(tensor.ValueError, "input has to be 1D or 2D Tensor, but got Tensor of dimension %d", m.Rank())
	} else if offsets == nil {
		Raise(tensor.ValueError, "offsets has to be a 1D Tensor but got None")
	}
	if c.Bool("include_last_offset") {
		offsets = g.Op("narrow", offsets, 0, 0, offsets.Meta().Size[0].Sub(C(1)))
	}
	n := ix.Meta().Size[0]
	bags := offsets.Meta().Size[0]
	rows := g.Op("embedding", w, ix, pad, c.Bool("scale_grad_by_freq"))
	if weights != nil {
		rows = g.Mul(rows, g.Op("unsqueeze", weights, 1))
	}
	of := g.Sub(g.Op("searchsorted.Tensor", g.Cast(offsets, tensor.Int64), g.Op("arange.end_int", n, KW{"device", m.Dev}), KW{"right", true}), 1)
	if pad >= 0 { // what belongs to no bag goes to one more, which is cut off
		of = g.Op("where", g.Op("eq", ix, pad), g.Op("full", nil, int(bags.Hint()), KW{"device", m.Dev}), of)
		bags = bags.Add(C(1))
	}
	size := []SymInt{bags, rows.Meta().Size[1]}
	var r Tensor
	switch mode {
	case "max":
		at := g.Op("expand", g.Op("unsqueeze", of, 1), rows.Meta().Size)
		r = g.Op("scatter_reduce.two", g.Full(rows, size, 0), 0, at, rows, "amax", KW{"include_self", false})
	default:
		r = g.Op("index_add", g.Full(rows, size, 0), 0, of, rows)
		if mode == "mean" {
			k := g.Op("index_add", g.Full(rows, []SymInt{bags}, 0), 0, of, g.Full(rows, []SymInt{n}, 1))
			r = g.Div(r, g.Op("unsqueeze", g.Op("clamp_min", k, 1), 1))
		}
	}
	if pad >= 0 {
		r = g.Op("narrow", r, 0, 0, bags.Sub(C(1)))
	}
	return []Tensor{r}
}
