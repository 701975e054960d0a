package inductor

import (
	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Maps between index spaces. A producer computed where it is read stands at an
// affine place of the reader's space: one graph.Coord for each dim of its own
// frame. Composing two maps is substituting one into the other; an operand's walk
// over a frame, put through a map, is its walk over the reader's space.

// identity is the map of a root: frame dim e is dim dims[e] of the space (-1: it
// does not move).
func identity(dims []int, n int) []graph.Coord {
	c := make([]graph.Coord, len(dims))
	z := make([]sym.Int, len(dims)*n)
	for e, d := range dims {
		c[e].Coef = z[e*n : (e+1)*n : (e+1)*n]
		if d >= 0 {
			c[e].Coef[d] = sym.C(1)
		}
	}
	return c
}

// seq is 0 … n-1.
func seq(n int) []int {
	o := make([]int, n)
	for i := range o {
		o[i] = i
	}
	return o
}

// compose puts in, a map into a space of n dims, into out, a map over in's frame.
func compose(out, in []graph.Coord, n int) []graph.Coord {
	c := make([]graph.Coord, len(out))
	for e := range out {
		c[e].Off, c[e].Coef = substitute(out[e].Off, out[e].Coef, in, n)
	}
	return c
}

// substitute is off + Σ coef[d]*at[d] as offset and coefficients over n dims.
func substitute(off sym.Int, coef []sym.Int, at []graph.Coord, n int) (sym.Int, []sym.Int) {
	r := make([]sym.Int, n)
	for d, k := range coef {
		if k.Is(0) {
			continue
		}
		off = off.Add(k.Mul(at[d].Off))
		for g, q := range at[d].Coef {
			if !q.Is(0) {
				r[g] = r[g].Add(k.Mul(q))
			}
		}
	}
	return off, r
}

func sameCoords(a, b []graph.Coord) bool {
	for e := range a {
		if a[e].Off != b[e].Off && !a[e].Off.KnownEq(b[e].Off) || !sym.AllKnownEq(a[e].Coef, b[e].Coef) {
			return false
		}
	}
	return true
}

// sameWalk: two walks over the space reach the same element at each place; dims of
// size 1 do not count.
func sameWalk(size []sym.Int, aoff sym.Int, a []sym.Int, boff sym.Int, b []sym.Int) bool {
	if aoff != boff && !aoff.KnownEq(boff) {
		return false
	}
	for d := range size {
		if a[d] != b[d] && !a[d].KnownEq(b[d]) && !size[d].KnownEq(sym.C(1)) {
			return false
		}
	}
	return true
}

// producedAt is the place in a producer's frame of what a consumer reads by the
// walk o over its own frame of the given size; ok is false where there is none.
func producedAt(p *unit, form *graph.Frame, o *graph.IterOp, size []sym.Int) ([]graph.Coord, bool) {
	out := &form.Ops[len(p.n.In)]
	w := tensor.Meta{Size: form.Size, Stride: out.Stride, Off: out.Off}
	if form != p.fine && out.Off.Is(0) && p.n.Out[0].Len.KnownEq(form.Size[0]) && (out.Stride[0].Is(1) || form.Size[0].Is(1)) {
		// all of the memory in one dim: an address is an index, and operands stay in memory
		return []graph.Coord{{Off: o.Off, Coef: o.Stride}}, true
	}
	return graph.Through(&w, o.Off, o.Stride, size, true)
}
