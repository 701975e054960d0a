package inductor

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
)

// The memory plan: temporaries live in slots of one arena. A slot holds one
// temporary after the other; its length at a run is that of the longest. Sizes may
// be symbolic, so that lengths are compared by algebra, else by the recorded sizes,
// which may only waste memory.
//
//	step        0   1   2   3
//	t4 [n]      w   r            slot 0: t4, then t6
//	t5 [n]          w   r        slot 1: t5
//	t6 [n]              w   r
//
// A kernel of one pointwise nest may write a temporary over an operand that it
// is the last to read, if it walks both alike: each iteration loads before it
// stores.

type lifetime struct{ from, to int }

// layout gives every temporary a slot.
func (p *plan) layout() {
	life := make([]lifetime, len(p.bufs))
	for i := range life {
		life[i].from = -1
	}
	touch := func(b, i int) {
		if b < 0 {
			return
		}
		if life[b].from < 0 {
			life[b].from = i
		}
		life[b].to = i
	}
	for i, s := range p.steps {
		if k := s.loops(); k != nil {
			for _, b := range k.bufs {
				touch(b, i)
			}
		}
		for _, o := range s.in {
			touch(o.buf, i)
		}
		for _, o := range s.out {
			touch(o.buf, i)
		}
	}
	for i, s := range p.steps {
		if s.kernel == nil || s.when != nil || s.unless != nil {
			continue
		}
		for k, b := range s.bufs {
			if p.bufs[b].kind == bufTemp && life[b] == (lifetime{i, i}) {
				s.kernel.Bufs[k].Local = true
			}
		}
	}
	free := []int{} // slots nobody uses now
	taken := make([]bool, len(p.bufs))
	for i, s := range p.steps {
		over := map[int]bool{} // slots taken over from an operand of this step
		place := func(b int) {
			if b < 0 || p.bufs[b].kind != bufTemp || taken[b] || life[b].from != i {
				return
			}
			taken[b] = true
			if q := p.dying(s, b, life, i, over); q >= 0 {
				slot := p.bufs[q].index
				over[slot] = true
				p.bufs[b].index = slot
				p.slots[slot] = append(p.slots[slot], b)
				return
			}
			best := -1
			for j, f := range free {
				if best < 0 || p.better(f, free[best], b) {
					best = j
				}
			}
			if best >= 0 && p.suits(free[best], b) {
				p.bufs[b].index = free[best]
				p.slots[free[best]] = append(p.slots[free[best]], b)
				free = append(free[:best], free[best+1:]...)
				return
			}
			p.bufs[b].index = len(p.slots)
			p.slots = append(p.slots, []int{b})
		}
		for _, o := range s.out {
			place(o.buf)
		}
		if k := s.loops(); k != nil {
			for _, b := range k.bufs {
				place(b)
			}
		}
		for b := range p.bufs {
			if p.bufs[b].kind == bufTemp && taken[b] && life[b].to == i && !over[p.bufs[b].index] {
				free = append(free, p.bufs[b].index)
			} else if over[p.bufs[b].index] && p.bufs[b].kind == bufTemp && life[b].from == i && life[b].to == i {
				free = append(free, p.bufs[b].index)
			}
		}
	}
}

// bytes is a temporary's size at the recorded sizes.
func (p *plan) bytes(b int) int64 { return p.bufs[b].len.Hint() * int64(p.bufs[b].dtype.Size()) }

// slotBytes is a slot's.
func (p *plan) slotBytes(s int) int64 {
	n := int64(0)
	for _, b := range p.slots[s] {
		n = max(n, p.bytes(b))
	}
	return n
}

// better: slot s wastes less than t for temporary b.
func (p *plan) better(s, t, b int) bool {
	d := func(s int) int64 {
		v := p.slotBytes(s) - p.bytes(b)
		if v < 0 {
			v = -4 * v // growing a slot costs more than wasting some
		}
		return v
	}
	return d(s) < d(t)
}

// suits: temporary b may use slot s, though one of them is longer.
func (p *plan) suits(s, b int) bool {
	x, y := p.slotBytes(s), p.bytes(b)
	return x <= 8*y+4096 && y <= 8*x+4096
}

// dying finds an operand of step s that ends here and whose place b may take.
func (p *plan) dying(s *step, b int, life []lifetime, i int, over map[int]bool) int {
	if !s.oneNest {
		return -1
	}
	out := soleWalk(s, b)
	if out == nil {
		return -1
	}
	for _, q := range s.bufs {
		x, y := &p.bufs[q], &p.bufs[b]
		if q == b || x.kind != bufTemp || life[q].to != i || life[q].from == i || over[x.index] || x.dtype.Size() != y.dtype.Size() || !x.len.KnownEq(y.len) {
			continue
		}
		if in := soleWalk(s, q); in != nil && sameAccess(in, out) {
			return q
		}
	}
	return -1
}

// soleWalk is the one address by which a kernel of one nest touches plan buffer b.
func soleWalk(s *step, b int) *loop.Access {
	var found *loop.Access
	n := 0
	var walk func(body []loop.Stmt)
	visit := func(m *loop.Access) {
		if m != nil && s.bufs[m.Buf] == b {
			found = m
			n++
		}
	}
	walk = func(body []loop.Stmt) {
		for _, t := range body {
			switch t := t.(type) {
			case *loop.Let:
				visit(t.Mem)
			case *loop.Store:
				visit(t.Mem)
			case *loop.Atomic:
				visit(t.Mem)
			case *loop.Loop:
				walk(t.Body)
			}
		}
	}
	walk(s.kernel.Body)
	if n != 1 || len(found.Dyn) > 0 || found.Mask != 0 {
		return nil
	}
	return found
}

func sameAccess(a, b *loop.Access) bool {
	if a.Off != b.Off || len(a.Terms) != len(b.Terms) {
		return false
	}
	for i := range a.Terms {
		if a.Terms[i] != b.Terms[i] {
			return false
		}
	}
	return true
}
