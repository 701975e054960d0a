package tracer

import (
	"math/bits"

	"github.com/larkspur-ml/larkspur/bytecode"
)

// A liveness has, for each instruction of a code object, the registers that
// may be read before they are written: what a region has to guard at its start
// and to restore at its exit.
type liveness struct {
	words int
	in    []uint64 // by pc
	out   []uint64
	exc   []uint64 // by handlers, should the instruction raise
}

type regSet []uint64

func (s regSet) has(i int) bool { return s[i>>6]>>(i&63)&1 != 0 }
func (s regSet) add(i int)      { s[i>>6] |= 1 << (i & 63) }
func (s regSet) del(i int)      { s[i>>6] &^= 1 << (i & 63) }

// list is the registers in the set, in order.
func (s regSet) list() []int {
	var l []int
	for w, b := range s {
		for b != 0 {
			l = append(l, w<<6+bits.TrailingZeros64(b))
			b &= b - 1
		}
	}
	return l
}

func (l *liveness) before(pc int) regSet { return l.in[pc*l.words : (pc+1)*l.words] }
func (l *liveness) after(pc int) regSet  { return l.out[pc*l.words : (pc+1)*l.words] }
func (l *liveness) raised(pc int) regSet { return l.exc[pc*l.words : (pc+1)*l.words] }

// waiting is what a frame needs that waits in instruction pc for another frame:
// control goes on behind it or, if that frame raises, in a handler.
func (l *liveness) waiting(pc int) regSet {
	s := append(regSet(nil), l.after(pc)...)
	for i, b := range l.raised(pc) {
		s[i] |= b
	}
	return s
}

// computeLiveness solves the usual equations backwards. Registers of cells are
// always live: functions made inside capture them.
func computeLiveness(c *bytecode.Code) *liveness {
	n := len(c.Ins)
	l := &liveness{words: (c.NumRegs + 63) / 64}
	if l.words == 0 {
		l.words = 1
	}
	l.in, l.out, l.exc = make([]uint64, n*l.words), make([]uint64, n*l.words), make([]uint64, n*l.words)
	always := make(regSet, l.words)
	for _, cell := range c.Cells {
		always.add(cell.Reg)
	}
	if readsLocals(c) {
		for i := range c.Locals {
			always.add(i)
		}
	}
	for changed := true; changed; {
		changed = false
		for pc := n - 1; pc >= 0; pc-- {
			if l.flow(c, pc, always) {
				changed = true
			}
		}
	}
	return l
}

// readsLocals reports code that may call locals(), which shows every name.
func readsLocals(c *bytecode.Code) bool {
	for _, w := range c.Ins {
		if w.Op() == bytecode.GETG && c.Program.Globals[w.BC()/bytecode.RegSize] == "locals" {
			return true
		}
	}
	return false
}

func (l *liveness) flow(c *bytecode.Code, pc int, always regSet) bool {
	w := c.Ins[pc]
	row := w.Op().Row()
	out := make(regSet, l.words)
	join := func(from int, but int) {
		if from < 0 || from >= len(c.Ins) {
			return
		}
		for i, b := range l.before(from) {
			if but >= 0 && but>>6 == i {
				b &^= 1 << (but & 63)
			}
			out[i] |= b
		}
	}
	a := int(w.A()) / bytecode.RegSize
	jump := false
	for _, k := range []bytecode.Kind{row.B, row.C} {
		if k == bytecode.Jump || k == bytecode.Jump32 {
			jump = true
		}
	}
	if jump {
		but := -1
		if w.Op() == bytecode.FORITER {
			but = a
		}
		join(pc+1+w.Jump(), but)
	}
	if row.Flags&bytecode.Terminal == 0 {
		join(pc+1, -1)
	}
	for i := range out {
		out[i] |= always[i]
	}
	copy(l.after(pc), out)
	in := append(regSet(nil), out...)
	// What is written.
	if row.A == bytecode.Dst && w.Op() != bytecode.FORITER && !always.has(a) {
		in.del(a)
	}
	base, count := window(w)
	if count > 0 {
		if op := w.Op(); op == bytecode.CALLM || op == bytecode.CALLMK { // the first register is scratch
			in.del(base)
			base, count = base+1, count-1
		}
		for r := base; r < base+count; r++ {
			switch {
			case row.Window.Write:
				in.del(r)
			default:
				in.add(r)
			}
		}
	}
	// What is read.
	read := func(k bytecode.Kind, v uint16) {
		r := int(v) / bytecode.RegSize
		switch k {
		case bytecode.Src, bytecode.Mod:
			in.add(r)
		case bytecode.Opt:
			if v != bytecode.NoReg {
				in.add(r)
			}
		case bytecode.Iter:
			if w.Op() == bytecode.GETITER || w.Op() == bytecode.GETYIELD {
				in.del(r)
				in.del(r + 1)
				in.del(r + 2)
				return
			}
			in.add(r)
			in.add(r + 1)
			in.add(r + 2)
		case bytecode.Catch:
			in.add(r)
			in.add(r + 1)
		}
	}
	kinds, fields := [3]bytecode.Kind{row.A, row.B, row.C}, [3]uint16{w.A(), w.B(), w.C()}
	for _, writes := range []bool{true, false} { // GETITER writes A and reads B, which may be the same
		for i, k := range kinds {
			if (k == bytecode.Iter && (w.Op() == bytecode.GETITER || w.Op() == bytecode.GETYIELD)) == writes {
				read(k, fields[i])
			}
		}
	}
	exc := make(regSet, l.words)
	if row.Flags&bytecode.MayRaise != 0 || row.Flags&bytecode.SafePoint != 0 {
		for i := range c.Handlers {
			h := &c.Handlers[i]
			if pc < h.Start || pc >= h.End {
				continue
			}
			switch h.Kind {
			case bytecode.CatchHandler:
				for j, b := range l.before(h.Target) {
					for _, r := range []int{h.Reg, h.Reg + 1} {
						if r>>6 == j {
							b &^= 1 << (r & 63)
						}
					}
					exc[j] |= b
				}
			case bytecode.UnhandleHandler:
				exc.add(h.Reg + 1)
			case bytecode.IterHandler:
				exc.add(h.Reg)
			}
		}
	}
	copy(l.raised(pc), exc)
	for i := range in {
		in[i] |= exc[i]
	}
	for i := range in {
		in[i] |= always[i]
	}
	old := l.before(pc)
	changed := false
	for i := range in {
		if in[i] != old[i] {
			changed = true
		}
	}
	copy(old, in)
	return changed
}

// window is the run of registers that an instruction touches besides its fields.
func window(w bytecode.Ins) (base, n int) {
	row := w.Op().Row()
	switch {
	case row.A == bytecode.Base:
		base = int(w.A()) / bytecode.RegSize
	case row.B == bytecode.Base:
		base = int(w.B()) / bytecode.RegSize
	default:
		return 0, 0
	}
	if w.Op() == bytecode.UNPACKEX {
		return base, 0 // its writes kill nothing here: harmless
	}
	if w.Op() == bytecode.FORMAT && w.C()>>8 == 0 {
		return base, 1 // without a specification
	}
	n = row.Window.Plus
	switch row.Window.Count {
	case 'B':
		n += row.Window.Mul * int(w.B())
	case 'C':
		n += row.Window.Mul * int(w.C())
	}
	return base, n
}
