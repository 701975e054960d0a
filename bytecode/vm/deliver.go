package vm

import (
	"errors"
	"unsafe"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// errDone tells the loop that an entry frame has its result, errSuspended that
// the stop function has spoken.
var (
	errDone      = errors.New("BUG: run is done")
	errSuspended = errors.New("BUG: run is suspended")
)

// deliver hands the outcome of the frame that was on top, or of a call that
// needed no frame, to the frame that is on top now. It returns nil if the loop
// goes on, errDone, or an exception to be unwound in the bytecode frame on top.
func (th *Thread) deliver(v value.Value, err error) error {
	for {
		fr := th.fr
		switch {
		case fr.kind&nativeFrame != 0:
			act := fr.ext.step.Step(&th.Thread, v, err)
			switch act.Kind {
			case value.ActReturn:
				th.pop()
				v, err = act.Value, nil
			case value.ActRaise:
				th.pop()
				v, err = value.Value{}, act.Err
				if nc, ok := err.(*value.NeedCall); ok {
					var pushed bool
					if v, pushed, err = th.carry(nc); pushed {
						return nil
					}
				}
			case value.ActCall:
				call := *act.Call
				var pushed bool
				if v, pushed, err = th.carry(&call); pushed {
					return nil
				}
			}
		case fr.kind&entryFrame != 0:
			fr.ext.result, fr.ext.err, fr.ext.done = v, err, true
			return errDone
		case err != nil:
			if bytecode.Op(uint8(fr.waiting())) == bytecode.SEND {
				if r, ok := err.(*value.Raised); ok && r.Class.IsSubclass(value.ExcStopIteration) {
					return th.sendDone(fr, uint64(fr.waiting()), r)
				}
			}
			return err
		default:
			return th.finish(fr, uint64(fr.waiting()), v)
		}
	}
}

// carry starts what a *value.NeedCall asks for: either a frame has been pushed,
// or v and err are the outcome for the frame on top (which may be the new
// native frame of nc.Then).
func (th *Thread) carry(nc *value.NeedCall) (v value.Value, pushed bool, err error) {
	call := *nc
	// Go code that goes on calling must be stoppable too.
	if th.fuel--; th.fuel <= 0 {
		if err := th.poll(); err != nil {
			return value.Value{}, false, err
		}
	}
	if call.Then != nil {
		fr := th.fr
		top := fr.top
		n, err := th.push()
		if err != nil {
			return value.Value{}, false, err
		}
		n.kind = nativeFrame
		n.p, n.fn = nil, nil
		n.R, n.top = top, top
		n.ext = &extra{step: call.Then}
	}
	switch {
	case call.Next:
		return th.startNext(call.Fn)
	case call.Fn.IsUnset():
		return value.Value{}, false, nil
	}
	return th.start(call.Fn, call.Args, call.Kw)
}

// outcome is how an instruction ends that asked package value for something.
func (th *Thread) outcome(fr *frame, ins uint64, v value.Value, err error) error {
	if err == nil {
		return th.finish(fr, ins, v)
	}
	return th.failed(err)
}

// failed deals with the error of an operation: it carries out a *NeedCall.
func (th *Thread) failed(err error) error {
	nc, ok := err.(*value.NeedCall)
	if !ok {
		return err
	}
	v, pushed, err := th.carry(nc)
	if pushed {
		return nil
	}
	return th.deliver(v, err)
}

// finish gives the value that an instruction has waited for to its destination.
func (th *Thread) finish(fr *frame, ins uint64, v value.Value) error {
	switch bytecode.Rows[uint8(ins)].Result {
	case bytecode.ToA:
		*fr.a(ins) = v
	case bytecode.BoolToA:
		*fr.a(ins) = value.Bool(v.IsTrue())
	case bytecode.NotToA:
		*fr.a(ins) = value.Bool(!v.IsTrue())
	case bytecode.JumpIf, bytecode.JumpIfNot:
		if !v.IsBool() {
			// A comparison may give anything; its truth counts.
			truth, err := value.Truth(&th.Thread, v)
			if err != nil {
				return th.failed(err)
			}
			v = value.Bool(truth)
		}
		if v.IsTrue() == (bytecode.Rows[uint8(ins)].Result == bytecode.JumpIf) {
			fr.jump(ins)
		}
	case bytecode.Iterate:
		if !v.IsUnset() {
			*fr.a(ins) = v
			fr.jump(ins)
		}
	case bytecode.Special:
		return special[uint8(ins)](th, fr, ins, v)
	}
	return nil
}

func (fr *frame) jump(ins uint64) { fr.ip = unsafe.Add(fr.ip, (int64(ins)>>48)*8) }

// unwind finds a handler for an exception that was raised in the top frame. It
// returns nil when the loop goes on in a handler, or errDone.
// again: the exception goes on after a handler, its place is known already.
func (th *Thread) unwind(err error, again bool) error {
	if err == errDone || err == errSuspended {
		return err
	}
	r, ok := err.(*value.Raised)
	if !ok {
		r = value.AsRaised(th.Stopped(err))
	}
	if th.Raising != nil && r != th.fatal {
		th.Raising(r)
	}
	if !again {
		th.chain(r)
	}
	raiser := th.fr
	for {
		fr := th.fr
		if fr.kind&(nativeFrame|entryFrame) != 0 {
			if err = th.deliver(value.Value{}, r); err == nil || err == errDone {
				return err
			}
			r = value.AsRaised(th.Stopped(err))
			continue
		}
		if fr != raiser && bytecode.Op(uint8(fr.waiting())) == bytecode.SEND && r.Class.IsSubclass(value.ExcStopIteration) {
			// The iterator below yield from has ended, with a result.
			if err := th.sendDone(fr, uint64(fr.waiting()), r); err == nil {
				return nil
			}
		}
		if !again {
			r.Passed(fr.p, fr.pc())
		}
		again = false
		if len(fr.p.info.Handlers) > 0 && th.handle(fr, r) {
			return nil
		}
		if g := fr.gen; g != nil {
			th.leave(g)
			if r.Class.IsSubclass(value.ExcStopIteration) {
				r = escapedStop(r)
			}
		}
		th.pop()
	}
}

// handle looks for a handler in one frame.
func (th *Thread) handle(fr *frame, r *value.Raised) bool {
	pc := fr.pc()
	handlers := fr.p.info.Handlers
	for i := range handlers {
		h := &handlers[i]
		if pc < h.Start || pc >= h.End {
			continue
		}
		first, second := reg(fr.R, uint64(h.Reg)*bytecode.RegSize), reg(fr.R, uint64(h.Reg+1)*bytecode.RegSize)
		switch h.Kind {
		case bytecode.CatchHandler:
			if r == th.fatal {
				continue
			}
			*first = r.Value()
			*second = value.None
			if th.Handling != nil {
				*second = th.Handling.Value()
			}
			th.Handling = r
			fr.setPC(h.Target)
			return true
		case bytecode.UnhandleHandler:
			th.unhandle(second)
		case bytecode.IterHandler:
			th.closeIter(first)
		}
	}
	return false
}

// unhandle restores what was being handled before.
func (th *Thread) unhandle(saved *value.Value) {
	th.Handling = value.RaisedOf(*saved)
}

// chain sets the context of a new exception.
func (th *Thread) chain(r *value.Raised) {
	h := th.Handling
	if h == nil || h == r || r.Context != nil {
		return
	}
	for x := h; x.Context != nil; x = x.Context {
		if x.Context == r {
			x.Context = nil
			break
		}
	}
	r.Context = h
}
