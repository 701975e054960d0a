package tracer

import (
	"fmt"
	"time"
	"weak"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/guards"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// slotKey names a mutable place: an attribute, a global, the content of a cell.
type slotKey struct {
	obj  identity
	name string
}

// recorder makes one recording. It implements value.Observer and eager.Observer.
type recorder struct {
	ts     *thread
	tr     *Tracer
	th     *vm.Thread
	x      *eager.Context
	reg    *Region
	e      *Entry
	placed bool // e.dev is known
	base   int
	n0     int // frames at the start
	low    int // the lowest frame that control has been in
	fn     *vm.Function
	mode   bool // grad mode as the program has set it; of the context

	broken cause // what breakAt was called for
	left   bool  // by an exception of the program
	start  time.Time
	called bool   // the top frame is that of a call to be broken before
	raise  error  // thrown in place of a break
	handed bool   // finish keeps the region busy until the entry is in its place
	why    string // why the recording is dead; "" while it lives
	done   bool
	steps  int
	// The state at the start of the current instruction, to which a break cuts
	// the recording back.
	cur struct {
		depth, pc                    int
		nodes, effects, writes, vals int
		own                          int
		op                           bytecode.Op
		moves                        bool    // a call that only moves what it reads
		index                        *symbol // of the list's element that is read next
	}
	writes int // effects and writes to tensors so far
	own    int // writes to objects of the region

	born    map[identity]bool
	src     map[identity]*guards.Source
	sources []*guards.Source // in order, and their objects
	objects []identity
	classes map[*value.Class]bool
	slots   map[slotKey]value.Value
	last    map[slotKey]int // number of the effect that wrote it
	touched map[identity]bool
	order   []identity // touched, in order
	lists   map[weak.Pointer[value.List]]*listState
	dicts   map[identity]*dictState
	iters   map[identity]*iterState
	walked  []walked          // outside iterators, in order
	inners  map[identity]bool // iterators that outside ones draw from
	symbols []*symbol
	leaks   []func() // put numbers where the program's objects hold symbols
	// Tuples with symbols in them by the tuples for which they stand, and back.
	stands, origin map[value.Value]value.Value
	exprs          map[exprKey]*guards.Expr
	told           map[*guards.Expr]bool // outcomes and values that are guarded
	kepts          map[*guards.Expr]int  // under which number the check keeps a value
	traces         []*tensor.Trace

	deferred []*deferred // by frame

	ctx      *sym.Ctx // of the graph: offsets of inputs
	nodes    []*node
	values   int
	storages map[weak.Pointer[tensor.Storage]]*storage
	inputs   []*storage
	bornT    map[weak.Pointer[eager.Tensor]]bool
	metas    map[*tensor.Meta]bool // of tensors that are known
	syms     map[*guards.Expr]sym.Int
	known    []value.Value  // what the check keeps: numbers at hand
	computed []*guards.Expr // and what it computes them from
	lens     map[identity]*guards.Expr
	retry    bool // given up only to be recorded otherwise
	seq      uint64

	taped    []*eager.Tensor // tensors of the exit that are on the tape
	hung     []*eager.Tensor // tensors of the outside whose history has changed
	was      map[eager.Edge]*eager.Tensor
	seen     []seenView // views of the outside
	hidden   bool       // the write at hand is not counted
	pulling  bool       // the backward pass of the exit is recorded
	tapeFrom int        // nodes and values from here on are that pass's
	valFrom  int
	tangents []*val
	grads    []*val
	keeps    []*storage // memory that the tape keeps
	lates    []*val     // what is in it when the backward pass runs

	memo map[value.Value]*recipe // from finish on
}

// start begins a recording at a region.
func (ts *thread) start(reg *Region, base int, broken *waiting) {
	th := ts.th
	r := &recorder{ts: ts, tr: ts.tr, th: th, reg: reg, base: base, n0: len(reg.chain),
		e: &Entry{reg: reg}, ctx: sym.NewCtx(), x: ts.tr.opts.Context(&th.Thread),
		born: map[identity]bool{}, src: map[identity]*guards.Source{}, classes: map[*value.Class]bool{},
		slots: map[slotKey]value.Value{}, last: map[slotKey]int{}, touched: map[identity]bool{}, lists: map[weak.Pointer[value.List]]*listState{},
		dicts: map[identity]*dictState{}, iters: map[identity]*iterState{}, inners: map[identity]bool{}, storages: map[weak.Pointer[tensor.Storage]]*storage{},
		bornT: map[weak.Pointer[eager.Tensor]]bool{}, metas: map[*tensor.Meta]bool{}, syms: map[*guards.Expr]sym.Int{}, lens: map[identity]*guards.Expr{}, stands: map[value.Value]value.Value{}, origin: map[value.Value]value.Value{}, exprs: map[exprKey]*guards.Expr{}, told: map[*guards.Expr]bool{}, kepts: map[*guards.Expr]int{}, memo: map[value.Value]*recipe{}, was: map[eager.Edge]*eager.Tensor{}}
	r.fn, r.low = th.FrameAt(base).Fn, r.n0-1
	r.ctx.Pins()
	r.x.TraceSizes()
	r.mode = r.x.GradMode
	r.seq = r.x.Seq()
	ts.tr.count(func(s *Stats) { s.Records++ })
	r.clockOn()
	r.add(guards.Guard{Load: guards.LoadMode, Test: guards.TestMode, Mode: modesOf(r.x), Dst: -1, Source: &guards.Source{Step: "modes", ID: -1}})
	for i := range r.n0 {
		f := th.FrameAt(base + i)
		root := &guards.Source{Step: fmt.Sprintf("frame %d ", i), ID: -1}
		r.note(guards.Guard{Load: guards.LoadFn, I: i}, root, "function", f.Fn.Value(), false)
		live := ts.live(f.Code)
		set := live.before(f.PC)
		result := -1
		if i < r.n0-1 {
			set = waitingRegs(live, f, th.FrameAt(base+i+1))
		} else if broken != nil && broken.pc < len(f.Code.Ins) {
			if w := f.Code.Ins[broken.pc]; w.Op().Row().Result == bytecode.ToA {
				result = int(w.A()) / bytecode.RegSize
			}
		}
		iter := iterRegs(f.Code)
		d := &deferred{root: root, code: f.Code, regs: map[int]bool{}}
		r.deferred = append(r.deferred, d)
		for _, j := range set.list() {
			d.regs[j] = j == result || iter[j] && f.Regs[j].IsInt()
		}
		// What the machine reads itself, and what is shared by functions, is read now.
		if readsLocals(f.Code) {
			r.readAll(i)
		}
		if i < r.n0-1 { // where the frame above it leaves its result
			r.readReg(i, int(f.Code.Ins[f.PC-1].A())/bytecode.RegSize)
		}
		for _, c := range f.Code.Cells {
			r.readReg(i, c.Reg)
		}
		for k := range f.Code.Handlers {
			r.readReg(i, f.Code.Handlers[k].Reg)
			r.readReg(i, f.Code.Handlers[k].Reg+1)
		}
	}
	ts.rec = r
	th.Observer, th.Before, th.Unobserved, th.Raising = r, ts.before, r.unobserved, r.raising
	r.x.Observer, r.x.Mark = r, &eager.Mark{}
}

// deferred are registers of one of the region's frames that nothing has read yet:
// they are guarded when an instruction names them.
type deferred struct {
	root *guards.Source
	code *bytecode.Code
	regs map[int]bool // whether a number in it is symbolic at once
}

// readReg guards register j of frame i, which is about to be read or written.
func (r *recorder) readReg(i, j int) {
	d := r.deferred[i]
	now, ok := d.regs[j]
	if !ok {
		return
	}
	delete(d.regs, j)
	regs := r.th.FrameAt(r.base + i).Regs
	v := regs[j]
	if w := r.note(guards.Guard{Load: guards.LoadReg, I: i, J: j}, d.root, regName(d.code, j), v, now); w != v {
		regs[j] = w
	}
}

// readRegs guards the registers that an instruction of frame i names.
func (r *recorder) readRegs(i int, w bytecode.Ins) {
	if len(r.deferred[i].regs) == 0 {
		return
	}
	row := w.Op().Row()
	for k, v := range [3]uint16{w.A(), w.B(), w.C()} {
		j, n := int(v)/bytecode.RegSize, 0
		switch [3]bytecode.Kind{row.A, row.B, row.C}[k] {
		case bytecode.Src, bytecode.Mod, bytecode.Dst:
			n = 1
		case bytecode.Opt:
			if v != bytecode.NoReg {
				n = 1
			}
		case bytecode.Iter:
			n = 3
		case bytecode.Catch:
			n = 2
		}
		for ; n > 0; n-- {
			r.readReg(i, j+n-1)
		}
	}
	base, n := window(w)
	if w.Op() == bytecode.UNPACKEX {
		n = len(r.th.FrameAt(r.base+i).Regs) - base
	}
	for ; n > 0; n-- {
		r.readReg(i, base+n-1)
	}
}

// readAll guards what is left of frame i.
func (r *recorder) readAll(i int) {
	for j := range r.deferred[i].code.NumRegs {
		r.readReg(i, j)
	}
}

func regName(c *bytecode.Code, j int) string {
	for _, cell := range c.Cells {
		if cell.Reg == j {
			return "cell " + cell.Name
		}
	}
	if j < len(c.Locals) {
		return "local " + c.Locals[j]
	}
	return fmt.Sprintf("r%d", j)
}

// iterRegs are the registers that hold positions of iterations: the second and
// third of each FORITER's.
func iterRegs(c *bytecode.Code) map[int]bool {
	m := map[int]bool{}
	for _, w := range c.Ins {
		if w.Op() == bytecode.FORITER {
			b := int(w.B()) / bytecode.RegSize
			m[b+1], m[b+2] = true, true
		}
	}
	return m
}

// kill makes the recording worthless. It stays attached until control is back
// where it can be taken off.
func (r *recorder) kill(format string, a ...any) {
	if r.why == "" {
		r.why = fmt.Sprintf(format, a...)
	}
}

func (r *recorder) alive() bool { return r.why == "" && !r.done }

func (r *recorder) add(g guards.Guard) { r.e.guards = append(r.e.guards, g) }

// keep numbers a value that a check keeps.
func (r *recorder) keep() int {
	r.e.nvals++
	return r.e.nvals - 1
}

// before runs before each instruction while a recording is made.
func (r *recorder) before() bool {
	th := r.th
	depth := th.Depth()
	if r.why != "" {
		if r.underGo(depth) && (len(r.symbols) > 0 || r.reg.mark != nil) {
			return false // Go code may hold numbers that are symbols
		}
		r.abort()
		return true
	}
	if depth < r.base || th.FrameAt(r.base).Fn != r.fn {
		r.left = true
		r.kill("an exception left the region")
		r.abort()
		return true
	}
	f := th.FrameAt(depth)
	if f.Code == nil {
		return false // a native frame is stepped by whoever is above it
	}
	w := f.Code.Ins[f.PC]
	if why := r.keptOut(f, depth); why != NoReason {
		return r.breakAtCall(why)
	}
	r.cur.depth, r.cur.pc, r.cur.op = depth, f.PC, w.Op()
	r.cur.moves = movesItems(f, w)
	r.cur.nodes, r.cur.effects, r.cur.writes = len(r.nodes), len(r.e.effects), r.writes
	r.cur.own = r.own
	if depth == r.base {
		switch {
		case w.Op() == bytecode.RET:
			r.finish(exitReturn, "return")
			return true
		case f.PC == r.reg.loopPC && r.steps > 0:
			r.finish(exitHeader, "next round")
			return true
		case r.steps > 0 && r.encloses(f.Code, f.PC, w):
			r.finish(exitOuter, "enclosing loop")
			return true
		case r.reg.loopPC >= 0 && r.steps > 0 && r.leftLoop(f.Code, f.PC):
			r.finish(exitOuter, "loop ends")
			return true
		case w.Op() == bytecode.YIELD || w.Op() == bytecode.SEND:
			return r.breakBefore(cause{Reason: Yield})
		}
	}
	if f.Gen != nil && !r.born[idOf(f.Gen.Value())] {
		r.kill("generator from outside")
		return false
	}
	if r.ts.blocked[place{f.Code, f.PC}] {
		return r.breakBefore(cause{Reason: Callback})
	}
	if why := r.cannot(f, w); why.Reason != NoReason {
		return r.breakBefore(why)
	}
	if r.steps++; r.steps > r.tr.opts.MaxSteps {
		r.kill("too many instructions")
	}
	if len(r.nodes) > r.tr.opts.MaxNodes {
		r.kill("too many tensor operations")
	}
	if i := depth - r.base; i < r.n0 && !r.gone(i) {
		r.readRegs(i, w)
	}
	r.sweepOperands(f, w)
	return false
}

// gone reports a frame of the region's start that has returned: another one stands
// in its place.
func (r *recorder) gone(i int) bool {
	if depth := r.th.Depth() - r.base; depth < r.low {
		r.low = depth
	}
	return i > r.low
}

// underGo reports whether Go code waits between the region's base and the top.
func (r *recorder) underGo(depth int) bool {
	for i := r.base + 1; i <= depth; i++ {
		if r.th.FrameAt(i).Entry {
			return true
		}
	}
	return false
}

// encloses reports an instruction that begins another round of a loop around the
// region's own.
func (r *recorder) encloses(c *bytecode.Code, pc int, w bytecode.Ins) bool {
	if w.Op() != bytecode.LOOP && w.Op() != bytecode.FORITER || r.reg.loopPC < 0 {
		return false
	}
	target := pc + 1 + w.Jump()
	if w.Op() == bytecode.FORITER {
		return pc > r.reg.loopPC && target <= r.reg.loopPC
	}
	return target < r.reg.loopPC && r.reg.loopPC < pc
}

// leftLoop reports that control is outside the region's loop.
func (r *recorder) leftLoop(c *bytecode.Code, pc int) bool {
	lo, hi := loopRange(c, r.reg.loopPC)
	return pc < lo || pc > hi
}

// loopRange is the range of instructions of the loop with this header.
func loopRange(c *bytecode.Code, header int) (lo, hi int) {
	if w := c.Ins[header]; w.Op() == bytecode.FORITER {
		return header + 1 + w.Jump(), header
	}
	hi = header
	for pc, w := range c.Ins {
		if w.Op() == bytecode.LOOP && pc+1+w.Jump() == header {
			hi = max(hi, pc)
		}
	}
	return header, hi
}

// cannot says what of an instruction cannot be recorded.
func (r *recorder) cannot(f vm.Frame, w bytecode.Ins) cause {
	switch w.Op() {
	case bytecode.IMPORT, bytecode.IMPORTFROM, bytecode.IMPORTSTAR, bytecode.LOAD:
		return cause{Reason: Import}
	case bytecode.CLASS, bytecode.GETNAME, bytecode.SETNAME, bytecode.DELNAME, bytecode.GETNAMEFREE:
		return cause{Reason: ClassBody}
	case bytecode.DISPLAY:
		return cause{Reason: Display}
	case bytecode.FORITER, bytecode.SEND:
		return r.walks(f.Regs[int(w.B())/bytecode.RegSize])
	case bytecode.SETATTR, bytecode.DELATTR:
		switch f.Code.Sites[w.C()].Name {
		case "__class__", "__dict__":
			return cause{Reason: ClassChange}
		}
	}
	return cause{}
}

// walks says why an iterator cannot be advanced in a recording.
func (r *recorder) walks(it value.Value) cause {
	if it.Is(vm.ItabGenerator) && !r.born[idOf(it)] {
		return cause{Reason: Generator}
	}
	switch o := it.Starlark().(type) {
	case *value.Enumerate:
		return r.walks(o.It)
	case *value.Zip:
		for _, i := range o.Its {
			if why := r.walks(i); why.Reason != NoReason {
				return why
			}
		}
	}
	return cause{}
}

// breakBefore ends the recording before the instruction that is next.
func (r *recorder) breakBefore(why cause) bool {
	r.breakAt(why)
	return r.why == "" || r.raise != nil
}

// breakAt ends the recording before the current instruction, of which part may
// have been done: what it has recorded is cut off.
func (r *recorder) breakAt(why cause) {
	if !r.alive() {
		return
	}
	if r.pulling {
		r.kill("the backward pass of the exit: %s", why)
		return
	}
	r.broken = why
	if r.writes != r.cur.writes {
		r.kill("break after a write in one instruction: %s", why)
		return
	}
	depth := r.cur.depth
	for i := r.base; i <= depth; i++ {
		if f := r.th.FrameAt(i); f.Fn == nil || f.Gen != nil || i > r.base && !f.Plain {
			r.block(depth, why)
			r.kill("break where a frame cannot be rebuilt: %s", why)
			return
		}
	}
	for i := depth + 1; i <= r.th.Depth(); i++ {
		if f := r.th.FrameAt(i); !f.Native && !(r.called && i == r.th.Depth()) {
			r.block(depth, why)
			r.kill("break under a call from Go: %s", why)
			return
		}
	}
	r.nodes = r.nodes[:r.cur.nodes]
	r.e.effects = r.e.effects[:r.cur.effects]
	r.noteBreak(why)
	if r.unsupported(why) {
		r.kill("%s", why)
		r.detach()
		return
	}
	r.finish(exitBreak, why.String())
}

// raising ends the recording before the current instruction, which has raised an
// exception that leaves the region: the interpreter raises it again.
func (r *recorder) raising(x *value.Raised) {
	if !r.alive() || r.pulling || r.raise != nil || r.th.Depth() != r.cur.depth {
		return
	}
	if caught, known := r.th.Handler(r.base, x); caught || !known {
		if eager.TellsVersions(x.Message()) { // of which no guard speaks
			r.kill("an error that names versions of a tensor")
		}
		return
	}
	if r.writes != r.cur.writes || r.own != r.cur.own {
		r.kill("an exception after a write in one instruction leaves the region")
		return
	}
	for i := r.base; i <= r.cur.depth; i++ {
		if f := r.th.FrameAt(i); f.Fn == nil || f.Gen != nil || i > r.base && !f.Plain {
			r.kill("an exception leaves the region where a frame cannot be rebuilt")
			return
		}
	}
	if r.steps <= 1 {
		r.kill("the region raises at once")
		return
	}
	r.nodes = r.nodes[:r.cur.nodes]
	r.e.effects = r.e.effects[:r.cur.effects]
	r.finish(exitRaise, "raise "+x.Class.Name)
}

// block notes the innermost instruction below which a frame stands that cannot
// be rebuilt, so that the next recording breaks before it.
func (r *recorder) block(depth int, why cause) {
	if why.Reason == Import {
		return // the next time there is nothing to import
	}
	for i := r.base; i <= depth; i++ {
		f := r.th.FrameAt(i)
		if i > r.base && (!f.Plain || f.Fn == nil) {
			if below := r.th.FrameAt(i - 1); below.Code != nil {
				r.ts.blocked[place{below.Code, below.PC - 1}] = true
				return
			}
		}
	}
}

// abort throws the recording away.
func (r *recorder) abort() {
	if r.retry { // the next recording is made otherwise
		r.detach()
		return
	}
	r.tr.count(func(s *Stats) { s.Aborts++ })
	r.reg.failed(r.why, r.raise == nil)
	if r.raise == nil && !r.left && r.reg.mark != nil {
		if stack := r.stack(); len(stack) > 0 {
			r.reg.mark.broke(&Break{Reason: GivenUp, Detail: r.why, At: stack[len(stack)-1], Stack: stack, Count: 1})
		}
		switch {
		case r.broken.Reason != NoReason:
			r.unsupported(r.broken)
		case r.whole():
			r.tr.warn(r.reg.String(), fmt.Sprintf("larkspur: torch.compile(fullgraph=True): %s cannot be recorded and is interpreted: %s", r.reg, r.why))
		}
	}
	r.tr.dump("trace", r.reg.Name(), func() string { return fmt.Sprintf("%s: aborted at %s: %s\n", r.reg, r.where(), r.why) })
	r.detach()
}

// where is the current instruction, and why the recording was to end there.
func (r *recorder) where() string {
	if f := r.th.FrameAt(min(r.cur.depth, r.th.Depth())); f.Code != nil && r.cur.pc < len(f.Code.Ins) {
		s := fmt.Sprintf("%s:%d", f.Code.Program.File, f.Code.At(r.cur.pc).Start.Line)
		if r.e.why != "" {
			s += " (" + r.e.why + ")"
		}
		return s
	}
	return "?"
}

// detach takes the recorder off and the symbols out of what the program can reach.
func (r *recorder) detach() {
	r.done = true
	r.clockOff()
	r.sweep()
	r.x.Untrace()
	for _, t := range r.traces {
		t.Tracer = nil
	}
	r.th.Observer, r.th.Unobserved, r.th.Raising, r.x.Observer, r.x.Mark = nil, nil, nil, nil, nil
	r.ts.rec = nil
	if !r.handed {
		r.reg.busy.Store(false)
	}
	r.ts.rest()
}

// unobserved runs what belongs to the outside: a module that is made when it is
// first asked for. Nothing of it is recorded; what it makes is reached by sources.
func (r *recorder) unobserved(f func()) {
	observer, before, ops := r.th.Observer, r.th.Before, r.x.Observer
	r.th.Observer, r.th.Before, r.x.Observer = nil, nil, nil
	defer func() {
		if !r.done {
			r.th.Observer, r.th.Before, r.x.Observer = observer, before, ops
		}
	}()
	f()
}
