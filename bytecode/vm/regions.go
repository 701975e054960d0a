package vm

import (
	"sync/atomic"

	"github.com/larkspur-ml/larkspur/bytecode"
)

// A Header is a place where a region may start: a function's entry (PC 0 and
// Entry), or the header of a loop, named by its first instruction.
type Header struct {
	Code  *bytecode.Code
	PC    int
	Entry bool
}

// Regions is asked at headers that run often, when control stands before the
// header's first instruction: of a function that has been entered with its
// arguments in place, of a while loop's test, of the FORITER of a for loop. It may
// look at the thread's frames, set an Observer, or put other frames in the place
// of these (record.go).
type Regions interface {
	// Threshold is how many calls or rounds make a header hot; 0: nothing is
	// counted, trapped functions with a mark alone are hot.
	Threshold() int
	// Hot is called when control stands at a header that is hot, again and
	// again, until it returns false: then not any more.
	Hot(th *Thread, at Header) bool
}

// traps make headers of a proto's code ones at which Regions is always asked. The
// fast loop looks at one word, which it has at hand: so code in which nothing is
// installed runs at its full speed beside code in which something is (fib and an
// integer loop as fast as with compilation off, where asking at every header of an
// armed thread took 1.9 and 1.3 times as long).
type traps struct {
	// arity is the number of arguments that the fast path of calls takes, plus
	// one; 0 if there is none (starred or keyword-only parameters, generators, a
	// trap at the entry). fits is the same without the trap.
	arity atomic.Uint32
	fits  uint32
	loops atomic.Int32 // traps at loop headers
	entry atomic.Int32 // traps at the entry
}

// Trap makes every thread that has Regions ask it at a header of f's code from now
// on, as of a hot one, however seldom it comes there; off takes one Trap back. It
// counts for all functions of that code, and may be called by any goroutine.
func Trap(f *Function, entry, on bool) {
	p := f.p
	n := int32(1)
	if !on {
		n = -1
	}
	if !entry {
		p.loops.Add(n)
		return
	}
	if p.entry.Add(n) > 0 {
		p.arity.Store(0)
	} else {
		p.arity.Store(p.fits)
	}
}

// count charges calls or rounds to a header and tells Regions of a hot one.
// The thread counts by samples: whoever spends the last of the fuel is charged
// with all of it, and while Regions is set the fuel is small; it grows while the
// samples meet headers that Regions has given up. It reports whether
// Regions has changed frames or hooks: then the loop has to look again.
func (th *Thread) count(at Header, trapped bool) (acted bool) {
	if th.hot == nil {
		th.hot = map[Header]int{}
	}
	n := sample
	switch {
	case trapped:
		n = th.Regions.Threshold()
	case th.armed:
		n = 1
	}
	c := th.hot[at]
	if c < 0 {
		th.Rest()
		return false
	}
	if c < 1<<30 {
		c += n
		th.hot[at] = c
	}
	if c < th.Regions.Threshold() {
		th.idle = 0
		return false
	}
	th.moved = false
	if !th.Regions.Hot(th, at) {
		th.hot[at] = -1
	}
	if th.moved || th.Observer != nil || th.Before != nil {
		th.idle = 0
		return true
	}
	return false
}

// Rest makes samples rarer, until one meets something again.
func (th *Thread) Rest() { th.idle = min(2*max(th.idle, sample), quantum) }

// asks reports whether Regions is to be asked.
func (th *Thread) asks() bool {
	return th.Regions != nil && th.Observer == nil && th.Before == nil && th.stop == nil
}

// counts reports that headers are counted.
func (th *Thread) counts() bool { return th.Regions != nil && th.Regions.Threshold() > 0 }

// entered counts the call whose frame has just been pushed.
func (th *Thread) entered() {
	fr := th.fr
	if !th.asks() || fr.p == nil || fr.gen != nil || fr.kind&(entryFrame|nativeFrame) != 0 || fr.ip != startOf(fr.p) {
		return
	}
	at := Header{Code: fr.p.info, Entry: true}
	trapped := fr.p.entry.Load() != 0
	switch {
	case trapped && fr.fn.marked != nil:
		th.Regions.Hot(th, at)
	case th.counts():
		th.count(at, trapped)
	}
}

// Disarm ends what Arm began.
func (th *Thread) Disarm() {
	th.armed = false
	th.refuel()
}

// Arm makes the thread ask Regions at every header from now on, not by samples.
func (th *Thread) Arm() {
	th.armed = true
	th.refuel()
}

// Marked makes a function that does what f does, and that a compiler knows by its
// mark. trap makes its calls ones that Regions hears of, and those of no other
// function of the same code. Either way calls leave the registers of the caller as
// they are until the function runs.
func (f *Function) Marked(mark any, trap bool) *Function {
	n := *f
	n.marked = &marking{mark, f}
	n.frozen, n.watch = false, nil
	n.p = f.p.twin()
	if trap {
		n.p.entry.Store(1)
	}
	return &n
}

// Mark is what Marked has attached to f; nil: nothing.
func (f *Function) Mark() any {
	if f.marked == nil {
		return nil
	}
	return f.marked.mark
}

// Unmarked is the function that f was made from by Marked, f itself if by none.
func (f *Function) Unmarked() *Function {
	if f.marked == nil {
		return f
	}
	return f.marked.of
}

// twin is a proto of the same code with traps of its own, to which calls take the
// slow path.
func (p *proto) twin() *proto {
	return &proto{code: p.code, consts: p.consts, ics: p.ics, frame: p.frame, mod: p.mod, env: p.env, info: p.info, dialect: p.dialect,
		machine: p.machine, children: p.children, clear: p.clear, catches: p.catches}
}
