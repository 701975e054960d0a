package inductor

import (
	"fmt"
	"strings"

	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// kernelBuilder is one kernel under construction. It may take several groups, one
// nest after the other.
type kernelBuilder struct {
	*loop.Builder
	p    *plan
	bufs []int       // kernel buffer -> plan buffer
	of   map[int]int // plan buffer -> kernel buffer
	nums []int       // kernel scalar -> number slot
	name []string    // ops, for the kernel's name
	told map[*graph.Node]bool
	// oneNest: one group without row passes, so that all loads of an iteration
	// precede its stores.
	oneNest bool
}

func (p *plan) kernel() *kernelBuilder {
	return &kernelBuilder{Builder: loop.NewBuilder(""), p: p, of: map[int]int{}, told: map[*graph.Node]bool{}}
}

// call notes an op for the kernel's name.
func (x *kernelBuilder) call(n *graph.Node) {
	if x.told[n] {
		return
	}
	x.told[n] = true
	if n.Target != nil {
		x.name = append(x.name, "put")
	} else {
		x.name = append(x.name, n.Call.Def.Name)
	}
}

// mem is the kernel buffer of a value.
func (x *kernelBuilder) mem(v *graph.Value, r loop.Role) int {
	pb := x.p.buf(v)
	if b, ok := x.of[pb]; ok {
		k := x.Kernel()
		if k.Bufs[b].Role != r {
			k.Bufs[b].Role = loop.InOut
		}
		return b
	}
	b := x.AddBuf(v.DType, r, fmt.Sprintf("v%d", v.ID))
	x.bufs = append(x.bufs, pb)
	x.of[pb] = b
	return b
}

// number is a number of a node as a value: a run-time slot, or a constant.
func (x *kernelBuilder) number(n *graph.Node, slot int, t loop.Type) loop.V {
	if n.Fixed {
		return x.constant(n.Call.Numbers(nil)[slot], t)
	}
	slot += n.Num
	s := x.ScalarSlot(fmt.Sprintf("num%d", slot), t)
	if s == len(x.nums) {
		x.nums = append(x.nums, slot)
	}
	return x.Scalar(s)
}

func (x *kernelBuilder) constant(v tensor.Number, t loop.Type) loop.V {
	switch t {
	case loop.I32, loop.I64:
		return x.ConstI(t, int64(loop.ScalarBits(v, t)))
	case loop.B1:
		return x.Bool(loop.ScalarBits(v, t) != 0)
	}
	return x.Const(t, v.Float64())
}

// finish verifies the kernel and adds it as a step.
func (x *kernelBuilder) finish() {
	k := x.Kernel()
	if len(k.Body) == 0 {
		return // nothing is stored
	}
	k.Name = kernelName(x.name)
	if err := loop.Verify(k); err != nil {
		panic("BUG: " + err.Error() + "\n" + k.String())
	}
	s := &step{name: k.Name, kernel: k, bufs: x.bufs, nums: x.nums, bounds: loop.NewBounds(k), state: -1, oneNest: x.oneNest}
	if l := k.Split(); l != nil {
		s.split, s.hasCut = l.Extent, true
	}
	x.p.steps = append(x.p.steps, s)
	x.p.stage(s)
}

// kernelName joins op names, shortened in the middle.
func kernelName(ops []string) string {
	const most = 6
	if len(ops) > most {
		ops = append(append(append([]string{}, ops[:most-1]...), fmt.Sprintf("%d_more", len(ops)-most)), ops[len(ops)-1])
	}
	return strings.Join(ops, "_")
}

// nest is one loop nest of a kernel: the roots of a group over its space. It is
// the loop.Env of the bodies built inside.
type nest struct {
	*kernelBuilder
	f *fuser // nil: a single node whose Iter is given
	g *group
	// walks of operands over the space and the loops made of it. For a single
	// node, and for a Rows program, the node's own operands come first.
	walks []walk
	it    *graph.Iter
	axis  []loop.Axis // axis of each dimension of it; -1: not open
	// values of the open scopes, innermost last
	scopes []map[memoKey]loop.V
	pend   []pending

	mask loop.V // lanes that count, while an operand of an Index is computed; 0: all
	cur  *unit  // whose body is being built
	at   []graph.Coord
	maps map[*graph.Node][][]graph.Coord // places met, to name them
}

// walk is how a value is read or written over the space.
type walk struct {
	v      *graph.Value
	off    sym.Int
	stride []sym.Int
}

// memoKey is a value at a place: an element loaded by a walk (load), or computed at
// a map (place), or a root's own (both -1).
type memoKey struct {
	v           *graph.Value
	place, load int
}

type pending struct {
	m *loop.Access
	v loop.V
}

func (x *nest) lookup(k memoKey) (loop.V, bool) {
	for i := len(x.scopes) - 1; i >= 0; i-- {
		if v, ok := x.scopes[i][k]; ok {
			return v, true
		}
	}
	return 0, false
}

func (x *nest) remember(k memoKey, v loop.V) { x.scopes[len(x.scopes)-1][k] = v }

// enter opens dimension d for the time of f. Values met inside are forgotten after.
func (x *nest) enter(d int, a loop.Axis, f func()) {
	x.scopes = append(x.scopes, map[memoKey]loop.V{})
	x.axis[d] = a
	f()
	x.axis[d] = -1
	x.scopes = x.scopes[:len(x.scopes)-1]
}

// dims opens dimensions lo … hi-1, the last with its own kind, and runs f.
func (x *nest) dims(lo, hi int, outer, last loop.LoopKind, f func()) {
	if lo == hi {
		f()
		return
	}
	k := outer
	if lo == hi-1 {
		k = last
	}
	x.Loop(k, x.it.Size[lo], func(a loop.Axis) {
		x.enter(lo, a, func() { x.dims(lo+1, hi, outer, last, f) })
	})
}

// folds is dims with folded values.
func (x *nest) folds(lo, hi int, outer, last loop.LoopKind, ops []loop.FoldOp, f func() []loop.V) []loop.V {
	if lo == hi {
		return f()
	}
	k := outer
	if lo == hi-1 {
		k = last
	}
	return x.Fold(k, x.it.Size[lo], ops, func(a loop.Axis) (v []loop.V) {
		x.enter(lo, a, func() { v = x.folds(lo+1, hi, outer, last, ops, f) })
		return v
	})
}

// flush stores what is pending; loads of the scope have been made.
func (x *nest) flush() {
	for _, s := range x.pend {
		x.Store(s.m, s.v)
	}
	x.pend = x.pend[:0]
}

// addr is the address of walk w in a kernel buffer at the open axes.
func (x *nest) addr(w, buf int) *loop.Access {
	o := &x.it.Ops[w]
	m := &loop.Access{Buf: buf, Off: x.P(o.Off)}
	for d, s := range o.Stride {
		if s.Is(0) {
			continue
		}
		if x.axis[d] < 0 {
			panic(fmt.Sprintf("BUG: op %s reads a value outside the pass it moves in", x.cur.n.Call.Def.Name))
		}
		m.Terms = append(m.Terms, loop.Term{Axis: x.axis[d], Stride: x.P(s)})
	}
	return m
}

// walkOf finds the walk of v over the space.
func (x *nest) walkOf(v *graph.Value, off sym.Int, stride []sym.Int) int {
	for i := range x.walks {
		w := &x.walks[i]
		if w.v == v && sameWalk(x.g.size, w.off, w.stride, off, stride) {
			return i
		}
	}
	panic(fmt.Sprintf("BUG: op %s reads %%%d by a walk that was not planned", x.cur.n.Call.Def.Name, v.ID))
}

// building runs f with u as the unit whose body is built, at a place.
func (x *nest) building(u *unit, at []graph.Coord, f func()) {
	cur, was := x.cur, x.at
	x.cur, x.at = u, at
	f()
	x.cur, x.at = cur, was
}

// Num implements loop.Env.
func (x *nest) Num(name string, t loop.Type) loop.V {
	n := x.cur.n
	slot, ok := n.Call.NumSlot(name)
	if !ok {
		panic("BUG: op " + n.Call.Def.Name + " reads number " + name + ", which is None")
	}
	return x.number(n, slot, t)
}

// At implements loop.Env.
func (x *nest) At(k int, at []loop.Ix, mask loop.V) loop.V {
	u := x.cur
	if x.mask != 0 {
		if mask == 0 {
			mask = x.mask
		} else {
			mask = x.And(mask, x.mask)
		}
	}
	if x.f != nil && u.edge[k] != nil {
		if p := x.f.units[u.n.In[k].Value.Node]; p.inline {
			return x.typed(u.n, k, x.masked(p, mask, compose(u.edge[k], x.at, len(x.g.size))))
		}
	}
	return x.atIndex(u.n, k, at, mask)
}

// masked is value in the lanes of a mask (0: all) and 0 elsewhere, as a masked load
// is: there the place may be outside the unit's frame, so that nothing is loaded. The
// body may be in a loop of its own, so that nothing is remembered.
func (x *nest) masked(p *unit, mask loop.V, at []graph.Coord) loop.V {
	was := x.mask
	x.mask = mask
	x.scopes = append(x.scopes, map[memoKey]loop.V{})
	v := x.value(p, at)
	x.scopes = x.scopes[:len(x.scopes)-1]
	x.mask = was
	if mask == 0 {
		return v
	}
	return x.Select(mask, v, x.Const(x.Type(v), 0))
}

// atIndex loads operand k of a node at an index over its dims.
func (x *kernelBuilder) atIndex(n *graph.Node, k int, at []loop.Ix, mask loop.V) loop.V {
	c := n.Call
	if c.IsNum(k) {
		return x.number(n, c.OperandSlot(k), loop.TypeOf(c.DType))
	}
	o := &n.In[k]
	if o.Value == nil {
		panic(fmt.Sprintf("BUG: op %s loads operand %d, which is absent", c.Def.Name, k))
	}
	m := x.Access(x.mem(o.Value, loop.In), o.Size, o.Stride, o.Off, at, mask)
	return x.typed(n, k, x.Load(m))
}

// typed casts an operand's element to the dtype of computation where it takes part.
func (x *kernelBuilder) typed(n *graph.Node, k int, v loop.V) loop.V {
	if c := n.Call; c.Takes(k) && c.In[k].DType != c.DType {
		return x.CastTo(v, c.DType)
	}
	return v
}

// operand is operand k of u at a place of u's frame, in its compute type.
func (x *nest) operand(u *unit, k int, at []graph.Coord) loop.V {
	n := u.n
	c := n.Call
	if c.IsNum(k) {
		t := c.DType
		if !c.Takes(k) {
			t = c.In[k].DType
		}
		return x.number(n, c.OperandSlot(k), loop.TypeOf(t))
	}
	v := n.In[k].Value
	if v == nil {
		panic(fmt.Sprintf("BUG: op %s reads operand %d, which is absent", c.Def.Name, k))
	}
	w := k
	if x.f != nil {
		if p := x.f.units[v.Node]; p != nil {
			if p.inline {
				return x.typed(n, k, x.value(p, compose(u.edge[k], at, len(x.g.size))))
			}
			if p.group == x.g {
				if e, ok := x.lookup(memoKey{v, -1, -1}); ok {
					return x.typed(n, k, e)
				}
			}
		}
		if u != x.g.prog {
			fr := u.fine
			if u.inline {
				fr = u.form
			}
			off, st := substitute(fr.Ops[k].Off, fr.Ops[k].Stride, at, len(x.g.size))
			w = x.walkOf(v, off, st)
		}
	}
	key := memoKey{v, -1, w}
	e, ok := x.lookup(key)
	if !ok {
		x.building(u, at, func() {
			m := x.addr(w, x.mem(v, loop.In))
			m.Mask = x.mask
			e = x.Load(m)
		})
		x.remember(key, e)
	}
	return x.typed(n, k, e)
}

// value is output 0 of a pointwise unit at a place of its frame, as memory would
// hold it.
func (x *nest) value(u *unit, at []graph.Coord) loop.V {
	n := u.n
	key := memoKey{n.Out[0], x.place(n, at), -1}
	if v, ok := x.lookup(key); ok {
		return v
	}
	v := x.compute(u, at)
	x.remember(key, v)
	return v
}

// place numbers the maps at which a node is computed.
func (x *nest) place(n *graph.Node, at []graph.Coord) int {
	for i, m := range x.maps[n] {
		if sameCoords(m, at) {
			return i
		}
	}
	x.maps[n] = append(x.maps[n], at)
	return len(x.maps[n]) - 1
}

// compute builds a pointwise unit's meaning.
func (x *nest) compute(u *unit, at []graph.Coord) (v loop.V) {
	n := u.n
	x.call(n)
	switch u.kind {
	case kindPoint:
		e := make([]loop.V, len(n.In))
		for k := range n.In {
			switch {
			case n.In[k].Value == nil && !n.In[k].Num:
			case u.probe != nil && !u.probe.used[k]:
				e[k] = x.Const(operandType(n, k), 0) // nothing depends on it but its type
			default:
				e[k] = x.operand(u, k, at)
			}
		}
		x.building(u, at, func() { v = n.Call.Def.Body(x.Builder, e, n.Call) })
	case kindIndex:
		x.building(u, at, func() { v = n.Call.Def.Index(x.Builder, n.Call, x.indices(u, at)) })
	default:
		panic("BUG: op " + n.Call.Def.Name + " is not pointwise")
	}
	return x.CastTo(v, n.OutMeta[0].DType)
}

func operandType(n *graph.Node, k int) loop.Type {
	if c := n.Call; c.Takes(k) {
		return loop.TypeOf(c.DType)
	}
	return loop.TypeOf(n.Call.In[k].DType)
}

// indices are a place as the indices an Index body takes.
func (x *nest) indices(u *unit, at []graph.Coord) []loop.Ix {
	ix := make([]loop.Ix, len(at))
	for e := range at {
		ix[e].Off = at[e].Off
		if !u.probe.placed {
			continue // the body does not look
		}
		for g, k := range at[e].Coef {
			if k.Is(0) {
				continue
			}
			if d := x.loopOf(g); d >= 0 {
				ix[e].Axes = append(ix[e].Axes, x.axis[d])
				ix[e].Coef = append(ix[e].Coef, k)
			}
		}
	}
	return ix
}

// loopOf is the loop of a dim of the space; -1 where its size is 1.
func (x *nest) loopOf(g int) int {
	for d, l := range x.it.Dims {
		for _, e := range l {
			if e != g {
				continue
			}
			if len(l) != 1 || x.axis[d] < 0 {
				panic("BUG: an index is asked for whose loop is merged or not open")
			}
			return d
		}
	}
	return -1
}

// keep stores output j of a root, if it is stored, when the scope ends.
func (x *nest) keep(u *unit, j int, v loop.V) {
	if !u.stored[j] {
		return
	}
	out := u.n.Out[j]
	w := len(u.n.In) + j
	if x.f != nil && u != x.g.prog {
		o := &u.fine.Ops[w]
		off, st := substitute(o.Off, o.Stride, u.at, len(x.g.size))
		w = x.walkOf(out, off, st)
	}
	x.building(u, u.at, func() { x.pend = append(x.pend, pending{x.addr(w, x.mem(out, loop.Out)), v}) })
}
