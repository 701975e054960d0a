package amd64

import (
	"sort"

	"github.com/larkspur-ml/larkspur/inductor/asm"
	"github.com/larkspur-ml/larkspur/inductor/loop"
)

var pointerRegs = []asm.GP{asm.R9, asm.R10, asm.R11, asm.R13, asm.R14, asm.R15}

// variable is a vector that changes from iteration to iteration: an accumulator or
// a carried value. It has a register for the time of an innermost loop, else a slot.
type variable struct {
	reg  int
	slot int32
	t    loop.Type
}

// loop emits a loop:
//
//	full steps   while rest >= lanes { body; step; rest -= lanes }     (lane loops)
//	rest         if rest > 0 { mask; body }
//
// or one iteration at a time.
func (g *gen) loop(l *loop.Loop) {
	a := g.a
	lane, inner := g.x.laneOf[l], !hasLoop(l.Body)
	g.pos = g.x.begin[l]
	accs := g.startFolds(l)
	phis := g.startCarries(l)
	g.settleFor(l, inner, accs, phis)

	// counters
	cnt, rest := place{reg: asm.RBX, inReg: true}, place{reg: asm.R12, inReg: true}
	if !inner {
		cnt, rest = place{slot: g.word()}, place{slot: g.word()}
		defer func() { g.frame.words = append(g.frame.words, cnt.slot, rest.slot) }()
	}
	split := l.Axis == g.split
	if split {
		a.RM(asm.MOV, asm.RCX, asm.M(asm.At(asm.RDI, argLo)))
		a.RM(asm.MOV, asm.RAX, asm.M(asm.At(asm.RDI, argHi)))
		g.setPlace(cnt, asm.RCX)
		a.RR(asm.SUB, asm.RAX, asm.G(asm.RCX))
	} else {
		a.MovI(asm.RCX, 0)
		g.setPlace(cnt, asm.RCX)
		g.loadP(asm.RAX, l.Extent)
	}
	g.setPlace(rest, asm.RAX)
	g.counters[l.Axis] = cnt
	g.openStreams(l, inner, split)

	done := a.NewLabel()
	enter := func() (undo func()) {
		if lane {
			oldLane, oldRest := g.lane, g.rest
			g.lane, g.rest = l, rest
			return func() { g.lane, g.rest = oldLane, oldRest }
		}
		return func() {}
	}
	undo := enter()
	if !lane {
		a.RI(asm.CMP, g.rmOf(rest), 0)
		a.J(asm.CondLE, done)
		head := a.Here()
		g.iteration(l, accs, phis, 1)
		a.RI(asm.ADD, g.rmOf(cnt), 1)
		a.RI(asm.SUB, g.rmOf(rest), 1)
		a.J(asm.CondG, head)
	} else {
		w := int32(g.lanes)
		tail := a.NewLabel()
		if split || l.Extent.Par != 0 || l.Extent.Imm >= int64(w) {
			a.RI(asm.SUB, g.rmOf(rest), w)
			a.J(asm.CondL, tail)
			a.Align(16)
			head := a.Here()
			g.iteration(l, accs, phis, int64(w))
			a.RI(asm.ADD, g.rmOf(cnt), w)
			a.RI(asm.SUB, g.rmOf(rest), w)
			a.J(asm.CondGE, head)
			a.Bind(tail)
			a.RI(asm.ADD, g.rmOf(rest), w)
		}
		if split || l.Extent.Par != 0 || l.Extent.Imm%int64(w) != 0 {
			a.RI(asm.CMP, g.rmOf(rest), 0)
			a.J(asm.CondLE, done)
			g.tail = true
			g.startTail()
			g.iteration(l, accs, phis, 0)
			g.tail = false
		}
	}
	a.Bind(done)
	undo()
	g.closeStreams(l)
	delete(g.counters, l.Axis)
	g.pos = g.x.end[l]
	g.endCarries(l, phis)
	g.endFolds(l, accs)
	for i := range g.regs.pin {
		if g.regs.pin[i] {
			g.regs.pin[i] = false
			if g.regs.holds[i] == tempVal {
				g.regs.holds[i] = 0
			}
		}
	}
	g.pos++
	g.endStmt()
}

