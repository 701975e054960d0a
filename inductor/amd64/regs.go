package amd64

import (
	"github.com/larkspur-ml/larkspur/inductor/asm"
	"github.com/larkspur-ml/larkspur/inductor/loop"
)

// Registers hold values; a value that has no register is in its slot of the
// frame, or is a constant.

const (
	noReg   = -1
	tempVal = loop.V(-1) // marks a register taken for one statement, or an accumulator
)

type regs struct {
	holds [32]loop.V // by register: its value, tempVal, or 0
	lock  [32]bool   // until the end of the statement
	pin   [32]bool   // until the end of a loop
	n     int        // registers there are
	of    []int8     // by value: its register or noReg
	slot  []int32    // by value: its place in the frame, or 0
}

// frame gives out places in [rsp+8 .. rsp+limit).
type frame struct {
	limit int32
	top   int32
	free  []int32 // vector slots
	words []int32
}

// The frames of Func.Call and of DeepFunc.CallDeep.
const (
	frameSize = 4096
	deepFrame = 32768
)

func (g *gen) word() int32 {
	if n := len(g.frame.words); n > 0 {
		s := g.frame.words[n-1]
		g.frame.words = g.frame.words[:n-1]
		return s
	}
	return g.space(8)
}

func (g *gen) space(n int32) int32 {
	at := g.frame.top
	g.frame.top += n
	if g.frame.top > g.frame.limit {
		panic(unsupported("the frame is full"))
	}
	return at
}

func (g *gen) newSlot() int32 {
	if n := len(g.frame.free); n > 0 {
		s := g.frame.free[n-1]
		g.frame.free = g.frame.free[:n-1]
		return s
	}
	return g.space(int32(g.full.Bytes()))
}

func (g *gen) at(slot int32) asm.Mem { return asm.At(asm.RSP, slot) }

func (g *gen) nextUse(v loop.V) int32 {
	d := &g.x.val[v]
	for _, p := range d.uses {
		if p > g.pos {
			return p
		}
	}
	return d.last
}

// alloc finds a register, at the cost of what is used last.
func (g *gen) alloc(v loop.V) uint8 {
	r := &g.regs
	best, at := -1, int32(-1)
	for i := range r.n {
		if r.holds[i] == 0 && !r.lock[i] && !r.pin[i] {
			best = i
			break
		}
		if w := r.holds[i]; w > 0 && !r.lock[i] && !r.pin[i] {
			if n := g.nextUse(w); n > at {
				best, at = i, n
			}
		}
	}
	if best < 0 {
		panic(unsupported("more values in one instruction than registers"))
	}
	if w := r.holds[best]; w > 0 {
		g.spill(w)
		r.of[w] = noReg
	}
	r.holds[best] = v
	r.lock[best] = true
	if v > 0 {
		r.of[v] = int8(best)
	}
	return uint8(best)
}

// spill makes sure that a value in a register has its slot filled.
func (g *gen) spill(v loop.V) {
	r := &g.regs
	if r.slot[v] == 0 && g.x.val[v].last >= g.pos {
		r.slot[v] = g.newSlot()
		g.a.V2(asm.VMOVUPSst, g.full, uint8(r.of[v]), asm.M(g.at(r.slot[v])))
	}
}

// temp is a register until the end of the statement.
func (g *gen) temp() uint8 { return g.alloc(tempVal) }

// drop gives a temp back early.
func (g *gen) drop(r uint8) {
	if g.regs.holds[r] == tempVal && !g.regs.pin[r] {
		g.regs.holds[r] = 0
		g.regs.lock[r] = false
	}
}

// src is a register that holds v.
func (g *gen) src(v loop.V) uint8 {
	r := &g.regs
	if bits, ok := g.u.consts[v]; ok {
		t := g.temp()
		g.loadConst(t, g.u.types[v], bits)
		return t
	}
	if i := r.of[v]; i >= 0 {
		r.lock[i] = true
		return uint8(i)
	}
	if r.slot[v] == 0 {
		panic("BUG: a value is nowhere in kernel " + g.u.k.Name)
	}
	d := g.alloc(v)
	g.a.V2(asm.VMOVUPS, g.full, d, asm.M(g.at(r.slot[v])))
	return d
}

// rm is v as a register or memory operand for the last place of an instruction
// of v's own type; elem says that the instruction can broadcast.
func (g *gen) rm(v loop.V) asm.RM {
	r := &g.regs
	if bits, ok := g.u.consts[v]; ok {
		return g.constRM(g.u.types[v], bits)
	}
	if i := r.of[v]; i >= 0 {
		r.lock[i] = true
		return asm.R(uint8(i))
	}
	if r.slot[v] != 0 && g.nextUse(v) == g.x.val[v].last {
		return asm.M(g.at(r.slot[v]))
	}
	return asm.R(g.src(v))
}

