package asm

import "fmt"

// IntForm is an integer instruction whose operands are a register and a register
// or memory.
type IntForm struct {
	Name   string
	prefix uint8 // mandatory prefix or 0
	op     []byte
	ext    int8 // /digit in place of a register operand, -1: none
	size   int  // 4 or 8: bytes of the register operand
	store  bool // the register or memory is the destination
	rmSize int  // registers as the second operand: 4 or 8 (0: memory only)
}

func (a *Asm) intOp(f *IntForm, reg uint8, rm RM, imm []byte) (hasDisp bool) {
	if reg > 15 || !rm.IsMem && rm.Reg > 15 {
		a.fail("%s: register out of range", f.Name)
		return
	}
	if !rm.IsMem && f.rmSize == 0 {
		a.fail("%s: operand must be memory", f.Name)
		return
	}
	if rm.IsMem && (rm.Mem.VSIB || rm.Mem.Bcast) {
		a.fail("%s: vector addressing", f.Name)
		return
	}
	if f.prefix != 0 {
		a.b = append(a.b, f.prefix)
	}
	rex := uint8(0)
	if f.size == 8 {
		rex |= 8
	}
	rex |= reg >> 3 << 2
	if rm.IsMem {
		if !rm.Mem.Rip {
			rex |= uint8(rm.Mem.Base) >> 3
			if rm.Mem.Scale != 0 {
				rex |= uint8(rm.Mem.Index) >> 3 << 1
			}
		}
	} else {
		rex |= rm.Reg >> 3
	}
	if rex != 0 || f.store && len(f.op) == 1 && f.op[0] == 0x88 && reg >= 4 {
		a.b = append(a.b, 0x40|rex)
	}
	a.b = append(a.b, f.op...)
	if rm.IsMem {
		hasDisp = a.modrm(reg, &rm.Mem, 1, int32(len(imm)))
	} else {
		a.b = append(a.b, 0xc0|reg&7<<3|rm.Reg&7)
	}
	a.b = append(a.b, imm...)
	return hasDisp
}

func gpText(size int, r uint8) string {
	if size == 8 {
		return gpNames[r&15]
	}
	return gp32Names[r&15]
}

func rmText(size int, rm RM, hasDisp bool) string {
	if rm.IsMem {
		return rm.Mem.text(hasDisp)
	}
	return gpText(size, rm.Reg)
}

// RM appends an instruction with a register and a register-or-memory operand.
func (a *Asm) RM(f *IntForm, reg GP, rm RM) {
	if f.ext >= 0 {
		a.fail("%s takes one operand", f.Name)
		return
	}
	d := a.intOp(f, uint8(reg), rm, nil)
	if a.text != nil {
		x, y := gpText(f.size, uint8(reg)), rmText(f.rmSize, rm, d)
		if f.op[0] == 0x88 && f.store {
			x = byteNames[reg&15]
		} else if f.prefix == 0x66 && f.store {
			x = wordNames[reg&15]
		}
		if f.store {
			x, y = y, x
		}
		a.line("%s %s,%s", f.Name, x, y)
	}
}

