package tracer

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/guards"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// exitKind says why a recording ended.
type exitKind uint8

const (
	exitReturn exitKind = iota
	exitHeader          // at the header where the region starts
	exitOuter           // at another loop's header, or behind the region's own loop
	exitBreak
	exitRaise // before an instruction that raises an exception which leaves the region
)

var exitNames = [...]string{"return", "next round", "outer", "break", "raise"}

// Entry is one recording of a region.
type Entry struct {
	reg     *Region
	guards  []guards.Guard
	nvals   int
	objects int

	graph  *graph.Graph
	dev    tensor.Device // of all its tensors
	exe    graph.Executable
	inputs []guards.Ref
	binds  []bind // what the graph's symbols stand for
	nums   []tensor.Number
	slots  []numSlot           // numbers that each run takes from the check
	states []*tensor.Generator // nil: the default one
	outs   []*val
	extra  []*graph.Value // outputs of the graph behind outs: what the backward needs
	tape   *liveTape
	writes []writeBack

	effects []effect
	frames  []frameRecipe
	// handling makes the exception that is being handled; nil: none.
	handling *recipe
	exit     exitKind
	why      string
	ops      int

	// Look-up (look.go).
	trip    *guards.Trip
	kept    *keeper
	plan    atomic.Pointer[guards.Plan]
	mu      sync.Mutex   // one poll at a time
	used    atomic.Int64 // the region's clock at the latest hit
	release func()       // undoes the carrier's hold
	// dyn and generic are what its region had learned when it was recorded.
	dyn, generic map[string]bool

	hits, fails atomic.Int64
}

// writeBack is a storage of the outside that gets new contents.
type writeBack struct {
	v     *val
	owner guards.Ref
	times int  // writes that it stands for: so many versions
	in    int  // its contents before, among the inputs; -1: nobody reads them
	alone bool // nothing else in the exit is v
	place bool // the graph writes it where it is
}

// bind gives a symbol of the graph its number: the offset of a tensor, or an
// expression.
type bind struct {
	tensor guards.Ref
	expr   *guards.Expr
}

// frameRecipe is one frame of an exit.
type frameRecipe struct {
	fn   *recipe // of frames that are pushed
	kind uint64
	pc   int
	regs []int
	vals []*recipe
}

