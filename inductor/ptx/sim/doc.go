// Package sim runs PTX on the host, for tests without a GPU.
//
//	text ─parse─▶ code ─Launch─▶ blocks one after the other, threads of a block in lock-step
//
// In: the text that package ptx makes, and launches of it. Out: its effect on
// memory, which is the host's. A thread runs until it must meet others (a barrier, a
// shuffle, a product of a warp's fragments); when all have come, that one
// instruction is done for all of them. It knows the part of PTX that is generated
// here, as its manual defines it, and refuses the rest.
//
// Invariants:
//
//  1. An access outside of what Alloc gave out, or at an address that is no
//     multiple of its width, is an error of the launch, as it would be the end of a
//     GPU's context.
//  2. Threads that wait for others that never come are an error, not a hang.
//  3. Registers are never read before they are written.
package sim