var byteNames = [...]string{"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil", "r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b", "r15b"}
var wordNames = [...]string{"ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "r8w", "r9w", "r10w", "r11w", "r12w", "r13w", "r14w", "r15w"}

// One appends an instruction with one register-or-memory operand.
func (a *Asm) One(f *IntForm, rm RM) {
	if f.ext < 0 {
		a.fail("%s takes two operands", f.Name)
		return
	}
	d := a.intOp(f, uint8(f.ext), rm, nil)
	if a.text != nil {
		a.line("%s %s", f.Name, rmText(f.rmSize, rm, d))
	}
}

// Arith is an operation with an immediate form.
type Arith uint8

const (
	ADD Arith = iota
	OR
	_
	_
	AND
	SUB
	XOR
	CMP
)

var arithNames = [...]string{"add", "or", "", "", "and", "sub", "xor", "cmp"}

// RI appends op rm, imm on 64 bits.
func (a *Asm) RI(op Arith, rm RM, imm int32) {
	f := IntForm{Name: arithNames[op], op: []byte{0x81}, size: 8, rmSize: 8}
	i := []byte{byte(imm), byte(imm >> 8), byte(imm >> 16), byte(imm >> 24)}
	if imm >= -128 && imm <= 127 {
		f.op, i = []byte{0x83}, i[:1]
	}
	d := a.intOp(&f, uint8(op), rm, i)
	if a.text != nil {
		a.line("%s %s,0x%x", f.Name, rmText(8, rm, d), uint64(int64(imm)))
	}
}

// RR appends op reg, rm on 64 bits.
func (a *Asm) RR(op Arith, reg GP, rm RM) {
	f := IntForm{Name: arithNames[op], op: []byte{byte(op)<<3 | 3}, ext: -1, size: 8, rmSize: 8}
	a.RM(&f, reg, rm)
}

// MR appends op mem, reg on 64 bits.
func (a *Asm) MR(op Arith, m Mem, reg GP) {
	f := IntForm{Name: arithNames[op], op: []byte{byte(op)<<3 | 1}, ext: -1, size: 8, rmSize: 8, store: true}
	a.RM(&f, reg, M(m))
}

// MovI appends mov reg, imm in the shortest form.
func (a *Asm) MovI(r GP, v int64) {
	switch {
	case v == 0:
		a.RM(XOR32, r, G(r))
	case v > 0 && v <= 1<<31-1:
		if r >= 8 {
			a.b = append(a.b, 0x41)
		}
		a.b = append(a.b, 0xb8|uint8(r)&7)
		a.imm32(int32(v))
		a.line("mov %s,0x%x", gp32Names[r&15], v)
	case v == int64(int32(v)):
		a.b = append(a.b, 0x48|uint8(r)>>3, 0xc7, 0xc0|uint8(r)&7)
		a.imm32(int32(v))
		a.line("mov %s,0x%x", r, uint64(v))
	default:
		a.b = append(a.b, 0x48|uint8(r)>>3, 0xb8|uint8(r)&7)
		a.imm32(int32(v))
		a.imm32(int32(v >> 32))
		a.line("movabs %s,0x%x", r, uint64(v))
	}
}

// StoreI appends mov qword mem, imm.
func (a *Asm) StoreI(m Mem, v int32) {
	f := IntForm{Name: "mov", op: []byte{0xc7}, size: 8}
	d := a.intOp(&f, 0, M(m), []byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)})
	if a.text != nil {
		a.line("mov %s,0x%x", m.text(d), uint64(int64(v)))
	}
}

// ImulI appends imul reg, rm, imm.
func (a *Asm) ImulI(r GP, rm RM, v int32) {
	f := IntForm{Name: "imul", op: []byte{0x69}, size: 8, rmSize: 8}
	d := a.intOp(&f, uint8(r), rm, []byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)})
	if a.text != nil {
		a.line("imul %s,%s,0x%x", r, rmText(8, rm, d), uint64(int64(v)))
	}
}

// Shift is a shift by an immediate.
type Shift uint8

const (
	SHL Shift = 4
	SHR Shift = 5
	SAR Shift = 7
)

// ShiftI appends a shift of 64 bits.
func (a *Asm) ShiftI(op Shift, r GP, n uint8) {
	if n > 63 {
		a.fail("shift by %d", n)
	}
	f := IntForm{Name: map[Shift]string{SHL: "shl", SHR: "shr", SAR: "sar"}[op], op: []byte{0xc1}, size: 8, rmSize: 8}
	a.intOp(&f, uint8(op), G(r), []byte{n})
	a.line("%s %s,0x%x", f.Name, r, n)
}

// Cond is a condition.
type Cond uint8

const (
	CondB  Cond = 2
	CondAE Cond = 3
	CondE  Cond = 4
	CondNE Cond = 5
	CondBE Cond = 6
	CondA  Cond = 7
	CondS  Cond = 8
	CondNS Cond = 9
	CondP  Cond = 10
	CondL  Cond = 12
	CondGE Cond = 13
	CondLE Cond = 14
	CondG  Cond = 15
)

var condNames = [...]string{"o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"}

// J appends a conditional jump.
func (a *Asm) J(c Cond, l Label) {
	a.b = append(a.b, 0x0f, 0x80|uint8(c), 0, 0, 0, 0)
	a.fixHere(l, 0)
	a.line("j%s L%d", condNames[c&15], l)
}

// Jmp appends a jump.
func (a *Asm) Jmp(l Label) {
	a.b = append(a.b, 0xe9, 0, 0, 0, 0)
	a.fixHere(l, 0)
	a.line("jmp L%d", l)
}

// Cmov appends cmovCC reg, rm on 64 bits.
func (a *Asm) Cmov(c Cond, r GP, rm RM) {
	f := IntForm{Name: "cmov" + condNames[c&15], op: []byte{0x0f, 0x40 | uint8(c)}, ext: -1, size: 8, rmSize: 8}
	a.RM(&f, r, rm)
}

// Plain appends an instruction without operands.
func (a *Asm) Plain(p Bytes) {
	a.b = append(a.b, p.code...)
	a.line("%s", p.Name)
}

// Bytes is an instruction without operands.
type Bytes struct {
	Name string
	code string
}

