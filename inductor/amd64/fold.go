package amd64

import (
	"github.com/larkspur-ml/larkspur/inductor/asm"
	"github.com/larkspur-ml/larkspur/inductor/loop"
)

// Folds. What an accumulator is:
//
//	add, mul of f32     f64: two vectors where f32 fills a register and has lanes
//	add of f64          sum and error (two-sum, Knuth)
//	argmin, argmax      value and index, -2^63 before the first
//	min, max of floats  the value without NaN, and the last NaN seen or 0: the
//	                    instruction is then all that an iteration waits for
//	others              the value
type acc struct {
	f    *loop.Fold
	vars []*variable
}

func identity(op loop.FoldOp, t loop.Type) uint64 {
	switch op {
	case loop.FoldMul:
		return map[loop.Type]uint64{loop.I32: 1, loop.I64: 1, loop.F32: 0x3f800000, loop.F64: 0x3ff0000000000000}[t]
	case loop.FoldMin, loop.FoldArgMin:
		return map[loop.Type]uint64{loop.B1: 1, loop.I32: 1<<31 - 1, loop.I64: 1<<63 - 1, loop.F32: 0x7f800000, loop.F64: 0x7ff0000000000000}[t]
	case loop.FoldMax, loop.FoldArgMax:
		return map[loop.Type]uint64{loop.I32: 1 << 31, loop.I64: 1 << 63, loop.F32: 0xff800000, loop.F64: 0xfff0000000000000}[t]
	case loop.FoldAnd:
		return 1
	}
	return 0
}

// accType is the type of a fold's first accumulator.
func accType(f *loop.Fold) loop.Type {
	if f.Type == loop.F32 && (f.Op == loop.FoldAdd || f.Op == loop.FoldMul) {
		return loop.F64
	}
	return f.Type
}

// pair reports a fold of f32 in two vectors of f64.
func (g *gen) pair(l *loop.Loop, f *loop.Fold) bool {
	return accType(f) != f.Type && g.x.wide && (g.x.laneOf[l] || g.lane != nil)
}

func (g *gen) startFolds(l *loop.Loop) []*acc {
	var out []*acc
	for i := range l.Folds {
		f := &l.Folds[i]
		c := &acc{f: f}
		add := func(t loop.Type, bits uint64) {
			r := g.temp()
			g.loadConst(r, t, bits)
			c.vars = append(c.vars, &variable{reg: int(r), t: t})
		}
		t := accType(f)
		add(t, identity(f.Op, t))
		switch {
		case f.Op.HasIndex():
			add(loop.I64, 1<<63)
		case f.Op == loop.FoldAdd && f.Type == loop.F64, g.pair(l, f):
			add(loop.F64, identity(f.Op, loop.F64))
		case extreme(f):
			add(f.Type, 0)
		}
		out = append(out, c)
	}
	return out
}

// onTail reports that lanes which are off must not reach the accumulators of l.
func (g *gen) onTail(l *loop.Loop) bool { return g.tail && g.lane == l }

func (g *gen) stepFolds(l *loop.Loop, accs []*acc) {
	for _, c := range accs {
		g.stepFold(l, c)
		g.endStmtKeep()
	}
}

func (g *gen) stepFold(l *loop.Loop, c *acc) {
	f, a := c.f, g.a
	x := g.src(f.In)
	if f.Op.HasIndex() {
		ix := g.src(f.InIdx)
		best, at := g.getVar(c.vars[0]), g.getVar(c.vars[1])
		take := g.temp()
		g.better(f, take, x, best, at)
		if g.onTail(l) {
			g.andTail(take)
		}
		g.selectInto(f.Type, best, take, x, best)
		g.selectInto(loop.I64, at, take, ix, at)
		g.putVar(c.vars[0], best)
		g.putVar(c.vars[1], at)
		return
	}
	if g.onTail(l) {
		t := g.temp()
		g.blendTail(f.Type, t, x, identity(f.Op, f.Type))
		x = t
	}
	switch {
	case accType(f) != f.Type:
		form := asm.VADDPD
		if f.Op == loop.FoldMul {
			form = asm.VMULPD
		}
		t := g.temp()
		a.V2(asm.VCVTPS2PD, g.full, t, asm.R(x))
		s := g.getVar(c.vars[0])
		a.V3(form, g.full, s, s, asm.R(t))
		g.putVar(c.vars[0], s)
		if len(c.vars) > 1 {
			g.highHalf(t, x)
			a.V2(asm.VCVTPS2PD, g.full, t, asm.R(t))
			s := g.getVar(c.vars[1])
			a.V3(form, g.full, s, s, asm.R(t))
			g.putVar(c.vars[1], s)
		}
	case f.Op == loop.FoldAdd && f.Type == loop.F64:
		s, e := g.getVar(c.vars[0]), g.getVar(c.vars[1])
		g.twoSum(s, e, x)
		g.putVar(c.vars[0], s)
		g.putVar(c.vars[1], e)
	case extreme(f):
		s, e := g.getVar(c.vars[0]), g.getVar(c.vars[1])
		g.keepNaN(f.Type, g.L(f.Type), e, x)
		// gives its second operand where the first is NaN
		a.V3(extremeForm(foldPrim(f), f.Type), g.L(f.Type), s, x, asm.R(s))
		g.putVar(c.vars[0], s)
		g.putVar(c.vars[1], e)
	default:
		s := g.getVar(c.vars[0])
		d := g.temp()
		g.arith(foldPrim(f), f.Type, g.L(f.Type), d, s, x)
		g.putVar(c.vars[0], d)
	}
}

