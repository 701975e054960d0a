package amd64

import (
	"github.com/larkspur-ml/larkspur/inductor/asm"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Loads and stores in three ways:
//
//	one         the same address for all lanes: an element, spread
//	vector      addresses that follow one another
//	lane by lane  everything else: strides, data indices, masks (lanes.go)

func (g *gen) load(s *loop.Let) {
	m := s.Mem
	dt := g.u.k.Bufs[m.Buf].DType
	c, stride := g.x.class(m, g.lane)
	switch {
	case !g.x.val[s.V].lane:
		g.loadOne(s, dt)
	case c == 1 && m.Mask == 0 && len(m.Dyn) == 0 && !(g.tail && !g.avx512 && narrowStorage(dt)):
		g.loadVector(s, dt)
	case c == 2 && m.Mask == 0 && len(m.Dyn) == 0 && dt.Size() >= 4:
		g.loadStrided(s, dt, stride)
	default:
		g.loadLanes(s, dt, c, stride)
	}
}

// loadStrided gathers with 32-bit offsets: a stride of class 2 times the lanes
// fits them.
func (g *gen) loadStrided(s *loop.Let, dt tensor.DType, stride loop.P) {
	a := g.a
	d, idx := g.fresh(s.V), g.temp()
	wide := dt.Size() == 8
	L := g.L(s.Type)
	I := L // of the offsets
	if wide {
		I = L - 1
	}
	base := g.pointer(s.Mem, asm.RSI)
	g.loadP(asm.RAX, stride)
	g.spreadGP(idx, loop.I32, asm.RAX)
	a.V3(asm.VPMULLD, I, idx, idx, asm.M(a.Data(iotaBytes(16, 4))))
	g.zero(d)
	p := asm.M(asm.Vec(base, idx, uint8(dt.Size()), 0))
	if g.avx512 {
		if g.tail {
			a.V2(asm.RKMOVW, 0, uint8(asm.RAX), asm.R(1))
		} else {
			a.MovI(asm.RAX, 0xffff)
		}
		a.V2(asm.KMOVWr, 0, 3, asm.G(asm.RAX))
		form := asm.VGATHERDPS
		if wide {
			form = asm.VGATHERDPD
		}
		a.V3K(form, L, d, 0, p, asm.Mask{K: 3})
		return
	}
	k := uint8(0)
	if g.tail {
		k = g.tailMask(s.Type)
	} else {
		k = g.temp()
		a.V3(asm.VPCMPEQD, asm.L256, k, k, asm.R(k))
	}
	form := asm.VGATHERDPSV
	if wide {
		form = asm.VGATHERDPDV
	}
	a.V3(form, L, d, k, p)
}

func narrowStorage(dt tensor.DType) bool { return dt.Size() < 4 }

// mask is the opmask of the lanes that are on.
func (g *gen) mask(zero bool) asm.Mask {
	if g.tail && g.avx512 {
		return asm.Mask{K: 1, Zero: zero}
	}
	return asm.Mask{}
}

func (g *gen) loadVector(s *loop.Let, dt tensor.DType) {
	a, L := g.a, g.L(s.Type)
	base := g.pointer(s.Mem, asm.RAX)
	p := asm.M(asm.At(base, 0))
	d := g.fresh(s.V)
	k := g.mask(true)
	if len(g.past) > 0 && !g.tail {
		a.One(asm.PREFETCHT0, asm.M(asm.At(base, ahead)))
	}
	switch dt {
	case tensor.Float32, tensor.Int32:
		if g.tail && !g.avx512 {
			t := g.tailMask(loop.F32)
			a.V3(asm.VMASKMOVPS, L, d, t, p)
			return
		}
		a.V2K(asm.VMOVUPS, L, d, p, k)
	case tensor.Float64, tensor.Int64:
		if g.tail && !g.avx512 {
			t := g.tailMask(loop.F64)
			a.V3(asm.VMASKMOVPD, L, d, t, p)
			return
		}
		a.V2K(asm.VMOVUPD, L, d, p, k)
	default:
		g.widen(dt, d, p, k)
	}
}

// widen loads elements that follow one another in memory, narrower than 4 bytes.
func (g *gen) widen(dt tensor.DType, d uint8, p asm.RM, k asm.Mask) {
	a, L := g.a, g.L(loop.F32)
	switch dt {
	case tensor.Uint8:
		a.V2K(asm.VPMOVZXBD, L, d, p, k)
	case tensor.Int8:
		a.V2K(asm.VPMOVSXBD, L, d, p, k)
	case tensor.Int16:
		a.V2K(asm.VPMOVSXWD, L, d, p, k)
	case tensor.Float16:
		a.V2K(asm.VCVTPH2PS, L, d, p, k)
	case tensor.BFloat16:
		a.V2K(asm.VPMOVZXWD, L, d, p, k)
		a.V2I(asm.VPSLLDI, L, d, asm.R(d), 16)
	case tensor.Bool:
		a.V2K(asm.VPMOVZXBD, L, d, p, k)
		g.nonZero(d)
	default:
		panic(unsupported("storage of " + dt.String()))
	}
}

// nonZero makes a b1 of 32-bit integers.
func (g *gen) nonZero(d uint8) {
	z := g.temp()
	g.zero(z)
	t := g.temp()
	g.compare(loop.OpNe, loop.I32, t, d, asm.R(z))
	g.a.V2(asm.VMOVAPS, g.L(loop.B1), d, asm.R(t))
	g.drop(z)
	g.drop(t)
}

// loadOne loads one element for all lanes. Under a mask that is off it is 0.
func (g *gen) loadOne(s *loop.Let, dt tensor.DType) {
	a := g.a
	d := g.fresh(s.V)
	over := a.NewLabel()
	p, masked := g.addressOne(s.Mem, over, func() { g.zero(d) })
	g.loadElement(dt, d, p)
	if masked {
		a.Bind(over)
	}
}

// addressOne computes the address that is the same for all lanes into a register;
// where the mask is off it jumps to skip, behind what before emits.
func (g *gen) addressOne(m *loop.Access, skip asm.Label, before func()) (p asm.Mem, masked bool) {
	a := g.a
	base := asm.RSI
	var idx []uint8
	for _, d := range m.Dyn {
		idx = append(idx, g.src(d.Index))
	}
	if m.Mask != 0 {
		k := g.src(m.Mask)
		before()
		a.V2(asm.RVMOVD, 0, k, asm.G(asm.RAX))
		a.RM(asm.TEST32, asm.RAX, asm.G(asm.RAX))
		a.J(asm.CondE, skip)
		masked = true
	}
	if len(m.Dyn) == 0 {
		base = g.pointer(m, asm.RSI)
	} else {
		a.RM(asm.MOV, asm.RSI, asm.G(g.pointer(m, asm.RSI)))
	}
	for i := range m.Dyn {
		d := &m.Dyn[i]
		if g.u.types[d.Index] == loop.I64 {
			a.V2(asm.RVMOVQ, 0, idx[i], asm.G(asm.RAX))
		} else {
			a.V2(asm.RVMOVD, 0, idx[i], asm.G(asm.RAX))
			a.RM(asm.MOVSXD, asm.RAX, asm.G(asm.RAX))
		}
		g.checkIndex(d)
		g.mulStep(asm.RAX, d.Stride, int64(g.u.k.Bufs[m.Buf].DType.Size()))
		a.RR(asm.ADD, asm.RSI, asm.G(asm.RAX))
	}
	if masked {
		g.checkInside(m.Buf, base)
	}
	return asm.At(base, 0), masked
}

// checkIndex compares the index in rax with its limit; rdx is overwritten.
func (g *gen) checkIndex(d *loop.Dyn) {
	g.loadP(asm.RDX, d.Lim)
	g.a.RR(asm.CMP, asm.RAX, asm.G(asm.RDX))
	g.a.J(asm.CondAE, g.fault(statusIndex, site{dyn: d}))
}

// checkInside compares an address with its buffer; rax and rdx are overwritten.
func (g *gen) checkInside(buf int, p asm.GP) {
	a := g.a
	a.RM(asm.MOV, asm.RDX, asm.M(asm.At(asm.RDI, argBufs)))
	a.RM(asm.MOV, asm.RAX, asm.G(p))
	a.RR(asm.SUB, asm.RAX, asm.M(asm.At(asm.RDX, int32(16*buf))))
	n := uint8(0)
	for 1<<n < g.u.k.Bufs[buf].DType.Size() {
		n++
	}
	if n > 0 {
		a.ShiftI(asm.SHR, asm.RAX, n)
	}
	a.RR(asm.CMP, asm.RAX, asm.M(asm.At(asm.RDX, int32(16*buf+8))))
	a.J(asm.CondAE, g.fault(statusOutside, site{}))
}

// loadElement spreads one element in memory over all lanes.
func (g *gen) loadElement(dt tensor.DType, d uint8, p asm.Mem) {
	a, f := g.a, g.full
	spread := func() { a.V2(asm.VBROADCASTSS, f, d, asm.R(d)) }
	small := func(form *asm.IntForm) {
		a.RM(form, asm.RAX, asm.M(p))
		a.V2(asm.VMOVDr, 0, d, asm.G(asm.RAX))
	}
	switch dt {
	case tensor.Float32, tensor.Int32:
		a.V2(asm.VBROADCASTSS, f, d, asm.M(p))
	case tensor.Float64, tensor.Int64:
		a.V2(asm.VBROADCASTSD, f, d, asm.M(p))
	case tensor.Uint8:
		small(asm.MOVZX8)
		spread()
	case tensor.Int8:
		small(asm.MOVSX8)
		spread()
	case tensor.Int16:
		small(asm.MOVSX16)
		spread()
	case tensor.Float16:
		small(asm.MOVZX16)
		a.V2(asm.VCVTPH2PS, asm.L128, d, asm.R(d))
		spread()
	case tensor.BFloat16:
		a.RM(asm.MOVZX16, asm.RAX, asm.M(p))
		a.ShiftI(asm.SHL, asm.RAX, 16)
		a.V2(asm.VMOVDr, 0, d, asm.G(asm.RAX))
		spread()
	case tensor.Bool:
		a.RM(asm.MOVZX8, asm.RAX, asm.M(p))
		a.One(asm.NEG32, asm.G(asm.RAX)) // carry if not 0
		a.RM(asm.SBB32, asm.RAX, asm.G(asm.RAX))
		a.V2(asm.VMOVDr, 0, d, asm.G(asm.RAX))
		spread()
	default:
		panic(unsupported("storage of " + dt.String()))
	}
}

func (g *gen) store(s *loop.Store) {
	m := s.Mem
	dt := g.u.k.Bufs[m.Buf].DType
	c, stride := g.x.class(m, g.lane)
	lanes := c != 0 || g.lane != nil && g.x.val[s.Val].lane
	for _, d := range m.Dyn {
		lanes = lanes || g.x.val[d.Index].lane
	}
	lanes = lanes || m.Mask != 0 && g.x.val[m.Mask].lane
	switch {
	case !lanes:
		v := g.src(s.Val)
		over := g.a.NewLabel()
		t := g.temp()
		p, masked := g.addressOne(m, over, func() {})
		g.storeElement(dt, v, p, t)
		if masked {
			g.a.Bind(over)
		}
	case c == 1 && m.Mask == 0 && len(m.Dyn) == 0 && !(g.tail && !g.avx512 && narrowStorage(dt)):
		g.storeVector(m, dt, s.Val)
	default:
		g.storeLanes(m, dt, s.Val, c, stride)
	}
}

func (g *gen) storeVector(m *loop.Access, dt tensor.DType, val loop.V) {
	a, L := g.a, g.L(loop.TypeOf(dt))
	v := g.src(val)
	p := asm.M(asm.At(g.pointer(m, asm.RAX), 0))
	k := g.mask(false)
	if g.past[m.Buf] && !g.tail {
		g.storePast(dt, v, p)
		return
	}
	switch dt {
	case tensor.Float32, tensor.Int32:
		if g.tail && !g.avx512 {
			a.V3(asm.VMASKMOVPSst, L, v, g.tailMask(loop.F32), p)
			return
		}
		a.V2K(asm.VMOVUPSst, L, v, p, k)
	case tensor.Float64, tensor.Int64:
		if g.tail && !g.avx512 {
			a.V3(asm.VMASKMOVPDst, L, v, g.tailMask(loop.F64), p)
			return
		}
		a.V2K(asm.VMOVUPDst, L, v, p, k)
	case tensor.Float16:
		a.V3KI(asm.VCVTPS2PH, L, v, 0, p, k, 0)
	case tensor.BFloat16:
		t := g.temp()
		g.roundBF16(t, v)
		a.V2I(asm.VPSRLDI, L, t, asm.R(t), 16)
		g.truncate(2, t, p, k)
	case tensor.Int16:
		g.truncate(2, v, p, k)
	case tensor.Uint8, tensor.Int8:
		g.truncate(1, v, p, k)
	case tensor.Bool:
		t := g.temp()
		a.V2I(asm.VPSRLDI, L, t, asm.R(v), 31)
		g.truncate(1, t, p, k)
	default:
		panic(unsupported("storage of " + dt.String()))
	}
}

// storePast stores a whole vector past the caches, at an aligned address.
func (g *gen) storePast(dt tensor.DType, v uint8, p asm.RM) {
	a, L := g.a, g.L(loop.TypeOf(dt))
	switch dt {
	case tensor.Float16:
		t := g.temp()
		a.V2I(asm.VCVTPS2PH, L, v, asm.R(t), 0)
		v, L = t, L-1
	case tensor.BFloat16:
		t := g.temp()
		g.roundBF16(t, v)
		a.V2I(asm.VPSRLDI, L, t, asm.R(t), 16)
		a.V3K(asm.VPMOVDW, L, t, 0, asm.R(t), asm.Mask{})
		v, L = t, L-1
	}
	a.V2(asm.VMOVNTPS, L, v, p)
}

// truncate stores the low bytes of 32-bit lanes.
func (g *gen) truncate(bytes int, v uint8, p asm.RM, k asm.Mask) {
	a, L := g.a, g.L(loop.I32)
	if g.avx512 {
		form := asm.VPMOVDB
		if bytes == 2 {
			form = asm.VPMOVDW
		}
		a.V3K(form, L, v, 0, p, k)
		return
	}
	// the low bytes of each 128 bits to its front, then the fronts together
	sel := make([]byte, 32)
	for i := range sel {
		sel[i] = 0x80
	}
	for h := range 2 {
		for i := range 4 {
			for b := range bytes {
				sel[16*h+bytes*i+b] = byte(4*i + b)
			}
		}
	}
	t := g.temp()
	a.V3(asm.VPSHUFB, L, t, v, asm.M(a.Data(sel)))
	if L == asm.L128 {
		if bytes == 1 {
			a.V2(asm.VMOVSSst, 0, t, p)
		} else {
			a.V2(asm.VMOVSDst, 0, t, p)
		}
		return
	}
	u := g.temp()
	a.V2I(asm.VEXTRACTF128, asm.L256, t, asm.R(u), 1)
	if bytes == 1 {
		a.V3(asm.VUNPCKLPS, asm.L128, t, t, asm.R(u))
		a.V2(asm.VMOVSDst, 0, t, p)
	} else {
		a.V3I(asm.VSHUFPD, asm.L128, t, t, asm.R(u), 0)
		a.V2(asm.VMOVUPSst, asm.L128, t, p)
	}
}

// storeElement stores lane 0; t is a register that may be overwritten.
func (g *gen) storeElement(dt tensor.DType, v uint8, p asm.Mem, t uint8) {
	a := g.a
	switch dt {
	case tensor.Float32, tensor.Int32:
		a.V2(asm.VMOVSSst, 0, v, asm.M(p))
		return
	case tensor.Float64, tensor.Int64:
		a.V2(asm.VMOVSDst, 0, v, asm.M(p))
		return
	case tensor.Float16:
		a.V2I(asm.VCVTPS2PH, asm.L128, v, asm.R(t), 0)
		v = t
	case tensor.BFloat16:
		g.roundBF16(t, v)
		v = t
	}
	a.V2(asm.RVMOVD, 0, v, asm.G(asm.RAX))
	switch dt {
	case tensor.Float16, tensor.Int16:
		a.RM(asm.STORE16, asm.RAX, asm.M(p))
	case tensor.BFloat16:
		a.ShiftI(asm.SHR, asm.RAX, 16)
		a.RM(asm.STORE16, asm.RAX, asm.M(p))
	case tensor.Uint8, tensor.Int8:
		a.RM(asm.STORE8, asm.RAX, asm.M(p))
	case tensor.Bool:
		a.RI(asm.AND, asm.G(asm.RAX), 1)
		a.RM(asm.STORE8, asm.RAX, asm.M(p))
	default:
		panic(unsupported("storage of " + dt.String()))
	}
}
