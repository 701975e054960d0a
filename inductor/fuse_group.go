package inductor

import (
	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// group is the roots of one loop nest over a common space.
type group struct {
	id    int
	units []*unit
	size  []sym.Int
	rows  []int // row dims; of no use while there is neither fold nor Rows program
	folds bool  // has a Reduce: row passes
	prog  *unit // the Rows program, its epilogues follow
	alone bool
	cost  int
	bufs  int

	deps map[*group]bool // direct
	anc  bits            // transitive, by id
}

// bits is a set of small numbers.
type bits []uint64

func (b bits) has(i int) bool { return i>>6 < len(b) && b[i>>6]>>(i&63)&1 != 0 }

func (b *bits) set(i int) {
	for i>>6 >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[i>>6] |= 1 << (i & 63)
}

func (b *bits) or(c bits) {
	for len(*b) < len(c) {
		*b = append(*b, 0)
	}
	for i, w := range c {
		(*b)[i] |= w
	}
}

const (
	maxGroupCost = 3000
	maxGroupBufs = 30
	maxTries     = 8 // groups that a root is compared with
)

// group assigns every root to a group.
func (f *fuser) group() {
	readers := map[*graph.Value][]*group{}
	var state *group // the last that drew random numbers
	for _, u := range f.order {
		if u.inline {
			continue
		}
		deps := map[*group]bool{}
		var cand []*group
		offer := func(g *group) {
			if g.alone || len(cand) >= maxTries {
				return
			}
			for _, c := range cand {
				if c == g {
					return
				}
			}
			cand = append(cand, g)
		}
		for i := len(u.reads) - 1; i >= 0; i-- {
			if p := f.units[u.reads[i].v.Node]; p != nil {
				deps[p.group] = true
				offer(p.group)
			}
		}
		if u.n.State >= 0 && state != nil {
			deps[state] = true
		}
		if u.kind <= kindReduce && !f.nofuse {
			for _, r := range u.reads {
				l := readers[r.v]
				for i := len(l) - 1; i >= 0; i-- {
					offer(l[i])
				}
			}
		} else {
			cand = nil
		}
		var home *group
		for _, g := range cand {
			if f.acyclic(g, deps) && f.fits(g, u) {
				home = g
				break
			}
		}
		if home == nil {
			home = f.start(u)
		}
		u.group = home
		home.units = append(home.units, u)
		home.cost += u.cost
		home.bufs += len(u.reads) + len(u.n.Out)
		for g := range deps {
			if g != home {
				home.deps[g] = true
				home.anc.set(g.id)
				home.anc.or(g.anc)
			}
		}
		for _, g := range f.groups {
			if g.anc.has(home.id) {
				g.anc.or(home.anc)
			}
		}
		if u.n.State >= 0 {
			state = home
		}
		for _, r := range u.reads {
			l := readers[r.v]
			if len(l) == 0 || l[len(l)-1] != home {
				readers[r.v] = append(l, home)
			}
		}
	}
}

func (f *fuser) start(u *unit) *group {
	g := &group{id: len(f.groups), deps: map[*group]bool{}, alone: u.kind >= kindPut}
	f.groups = append(f.groups, g)
	if u.fine != nil {
		g.size, g.rows = u.fine.Size, u.fine.Rows
		g.folds = u.kind == kindReduce
		if u.kind == kindRows {
			g.prog = u
		}
		u.dims = seq(len(g.size))
	}
	return g
}

// acyclic: no group that u depends on, but g itself, depends on g.
func (f *fuser) acyclic(g *group, deps map[*group]bool) bool {
	for h := range deps {
		if h != g && h.anc.has(g.id) {
			return false
		}
	}
	return true
}

// fits places u in g's space, if it can be there: u.dims, kept and hook are set.
func (f *fuser) fits(g *group, u *unit) bool {
	if g.cost+u.cost > maxGroupCost || g.bufs+len(u.reads)+len(u.n.Out) > maxGroupBufs {
		return false
	}
	switch {
	case sym.AllKnownEq(u.fine.Size, g.size):
		if g.prog != nil {
			return u.kind <= kindIndex && f.try(g, u, seq(len(g.size)), false)
		}
		if u.kind == kindReduce {
			if g.folds && !sameInts(g.rows, u.fine.Rows) || !g.folds && !f.spread(u.fine.Size, u.fine.Rows) {
				return false
			}
			if !f.try(g, u, seq(len(g.size)), false) {
				return false
			}
			g.rows, g.folds = u.fine.Rows, true
			return true
		}
		if g.folds && !f.spread(g.size, g.rows) {
			return false
		}
		return f.try(g, u, seq(len(g.size)), false)
	case (g.folds || g.prog != nil) && u.kind <= kindIndex:
		if d, ok := keptDims(g, u.fine.Size); ok {
			return f.try(g, u, d, true)
		}
	}
	return false
}

// spread: enough rows (or little work) that a kernel of row passes may take on
// what a kernel over all elements would do in parallel.
func (f *fuser) spread(size []sym.Int, rows []int) bool {
	n, k := int64(1), int64(1)
	r := 0
	for d, s := range size {
		n *= max(s.Hint(), 1)
		if r < len(rows) && rows[r] == d {
			r++
			continue
		}
		k *= max(s.Hint(), 1)
	}
	return k >= 16 || n <= 1<<14
}

// keptDims maps a frame to the space's kept dims: by their sizes, with or
// without ones in the place of row dims.
func keptDims(g *group, size []sym.Int) ([]int, bool) {
	row := make([]bool, len(g.size))
	for _, d := range g.rows {
		row[d] = true
	}
	dims := make([]int, len(size))
	if len(size) == len(g.size) {
		for d := range size {
			switch {
			case row[d] && size[d].KnownEq(sym.C(1)):
				dims[d] = -1
			case !row[d] && size[d].KnownEq(g.size[d]):
				dims[d] = d
			default:
				return nil, false
			}
		}
		return dims, true
	}
	if len(size) != len(g.size)-len(g.rows) {
		return nil, false
	}
	e := 0
	for d := range g.size {
		if row[d] {
			continue
		}
		if !size[e].KnownEq(g.size[d]) {
			return nil, false
		}
		dims[e] = d
		e++
	}
	return dims, true
}

// try checks that u reads what the group makes only where it is made.
func (f *fuser) try(g *group, u *unit, dims []int, kept bool) bool {
	n := len(g.size)
	at := identity(dims, n)
	shares := false
	hook := -1
	for _, r := range u.reads {
		p := f.units[r.v.Node]
		if p == nil || p.group != g {
			for _, q := range g.units {
				for _, s := range q.reads {
					shares = shares || s.v == r.v
				}
			}
			continue
		}
		if r.opaque {
			return false
		}
		off, st := substitute(r.off, r.stride, at, n)
		out := &p.fine.Ops[len(p.n.In)+r.v.Out]
		woff, wst := substitute(out.Off, out.Stride, identity(p.dims, n), n)
		if !sameWalk(g.size, off, st, woff, wst) {
			return false
		}
		if p.kept && !kept || p.kind == kindReduce && !kept {
			// a value of the row, read at every place of it: the walks say so too
			for _, d := range g.rows {
				if !st[d].Is(0) && !g.size[d].KnownEq(sym.C(1)) {
					return false
				}
			}
		}
		if g.prog != nil {
			h := p.hook
			if p == g.prog {
				h = r.v.Out
				if p.probe.folded[h] || p.probe.outs[h] == 0 {
					return false
				}
				moves := false
				for _, d := range g.rows {
					moves = moves || !out.Stride[d].Is(0) && !g.size[d].KnownEq(sym.C(1))
				}
				if moves == kept {
					return false
				}
			} else if p.kept != kept {
				return false
			}
			if hook >= 0 && hook != h {
				return false
			}
			hook = h
		}
		shares = true
	}
	if !shares || g.prog != nil && hook < 0 {
		return false
	}
	u.dims, u.kept, u.hook = dims, kept, hook
	return true
}

func sameInts(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// sorted lists the groups so that each follows what it depends on, as close to
// the order of the graph as that allows.
func (f *fuser) sorted() []*group {
	var out []*group
	state := make([]uint8, len(f.groups))
	var visit func(g *group)
	visit = func(g *group) {
		if state[g.id] != 0 {
			if state[g.id] == 1 {
				panic("BUG: groups depend on each other")
			}
			return
		}
		state[g.id] = 1
		for _, h := range f.groups { // by id: no map order
			if g.deps[h] {
				visit(h)
			}
		}
		state[g.id] = 2
		out = append(out, g)
	}
	for _, g := range f.groups {
		visit(g)
	}
	return out
}

// settle computes levels and which roots are stored, once all groups are known.
//
// In a kernel with row passes a unit's level is the pass it is part of; a value of
// the row (a fold's, or kept) is there after the pass of that number, -1 being
// before the first.
func (f *fuser) settle() {
	for _, u := range f.order {
		if u.inline {
			continue
		}
		g := u.group
		if u.kind == kindAlone || g.alone {
			u.stored = make([]bool, len(u.n.Out))
			for j := range u.stored {
				u.stored[j] = true
			}
			continue
		}
		u.at = identity(u.dims, len(g.size))
		if g.folds {
			if u.kept {
				u.level = -1
			}
			for _, r := range u.reads {
				p := f.units[r.v.Node]
				if p == nil || p.group != g {
					continue
				}
				rowValue := p.kept || p.kind == kindReduce
				l := p.level
				if rowValue && !u.kept {
					l++
				}
				u.level = max(u.level, l)
			}
		}
	}
	for _, u := range f.order {
		if u.inline || u.kind == kindAlone || u.group.alone {
			continue
		}
		u.stored = make([]bool, len(u.n.Out))
		for j, v := range u.n.Out {
			u.stored[j] = f.outputs[v] || u.kind == kindRows && u.probe.back[j]
		}
	}
	for _, u := range f.order {
		if u.inline {
			continue
		}
		for _, r := range u.reads {
			p := f.units[r.v.Node]
			if p == nil {
				continue
			}
			later := u.group.folds && !p.kept && p.kind != kindReduce && u.level > p.level
			if p.group != u.group || later {
				p.stored[r.v.Out] = true
			}
		}
	}
}
