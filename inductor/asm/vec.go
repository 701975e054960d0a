package asm

import (
	"fmt"
	"strings"
)

// class is what an operand of a vector instruction is.
type class uint8

const (
	none  class = iota
	full        // a vector of the instruction's length
	half        // of half its length, at least 128 bits
	quart       // of a quarter, at least 128 bits
	eighth
	low  // an xmm register; in memory one element
	kreg // opmask
	r32
	r64
	is4 // a vector register in the immediate (VEX)
)

// Form is a vector instruction: a row of the table in forms_vec.go.
type Form struct {
	Name       string
	pp, mm, op uint8
	w, ew      uint8 // VEX.W, EVEX.W
	reg, v, rm class
	ext        int8 // /digit; the destination is then in vvvv
	imm        bool
	flags      flag
	elem       int32 // bytes of a low operand in memory
}

type flag uint16

const (
	evexOnly flag = 1 << iota
	vexOnly
	bcast   // memory may be one element
	store   // the register-or-memory operand is the destination
	memOnly // no register form
	regOnly // no memory form
	vsib    // gather or scatter
	noMask  // opmasks are not allowed
	noZero  // only merging
	noL512  // VEX lengths only
	noL128
	l0 // always encoded with length 0
)

// Text lists what the row allows, for tests.
func (f *Form) String() string { return f.Name }

// V3 is dst = f(v, rm). For a row without a middle operand v is 0; for a store
// dst is the source register and rm the destination.
func (a *Asm) V3(f *Form, l Len, dst, v uint8, rm RM) { a.vec(f, l, dst, v, rm, Mask{}, 0, false) }

// V3I is V3 with an immediate.
func (a *Asm) V3I(f *Form, l Len, dst, v uint8, rm RM, imm uint8) {
	a.vec(f, l, dst, v, rm, Mask{}, imm, true)
}

// V3K is V3 under an opmask.
func (a *Asm) V3K(f *Form, l Len, dst, v uint8, rm RM, k Mask) { a.vec(f, l, dst, v, rm, k, 0, false) }

// V3KI is V3 under an opmask with an immediate.
func (a *Asm) V3KI(f *Form, l Len, dst, v uint8, rm RM, k Mask, imm uint8) {
	a.vec(f, l, dst, v, rm, k, imm, true)
}

// V2 is dst = f(rm).
func (a *Asm) V2(f *Form, l Len, dst uint8, rm RM) { a.vec(f, l, dst, 0, rm, Mask{}, 0, false) }

// V2I is dst = f(rm, imm).
func (a *Asm) V2I(f *Form, l Len, dst uint8, rm RM, imm uint8) {
	a.vec(f, l, dst, 0, rm, Mask{}, imm, true)
}

// V2K is dst = f(rm) under an opmask.
func (a *Asm) V2K(f *Form, l Len, dst uint8, rm RM, k Mask) { a.vec(f, l, dst, 0, rm, k, 0, false) }

// V4 is a VEX instruction with a fourth register.
func (a *Asm) V4(f *Form, l Len, dst, v uint8, rm RM, r4 uint8) {
	if r4 > 15 || f.imm || f.reg == none {
		a.fail("%s: fourth register %d", f.Name, r4)
		return
	}
	a.vec(f, l, dst, v, rm, Mask{}, r4<<4, true)
}

func limit(c class) uint8 {
	switch c {
	case none:
		return 1
	case kreg:
		return 8
	case r32, r64, is4:
		return 16
	}
	return 32
}

func isVec(c class) bool { return c >= full && c <= low }

