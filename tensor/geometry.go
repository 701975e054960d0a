package tensor

// Concrete geometry: what eager execution and bindings ask of sizes and strides
// that are plain integers. The rules on symbolic sizes are in package op.

// Numel is the number of elements.
func (g *Geometry) Numel() int64 {
	n := int64(1)
	for _, s := range g.Size {
		n *= s
	}
	return n
}

// Strides is the row-major strides of a size, as torch gives them: an empty
// dimension counts as 1.
func Strides(size []int64) []int64 {
	st, z := make([]int64, len(size)), int64(1)
	for d := len(size) - 1; d >= 0; d-- {
		st[d] = z
		z *= max(size[d], 1)
	}
	return st
}

// Contiguous: row-major, dimensions of size 1 aside; empty tensors are.
func (g *Geometry) Contiguous() bool {
	z := int64(1)
	ok := true
	for d := len(g.Size) - 1; d >= 0; d-- {
		switch s := g.Size[d]; {
		case s == 0:
			return true
		case s != 1:
			ok = ok && g.Stride[d] == z
			z *= s
		}
	}
	return ok
}

// Dense: every address of a range exactly once, in some order of the dimensions.
func (g *Geometry) Dense() bool {
	if g.Numel() < 2 {
		return true
	}
	z, used := int64(1), uint64(0)
	for range g.Size {
		f := -1
		for d, s := range g.Size {
			if used>>d&1 == 0 && (s == 1 || g.Stride[d] == z) {
				f = d
				break
			}
		}
		if f < 0 {
			return false
		}
		used |= 1 << f
		z *= g.Size[f]
	}
	return true
}

// Span is the range lo … hi-1 of addresses reached; empty for no elements.
func (g *Geometry) Span() (lo, hi int64) {
	lo, hi = g.Off, g.Off+1
	for d, s := range g.Size {
		if s == 0 {
			return g.Off, g.Off
		}
		if r := (s - 1) * g.Stride[d]; r < 0 {
			lo += r
		} else {
			hi += r
		}
	}
	return lo, hi
}

// SelfOverlap is torch's cheap test of a destination: a stride 0 on a dimension
// larger than 1. Other self-overlap is "too hard" and not seen.
func (g *Geometry) SelfOverlap() bool {
	for d, s := range g.Size {
		if s == 0 {
			return false
		}
		if s > 1 && g.Stride[d] == 0 {
			for _, t := range g.Size[d:] {
				if t == 0 {
					return false
				}
			}
			return true
		}
	}
	return false
}

// Overlap says how two windows of one storage relate.
type Overlap uint8

const (
	OverlapNone Overlap = iota
	OverlapFull         // the same elements at the same indices
	OverlapPartial
	OverlapUnknown // not dense: read all before writing
)

// Overlaps compares two windows of one storage by torch's rules; strides of
// dimensions of size 1 do not count.
func (g *Geometry) Overlaps(h *Geometry) Overlap {
	if g.Numel() == 0 || h.Numel() == 0 {
		return OverlapNone
	}
	if g.Off == h.Off && g.sameWalk(h) {
		return OverlapFull
	}
	gl, gh := g.Span()
	hl, hh := h.Span()
	if gh <= hl || hh <= gl {
		return OverlapNone
	}
	if !g.Dense() || !h.Dense() {
		return OverlapUnknown
	}
	return OverlapPartial
}

func (g *Geometry) sameWalk(h *Geometry) bool {
	if len(g.Size) != len(h.Size) {
		return false
	}
	for d, s := range g.Size {
		if s != h.Size[d] || s != 1 && g.Stride[d] != h.Stride[d] {
			return false
		}
	}
	return true
}