// finish ends the recording at the current instruction.
func (r *recorder) finish(kind exitKind, why string) {
	// A fault of ours ends the recording, not the program.
	defer func() {
		if p := recover(); p != nil {
			if r.done {
				panic(p)
			}
			r.tr.warn(fmt.Sprint(p), fmt.Sprintf("larkspur: recording %s failed, it is interpreted: %v", r.reg, p))
			r.why = fmt.Sprint(p)
			r.reg.dead.Store(true)
			r.abort()
		}
	}()
	e := r.e
	e.exit, e.why = kind, why
	depth, pc := r.cur.depth, r.cur.pc
	if kind == exitBreak && depth == r.base+r.n0-1 && len(r.nodes) == 0 && len(e.effects) == 0 && r.steps == 0 {
		// The region's first instruction.
		r.reg.skip.Store(true)
		r.detach()
		r.await(depth, pc)
		return
	}
	if h := r.th.Handling; h != nil {
		e.handling = r.recipe(h.Value())
	}
	if r.steps == 0 {
		r.kill("an exit without progress")
	}
	if r.x.GradMode != r.mode && !r.modeTold() {
		r.kill("grad mode has changed")
	}
	for i := range e.effects {
		f := &e.effects[i]
		if f.obj.IsUnset() {
			continue
		}
		f.target = r.recipe(f.obj)
		if !f.key.IsUnset() {
			f.k = r.recipe(f.key)
		}
		if !f.val.IsUnset() {
			f.v = r.recipe(f.val)
		}
	}
	for _, w := range r.walked {
		e.effects = append(e.effects, effect{kind: effAdvance, obj: w.it.value(), target: w.from, i: w.st.n, ended: w.st.ended})
	}
	for i := r.base; i <= depth; i++ {
		f := r.th.FrameAt(i)
		fr := frameRecipe{kind: f.Kind, pc: f.PC}
		live := r.ts.live(f.Code)
		var set regSet
		if i == depth {
			fr.pc = pc
			set = live.before(pc)
		} else {
			set = waitingRegs(live, f, r.th.FrameAt(i+1))
		}
		if i > r.base {
			fr.fn = r.recipe(f.Fn.Value())
		}
		at := i - r.base
		known := at < r.n0 && at <= r.low
		for _, j := range set.list() {
			if known && i > r.base {
				r.readReg(at, j)
			} else if known {
				if _, unread := r.deferred[0].regs[j]; unread {
					continue // it stays as it is
				}
			}
			fr.regs = append(fr.regs, j)
			fr.vals = append(fr.vals, r.recipe(f.Regs[j]))
		}
		e.frames = append(e.frames, fr)
	}
	r.tapes()
	if why := r.x.Lost(); why != "" {
		r.plainSizes(why)
	}
	r.sizeGuards()
	r.aliasing()
	if r.why == "" {
		r.buildGraph()
	}
	if r.why != "" {
		r.abort()
		if kind == exitBreak || kind == exitRaise {
			// The interpreter goes on without us.
			return
		}
		return
	}
	if kind == exitBreak {
		r.tr.count(func(s *Stats) { s.Breaks++ })
	}
	e.effects = compact(e.effects)
	r.tr.dump("trace", r.reg.Name(), func() string { return e.text() })
	r.tr.dump("guards", r.reg.Name(), func() string { return e.guardText() })
	reg := r.reg
	e.dyn, e.generic = maps.Clone(reg.dyn), maps.Clone(reg.generic)
	r.handed = true
	r.detach()
	r.ts.compile(reg, e)
	reg.busy.Store(false)
	if kind == exitBreak {
		r.await(depth, pc)
	}
}

// waitingRegs are the registers that a frame needs while the one above it runs. The
// register of the result is none of them, unless a handler wants what it held, or
// a constructor's instance waits in it.
func waitingRegs(live *liveness, f, above vm.Frame) regSet {
	set := live.waiting(f.PC - 1)
	a := int(f.Code.Ins[f.PC-1].A()) / bytecode.RegSize
	switch {
	case above.Constructs:
		set.add(a)
	case !live.raised(f.PC - 1).has(a):
		set.del(a)
	}
	return set
}

// await lets the interpreter do the instruction at which the recording broke.
func (r *recorder) await(depth, pc int) {
	f := r.th.FrameAt(depth)
	// Within the instruction itself its pc has passed already.
	r.ts.hold(&waiting{depth: depth, base: r.base, fn: f.Fn, pc: pc, executed: f.PC != pc, loopPC: r.reg.loopPC})
}

// modeTold reports a change of grad mode that is among the effects.
func (r *recorder) modeTold() bool {
	for _, e := range r.e.effects {
		if e.kind == effGradMode {
			return true
		}
	}
	return false
}

// compact drops grad mode effects but the last.
func compact(es []effect) []effect {
	last := -1
	for i, e := range es {
		if e.kind == effGradMode {
			last = i
		}
	}
	out := es[:0]
	for i, e := range es {
		if e.kind != effGradMode || i == last {
			out = append(out, e)
		}
	}
	return out
}

// aliasing guards that written objects and storages are no others under another
// name.
func (r *recorder) aliasing() {
	for _, o := range r.order {
		s := r.src[o]
		if s == nil {
			continue
		}
		r.add(guards.Guard{A: s.Ref(), Test: guards.TestWritable, Dst: -1, Source: s})
		for i, t := range r.sources {
			if t == s || t.Fixed() && s.Fixed() {
				continue
			}
			if r.objects[i].n != o.n { // of another type
				continue
			}
			r.add(guards.Guard{A: s.Ref(), B: t.Ref(), Test: guards.TestDistinct, Dst: -1, Source: s})
		}
	}
	for i, a := range r.inputs {
		for j, b := range r.inputs {
			if i == j || !a.wrote || b.wrote && j < i {
				continue
			}
			r.add(guards.Guard{A: a.owner.Ref(), B: b.owner.Ref(), Test: guards.TestApart, Dst: -1, Source: a.owner})
		}
		if a.wrote {
			r.e.writes = append(r.e.writes, writeBack{v: a.cur, owner: a.owner.Ref(), times: a.times, in: -1})
		}
	}
}

