package tracer

import (
	"sync/atomic"
	"weak"

	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/guards"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tensor"
)

// A look-up. Entries of a region stand in a tree: guards that all of them poll
// first, in the same order, are tested once, and the tree branches at the guard that
// told two of them apart. What is marked is not looked at, unless something fired.
//
// A look-up of an entry for 1,000 modules takes 85 to 95 ns, of which 15 are the two
// weak pointers and 35 the four guards of arguments (go run ./bench/guards).
//
// Entries are held weakly where an object that they are about holds them: an entry
// for a model that is gone could never be of use again.

// tree is an index of a region's entries; it does not change.
type tree struct {
	root  *branch
	nvals int // room for what arguments keep
	size  int
}

// branch tests a stretch of guards that its leaves and the entries below share.
type branch struct {
	plan   weak.Pointer[guards.Plan] // of one of them
	lo, hi int                       // in its Args
	leaves []weak.Pointer[Entry]
	kids   []*branch
	hint   atomic.Int32 // the child that was right last
}

// entryRef holds an entry: strongly, or as long as its carrier lives.
type entryRef struct {
	weak   weak.Pointer[Entry]
	strong *Entry
}

// grow makes the branch for entries that share the guards before at.
func grow(es []*Entry, at int) *branch {
	first := es[0].plan.Load()
	hi := at
	same := func(e *Entry, i int) bool {
		p := e.plan.Load()
		return i < len(p.Args) && guards.SameGuard(&first.All[first.Args[i]], &p.All[p.Args[i]])
	}
share:
	for ; hi < len(first.Args); hi++ {
		for _, e := range es[1:] {
			if !same(e, hi) {
				break share
			}
		}
	}
	n := &branch{plan: weak.Make(first), lo: at, hi: hi}
	rest := make([]*Entry, 0, len(es))
	for _, e := range es {
		if len(e.plan.Load().Args) == hi {
			n.leaves = append(n.leaves, weak.Make(e))
		} else {
			rest = append(rest, e)
		}
	}
	for len(rest) > 0 {
		first = rest[0].plan.Load()
		group, others := rest[:1:1], []*Entry(nil)
		for _, e := range rest[1:] {
			if same(e, hi) {
				group = append(group, e)
			} else {
				others = append(others, e)
			}
		}
		n.kids = append(n.kids, grow(group, hi))
		rest = others
	}
	return n
}

// alive lists the region's entries.
func (r *Region) alive() []*Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.aliveHere()
}

func (r *Region) aliveHere() []*Entry {
	es := make([]*Entry, 0, len(r.refs))
	refs := r.refs[:0]
	for _, ref := range r.refs {
		if e := ref.weak.Value(); e != nil {
			es, refs = append(es, e), append(refs, ref)
		}
	}
	clear(r.refs[len(refs):])
	r.refs = refs
	return es
}

// index makes the tree anew.
func (r *Region) index() {
	r.mu.Lock()
	defer r.mu.Unlock()
	es := r.aliveHere()
	if len(es) == 0 {
		r.tree.Store(nil)
		r.trap(false)
		return
	}
	t := &tree{root: grow(es, 0), size: len(es)}
	for _, e := range es {
		for _, id := range e.plan.Load().ArgIDs {
			t.nvals = max(t.nvals, id+1)
		}
	}
	r.tree.Store(t)
	r.trap(true)
}

// insert makes an entry one that look-ups find, in the place of those that it makes
// superfluous and, where there are too many, of the one that was of use least recently.
func (r *Region) insert(e *Entry, bound int, keep bool) {
	ref := entryRef{weak: weak.Make(e), strong: e}
	if c := e.carrier(); c != nil && !keep {
		ref.strong, e.release = nil, guards.Hold(c, e)
	}
	r.mu.Lock()
	var worst *Entry
	es := r.aliveHere()
	for _, x := range es {
		if e.supersedes(x) {
			r.drop(x)
		} else if worst == nil || x.used.Load() < worst.used.Load() {
			worst = x
		}
	}
	if len(r.refs) >= bound && worst != nil {
		r.drop(worst)
	}
	e.used.Store(r.clock.Load())
	r.refs = append(r.refs, ref)
	r.mu.Unlock()
	r.index()
}

// clear drops all entries.
func (r *Region) clear() {
	r.mu.Lock()
	for _, e := range r.aliveHere() {
		r.drop(e)
	}
	r.refs = nil
	r.mu.Unlock()
	r.index()
}

// failed notes a recording that came to nothing.
func (r *Region) failed(why string, counts bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.aborts++
	r.Reason = why
	if r.aborts > 3 && counts {
		r.dead.Store(true)
	}
}

// drop takes an entry out.
func (r *Region) drop(e *Entry) {
	for i, ref := range r.refs {
		if ref.weak.Value() == e {
			r.refs = append(r.refs[:i:i], r.refs[i+1:]...)
			break
		}
	}
	e.trip.Drop()
	if e.release != nil {
		e.release()
	}
}

