package amd64

import "github.com/larkspur-ml/larkspur/inductor/asm"

// laneArgs is the argument of the kernel of weight gradients; offsets in emitLaneDots.
type laneArgs struct {
	g, x uintptr
	gs   int64   // bytes from row to row of g
	taps uintptr // offset of each tap in x
	at   uintptr // of each position: its offsets in g and in x
	n    int64   // positions
	out  uintptr // sums by row and tap
}

// laneTile is the tile of the kernel: rows x taps.
func laneTile(L asm.Len) (rows, taps int) {
	if L == asm.L512 {
		return 4, 6
	}
	return 2, 4
}

// emitLaneDots writes out[row][tap] = Σ g[row][position] x[tap + position] over
// positions and lanes.
//
//	AVX-512    4 x 6   24 accumulators + 6 taps + 1 row of 32 registers
//	AVX2       2 x 4    8 + 4 + 1 of 16
func emitLaneDots(L asm.Len) ([]byte, error) {
	a := asm.New(0)
	vb := int32(L.Bytes())
	rows, taps := laneTile(L)
	load := func(r asm.GP, at int32) { a.RM(asm.MOV, r, asm.M(asm.At(asm.RDI, at))) }
	load(asm.RSI, 0)
	load(asm.RAX, 8)
	load(asm.RDX, 16)
	load(asm.R14, 24)
	load(asm.R15, 32)
	load(asm.RCX, 40)
	a.RM(asm.LEA, asm.RBX, asm.M(asm.Idx(asm.RDX, asm.RDX, 2, 0)))
	x := []asm.GP{asm.R8, asm.R9, asm.R10, asm.R11, asm.R12, asm.R13}[:taps]
	for i, r := range x {
		a.RM(asm.MOV, r, asm.M(asm.At(asm.R14, int32(8*i))))
		a.RR(asm.ADD, r, asm.G(asm.RAX))
	}
	acc := func(r, t int) uint8 { return uint8(r*taps + t) }
	free := acc(rows, 0)
	row := free + uint8(taps)
	for r := range free {
		a.V3(asm.VXORPS, L, r, r, asm.R(r))
	}
	a.Align(32)
	head := a.Here()
	a.RM(asm.MOV, asm.R14, asm.M(asm.At(asm.R15, 0)))
	a.RR(asm.ADD, asm.R14, asm.G(asm.RSI))
	a.RM(asm.MOV, asm.RAX, asm.M(asm.At(asm.R15, 8)))
	for h := range int32(2) {
		for t, p := range x {
			a.V2(asm.VMOVUPS, L, free+uint8(t), asm.M(asm.Idx(p, asm.RAX, 1, h*vb)))
		}
		for r := range rows {
			m := asm.At(asm.R14, h*vb)
			switch r {
			case 1, 2:
				m = asm.Idx(asm.R14, asm.RDX, uint8(r), h*vb)
			case 3:
				m = asm.Idx(asm.R14, asm.RBX, 1, h*vb)
			}
			a.V2(asm.VMOVUPS, L, row, asm.M(m))
			for t := range x {
				a.V3(asm.VFMADD231PS, L, acc(r, t), row, asm.R(free+uint8(t)))
			}
		}
	}
	a.RI(asm.ADD, asm.G(asm.R15), 16)
	a.RI(asm.SUB, asm.G(asm.RCX), 1)
	a.J(asm.CondG, head)
	load(asm.R8, 48)
	for r := uint8(0); r < free; r += 4 {
		sumFour(a, L, [4]uint8{r, r + 1, r + 2, r + 3}, free)
		a.V2(asm.VMOVUPSst, asm.L128, free, asm.M(asm.At(asm.R8, 4*int32(r))))
	}
	a.Plain(asm.VZEROUPPER)
	a.Plain(asm.RET)
	return a.Finish()
}

// sumFour brings the sums of four registers side by side into the low lanes of t.
func sumFour(a *asm.Asm, L asm.Len, q [4]uint8, t uint8) {
	for _, r := range q {
		if L == asm.L512 {
			a.V2I(asm.VEXTRACTF64X4, L, r, asm.R(t), 1)
			a.V3(asm.VADDPS, asm.L256, r, r, asm.R(t))
			a.V2I(asm.VEXTRACTF32X4, asm.L256, r, asm.R(t), 1)
		} else {
			a.V2I(asm.VEXTRACTF128, asm.L256, r, asm.R(t), 1)
		}
		a.V3(asm.VADDPS, asm.L128, r, r, asm.R(t))
	}
	for _, p := range [][2]uint8{{q[0], q[1]}, {q[2], q[3]}} {
		a.V3(asm.VUNPCKLPS, asm.L128, t, p[0], asm.R(p[1]))
		a.V3(asm.VUNPCKHPS, asm.L128, p[0], p[0], asm.R(p[1]))
		a.V3(asm.VADDPS, asm.L128, p[0], p[0], asm.R(t))
	}
	a.V3I(asm.VSHUFPS, asm.L128, t, q[0], asm.R(q[2]), 0x44)
	a.V3I(asm.VSHUFPS, asm.L128, q[0], q[0], asm.R(q[2]), 0xee)
	a.V3(asm.VADDPS, asm.L128, t, t, asm.R(q[0]))
}
