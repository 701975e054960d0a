package op

import (
	"github.com/larkspur-ml/larkspur/tensor"
)

// Sampling at points given by a tensor. Everything is elementwise arithmetic and
// gathers, so that gradients reach both the image and the grid.

func init() {
	Register(
		&Def{
			Sig: "affine_grid(Tensor theta, SymInt[] size, bool? align_corners=None) -> Tensor", Doc: "The sampling grid [N, H, W, 2] of affine maps [N, 2, 3].", Bind: NN,
			Decomp: func(g *G, c *Call, in []Tensor) []Tensor {
				size, m := c.Syms("size"), in[0].Meta()
				if len(size) != 4 || m.Rank() != 3 {
					Raise(tensor.NotImplementedError, "affine_grid only supports 4D sizes, for 2D affine transforms. Got size %s.", ShapeText(size))
				}
				align := c.Given("align_corners") && c.Bool("align_corners")
				line := func(n SymInt) Tensor {
					k := count(n)
					edge := 1.0
					if !align {
						edge = float64(k-1) / float64(k)
					}
					if k == 1 {
						edge = 0
					}
					return g.Op("linspace", -edge, edge, k, KW{"dtype", m.DType}, KW{"device", m.Dev})
				}
				h, w := size[2], size[3]
				x := g.Op("expand", line(w), []SymInt{h, w})
				y := g.Op("expand", g.Op("unsqueeze", line(h), 1), []SymInt{h, w})
				one := g.Full(in[0], []SymInt{h, w}, 1)
				base := g.Op("reshape", g.Op("stack", []Tensor{x, y, one}, 2), []SymInt{h.Mul(w), C(3)})
				r := g.matmul(base, g.Op("mT", in[0]))
				return []Tensor{g.Op("view", r, []SymInt{m.Size[0], h, w, C(2)})}
			},
			Samples: func() []Sample {
				s := samplesOf("affine_grid")
				for _, l := range layouts {
					s.add(s.lay(l, 2, 2, 3), []int{2, 1, 3, 4}, false)
				}
				return s.add(s.f(1, 2, 3), []int{1, 2, 2, 3}, true).done()
			},
		},
		&Def{
			Sig: "grid_sample(Tensor input, Tensor grid, str mode=\"bilinear\", str padding_mode=\"zeros\", bool? align_corners=None) -> Tensor",
			Doc: "Images [N, C, H, W] sampled at grid [N, h, w, 2] (x, y in -1 … 1): bilinear or nearest; outside is zeros, border or reflection.", Bind: NN,
			Decomp: decompGridSample,
			Samples: func() []Sample {
				s := samplesOf("grid_sample")
				grid := func(size ...int64) *SampleTensor {
					return s.make(tensor.Float32, LayContig, Fill{Kind: FillUniform, Lo: -1.3, Hi: 1.3}, size)
				}
				for _, l := range layouts {
					s.add(s.lay(l, 2, 2, 4, 3), grid(2, 3, 3, 2))
				}
				s.add(s.f(1, 2, 4, 3), grid(1, 3, 3, 2), "nearest").add(s.f(1, 2, 4, 3), grid(1, 3, 3, 2), "bilinear", "border", true).add(s.f(1, 2, 4, 3), grid(1, 3, 3, 2), "bilinear", "reflection", false).add(s.f(1, 2, 4, 3), grid(1, 3, 3, 2), "bilinear", "reflection", true).add(s.f(1, 2, 4, 3), grid(1, 3, 3, 2), "bilinear", "zeros", true)
				return s.done()
			},
		},
	)
}