func (g *gen) constRM(t loop.Type, bits uint64) asm.RM {
	switch {
	case t == loop.B1:
		return g.a.Const32(-uint32(bits & 1))
	case is64(t):
		return g.a.Const64(bits)
	}
	return g.a.Const32(uint32(bits))
}

func (g *gen) loadConst(r uint8, t loop.Type, bits uint64) {
	if bits == 0 {
		g.zero(r)
		return
	}
	g.loadBcast(r, t, g.constRM(t, bits))
}

// loadBcast loads a constant operand into all lanes.
func (g *gen) loadBcast(r uint8, t loop.Type, c asm.RM) {
	switch {
	case !c.Mem.Bcast:
		g.a.V2(asm.VMOVUPS, g.L(t), r, c)
	case is64(t):
		c.Mem.Bcast = false
		g.a.V2(asm.VBROADCASTSD, g.L(t), r, c)
	default:
		c.Mem.Bcast = false
		g.a.V2(asm.VBROADCASTSS, g.L(t), r, c)
	}
}

func (g *gen) zero(r uint8) {
	if r < 16 {
		g.a.V3(asm.VXORPS, asm.L128, r, r, asm.R(r)) // clears the whole register
		return
	}
	g.a.V3(asm.VXORPS, g.full, r, r, asm.R(r))
}

// dst is the register of a result, which may be that of an operand that dies
// here: only for results made by one instruction.
func (g *gen) dst(v loop.V) uint8 {
	r := &g.regs
	for i := range r.n {
		if w := r.holds[i]; r.lock[i] && !r.pin[i] {
			if w == tempVal {
				// a constant loaded for this statement
			} else if w <= 0 || g.x.val[w].last != g.pos {
				continue
			}
			if w > 0 {
				r.of[w] = noReg
				g.freeSlot(w)
			}
			r.holds[i] = v
			r.of[v] = int8(i)
			return uint8(i)
		}
	}
	return g.alloc(v)
}

// fresh is the register of a result that is none of the operands'.
func (g *gen) fresh(v loop.V) uint8 { return g.alloc(v) }

func (g *gen) freeSlot(v loop.V) {
	if s := g.regs.slot[v]; s != 0 {
		g.regs.slot[v] = 0
		g.frame.free = append(g.frame.free, s)
	}
}

// endStmt unlocks registers, frees temps and values that are not used any more.
func (g *gen) endStmt() {
	r := &g.regs
	for i := range r.n {
		r.lock[i] = false
		if r.pin[i] {
			continue
		}
		switch w := r.holds[i]; {
		case w == tempVal:
			r.holds[i] = 0
		case w > 0 && g.x.val[w].last <= g.pos:
			r.holds[i] = 0
			r.of[w] = noReg
			g.freeSlot(w)
		}
	}
}

// settle puts every value that lives on into the frame and empties the registers
// but for the pinned ones, at the entry of a loop.
func (g *gen) settle() {
	r := &g.regs
	for i := range r.n {
		w := r.holds[i]
		if r.pin[i] || w == 0 {
			continue
		}
		if w > 0 {
			if g.x.val[w].last > g.pos {
				g.spill(w)
			}
			r.of[w] = noReg
		}
		r.holds[i] = 0
		r.lock[i] = false
	}
}

// forget empties the registers at the end of a loop's body; what was defined in
// it, from position begin on, gives its slot back.
func (g *gen) forget(begin int32) {
	r := &g.regs
	for i := range r.n {
		if w := r.holds[i]; w != 0 && !r.pin[i] {
			if w > 0 {
				r.of[w] = noReg
			}
			r.holds[i] = 0
		}
		r.lock[i] = false
	}
	for v := range r.slot {
		if r.slot[v] != 0 && g.x.val[v].def > begin && !g.phi[loop.V(v)] {
			g.freeSlot(loop.V(v))
		}
	}
}

// evict moves values that the statement does not hold to the frame, so that no
// register is taken from one inside a loop that the statement makes.
func (g *gen) evict() {
	r := &g.regs
	for i := range r.n {
		if w := r.holds[i]; w > 0 && !r.lock[i] && !r.pin[i] {
			g.spill(w)
			r.of[w] = noReg
			r.holds[i] = 0
		}
	}
}
