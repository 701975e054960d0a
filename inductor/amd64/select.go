package amd64

import (
	"fmt"
	"math"

	"github.com/larkspur-ml/larkspur/inductor/asm"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Selection of instructions, primitive by primitive.

// forms has a primitive's instruction where one does it, by type.
type forms struct{ i32, i64, f32, f64 *asm.Form }

func (f *forms) of(t loop.Type) *asm.Form {
	switch t {
	case loop.I32:
		return f.i32
	case loop.I64:
		return f.i64
	case loop.F32:
		return f.f32
	case loop.F64:
		return f.f64
	}
	return nil
}

var single = map[loop.Op]*forms{
	loop.OpAdd: {asm.VPADDD, asm.VPADDQ, asm.VADDPS, asm.VADDPD},
	loop.OpSub: {asm.VPSUBD, asm.VPSUBQ, asm.VSUBPS, asm.VSUBPD},
	loop.OpMul: {asm.VPMULLD, nil, asm.VMULPS, asm.VMULPD},
	loop.OpDiv: {nil, nil, asm.VDIVPS, asm.VDIVPD},
	loop.OpMin: {asm.VPMINSD, nil, nil, nil},
	loop.OpMax: {asm.VPMAXSD, nil, nil, nil},
	loop.OpAnd: {asm.VANDPS, asm.VANDPD, nil, nil},
	loop.OpOr:  {asm.VORPS, asm.VORPD, nil, nil},
	loop.OpXor: {asm.VXORPS, asm.VXORPD, nil, nil},
	loop.OpShl: {asm.VPSLLVD, asm.VPSLLVQ, nil, nil},
	loop.OpShr: {asm.VPSRAVD, nil, nil, nil},
}

// single512 are those that AVX-512 adds.
var single512 = map[loop.Op]*forms{
	loop.OpMul:   {i64: asm.VPMULLQ},
	loop.OpMin:   {i64: asm.VPMINSQ},
	loop.OpMax:   {i64: asm.VPMAXSQ},
	loop.OpShr:   {i64: asm.VPSRAVQ},
	loop.OpLdexp: {f32: asm.VSCALEFPS, f64: asm.VSCALEFPD},
}

func (g *gen) oneForm(op loop.Op, t loop.Type) *asm.Form {
	if t == loop.B1 {
		t = loop.I32
	}
	if g.avx512 {
		if f := single512[op]; f != nil && f.of(t) != nil {
			return f.of(t)
		}
	}
	if f := single[op]; f != nil {
		return f.of(t)
	}
	return nil
}

func (g *gen) let(s *loop.Let) {
	t := s.Type
	a := g.a
	switch s.Op {
	case loop.OpLoad:
		g.load(s)
	case loop.OpParam:
		d := g.fresh(s.V)
		g.loadP(asm.RAX, s.P)
		g.spreadGP(d, loop.I64, asm.RAX)
	case loop.OpScalar:
		d := g.fresh(s.V)
		a.RM(asm.MOV, asm.RAX, asm.M(asm.At(asm.RDI, argScalars)))
		p := asm.At(asm.RAX, int32(8*s.Slot))
		switch {
		case t == loop.B1:
			a.RM(asm.MOV, asm.RAX, asm.M(p))
			a.RI(asm.AND, asm.G(asm.RAX), 1)
			a.One(asm.NEG, asm.G(asm.RAX))
			g.spreadGP(d, t, asm.RAX)
		case is64(t):
			a.V2(asm.VBROADCASTSD, g.full, d, asm.M(p))
		default:
			a.V2(asm.VBROADCASTSS, g.full, d, asm.M(p))
		}
	case loop.OpAxis:
		d := g.fresh(s.V)
		a.RM(asm.MOV, asm.RAX, g.rmOf(g.counters[loop.Axis(s.Slot)]))
		g.spreadGP(d, loop.I64, asm.RAX)
		if g.x.val[s.V].lane {
			a.V3(asm.VPADDQ, g.full, d, d, asm.M(a.Data(iotaBytes(g.full.Bytes()/8, 8))))
		}
	case opTooLarge:
		g.tooLarge(s)
	case loop.OpCast:
		g.cast(s)
	case loop.OpBits:
		x := g.src(s.A)
		a.V2(asm.VMOVAPS, g.full, g.dst(s.V), asm.R(x))
	case loop.OpRound:
		g.round(s)
	case loop.OpFMA:
		g.fma(s)
	case loop.OpSelect:
		if g.choiceSelect(s) {
			return
		}
		c, x, y := g.src(s.A), g.src(s.B), g.src(s.C)
		g.selectInto(t, g.fresh(s.V), c, x, y)
	case loop.OpEq, loop.OpNe, loop.OpLt, loop.OpLe:
		if g.choice(s) {
			return
		}
		x, y := g.src(s.A), g.src(s.B)
		g.compare(s.Op, g.u.types[s.A], g.fresh(s.V), x, asm.R(y))
	case loop.OpNeg, loop.OpAbs, loop.OpNot, loop.OpSqrt, loop.OpFloor, loop.OpCeil, loop.OpTrunc, loop.OpNearest:
		g.unary(s)
	case loop.OpMin, loop.OpMax:
		g.minMax(s)
	case loop.OpMod:
		if g.modByPower(s) {
			return
		}
		g.laneBinary(s)
	case loop.OpDiv:
		if t.IsInt() {
			g.laneBinary(s)
			return
		}
		g.binary(s)
	case loop.OpPow:
		g.laneBinary(s)
	default:
		g.binary(s)
	}
}

// spreadGP puts a general register into all lanes.
func (g *gen) spreadGP(d uint8, t loop.Type, r asm.GP) {
	a := g.a
	switch {
	case is64(t) && g.avx512:
		a.V2(asm.VPBROADCASTS, g.full, d, asm.G(r))
	case is64(t):
		a.V2(asm.VMOVQr, 0, d, asm.G(r))
		a.V2(asm.VPBROADCASTQ, g.full, d, asm.R(d))
	case g.avx512:
		a.V2(asm.VPBROADCASTR, g.full, d, asm.G(r))
	default:
		a.V2(asm.VMOVDr, 0, d, asm.G(r))
		a.V2(asm.VPBROADCASTD, g.full, d, asm.R(d))
	}
}

func commutes(op loop.Op) bool {
	switch op {
	case loop.OpAdd, loop.OpMul, loop.OpAnd, loop.OpOr, loop.OpXor:
		return true
	}
	return false
}

func (g *gen) isConst(v loop.V) bool { _, ok := g.u.consts[v]; return ok }

func (g *gen) binary(s *loop.Let) {
	x, y := s.A, s.B
	if g.isConst(x) && commutes(s.Op) {
		x, y = y, x
	}
	if f := g.oneForm(s.Op, s.Type); f != nil {
		xr := g.src(x)
		yr := g.rm(y)
		g.a.V3(f, g.L(s.Type), g.dst(s.V), xr, yr)
		return
	}
	xr, yr := g.src(x), g.src(y)
	g.arith(s.Op, s.Type, g.L(s.Type), g.fresh(s.V), xr, yr)
}

// arith is d = x op y of registers, d another than both.
func (g *gen) arith(op loop.Op, t loop.Type, L asm.Len, d, x, y uint8) {
	a := g.a
	if f := g.oneForm(op, t); f != nil {
		a.V3(f, L, d, x, asm.R(y))
		return
	}
	switch op {
	case loop.OpMin, loop.OpMax:
		if t == loop.I64 {
			m := g.temp()
			a.V3(asm.VPCMPGTQ, L, m, x, asm.R(y))
			if op == loop.OpMin {
				x, y = y, x
			}
			a.V4(asm.VBLENDVPD, L, d, y, asm.R(x), m)
			g.drop(m)
			return
		}
		// the instruction gives y if either is NaN
		a.V3(extremeForm(op, t), L, d, x, asm.R(y))
		g.keepNaN(t, L, d, x)
	case loop.OpMul: // i64
		u, w := g.temp(), g.temp()
		a.V2I(asm.VPSRLQI, L, u, asm.R(x), 32)
		a.V3(asm.VPMULUDQ, L, u, u, asm.R(y))
		a.V2I(asm.VPSRLQI, L, w, asm.R(y), 32)
		a.V3(asm.VPMULUDQ, L, w, w, asm.R(x))
		a.V3(asm.VPADDQ, L, u, u, asm.R(w))
		a.V2I(asm.VPSLLQI, L, u, asm.R(u), 32)
		a.V3(asm.VPMULUDQ, L, d, x, asm.R(y))
		a.V3(asm.VPADDQ, L, d, d, asm.R(u))
		g.drop(u)
		g.drop(w)
	case loop.OpShr: // i64: shift the complement of negative numbers
		m := g.temp()
		g.zero(m)
		a.V3(asm.VPCMPGTQ, L, m, m, asm.R(x))
		a.V3(asm.VXORPS, L, d, x, asm.R(m))
		a.V3(asm.VPSRLVQ, L, d, d, asm.R(y))
		a.V3(asm.VXORPS, L, d, d, asm.R(m))
		g.drop(m)
	case loop.OpLdexp:
		g.ldexp(t, L, d, x, y)
	default:
		panic(unsupported(fmt.Sprintf("%s of %s", op, t)))
	}
}

// keepNaN is d = x where x is NaN.
func (g *gen) keepNaN(t loop.Type, L asm.Len, d, x uint8) {
	a := g.a
	const unordered = 3
	if g.avx512 {
		if is64(t) {
			a.V3I(asm.VCMPPDK, L, 2, x, asm.R(x), unordered)
			a.V2K(asm.VMOVAPD, L, d, asm.R(x), asm.Mask{K: 2})
		} else {
			a.V3I(asm.VCMPPSK, L, 2, x, asm.R(x), unordered)
			a.V2K(asm.VMOVAPS, L, d, asm.R(x), asm.Mask{K: 2})
		}
		return
	}
	m := g.temp()
	if is64(t) {
		a.V3I(asm.VCMPPD, L, m, x, asm.R(x), unordered)
		a.V4(asm.VBLENDVPD, L, d, d, asm.R(x), m)
	} else {
		a.V3I(asm.VCMPPS, L, m, x, asm.R(x), unordered)
		a.V4(asm.VBLENDVPS, L, d, d, asm.R(x), m)
	}
	g.drop(m)
}

// ldexp multiplies twice by a power of two of half the exponent (AVX2), which
// reaches from the greatest number to the smallest.
func (g *gen) ldexp(t loop.Type, L asm.Len, d, x, y uint8) {
	a := g.a
	n, m := g.temp(), g.temp()
	if t == loop.F32 {
		c := g.temp()
		g.loadConst(c, t, uint64(math.Float32bits(254)))
		a.V3(asm.VMINPS, L, n, c, asm.R(y))
		g.loadConst(c, t, uint64(math.Float32bits(-252)))
		a.V3(asm.VMAXPS, L, n, c, asm.R(n))
		g.drop(c)
		a.V2(asm.VCVTPS2DQ, L, n, asm.R(n))
		a.V2I(asm.VPSRADI, L, m, asm.R(n), 1)
		a.V3(asm.VPSUBD, L, n, n, asm.R(m))
		for i, r := range []uint8{m, n} {
			a.V3(asm.VPADDD, L, r, r, a.Const32(127))
			a.V2I(asm.VPSLLDI, L, r, asm.R(r), 23)
			if i == 0 {
				a.V3(asm.VMULPS, L, d, x, asm.R(r))
			} else {
				a.V3(asm.VMULPS, L, d, d, asm.R(r))
			}
		}
	} else {
		c := g.temp()
		g.loadConst(c, t, math.Float64bits(2046))
		a.V3(asm.VMINPD, L, n, c, asm.R(y))
		g.loadConst(c, t, math.Float64bits(-2044))
		a.V3(asm.VMAXPD, L, n, c, asm.R(n))
		g.drop(c)
		a.V2(asm.VCVTPD2DQ, L, n, asm.R(n))
		a.V2I(asm.VPSRADI, asm.L128, m, asm.R(n), 1)
		a.V3(asm.VPSUBD, asm.L128, n, n, asm.R(m))
		for i, r := range []uint8{m, n} {
			a.V2(asm.VPMOVSXDQ, L, r, asm.R(r))
			a.V3(asm.VPADDQ, L, r, r, a.Const64(1023))
			a.V2I(asm.VPSLLQI, L, r, asm.R(r), 52)
			if i == 0 {
				a.V3(asm.VMULPD, L, d, x, asm.R(r))
			} else {
				a.V3(asm.VMULPD, L, d, d, asm.R(r))
			}
		}
	}
	g.drop(n)
	g.drop(m)
}

// minMax puts a constant first: the instruction gives its second operand where
// either is NaN, so that nothing more is needed.
func (g *gen) minMax(s *loop.Let) {
	x, y := s.A, s.B
	if !s.Type.IsFloat() {
		g.binary(s)
		return
	}
	if g.isConst(y) {
		x, y = y, x
	}
	if bits, ok := g.u.consts[x]; ok && !constNaN(s.Type, bits) {
		xr := g.src(x)
		yr := g.rm(y)
		g.a.V3(extremeForm(s.Op, s.Type), g.L(s.Type), g.dst(s.V), xr, yr)
		return
	}
	xr, yr := g.src(x), g.src(y)
	g.arith(s.Op, s.Type, g.L(s.Type), g.fresh(s.V), xr, yr)
}

func constNaN(t loop.Type, bits uint64) bool {
	if t == loop.F32 {
		f := math.Float32frombits(uint32(bits))
		return f != f
	}
	f := math.Float64frombits(bits)
	return f != f
}

// fma is A*B + C in the form that overwrites an operand which dies.
func (g *gen) fma(s *loop.Let) {
	t, L, a := s.Type, g.L(s.Type), g.a
	f213, f231 := asm.VFMADD213PS, asm.VFMADD231PS
	if t == loop.F64 {
		f213, f231 = asm.VFMADD213PD, asm.VFMADD231PD
	}
	x, y, z := s.A, s.B, s.C
	if g.isConst(x) {
		x, y = y, x
	}
	dies := func(v loop.V) bool {
		return !g.isConst(v) && g.x.val[v].last == g.pos && g.regs.of[v] >= 0 && !g.regs.pin[g.regs.of[v]]
	}
	take := func(v loop.V) uint8 { // v's register becomes the result's
		r := g.src(v)
		g.regs.of[v] = noReg
		g.freeSlot(v)
		g.regs.holds[r] = s.V
		g.regs.of[s.V] = int8(r)
		return r
	}
	switch {
	case dies(z) && z != x && z != y:
		xr, yr := g.src(x), g.rm(y)
		a.V3(f231, L, take(z), xr, yr)
	case dies(x) && x != y && x != z:
		yr, zr := g.src(y), g.rm(z)
		a.V3(f213, L, take(x), yr, zr)
	case dies(y) && y != x && y != z:
		xr, zr := g.src(x), g.rm(z)
		a.V3(f213, L, take(y), xr, zr)
	case g.isConst(z):
		xr, yr := g.src(x), g.src(y)
		d := g.fresh(s.V)
		a.V2(asm.VMOVAPS, g.full, d, asm.R(xr))
		a.V3(f213, L, d, yr, g.rm(z))
	default:
		xr, yr, zr := g.src(x), g.rm(y), g.src(z)
		d := g.fresh(s.V)
		a.V2(asm.VMOVAPS, g.full, d, asm.R(zr))
		a.V3(f231, L, d, xr, yr)
	}
}

// compare is d = x op y as a b1; d is another register than x and y.
func (g *gen) compare(op loop.Op, t loop.Type, d, x uint8, y asm.RM) {
	a, L, B := g.a, g.L(t), g.L(loop.B1)
	if t == loop.B1 {
		a.V3(asm.VXORPS, B, d, x, y)
		if op == loop.OpEq {
			a.V3(asm.VXORPS, B, d, d, a.Const32(^uint32(0)))
		}
		return
	}
	if g.avx512 {
		g.compareMask(op, t, 2, x, y)
		a.V2(asm.VPMOVM2D, B, d, asm.R(2))
		if is64(t) && g.x.wide {
			a.V2(asm.VBROADCASTSS, g.full, d, asm.R(d))
		}
		return
	}
	fpred := floatPredicate[op]
	r := d
	if is64(t) {
		r = g.temp()
	}
	not := false
	switch t {
	case loop.F32:
		a.V3I(asm.VCMPPS, L, r, x, y, fpred)
	case loop.F64:
		a.V3I(asm.VCMPPD, L, r, x, y, fpred)
	default:
		eq, gt := asm.VPCMPEQD, asm.VPCMPGTD
		if t == loop.I64 {
			eq, gt = asm.VPCMPEQQ, asm.VPCMPGTQ
		}
		switch op {
		case loop.OpEq, loop.OpNe:
			a.V3(eq, L, r, x, y)
			not = op == loop.OpNe
		case loop.OpLe:
			a.V3(gt, L, r, x, y)
			not = true
		default:
			if y.IsMem {
				panic("BUG: memory operand of lt")
			}
			a.V3(gt, L, r, y.Reg, asm.R(x))
		}
	}
	if is64(t) {
		g.narrowMask(d, r)
		g.drop(r)
	}
	if not {
		a.V3(asm.VXORPS, B, d, d, a.Const32(^uint32(0)))
	}
}

// narrowMask makes 32-bit lanes of 64-bit ones (AVX2).
func (g *gen) narrowMask(d, s uint8) {
	t := g.temp()
	g.a.V2I(asm.VEXTRACTF128, asm.L256, s, asm.R(t), 1)
	g.a.V3I(asm.VSHUFPS, asm.L128, d, s, asm.R(t), 0x88)
	g.drop(t)
	if g.x.wide {
		g.a.V2(asm.VBROADCASTSS, g.full, d, asm.R(d))
	}
}

// selectInto is d = c ? x : y. d may be y (or x), not c.
func (g *gen) selectInto(t loop.Type, d, c, x, y uint8) {
	a, L := g.a, g.L(t)
	m := c
	if is64(t) {
		m = g.temp()
		a.V2(asm.VPMOVSXDQ, L, m, asm.R(c))
	}
	switch {
	case g.avx512 && is64(t):
		a.V2(asm.VPMOVQ2M, L, 2, asm.R(m))
		a.V3K(asm.VBLENDMPD, L, d, y, asm.R(x), asm.Mask{K: 2})
	case g.avx512:
		a.V2(asm.VPMOVD2M, L, 2, asm.R(m))
		a.V3K(asm.VBLENDMPS, L, d, y, asm.R(x), asm.Mask{K: 2})
	case is64(t):
		a.V4(asm.VBLENDVPD, L, d, y, asm.R(x), m)
	default:
		a.V4(asm.VBLENDVPS, L, d, y, asm.R(x), m)
	}
	if is64(t) {
		g.drop(m)
	}
}

// tailMask is a register with the lanes that are on (AVX2).
func (g *gen) tailMask(t loop.Type) uint8 {
	r := g.temp()
	slot := g.tail4
	if is64(t) {
		slot = g.tail8
	}
	g.a.V2(asm.VMOVUPS, asm.L256, r, asm.M(g.at(slot)))
	return r
}

// blendTail is d = x in the lanes that are on, a constant in the others.
func (g *gen) blendTail(t loop.Type, d, x uint8, bits uint64) {
	a, L := g.a, g.L(t)
	c := g.temp()
	g.loadConst(c, t, bits)
	switch {
	case g.avx512 && is64(t):
		a.V3K(asm.VBLENDMPD, L, d, c, asm.R(x), asm.Mask{K: 1})
	case g.avx512:
		a.V3K(asm.VBLENDMPS, L, d, c, asm.R(x), asm.Mask{K: 1})
	case is64(t):
		a.V4(asm.VBLENDVPD, L, d, c, asm.R(x), g.tailMask(t))
	default:
		a.V4(asm.VBLENDVPS, L, d, c, asm.R(x), g.tailMask(t))
	}
}

// andTail clears the lanes of a b1 that are off.
func (g *gen) andTail(m uint8) {
	L := g.L(loop.B1)
	if g.avx512 {
		g.a.V2K(asm.VMOVAPS, L, m, asm.R(m), asm.Mask{K: 1, Zero: true})
		return
	}
	g.a.V3(asm.VANDPS, L, m, m, asm.R(g.tailMask(loop.F32)))
}

func (g *gen) unary(s *loop.Let) {
	a, t, L := g.a, s.Type, g.L(s.Type)
	x := g.src(s.A)
	f64 := t == loop.F64
	sign := uint64(1 << 31)
	if is64(t) {
		sign = 1 << 63
	}
	pick := func(ps, pd *asm.Form) *asm.Form {
		if f64 {
			return pd
		}
		return ps
	}
	switch s.Op {
	case loop.OpNeg:
		if t.IsFloat() {
			a.V3(pick(asm.VXORPS, asm.VXORPD), L, g.dst(s.V), x, g.constRM(t, sign))
			return
		}
		d := g.fresh(s.V)
		g.zero(d)
		a.V3(g.oneForm(loop.OpSub, t), L, d, d, asm.R(x))
	case loop.OpAbs:
		switch {
		case t.IsFloat():
			a.V3(pick(asm.VANDPS, asm.VANDPD), L, g.dst(s.V), x, g.constRM(t, sign-1))
		case t == loop.I32:
			a.V2(asm.VPABSD, L, g.dst(s.V), asm.R(x))
		case g.avx512:
			a.V2(asm.VPABSQ, L, g.dst(s.V), asm.R(x))
		default:
			d, m := g.fresh(s.V), g.temp()
			g.zero(m)
			a.V3(asm.VPCMPGTQ, L, m, m, asm.R(x))
			a.V3(asm.VXORPS, L, d, x, asm.R(m))
			a.V3(asm.VPSUBQ, L, d, d, asm.R(m))
		}
	case loop.OpNot:
		ones := loop.I32
		if is64(t) {
			ones = loop.I64
		}
		a.V3(g.oneForm(loop.OpXor, ones), L, g.dst(s.V), x, g.constRM(ones, ^uint64(0)))
	case loop.OpSqrt:
		a.V2(pick(asm.VSQRTPS, asm.VSQRTPD), L, g.dst(s.V), asm.R(x))
	default:
		mode := map[loop.Op]uint8{loop.OpNearest: 8, loop.OpFloor: 9, loop.OpCeil: 10, loop.OpTrunc: 11}[s.Op]
		g.roundTo(t, L, g.dst(s.V), x, mode)
	}
}

func (g *gen) roundTo(t loop.Type, L asm.Len, d, x, mode uint8) {
	form := asm.VROUNDPS
	switch {
	case g.avx512 && t == loop.F64:
		form = asm.VRNDSCALEPD
	case g.avx512:
		form = asm.VRNDSCALEPS
	case t == loop.F64:
		form = asm.VROUNDPD
	}
	g.a.V2I(form, L, d, asm.R(x), mode)
}

// modByPower is the remainder by a constant power of two without a division loop:
// x - c trunc(x/c), exact, with x's sign.
func (g *gen) modByPower(s *loop.Let) bool {
	bits, ok := g.u.consts[s.B]
	if !ok || !s.Type.IsFloat() {
		return false
	}
	c := math.Float64frombits(bits)
	if s.Type == loop.F32 {
		c = float64(math.Float32frombits(uint32(bits)))
	}
	if f, e := math.Frexp(c); f != 0.5 || e < -20 || e > 20 {
		return false
	}
	a, t, L := g.a, s.Type, g.L(s.Type)
	enc := func(f float64) asm.RM {
		if t == loop.F32 {
			return g.constRM(t, uint64(math.Float32bits(float32(f))))
		}
		return g.constRM(t, math.Float64bits(f))
	}
	mul, sub, and, or := asm.VMULPS, asm.VSUBPS, asm.VANDPS, asm.VORPS
	sign := uint64(1 << 31)
	if t == loop.F64 {
		mul, sub, and, or, sign = asm.VMULPD, asm.VSUBPD, asm.VANDPD, asm.VORPD, 1<<63
	}
	x := g.src(s.A)
	d, m := g.fresh(s.V), g.temp()
	a.V3(mul, L, d, x, enc(1/c))
	g.roundTo(t, L, d, d, 11)
	a.V3(mul, L, d, d, enc(c))
	a.V3(sub, L, d, x, asm.R(d))
	a.V3(and, L, d, d, g.constRM(t, sign-1))
	a.V3(and, L, m, x, g.constRM(t, sign))
	a.V3(or, L, d, d, asm.R(m))
	return true
}

// laneBinary computes division, remainder and powers of integers and the remainder
// of floats lane by lane in the frame.
func (g *gen) laneBinary(s *loop.Let) {
	a, t := g.a, s.Type
	x, y := g.src(s.A), g.src(s.B)
	d := g.fresh(s.V)
	g.evict()
	in0, in1, out := g.scratch[0], g.scratch[1], g.scratch[2]
	a.V2(asm.VMOVUPSst, g.full, x, asm.M(g.at(in0)))
	a.V2(asm.VMOVUPSst, g.full, y, asm.M(g.at(in1)))
	w := uint8(4)
	if is64(t) {
		w = 8
	}
	el := func(slot int32) asm.RM { return asm.M(asm.Idx(asm.RSP, asm.RCX, w, slot)) }
	body := func() {
		if t.IsFloat() {
			fld, fst := asm.FLD32, asm.FSTP32
			if w == 8 {
				fld, fst = asm.FLD64, asm.FSTP64
			}
			a.One(fld, el(in1))
			a.One(fld, el(in0))
			again := a.Here()
			a.Plain(asm.FPREM)
			a.Plain(asm.FNSTSW)
			a.Plain(asm.SAHF)
			a.J(asm.CondP, again)
			a.One(fst, el(out))
			a.Plain(asm.FPOP)
			return
		}
		if w == 8 {
			a.RM(asm.MOV, asm.R8, el(in1))
			a.RM(asm.MOV, asm.RAX, el(in0))
		} else {
			a.RM(asm.MOVSXD, asm.R8, el(in1))
			a.RM(asm.MOVSXD, asm.RAX, el(in0))
		}
		if s.Op == loop.OpPow {
			g.intPow()
			if w == 8 {
				a.RM(asm.STORE, asm.RDX, el(out))
			} else {
				a.RM(asm.STORE32, asm.RDX, el(out))
			}
			return
		}
		a.RM(asm.TEST, asm.R8, asm.G(asm.R8))
		a.J(asm.CondE, g.fault(statusZero, site{}))
		// by -1 apart: the smallest number overflows
		minus, done := a.NewLabel(), a.NewLabel()
		a.RI(asm.CMP, asm.G(asm.R8), -1)
		a.J(asm.CondE, minus)
		a.Plain(asm.CQO)
		a.One(asm.IDIV, asm.G(asm.R8))
		if s.Op == loop.OpMod {
			// the divisor's sign
			fine := a.NewLabel()
			a.RM(asm.TEST, asm.RDX, asm.G(asm.RDX))
			a.J(asm.CondE, fine)
			a.RM(asm.MOV, asm.RAX, asm.G(asm.RDX))
			a.RR(asm.XOR, asm.RAX, asm.G(asm.R8))
			a.J(asm.CondNS, fine)
			a.RR(asm.ADD, asm.RDX, asm.G(asm.R8))
			a.Bind(fine)
			a.RM(asm.MOV, asm.RAX, asm.G(asm.RDX))
		}
		a.Jmp(done)
		a.Bind(minus)
		if s.Op == loop.OpMod {
			a.MovI(asm.RAX, 0)
		} else {
			a.One(asm.NEG, asm.G(asm.RAX))
		}
		a.Bind(done)
		if w == 8 {
			a.RM(asm.STORE, asm.RAX, el(out))
		} else {
			a.RM(asm.STORE32, asm.RAX, el(out))
		}
	}
	g.scalars(s.V, d, t, out, body)
}

// intPow is rdx = rax to the power of r8 by squaring, rsi is overwritten. A
// negative power is 0 but for those of 1 and -1.
func (g *gen) intPow() {
	a := g.a
	done, even, neg, minus := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel()
	a.MovI(asm.RDX, 1)
	a.RI(asm.CMP, asm.G(asm.R8), 0)
	a.J(asm.CondL, neg)
	a.J(asm.CondE, done)
	head := a.Here()
	a.RM(asm.MOV, asm.RSI, asm.G(asm.R8))
	a.RI(asm.AND, asm.G(asm.RSI), 1)
	a.J(asm.CondE, even)
	a.RM(asm.IMUL, asm.RDX, asm.G(asm.RAX))
	a.Bind(even)
	a.RM(asm.IMUL, asm.RAX, asm.G(asm.RAX))
	a.ShiftI(asm.SHR, asm.R8, 1)
	a.RI(asm.CMP, asm.G(asm.R8), 0)
	a.J(asm.CondG, head)
	a.Jmp(done)
	a.Bind(neg)
	a.RI(asm.CMP, asm.G(asm.RAX), 1)
	a.J(asm.CondE, done)
	a.RI(asm.CMP, asm.G(asm.RAX), -1)
	a.J(asm.CondE, minus)
	a.MovI(asm.RDX, 0)
	a.Jmp(done)
	a.Bind(minus)
	a.RI(asm.AND, asm.G(asm.R8), 1)
	a.J(asm.CondE, done)
	a.MovI(asm.RDX, -1)
	a.Bind(done)
}

// scalars runs body for each lane of v (once if all are the same) and loads what
// it left in the frame.
func (g *gen) scalars(v loop.V, d uint8, t loop.Type, out int32, body func()) {
	a := g.a
	if !g.x.val[v].lane {
		a.MovI(asm.RCX, 0)
		body()
		if is64(t) {
			a.V2(asm.VBROADCASTSD, g.full, d, asm.M(g.at(out)))
		} else {
			a.V2(asm.VBROADCASTSS, g.full, d, asm.M(g.at(out)))
		}
		return
	}
	g.eachLane(body)
	a.V2(asm.VMOVUPS, g.L(t), d, asm.M(g.at(out)))
}

// roundBF16 is d = x with the precision of bfloat16.
func (g *gen) roundBF16(d, x uint8) {
	a, L := g.a, g.L(loop.F32)
	n := g.temp()
	a.V2I(asm.VPSRLDI, L, d, asm.R(x), 16)
	a.V3(asm.VANDPS, L, d, d, a.Const32(1))
	a.V3(asm.VPADDD, L, d, d, a.Const32(0x7fff))
	a.V3(asm.VPADDD, L, d, d, asm.R(x))
	a.V3(asm.VORPS, L, n, x, a.Const32(1<<22)) // NaN stays one
	if g.avx512 {
		a.V3I(asm.VCMPPSK, L, 2, x, asm.R(x), 3)
		a.V2K(asm.VMOVAPS, L, d, asm.R(n), asm.Mask{K: 2})
	} else {
		m := g.temp()
		a.V3I(asm.VCMPPS, L, m, x, asm.R(x), 3)
		a.V4(asm.VBLENDVPS, L, d, d, asm.R(n), m)
		g.drop(m)
	}
	a.V3(asm.VANDPS, L, d, d, a.Const32(0xffff0000))
	g.drop(n)
}

func (g *gen) round(s *loop.Let) {
	a, L := g.a, g.L(s.Type)
	x := g.src(s.A)
	d := g.fresh(s.V)
	shift := func(n uint8, up bool) {
		a.V2I(asm.VPSLLDI, L, d, asm.R(x), n)
		if up {
			a.V2I(asm.VPSRADI, L, d, asm.R(d), n)
		} else {
			a.V2I(asm.VPSRLDI, L, d, asm.R(d), n)
		}
	}
	switch {
	case s.DType == tensor.Float16 && s.Type == loop.F32:
		a.V2I(asm.VCVTPS2PH, L, x, asm.R(d), 0)
		a.V2(asm.VCVTPH2PS, L, d, asm.R(d))
	case s.DType == tensor.BFloat16 && s.Type == loop.F32:
		g.roundBF16(d, x)
	case s.DType == tensor.Int8 && s.Type == loop.I32:
		shift(24, true)
	case s.DType == tensor.Int16 && s.Type == loop.I32:
		shift(16, true)
	case s.DType == tensor.Uint8 && s.Type == loop.I32:
		shift(24, false)
	case s.Type == loop.TypeOf(s.DType) && s.DType.Size() >= 4:
		a.V2(asm.VMOVAPS, g.full, d, asm.R(x))
	default:
		panic(unsupported(fmt.Sprintf("round of %s through %s", s.Type, s.DType)))
	}
}