// mayRaise reports ops whose kernels look at data before they take it as an index:
// they stay even if nobody needs their result.
func mayRaise(n *node) bool {
	d := n.call.Def
	return d.State || n.target == nil && (d.Index != nil || d.Scatter != nil || d.Extern != nil)
}

// buildGraph makes the graph of what outputs, write-backs and possible errors need.
func (r *recorder) buildGraph() {
	e := r.e
	need := map[*node]bool{}
	var mark func(v *val)
	mark = func(v *val) {
		v = v.is()
		if v.node == nil || need[v.node] {
			return
		}
		need[v.node] = true
		for _, o := range v.node.in {
			if o.v != nil {
				mark(o.v)
			}
		}
	}
	out := map[*val]bool{}
	keep := func(v *val) {
		if !out[v] {
			out[v] = true
			e.outs = append(e.outs, v)
		}
		mark(v)
	}
	inHand := map[*storage]bool{}
	for _, m := range r.memo {
		if m.t != nil && m.t.own != nil {
			if m.t.own.cur.node == nil {
				r.kill("BUG: memory of the region that no op made")
				return
			}
			out[m.t.own.cur], inHand[m.t.own] = true, true
		}
	}
	for _, v := range r.lates {
		if st := v.late; st.owner != nil || inHand[st] {
			v.now = nil
		}
	}
	reachable := maps.Clone(out)
	for v := range out {
		e.outs = append(e.outs, v)
	}
	sort.Slice(e.outs, func(i, j int) bool { return e.outs[i].id < e.outs[j].id })
	for _, v := range e.outs {
		mark(v)
	}
	for i, w := range e.writes {
		if w.v.node == nil {
			r.kill("BUG: a write-back that is an input")
			return
		}
		e.writes[i].alone = !out[w.v]
		keep(w.v)
	}
	for _, v := range r.grads {
		mark(v)
	}
	for i, n := range r.nodes {
		if mayRaise(n) && (e.tape == nil || i < r.tapeFrom) {
			for _, v := range n.out {
				mark(v)
			}
		}
	}
	g := &graph.Graph{Ctx: r.ctx}
	vals := map[*val]*graph.Value{}
	for _, st := range r.inputs {
		v := st.before
		used := false
		for n := range need {
			for _, o := range n.in {
				used = used || o.v.is() == v
			}
		}
		if used {
			vals[v] = g.NewInput(v.dtype, v.len)
			for i := range e.writes {
				if e.writes[i].v == st.cur {
					e.writes[i].in = len(e.inputs)
				}
			}
			e.inputs = append(e.inputs, st.owner.Ref())
		}
	}
	forward := len(g.Inputs)
	if len(r.grads) > 0 {
		for _, v := range r.tangents {
			vals[v] = g.NewInput(v.dtype, v.len)
		}
		read := map[*val]bool{}
		for n := range need {
			for _, o := range n.in {
				read[o.v] = true
			}
		}
		r.lates = slices.DeleteFunc(r.lates, func(v *val) bool { return v.now != nil || !read[v] })
		for _, v := range r.lates {
			vals[v] = g.NewInput(v.dtype, v.len)
		}
	}
	states := map[*tensor.Generator]int{}
	for _, n := range r.nodes {
		if !need[n] {
			continue
		}
		gn := &graph.Node{Call: n.call, OutMeta: n.meta, Target: n.target, State: -1}
		for k, o := range n.in {
			switch {
			case o.v != nil:
				gn.In = append(gn.In, graph.Operand{Value: vals[o.v.is()], Meta: *o.m})
			default:
				gn.In = append(gn.In, graph.Operand{Num: n.target == nil && n.call.IsNum(k)})
			}
		}
		if n.target == nil {
			r.numbers(gn)
		} else {
			gn.Fixed = true
		}
		if n.call.Def.State {
			i, ok := states[n.gen]
			if !ok {
				i = len(e.states)
				states[n.gen] = i
				e.states = append(e.states, n.gen)
			}
			gn.State = i
		}
		g.Add(gn)
		for j, v := range n.out {
			gn.Out[j].Len = v.len
			vals[v] = gn.Out[j]
		}
		e.ops++
	}
	g.States, g.Nums = len(e.states), len(e.nums)
	for _, v := range e.outs {
		g.Outputs = append(g.Outputs, vals[v])
	}
	if len(r.grads) > 0 {
		loose := map[*graph.Value]bool{} // what the program has in hand
		for _, st := range r.inputs {
			if w := vals[st.before]; w != nil && st.owner.Step != "constant" {
				loose[w] = true
			}
		}
		for _, v := range e.outs {
			if reachable[v] {
				loose[vals[v]] = true
			}
		}
		for _, v := range r.grads {
			g.Outputs = append(g.Outputs, vals[v])
		}
		outs := len(e.outs)
		g = r.joint(g, forward, loose)
		e.extra = g.Outputs[outs:]
		e.ops = len(g.Nodes)
	}
	g.Ctx.Freeze()
	if err := graph.Verify(g); err != nil {
		r.kill("BUG: %s", err)
		return
	}
	e.graph = g
}

