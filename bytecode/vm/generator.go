package vm

import (
	"fmt"
	"unsafe"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/value"
	"go.starlark.net/starlark"
)

// A Generator is a suspended frame with registers of its own.
type Generator struct {
	easy bool // suspended, and the fast path may advance it
	st   genState
	ip   unsafe.Pointer
	fn   *Function
	p    *proto
	regs []value.Value

	name, qualname string
	handling       *value.Raised // what the body was handling when it yielded
	outer          *value.Raised // what was being handled where it was resumed
}

type genState uint8

const (
	genStart genState = iota
	genSuspended
	genRunning
	genDone
)

// ItabGenerator is the second word of values that are generators.
var ItabGenerator = value.ItabOf((*Generator)(nil))

func (g *Generator) Value() value.Value { return value.FromStarlark(g) }
func (g *Generator) IsGenerator()       {}
func (g *Generator) String() string {
	return fmt.Sprintf("<generator object %s at %p>", g.qualname, g)
}
func (g *Generator) Type() string          { return "generator" }
func (g *Generator) Freeze()               {}
func (g *Generator) Truth() starlark.Bool  { return true }
func (g *Generator) Hash() (uint32, error) { return uint32(uintptr(unsafe.Pointer(g)) >> 4), nil }
func (g *Generator) ClassOf() *value.Class { return value.GeneratorClass }
func (g *Generator) AttrDir() []string {
	return []string{"__name__", "__qualname__", "gi_code", "gi_frame", "gi_running"}
}
func (g *Generator) finished() {
	g.st, g.easy = genDone, false
	g.regs, g.handling = nil, nil
}

func (g *Generator) AttrGet(t *value.Thread, name string) (value.Value, bool, error) {
	switch name {
	case "__name__":
		return value.Str(g.name), true, nil
	case "__qualname__":
		return value.Str(g.qualname), true, nil
	case "gi_code":
		return value.FromStarlark(&value.CodeInfo{File: g.p.info.Program.File, Name: g.name}), true, nil
	case "gi_frame":
		if g.st == genDone {
			return value.None, true, nil
		}
		return value.FromStarlark(&value.FrameInfo{Entry: g.at()}), true, nil
	case "gi_running":
		return value.Bool(g.st == genRunning), true, nil
	}
	if b := genMethods[name]; b != nil {
		m := &value.BoundMethod{Fn: b.Value(), Self: g.Value()}
		return m.Value(), true, nil
	}
	return value.Value{}, false, nil
}

// at is where the generator stands: at its definition before it has begun.
func (g *Generator) at() value.Entry {
	c := g.p.info
	e := value.Entry{File: c.Program.File, Line: int(c.Span.Start.Line), Func: c.Name}
	if n := int(uintptr(g.ip)-uintptr(startOf(g.p))) / int(unsafe.Sizeof(bytecode.Ins(0))); n > 0 && n <= len(c.Spans) {
		e.Line = int(c.At(n - 1).Start.Line)
	}
	return e
}

func (g *Generator) AttrSet(t *value.Thread, name string, v value.Value) (bool, error) {
	switch name {
	case "__name__", "__qualname__":
		s, ok := v.AsString()
		if !ok {
			return true, value.TypeErrorf("%s must be set to a string object", name)
		}
		if name == "__name__" {
			g.name = s
		} else {
			g.qualname = s
		}
		return true, nil
	}
	return false, nil
}

// A resumption is what the methods of generators ask the machine to call.
type resumption struct {
	g    *Generator
	sent value.Value   // unset: None
	exc  *value.Raised // thrown in
	end  bool          // close()
}

func (r *resumption) String() string        { return "resumption" }
func (r *resumption) Type() string          { return "resumption" }
func (r *resumption) Freeze()               {}
func (r *resumption) Truth() starlark.Bool  { return true }
func (r *resumption) Hash() (uint32, error) { return 0, nil }

var genMethods = map[string]*value.Builtin{}

