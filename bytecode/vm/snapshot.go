package vm

import (
	"errors"
	"unsafe"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// A Snapshot is the state of a thread between two instructions, as data: it can
// be put into another thread, which then goes on from there.
type Snapshot struct {
	Frames   []FrameState // outermost first
	Handling *value.Raised
	Dialect  value.Dialect
}

// A FrameState is one frame of a Snapshot. PC is the next instruction; the one
// before it is what a frame that is not the last waits in.
type FrameState struct {
	Fn   *Function // nil for entry and native frames
	PC   int
	Regs []value.Value
	Gen  *Generator    // whose body it is, or nil
	Step value.Stepper // of a native frame

	kind    frameKind
	dialect value.Dialect
	handled *value.Raised
}

// ErrSuspended is what Call, Exec and Resume return when the stop function has
// ended them. The frames stay: Snapshot and Resume may follow.
var ErrSuspended = errSuspended

// SetStop sets a function that is asked before each instruction, but those that
// run below Go code that waits (an import, a key's __eq__); true suspends the
// run. While one is set, the thread runs without its fast loop.
func (th *Thread) SetStop(stop func(*Thread) bool) { th.stop = stop }

// Snapshot copies the state of a suspended thread. It fails if Go code waits
// between two frames: such a call cannot be rebuilt.
func (th *Thread) Snapshot() (*Snapshot, error) {
	s := &Snapshot{Handling: th.Handling, Dialect: th.Dialect}
	for i := 1; i <= th.depth(); i++ {
		fr := &th.frames[i]
		f := FrameState{kind: fr.kind &^ (newSegment | wakeFrame), Gen: fr.gen}
		if fr.kind&entryFrame != 0 && i > 1 {
			return nil, errors.New("a call from Go is in progress")
		}
		if fr.ext != nil {
			f.dialect, f.handled = fr.ext.dialect, fr.ext.handling
			if fr.kind&nativeFrame != 0 {
				f.Step = fr.ext.step
			}
		}
		if fr.kind&(entryFrame|nativeFrame) == 0 {
			f.Fn = fr.fn
			f.PC = fr.pc() + 1
			f.Regs = append([]value.Value(nil), fr.regs()...)
		} else {
			f.Gen = nil
		}
		s.Frames = append(s.Frames, f)
	}
	return s, nil
}

// Restore puts a snapshot into a thread on which nothing runs.
func (th *Thread) Restore(s *Snapshot) error {
	if th.depth() != 0 {
		return errors.New("the thread is in use")
	}
	for i := range s.Frames {
		f := &s.Frames[i]
		top := th.fr.top
		fr, err := th.push()
		if err != nil {
			return err
		}
		fr.kind = f.kind
		fr.R, fr.top = top, top
		fr.p, fr.fn, fr.gen = nil, nil, nil
		if f.kind&(entryFrame|nativeFrame|dialFrame) != 0 {
			fr.ext = &extra{step: f.Step, dialect: f.dialect, handling: f.handled}
		}
		if f.Fn == nil {
			continue
		}
		fr.fn, fr.p = f.Fn, f.Fn.p
		fr.setPC(f.PC)
		if f.Gen != nil {
			fr.gen = f.Gen
			copy(f.Gen.regs, f.Regs)
			fr.R = unsafe.Pointer(unsafe.SliceData(f.Gen.regs))
			continue
		}
		R, fresh := th.room(top, fr.p.frame)
		if fresh != nil {
			if fr.ext == nil {
				fr.ext = &extra{}
			}
			fr.ext.lim = fresh
			fr.kind |= newSegment
		}
		fr.R = R
		fr.top = unsafe.Add(R, len(f.Regs)*bytecode.RegSize)
		copy(fr.regs(), f.Regs)
	}
	th.Handling, th.Dialect = s.Handling, s.Dialect
	return nil
}

// Resume goes on with a suspended or restored run until it has its result.
func (th *Thread) Resume() (value.Value, error) {
	if th.depth() == 0 || th.frames[1].kind&entryFrame == 0 {
		return value.Value{}, errors.New("nothing to resume")
	}
	entry := th.frames[1].ext
	if err := th.loop(entry); err != nil {
		return value.Value{}, err
	}
	th.fr = &th.frames[0]
	th.segs = th.segs[:1]
	seg := th.segs[0]
	th.lim = unsafe.Pointer(&seg[len(seg)-spareRegs])
	th.Handling, th.Dialect = entry.handling, entry.dialect
	th.ClearStale()
	return entry.result, entry.err
}