// numSlot is a number of the graph that is a value of the check.
type numSlot struct{ slot, kept int }

// numbers gives a node its numbers: constants of the graph, or slots where one of
// them comes from outside.
func (r *recorder) numbers(gn *graph.Node) {
	c, e := gn.Call, r.e
	nums := c.Numbers(nil)
	gn.Fixed = true
	for i, n := range nums {
		if n.By == nil || n.By.Tracer == nil {
			continue
		}
		x := numberExpr(n)
		if x.Kind == guards.ExprConst {
			continue
		}
		gn.Fixed = false
		e.slots = append(e.slots, numSlot{len(e.nums) + i, r.kept(x, number(n.Bare()))})
	}
	if len(nums) == 0 {
		return
	}
	if !gn.Fixed {
		for i := range nums {
			nums[i] = nums[i].Bare()
		}
		gn.Num = len(e.nums)
		e.nums = append(e.nums, nums...)
	}
	// What is compiled knows nothing of the recording.
	for i := range c.Args {
		c.Args[i].N.By = nil
		if l, ok := c.Args[i].P.([]tensor.Number); ok {
			l = append([]tensor.Number(nil), l...)
			for j := range l {
				l[j].By = nil
			}
			c.Args[i].P = l
		}
	}
	if len(c.Nums) > 0 {
		c.Nums = append([]op.Operand(nil), c.Nums...)
		for i := range c.Nums {
			c.Nums[i].N.By = nil
		}
	}
}

// ablate leaves out the tests of one kind.
func (e *Entry) ablate(skip guards.Test) {
	kept := e.guards[:0]
	for _, g := range e.guards {
		if g.Test == skip {
			if g.Dst < 0 {
				continue
			}
			g.Test = guards.TestNone
		}
		kept = append(kept, g)
	}
	e.guards = kept
}