// iteration emits the body once, with registers as they are at its head, and
// steps the streams by n iterations.
func (g *gen) iteration(l *loop.Loop, accs []*acc, phis []*variable, n int64) {
	begin := g.x.begin[l]
	g.pos = begin
	g.block(l.Body)
	g.pos = g.x.end[l]
	g.stepFolds(l, accs)
	g.endStmtKeep()
	g.stepCarries(l, phis)
	g.forget(begin)
	if n > 0 {
		for _, s := range g.streams {
			for i := range s.levels {
				if lv := &s.levels[i]; lv.loop == l {
					g.addStep(g.placeOf(lv), lv.step, s.size*n)
				}
			}
		}
	}
}

// endStmtKeep unlocks and frees temps, but keeps values that the end of the body
// still reads.
func (g *gen) endStmtKeep() {
	r := &g.regs
	for i := range r.n {
		r.lock[i] = false
		if r.holds[i] == tempVal && !r.pin[i] {
			r.holds[i] = 0
		}
	}
}

func (g *gen) placeOf(l *level) place {
	if l.in {
		return place{reg: l.reg, inReg: true}
	}
	return place{slot: l.slot}
}

// openStreams gives the streams that move in l their first address there.
func (g *gen) openStreams(l *loop.Loop, inner, split bool) {
	a := g.a
	next := 0
	for _, s := range g.streams {
		from := s.base
		for i := range s.levels {
			lv := &s.levels[i]
			if lv.loop != l {
				from = lv.slot
				continue
			}
			r := asm.RAX
			lv.in = inner && next < len(pointerRegs)
			if lv.in {
				lv.reg = pointerRegs[next]
				r = lv.reg
				next++
			}
			if split {
				a.RM(asm.MOV, asm.RCX, asm.M(asm.At(asm.RDI, argLo)))
				g.mulStep(asm.RCX, lv.step, s.size)
			}
			a.RM(asm.MOV, r, asm.M(g.at(from)))
			if split {
				a.RR(asm.ADD, r, asm.G(asm.RCX))
			}
			if !lv.in {
				a.RM(asm.STORE, r, asm.M(g.at(lv.slot)))
			}
			lv.live = true
		}
	}
}

func (g *gen) closeStreams(l *loop.Loop) {
	for _, s := range g.streams {
		for i := range s.levels {
			if lv := &s.levels[i]; lv.loop == l {
				lv.live, lv.in = false, false
			}
		}
	}
}

// settleFor decides what an innermost loop keeps in registers: its accumulators,
// then what it uses from outside, most used first. Everything else goes to the frame.
func (g *gen) settleFor(l *loop.Loop, inner bool, accs []*acc, phis []*variable) {
	r := &g.regs
	budget := 7
	if g.avx512 {
		budget = 20
	}
	var vars []*variable
	for _, c := range accs {
		vars = append(vars, c.vars...)
	}
	vars = append(vars, phis...)
	if !inner {
		budget = 0
	}
	for _, v := range vars {
		// each was made in a register
		if budget > 0 {
			budget--
			r.pin[v.reg] = true
			continue
		}
		v.slot = g.newSlot()
		g.a.V2(asm.VMOVUPSst, g.full, uint8(v.reg), asm.M(g.at(v.slot)))
		r.holds[v.reg] = 0
		r.lock[v.reg] = false
		v.reg = noReg
	}
	for i, c := range l.Carry {
		if v := phis[i]; v.reg != noReg {
			r.holds[v.reg] = c.Phi
			r.of[c.Phi] = int8(v.reg)
		} else {
			r.slot[c.Phi] = v.slot
		}
		g.phi[c.Phi] = true
	}
	if inner && budget > 0 {
		var used []loop.V
		for v := range g.x.inside[l] {
			used = append(used, v)
		}
		n := g.x.inside[l]
		sort.Slice(used, func(i, j int) bool {
			if n[used[i]] != n[used[j]] {
				return n[used[i]] > n[used[j]]
			}
			return used[i] < used[j]
		})
		var pins []uint8
		for _, v := range used[:min(budget, len(used))] {
			pins = append(pins, g.src(v))
		}
		for _, p := range pins {
			r.pin[p] = true
		}
	}
	g.settle()
	for i := range r.lock {
		r.lock[i] = false
	}
}