// supersedes reports an entry for one number or object where others have been met
// since: the later recording takes any.
func (later *Entry) supersedes(e *Entry) bool {
	if len(later.dyn) == 0 && len(later.generic) == 0 {
		return false
	}
	for i := range e.guards {
		g := &e.guards[i]
		if g.Source == nil {
			continue
		}
		switch g.Test {
		case guards.TestEqual:
			if g.Load != guards.LoadExpr && isNumber(g.Want) && later.dyn[g.Source.String()] {
				return true
			}
		case guards.TestIs:
			if g.Load != guards.LoadNone && later.generic[g.Source.String()] {
				return true
			}
		}
	}
	return false
}

// carrier is an object without which the entry is of no use: the first one that is
// told by identity.
func (e *Entry) carrier() *value.Instance {
	for i := range e.guards {
		if g := &e.guards[i]; g.Test == guards.TestIs {
			if in := g.Want.AsInstance(); in != nil {
				return in
			}
		}
	}
	return nil
}

// keeper is what a Trip may drop when it fires: it holds values of the outside, and
// knows no entry.
type keeper struct {
	// vals are what marked guards keep, until something fires; nil: they do not
	// hold, or are to be polled.
	vals atomic.Pointer[[]value.Value]
	// spare is what the last run has left.
	spare atomic.Pointer[runState]
}

func (k *keeper) empty() {
	k.vals.Store(nil)
	k.spare.Store(nil)
}

// runState is what one run of an entry works on.
type runState struct {
	of   *[]value.Value // whose values it has
	vals []value.Value
	// What a run fills is there for the next one.
	m    maker
	args graph.RunArgs
	todo []value.Value
}

// maker readies what a run works on. A tape that the run leaves keeps its own.
func (st *runState) maker(ts *thread, e *Entry, w *world) *maker {
	m, a := &st.m, &st.args
	if e.tape != nil {
		m, a = &maker{}, &graph.RunArgs{}
	}
	if m.bufs == nil {
		m.bufs, m.made, m.objs = map[*val]tensor.Buffer{}, map[*storage]*tensor.Storage{}, make([]value.Value, e.objects)
	}
	m.ts, m.x, m.e, m.vals, m.args, m.bind = ts, w.x, e, st.vals, a, m.bind[:0]
	return m
}

// clear lets go of what the run has used.
func (st *runState) clear() {
	m, a := &st.m, &st.args
	clear(m.bufs)
	clear(m.made)
	clear(m.objs)
	clear(a.In)
	clear(a.Out)
	clear(a.State)
	a.In, a.Out, a.State, a.InPlace = a.In[:0], a.Out[:0], a.State[:0], false
	clear(st.todo)
	st.todo = st.todo[:0]
	clear(m.views)
	m.views = m.views[:0]          // or the next run would refresh this one's tensors
	m.e, m.x, m.ts = nil, nil, nil // a spare state holds no entry
}

// mark sorts an entry's guards and marks what it rests on. It is called when the
// recording has ended, before anything else runs. False: something is not as it was
// read, although the region has not written it.
func (e *Entry) mark(ts *thread, w *world, writes func(g *guards.Guard, parent value.Value) bool) bool {
	e.trip, e.kept = &guards.Trip{}, &keeper{}
	e.trip.Fired = e.kept.empty
	vals := make([]value.Value, e.nvals)
	p, ok := guards.NewPlan(e.guards, w, &ts.th.Thread, e.trip, vals, writes)
	if !ok {
		e.trip.Drop()
		return false
	}
	e.plan.Store(p)
	e.kept.vals.Store(&vals)
	for i := range e.effects { // what was at hand is not to be kept alive
		f := &e.effects[i]
		f.obj, f.key, f.val = value.Value{}, value.Value{}, value.Value{}
	}
	return true
}

// look is one look-up.
type look struct {
	ts    *thread
	w     *world
	vals  []value.Value
	again bool // the tree is out of date
	st    *runState
}

// find looks for an entry of the region whose guards hold, and the values that they keep.
func (ts *thread) find(reg *Region, w *world) (*Entry, *runState) {
	l := look{ts: ts, w: w}
	for range 8 {
		t := reg.tree.Load()
		if t == nil {
			return nil, nil
		}
		if len(ts.vals) < t.nvals {
			ts.vals = make([]value.Value, t.nvals)
		}
		l.vals, l.again = ts.vals[:t.nvals], false
		e := l.walk(t.root)
		clear(l.vals)
		if l.again {
			reg.index()
			if e == nil {
				continue
			}
		}
		return e, l.st
	}
	return nil, nil
}

