package asm

import "fmt"

// GP is a general register.
type GP uint8

const (
	RAX GP = iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
)

var gpNames = [...]string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}
var gp32Names = [...]string{"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"}

func (r GP) String() string { return gpNames[r&15] }

// Len is the length of a vector: 16 << Len bytes.
type Len uint8

const (
	L128 Len = iota
	L256
	L512
)

// Bytes of a vector.
func (l Len) Bytes() int { return 16 << l }

// Label is a place in the code.
type Label int32

// Mem is a memory operand: [Base + Index*Scale + Disp], [Base + vector*Scale +
// Disp] of a gather, or a label.
type Mem struct {
	Base  GP
	Index GP
	Scale uint8 // 1, 2, 4, 8; 0: no index
	Disp  int32
	VSIB  bool // the index is vector register VReg
	VReg  uint8
	Rip   bool
	Label Label
	Bcast bool // one element, spread
}

// At is [base+disp].
func At(base GP, disp int32) Mem { return Mem{Base: base, Disp: disp} }

// Idx is [base+index*scale+disp].
func Idx(base, index GP, scale uint8, disp int32) Mem {
	return Mem{Base: base, Index: index, Scale: scale, Disp: disp}
}

// Vec is [base+vector*scale+disp].
func Vec(base GP, v uint8, scale uint8, disp int32) Mem {
	return Mem{Base: base, VSIB: true, VReg: v, Scale: scale, Disp: disp}
}

// RM is an operand that is a register or memory.
type RM struct {
	IsMem bool
	Reg   uint8
	Mem   Mem
}

// R is a register as an RM.
func R(r uint8) RM { return RM{Reg: r} }

// G is a general register as an RM.
func G(r GP) RM { return RM{Reg: uint8(r)} }

// M is memory as an RM.
func M(m Mem) RM { return RM{IsMem: true, Mem: m} }

// Mask is the opmask of an EVEX instruction; Zero clears the lanes that are off.
type Mask struct {
	K    uint8
	Zero bool
}

// text writes the operand as objdump does; mod0 says that no displacement is encoded.
func (m Mem) text(hasDisp bool) string {
	if m.Rip {
		return fmt.Sprintf("[rip+L%d]", m.Label)
	}
	s := "[" + m.Base.String()
	if m.Scale != 0 {
		if m.VSIB {
			s += fmt.Sprintf("+?mm%d*%d", m.VReg, m.Scale)
		} else {
			s += fmt.Sprintf("+%s*%d", m.Index, m.Scale)
		}
	}
	if hasDisp {
		if m.Disp < 0 {
			s += fmt.Sprintf("-0x%x", -int64(m.Disp))
		} else {
			s += fmt.Sprintf("+0x%x", m.Disp)
		}
	}
	s += "]"
	if m.Bcast {
		s += "{bcst}"
	}
	return s
}
