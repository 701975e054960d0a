package vm

import (
	"errors"
	"unsafe"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// What a recorder needs of a running thread: to look at its frames between two
// instructions, and to put others in their place.

// A Frame is one frame of a running thread as a recorder sees it. Frames are
// numbered from 1, the outermost; 0 is the thread's own.
type Frame struct {
	Fn   *Function
	Code *bytecode.Code
	// PC is the next instruction. The one before it is what a frame that is
	// not on top waits in.
	PC   int
	Regs []value.Value // the window itself
	// Kind says what a return from the frame does. It is opaque: a frame is
	// put back with the kind it had.
	Kind uint64
	// Plain frames can be put back; entry, native and generator frames, class
	// bodies and changes of dialect cannot.
	Plain bool
	// Entry frames are where Go waits.
	Entry bool
	// Native frames hold a stepper.
	Native bool
	// Constructs: the frame runs an __init__ whose instance the frame below
	// holds in register A.
	Constructs bool
	Gen        *Generator
}

// Window is the registers of frame i, and its function.
func (th *Thread) Window(i int) ([]value.Value, *Function) {
	fr := &th.frames[i]
	return fr.regs(), fr.fn
}

// Depth is the number of frames.
func (th *Thread) Depth() int { return th.depth() }

// FrameAt looks at frame i.
func (th *Thread) FrameAt(i int) Frame {
	fr := &th.frames[i]
	f := Frame{Kind: uint64(fr.kind &^ (newSegment | wakeFrame)), Entry: fr.kind&entryFrame != 0, Native: fr.kind&nativeFrame != 0}
	if f.Entry || f.Native || fr.p == nil {
		return f
	}
	f.Fn, f.Code, f.PC, f.Regs, f.Gen = fr.fn, fr.p.info, fr.pc()+1, fr.regs(), fr.gen
	f.Constructs = fr.kind&initFrame != 0
	f.Plain = fr.gen == nil && fr.kind&^(initFrame|newSegment|slowReturn|wakeFrame) == 0
	return f
}

// FnAt is the function of frame i; nil for frames of other kinds.
func (th *Thread) FnAt(i int) *Function {
	if fr := &th.frames[i]; fr.kind&(entryFrame|nativeFrame) == 0 {
		return fr.fn
	}
	return nil
}

// Stepper is the stepper of native frame i.
func (th *Thread) StepperAt(i int) value.Stepper {
	if fr := &th.frames[i]; fr.kind&nativeFrame != 0 && fr.ext != nil {
		return fr.ext.step
	}
	return nil
}

// Instruction is the instruction at a place of frame i's code, with globals
// renumbered to the module's slots.
func (th *Thread) Instruction(i, pc int) bytecode.Ins { return th.frames[i].p.code[pc] }

// Room reports whether n more frames fit under the recursion limit.
func (th *Thread) Room(n int) bool { return th.depth()+n < min(th.limit, len(th.frames)-1) }

// DropTo removes the frames above number depth.
func (th *Thread) DropTo(depth int) {
	th.moved = true
	for th.depth() > depth {
		fr := th.fr
		th.pop()
		fr.gen = nil
	}
}

// Sleep lets what is above frame depth-1 run at the machine's full speed: Woken is
// called when frame number depth is gone, in whatever way. The call whose frame is on
// top, if it has just been pushed, is told to Regions.
func (th *Thread) Sleep(depth int) {
	th.moved = true
	th.frames[depth].kind |= wakeFrame
	if fr := th.fr; fr.p != nil && fr.ip == startOf(fr.p) {
		th.atEntry = true
	}
}

func (th *Thread) woke(fr *frame) {
	fr.kind &^= wakeFrame
	if th.Woken != nil {
		th.Woken(th)
	}
}

// Jump makes pc the next instruction of the top frame.
func (th *Thread) Jump(pc int) {
	th.moved = true
	th.fr.setPC(pc)
}

// PushPlain pushes a plain frame that stands before instruction pc, with a window
// whose registers are unset, and returns the window.
func (th *Thread) PushPlain(fn *Function, pc int, kind uint64) ([]value.Value, error) {
	if frameKind(kind)&^(initFrame|slowReturn) != 0 {
		return nil, errors.New("BUG: not a plain frame")
	}
	th.moved = true
	R, fresh := th.room(th.fr.top, fn.p.frame)
	fr, err := th.push()
	if err != nil {
		th.unroom(fresh)
		return nil, err
	}
	fr.kind = frameKind(kind)
	fr.fn, fr.p, fr.gen = fn, fn.p, nil
	fr.R = R
	fr.top = unsafe.Add(R, fn.p.frame)
	if fresh != nil {
		fr.ext = &extra{lim: fresh}
		fr.kind |= newSegment
	}
	regs := fr.regs()
	clear(regs)
	fr.setPC(pc)
	return regs, nil
}

// Charge counts a loop round or call that was not interpreted; an interruption
// that is due is raised at the next instruction.
func (th *Thread) Charge() {
	if th.fuel--; th.fuel <= 0 {
		if err := th.poll(); err != nil {
			th.thrown = err
		}
	}
}

// Throw raises an exception at the instruction that runs, or else at the next one.
func (th *Thread) Throw(err error) { th.thrown = err }

// Interrupted reports that an exception waits to be raised.
func (th *Thread) Interrupted() bool { return th.thrown != nil }

// FunctionState is what of a function can change after it was made, its cells
// apart; it is compared with ==.
type FunctionState struct {
	defaults, kw, dict unsafe.Pointer
	numDefaults        int
	numKw, numDict     int
}

// State is the function's state now.
func (f *Function) State() FunctionState {
	s := FunctionState{defaults: unsafe.Pointer(unsafe.SliceData(f.defaults)), numDefaults: len(f.defaults),
		kw: unsafe.Pointer(f.kwDefaults), dict: unsafe.Pointer(f.dict)}
	if f.kwDefaults != nil {
		s.numKw = f.kwDefaults.Len()
	}
	if f.dict != nil {
		s.numDict = f.dict.Len()
	}
	return s
}

// KwDefaults are the defaults of keyword-only parameters, nil if there are none.
func (f *Function) KwDefaults() *value.Dict { return f.kwDefaults }

// Bare reports a function without defaults and attributes of its own: what it
// does depends on its code and cells alone.
func (f *Function) Bare() bool {
	return len(f.defaults) == 0 && f.kwDefaults == nil && f.dict == nil
}

// Watch is where the watch of the function's state is kept; nil: it cannot change.
func (f *Function) Watch() **value.Watch {
	if f.frozen {
		return nil
	}
	return &f.watch
}

// Rebuild makes a function like f over other cells and defaults.
func (f *Function) Rebuild(cells []*value.Cell, defaults []value.Value) *Function {
	n := *f
	n.free, n.defaults, n.frozen, n.watch = cells, defaults, false, nil
	return &n
}

// Registers are the registers of a generator that has not ended.
func (g *Generator) Registers() []value.Value { return g.regs }

// Husk is a function of the same code without cells, defaults and attributes: it
// keeps nothing alive, and is for Trap.
func (f *Function) Husk() *Function { return &Function{p: f.p} }

// Linked identifies the code together with the module that it is linked to.
func (f *Function) Linked() any { return f.p }

// Plain reports a function without attributes that a program has set.
func (f *Function) Plain() bool { return f.dict == nil && f.annots.IsUnset() }

// NumLocals is the number of a generator's variables: its first registers.
func (g *Generator) NumLocals() int { return len(g.p.info.Locals) }

// Handler says what becomes of an exception that is raised in the top frame and would
// leave frame base: whether some frame from base up catches it. known is false where
// Go code or a stepper stands between, which decides for itself.
func (th *Thread) Handler(base int, r *value.Raised) (caught, known bool) {
	for i := th.depth(); i >= base; i-- {
		fr := &th.frames[i]
		if fr.kind&(nativeFrame|entryFrame) != 0 {
			return false, false
		}
		pc := fr.pc()
		if i < th.depth() && bytecode.Op(uint8(fr.waiting())) == bytecode.SEND && r.Class.IsSubclass(value.ExcStopIteration) {
			return true, true
		}
		for j := range fr.p.info.Handlers {
			if h := &fr.p.info.Handlers[j]; pc >= h.Start && pc < h.End && h.Kind == bytecode.CatchHandler {
				return true, true
			}
		}
	}
	return false, true
}

// GenForm is what makes a generator besides its function, its registers and the
// exception that it handles.
type GenForm struct {
	st             genState
	pc, regs       int
	name, qualname string
}

// Form describes a generator that does not run.
func (g *Generator) Form() (f GenForm, fn *Function, handling *value.Raised, ok bool) {
	if g.st == genRunning {
		return f, nil, nil, false
	}
	f = GenForm{st: g.st, regs: len(g.regs), name: g.name, qualname: g.qualname}
	if g.st != genDone {
		f.pc = int(uintptr(g.ip)-uintptr(startOf(g.p))) / int(unsafe.Sizeof(bytecode.Ins(0)))
	}
	return f, g.fn, g.handling, true
}

// PC is the instruction that a generator goes on with; 0: it has not begun. done: it has ended.
func (f *GenForm) PC() (pc int, done bool) { return f.pc, f.st == genDone }

// Become makes a new generator one of form f. regs gives its registers.
func (g *Generator) Become(f GenForm, fn *Function, handling *value.Raised, regs func(r []value.Value)) {
	g.fn, g.p, g.name, g.qualname, g.handling = fn, fn.p, f.name, f.qualname, handling
	g.ip = unsafe.Add(startOf(fn.p), f.pc*int(unsafe.Sizeof(bytecode.Ins(0))))
	if f.st != genDone {
		g.regs = make([]value.Value, f.regs)
		regs(g.regs)
	}
	g.st, g.easy = f.st, f.st != genDone && !fn.p.catches
}
