package op

// VJPs of the fused gradients of rows: what a backward pass with create_graph
// goes on through.

func meanOver(g *G, t Tensor, dims []int) Tensor { return g.Op("mean", t, dims, true) }

// vjpNormalizeStats adds to the gradient dx of self those of mean and var, the
// results 1 and 2 of _normalize.
func vjpNormalizeStats(g *G, c *Call, in, out, gr []Tensor, d []int, dx Tensor) Tensor {
	add := func(t Tensor) {
		if dx == nil {
			dx = t
		} else {
			dx = g.Add(dx, t)
		}
	}
	twice := func(t Tensor) Tensor { // times 2 / n
		var n []SymInt
		for _, i := range d {
			n = append(n, c.In[0].Size[i])
		}
		return g.Mul(t, g.Op("_scalar_size", sizeProduct(n), 0.0, t.Meta().DType))
	}
	if gr[1] != nil {
		add(g.Op("expand", g.Mul(twice(gr[1]), 0.5), c.In[0].Size))
	}
	if gr[2] != nil {
		add(g.Mul(twice(gr[2]), g.Sub(in[0], out[1])))
	}
	return dx
}

// vjpNormalizeBackward: with x̂ = (x - mean) k, k = (var + eps)^-1/2 and the
// projection P(v) = v - mean(v) - x̂ mean(v x̂), the gradient is k P(grad w).
// It is symmetric in h and grad w. The derivatives for x, mean and var are those
// of the formula as it stands, with mean and var operands like x: their own
// dependence on x is _normalize's to follow.
func vjpNormalizeBackward(g *G, c *Call, in, out, gr []Tensor) []Tensor {
	d, eps := normDims(c), c.Num("eps")
	grad, x, mean, va, w, h := in[0], in[1], in[2], in[3], in[4], gr[0]
	project := func(v Tensor) Tensor { return g.Op("_normalize_backward", v, x, mean, va, nil, d, eps) }
	r := make(grads, 5)
	r[0] = when(c, 0, func() Tensor {
		if w == nil {
			return project(h)
		}
		return g.Mul(project(h), w)
	})
	r[4] = when(c, 4, func() Tensor { return g.Mul(grad, project(h)) })
	if !c.NeedsGrad(1) && !c.NeedsGrad(2) && !c.NeedsGrad(3) {
		return r
	}
	v := grad
	if w != nil {
		v = g.Mul(grad, w)
	}
	k := g.Op("rsqrt", g.Add(va, eps))
	off := g.Sub(x, mean)
	hat := g.Mul(off, k)
	m2, hx := meanOver(g, g.Mul(v, hat), d), meanOver(g, g.Mul(h, hat), d)
	dHat := g.Neg(g.Mul(k, g.Add(g.Mul(h, m2), g.Mul(hx, v))))
	dx := g.Mul(dHat, k)
	r[1] = dx
	r[2] = when(c, 2, func() Tensor { return g.Neg(dx) })
	r[3] = when(c, 3, func() Tensor {
		dk := g.Add(g.Mul(h, g.Sub(g.Sub(v, meanOver(g, v, d)), g.Mul(hat, m2))), g.Mul(dHat, off))
		return g.Mul(dk, cubed(g, k))
	})
	return r
}

// cubed is dk/dvar.
func cubed(g *G, k Tensor) Tensor { return g.Mul(g.Mul(g.Mul(k, k), k), -0.5) }

// vjpNormalizedTimes is that of grad x̂.
func vjpNormalizedTimes(g *G, c *Call, in, out, gr []Tensor) []Tensor {
	eps := c.Num("eps")
	r := grads{when(c, 0, func() Tensor { return g.Op("_normalized_times", gr[0], in[1], in[2], in[3], eps) }), nil, nil, nil}
	if !c.NeedsGrad(1) && !c.NeedsGrad(2) && !c.NeedsGrad(3) {
		return r
	}
	hg, k := g.Mul(gr[0], in[0]), g.Op("rsqrt", g.Add(in[3], eps))
	dx := g.Mul(hg, k)
	r[1] = dx
	r[2] = when(c, 2, func() Tensor { return g.Neg(dx) })
	r[3] = when(c, 3, func() Tensor { return g.Mul(g.Mul(hg, g.Sub(in[1], in[2])), cubed(g, k)) })
	return r
}

// vjpNLLBackward: the gradient is linear in grad, and its transpose is nll_loss.
func vjpNLLBackward(g *G, c *Call, in, out, gr []Tensor) []Tensor {
	return grads{when(c, 0, func() Tensor {
		return g.Ops("_nll_loss", gr[0], in[2], in[3], c.Sym("ignore_index"), c.Str("reduction"))[0]
	}), nil, nil, nil, nil}
}

// vjpCrossEntropyBackward: a row of the gradient is r p - (terms without self),
// p = softmax(self); so it is linear in grad, and its Jacobian for self is r
// times softmax's. lse is a function of self too: this is the whole derivative,
// and lse, whose own history the forward op does not follow, gets none.
func vjpCrossEntropyBackward(g *G, c *Call, in, out, gr []Tensor) []Tensor {
	grad, x, target, weight, lse, total, h := in[0], in[1], in[2], in[3], in[4], in[5], gr[0]
	d := classDim(c.In[1].Size)
	red, ignore := c.Str("reduction"), c.Sym("ignore_index")
	return grads{
		when(c, 0, func() Tensor {
			one := g.Full(grad, grad.Meta().Size, 1)
			b := g.Op("_cross_entropy_backward", one, x, target, weight, lse, total, ignore, red, c.Bool("smooth"), c.Num("label_smoothing"))
			if red == "none" {
				return g.Op("sum", g.Mul(h, b), []int{d})
			}
			return g.Op("sum", g.Mul(h, b))
		}),
		when(c, 1, func() Tensor {
			rows := func(t Tensor) Tensor { // one value a row, as wide as x
				return g.Op("unsqueeze", t, d)
			}
			counts := g.Op("ne", target, ignore)
			r := g.Cast(counts, x.Meta().DType)
			e := 0.0
			if c.Bool("smooth") {
				e = c.Num("label_smoothing").Float64()
			}
			if weight == nil {
				r = g.Mul(r, 1.0) // (1 - e) + e/n n
			} else {
				w := g.Op("_index", weight, []Tensor{g.Op("where", counts, target, g.Full(target, target.Meta().Size, 0))})
				r = g.Mul(r, g.Add(g.Mul(w, 1-e), g.Mul(g.Op("mean", weight), e)))
			}
			switch red {
			case "none":
				r = g.Mul(r, grad)
			case "mean":
				r = g.Mul(r, g.Div(grad, total))
			default:
				r = g.Mul(r, grad)
			}
			p := g.Op("exp", g.Sub(x, rows(lse)))
			return g.Mul(rows(r), g.Op("_softmax_backward_data", h, p, d))
		}),
		nil, nil, nil, nil,
	}
}