func init() {
	method := func(name string, lo, hi int, fn value.BuiltinFn) {
		genMethods[name] = &value.Builtin{Name: name, Fn: fn, Method: true, Owner: value.GeneratorClass, Min: lo, Max: hi, Counted: true, Told: true}
	}
	self := func(args []value.Value, name string) (*Generator, error) {
		if g, ok := value.As[*Generator](args[0]); ok {
			return g, nil
		}
		return nil, value.TypeErrorf("descriptor '%s' requires a 'generator' object", name)
	}
	resume := func(r resumption) (value.Value, error) {
		return value.Value{}, &value.NeedCall{Fn: value.FromStarlark(&r)}
	}
	method("__iter__", 0, 0, func(t *value.Thread, args []value.Value, kw []value.Kwarg) (value.Value, error) {
		return args[0], nil
	})
	method("__next__", 0, 0, func(t *value.Thread, args []value.Value, kw []value.Kwarg) (value.Value, error) {
		g, err := self(args, "__next__")
		if err != nil {
			return value.Value{}, err
		}
		return resume(resumption{g: g})
	})
	method("send", 1, 1, func(t *value.Thread, args []value.Value, kw []value.Kwarg) (value.Value, error) {
		g, err := self(args, "send")
		if err != nil {
			return value.Value{}, err
		}
		if g.st == genStart && !args[1].IsNone() {
			return value.Value{}, value.TypeErrorf("can't send non-None value to a just-started generator")
		}
		return resume(resumption{g: g, sent: args[1]})
	})
	method("throw", 1, 3, func(t *value.Thread, args []value.Value, kw []value.Kwarg) (value.Value, error) {
		g, err := self(args, "throw")
		if err != nil {
			return value.Value{}, err
		}
		exc := args[1]
		if len(args) > 2 && !args[2].IsNone() {
			if value.RaisedOf(args[2]) != nil {
				exc = args[2]
			} else if c := args[1].AsClass(); c != nil {
				exc = value.NewRaised(c, args[2]).Value()
			}
		}
		err = value.RaiseValue(t, exc)
		if _, ok := err.(*value.NeedCall); ok {
			return value.Value{}, value.TypeErrorf("throw() needs an exception instance here")
		}
		return resume(resumption{g: g, exc: value.AsRaised(err)})
	})
	method("close", 0, 0, func(t *value.Thread, args []value.Value, kw []value.Kwarg) (value.Value, error) {
		g, err := self(args, "close")
		if err != nil {
			return value.Value{}, err
		}
		if g.st == genStart || g.st == genDone {
			g.finished()
			return value.None, nil
		}
		r := &resumption{g: g, exc: value.NewRaised(value.ExcGeneratorExit), end: true}
		return value.Value{}, &value.NeedCall{Fn: value.FromStarlark(r), Then: closing{}}
	})
	for _, b := range genMethods {
		value.GeneratorClass.SetRaw(b.Name, b.Value())
	}
}

// closing ends close(): the body must not yield, and its end is no error.
type closing struct{}

func (closing) Step(t *value.Thread, in value.Value, err error) value.Action {
	if err != nil {
		r := value.AsRaised(err)
		if r.Class.IsSubclass(value.ExcGeneratorExit) || r.Class.IsSubclass(value.ExcStopIteration) {
			return value.Return(value.None)
		}
		return value.Raise(err)
	}
	return value.Raise(value.RuntimeErrorf("generator ignored GeneratorExit"))
}

// newGenerator makes the generator of a call; its registers have the arguments.
func newGenerator(fn *Function, regs []value.Value) *Generator {
	g := &Generator{fn: fn, p: fn.p, regs: regs, name: fn.name, qualname: fn.qualname}
	g.ip = unsafe.Pointer(unsafe.SliceData(fn.p.code))
	g.easy = !fn.p.catches
	return g
}

// enter pushes the frame of a generator. kind says what its end means.
func (th *Thread) enter(g *Generator, kind frameKind) error {
	if g.busy() {
		return value.ValueErrorf("generator already executing")
	}
	top := th.fr.top
	fr, err := th.push()
	if err != nil {
		return err
	}
	fr.kind = kind
	fr.fn, fr.p, fr.gen = g.fn, g.p, g
	fr.R = unsafe.Pointer(unsafe.SliceData(g.regs))
	fr.top = top
	fr.ip = g.ip
	if th.Dialect != g.p.dialect {
		fr.kind |= dialFrame
		fr.ext = &extra{dialect: th.Dialect}
		th.Dialect = g.p.dialect
	}
	g.easy = false
	g.st = genRunning
	g.outer = th.Handling
	if g.handling != nil {
		th.Handling = g.handling
	}
	return nil
}

// busy reports whether the body runs now. The fast path keeps easy alone.
func (g *Generator) busy() bool {
	return g.st == genRunning || !g.p.catches && !g.easy && g.st != genDone
}

// suspend saves the top frame, a generator's, and pops it.
func (th *Thread) suspend(fr *frame) {
	g := fr.gen
	g.ip = fr.ip
	g.handling = nil
	if g.st == genRunning && th.Handling != g.outer {
		g.handling = th.Handling
		th.Handling = g.outer
	}
	g.st = genSuspended
	g.easy = !g.p.catches
	g.outer = nil
	fr.gen = nil
	th.pop()
}

// startNext advances an iterator of any kind for a NeedCall or a FORITER that
// needs a frame; the outcome is unset at the end.
func (th *Thread) startNext(it value.Value) (v value.Value, pushed bool, err error) {
	if it.Is(ItabGenerator) {
		g := (*Generator)(it.P)
		if g.st == genDone {
			return value.Value{}, false, nil
		}
		if err := th.enter(g, nextFrame); err != nil {
			return value.Value{}, false, err
		}
		return value.Value{}, true, nil
	}
	v, ok, err := value.Next(&th.Thread, it)
	if err != nil {
		if nc, isCall := err.(*value.NeedCall); isCall {
			return th.carry(nc)
		}
		return value.Value{}, false, err
	}
	if !ok {
		v = value.Value{}
	}
	return v, false, nil
}