// compile makes the entry's code and installs it.
func (ts *thread) compile(reg *Region, e *Entry) {
	tr := ts.tr
	if tr.opts.Skip != guards.TestNone {
		e.ablate(tr.opts.Skip)
	}
	if !e.mark(ts, ts.world(0, 0), e.writer()) {
		reg.failed("a place has changed without a write", true)
		return
	}
	if e.ops == 0 {
		// Without tensor operations the interpreter is as quick. Recordings up to
		// a break lead to what is behind it.
		if e.exit != exitBreak && e.exit != exitRaise && !tr.opts.Plain && reg.tree.Load() == nil {
			if reg.empty++; reg.empty > 2 {
				reg.dead.Store(true)
				reg.mu.Lock()
				reg.Reason = "no tensor operations"
				reg.mu.Unlock()
			}
			return
		}
		reg.insert(e, tr.opts.MaxEntries, tr.opts.Keep)
		return
	}
	tr.count(func(s *Stats) {
		s.Graphs++
		s.Ops += e.ops
		if reg.tree.Load() != nil {
			s.Recompiles++
		}
	})
	tr.dump("graph", reg.Name(), e.graph.String)
	reg.mark.captured(e)
	if !tr.opts.Background || reg.mark != nil && (reg.mark.Wait || reg.mark.FullGraph) {
		exe, err := tr.code(e)
		ts.install(reg, e, exe, err)
		return
	}
	p := &pending{entry: e}
	reg.pending.Store(p)
	reg.mu.Lock()
	reg.trap(true)
	reg.mu.Unlock()
	go func() {
		workers <- struct{}{}
		began := time.Now()
		p.exe, p.err = tr.code(e)
		p.took = time.Since(began)
		<-workers
		p.ready.Store(true)
	}()
}

// pending is an entry whose code is being made. Its marks are set already, so
// whatever changes meanwhile makes it dirty.
type pending struct {
	entry *Entry
	exe   graph.Executable
	err   error
	took  time.Duration
	ready atomic.Bool
}

// code compiles an entry's graph. It may run beside the thread: it touches
// nothing but the graph.
func (tr *Tracer) code(e *Entry) (exe graph.Executable, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	c := tr.opts.Compiler
	if m := e.reg.mark; m != nil {
		c = m.Compiler
	}
	exe, err = c.Compile(context.Background(), e.graph)
	if err == nil && e.tape != nil {
		e.tape.compiler = c
		err = e.tape.prepare()
	}
	return exe, err
}

// settle installs an entry whose code has become ready.
func (ts *thread) settle(reg *Region) {
	if p := reg.pending.Load(); p != nil && p.ready.Load() && reg.pending.CompareAndSwap(p, nil) {
		if ts.auto != nil {
			ts.auto.spent += p.took / 2 // another processor's, often
		}
		ts.install(reg, p.entry, p.exe, p.err)
	}
}

// workers bounds the compilations that run beside the interpreters of a process.
var workers = make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))

// install makes an entry one that is looked up.
func (ts *thread) install(reg *Region, e *Entry, exe graph.Executable, err error) {
	tr := ts.tr
	if err != nil {
		reg.dead.Store(true) // the same graph would fail again
		tr.warn(err.Error(), fmt.Sprintf("larkspur: compiling %s failed, it is interpreted: %s", reg, err))
		reg.failed(err.Error(), true)
		reg.mu.Lock()
		reg.trap(reg.tree.Load() != nil)
		reg.mu.Unlock()
		e.trip.Drop()
		return
	}
	e.exe = exe
	e.choosePlaces()
	for _, stage := range []string{"decomp", "loops", "plan"} {
		tr.dump(stage, reg.Name(), func() string { return exe.Dump(stage) })
	}
	reg.insert(e, tr.opts.MaxEntries, tr.opts.Keep)
}

// choosePlaces asks which write-backs the graph can write where they are.
func (e *Entry) choosePlaces() {
	x, ok := e.exe.(graph.InPlacer)
	if !ok || e.tape != nil {
		return
	}
	for i := range e.writes {
		w := &e.writes[i]
		for j, v := range e.outs {
			if v == w.v && w.alone {
				w.place = x.InPlace(j, w.in)
			}
		}
	}
}

func (e *Entry) guardText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d guards\n", e.reg, len(e.guards))
	for i := range e.guards {
		fmt.Fprintf(&b, "  %s\n", &e.guards[i])
	}
	return b.String()
}

func (e *Entry) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d guards, %d ops, %d effects, exit: %s (%s)\n", e.reg, len(e.guards), e.ops, len(e.effects), exitNames[e.exit], e.why)
	for i := range e.effects {
		f := &e.effects[i]
		fmt.Fprintf(&b, "  effect %s %s\n", effectNames[f.kind], f.name)
	}
	for _, f := range e.frames {
		fmt.Fprintf(&b, "  frame pc %d registers %v\n", f.pc, f.regs)
	}
	return b.String()
}