func foldPrim(f *loop.Fold) loop.Op {
	return [...]loop.Op{loop.FoldAdd: loop.OpAdd, loop.FoldMul: loop.OpMul, loop.FoldMin: loop.OpMin, loop.FoldMax: loop.OpMax,
		loop.FoldAnd: loop.OpAnd, loop.FoldOr: loop.OpOr}[f.Op]
}

// extreme reports a fold of floats in which NaN wins.
func extreme(f *loop.Fold) bool {
	return (f.Op == loop.FoldMin || f.Op == loop.FoldMax) && f.Type.IsFloat()
}

// extremeForm is the instruction of a minimum or maximum of floats.
func extremeForm(op loop.Op, t loop.Type) *asm.Form {
	switch {
	case op == loop.OpMin && is64(t):
		return asm.VMINPD
	case op == loop.OpMin:
		return asm.VMINPS
	case is64(t):
		return asm.VMAXPD
	}
	return asm.VMAXPS
}

// highHalf is d = the upper half of a full vector.
func (g *gen) highHalf(d, s uint8) {
	if g.avx512 {
		g.a.V2I(asm.VEXTRACTF64X4, asm.L512, s, asm.R(d), 1)
		return
	}
	g.a.V2I(asm.VEXTRACTF128, asm.L256, s, asm.R(d), 1)
}

// twoSum adds x to s and what rounding lost to e.
func (g *gen) twoSum(s, e, x uint8) {
	a, L := g.a, g.full
	t, z, w := g.temp(), g.temp(), g.temp()
	a.V3(asm.VADDPD, L, t, s, asm.R(x))
	a.V3(asm.VSUBPD, L, z, t, asm.R(s))
	a.V3(asm.VSUBPD, L, w, t, asm.R(z))
	a.V3(asm.VSUBPD, L, w, s, asm.R(w))
	a.V3(asm.VSUBPD, L, z, x, asm.R(z))
	a.V3(asm.VADDPD, L, w, w, asm.R(z))
	a.V3(asm.VADDPD, L, e, e, asm.R(w))
	a.V2(asm.VMOVAPS, L, s, asm.R(t))
	g.drop(t)
	g.drop(z)
	g.drop(w)
}

// better is take = x replaces best (whose index is at): NaN first, then by order,
// the earlier of equals stays; anything replaces nothing.
func (g *gen) better(f *loop.Fold, take, x, best, at uint8) {
	g.outranks(f, take, x, best)
	none, m := g.temp(), g.temp()
	g.loadConst(m, loop.I64, 1<<63)
	g.compare(loop.OpEq, loop.I64, none, at, asm.R(m))
	g.a.V3(asm.VORPS, g.L(loop.B1), take, take, asm.R(none))
	g.drop(none)
	g.drop(m)
}

// outranks is d = x is strictly better than y.
func (g *gen) outranks(f *loop.Fold, d, x, y uint8) {
	t, L := f.Type, g.L(loop.B1)
	lo, hi := x, y
	if f.Op == loop.FoldArgMax {
		lo, hi = y, x
	}
	switch {
	case t == loop.B1: // false before true
		g.a.V3(asm.VANDNPS, L, d, lo, asm.R(hi))
	default:
		g.compare(loop.OpLt, t, d, lo, asm.R(hi))
		if t.IsFloat() {
			n, o := g.temp(), g.temp()
			g.compare(loop.OpNe, t, n, x, asm.R(x))
			g.a.V3(asm.VORPS, L, d, d, asm.R(n))
			g.compare(loop.OpEq, t, o, y, asm.R(y))
			g.a.V3(asm.VANDPS, L, d, d, asm.R(o))
			g.drop(n)
			g.drop(o)
		}
	}
}

