// Package random reproduces the random numbers of PyTorch's CPU generator, bit for bit, for a build without MKL whose kernels
// were selected for AVX2 (the common case on x86-64).
//
//	seed ──▶ State (Mersenne Twister + cached normal) ──▶ Uniform32, Normal32, RandInt, Perm, … ──▶ slice of elements
//
// In: a *State and a contiguous slice to fill. Out: the elements, and the State advanced by exactly the draws that PyTorch
// would have made. Every function is pure but for those two; none knows tensors, strides, the language or any generator
// registry. Order gives the order in which PyTorch's iterator visits a strided destination, for callers that have one.
//
// Which sampler PyTorch takes depends on dtype, size and layout, not on the distribution alone:
//
//	draw       float32, 16-bit: one 32-bit word, low 24 / 11 / 8 bits. float64: two words, first is the high one, low 53 bits.
//	normal     fewer than 16 elements or not contiguous: one element at a time, Box-Muller in float64 with the second sample
//	           cached in the State; else blocks of 16 uniforms u: u[0:8] are radii, u[8:16] angles; a ragged end redraws the
//	           last 16. float32 blocks use the vectorised single-precision log and sincos (cephes polynomials, fused).
//	bernoulli  scalar p and float64 p: a float64 draw. float32 p: a float32 draw.
//	randint    64-bit draws where the range has more than 32 bits, and the dtype can hold them.
//
// Invariants:
//
//  1. State.left is in [1, 624] and State.next in [0, 624]; a fresh seed has left 1, next 0 (the table is twisted at first use).
//  2. Bytes and SetBytes are inverses on valid states and use PyTorch's 5056-byte layout.
//  3. A fill of n elements consumes a number of words that depends on its arguments only, never on the values drawn
//     (Poisson and nothing else excepted).
//
// Elementary functions in float64 (log, sin, cos, tan, exp) are evaluated in double-double and rounded once. glibc's, which
// PyTorch calls, err by up to 0.55 units in the last place: of 200,000 results, log differed from the rounded value in 0.08 %, sin
// and cos in 0.14 %, tan in 0.26 %, exp in 0.08 %, always by one unit. So float64 normals differ from PyTorch's in the last bit
// about three times in a thousand. float32 and 16-bit samples do not differ.
package random
