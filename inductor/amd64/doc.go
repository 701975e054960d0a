// Package amd64 compiles loop kernels to machine code for AVX-512 or AVX2.
//
// In: a verified loop.Kernel. Out: a loop.Program whose Run calls code in memory
// that the caller of New supplies (this package writes bytes and knows no pages).
//
//	Kernel ─expand─▶ primitives ─hoist─▶ analysis{lanes, uses, width} ─generator─▶ bytes
//
// # Lanes
//
// One loop on each path is the lane loop, chosen as the portable target chooses
// it; W iterations of it are computed at once. Every value is one vector register.
// Where a value is the same for all lanes, all of its lanes hold it, so that code
// outside the lane loop, and of kernels without one, is made by the same selector,
// and a value of outside is used inside as it is.
//
//	            b1, i32, f32        i64, f64
//	wide        whole register      whole register, only for values without lanes
//	narrow      half a register     whole register
//
// A kernel is wide if no value with lanes has 64 bits. A b1 is a vector of 32-bit
// lanes, all ones or zeros.
//
// The lane loop's body is emitted twice: for whole steps, and for the rest under
// a mask (k1 under AVX-512; vectors in the frame under AVX2). Lanes that are off
// compute rubbish that is not stored, folded or checked.
//
// # Registers and frame
//
// Values get registers as they are defined; when none is free the one whose next
// use is farthest goes to the frame, [rsp+8 .. rsp+4096), or up to 32 KiB where it needs more. At a loop's entry what
// lives across it is in the frame, but for accumulators and values used in an
// innermost loop, which keep their registers. rdi holds the argument block
// throughout; rbx and r12 count an innermost loop, r9-r11 and r13-r15 are its
// pointers; rax, rcx, rdx, rsi, r8 are free for any sequence.
//
// A pointer is kept for each distinct address and loop that it moves in, and
// stepped at the end of an iteration.
//
// Under AVX-512 a comparison that only selections use is kept in k4 to k7 (choice.go).
//
// # Large results
//
// Results of 4 MiB and more that the kernel does not read are stored past the
// caches, in a variant of the code for aligned addresses, which also reads ahead
// (past.go).
//
// # Templates
//
// Matrix products (gemm.go: packed, cache-blocked, tiles of up to 14 x 32 or 6 x 16;
// dots.go: few rows or columns) and convolutions (conv.go: windows gathered while packing)
// and those with few positions (conv_few.go) have kernels of their own, written with the encoder alone (gemm_code.go). Packing
// is Go with a transposing kernel. What they do not serve goes to the fallback's
// templates.
//
// # Invariants
//
//  1. Code is a leaf, never moves rsp, and ends with vzeroupper.
//  2. Memory is touched where the kernel's accesses allow: lanes that are off or
//     masked off are neither loaded nor stored; data indices are compared with
//     their limits, and masked addresses with their buffer, before.
//  3. Sums of float32 are kept in float64, of float64 as sum and error; results
//     do not depend on the range cut.
//     Products sum over k in an order that depends on shapes alone.
//  4. Only fma may round less often than the portable target's; all else is the
//     same arithmetic, so results without sums agree to the bit but for the
//     elementary functions, which are loop's expansions.
//  5. What is not supported is an error of compilation, and the kernel then runs
//     on the fallback target.
package amd64
