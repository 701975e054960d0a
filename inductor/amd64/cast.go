package amd64

import (
	"github.com/larkspur-ml/larkspur/inductor/asm"
	"github.com/larkspur-ml/larkspur/inductor/loop"
)

// cast converts. In a wide kernel a 64-bit value is the same in all lanes; made
// from or into 32-bit lanes it is spread again.
func (g *gen) cast(s *loop.Let) {
	a := g.a
	from, to := g.u.types[s.A], s.Type
	x := g.src(s.A)
	if from == to {
		a.V2(asm.VMOVAPS, g.full, g.fresh(s.V), asm.R(x))
		return
	}
	F, B := g.full, g.L(loop.B1)
	switch {
	case to == loop.B1:
		z := g.temp()
		g.zero(z)
		g.compare(loop.OpNe, from, g.fresh(s.V), x, asm.R(z))
	case from == loop.B1:
		d := g.fresh(s.V)
		switch to {
		case loop.I32:
			a.V2I(asm.VPSRLDI, B, d, asm.R(x), 31)
		case loop.F32:
			a.V3(asm.VANDPS, B, d, x, a.Const32(0x3f800000))
		case loop.I64:
			a.V2(asm.VPMOVSXDQ, F, d, asm.R(x))
			a.V2I(asm.VPSRLQI, F, d, asm.R(d), 63)
		case loop.F64:
			a.V2(asm.VPMOVSXDQ, F, d, asm.R(x))
			a.V3(asm.VANDPD, F, d, d, a.Const64(0x3ff0000000000000))
		}
	case from == loop.I32 && to == loop.F32:
		a.V2(asm.VCVTDQ2PS, B, g.fresh(s.V), asm.R(x))
	case from == loop.F32 && to == loop.I32:
		a.V2(asm.VCVTTPS2DQ, B, g.fresh(s.V), asm.R(x))
	case from == loop.I32 && to == loop.I64:
		a.V2(asm.VPMOVSXDQ, F, g.fresh(s.V), asm.R(x))
	case from == loop.I32 && to == loop.F64:
		a.V2(asm.VCVTDQ2PD, F, g.fresh(s.V), asm.R(x))
	case from == loop.F32 && to == loop.F64:
		a.V2(asm.VCVTPS2PD, F, g.fresh(s.V), asm.R(x))
	case from == loop.F64 && to == loop.F32:
		d := g.fresh(s.V)
		a.V2(asm.VCVTPD2PS, F, d, asm.R(x))
		g.again(d)
	case from == loop.F64 && to == loop.I32:
		d := g.fresh(s.V)
		a.V2(asm.VCVTTPD2DQ, F, d, asm.R(x))
		g.again(d)
	case from == loop.I64 && to == loop.I32:
		d := g.fresh(s.V)
		if g.avx512 {
			a.V3(asm.VPMOVQD, F, x, 0, asm.R(d))
			g.again(d)
		} else {
			g.narrowMask(d, x)
		}
	case g.avx512:
		d := g.fresh(s.V)
		switch {
		case from == loop.I64 && to == loop.F32:
			a.V2(asm.VCVTQQ2PS, F, d, asm.R(x))
			g.again(d)
		case from == loop.I64:
			a.V2(asm.VCVTQQ2PD, F, d, asm.R(x))
		case from == loop.F32:
			a.V2(asm.VCVTTPS2QQ, F, d, asm.R(x))
		default:
			a.V2(asm.VCVTTPD2QQ, F, d, asm.R(x))
		}
	default:
		g.castLanes(s, from, to, x)
	}
}

// again spreads lane 0 over a register of a wide kernel.
func (g *gen) again(d uint8) {
	if g.x.wide {
		g.a.V2(asm.VBROADCASTSS, g.full, d, asm.R(d))
	}
}

// castLanes converts between 64-bit integers and floats lane by lane (AVX2).
func (g *gen) castLanes(s *loop.Let, from, to loop.Type, x uint8) {
	a := g.a
	d := g.fresh(s.V)
	t := g.temp()
	g.evict()
	in, out := g.scratch[0], g.scratch[1]
	a.V2(asm.VMOVUPSst, g.full, x, asm.M(g.at(in)))
	a4 := func(slot int32) asm.RM { return asm.M(asm.Idx(asm.RSP, asm.RCX, 4, slot)) }
	a8 := func(slot int32) asm.RM { return asm.M(asm.Idx(asm.RSP, asm.RCX, 8, slot)) }
	g.scalars(s.V, d, to, out, func() {
		switch {
		case from == loop.I64 && to == loop.F32:
			a.RM(asm.MOV, asm.RAX, a8(in))
			g.zero(t)
			a.V3(asm.VCVTSI2SS, 0, t, t, asm.G(asm.RAX))
			a.V2(asm.VMOVSSst, 0, t, a4(out))
		case from == loop.I64:
			a.RM(asm.MOV, asm.RAX, a8(in))
			g.zero(t)
			a.V3(asm.VCVTSI2SD, 0, t, t, asm.G(asm.RAX))
			a.V2(asm.VMOVSDst, 0, t, a8(out))
		case from == loop.F32:
			a.V2(asm.VCVTTSS2SI, 0, uint8(asm.RAX), a4(in))
			a.RM(asm.STORE, asm.RAX, a8(out))
		default:
			a.V2(asm.VCVTTSD2SI, 0, uint8(asm.RAX), a8(in))
			a.RM(asm.STORE, asm.RAX, a8(out))
		}
	})
}
