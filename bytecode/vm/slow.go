package vm

import (
	"unsafe"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// An operation does one instruction of the top frame, whose ip is behind it. It
// may push frames; an error is an exception, or errDone.
type operation func(th *Thread, fr *frame, ins uint64) error

// operations has one function an opcode; each family's file enters its own.
var operations = func() (all [256]operation) {
	for i := range all {
		all[i] = badOp
	}
	all[bytecode.NOP] = func(*Thread, *frame, uint64) error { return nil }
	return all
}()

// special has what becomes of late results, for the rows that say Special.
var special [256]func(th *Thread, fr *frame, ins uint64, v value.Value) error

func badOp(th *Thread, fr *frame, ins uint64) error {
	return value.Errorf(value.ExcSystemError, "bad instruction %s", bytecode.Op(uint8(ins)))
}

// slow does any instruction. False ends the loop: the entry frame has its
// result, or somebody asked to stop.
//
//go:noinline
func (th *Thread) slow(ins uint64) bool {
	err := operations[uint8(ins)](th, th.fr, ins)
	if err == nil && th.thrown == nil {
		return th.fast()
	}
	return th.settle(err, uint64(ins))
}

// fast reports whether the fast loop may go on: somebody may have begun to
// observe the thread.
func (th *Thread) fast() bool {
	return th.Observer == nil && th.stop == nil && th.Before == nil && !th.atEntry
}

// settle deals with the error of an operation.
func (th *Thread) settle(err error, ins uint64) bool {
	if err == nil {
		err, th.thrown = th.thrown, nil
	}
	again := false
	if op := bytecode.Op(uint8(ins)); op == bytecode.RERAISE || op == bytecode.RAISECUR {
		again = err != errDone && th.reraised == err
	}
	th.reraised = nil
	for {
		err = th.unwind(err, again)
		if err != nil {
			return false
		}
		if th.thrown == nil {
			return th.fast()
		}
		err, th.thrown, again = th.thrown, nil, false
	}
}

// loop runs until the entry frame on which it was started has its result, or
// the stop function says so (then it returns errSuspended).
func (th *Thread) loop(entry *extra) error {
	for !entry.done {
		if th.thrown != nil {
			th.settle(nil, 0)
			continue
		}
		if th.atEntry {
			th.atEntry = false
			th.entered()
			continue
		}
		if th.stepped = !th.fast(); !th.stepped {
			th.run()
			continue
		}
		// A run below Go code that waits cannot be suspended.
		if th.stop != nil && th.frames[1].ext == entry && th.stop(th) {
			return errSuspended
		}
		if th.Before != nil && th.Before(th) {
			continue
		}
		th.step()
	}
	return nil
}

// step does one instruction.
func (th *Thread) step() {
	fr := th.fr
	ins := *(*uint64)(fr.ip)
	fr.ip = unsafe.Add(fr.ip, 8)
	th.slow(ins)
}

// Call runs fn to its end. It may be called from Go code that the machine has
// called.
func (th *Thread) Call(fn value.Value, args []value.Value, kw []value.Kwarg) (value.Value, error) {
	return th.enterGo(func() (value.Value, bool, error) { return th.start(fn, args, kw) })
}

// Next advances an iterator of any kind.
func (th *Thread) Next(it value.Value) (v value.Value, ok bool, err error) {
	v, err = th.enterGo(func() (value.Value, bool, error) { return th.startNext(it) })
	return v, err == nil && !v.IsUnset(), err
}

// Do carries out what an operation of package value returned: v and err
// themselves, or the *value.NeedCall that err is.
func (th *Thread) Do(v value.Value, err error) (value.Value, error) {
	nc, ok := err.(*value.NeedCall)
	if !ok {
		return v, err
	}
	call := *nc
	return th.enterGo(func() (value.Value, bool, error) { return th.carry(&call) })
}

// enterGo runs what begin starts, on an entry frame of its own.
func (th *Thread) enterGo(begin func() (value.Value, bool, error)) (value.Value, error) {
	outermost := th.depth() == 0
	base, top := th.depth(), th.fr.top
	fr, err := th.push()
	if err != nil {
		return value.Value{}, err
	}
	fr.kind = entryFrame
	fr.p, fr.fn = nil, nil
	fr.R, fr.top = top, top
	entry := &extra{handling: th.Handling, dialect: th.Dialect}
	fr.ext = entry
	lim, segs := th.lim, len(th.segs)

	v, pushed, err := begin()
	if !pushed {
		if err = th.deliver(v, err); err != nil && err != errDone {
			panic("BUG: an entry frame was passed over")
		}
	}
	if err = th.loop(entry); err == errSuspended {
		return value.Value{}, err
	}
	th.fr = &th.frames[base]
	th.lim, th.segs = lim, th.segs[:segs]
	th.Handling, th.Dialect = entry.handling, entry.dialect
	if fr.kind&wakeFrame != 0 {
		th.woke(fr)
	}
	if th.Left != nil {
		th.Left(th)
	}
	if outermost {
		th.fatal, th.strikes = nil, 0
		th.ClearStale()
	}
	return entry.result, entry.err
}

// Exec runs a program in a module.
func (th *Thread) Exec(p *bytecode.Program, mod *value.Module) (value.Value, error) {
	main := th.machine.link(p, mod)
	fn := &Function{p: main, name: "<module>", qualname: "<module>", module: value.Str(mod.Name), doc: value.None}
	if mod.File == "" {
		mod.File = p.File
	}
	if _, ok := mod.Get("__name__"); !ok {
		mod.Set("__name__", value.Str(mod.Name))
	}
	if p.Options.Dialect == 0 {
		if _, ok := mod.Get("__doc__"); !ok {
			mod.Set("__doc__", value.None)
		}
	}
	return th.Call(fn.Value(), nil, nil)
}