// escapedStop is the error that a StopIteration becomes which leaves a generator's body.
func escapedStop(r *value.Raised) *value.Raised {
	n := value.Errorf(value.ExcRuntimeError, "generator raised StopIteration")
	n.Cause, n.Context, n.Suppress = r, r, true
	return n
}

// resume carries out a method of a generator.
func (th *Thread) resume(r *resumption) (v value.Value, pushed bool, err error) {
	g := r.g
	if g.st == genDone {
		switch {
		case r.exc != nil:
			return value.Value{}, false, r.exc
		default:
			return value.Value{}, false, value.NewRaised(value.ExcStopIteration)
		}
	}
	started := g.ip != startOf(g.p)
	if r.exc != nil && !started {
		g.finished()
		if !r.exc.Traced() { // raised where the body would have begun
			r.exc.SetTrace([]value.Entry{g.at()})
		}
		if r.exc.Class.IsSubclass(value.ExcStopIteration) {
			return value.Value{}, false, escapedStop(r.exc)
		}
		return value.Value{}, false, r.exc
	}
	if err := th.enter(g, sendFrame); err != nil {
		return value.Value{}, false, err
	}
	return th.wake(th.fr, r)
}

// wake gives the body what was sent or thrown.
func (th *Thread) wake(fr *frame, r *resumption) (v value.Value, pushed bool, err error) {
	g := r.g
	if fr.ip == startOf(g.p) {
		return value.Value{}, true, nil // it has not begun: nothing waits
	}
	yield := uint64(fr.waiting())
	if r.exc == nil {
		if !r.sent.IsUnset() {
			*fr.a(yield) = r.sent
		}
		return value.Value{}, true, nil
	}
	if off := yield >> 48; off != bytecode.NoReg {
		// The body is in a yield from: the exception goes to the inner
		// iterator, as if the SEND before the YIELD waited for it.
		it := *reg(fr.R, off)
		fr.ip = unsafe.Add(fr.ip, -8)
		if v, pushed, err, ok := th.throwInto(it, r); ok {
			return v, pushed, err
		}
		fr.ip = unsafe.Add(fr.ip, 8)
	}
	th.thrown = r.exc // raised in the new top frame once the loop has it
	return value.Value{}, true, nil
}

// throwInto hands an exception to the iterator that a generator delegates to.
// ok is false if the iterator does not want it.
func (th *Thread) throwInto(it value.Value, r *resumption) (v value.Value, pushed bool, err error, ok bool) {
	if it.Is(ItabGenerator) {
		inner := (*Generator)(it.P)
		if inner.st == genDone {
			return value.Value{}, false, nil, false
		}
		v, pushed, err = th.resume(&resumption{g: inner, exc: r.exc})
		return v, pushed, err, true
	}
	if r.end {
		f, err := value.GetAttr(&th.Thread, it, "close")
		if err != nil {
			return value.Value{}, false, nil, false
		}
		v, pushed, err = th.carry(&value.NeedCall{Fn: f, Then: thenRaise{r.exc}})
		return v, pushed, err, true
	}
	f, err := value.GetAttr(&th.Thread, it, "throw")
	if err != nil {
		return value.Value{}, false, nil, false
	}
	v, pushed, err = th.start(f, []value.Value{r.exc.Value()}, nil)
	return v, pushed, err, true
}

// thenRaise raises after a call.
type thenRaise struct{ exc *value.Raised }

func (s thenRaise) Step(t *value.Thread, in value.Value, err error) value.Action {
	if err != nil {
		return value.Raise(err)
	}
	return value.Raise(s.exc)
}

// leave ends a generator whose frame is going.
func (th *Thread) leave(g *Generator) {
	if g.st == genRunning {
		th.Handling = g.outer
	}
	g.finished()
}

// genReturn ends a generator's frame that has returned v. The frame is popped.
func (th *Thread) genReturn(fr *frame, v value.Value) error {
	kind := fr.kind
	g := fr.gen
	th.leave(g)
	fr.gen = nil
	th.pop()
	switch {
	case kind&forFrame != 0:
		return nil // FORITER falls through
	case kind&nextFrame != 0:
		return th.deliver(value.Value{}, nil)
	case kind&delegFrame != 0:
		below := th.fr
		ins := uint64(below.waiting())
		*below.a(ins) = v
		below.jump(ins)
		return nil
	}
	stop := value.NewRaised(value.ExcStopIteration)
	if !v.IsNone() {
		stop.Args = []value.Value{v}
	}
	return th.deliver(value.Value{}, stop)
}

// startOf is where a body begins. A generator stands there only before its
// first step: nothing jumps back to a function's first instruction and yields.
func startOf(p *proto) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(p.code)) }
