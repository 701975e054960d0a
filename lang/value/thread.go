package value

import (
	"io"
	"runtime/metrics"
	"sync/atomic"

	"go.starlark.net/starlark"
)

// Dialect chooses what operators mean.
type Dialect uint8

const (
	Model  Dialect = iota // Python's semantics
	Strict                // Starlark's, as go.starlark.net defines them
)

func (d Dialect) String() string {
	if d == Strict {
		return "starlark"
	}
	return "model"
}

// Kwarg is one keyword argument.
type Kwarg struct {
	Name  string
	Value Value
}

// Machine is what this package may ask of the machine that runs the thread.
type Machine interface {
	// Call runs fn to its end and returns its result. It is re-entrant and
	// uses Go stack: see invariant 3 for who may use it.
	Call(fn Value, args []Value, kw []Kwarg) (Value, error)
	// Next advances an iterator of any kind, a generator included. ok is
	// false at the end.
	Next(it Value) (v Value, ok bool, err error)
	// Where is the position of the instruction that runs now, and the frames
	// below it, innermost last.
	Where() []Entry
}

// Interrupt bits: anyone may set them, the machine polls them at calls and
// backward jumps.
const (
	InterruptCancel  uint32 = 1 << iota // the host cancelled: raise KeyboardInterrupt or the context's error
	InterruptLimit                      // a step or time limit ran out
	InterruptObserve                    // the recorder wants control at the next safe point
)

// Thread is one line of execution. The machine embeds it in its own thread.
// One goroutine uses it at a time, Interrupt excepted.
type Thread struct {
	Observer Observer // nil unless a recording is being made
	// Unobserved, set with Observer, runs f without it: what f does is none of the recording's business.
	Unobserved func(f func())
	Machine    Machine
	Dialect    Dialect // of the code that runs; the machine switches it at calls between dialects

	Interrupt atomic.Uint32
	Steps     uint64 // steps taken: backward jumps and calls
	StepLimit uint64 // 0: none
	HeapLimit int64  // bytes of the process's Go heap; 0: none
	IntDigits int    // how many digits an int may have in decimal text; 0: CPython's 4,300, negative: any number

	// Poll, which the machine sets, is to be called now and then by Go code that
	// loops without calling anything; its error ends the loop.
	Poll func() error

	Stdout io.Writer // where print writes; nil discards
	Stdin  io.Reader // nil: input is refused
	// OnPrint, when set, takes the finished text of each print instead of Stdout.
	OnPrint func(t *Thread, text string)

	Handling *Raised // the exception that an except or finally clause is handling
	Depth    int     // nesting of Go recursion over values

	comparing int // nesting of comparisons of containers

	made  int64 // bytes asked of Room since the heap was last looked at
	items int   // of Go iterators since the last poll
	heap  [1]metrics.Sample

	Host *starlark.Thread // handed to foreign builtins; made on demand by HostThread

	ctx  map[any]any
	strs strIndex
	need NeedCall // reused: see invariant 4
	seen []Value  // containers being shown, against cycles
	cat  catBuffer
	tiny []tinyText // to come, of intStr
}

// Get returns what the host keeps in the thread under key (eager context,
// capabilities, …), and Set puts it there. Keys are private types, as in
// package context.
func (t *Thread) Get(key any) any { return t.ctx[key] }

func (t *Thread) Set(key, v any) {
	if t.ctx == nil {
		t.ctx = map[any]any{}
	}
	t.ctx[key] = v
}

const hostLocal = "larkspur.thread"

// HostThread is the starlark.Thread that stands for t in calls of foreign
// builtins. ThreadOf finds the way back.
func (t *Thread) HostThread() *starlark.Thread {
	if t.Host == nil {
		t.Host = &starlark.Thread{
			Name:  "larkspur",
			Print: func(_ *starlark.Thread, msg string) { t.WriteOut(msg + "\n") },
		}
	}
	if t.Host.Local(hostLocal) == nil {
		t.Host.SetLocal(hostLocal, t)
	}
	return t.Host
}

// ThreadOf is the thread on whose behalf a foreign builtin is called, or nil.
func ThreadOf(h *starlark.Thread) *Thread {
	if h == nil {
		return nil
	}
	t, _ := h.Local(hostLocal).(*Thread)
	return t
}

// WriteOut writes text where print writes.
func (t *Thread) WriteOut(text string) {
	if t.OnPrint != nil {
		t.OnPrint(t, text)
	} else if t.Stdout != nil {
		io.WriteString(t.Stdout, text)
	}
}

// maxDepth bounds Go recursion over nested values.
const maxDepth = 1000

// enter counts one level of recursion over nested values; leave undoes it.
func (t *Thread) enter(what string) error {
	if t.Depth++; t.Depth > maxDepth {
		t.Depth--
		return Errorf(ExcRecursionError, "maximum recursion depth exceeded %s", what)
	}
	return nil
}

func (t *Thread) leave() { t.Depth-- }
