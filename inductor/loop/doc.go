// Package loop is the kernel language: typed scalar primitives inside loop
// nests over strided buffers. Every op meaning that computes is lowered to it,
// and a target knows nothing else.
//
// In: a Kernel (made with a Builder). Out: its text, a verdict of the verifier,
// or its effect through the portable evaluator. It knows no op, no graph, no
// tensor object; of package tensor it uses dtypes and symbolic integers.
//
//	kernel softmax
//	  buf 0 in f32 x, buf 1 out f32 y
//	  grid  a0 < p0
//	    vector a1 < p1   { v1 = load 0[a0*p2 + a1]                } fold v2 = max v1
//	    vector a1 < p1   { v3 = load …; v4 = sub v3 v2; v5 = exp v4 } fold v6 = add v5
//	    vector a1 < p1   { …; store 1[a0*p3 + a1] v9 }
//
// # Values
//
// A value (V, from 1; 0 is none) is defined once by a Let, or as the result of
// a Loop's fold or carry. Types are b1, i32, i64, f32, f64 only. Narrow dtypes
// exist in buffers alone: a load widens (f16, bf16 -> f32; i8, i16, u8 -> i32),
// a store rounds or wraps; the Round primitive does the same to a value in a
// register, where an op boundary inside a fused kernel must.
//
// # Loops
//
// Grid and Vector loops have independent iterations; a Serial loop runs in
// order. On a path from the root at most one loop is Vector: what is inside it
// is computed lane by lane in blocks, what is outside is one scalar for all
// lanes. A Serial loop may stand inside a Vector loop (every lane does the same
// number of steps) or around it. Grid loops stand outside the others.
// A fold combines one value of the body over all iterations; folding a Vector
// loop combines lanes. The order is free, but the rounding error of a sum of n
// terms must not grow faster than log2(n) ulps of the sum of magnitudes
// (pairwise, or a wider accumulator). A carry hands values from one iteration
// of a Serial loop to the next.
//
// # Addresses
//
// An Access is off + Σ axis*stride + Σ dyn*stride, in elements; each number is
// an immediate or a run-time parameter (P). A dyn term is an index from data:
// the target compares it with its limit and raises the Kernel's Check. A masked
// access touches memory only in lanes whose mask is true; a masked-off load is 0.
//
// # Invariants
//
//  1. Each V has one definition, which precedes and encloses its uses.
//  2. Operand and result types are those of the primitive's row in the op table.
//  3. Axes are used only inside their loop; a path has at most one Vector loop;
//     no Grid loop stands inside a Vector or Serial one.
//  4. Folds name body values; carries stand on Serial loops only.
//  5. Buffers of role In are not stored to.
//  6. At launch (Bounds): each unmasked affine address range, with dyn terms
//     anywhere below their limits, lies inside its buffer. Masked addresses are
//     checked lane by lane by the target.
//  7. If a kernel's top-level statement list is one Grid or Vector loop without
//     folds and atomics, the loop may be cut into ranges that run in any order
//     and at the same time.
//  8. Two buffers may be the same memory (in-place ops): then an iteration stores
//     only where the same iteration loads, so a block of iterations that loads
//     before it stores is right.
package loop