// endFolds reduces lanes where the loop had them and defines the results.
func (g *gen) endFolds(l *loop.Loop, accs []*acc) {
	for _, c := range accs {
		g.endFold(l, c)
		for _, v := range c.vars {
			if v.reg != noReg {
				g.regs.holds[v.reg], g.regs.pin[v.reg] = 0, false
			} else {
				g.frame.free = append(g.frame.free, v.slot)
			}
		}
		g.endStmtKeep()
	}
}

func (g *gen) endFold(l *loop.Loop, c *acc) {
	f, a := c.f, g.a
	for _, v := range c.vars {
		if v.reg != noReg {
			g.regs.lock[v.reg] = true
		}
	}
	s := g.getVar(c.vars[0])
	lanes := g.x.laneOf[l]
	var e uint8
	if len(c.vars) > 1 {
		e = g.getVar(c.vars[1])
	}
	t := accType(f)
	switch {
	case f.Op.HasIndex():
		if lanes {
			g.reduceIndex(f, s, e)
		}
		// no iteration: index 0
		m, z := g.temp(), g.temp()
		g.loadConst(m, loop.I64, 1<<63)
		none := g.temp()
		g.compare(loop.OpEq, loop.I64, none, e, asm.R(m))
		g.zero(z)
		g.selectInto(loop.I64, e, none, z, e)
		d := g.fresh(f.Out)
		a.V2(asm.VMOVAPS, g.full, d, asm.R(s))
		d = g.fresh(f.OutIx)
		a.V2(asm.VMOVAPS, g.full, d, asm.R(e))
		return
	case t != f.Type: // f32 in f64
		op := loop.OpAdd
		if f.Op == loop.FoldMul {
			op = loop.OpMul
		}
		if lanes {
			if len(c.vars) > 1 {
				n := g.temp()
				g.arith(op, loop.F64, g.full, n, s, e)
				s = n
			}
			g.reduce(op, loop.F64, s)
		}
		d := g.fresh(f.Out)
		a.V2(asm.VCVTPD2PS, g.full, d, asm.R(s))
		switch {
		case lanes || len(c.vars) == 1:
			if g.x.wide {
				a.V2(asm.VBROADCASTSS, g.full, d, asm.R(d))
			}
		default:
			h := g.temp()
			a.V2(asm.VCVTPD2PS, g.full, h, asm.R(e))
			if g.avx512 {
				a.V3I(asm.VINSERTF64X4, g.full, d, d, asm.R(h), 1)
			} else {
				a.V3I(asm.VINSERTF128, g.full, d, d, asm.R(h), 1)
			}
		}
		return
	case f.Op == loop.FoldAdd && f.Type == loop.F64:
		if lanes {
			g.reduceSum(s, e)
		}
		// after an overflow the error is meaningless, the sum is not
		d := g.fresh(f.Out)
		m, z := g.temp(), g.temp()
		a.V3(asm.VSUBPD, g.full, m, e, asm.R(e))
		g.zero(z)
		b := g.temp()
		g.compare(loop.OpEq, loop.F64, b, m, asm.R(z))
		g.selectInto(loop.F64, z, b, e, z)
		a.V3(asm.VADDPD, g.full, d, s, asm.R(z))
		return
	}
	if extreme(f) {
		g.keepNaN(f.Type, g.L(f.Type), s, e)
	}
	if lanes {
		g.reduce(foldPrim(f), f.Type, s)
	}
	d := g.fresh(f.Out)
	a.V2(asm.VMOVAPS, g.full, d, asm.R(s))
}

// upper is d = the upper half of the first L bytes of s.
func (g *gen) upper(L asm.Len, d, s uint8) {
	switch L {
	case asm.L512:
		g.a.V2I(asm.VEXTRACTF64X4, asm.L512, s, asm.R(d), 1)
	case asm.L256:
		if s > 15 || d > 15 {
			g.a.V2I(asm.VEXTRACTF32X4, asm.L256, s, asm.R(d), 1)
		} else {
			g.a.V2I(asm.VEXTRACTF128, asm.L256, s, asm.R(d), 1)
		}
	}
}