func (a *Asm) vec(f *Form, l Len, reg, v uint8, rm RM, k Mask, imm uint8, hasImm bool) {
	if hasImm != (f.imm || f.flags&vexOnly != 0 && f.isFour()) {
		a.fail("%s: immediate", f.Name)
		return
	}
	switch {
	case l > L512, f.flags&noL512 != 0 && l == L512, f.flags&noL128 != 0 && l == L128, f.flags&l0 != 0 && l != 0, f.flags&kL1 != 0 && l != L256, f.flags&onlyL512 != 0 && l != L512:
		a.fail("%s: length %d", f.Name, l.Bytes())
	case f.ext < 0 && reg >= limit(f.reg), v >= limit(f.v):
		a.fail("%s: register out of range", f.Name)
	case !rm.IsMem && (rm.Reg >= limit(f.rm) || f.flags&memOnly != 0):
		a.fail("%s: register out of range or memory wanted", f.Name)
	case rm.IsMem && f.flags&regOnly != 0:
		a.fail("%s: register wanted", f.Name)
	case rm.IsMem && (rm.Mem.VSIB != (f.flags&vsib != 0)):
		a.fail("%s: vector index", f.Name)
	case rm.IsMem && rm.Mem.Bcast && f.flags&bcast == 0:
		a.fail("%s: broadcast", f.Name)
	case k.K > 7 || k.Zero && k.K == 0 || k.K != 0 && f.flags&(noMask|vexOnly) != 0 || k.Zero && f.flags&noZero != 0:
		a.fail("%s: opmask", f.Name)
	case k.Zero && rm.IsMem && f.flags&store != 0:
		a.fail("%s: zeroing in memory", f.Name)
	}
	if a.err != nil {
		return
	}
	high := f.ext < 0 && isVec(f.reg) && reg > 15 || isVec(f.v) && v > 15 || !rm.IsMem && isVec(f.rm) && rm.Reg > 15
	if rm.IsMem && rm.Mem.VSIB && rm.Mem.VReg > 15 {
		high = true
	}
	needs := high || l == L512 || k.K != 0 || rm.IsMem && rm.Mem.Bcast || f.flags&evexOnly != 0
	if f.ext >= 0 {
		reg, v = uint8(f.ext), reg
		if v > 15 {
			needs = true
		}
	}
	if needs && f.flags&vexOnly != 0 {
		a.fail("%s has no EVEX form", f.Name)
		return
	}
	trail := int32(0)
	if hasImm {
		trail = 1
	}
	var disp bool
	if needs {
		disp = a.evex(f, l, reg, v, rm, k, trail)
	} else {
		disp = a.vex(f, l, reg, v, rm, trail)
	}
	if hasImm {
		a.b = append(a.b, imm)
	}
	if a.text != nil {
		a.vecText(f, l, reg, v, rm, k, imm, disp)
	}
}

func (f *Form) isFour() bool { return strings.HasPrefix(f.Name, "vblendv") }

func (a *Asm) vex(f *Form, l Len, reg, v uint8, rm RM, trail int32) bool {
	var x, b uint8
	if rm.IsMem {
		if m := &rm.Mem; !m.Rip {
			b = uint8(m.Base) >> 3
			if m.Scale != 0 {
				x = uint8(m.Index) >> 3
				if m.VSIB {
					x = m.VReg >> 3
				}
			}
		}
	} else {
		b = rm.Reg >> 3
	}
	r := reg >> 3
	if x == 0 && b == 0 && f.w == 0 && f.mm == 1 {
		a.b = append(a.b, 0xc5, (r^1)<<7|^v&15<<3|uint8(l)<<2|f.pp, f.op)
	} else {
		a.b = append(a.b, 0xc4, (r^1)<<7|(x^1)<<6|(b^1)<<5|f.mm, f.w<<7|^v&15<<3|uint8(l)<<2|f.pp, f.op)
	}
	if rm.IsMem {
		return a.modrm(reg, &rm.Mem, 1, trail)
	}
	a.b = append(a.b, 0xc0|reg&7<<3|rm.Reg&7)
	return false
}