func decompGridSample(g *G, c *Call, in []Tensor) []Tensor {
	x, grid := in[0], in[1]
	m, n := x.Meta(), grid.Meta()
	mode, pad := c.Str("mode"), c.Str("padding_mode")
	if m.Rank() != 4 || n.Rank() != 4 {
		Raise(tensor.NotImplementedError, "grid_sample(): expected 4D input and grid, but got input with sizes %s and grid with sizes %s", ShapeText(m.Size), ShapeText(n.Size))
	}
	if !m.Size[0].Eq(n.Size[0]) {
		Raise(tensor.RuntimeError, "grid_sampler(): expected grid and input to have same batch size, but got input with sizes %s and grid with sizes %s", ShapeText(m.Size), ShapeText(n.Size))
	}
	if !n.Size[3].Eq(C(2)) {
		Raise(tensor.RuntimeError, "grid_sampler(): expected grid to have size 2 in last dimension, but got grid with sizes %s", ShapeText(n.Size))
	}
	if mode != "bilinear" && mode != "nearest" {
		Raise(tensor.NotImplementedError, "nn.functional.grid_sample(): expected mode to be 'bilinear' or 'nearest', but got: '%s'", mode)
	}
	if pad != "zeros" && pad != "border" && pad != "reflection" {
		Raise(tensor.ValueError, "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: '%s'", pad)
	}
	align := c.Given("align_corners") && c.Bool("align_corners")
	// pixel coordinates along one axis
	place := func(k int, size int) Tensor {
		t := g.Op("select.int", grid, 3, k)
		if align {
			t = g.Mul(g.Add(t, 1), float64(size-1)/2)
		} else {
			t = g.Div(g.Sub(g.Mul(g.Add(t, 1), size), 1), 2)
		}
		switch pad {
		case "reflection":
			lo, span := -0.5, float64(size)
			if align {
				lo, span = 0, float64(size-1)
			}
			if span == 0 {
				t = g.Mul(t, 0)
			} else { // fold onto a triangle wave of twice the span
				t = g.Op("abs", g.Sub(t, lo))
				t = g.Op("remainder", t, 2*span)
				t = g.Add(g.Add(g.Neg(g.Op("abs", g.Sub(t, span))), span), lo)
			}
			t = g.Op("clamp", t, 0, size-1)
		case "border":
			t = g.Op("clamp", t, 0, size-1)
		}
		return t
	}
	h, w := count(m.Size[2]), count(m.Size[3])
	px, py := place(0, w), place(1, h)
	flat := g.Op("reshape", x, []SymInt{m.Size[0], m.Size[1], C(int64(h * w))})
	out := append(clip(m.Size[:2]), n.Size[1], n.Size[2])
	// one corner: its element where it lies inside, and its weight
	corner := func(ix, iy, weight Tensor) Tensor {
		inside := g.Op("logical_and", g.Op("logical_and", g.Op("ge", ix, 0), g.Op("lt", ix, w)), g.Op("logical_and", g.Op("ge", iy, 0), g.Op("lt", iy, h)))
		at := g.Add(g.Mul(g.Op("clamp", iy, 0, h-1), w), g.Op("clamp", ix, 0, w-1))
		at = g.Op("reshape", g.Cast(at, tensor.Int64), []SymInt{n.Size[0], C(1), n.Size[1].Mul(n.Size[2])})
		at = g.Op("expand", at, []SymInt{m.Size[0], m.Size[1], n.Size[1].Mul(n.Size[2])})
		v := g.Op("view", g.Op("gather", flat, 2, at), out)
		f := g.Cast(inside, m.DType)
		if weight != nil {
			f = g.Mul(f, weight)
		}
		return g.Mul(v, g.Op("unsqueeze", f, 1))
	}
	stop := func(t Tensor) Tensor { return g.Op("detach", t) }
	if mode == "nearest" {
		return []Tensor{corner(stop(g.Op("round", px)), stop(g.Op("round", py)), nil)}
	}
	x0, y0 := stop(g.Op("floor", px)), stop(g.Op("floor", py))
	wx, wy := g.Sub(px, x0), g.Sub(py, y0)
	ux, uy := g.Add(g.Neg(wx), 1), g.Add(g.Neg(wy), 1)
	x1, y1 := g.Add(x0, 1), g.Add(y0, 1)
	r := g.Add(corner(x0, y0, g.Mul(ux, uy)), corner(x1, y0, g.Mul(wx, uy)))
	return []Tensor{g.Add(r, g.Add(corner(x0, y1, g.Mul(ux, wy)), corner(x1, y1, g.Mul(wx, wy))))}
}
