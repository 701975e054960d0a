package bytecode

// An Ins is one instruction word.
//
//	bit 0       8        16          32          48        63
//	    op     │ flags   │     A     │     B     │     C     │
//
// Register fields hold the register's number × RegSize, its distance in bytes
// from the window's start, so that the machine adds and need not shift. A Jump32,
// Const or Global operand occupies B and C together.
type Ins uint64

// RegSize is the size of a register in bytes, and MaxReg the number of registers
// that a code object can have.
const (
	RegSize = 16
	MaxReg  = 0xFFFF / RegSize
)

func (i Ins) Op() Op        { return Op(uint8(i)) }
func (i Ins) InPlace() bool { return i&InPlaceBit != 0 }

// A, B and C return the fields as they stand in the word.
func (i Ins) A() uint16 { return uint16(i >> 16) }
func (i Ins) B() uint16 { return uint16(i >> 32) }
func (i Ins) C() uint16 { return uint16(i >> 48) }

// BC returns the 32-bit operand in B and C.
func (i Ins) BC() uint32 { return uint32(i >> 32) }

// Jump returns the distance of a Jump or Jump32 operand.
func (i Ins) Jump() int {
	if i.Op().Row().B == Jump32 {
		return int(int64(i) >> 32)
	}
	return int(int64(i) >> 48)
}

// encode scales raw operands as their kinds ask for and builds the word.
func encode(op Op, a, b, c int) Ins {
	row := op.Row()
	w := Ins(op) | Ins(field(row.A, a))<<16
	switch row.B {
	case Jump32:
		return w | Ins(uint32(int32(b)))<<32
	case Const, Global:
		return w | Ins(uint32(b*RegSize))<<32
	}
	return w | Ins(field(row.B, b))<<32 | Ins(field(row.C, c))<<48
}

func isReg(k Kind) bool {
	switch k {
	case Dst, Src, Mod, Opt, Base, Iter, Catch:
		return true
	}
	return false
}

func field(k Kind, v int) uint16 {
	if isReg(k) && !(k == Opt && v == NoReg) {
		return uint16(v * RegSize)
	}
	return uint16(v)
}
