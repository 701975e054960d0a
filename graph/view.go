package graph

import (
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// A value is written through one geometry and read through others. Reading
// element j of a reader means reading element i of the writer, and where the
// index i is affine in j a copy can be left out and a producer computed where it
// is read.
//
//	written [n, m]:[m, 1]    read [m, n]:[1, m] (transposed)   i = (j1, j0)
//	                         read [n, m/2]:[m, 2]@1 (slice)    i = (j0, 2*j1 + 1)
//	                         read [n*m]:[1] (flat)             no: i has div and mod

// Coord is one index of the writer: Off + Σ j[d]*Coef[d] over the reader's dims.
type Coord struct {
	Off  sym.Int
	Coef []sym.Int
}

// Dense reports geometry that walks every address of a range once: strides are
// the products of the sizes inside them, in some order of the dims. By algebra.
func Dense(m *tensor.Meta) bool {
	z := sym.C(1)
	var used uint64
	for range m.Size {
		f := -1
		for d, s := range m.Size {
			if used>>d&1 != 0 {
				continue
			}
			if m.Stride[d] == z || m.Stride[d].KnownEq(z) {
				if f < 0 || s.KnownEq(sym.C(1)) {
					f = d // a size of 1 shares its stride with the next dim
				}
			} else if f < 0 && s.KnownEq(sym.C(1)) {
				f = d
			}
		}
		if f < 0 {
			return false
		}
		used |= 1 << f
		z = z.Mul(m.Size[f])
	}
	return true
}

// Injective reports geometry that reaches no address twice: each stride is at least
// what the dims inside it span. By algebra.
func Injective(m *tensor.Meta) bool { return injective(m, sym.Int.KnownGe0) }

// injective asks with ge0 whether expressions are not negative.
func injective(m *tensor.Meta, ge0 func(sym.Int) bool) bool {
	order := make([]int, 0, len(m.Size))
	one := sym.C(1)
	for d, s := range m.Size {
		if s.KnownEq(one) {
			continue
		}
		order = append(order, d)
		for i := len(order) - 1; i > 0 && hint(m.Stride[order[i-1]]) > hint(m.Stride[order[i]]); i-- {
			order[i-1], order[i] = order[i], order[i-1]
		}
	}
	top := sym.C(0) // the highest address of the dims so far
	for _, d := range order {
		if !ge0(m.Stride[d].Sub(top).Sub(one)) {
			return false
		}
		top = top.Add(m.Stride[d].Mul(m.Size[d].Sub(one)))
	}
	return true
}

// Through finds the writer's index for a reader that walks off + Σ j[d]*stride[d],
// j[d] < size[d]. The writer reaches no address twice, as the caller knows; whole
// says that it writes all of the memory, so that a reader with elements means a
// writer with elements. ok is false where there is no affine index inside the
// writer's sizes, or algebra cannot show it.
func Through(w *tensor.Meta, off sym.Int, stride, size []sym.Int, whole bool) (c []Coord, ok bool) {
	c = make([]Coord, len(w.Size))
	if w.Off.KnownEq(off) && sym.AllKnownEq(w.Size, size) && sameStrides(w, stride) {
		for e := range c {
			c[e].Coef = make([]sym.Int, len(size))
			c[e].Coef[e] = sym.C(1)
		}
		return c, true
	}
	for e := range c {
		c[e].Coef = make([]sym.Int, len(size))
	}
	one := sym.C(1)
	for d, t := range stride {
		if t.Is(0) || size[d].KnownEq(one) {
			continue
		}
		best, q := -1, sym.Int{}
		for e, s := range w.Stride {
			if w.Size[e].KnownEq(one) {
				continue
			}
			if t == s || t.KnownEq(s) {
				best, q = e, one
				if w.Size[e].KnownEq(size[d]) {
					break
				}
				continue
			}
			if best >= 0 && (q.Is(1) || hint(w.Stride[best]) >= hint(s)) {
				continue
			}
			if x, ok := t.DivExact(s); ok && x.KnownGe0() && hint(s) <= hint(t) {
				best, q = e, x
			}
		}
		if best < 0 {
			return nil, false
		}
		c[best].Coef[d] = c[best].Coef[d].Add(q)
	}
	if !throughOffset(w, off.Sub(w.Off), c) {
		return nil, false
	}
	for e := range c {
		if !inside(&c[e], w.Size[e], size, whole) {
			return nil, false
		}
	}
	return c, true
}

// throughOffset spreads a distance over the writer's dims, outermost first.
func throughOffset(w *tensor.Meta, rest sym.Int, c []Coord) bool {
	var done uint64
	for range c {
		if rest.KnownEq(sym.C(0)) {
			return true
		}
		e := -1
		for d, s := range w.Stride {
			if done>>d&1 == 0 && !w.Size[d].KnownEq(sym.C(1)) && (e < 0 || hint(s) > hint(w.Stride[e])) {
				e = d
			}
		}
		if e < 0 {
			return false
		}
		done |= 1 << e
		s := w.Stride[e]
		if s.Is(0) || hint(s) <= 0 {
			return false
		}
		q, exact := rest.DivExact(s)
		if !exact {
			if hint(rest) < hint(s) {
				continue
			}
			q = rest.Div(s)
		} else if hint(q) >= hint(w.Size[e]) && hint(w.Size[e]) > 0 {
			return false
		}
		if !q.KnownGe0() {
			return false
		}
		c[e].Off = q
		rest = rest.Sub(q.Mul(s))
	}
	return rest.KnownEq(sym.C(0))
}

// inside: the index stays below n wherever the reader has elements.
func inside(c *Coord, n sym.Int, size []sym.Int, whole bool) bool {
	top := c.Off
	terms := 0
	for d, k := range c.Coef {
		if k.Is(0) {
			continue
		}
		if terms++; k.Is(1) && c.Off.Is(0) && size[d].KnownEq(n) {
			if only(c.Coef, d) {
				return true
			}
		}
		top = top.Add(k.Mul(size[d].Sub(sym.C(1))))
	}
	if terms == 0 && c.Off.Is(0) && whole {
		return true
	}
	return n.Sub(top).Sub(sym.C(1)).KnownGe0()
}

// only: all coefficients but d are 0.
func only(coef []sym.Int, d int) bool {
	for i, k := range coef {
		if i != d && !k.Is(0) {
			return false
		}
	}
	return true
}

func sameStrides(w *tensor.Meta, stride []sym.Int) bool {
	for d, s := range w.Stride {
		if s != stride[d] && !s.KnownEq(stride[d]) && !w.Size[d].KnownEq(sym.C(1)) {
			return false
		}
	}
	return true
}

// ThroughCopy is the geometry over a copy's source that a reader of the copy
// walks: the copy was written through w and its source has geometry src over the
// same index space.
func ThroughCopy(w, src, reader *tensor.Meta) (m tensor.Meta, ok bool) {
	if !Dense(w) {
		return m, false
	}
	c, ok := Through(w, reader.Off, reader.Stride, reader.Size, true)
	if !ok {
		return m, false
	}
	m = tensor.Meta{DType: src.DType, Dev: src.Dev, Size: reader.Size, Off: src.Off, Stride: make([]sym.Int, len(reader.Size))}
	for e := range c {
		m.Off = m.Off.Add(c[e].Off.Mul(src.Stride[e]))
		for d, k := range c[e].Coef {
			m.Stride[d] = m.Stride[d].Add(k.Mul(src.Stride[e]))
		}
	}
	return m, true
}
