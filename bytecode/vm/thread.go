package vm

import (
	"context"
	"errors"
	"unsafe"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/syntax"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// A Thread runs code. One goroutine uses it at a time.
type Thread struct {
	value.Thread

	fr     *frame         // top frame
	lim    unsafe.Pointer // end of the segment for callees of the top frame
	fuel   int64          // calls and backward jumps left until poll
	frEnd  unsafe.Pointer // the last frame that fits
	frames []frame
	quota  int64 // fuel given last
	polls  uint32

	segs    [][]value.Value
	machine *Machine
	limit   int // of frames above the first

	// Regions, if set, is asked at function entries and loop headers that run
	// often. See Header.
	Regions Regions
	hot     map[Header]int
	armed   bool  // every header is looked at, not samples
	idle    int64 // the fuel while samples meet headers that were given up
	moved   bool  // Regions has put other frames or instructions in place
	atEntry bool  // a function's frame may have been pushed: Regions is to be asked

	// Before, if set, is called before each instruction, and the thread runs
	// without its fast loop. True: it has changed frames or hooks, look again.
	Before func(th *Thread) bool
	// Woken is called when a frame that Sleep has marked is gone.
	Woken func(th *Thread)
	// Raising, if set, is called with an exception that has been raised in the top
	// frame, before a handler is looked for.
	Raising func(r *value.Raised)
	// Left, if set, is called when a call from Go has ended, its frames gone.
	Left func(th *Thread)

	// Display shows the value of an expression at the prompt; nil: its repr is
	// printed unless it is None.
	Display func(t *Thread, v value.Value) error

	// stop, if set, is asked before each instruction; true ends the run with
	// errSuspended, all frames in place.
	stop func(t *Thread) bool

	// Delivered, if set, is called when the exception of a Cancel is about to be raised.
	Delivered func()

	ctx   context.Context
	unctx func() bool

	// fatal is an exception that no handler stops: the second one for the same
	// limit or cancellation, which a program must not swallow for ever.
	fatal   *value.Raised
	strikes int

	// thrown is an exception for the top frame, from within an operation that
	// has pushed it.
	thrown error

	// reraised is the exception that a RERAISE or RAISECUR has raised.
	reraised error

	kws     []value.Kwarg // a stack of keyword arguments for builtins
	stepped bool          // step runs in place of run
	due     bool          // the function being entered is to be counted
	pad     [7]int64      // see run
}

// Options of a thread.
type Options struct {
	Machine *Machine
	// Context cancels the thread's runs; nil: never.
	Context context.Context
	// StepLimit bounds calls and backward jumps; 0: no bound.
	StepLimit uint64
}

const (
	firstSegment = 1024 // registers
	spareRegs    = 64   // behind a segment's limit, for windows that shift arguments up
	defaultLimit = 1000
	quantum      = 1024 // fuel between polls
	sample       = 16   // the same while Regions counts
	heapPolls    = 32   // polls between looks at the size of the heap
)

// NewThread makes a thread.
func NewThread(o Options) *Thread {
	m := o.Machine
	if m == nil {
		m = &Machine{}
	}
	th := &Thread{machine: m, limit: m.RecursionLimit}
	if th.limit <= 0 {
		th.limit = defaultLimit
	}
	th.Thread.Machine = th
	th.Poll = th.poll
	th.StepLimit = o.StepLimit
	th.frames = make([]frame, th.limit+1)
	th.fr = &th.frames[0]
	th.fr.kind = entryFrame
	th.fr.ext = &extra{}
	th.frEnd = unsafe.Pointer(&th.frames[th.limit])
	seg := make([]value.Value, firstSegment)
	th.segs = [][]value.Value{seg}
	th.fr.R = unsafe.Pointer(&seg[0])
	th.fr.top = th.fr.R
	th.lim = unsafe.Pointer(&seg[firstSegment-spareRegs])
	th.refuel()
	if o.Context != nil {
		th.SetContext(o.Context)
	}
	return th
}

// ThreadOf returns the thread of the machine that t is part of.
func ThreadOf(t *value.Thread) *Thread {
	th, _ := t.Machine.(*Thread)
	return th
}

// SharedMachine returns the machine that th belongs to.
func (th *Thread) SharedMachine() *Machine { return th.machine }

// SetContext makes the thread's runs end when ctx does; nil: never. It is to be
// called between runs.
func (th *Thread) SetContext(ctx context.Context) {
	if th.unctx != nil {
		th.unctx()
		th.unctx = nil
	}
	th.ctx = ctx
	th.clearInterrupt(value.InterruptCancel)
	if ctx != nil && ctx.Done() != nil {
		th.unctx = context.AfterFunc(ctx, func() { th.Cancel() })
	}
}

// Cancel makes the code that runs raise one KeyboardInterrupt, or the error of the
// thread's context, at its next call or loop. Any goroutine may call it.
func (th *Thread) Cancel() {
	for {
		old := th.Interrupt.Load()
		if th.Interrupt.CompareAndSwap(old, old|value.InterruptCancel) {
			return
		}
	}
}

func (th *Thread) clearInterrupt(bit uint32) {
	for {
		old := th.Interrupt.Load()
		if th.Interrupt.CompareAndSwap(old, old&^bit) {
			return
		}
	}
}

// push makes a new frame on top. It fails at the recursion limit.
func (th *Thread) push() (*frame, error) {
	if uintptr(unsafe.Pointer(th.fr)) >= uintptr(th.frEnd) {
		return nil, th.tooDeep()
	}
	fr := (*frame)(unsafe.Add(unsafe.Pointer(th.fr), frameSize))
	if fr.ext != nil || fr.gen != nil {
		fr.ext, fr.gen = nil, nil
	}
	fr.kind = 0
	th.fr = fr
	return fr, nil
}

// RecursionLimit is how many frames the thread may have.
func (th *Thread) RecursionLimit() int { return th.limit }

// SetRecursionLimit changes it. What is above the limit that the thread was made with counts as that one: the
// array of frames has its full length from the start.
func (th *Thread) SetRecursionLimit(n int) error {
	if d := th.depth(); d >= n {
		return value.Errorf(value.ExcRecursionError, "cannot set the recursion limit to %d at the recursion depth %d: the limit is too low", n, d)
	}
	th.limit = n
	th.frEnd = unsafe.Pointer(&th.frames[min(n, len(th.frames)-1)])
	return nil
}

// depth is the number of frames above the thread's own first one.
func (th *Thread) depth() int {
	return int((uintptr(unsafe.Pointer(th.fr)) - uintptr(unsafe.Pointer(&th.frames[0]))) / frameSize)
}

// tooDeep is the error at the limit. The array of frames has its full length
// from the start: it must not move while operations hold pointers into it.
func (th *Thread) tooDeep() error {
	if th.Dialect == value.Strict {
		return value.RuntimeErrorf("Starlark stack overflow")
	}
	return value.Errorf(value.ExcRecursionError, "maximum recursion depth exceeded")
}

// pop removes the top frame.
func (th *Thread) pop() {
	fr := th.fr
	if fr.kind&(newSegment|dialFrame|wakeFrame) != 0 {
		if fr.kind&newSegment != 0 {
			th.lim = fr.ext.lim
			th.segs = th.segs[:len(th.segs)-1]
		}
		if fr.kind&dialFrame != 0 {
			th.Dialect = fr.ext.dialect
		}
	}
	th.fr = fr.down()
	if fr.kind&wakeFrame != 0 {
		th.woke(fr)
	}
}

// room returns a place for a window of n bytes at top, in a new segment if the
// current one is full; fresh is then the old limit.
func (th *Thread) room(top unsafe.Pointer, n uintptr) (R, fresh unsafe.Pointer) {
	if uintptr(top)+n <= uintptr(th.lim) {
		return top, nil
	}
	size := max(2*len(th.segs[len(th.segs)-1]), int(n/bytecode.RegSize)+4*spareRegs)
	size = min(size, max(1<<16, int(n/bytecode.RegSize)+4*spareRegs))
	seg := make([]value.Value, size)
	th.segs = append(th.segs, seg)
	fresh = th.lim
	th.lim = unsafe.Pointer(&seg[size-spareRegs])
	return unsafe.Pointer(&seg[0]), fresh
}

// ClearStale unsets the frames and registers above the top frame, so that what code
// has left there no longer keeps objects alive. It goes as far as they were used.
func (th *Thread) ClearStale() {
	seg := th.segs[len(th.segs)-1]
	first := uintptr(unsafe.Pointer(&seg[0]))
	size := uintptr(len(seg)) * bytecode.RegSize
	from := uintptr(th.fr.top) - first
	to := from
	for i := th.depth() + 1; i < len(th.frames); i++ {
		fr := &th.frames[i]
		if fr.R == nil {
			break // never used since, nor are those above
		}
		if top := uintptr(fr.top) - first; top > size {
			to = size // it was in another segment
		} else {
			to = max(to, top)
		}
		*fr = frame{}
	}
	if from <= size {
		clear(seg[from/bytecode.RegSize : min(to+spareRegs*bytecode.RegSize, size)/bytecode.RegSize])
	}
}

func (th *Thread) refuel() {
	th.quota = quantum
	if th.counts() {
		th.quota = max(th.idle, sample)
		if th.armed {
			th.quota = 1
		}
	}
	if th.StepLimit > 0 {
		if th.Steps >= th.StepLimit {
			th.quota = 0
		} else if left := th.StepLimit - th.Steps; left < quantum {
			th.quota = int64(left)
		}
	}
	th.fuel = th.quota
}

// poll runs when the fuel is spent: it counts steps, and raises what the host
// asked for.
func (th *Thread) poll() error {
	th.Steps += uint64(th.quota - max(th.fuel, 0))
	th.refuel()
	if th.polls++; th.HeapLimit > 0 && th.polls%heapPolls == 0 {
		if err := th.CheckHeap(0); err != nil {
			return err
		}
	}
	if th.StepLimit > 0 && th.Steps >= th.StepLimit {
		limit := th.StepLimit
		th.StepLimit += quantum // room for handlers
		th.refuel()
		return th.strike(value.Errorf(value.ExcRuntimeError, "step limit exceeded (%d)", limit))
	}
	if th.Interrupt.Load()&value.InterruptCancel != 0 {
		if r := th.interruption(); r != nil {
			return r
		}
	}
	return nil
}

// interruption is the exception for the end of the thread's context or for a
// Cancel, which it takes back: one Cancel raises once. It is nil for neither.
func (th *Thread) interruption() *value.Raised {
	cancelled := th.Interrupt.Load()&value.InterruptCancel != 0
	if !th.ended() {
		if !cancelled {
			return nil
		}
		th.clearInterrupt(value.InterruptCancel)
		if th.Delivered != nil {
			th.Delivered()
		}
		if !th.ended() { // else the bit of its end may just have been cleared
			return value.NewRaised(value.ExcKeyboardInterrupt)
		}
	}
	// It stays cancelled: code that catches the error gets it again.
	th.Interrupt.Or(value.InterruptCancel)
	r := value.Errorf(value.ExcKeyboardInterrupt, "%s", th.ctx.Err())
	r.Host = context.Cause(th.ctx)
	th.strike(r)
	return r
}

func (th *Thread) ended() bool { return th.ctx != nil && th.ctx.Err() != nil }

// Stopped is err, or KeyboardInterrupt in its place if err comes from
// something that has stopped because of the thread's context or of a Cancel.
func (th *Thread) Stopped(err error) error {
	if _, ok := err.(*value.Raised); ok || err == nil {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		if r := th.interruption(); r != nil {
			return r
		}
	}
	return err
}

func (th *Thread) strike(r *value.Raised) error {
	if th.strikes++; th.strikes > 1 {
		th.fatal = r
	}
	return r
}

// Where is the chain of frames, outermost first.
func (th *Thread) Where() []value.Entry {
	var out []value.Entry
	for i := 0; i <= th.depth(); i++ {
		if fr := &th.frames[i]; fr.p != nil && fr.kind&(entryFrame|nativeFrame) == 0 {
			out = fr.p.EntriesAt(out, fr.pc(), nil)
		}
	}
	return out
}

// EntriesAt makes proto a value.Coded.
func (p *proto) EntriesAt(out []value.Entry, pc int, r *value.Raised) []value.Entry {
	c := p.info
	name := c.Name
	entry := func(s syntax.Span) {
		out = append(out, value.Entry{
			File: c.Program.File, Line: int(s.Start.Line), Col: int(s.Start.Col),
			EndLine: int(s.End.Line), EndCol: int(s.End.Col), Func: name,
		})
	}
	for i := range c.Inline {
		if in := &c.Inline[i]; in.Start <= pc && pc < in.End {
			entry(in.Span)
			name = in.Name
		}
	}
	span := c.At(pc)
	if r != nil && r.Class == value.ExcAttributeError && pc >= 0 && pc < len(c.Ins) {
		switch w := c.Ins[pc]; w.Op() {
		case bytecode.CALLM, bytecode.CALLMK:
			if s := c.Sites[w.C()]; s.Name == r.Name && s.At.Start.IsValid() {
				span = s.At // it was the look-up that failed
			}
		}
	}
	entry(span)
	return out
}
