package op

import (
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Contig is the row-major strides of a size. torch multiplies max(size, 1): a
// recording asks of an expression whether it is positive. Elsewhere the plain size
// is used: strides of an empty tensor then differ from torch's.
func Contig(size []SymInt) []SymInt {
	s, z := make([]SymInt, len(size)), C(1)
	for d := len(size) - 1; d >= 0; d-- {
		s[d] = z
		z = z.Mul(atLeast1(size[d]))
	}
	return s
}

func atLeast1(s SymInt) SymInt {
	if v, ok := s.Const(); ok && v < 1 || s.Asked() && !s.Gt(C(0)) {
		return C(1)
	}
	return s
}

// contigKnown: row-major by algebra, dims of size 1 aside.
func contigKnown(m *tensor.Meta) bool {
	z := C(1)
	for d := len(m.Size) - 1; d >= 0; d-- {
		if m.Size[d].KnownEq(C(1)) {
			continue
		}
		if !m.Stride[d].KnownEq(z) {
			return false
		}
		z = z.Mul(atLeast1(m.Size[d]))
	}
	return true
}

// IsContig asks for the sufficient conditions of being row-major, one guard
// for each dimension that algebra does not settle.
func IsContig(m *tensor.Meta) bool {
	if contigKnown(m) {
		return true
	}
	n := m.Numel()
	if n.Hint() == 0 {
		return n.Eq(C(0))
	}
	z := C(1)
	for d := len(m.Size) - 1; d >= 0; d-- {
		if !sym.Any([2]SymInt{m.Stride[d], z}, [2]SymInt{m.Size[d], C(1)}) {
			n.Eq(C(0))
			return false
		}
		z = z.Mul(m.Size[d])
	}
	return true
}

// DenseKnown: non-overlapping and dense in some order, by algebra.
func DenseKnown(m *tensor.Meta) bool {
	if contigKnown(m) {
		return true
	}
	n := len(m.Size)
	var used uint64
	z := C(1)
	for range n {
		f := -1
		for d := range n {
			if used>>d&1 == 0 && (m.Stride[d].KnownEq(z) || m.Size[d].KnownEq(C(1))) {
				f = d
				break
			}
		}
		if f < 0 {
			return false
		}
		used |= 1 << f
		if !m.Size[f].KnownEq(C(1)) {
			z = z.Mul(m.Size[f])
		}
	}
	return true
}

// elementwiseStride is the layout TensorIterator gives a fresh output. Strides
// are observable (view, reshape that aliases), so they belong to the Def.
func elementwiseStride(size []SymInt, in []*tensor.Meta) []SymInt {
	allSame, contig, eq := true, true, true
	var first *tensor.Meta
	for _, m := range in {
		if m == nil || len(m.Size) == 0 && len(size) > 0 {
			continue // numbers and 0-dim operands have no order
		}
		if first == nil {
			first = m
		}
		s := same(m.Size, size)
		allSame = allSame && s
		if !s {
			contig, eq = false, false
			continue
		}
		contig = contig && contigKnown(m)
		eq = eq && same(m.Stride, first.Stride) && DenseKnown(m)
	}
	// torch's fast paths agree with the ordering below except on dims of size 1,
	// so they are taken only where they cost no guard.
	if first == nil || allSame && contig {
		return Contig(size)
	}
	if allSame && eq {
		return first.Stride
	}
	st := make([][]SymInt, 0, len(in))
	for _, m := range in {
		if m == nil || len(m.Size) == 0 && len(size) > 0 {
			continue
		}
		st = append(st, broadcastStride(m, size))
	}
	return denseIn(size, strideOrder(size, st))
}

// broadcastStride is m's strides aligned to size; dims that grow or are missing
// get 0. The sizes have been broadcast, so no guard is taken.
func broadcastStride(m *tensor.Meta, size []SymInt) []SymInt {
	k := len(size) - len(m.Size)
	o := make([]SymInt, len(size))
	for d := range m.Size {
		if m.Size[d] == size[d+k] || m.Size[d].KnownEq(size[d+k]) {
			o[d+k] = m.Stride[d]
		}
	}
	return o
}

// preserveStride is clone's layout: the same strides if dense, else their order.
func preserveStride(m *tensor.Meta, size []SymInt) []SymInt {
	switch {
	case !same(m.Size, size) || contigKnown(m):
		return Contig(size)
	case DenseKnown(m):
		return m.Stride
	}
	return denseIn(size, strideOrder(size, [][]SymInt{m.Stride}))
}

// strideOrder lists the dims from innermost, by torch's insertion sort with
// comparisons that may be undecided.
func strideOrder(size []SymInt, ops [][]SymInt) []int {
	n := len(size)
	perm := make([]int, n)
	for i := range perm {
		perm[i] = n - 1 - i
	}
	cmp := func(a, b int) int {
		for _, st := range ops {
			x, y := st[a], st[b]
			if outside(x, y, b, size) {
				return 1
			}
			if outside(y, x, a, size) {
				return -1
			}
			if x.Eq(C(0)) || y.Eq(C(0)) {
				continue
			}
			if x.KnownEq(y) || x.HintEq(y) && x.Eq(y) {
				if size[a].Gt(size[b]) {
					return 1
				}
			} else if x.Lt(y) {
				return -1
			} else {
				return 1
			}
		}
		return 0
	}
	for i := 1; i < n; i++ {
		d1 := i
	insert:
		for d0 := i - 1; d0 >= 0; d0-- {
			switch c := cmp(perm[d0], perm[d1]); {
			case c > 0:
				perm[d0], perm[d1] = perm[d1], perm[d0]
				d1 = d0
			case c < 0:
				break insert
			}
		}
	}
	return perm
}

func denseIn(size []SymInt, perm []int) []SymInt {
	st, z := make([]SymInt, len(size)), C(1)
	for _, d := range perm {
		st[d] = z
		z = z.Mul(atLeast1(size[d]))
	}
	return st
}

// own divides e by the sizes as often as it goes: what is left positive means
// that e > 0 unless the tensor is empty.
func own(e SymInt, sizes []SymInt) SymInt {
	if e.IsConst() {
		return e
	}
	for again := true; again; {
		again = false
		for _, s := range sizes {
			if s = s.Norm(); s.IsConst() {
				continue
			}
			if e = e.Norm(); e.Is(0) {
				return e
			}
			if q, ok := e.DivExact(s); ok {
				e, again = q, true
			}
		}
	}
	return e
}

// outside: x >= y by algebra, and equal only where the size of y's dim is 1 or
// the tensor is empty, so that the order cannot be seen.
func outside(x, y SymInt, d int, size []SymInt) bool {
	if x.IsConst() && y.IsConst() && size[d].IsConst() {
		return false // decided below without algebra
	}
	if size[d].KnownEq(C(1)) || y.Is(0) {
		return false
	}
	q, ok := x.Norm().DivExact(y.Norm().Mul(size[d].Norm()))
	return ok && own(q, size).Positive() && own(y, size).Positive()
}

// ViewStride is the strides of m seen as size; ok is false where that needs a copy.
func ViewStride(m *tensor.Meta, size []SymInt) (st []SymInt, ok bool) {
	if len(m.Size) == 0 {
		st = make([]SymInt, len(size))
		for i := range st {
			st[i] = C(1)
		}
		return st, true
	}
	if st, ok := viewByAlgebra(m, size); ok {
		return st, true
	}
	if m.Numel().Eq(C(0)) {
		return Contig(size), true
	}
	st = make([]SymInt, len(size))
	vd := len(size) - 1
	base := m.Stride[len(m.Size)-1]
	tn, vn := C(1), C(1)
	for d := len(m.Size) - 1; d >= 0; d-- {
		tn = tn.Mul(m.Size[d])
		if d == 0 || !sym.Any([2]SymInt{m.Stride[d-1], tn.Mul(base)}, [2]SymInt{m.Size[d-1], C(1)}) {
			for vd >= 0 && (vn.Lt(tn) || size[vd].Eq(C(1))) {
				st[vd] = vn.Mul(base)
				vn = vn.Mul(size[vd])
				vd--
			}
			if !vn.Eq(tn) {
				return nil, false
			}
			if d > 0 {
				base = m.Stride[d-1]
				tn, vn = C(1), C(1)
			}
		}
	}
	return st, vd < 0
}

// viewByAlgebra groups dims by equal expressions alone: no guard, no question
// whether a size is 1.
func viewByAlgebra(m *tensor.Meta, size []SymInt) (st []SymInt, ok bool) {
	for _, s := range m.Size {
		if s.Is(0) {
			return nil, false
		}
	}
	st = make([]SymInt, len(size))
	vd := len(size) - 1
	base := m.Stride[len(m.Size)-1]
	tn, vn := C(1), C(1)
	for d := len(m.Size) - 1; d >= 0; d-- {
		tn = tn.Mul(m.Size[d])
		if d > 0 && (m.Stride[d-1].KnownEq(tn.Mul(base)) || m.Size[d-1].KnownEq(C(1))) {
			continue
		}
		for vd >= 0 && (d == 0 || !vn.KnownEq(tn)) {
			st[vd] = vn.Mul(base)
			vn = vn.Mul(size[vd])
			vd--
		}
		if !vn.KnownEq(tn) {
			return nil, false
		}
		if d > 0 {
			base = m.Stride[d-1]
			tn, vn = C(1), C(1)
		}
	}
	return st, vd < 0
}
