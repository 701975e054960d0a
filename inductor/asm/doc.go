// Package asm encodes x86-64 machine code: the integer instructions that loops
// need, and VEX and EVEX vector instructions. It knows no loops and no kernels.
//
// In: calls that append one instruction each. Out: bytes (Finish), and a text
// in Intel's syntax if asked for (Listing).
//
//	a := asm.New(64)
//	a.RM(asm.MOV, asm.RAX, asm.At(asm.RDI, 8))
//	a.V3(asm.VADDPS, asm.L512, 0, 1, a.Const32(bits))
//
// An instruction is a row of a table (forms_vec.go, forms_int.go): its name, its
// encoding, and the class of each operand. The encoder prefers VEX where that
// holds the operands: registers below 16, no mask, no broadcast, under 512 bits.
//
// Invariants:
//
//  1. An operand that the row does not allow, or that no encoding holds, is an
//     error, kept and returned by Finish: a register number is never cut off.
//  2. An 8-bit displacement under EVEX is a multiple of the operand's size in
//     memory (its tuple; an element under broadcast) and is stored divided by it.
//  3. A RIP-relative displacement counts from the end of the instruction, any
//     immediate behind it included.
//  4. Constants follow the code, each once, aligned to its size.
package asm