// reduce combines the lanes of s, to all lanes.
func (g *gen) reduce(op loop.Op, t loop.Type, s uint8) {
	a := g.a
	x, d := g.temp(), g.temp()
	step := func(L asm.Len) {
		g.arith(op, t, L, d, s, x)
		a.V2(asm.VMOVAPS, L, s, asm.R(d))
	}
	for L := g.L(t); L > asm.L128; L-- {
		g.upper(L, x, s)
		step(L - 1)
	}
	if is64(t) {
		a.V3I(asm.VSHUFPD, asm.L128, x, s, asm.R(s), 1)
		step(asm.L128)
		a.V2(asm.VBROADCASTSD, g.full, s, asm.R(s))
	} else {
		a.V3I(asm.VSHUFPS, asm.L128, x, s, asm.R(s), 0x4e)
		step(asm.L128)
		a.V3I(asm.VSHUFPS, asm.L128, x, s, asm.R(s), 0xb1)
		step(asm.L128)
		a.V2(asm.VBROADCASTSS, g.full, s, asm.R(s))
	}
	g.drop(x)
	g.drop(d)
}

// reduceSum adds the sums and errors of the lanes.
func (g *gen) reduceSum(s, e uint8) {
	a := g.a
	x, y := g.temp(), g.temp()
	step := func(L asm.Len) {
		// the registers' other lanes are rubbish that goes nowhere
		g.twoSum(s, e, x)
		a.V3(asm.VADDPD, L, e, e, asm.R(y))
	}
	for L := g.full; L > asm.L128; L-- {
		g.upper(L, x, s)
		g.upper(L, y, e)
		step(L - 1)
	}
	a.V3I(asm.VSHUFPD, asm.L128, x, s, asm.R(s), 1)
	a.V3I(asm.VSHUFPD, asm.L128, y, e, asm.R(e), 1)
	step(asm.L128)
	a.V2(asm.VBROADCASTSD, g.full, s, asm.R(s))
	a.V2(asm.VBROADCASTSD, g.full, e, asm.R(e))
	g.drop(x)
	g.drop(y)
}

// reduceIndex goes through the lanes one by one: the best, of equals the one with
// the smallest index.
func (g *gen) reduceIndex(f *loop.Fold, best, at uint8) {
	a := g.a
	w := int32(4)
	if is64(f.Type) {
		w = 8
	}
	a.V2(asm.VMOVUPSst, g.full, best, asm.M(g.at(g.scratch[0])))
	a.V2(asm.VMOVUPSst, g.full, at, asm.M(g.at(g.scratch[1])))
	x, ix, take, tie, m := g.temp(), g.temp(), g.temp(), g.temp(), g.temp()
	g.loadConst(best, f.Type, identity(f.Op, f.Type))
	g.loadConst(at, loop.I64, 1<<63)
	g.evict()
	a.MovI(asm.RCX, 0)
	L := g.L(loop.B1)
	head := a.Here()
	if w == 8 {
		a.V2(asm.VBROADCASTSD, g.full, x, asm.M(asm.Idx(asm.RSP, asm.RCX, 8, g.scratch[0])))
	} else {
		a.V2(asm.VBROADCASTSS, g.full, x, asm.M(asm.Idx(asm.RSP, asm.RCX, 4, g.scratch[0])))
	}
	a.V2(asm.VBROADCASTSD, g.full, ix, asm.M(asm.Idx(asm.RSP, asm.RCX, 8, g.scratch[1])))
	g.better(f, take, x, best, at)
	// equal and earlier: neither outranks the other
	g.outranks(f, tie, best, x)
	g.compare(loop.OpLt, loop.I64, m, ix, asm.R(at))
	a.V3(asm.VANDNPS, L, tie, tie, asm.R(m))
	a.V3(asm.VORPS, L, take, take, asm.R(tie))
	g.loadConst(m, loop.I64, 1<<63)
	g.compare(loop.OpNe, loop.I64, tie, ix, asm.R(m))
	a.V3(asm.VANDPS, L, take, take, asm.R(tie))
	g.selectInto(f.Type, best, take, x, best)
	g.selectInto(loop.I64, at, take, ix, at)
	a.RI(asm.ADD, asm.G(asm.RCX), 1)
	a.RI(asm.CMP, asm.G(asm.RCX), int32(g.full.Bytes()/8))
	a.J(asm.CondL, head)
	for _, r := range []uint8{x, ix, take, tie, m} {
		g.drop(r)
	}
}
