package tracer

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/guards"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// Options are what a Tracer works with.
type Options struct {
	Compiler graph.Compiler
	// Context is the tensor context of a thread, and Wrap the language's object
	// of a tensor.
	Context func(*value.Thread) *eager.Context
	Wrap    func(*eager.Tensor) value.Value
	// Threshold is how many calls or rounds make a header hot.
	Threshold int
	// Background compiles beside the interpreter; else a recording waits for its
	// code.
	Background bool
	// MaxSteps and MaxNodes bound one recording, MaxEntries those of a region; 0
	// means 50,000, 5,000 and 64.
	MaxSteps, MaxNodes, MaxEntries int
	// Plain keeps recordings without tensor operations too (tests).
	Plain bool
	// Dump, if set, gets the text of a stage: trace, guards, breaks, graph.
	Dump func(stage, name, text string)
	// Warn gets one line about a fault of our own; nil: it is dropped.
	Warn func(string)
	// Auto lets the time that things take decide what is recorded (auto.go).
	Auto bool
	// Share bounds what Auto spends on recording: one part in so many of the time
	// that a thread runs; 0 means 20.
	Share int
	// Manual records functions with a Marking alone.
	Manual bool
	// Keep keeps recordings whose objects are gone, for reports.
	Keep bool
	// Skip is a kind of test that checks leave out, for ablation tests; 0: none.
	Skip guards.Test
}

// A Tracer makes and keeps the recordings of a Runtime.
type Tracer struct {
	opts Options

	mu      sync.Mutex
	regions []*Region
	table   map[string]*Region // by chain: recordings are shared by all threads
	replays atomic.Int64
	tapes   atomic.Int64
	stats   Stats
	breaks  map[breakKey]*Break
	warned  map[string]bool
	marks   atomic.Bool // there are functions with a mark
	twice   atomic.Bool // the program may differentiate gradients
}

// Twice tells that the program may differentiate gradients again (create_graph). A
// compiled backward pass cannot be, and which of a region's tapes will be shows only
// later. So from now on none is made of what runs often, and none is replayed; who marks
// a function asks for PyTorch's behaviour.
func (tr *Tracer) Twice() { tr.twice.Store(true) }

// Stats counts what a Tracer has done.
type Stats struct {
	Records, Replays, Aborts, Breaks, Failures int
	// Graphs that have tensor operations, and how many; Recompiles are those of a
	// region that had a recording already.
	Graphs, Ops, Recompiles int
	// Tapes are replays that left tensors on the tape of a compiled backward.
	Tapes int
	// Polls counts looks at all that an entry rests on, after something of it had
	// changed; Entries are the recordings that look-ups find now.
	Polls, Entries int
}

// New makes a Tracer.
func New(o Options) *Tracer {
	if o.Threshold <= 0 {
		o.Threshold = 2
	}
	if o.MaxSteps == 0 {
		o.MaxSteps = 50000
	}
	if o.MaxNodes == 0 {
		o.MaxNodes = 5000
	}
	if o.MaxEntries == 0 {
		o.MaxEntries = 64
	}
	return &Tracer{opts: o, table: map[string]*Region{}, breaks: map[breakKey]*Break{}, warned: map[string]bool{}}
}

// Attach makes a thread record and replay.
func (tr *Tracer) Attach(th *vm.Thread) {
	th.Regions = &thread{tr: tr, th: th, regions: map[string]*Region{}, lives: map[*bytecode.Code]*liveness{}, blocked: map[place]bool{}}
	if tr.opts.Auto {
		ts := th.Regions.(*thread)
		ts.auto = newPolicy(ts)
	}
	th.Left, th.Woken = th.Regions.(*thread).left, th.Regions.(*thread).woken
	if tr.opts.Threshold <= 4 && !tr.opts.Manual {
		th.Arm()
	}
}

// left runs when a call from Go has ended: a recording whose base frame is gone
// is over.
func (ts *thread) left(th *vm.Thread) {
	if r := ts.rec; r != nil && th.Depth() < r.base {
		r.left = true
		r.kill("an exception left the region")
		r.abort()
	}
	for w := ts.wait; w != nil && th.Depth() < w.base; w = ts.wait {
		ts.wait = nil
		ts.rest()
	}
	ts.asleep = slices.DeleteFunc(ts.asleep, func(w *waiting) bool { return th.Depth() < w.base })
}

