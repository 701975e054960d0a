package inductor

import (
	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Fusion in three steps.
//
//  1. A pointwise producer is computed where it is read (inlined) if each reader
//     can say where that is in the producer's index space, and if that happens
//     once or costs little (inline). What remains are roots: values in memory.
//  2. Roots over one iteration space become one kernel (group): a reader joins
//     its producer, siblings that read the same memory join each other, folds and
//     what is pointwise over the same rows share the passes over a row.
//  3. Small neighbours in the order of execution become one kernel of several
//     nests (bundles), since a launch costs more than they do.
//
// Fusion changes no value: rounding at op boundaries stays, and a fold is done in
// the order of its kernel's loops.

type unitKind uint8

const (
	kindPoint  unitKind = iota // Body
	kindIndex                  // Index
	kindReduce                 // Reduce
	kindRows                   // Rows
	kindPut
	kindAlone // templates, scatters
)

// unit is a node as fusion sees it.
type unit struct {
	n     *graph.Node
	kind  unitKind
	probe *probe
	fine  *graph.Frame // nil for kindAlone
	flat  *graph.Frame // pointwise in one dim, where memory order allows
	edge  [][]graph.Coord

	// inlined units
	inline bool
	form   *graph.Frame // fine or flat
	dest   []dest

	// roots
	reads  []read
	cost   int // of an element, with what is inlined
	group  *group
	dims   []int // frame dim -> group dim, -1: none
	at     []graph.Coord
	kept   bool // computed once a row
	hook   int  // epilogue of a Rows program: the output it follows
	level  int
	stored []bool // by output
}

// dest is one place where an inlined unit is computed: at, in a root's frame;
// times is how many passes do so; masked: only some lanes count (an Index chooses
// among its operands).
type dest struct {
	root   *unit
	at     []graph.Coord
	times  int
	masked bool
}

// read is one operand from memory that a root's kernel touches, as a walk over
// the root's frame; opaque: at places that the walk does not tell.
type read struct {
	v      *graph.Value
	off    sym.Int
	stride []sym.Int
	opaque bool
}

type fuser struct {
	g        *graph.Graph
	units    map[*graph.Node]*unit
	order    []*unit
	users    map[*graph.Value][]graph.Use
	outputs  map[*graph.Value]bool
	groups   []*group
	nofuse   bool
	nobundle bool
}

func newFuser(g *graph.Graph, nofuse bool) *fuser {
	f := &fuser{g: g, units: make(map[*graph.Node]*unit, len(g.Nodes)), users: g.Users(), outputs: map[*graph.Value]bool{}, nofuse: nofuse}
	for _, v := range g.Outputs {
		f.outputs[v] = true
	}
	for _, n := range g.Nodes {
		u := &unit{n: n, hook: -1, edge: make([][]graph.Coord, len(n.In))}
		d := n.Call.Def
		switch {
		case n.Target != nil:
			u.kind = kindPut
			u.fine = &graph.Frame{Size: n.Target.Size, Ops: []graph.IterOp{{Absent: true}, putSource(n), {Off: n.Target.Off, Stride: n.Target.Stride}}}
		case d.Body != nil:
			u.kind = kindPoint
		case d.Index != nil:
			u.kind = kindIndex
		case d.Reduce != nil:
			u.kind = kindReduce
		case d.Rows != nil:
			u.kind = kindRows
		default:
			u.kind = kindAlone
		}
		if u.kind < kindPut {
			u.fine = graph.NewFrame(n.Call)
		}
		if u.kind != kindAlone && u.kind != kindPut {
			u.probe = probeNode(n)
			u.cost = u.probe.cost
		}
		f.units[n] = u
		f.order = append(f.order, u)
	}
	if !nofuse {
		for i := len(f.order) - 1; i >= 0; i-- {
			f.inline(f.order[i])
		}
	}
	for _, u := range f.order {
		if !u.inline {
			f.readsOf(u)
		}
	}
	return f
}

// putSource is a put's source over the target's size.
func putSource(n *graph.Node) graph.IterOp {
	o, t := &n.In[1], n.Target
	r := graph.IterOp{Off: o.Off, Stride: make([]sym.Int, len(t.Size))}
	lead := len(t.Size) - len(o.Size)
	for d := range o.Size {
		if o.Size[d].KnownEq(t.Size[d+lead]) {
			r.Stride[d+lead] = o.Stride[d]
		}
	}
	return r
}

const (
	maxPlaces   = 4    // computing a cheap producer more often than that is not cheap
	cheapCost   = 2    // primitives
	maxRootCost = 2000 // primitives an element of one root
	maxReads    = 24
	maxPlacesOf = 1 << 10
)

// inline decides whether u is computed where it is read. Its readers have been
// decided.
func (f *fuser) inline(u *unit) {
	n := u.n
	if u.kind > kindIndex || len(n.Out) != 1 || n.State >= 0 || f.outputs[n.Out[0]] || u.probe.asserts {
		return
	}
	uses := f.users[n.Out[0]]
	if len(uses) == 0 || !graph.Dense(&n.OutMeta[0]) {
		return
	}
	for _, form := range []*graph.Frame{u.fine, nil} {
		if form == nil {
			if u.flat == nil && u.kind == kindPoint {
				u.flat, _ = u.fine.Flat(n.Call)
			}
			if form = u.flat; form == nil {
				return
			}
		}
		edges, dests, ok := f.destinations(u, form, uses)
		if !ok {
			continue
		}
		if len(dests) == 0 {
			return // read by nobody who looks at it: a root that is not stored
		}
		total := 0
		for _, d := range dests {
			total += d.times
		}
		loads := 0
		for k := range n.In {
			if n.In[k].Value != nil && u.probe.used[k] && (u.kind == kindIndex || moves(form, k)) {
				loads++ // values spread over a dim hardly count
			}
		}
		fill := u.probe.cost == 0 && loads == 0 && total < maxPlacesOf
		if total > 1 && !fill && (u.probe.cost > cheapCost || loads > 1 || total > maxPlaces) {
			return
		}
		for _, d := range dests {
			if d.masked && (u.probe.divides || u.probe.cost >= elementaryCost) {
				return // raised or paid for in lanes that do not count
			}
			if d.root.cost+u.probe.cost > maxRootCost || len(d.root.reads)+loads > maxReads {
				return
			}
		}
		for _, d := range dests {
			d.root.cost += u.probe.cost
			d.root.reads = append(d.root.reads, make([]read, max(0, loads-1))...) // counted here, made by readsOf
		}
		for i, e := range edges {
			f.units[uses[i].Node].edge[uses[i].Arg] = e
		}
		u.inline, u.form, u.dest = true, form, dests
		return
	}
}

// moves: operand k walks every dim of the frame.
func moves(fr *graph.Frame, k int) bool {
	for d, s := range fr.Ops[k].Stride {
		if s.Is(0) && !fr.Size[d].KnownEq(sym.C(1)) {
			return false
		}
	}
	return true
}

// destinations finds where u would be computed if its index space is form.
func (f *fuser) destinations(u *unit, form *graph.Frame, uses []graph.Use) (edges [][]graph.Coord, dests []dest, ok bool) {
	add := func(d dest) {
		for i := range dests {
			if dests[i].root == d.root && sameCoords(dests[i].at, d.at) {
				dests[i].times = max(dests[i].times, d.times)
				dests[i].masked = dests[i].masked || d.masked
				return
			}
		}
		dests = append(dests, d)
	}
	for _, use := range uses {
		c := f.units[use.Node]
		fr := c.fine
		if c.inline {
			fr = c.form
		}
		times := 1
		if c.probe != nil && !c.probe.used[use.Arg] {
			edges = append(edges, nil)
			continue
		}
		switch c.kind {
		case kindAlone:
			return nil, nil, false
		case kindIndex:
			at := c.probe.at[use.Arg]
			if at == nil {
				return nil, nil, false
			}
			o := &use.Node.In[use.Arg]
			e, ok := producedAt(u, form, &graph.IterOp{Off: o.Off, Stride: o.Stride}, o.Size)
			if !ok {
				return nil, nil, false
			}
			e = compose(e, at, len(fr.Size))
			edges = append(edges, e)
			if !c.inline {
				add(dest{c, e, 1, true})
			}
			for _, d := range c.dest {
				add(dest{d.root, compose(e, d.at, len(d.root.fine.Size)), d.times, true})
			}
			continue
		case kindRows:
			if times = c.probe.visits[use.Arg]; c.probe.pick[use.Arg] || times == 0 {
				return nil, nil, false
			}
		case kindPut:
			if use.Arg == 0 {
				return nil, nil, false
			}
		}
		e, ok := producedAt(u, form, &fr.Ops[use.Arg], fr.Size)
		if !ok {
			return nil, nil, false
		}
		edges = append(edges, e)
		if !c.inline {
			add(dest{c, e, times, false})
			continue
		}
		for _, d := range c.dest {
			add(dest{d.root, compose(e, d.at, len(d.root.fine.Size)), d.times, d.masked})
		}
	}
	return edges, dests, true
}

// readsOf lists the memory that a root's kernel touches.
func (f *fuser) readsOf(r *unit) {
	r.reads = nil
	if r.kind == kindAlone {
		for k := range r.n.In {
			if v := r.n.In[k].Value; v != nil {
				r.reads = append(r.reads, read{v: v, opaque: true})
			}
		}
		return
	}
	n := len(r.fine.Size)
	type place struct {
		u  *unit
		at []graph.Coord
	}
	var seen []place
	var walk func(u *unit, fr *graph.Frame, at []graph.Coord)
	walk = func(u *unit, fr *graph.Frame, at []graph.Coord) {
		for k := range u.n.In {
			v := u.n.In[k].Value
			if v == nil || u.kind != kindPut && !u.probe.used[k] {
				continue
			}
			if p := f.units[v.Node]; p != nil && p.inline && u.edge[k] != nil {
				c := compose(u.edge[k], at, n)
				again := false
				for _, s := range seen {
					again = again || s.u == p && sameCoords(s.at, c)
				}
				if !again {
					seen = append(seen, place{p, c})
					walk(p, p.form, c)
				}
				continue
			}
			if fr.Ops[k].Absent || u.kind == kindRows && u.probe.pick[k] {
				r.reads = append(r.reads, read{v: v, opaque: true})
				if fr.Ops[k].Absent {
					continue
				}
			}
			off, st := substitute(fr.Ops[k].Off, fr.Ops[k].Stride, at, n)
			again := false
			for i := range r.reads {
				x := &r.reads[i]
				again = again || !x.opaque && x.v == v && sameWalk(r.fine.Size, x.off, x.stride, off, st)
			}
			if !again {
				r.reads = append(r.reads, read{v: v, off: off, stride: st})
			}
		}
	}
	walk(r, r.fine, identity(seq(n), n))
}

// placed: the unit or something inlined in it depends on indices, so that the
// space's dims cannot be merged.
func (f *fuser) placed(u *unit) bool {
	if u.probe != nil && u.kind == kindIndex && u.probe.placed {
		return true
	}
	for k := range u.n.In {
		if v := u.n.In[k].Value; v != nil && u.edge[k] != nil {
			if p := f.units[v.Node]; p != nil && p.inline && f.placed(p) {
				return true
			}
		}
	}
	return false
}
