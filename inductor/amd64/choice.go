package amd64

import (
	"github.com/larkspur-ml/larkspur/inductor/asm"
	"github.com/larkspur-ml/larkspur/inductor/loop"
)

// Comparisons in mask registers (AVX-512): k1 is the tail's, k2 and k3 are free for any
// sequence, k4 to k7 hold comparisons until the last selection by them.

var (
	floatPredicate = map[loop.Op]uint8{loop.OpEq: 0, loop.OpNe: 4, loop.OpLt: 0x11, loop.OpLe: 0x12}
	intPredicate   = map[loop.Op]uint8{loop.OpEq: 0, loop.OpNe: 4, loop.OpLt: 1, loop.OpLe: 2}
)

// choices are the mask registers in use; 0: free.
type choices [4]loop.V

const firstChoice = 4

func (c *choices) find(v loop.V) (k uint8, ok bool) {
	for i, w := range c {
		if w == v {
			return uint8(firstChoice + i), true
		}
	}
	return 0, false
}

// compareMask is k = x op y.
func (g *gen) compareMask(op loop.Op, t loop.Type, k, x uint8, y asm.RM) {
	a, L := g.a, g.L(t)
	switch t {
	case loop.F32:
		a.V3I(asm.VCMPPSK, L, k, x, y, floatPredicate[op])
	case loop.F64:
		a.V3I(asm.VCMPPDK, L, k, x, y, floatPredicate[op])
	case loop.I32:
		a.V3I(asm.VPCMPDK, L, k, x, y, intPredicate[op])
	default:
		a.V3I(asm.VPCMPQK, L, k, x, y, intPredicate[op])
	}
}

// choice keeps a comparison in a mask register, if there is one. In wide kernels the
// masks of 64-bit values are too short.
func (g *gen) choice(s *loop.Let) bool {
	t := g.u.types[s.A]
	if !g.avx512 || !g.u.choose[s.V] || g.x.wide && is64(t) {
		return false
	}
	k, ok := g.choices.find(0)
	if !ok {
		return false
	}
	x := g.src(s.A)
	g.compareMask(s.Op, t, k, x, g.rm(s.B))
	g.choices[k-firstChoice] = s.V
	return true
}

// choiceSelect selects by a mask register.
func (g *gen) choiceSelect(s *loop.Let) bool {
	k, ok := g.choices.find(s.A)
	if !ok {
		return false
	}
	a, t, L := g.a, s.Type, g.L(s.Type)
	blend, move := asm.VBLENDMPS, asm.VMOVAPS
	if is64(t) {
		blend, move = asm.VBLENDMPD, asm.VMOVAPD
	}
	if bits, zero := g.u.consts[s.C]; zero && bits == 0 {
		x := g.src(s.B)
		a.V2K(move, L, g.dst(s.V), asm.R(x), asm.Mask{K: k, Zero: true})
	} else {
		y := g.src(s.C)
		x := g.rm(s.B)
		a.V3K(blend, L, g.dst(s.V), y, x, asm.Mask{K: k})
	}
	if g.x.val[s.A].last <= g.pos {
		g.choices[k-firstChoice] = 0
	}
	return true
}