// Detach ends that. It is to be called between runs.
func (tr *Tracer) Detach(th *vm.Thread) { th.Regions, th.Left, th.Woken = nil, nil, nil }

// Stats tells what has been done so far.
func (tr *Tracer) Stats() Stats {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	s := tr.stats
	s.Replays, s.Tapes = int(tr.replays.Load()), int(tr.tapes.Load())
	for _, r := range tr.regions {
		s.Polls += int(r.polls.Load())
		s.Entries += len(r.alive())
	}
	return s
}

func (tr *Tracer) count(f func(s *Stats)) {
	tr.mu.Lock()
	f(&tr.stats)
	tr.mu.Unlock()
}

// warn gives a line once for each cause.
func (tr *Tracer) warn(cause, text string) {
	tr.mu.Lock()
	seen := tr.warned[cause]
	tr.warned[cause] = true
	tr.mu.Unlock()
	if !seen && tr.opts.Warn != nil {
		tr.opts.Warn(text)
	}
}

func (tr *Tracer) dump(stage, name string, text func() string) {
	if tr.opts.Dump != nil {
		tr.opts.Dump(stage, name, text())
	}
}

// thread is the recorder's state for one thread; the machine asks it at headers.
type thread struct {
	tr      *Tracer
	th      *vm.Thread
	regions map[string]*Region
	lives   map[*bytecode.Code]*liveness
	// blocked are instructions under which a break was met that could not be
	// recorded: the next recording breaks before them.
	blocked map[place]bool
	rec     *recorder
	wait    *waiting
	waits   []*waiting // breaks that wait for functions which are recorded on their own
	asleep  []*waiting // breaks whose instruction has called: until it is back nobody looks
	auto    *policy    // nil: what is hot is recorded
	within  bool       // a function with a Marking could not be recorded as a whole: count what it consists of
	key     []byte
	w       world
	vals    []value.Value // of a look-up

	tensorClass *value.Class // of tensors that no program has derived
}

// waiting is a break whose instruction the interpreter is executing.
type waiting struct {
	depth, base int
	fn          *vm.Function
	pc          int
	executed    bool
	loopPC      int
}

func (ts *thread) live(c *bytecode.Code) *liveness {
	l := ts.lives[c]
	if l == nil {
		l = computeLiveness(c)
		ts.lives[c] = l
	}
	return l
}

// Threshold implements vm.Regions.
func (ts *thread) Threshold() int {
	if ts.tr.opts.Manual && !ts.within {
		return 0
	}
	return ts.tr.opts.Threshold
}

// Hot implements vm.Regions.
func (ts *thread) Hot(th *vm.Thread, at vm.Header) bool {
	if ts.rec != nil || ts.wait != nil {
		return true
	}
	if ts.auto != nil && len(ts.regions) == 0 && ts.auto.quiet() {
		th.Rest()
		return true
	}
	depth := th.Depth()
	f := th.FrameAt(depth)
	if f.Code != at.Code || f.Gen != nil || th.Handling != nil || th.Dialect != value.Model {
		return true
	}
	if at.Entry && at.Code.Kind == bytecode.ModuleCode {
		return false // it runs once
	}
	mark, off := ts.marked(depth)
	if off || mark == nil && ts.tr.opts.Manual {
		return true
	}
	if mark != nil && len(ts.asleep) > 0 && th.FrameAt(depth).Fn.Mark() == nil {
		return true // torch.compile gives up on what a break's instruction calls
	}
	loopPC := at.PC
	if at.Entry {
		loopPC = -1
	}
	reg := ts.region(depth, loopPC)
	if ts.auto != nil && mark == nil && reg.tree.Load() == nil && reg.pending.Load() == nil && (reg.dead.Load() || !ts.auto.look(depth, loopPC)) {
		return true
	}
	ts.enter(reg, depth, nil)
	if reg.dead.Load() && mark != nil {
		ts.within = true
		return true // other functions that share the code have regions of their own
	}
	return !reg.dead.Load() || reg.tree.Load() != nil
}

