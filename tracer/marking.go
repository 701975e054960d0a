package tracer

import (
	"sync"

	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/guards"
)

// A Marking is what torch.compile asks for one function: it is the mark
// (vm.Function.Marked) of the function that it returns. What is recorded while the
// function's frame is on the stack belongs to it, and is kept apart from recordings
// of the same code for others.
type Marking struct {
	Compiler graph.Compiler
	// FullGraph raises in place of a break.
	FullGraph bool
	// Dynamic makes numbers and sizes symbolic at once (Always), or never.
	Dynamic Dynamic
	// Unsupported makes the exception that FullGraph raises.
	Unsupported func(b *Break) error
	// Apart keeps the function out of recordings that are made for others, which
	// would not have its options.
	Apart bool
	// Wait makes calls wait for the compiler, as in --jit=sync.
	Wait bool

	mu       sync.Mutex
	captures Captures
}

// Dynamic says when a number or a size is a symbol of the graph.
type Dynamic uint8

const (
	OnChange Dynamic = iota // as soon as a guard has found it changed
	Always
	Never
)

// Captures is what was captured for a Marking.
type Captures struct {
	Graphs []Captured
	Breaks []*Break // of the graphs, in order; also recordings that were given up
}

// Captured is one graph with its guards.
type Captured struct {
	Where  string // the region
	Ops    []string
	Guards []guards.Guard
	Text   string
}

// Captures tells what was captured so far.
func (m *Marking) Captures() Captures {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Captures{append([]Captured(nil), m.captures.Graphs...), append([]*Break(nil), m.captures.Breaks...)}
}

func (m *Marking) captured(e *Entry) {
	if m == nil || e.ops == 0 {
		return
	}
	c := Captured{Where: e.reg.String(), Guards: e.guards, Text: e.graph.String()}
	for _, n := range e.graph.Nodes {
		c.Ops = append(c.Ops, n.Call.Def.Base)
	}
	m.mu.Lock()
	m.captures.Graphs = append(m.captures.Graphs, c)
	m.mu.Unlock()
}

func (m *Marking) broke(b *Break) {
	m.mu.Lock()
	m.captures.Breaks = append(m.captures.Breaks, b)
	m.mu.Unlock()
}

func (m *Marking) always() bool { return m != nil && m.Dynamic == Always }

func (m *Marking) never() bool { return m != nil && m.Dynamic == Never }

type disabled struct{}

// Disabled is the mark of functions that torch.compiler.disable keeps out: their
// calls break a recording, and nothing is recorded while they run.
var Disabled any = disabled{}

// Use tells the Tracer that there are marks: from then on frames are asked for them.
func (tr *Tracer) Use() { tr.marks.Store(true) }

// marked is the mark that frame i is under: its own or that of the nearest frame
// below that has one. off: it is Disabled.
func (ts *thread) marked(i int) (m *Marking, off bool) {
	if !ts.tr.marks.Load() {
		return nil, false
	}
	return markedAt(ts.th, i)
}

func markedAt(th *vm.Thread, i int) (m *Marking, off bool) {
	for ; i > 0; i-- {
		if fn := th.FnAt(i); fn != nil {
			switch m := fn.Mark().(type) {
			case *Marking:
				return m, false
			case disabled:
				return nil, true
			}
		}
	}
	return nil, false
}

// Compiling reports whether what runs on a thread belongs to a function that
// torch.compile has marked.
func (tr *Tracer) Compiling(th *vm.Thread) bool {
	if !tr.marks.Load() {
		return false
	}
	m, _ := markedAt(th, th.Depth())
	return m != nil
}

// Reset forgets what was recorded and learned on a thread. It may be called by the
// program that runs there.
func (tr *Tracer) Reset(th *vm.Thread) {
	if ts, ok := th.Regions.(*thread); ok {
		ts.regions = map[string]*Region{}
		ts.blocked = map[place]bool{}
		ts.within = false
		ts.wait, ts.waits, ts.asleep = nil, nil, nil
	}
	tr.mu.Lock()
	old := tr.regions
	tr.regions, tr.table = nil, map[string]*Region{}
	tr.mu.Unlock()
	for _, r := range old {
		r.clear()
	}
}

// keptOut reports that the frame on top has just been pushed for a function that the
// recording leaves out.
func (r *recorder) keptOut(f vm.Frame, depth int) Reason {
	if f.PC != 0 || depth <= r.cur.depth || !r.tr.marks.Load() {
		return NoReason
	}
	switch m := f.Fn.Mark().(type) {
	case disabled:
		return KeptOut
	case *Marking:
		if m.Apart && m != r.reg.mark {
			return Compiled
		}
	}
	return NoReason
}

// apart reports that the frame on top has just been pushed for a function that is
// recorded on its own.
func (ts *thread) apart(depth int) bool {
	if !ts.tr.marks.Load() {
		return false
	}
	fn := ts.th.FnAt(depth)
	if fn == nil {
		return false
	}
	m, ok := fn.Mark().(*Marking)
	return ok && m.Apart && ts.th.FrameAt(depth).PC == 0
}

// nest records or replays the function on top while a break waits, which goes on
// when that is done.
func (ts *thread) nest(at vm.Header) bool {
	outer := ts.wait
	ts.wait = nil
	before := ts.th.Depth()
	ts.Hot(ts.th, at)
	if ts.wait == nil {
		ts.wait = outer
	} else {
		ts.waits = append(ts.waits, outer)
	}
	ts.th.Before = ts.before
	f := ts.th.FrameAt(ts.th.Depth())
	return ts.rec != nil || ts.th.Depth() != before || f.PC != 0
}

// hold makes a break wait.
func (ts *thread) hold(w *waiting) {
	if ts.wait != nil {
		ts.waits = append(ts.waits, ts.wait)
	}
	ts.wait = w
	ts.th.Before = ts.before
}

// rest takes the hook off the thread, or puts back the break that waits.
func (ts *thread) rest() {
	ts.th.Before = nil
	if ts.wait != nil {
		ts.th.Before = ts.before
	} else if n := len(ts.waits); n > 0 {
		ts.wait, ts.waits = ts.waits[n-1], ts.waits[:n-1]
		ts.th.Before = ts.before
	}
}

// breakAtCall breaks before the call whose frame, the top one, has just been pushed.
func (r *recorder) breakAtCall(why Reason) bool {
	r.called = true
	r.breakAt(cause{Reason: why})
	r.called = false
	if r.why == "" || r.raise != nil {
		return true
	}
	if r.underGo(r.th.Depth()) {
		return false
	}
	r.abort()
	if why == Compiled {
		r.ts.Hot(r.th, vm.Header{Code: r.th.FrameAt(r.th.Depth()).Code, Entry: true})
	}
	return true
}

// whole reports a recording that is to hold all of a function's call.
func (r *recorder) whole() bool {
	m := r.reg.mark
	if m == nil || !m.FullGraph {
		return false
	}
	fn := r.th.FnAt(r.base)
	return fn != nil && fn.Mark() == m
}

// unsupported raises what a graph break, or a recording that is given up, is to a
// function that is to be one graph. It reports whether it did.
func (r *recorder) unsupported(why cause) bool {
	m := r.reg.mark
	if !r.whole() {
		return false
	}
	stack := r.stack()
	if len(stack) == 0 {
		return false
	}
	r.raise = m.Unsupported(&Break{Reason: why.Reason, Detail: why.Detail, At: stack[len(stack)-1], Stack: stack, Count: 1})
	r.th.Throw(r.raise)
	return true
}