func (l *look) walk(n *branch) *Entry {
	p := n.plan.Value()
	if p == nil {
		l.again = true
		return nil
	}
	if !p.Check(p.Args[n.lo:n.hi], l.w, &l.ts.th.Thread, l.vals) {
		return nil
	}
	for i := range n.leaves {
		e := n.leaves[i].Value()
		if e == nil {
			l.again = true
		} else if l.ready(e) {
			return e
		}
	}
	if len(n.kids) == 0 {
		return nil
	}
	h := int(n.hint.Load())
	if e := l.walk(n.kids[h]); e != nil {
		return e
	}
	for i, k := range n.kids {
		if i == h {
			continue
		}
		if e := l.walk(k); e != nil {
			n.hint.Store(int32(i))
			return e
		}
	}
	return nil
}

// ready tests what of an entry the tree does not.
func (l *look) ready(e *Entry) bool {
	vals := e.kept.vals.Load()
	if vals == nil || e.trip.Dirty() {
		if vals = e.poll(l); vals == nil {
			return false
		}
	}
	st := e.kept.spare.Swap(nil)
	if st == nil {
		st = &runState{vals: make([]value.Value, e.nvals)}
	}
	if st.of != vals {
		copy(st.vals, *vals)
		st.of = vals
	}
	p := e.plan.Load()
	for _, id := range p.ArgIDs {
		st.vals[id] = l.vals[id]
	}
	if !p.Check(p.Late, l.w, &l.ts.th.Thread, st.vals) {
		e.leave(st)
		return false
	}
	l.st = st
	return true
}

// leave gives a run's state back. What came from arguments is let go.
func (e *Entry) leave(st *runState) {
	p := e.plan.Load()
	for _, id := range p.ArgIDs {
		st.vals[id] = value.Value{}
	}
	for _, id := range p.LateIDs {
		st.vals[id] = value.Value{}
	}
	if e.kept.vals.Load() == st.of {
		st.clear()
		e.kept.spare.Store(st)
	}
}

// poll looks at what is marked after something has fired.
func (e *Entry) poll(l *look) *[]value.Value {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.trip.Dirty() {
		return e.kept.vals.Load() // nil: it did not hold, and nothing has changed since
	}
	e.kept.empty()
	e.trip.Clear()
	e.reg.polls.Add(1)
	vals := make([]value.Value, e.nvals)
	before := e.plan.Load()
	p, failed, _ := before.Poll(l.w, &l.ts.th.Thread, e.trip, vals)
	if p != before {
		e.plan.Store(p)
		l.again = true
	}
	if failed != nil {
		return nil
	}
	e.kept.vals.Store(&vals)
	if p != before {
		return nil // what is polled now stands elsewhere in the tree
	}
	return &vals
}

// teach draws from all entries what the guards that fail teach.
func (ts *thread) teach(reg *Region, w *world) {
	var missed *guards.Guard
	var found value.Value
	for _, e := range reg.alive() {
		vals := make([]value.Value, e.nvals)
		g, got := guards.Check(e.guards, w, &ts.th.Thread, vals)
		if g == nil {
			continue
		}
		guards.Survey(e.guards, w, &ts.th.Thread, make([]value.Value, e.nvals), func(g *guards.Guard, got value.Value) { reg.learn(g, got, w) })
		missed, found = g, got
	}
	if missed != nil {
		reg.cause(missed, found)
	}
}

// writer tells guards that look at what the entry itself writes.
func (e *Entry) writer() func(g *guards.Guard, parent value.Value) bool {
	slots, whole := map[slotKey]bool{}, map[value.Value]bool{}
	for i := range e.effects {
		f := &e.effects[i]
		switch f.kind {
		case effGlobal, effAttr:
			slots[slotKey{idOf(f.obj), f.name}] = true
			if f.kind == effAttr {
				slots[slotKey{idOf(f.obj), ""}] = true // its shape, perhaps
			}
		case effCell, effAppend, effListSet, effListPop, effDictSet, effDictDel, effAdvance:
			whole[f.obj] = true
		}
	}
	if len(slots)+len(whole) == 0 {
		return nil
	}
	return func(g *guards.Guard, parent value.Value) bool {
		if whole[parent] {
			return true
		}
		switch g.Load {
		case guards.LoadGlobal, guards.LoadSlot:
			return slots[slotKey{idOf(parent), g.Name}]
		case guards.LoadNone:
			return g.Test == guards.TestShape && slots[slotKey{idOf(parent), ""}]
		}
		return false
	}
}

// Lookups looks n times for a recording of the region at a header where control
// stands, as a replay does, and carries none out. It tells how often there was one
// and how many guards were polled: for bench/guards.
func (tr *Tracer) Lookups(th *vm.Thread, at vm.Header, n int) (found, polled, marked int) {
	ts, ok := th.Regions.(*thread)
	if !ok {
		return 0, 0, 0
	}
	loopPC := at.PC
	if at.Entry {
		loopPC = -1
	}
	base := th.Depth()
	reg := ts.region(base, loopPC)
	for range n {
		e, st := ts.find(reg, ts.world(base, len(reg.chain)))
		if e == nil {
			continue
		}
		found++
		p := e.plan.Load()
		polled, marked = len(p.Args)+len(p.Late), len(p.Marked)
		e.leave(st)
	}
	return found, polled, marked
}
