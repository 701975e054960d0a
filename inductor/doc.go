// Package inductor turns graphs into code: nodes are fused into loop nests or call
// templates, and the nests are compiled for a target.
//
//	Graph ──graph.Optimize──▶ Graph ──fuse──▶ groups ──lower──▶ Plan{steps; buffers; arena} ──target──▶ Executable
//
// How a meaning becomes loops:
//
//	Body     a nest over the merged iteration space; the innermost axis is Vector
//	Reduce   kept axes outside, row axes inside and folded; or, where rows are short
//	Rows     or strided, the innermost kept axis is Vector and the row is walked in it
//	Index    as Body; loads where the body says
//	Scatter  copy of operand 0, then a serial nest of atomics
//	put      copy of the base, then stores through the target's geometry
//	Extern   a template call with resolved geometry
//
// Fusion (fuse.go): a pointwise producer is computed where it is read, through any
// affine view; roots over one space become one kernel, with row passes where there
// are folds, so that softmax or layer_norm written by hand is one kernel; small
// neighbours share a launch. Values are rounded to the dtype of an op at its
// boundary, fused or not.
//
// Memory (memory.go): temporaries share the slots of one arena by liveness; puts and
// scatters work in their base's memory where nobody reads it later; results are
// computed where the caller wants them.
//
// Long folds over few rows run in stages (stages.go): pieces side by side, then the
// partial results in order. Sizes alone decide, at each run.
//
// What reads a matrix product follows it row by row (after.go): bias, activation,
// residual, softmax and norm run on rows that are complete, in the worker's cache.
//
// Results may lie over inputs where nothing can fail once they are written and nobody
// reads the input any more (inplace.go): a cache of keys is then written, not copied.
//
// It knows graphs, Defs and loops; no tensor objects, no language.
//
// Invariants:
//  1. Every kernel passes loop.Verify before it is compiled.
//  2. Every run of a kernel passes loop.Bounds first, or has the parameters and the
//     buffer lengths of one that did: code never touches memory outside its buffers.
//  3. An Executable is re-entrant: what a run needs comes from a pool.
//  4. Lowering takes no guard.
//  5. In a kernel of one pointwise nest each iteration loads before it stores; only
//     such a kernel may write a temporary over an operand.
//  6. A group reads what it computes itself only at the place where it was computed.
package inductor
