package loop

// Bounds is the launch check of a kernel (invariant 6): with sizes known, the
// address range of every unmasked access is known too.
type Bounds struct {
	at []boundAccess
}

type boundAccess struct {
	buf   int
	off   P
	terms []boundTerm
	dyn   []Dyn
	outer []P // extents of the loops around it; a zero means it never runs
}

type boundTerm struct{ extent, stride P }

// NewBounds collects the accesses of a verified kernel.
func NewBounds(k *Kernel) *Bounds {
	b := &Bounds{}
	ext := make([]P, k.NumAxis)
	var stack []P
	add := func(m *Access) {
		if m == nil || m.Mask != 0 {
			return
		}
		a := boundAccess{buf: m.Buf, off: m.Off, dyn: m.Dyn, outer: append([]P(nil), stack...)}
		for _, t := range m.Terms {
			a.terms = append(a.terms, boundTerm{ext[t.Axis], t.Stride})
		}
		b.at = append(b.at, a)
	}
	var walk func(body []Stmt)
	walk = func(body []Stmt) {
		for _, s := range body {
			switch s := s.(type) {
			case *Let:
				add(s.Mem)
			case *Store:
				add(s.Mem)
			case *Atomic:
				add(s.Mem)
			case *Loop:
				ext[s.Axis] = s.Extent
				stack = append(stack, s.Extent)
				walk(s.Body)
				stack = stack[:len(stack)-1]
			}
		}
	}
	walk(k.Body)
	return b
}

// Check reports whether every access stays inside its buffer under resolved
// parameters.
func (b *Bounds) Check(params []int64, bufs []Mem) bool {
next:
	for i := range b.at {
		a := &b.at[i]
		for _, e := range a.outer {
			if e.Get(params) <= 0 {
				continue next
			}
		}
		lo := a.off.Get(params)
		hi := lo
		for _, t := range a.terms {
			s, ok := product(t.stride.Get(params), t.extent.Get(params)-1)
			if !ok {
				return false
			}
			if s < 0 {
				lo += s
			} else {
				hi += s
			}
		}
		for _, d := range a.dyn {
			n := d.Lim.Get(params) - 1
			if n < 0 {
				continue next // every index fails its check first
			}
			s, ok := product(d.Stride.Get(params), n)
			if !ok {
				return false
			}
			if s < 0 {
				lo += s
			} else {
				hi += s
			}
		}
		if lo < 0 || hi >= bufs[a.buf].Len {
			return false
		}
	}
	return true
}

// product multiplies unless the result could reach 2^62: sums of a few such
// reaches then cannot wrap.
func product(a, b int64) (int64, bool) {
	r := a * b
	if a == int64(int32(a)) && b == int64(int32(b)) {
		return r, true
	}
	if a != 0 && (r/a != b || r > 1<<62 || r < -1<<62) {
		return 0, false
	}
	return r, true
}
