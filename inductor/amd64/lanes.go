package amd64

import (
	"github.com/larkspur-ml/larkspur/inductor/asm"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Lane by lane: vectors go through the frame, and a loop over the lanes that are
// on computes one address after the other. In it rcx is the lane, rsi the address
// but for the data terms, r8 the address, rax and rdx are free.
//
//	scratch 0   the elements
//	scratch 1…  indices from data, then the mask

// eachLane runs f for each lane that is on.
func (g *gen) eachLane(f func()) {
	a := g.a
	a.MovI(asm.RCX, 0)
	head := a.Here()
	f()
	a.RI(asm.ADD, asm.G(asm.RCX), 1)
	if g.tail {
		a.RR(asm.CMP, asm.RCX, g.rmOf(g.rest))
	} else {
		a.RI(asm.CMP, asm.G(asm.RCX), int32(g.lanes))
	}
	a.J(asm.CondL, head)
}

// addressLanes runs f for each lane with its address in r8.
func (g *gen) addressLanes(m *loop.Access, class int, stride loop.P, f func()) {
	a := g.a
	size := int64(g.u.k.Bufs[m.Buf].DType.Size())
	for i, d := range m.Dyn {
		a.V2(asm.VMOVUPSst, g.full, g.src(d.Index), asm.M(g.at(g.scratch[1+i])))
	}
	mask := g.scratch[1+len(m.Dyn)]
	if m.Mask != 0 {
		a.V2(asm.VMOVUPSst, g.full, g.src(m.Mask), asm.M(g.at(mask)))
	}
	a.RM(asm.MOV, asm.RSI, asm.G(g.pointer(m, asm.RSI)))
	g.evict()
	next := a.NewLabel()
	g.eachLane(func() {
		if m.Mask != 0 {
			a.RM(asm.MOV32, asm.RAX, asm.M(asm.Idx(asm.RSP, asm.RCX, 4, mask)))
			a.RM(asm.TEST32, asm.RAX, asm.G(asm.RAX))
			a.J(asm.CondE, next)
		}
		a.RM(asm.MOV, asm.R8, asm.G(asm.RSI))
		for i := range m.Dyn {
			d := &m.Dyn[i]
			if g.u.types[d.Index] == loop.I64 {
				a.RM(asm.MOV, asm.RAX, asm.M(asm.Idx(asm.RSP, asm.RCX, 8, g.scratch[1+i])))
			} else {
				a.RM(asm.MOVSXD, asm.RAX, asm.M(asm.Idx(asm.RSP, asm.RCX, 4, g.scratch[1+i])))
			}
			g.checkIndex(d)
			g.mulStep(asm.RAX, d.Stride, size)
			a.RR(asm.ADD, asm.R8, asm.G(asm.RAX))
		}
		if m.Mask != 0 {
			g.checkInside(m.Buf, asm.R8)
		}
		f()
		a.Bind(next)
		if class != 0 {
			g.addStep(place{reg: asm.RSI, inReg: true}, stride, size)
		}
	})
}

func (g *gen) loadLanes(s *loop.Let, dt tensor.DType, class int, stride loop.P) {
	a, m := g.a, s.Mem
	d := g.fresh(s.V)
	el := g.scratch[0]
	if m.Mask != 0 {
		g.zero(d)
		a.V2(asm.VMOVUPSst, g.full, d, asm.M(g.at(el)))
	}
	if class == 1 {
		stride = loop.Imm(1)
	}
	g.addressLanes(m, class, stride, func() {
		switch dt {
		case tensor.Float32, tensor.Int32:
			a.RM(asm.MOV32, asm.RAX, asm.M(asm.At(asm.R8, 0)))
		case tensor.Float64, tensor.Int64:
			a.RM(asm.MOV, asm.RAX, asm.M(asm.At(asm.R8, 0)))
			a.RM(asm.STORE, asm.RAX, asm.M(asm.Idx(asm.RSP, asm.RCX, 8, el)))
			return
		case tensor.Uint8, tensor.Bool:
			a.RM(asm.MOVZX8, asm.RAX, asm.M(asm.At(asm.R8, 0)))
		case tensor.Int8:
			a.RM(asm.MOVSX8, asm.RAX, asm.M(asm.At(asm.R8, 0)))
		case tensor.Int16:
			a.RM(asm.MOVSX16, asm.RAX, asm.M(asm.At(asm.R8, 0)))
		case tensor.BFloat16:
			a.RM(asm.MOVZX16, asm.RAX, asm.M(asm.At(asm.R8, 0)))
			a.ShiftI(asm.SHL, asm.RAX, 16)
		case tensor.Float16:
			a.RM(asm.MOVZX16, asm.RAX, asm.M(asm.At(asm.R8, 0)))
			a.RM(asm.STORE16, asm.RAX, asm.M(asm.Idx(asm.RSP, asm.RCX, 2, el)))
			return
		default:
			panic(unsupported("storage of " + dt.String()))
		}
		a.RM(asm.STORE32, asm.RAX, asm.M(asm.Idx(asm.RSP, asm.RCX, 4, el)))
	})
	if dt == tensor.Float16 {
		a.V2(asm.VCVTPH2PS, g.L(loop.F32), d, asm.M(g.at(el)))
		return
	}
	a.V2(asm.VMOVUPS, g.L(s.Type), d, asm.M(g.at(el)))
	if dt == tensor.Bool {
		g.nonZero(d)
	}
}

func (g *gen) storeLanes(m *loop.Access, dt tensor.DType, val loop.V, class int, stride loop.P) {
	a, el := g.a, g.scratch[0]
	v := g.src(val)
	L := g.L(loop.TypeOf(dt))
	switch dt {
	case tensor.Float16:
		a.V2I(asm.VCVTPS2PH, L, v, asm.M(g.at(el)), 0)
	case tensor.BFloat16:
		t := g.temp()
		g.roundBF16(t, v)
		a.V2I(asm.VPSRLDI, L, t, asm.R(t), 16)
		a.V2(asm.VMOVUPSst, L, t, asm.M(g.at(el)))
	case tensor.Bool:
		t := g.temp()
		a.V2I(asm.VPSRLDI, L, t, asm.R(v), 31)
		a.V2(asm.VMOVUPSst, L, t, asm.M(g.at(el)))
	default:
		a.V2(asm.VMOVUPSst, L, v, asm.M(g.at(el)))
	}
	if class == 1 {
		stride = loop.Imm(1)
	}
	g.addressLanes(m, class, stride, func() {
		p := asm.M(asm.At(asm.R8, 0))
		switch dt.Size() {
		case 8:
			a.RM(asm.MOV, asm.RAX, asm.M(asm.Idx(asm.RSP, asm.RCX, 8, el)))
			a.RM(asm.STORE, asm.RAX, p)
		case 4:
			a.RM(asm.MOV32, asm.RAX, asm.M(asm.Idx(asm.RSP, asm.RCX, 4, el)))
			a.RM(asm.STORE32, asm.RAX, p)
		case 2:
			w := uint8(4)
			if dt == tensor.Float16 {
				w = 2
			}
			a.RM(asm.MOVZX16, asm.RAX, asm.M(asm.Idx(asm.RSP, asm.RCX, w, el)))
			a.RM(asm.STORE16, asm.RAX, p)
		default:
			a.RM(asm.MOV32, asm.RAX, asm.M(asm.Idx(asm.RSP, asm.RCX, 4, el)))
			a.RM(asm.STORE8, asm.RAX, p)
		}
	})
}

// atomic combines into memory, lanes in their order: one run is one thread.
func (g *gen) atomic(s *loop.Atomic) {
	a, m := g.a, s.Mem
	dt := g.u.k.Bufs[m.Buf].DType
	t := g.u.types[s.Val]
	v := g.src(s.Val)
	x, y, z, w := g.temp(), g.temp(), g.temp(), g.temp()
	combine := func(p asm.Mem, v uint8) {
		if s.Op == loop.CombineSet {
			g.storeElement(dt, v, p, w)
			return
		}
		g.loadElement(dt, x, p)
		op := [...]loop.Op{loop.CombineAdd: loop.OpAdd, loop.CombineMul: loop.OpMul, loop.CombineMin: loop.OpMin, loop.CombineMax: loop.OpMax}[s.Op]
		if t == loop.B1 {
			op = [...]loop.Op{loop.CombineAdd: loop.OpOr, loop.CombineMul: loop.OpAnd, loop.CombineMin: loop.OpAnd, loop.CombineMax: loop.OpOr}[s.Op]
		}
		g.arith(op, t, g.L(t), z, x, v)
		g.storeElement(dt, z, p, w)
	}
	c, stride := g.x.class(m, g.lane)
	if g.lane == nil {
		over := a.NewLabel()
		g.evict()
		p, masked := g.addressOne(m, over, func() {})
		if p.Base != asm.RSI {
			a.RM(asm.MOV, asm.RSI, asm.G(p.Base))
		}
		combine(asm.At(asm.RSI, 0), v)
		if masked {
			a.Bind(over)
		}
		return
	}
	el := g.scratch[0]
	a.V2(asm.VMOVUPSst, g.full, v, asm.M(g.at(el)))
	if c == 1 {
		stride = loop.Imm(1)
	}
	g.addressLanes(m, c, stride, func() {
		if is64(t) {
			a.V2(asm.VBROADCASTSD, g.full, y, asm.M(asm.Idx(asm.RSP, asm.RCX, 8, el)))
		} else {
			a.V2(asm.VBROADCASTSS, g.full, y, asm.M(asm.Idx(asm.RSP, asm.RCX, 4, el)))
		}
		combine(asm.At(asm.R8, 0), y)
	})
}

// assert looks for a lane that is on and whose condition is false.
func (g *gen) assert(s *loop.Assert) {
	a, L := g.a, g.L(loop.B1)
	c := g.src(s.Cond)
	bad := g.temp()
	if s.Mask != 0 {
		a.V3(asm.VANDNPS, L, bad, c, asm.R(g.src(s.Mask)))
	} else {
		ones := g.temp()
		g.loadConst(ones, loop.B1, 1)
		a.V3(asm.VANDNPS, L, bad, c, asm.R(ones))
	}
	val := uint8(0)
	if s.Val != 0 {
		val = g.src(s.Val)
	}
	ok := g.anyLane(bad)
	if s.Val != 0 {
		a.RM(asm.TZCNT, asm.RCX, asm.G(asm.RAX))
		a.V2(asm.VMOVUPSst, g.full, val, asm.M(g.at(g.scratch[0])))
		if is64(g.u.types[s.Val]) {
			if g.lane == nil || !g.x.val[s.Val].lane {
				a.MovI(asm.RCX, 0)
			}
			a.RM(asm.MOV, asm.RAX, asm.M(asm.Idx(asm.RSP, asm.RCX, 8, g.scratch[0])))
		} else {
			a.RM(asm.MOV32, asm.RAX, asm.M(asm.Idx(asm.RSP, asm.RCX, 4, g.scratch[0])))
		}
	}
	a.Jmp(g.fault(statusAssert, site{assert: s, typ: g.u.types[s.Val]}))
	a.Bind(ok)
}

// anyLane puts the lanes that are on and set in a b1 into the bits of rax, and
// jumps to the label it returns if there are none.
func (g *gen) anyLane(b uint8) (none asm.Label) {
	a, L := g.a, g.L(loop.B1)
	none = a.NewLabel()
	if g.avx512 {
		a.V2(asm.VPMOVD2M, L, 2, asm.R(b))
		if g.tail {
			a.V3(asm.KANDW, asm.L256, 2, 2, asm.R(1))
		}
		a.V2(asm.RKMOVW, 0, uint8(asm.RAX), asm.R(2))
		// without lanes, or with 4 or 8 of them, upper bits are copies or zero
	} else {
		if g.tail {
			t := g.tailMask(loop.F32)
			a.V3(asm.VANDPS, L, b, b, asm.R(t))
		}
		if b > 15 {
			panic("BUG: register under AVX2")
		}
		a.V2(asm.VMOVMSKPS, L, uint8(asm.RAX), asm.R(b))
	}
	a.RM(asm.TEST32, asm.RAX, asm.G(asm.RAX))
	a.J(asm.CondE, none)
	return none
}

// tooLarge asks for the fallback where sine's argument is beyond its reduction.
func (g *gen) tooLarge(s *loop.Let) {
	a := g.a
	t := g.u.types[s.A]
	limit := uint64(0x49800000) // 2^20
	sign := uint64(0x7fffffff)
	if t == loop.F64 {
		limit, sign = 0x4110000000000000, 1<<63-1 // 2^18
	}
	x := g.src(s.A)
	y, m, b := g.temp(), g.temp(), g.temp()
	form := asm.VANDPS
	if is64(t) {
		form = asm.VANDPD
	}
	a.V3(form, g.L(t), y, x, g.constRM(t, sign))
	g.loadConst(m, t, limit)
	g.compare(loop.OpLt, t, b, m, asm.R(y))
	// infinities are the expansion's own
	inf := uint64(0x7f800000)
	if t == loop.F64 {
		inf = 0x7ff0000000000000
	}
	g.loadConst(m, t, inf)
	c := g.temp()
	g.compare(loop.OpLt, t, c, y, asm.R(m))
	a.V3(asm.VANDPS, g.L(loop.B1), b, b, asm.R(c))
	none := g.anyLane(b)
	a.Jmp(g.fault(statusRetry, site{}))
	a.Bind(none)
}