func (a *Asm) evex(f *Form, l Len, reg, v uint8, rm RM, k Mask, trail int32) bool {
	var x, b, bc uint8
	v4 := v >> 4
	n := f.tuple(l)
	if rm.IsMem {
		m := &rm.Mem
		if !m.Rip {
			b = uint8(m.Base) >> 3
			if m.Scale != 0 {
				x = uint8(m.Index) >> 3
				if m.VSIB {
					x, v4 = m.VReg>>3&1, m.VReg>>4
				}
			}
		}
		if m.Bcast {
			bc, n = 1, 4<<f.ew
		}
	} else {
		b, x = rm.Reg>>3&1, rm.Reg>>4
	}
	r, r4 := reg>>3&1, reg>>4
	z := uint8(0)
	if k.Zero {
		z = 1
	}
	a.b = append(a.b, 0x62,
		(r^1)<<7|(x^1)<<6|(b^1)<<5|(r4^1)<<4|f.mm,
		f.ew<<7|^v&15<<3|4|f.pp,
		z<<7|uint8(l)<<5|bc<<4|(v4^1)<<3|k.K, f.op)
	if rm.IsMem {
		return a.modrm(reg, &rm.Mem, n, trail)
	}
	a.b = append(a.b, 0xc0|reg&7<<3|rm.Reg&7)
	return false
}

// tuple is the size in memory of the register-or-memory operand.
func (f *Form) tuple(l Len) int32 {
	n := int32(l.Bytes())
	switch f.rm {
	case half:
		return n / 2
	case quart:
		return n / 4
	case eighth:
		return n / 8
	case full:
		if f.flags&vsib != 0 {
			return 4 << f.ew
		}
		return n
	}
	if f.elem != 0 {
		return f.elem
	}
	return n
}

var vecNames = [...]string{"xmm", "ymm", "zmm"}

func regText(c class, l Len, r uint8) string {
	down := func(n Len) Len {
		if l < n {
			return 0
		}
		return l - n
	}
	switch c {
	case full:
		return fmt.Sprintf("%s%d", vecNames[l], r)
	case half:
		return fmt.Sprintf("%s%d", vecNames[down(1)], r)
	case quart:
		return fmt.Sprintf("%s%d", vecNames[down(2)], r)
	case eighth, low, is4:
		return fmt.Sprintf("xmm%d", r)
	case kreg:
		return fmt.Sprintf("k%d", r)
	case r32:
		return gp32Names[r&15]
	case r64:
		return gpNames[r&15]
	}
	return ""
}

func (a *Asm) vecText(f *Form, l Len, reg, v uint8, rm RM, k Mask, imm uint8, disp bool) {
	x := regText(f.rm, l, rm.Reg)
	if rm.IsMem {
		x = rm.Mem.text(disp)
		if rm.Mem.VSIB {
			x = strings.Replace(x, "?mm", vecNames[f.indexLen(l)], 1)
		}
	}
	var ops []string
	if f.ext < 0 {
		ops = append(ops, regText(f.reg, l, reg))
	}
	if f.v != none {
		ops = append(ops, regText(f.v, l, v))
	} else if f.ext >= 0 {
		ops = append(ops, regText(full, l, v))
	}
	ops = append(ops, x)
	if f.flags&swapVRM != 0 {
		ops[1], ops[2] = ops[2], ops[1]
	}
	if f.flags&store != 0 {
		ops[0], ops[len(ops)-1] = ops[len(ops)-1], ops[0]
	}
	if k.K != 0 {
		ops[0] += fmt.Sprintf("{k%d}", k.K)
		if k.Zero {
			ops[0] += "{z}"
		}
	}
	if f.imm {
		ops = append(ops, fmt.Sprintf("0x%x", imm))
	} else if f.isFour() {
		ops = append(ops, regText(full, l, imm>>4))
	}
	a.line("%s %s", f.Name, strings.Join(ops, ","))
}

// indexLen is the length of a gather's index vector.
func (f *Form) indexLen(l Len) Len {
	switch {
	case strings.HasSuffix(f.Name, "dpd") || strings.HasSuffix(f.Name, "dq"):
		return max(l, 1) - 1
	}
	return l
}