var (
	RET        = Bytes{"ret", "\xc3"}
	CQO        = Bytes{"cqo", "\x48\x99"}
	CDQ        = Bytes{"cdq", "\x99"}
	VZEROUPPER = Bytes{"vzeroupper", "\xc5\xf8\x77"}
	SFENCE     = Bytes{"sfence", "\x0f\xae\xf8"}
	FPREM      = Bytes{"fprem", "\xd9\xf8"}
	FNSTSW     = Bytes{"fnstsw ax", "\xdf\xe0"}
	FPOP       = Bytes{"fstp st(0)", "\xdd\xd8"}
	SAHF       = Bytes{"sahf", "\x9e"}
)

func intForm(name string, size, rmSize int, op ...byte) *IntForm {
	return &IntForm{Name: name, op: op, ext: -1, size: size, rmSize: rmSize}
}

var (
	MOV     = intForm("mov", 8, 8, 0x8b)
	MOV32   = intForm("mov", 4, 4, 0x8b)
	MOVZX8  = intForm("movzx", 4, 0, 0x0f, 0xb6)
	MOVZX16 = intForm("movzx", 4, 0, 0x0f, 0xb7)
	MOVSX8  = intForm("movsx", 4, 0, 0x0f, 0xbe)
	MOVSX16 = intForm("movsx", 4, 0, 0x0f, 0xbf)
	MOVSXD  = intForm("movsxd", 8, 4, 0x63)
	LEA     = intForm("lea", 8, 0, 0x8d)
	TEST    = &IntForm{Name: "test", op: []byte{0x85}, ext: -1, size: 8, rmSize: 8, store: true}
	TEST32  = &IntForm{Name: "test", op: []byte{0x85}, ext: -1, size: 4, rmSize: 4, store: true}
	IMUL    = intForm("imul", 8, 8, 0x0f, 0xaf)
	XOR32   = intForm("xor", 4, 4, 0x33)
	AND32   = intForm("and", 4, 4, 0x23)
	OR32    = intForm("or", 4, 4, 0x0b)
	ADD32   = intForm("add", 4, 4, 0x03)
	SUB32   = intForm("sub", 4, 4, 0x2b)
	CMP32   = intForm("cmp", 4, 4, 0x3b)
	SBB32   = intForm("sbb", 4, 4, 0x1b)

	STORE   = &IntForm{Name: "mov", op: []byte{0x89}, ext: -1, size: 8, store: true}
	STORE32 = &IntForm{Name: "mov", op: []byte{0x89}, ext: -1, size: 4, store: true}
	STORE16 = &IntForm{Name: "mov", prefix: 0x66, op: []byte{0x89}, ext: -1, size: 4, store: true}
	STORE8  = &IntForm{Name: "mov", op: []byte{0x88}, ext: -1, size: 4, store: true}

	TZCNT = &IntForm{Name: "tzcnt", prefix: 0xf3, op: []byte{0x0f, 0xbc}, ext: -1, size: 8, rmSize: 8}

	NEG    = &IntForm{Name: "neg", op: []byte{0xf7}, ext: 3, size: 8, rmSize: 8}
	NEG32  = &IntForm{Name: "neg", op: []byte{0xf7}, ext: 3, size: 4, rmSize: 4}
	IDIV   = &IntForm{Name: "idiv", op: []byte{0xf7}, ext: 7, size: 8, rmSize: 8}
	INC    = &IntForm{Name: "inc", op: []byte{0xff}, ext: 0, size: 8, rmSize: 8}
	FLD32  = &IntForm{Name: "fld", op: []byte{0xd9}, ext: 0, size: 4}
	FLD64  = &IntForm{Name: "fld", op: []byte{0xdd}, ext: 0, size: 4}
	FSTP32 = &IntForm{Name: "fstp", op: []byte{0xd9}, ext: 3, size: 4}
	FSTP64 = &IntForm{Name: "fstp", op: []byte{0xdd}, ext: 3, size: 4}

	PREFETCHT0 = &IntForm{Name: "prefetcht0", op: []byte{0x0f, 0x18}, ext: 1, size: 4}
)

// IntForms are the rows with fixed operands, for tests.
func IntForms() []*IntForm {
	return []*IntForm{MOV, MOV32, MOVZX8, MOVZX16, MOVSX8, MOVSX16, MOVSXD, LEA, TEST, TEST32, IMUL, XOR32, AND32, OR32, ADD32, SUB32, CMP32, SBB32,
		STORE, STORE32, STORE16, STORE8, TZCNT, NEG, NEG32, IDIV, INC, FLD32, FLD64, FSTP32, FSTP64, PREFETCHT0}
}

func (f *IntForm) String() string { return fmt.Sprintf("%s/%d", f.Name, f.size) }