func (g *gen) startCarries(l *loop.Loop) []*variable {
	var out []*variable
	for _, c := range l.Carry {
		d := g.temp()
		g.a.V2(asm.VMOVAPS, g.full, d, asm.R(g.src(c.Init)))
		out = append(out, &variable{reg: int(d), t: c.Type})
	}
	return out
}

// stepCarries gives all next values at once.
func (g *gen) stepCarries(l *loop.Loop, phis []*variable) {
	src := make([]uint8, len(phis))
	for i, c := range l.Carry {
		if c.Next == c.Phi {
			continue
		}
		src[i] = g.src(c.Next)
		if g.phi[c.Next] {
			t := g.temp()
			g.a.V2(asm.VMOVAPS, g.full, t, asm.R(src[i]))
			src[i] = t
		}
	}
	for i, c := range l.Carry {
		if c.Next == c.Phi {
			continue
		}
		g.putVar(phis[i], src[i])
		// a copy of the old value in a register is stale now
		if v := phis[i]; v.reg == noReg {
			if r := g.regs.of[c.Phi]; r >= 0 {
				g.regs.holds[r] = 0
				g.regs.of[c.Phi] = noReg
			}
		}
	}
}

func (g *gen) endCarries(l *loop.Loop, phis []*variable) {
	for i, c := range l.Carry {
		v := phis[i]
		delete(g.phi, c.Phi)
		g.regs.of[c.Phi] = noReg
		g.regs.slot[c.Phi] = 0
		if v.reg != noReg {
			g.regs.holds[v.reg] = c.Out
			g.regs.of[c.Out] = int8(v.reg)
		} else {
			d := g.alloc(c.Out)
			g.a.V2(asm.VMOVUPS, g.full, d, asm.M(g.at(v.slot)))
			g.frame.free = append(g.frame.free, v.slot)
		}
	}
}

// getVar is a register with a variable's value; to change it, write the register
// and call putVar.
func (g *gen) getVar(v *variable) uint8 {
	if v.reg != noReg {
		return uint8(v.reg)
	}
	t := g.temp()
	g.a.V2(asm.VMOVUPS, g.full, t, asm.M(g.at(v.slot)))
	return t
}

func (g *gen) putVar(v *variable, r uint8) {
	if v.reg != noReg {
		if v.reg != int(r) {
			g.a.V2(asm.VMOVAPS, g.full, uint8(v.reg), asm.R(r))
		}
		return
	}
	g.a.V2(asm.VMOVUPSst, g.full, r, asm.M(g.at(v.slot)))
}

// startTail makes the masks of the lanes that are left.
func (g *gen) startTail() {
	a := g.a
	if g.avx512 {
		a.RM(asm.MOV, asm.RAX, g.rmOf(g.rest))
		a.MovI(asm.RCX, -1)
		a.V3(asm.BZHI, 0, uint8(asm.RCX), uint8(asm.RAX), asm.G(asm.RCX))
		a.V2(asm.KMOVDr, 0, 1, asm.G(asm.RCX))
		return
	}
	if g.tail4 == 0 {
		g.tail4, g.tail8 = g.space(32), g.space(32)
	}
	t := g.temp()
	a.RM(asm.MOV, asm.RAX, g.rmOf(g.rest))
	a.V2(asm.VMOVDr, 0, t, asm.G(asm.RAX))
	a.V2(asm.VPBROADCASTD, asm.L256, t, asm.R(t))
	a.V3(asm.VPCMPGTD, asm.L256, t, t, asm.M(a.Data(iotaBytes(8, 4))))
	a.V2(asm.VMOVUPSst, asm.L256, t, asm.M(g.at(g.tail4)))
	a.V2(asm.VPMOVSXDQ, asm.L256, t, asm.R(t))
	a.V2(asm.VMOVUPSst, asm.L256, t, asm.M(g.at(g.tail8)))
	g.endStmtKeep()
}

func iotaBytes(n, size int) []byte {
	b := make([]byte, n*size)
	for i := range n {
		b[i*size] = byte(i)
	}
	return b
}
