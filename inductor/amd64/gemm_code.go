package amd64

import "github.com/larkspur-ml/larkspur/inductor/asm"

// The micro-kernels of the matrix product: C[rows,nr] (+)= A[k][rows] B[k][nr] for
// each number of rows up to mr.
//
//	           mr x nr   registers: accumulators, B, broadcast A
//	AVX-512    14 x 32   28 + 2 + 2 of 32
//	AVX2        6 x 16   12 + 2 + 2 of 16
//
// Each step loads two vectors of B and spreads the elements of A, 2 rows FMAs for
// rows+2 loads. (After the register blocking of Goto and van de Geijn, Anatomy of
// High-Performance Matrix Multiplication.) A is packed. B is packed, or far: row k
// is where a table of offsets says, which serves matrices as they lie and the
// windows of convolutions.

// tileArgs is the argument; offsets in emitTile.
type tileArgs struct {
	a, b, c uintptr
	ldc     int64 // bytes
	k       int64
	offs    uintptr // of B's rows in bytes, where B is far
}

type tileShape struct {
	mr, nr int
	L      asm.Len
}

func shapeOf(avx512 bool) tileShape {
	if avx512 {
		return tileShape{14, 32, asm.L512}
	}
	return tileShape{6, 16, asm.L256}
}

// tileKind chooses a micro-kernel; add says that C is added to.
type tileKind struct {
	rows     int
	add, far bool
}

// emitTile writes a micro-kernel.
func emitTile(s tileShape, t tileKind) ([]byte, error) {
	a := asm.New(0)
	vb := int32(s.L.Bytes())
	acc := func(i, j int) uint8 { return uint8(4 + 2*i + j) }
	load := func(r asm.GP, at int32) { a.RM(asm.MOV, r, asm.M(asm.At(asm.RDI, at))) }
	load(asm.RSI, 0)
	load(asm.RDX, 8)
	load(asm.R8, 16)
	load(asm.R9, 24)
	load(asm.RCX, 32)
	if t.far {
		load(asm.R11, 40)
	}
	a.RM(asm.MOV, asm.R10, asm.G(asm.R8))
	for range t.rows {
		a.One(asm.PREFETCHT0, asm.M(asm.At(asm.R10, 0)))
		a.One(asm.PREFETCHT0, asm.M(asm.At(asm.R10, 2*vb-4)))
		a.RR(asm.ADD, asm.R10, asm.G(asm.R9))
	}
	for i := range t.rows {
		for j := range 2 {
			r := acc(i, j)
			a.V3(asm.VXORPS, s.L, r, r, asm.R(r))
		}
	}
	step := func(u int) {
		for j := range 2 {
			m := asm.At(asm.RDX, int32(2*u+j)*vb)
			if t.far {
				if j == 0 {
					a.RM(asm.MOV, asm.RAX, asm.M(asm.At(asm.R11, int32(8*u))))
				}
				m = asm.Idx(asm.RDX, asm.RAX, 1, int32(j)*vb)
			} else if vb == 64 || j == 0 {
				a.One(asm.PREFETCHT0, asm.M(asm.At(asm.RDX, int32(2*u+j)*vb+tileAhead*2*vb)))
			}
			a.V2(asm.VMOVUPS, s.L, uint8(j), asm.M(m))
		}
		for i := range t.rows {
			b := uint8(2 + i%2)
			a.V2(asm.VBROADCASTSS, s.L, b, asm.M(asm.At(asm.RSI, int32(4*(u*t.rows+i)))))
			for j := range 2 {
				a.V3(asm.VFMADD231PS, s.L, acc(i, j), b, asm.R(uint8(j)))
			}
		}
	}
	const unroll = 4
	tail, end := a.NewLabel(), a.NewLabel()
	loop := func(u int) {
		for i := range u {
			step(i)
		}
		a.RI(asm.ADD, asm.G(asm.RSI), int32(4*u*t.rows))
		if t.far {
			a.RI(asm.ADD, asm.G(asm.R11), int32(8*u))
		} else {
			a.RI(asm.ADD, asm.G(asm.RDX), int32(2*u)*vb)
		}
	}
	a.RI(asm.SUB, asm.G(asm.RCX), unroll)
	a.J(asm.CondL, tail)
	a.Align(32)
	head := a.Here()
	loop(unroll)
	a.RI(asm.SUB, asm.G(asm.RCX), unroll)
	a.J(asm.CondGE, head)
	a.Bind(tail)
	a.RI(asm.ADD, asm.G(asm.RCX), unroll)
	a.J(asm.CondLE, end)
	single := a.Here()
	loop(1)
	a.RI(asm.SUB, asm.G(asm.RCX), 1)
	a.J(asm.CondG, single)
	a.Bind(end)
	for i := range t.rows {
		for j := range 2 {
			m := asm.M(asm.At(asm.R8, int32(j)*vb))
			if t.add {
				a.V3(asm.VADDPS, s.L, acc(i, j), acc(i, j), m)
			}
			a.V2(asm.VMOVUPSst, s.L, acc(i, j), m)
		}
		a.RR(asm.ADD, asm.R8, asm.G(asm.R9))
	}
	a.Plain(asm.VZEROUPPER)
	a.Plain(asm.RET)
	return a.Finish()
}