// enter replays entries of a region, or begins to record one. broken is the
// break behind which control stands, if it does. It reports whether it did anything.
func (ts *thread) enter(reg *Region, base int, broken *waiting) (acted bool) {
	for n := 0; ; n++ {
		ts.settle(reg)
		if reg.skip.Load() {
			ts.waitFor(base, reg.loopPC)
			return true
		}
		if ts.auto != nil && reg.tree.Load() != nil && ts.auto.interprets(reg, base, acted) {
			return acted
		}
		e := ts.replay(reg, base)
		if e == nil {
			break
		}
		acted = true
		ts.th.Charge() // in place of the calls and jumps that were not interpreted
		if e.exit != exitHeader {
			if e.exit == exitBreak || e.exit == exitRaise {
				ts.waitFor(base, reg.loopPC)
			}
			return true
		}
		if ts.th.Interrupted() {
			return true
		}
		if len(reg.chain) > 1 || reg.chain[0].pc != reg.loopPC {
			reg = ts.region(base, reg.loopPC)
		}
		broken = nil
	}
	if ts.auto != nil && reg.mark == nil && !ts.auto.may(reg) {
		return acted
	}
	if reg.dead.Load() || reg.pending.Load() != nil || !reg.busy.CompareAndSwap(false, true) {
		return acted
	}
	if n := reg.records; n > ts.tr.opts.MaxEntries && reg.clock.Load() < int64(4*n) {
		reg.busy.Store(false)
		return acted // recordings that are hardly used
	}
	reg.records++
	ts.teach(reg, ts.world(base, len(reg.chain)))
	ts.start(reg, base, broken)
	return true
}

// doze lets what a break's instruction has called run at full speed, and be recorded
// and replayed for its own sake.
func (ts *thread) doze(w *waiting) bool {
	ts.wait, ts.th.Before = nil, nil
	at, _ := slices.BinarySearchFunc(ts.asleep, w.depth, func(a *waiting, d int) int { return a.depth - d })
	ts.asleep = slices.Insert(ts.asleep, at, w)
	ts.th.Sleep(w.depth + 1)
	return true
}

// woken goes on with a break whose instruction has what it has called for.
func (ts *thread) woken(th *vm.Thread) {
	depth := th.Depth()
	for i := len(ts.asleep) - 1; i >= 0 && ts.asleep[i].depth >= depth; i-- {
		w := ts.asleep[i]
		ts.asleep = ts.asleep[:i]
		if w.depth == depth {
			if ts.wait != nil && ts.wait.depth >= depth {
				ts.wait = nil // an exception has passed over it
			}
			ts.hold(w)
			return
		}
	}
}

// waitFor lets the interpreter do the next instruction of the top frame, and then
// goes on behind it.
func (ts *thread) waitFor(base, loopPC int) {
	depth := ts.th.Depth()
	f := ts.th.FrameAt(depth)
	ts.hold(&waiting{depth: depth, base: base, fn: f.Fn, pc: f.PC, loopPC: loopPC})
}

// before is the thread's hook while something is recorded or waited for.
func (ts *thread) before(th *vm.Thread) bool {
	if ts.rec != nil {
		return ts.rec.before()
	}
	w := ts.wait
	drop := func() bool {
		ts.wait = nil
		ts.rest()
		return true
	}
	if w == nil {
		return drop()
	}
	depth := th.Depth()
	switch {
	case depth < w.depth:
		return drop()
	case depth > w.depth:
		if ts.apart(depth) {
			return ts.nest(vm.Header{Code: th.FrameAt(depth).Code, Entry: true})
		}
		return ts.doze(w)
	}
	f := th.FrameAt(depth)
	if f.Fn != w.fn {
		return drop()
	}
	if !w.executed {
		w.executed = true
		return false
	}
	drop()
	if th.Handling != nil || f.PC == w.pc {
		return true
	}
	for i := w.base; i <= depth; i++ {
		if f := th.FrameAt(i); f.Fn == nil || f.Gen != nil || i > w.base && !f.Plain {
			return true
		}
	}
	if depth == w.base && th.Instruction(depth, f.PC).Op() == bytecode.RET {
		return true
	}
	reg := ts.region(w.base, w.loopPC)
	if depth == w.base && f.PC == w.loopPC {
		w = nil
	}
	ts.enter(reg, reg.base(th, depth), w)
	return true
}
