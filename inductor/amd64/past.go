package amd64

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Stores past the caches. An ordinary store reads its line first; where a kernel
// writes more than the caches hold, that is a third of its traffic. So large
// results are stored by VMOVNTPS, which wants whole vectors at aligned addresses.

// pastBytes is from what size on results are stored past the caches: twice a
// core's share of the second level of today's servers.
const pastBytes = 4 << 20

// ahead is how many bytes kernels that store so read ahead: arithmetic between loads
// keeps the next ones out of the processor's window. Without it the time of gelu from
// memory was the sum of its arithmetic's and of its memory's. A page is often the next row.
const ahead = 4096

// pastStore is a buffer that may be stored so: nothing reads it, and each store is of
// whole vectors but for tails.
type pastStore struct {
	buf    int
	stores []*loop.Access
	size   int64
}

// pastStores finds them, for kernels whose stores all lie in lane loops.
func pastStores(k *loop.Kernel, avx512 bool) (out []pastStore) {
	found := map[int]*pastStore{}
	bad := map[int]bool{}
	var walk func(body []loop.Stmt)
	walk = func(body []loop.Stmt) {
		for _, s := range body {
			switch s := s.(type) {
			case *loop.Let:
				if s.Mem != nil {
					bad[s.Mem.Buf] = true
				}
			case *loop.Atomic:
				bad[s.Mem.Buf] = true
			case *loop.Store:
				m := s.Mem
				dt := k.Bufs[m.Buf].DType
				if m.Mask != 0 || len(m.Dyn) > 0 || k.Bufs[m.Buf].Role != loop.Out || dt.Size() < 2 || dt == tensor.Int16 || dt == tensor.BFloat16 && !avx512 {
					bad[m.Buf] = true
					continue
				}
				p := found[m.Buf]
				if p == nil {
					p = &pastStore{buf: m.Buf, size: int64(dt.Size())}
					found[m.Buf] = p
				}
				p.stores = append(p.stores, m)
			case *loop.Loop:
				walk(s.Body)
			}
		}
	}
	walk(k.Body)
	for i := range k.Bufs {
		if p := found[i]; p != nil && !bad[i] {
			out = append(out, *p)
		}
	}
	return out
}

// past reports that this run's large results are to be stored past the caches: bits
// of p.pasts.
func (p *program) past(a *loop.Args, lane int, lo int64) (bits uint64) {
	for i := range p.pasts {
		s := &p.pasts[i]
		m := a.Bufs[s.buf]
		if m.Len*s.size < pastBytes {
			continue
		}
		ok := true
		for _, st := range s.stores {
			ok = ok && p.aligned(st, s.size, m, a.Params, lane, lo)
		}
		if ok && i < 64 {
			bits |= 1 << i
		}
	}
	return bits
}

// aligned reports that all whole vectors of a store lie on lines.
func (p *program) aligned(m *loop.Access, size int64, mem loop.Mem, params []int64, lane int, lo int64) bool {
	const line = 64
	at := int64(uintptr(mem.Ptr)) + m.Off.Get(params)*size
	vector := false
	for _, t := range m.Terms {
		s := t.Stride.Get(params) * size
		split := p.split != nil && t.Axis == p.split.Axis
		if p.laneAxis(t.Axis, lane) {
			if s != size {
				return false
			}
			vector = true
			if split {
				at += lo * s
			}
			continue
		}
		if s%line != 0 {
			return false
		}
	}
	return vector && at%line == 0
}

// laneAxis reports an axis that is a lane loop's when lane is the choice.
func (p *program) laneAxis(x loop.Axis, lane int) bool {
	if lane >= 0 && p.spine[lane].Axis == x {
		return true
	}
	return p.vector[x]
}

// vectorAxes are the axes of Vector loops, and of Grid loops that are lane loops
// where nothing else is.
func vectorAxes(body []loop.Stmt, set map[loop.Axis]bool) map[loop.Axis]bool {
	for _, s := range body {
		if l, ok := s.(*loop.Loop); ok {
			if l.Kind == loop.Vector || l.Kind == loop.Grid && !hasKind(l.Body, loop.Vector) && !hasKind(l.Body, loop.Grid) {
				set[l.Axis] = true
			}
			vectorAxes(l.Body, set)
		}
	}
	return set
}