// tileAhead is how many steps before its use a row of packed B is asked for.
const tileAhead = 8

// copyArgs is the argument of emitCopy's kernel.
type copyArgs struct {
	src, dst uintptr
	rs, ds   int64 // bytes from row to row
	n        int64
}

// emitCopy writes a kernel that copies n rows of two vectors.
func emitCopy(L asm.Len) ([]byte, error) {
	a := asm.New(0)
	vb := int32(L.Bytes())
	for i, r := range []asm.GP{asm.RSI, asm.RDX, asm.RAX, asm.RBX, asm.RCX} {
		a.RM(asm.MOV, r, asm.M(asm.At(asm.RDI, int32(8*i))))
	}
	head := a.Here()
	for j := range uint8(2) {
		a.V2(asm.VMOVUPS, L, j, asm.M(asm.At(asm.RSI, int32(j)*vb)))
	}
	for j := range uint8(2) {
		a.V2(asm.VMOVUPSst, L, j, asm.M(asm.At(asm.RDX, int32(j)*vb)))
	}
	a.RR(asm.ADD, asm.RSI, asm.G(asm.RAX))
	a.RR(asm.ADD, asm.RDX, asm.G(asm.RBX))
	a.RI(asm.SUB, asm.G(asm.RCX), 1)
	a.J(asm.CondG, head)
	a.Plain(asm.VZEROUPPER)
	a.Plain(asm.RET)
	return a.Finish()
}

// transposeArgs is the argument of the packing kernel.
type transposeArgs struct {
	src, dst uintptr
	rs, ds   int64 // bytes from one row of 8 to the next
	n        int64 // blocks of 8 columns
}

// emitTranspose writes a kernel that brings 8 rows into columns: dst[k][0:8] is
// the column k of the rows. Rows are read along, 8 x 8 at a time.
func emitTranspose() ([]byte, error) {
	a := asm.New(0)
	const L = asm.L256
	load := func(r asm.GP, at int32) { a.RM(asm.MOV, r, asm.M(asm.At(asm.RDI, at))) }
	load(asm.RSI, 0)
	load(asm.RDX, 8)
	load(asm.RAX, 16)
	load(asm.RBX, 24)
	load(asm.RCX, 32)
	a.RM(asm.LEA, asm.R8, asm.M(asm.Idx(asm.RAX, asm.RAX, 2, 0)))  // 3 rows
	a.RM(asm.LEA, asm.R10, asm.M(asm.Idx(asm.RBX, asm.RBX, 2, 0))) // 3 columns
	head := a.Here()
	a.RM(asm.LEA, asm.R9, asm.M(asm.Idx(asm.RSI, asm.RAX, 4, 0)))
	for h, base := range []asm.GP{asm.RSI, asm.R9} {
		for i, m := range []asm.Mem{asm.At(base, 0), asm.Idx(base, asm.RAX, 1, 0), asm.Idx(base, asm.RAX, 2, 0), asm.Idx(base, asm.R8, 1, 0)} {
			a.V2(asm.VMOVUPS, L, uint8(4*h+i), asm.M(m))
		}
	}
	for h := range uint8(2) {
		for p := range uint8(2) {
			x, y := 4*h+2*p, 4*h+2*p+1
			a.V3(asm.VUNPCKLPS, L, 8+x, x, asm.R(y))
			a.V3(asm.VUNPCKHPS, L, 8+y, x, asm.R(y))
		}
	}
	for h := range uint8(2) {
		b := 8 + 4*h
		for i := range uint8(4) {
			imm := uint8(0x44)
			if i%2 == 1 {
				imm = 0xee
			}
			a.V3I(asm.VSHUFPS, L, 4*h+i, b+i/2, asm.R(b+2+i/2), imm)
		}
	}
	for i := range uint8(4) {
		a.V3I(asm.VPERM2F128, L, 8+i, i, asm.R(4+i), 0x20)
		a.V3I(asm.VPERM2F128, L, 12+i, i, asm.R(4+i), 0x31)
	}
	for h := range uint8(2) {
		for i, m := range []asm.Mem{asm.At(asm.RDX, 0), asm.Idx(asm.RDX, asm.RBX, 1, 0), asm.Idx(asm.RDX, asm.RBX, 2, 0), asm.Idx(asm.RDX, asm.R10, 1, 0)} {
			a.V2(asm.VMOVUPSst, L, 8+4*h+uint8(i), asm.M(m))
		}
		a.RM(asm.LEA, asm.RDX, asm.M(asm.Idx(asm.RDX, asm.RBX, 4, 0)))
	}
	a.RI(asm.ADD, asm.G(asm.RSI), 32)
	a.RI(asm.SUB, asm.G(asm.RCX), 1)
	a.J(asm.CondG, head)
	a.Plain(asm.VZEROUPPER)
	a.Plain(asm.RET)
	return a.Finish()
}
