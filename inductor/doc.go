// Package inductor turns graphs into code: each node is lowered to a loop nest
// or a template, and the nests are compiled for a target.
//
//	Graph ──lower──▶ Plan{steps: kernels, templates; buffers} ──target──▶ Executable
//
// How a meaning becomes loops:
//
//	Body     one nest over the merged iteration space; the innermost axis is Vector
//	Reduce   kept axes outside, row axes inside and folded; or, where rows are short
//	Rows     or strided, the innermost kept axis is Vector and the row is walked in it
//	Index    one nest over the output's dimensions, loads where the body says
//	Scatter  copy of operand 0, then a serial nest of atomics
//	put      copy of the base, then stores through the target's geometry
//	Extern   a template call with resolved geometry
//
// Values are rounded to the dtype of an op at its boundary. It knows graphs, Defs
// and loops; no tensor objects, no language.
//
// Invariants:
//  1. Every kernel passes loop.Verify before it is compiled.
//  2. Every run of a kernel passes loop.Bounds first: code never touches memory
//     outside its buffers.
//  3. An Executable keeps no state between runs.
//  4. Lowering takes no guard.
package inductor
