// Package graph is the program of tensor ops: SSA nodes over op.Defs, printed,
// parsed back and verified, and the interfaces through which it is compiled.
//
// A Value is the flat memory of one storage at one moment. A node's operand is a
// Value seen through geometry (dtype, size, stride, offset), so view ops emit no
// node: they compose geometry. A write through a view makes a new Value of the
// whole memory (put). Outputs fill buffers that the caller gives.
//
//	graph {
//	  symbol n = 3
//	  symbol m = 4
//	  %0 = input float32 len n*m
//	  %1 = relu(%0 float32[m, n]:[1, m]@0) in float32 -> float32[m, n]:[1, m]@0 len n*m
//	  return %1
//	}
//
// (size : stride @ offset; "in" is the dtype of computation, "len" the elements of
// the memory made; "= 3" is the size at recording.)
//
// One op executed eagerly is a graph of one node, kept under a Key: the Def, the
// dtypes, the structural arguments and the layout class. A Spec computes the key
// and the bindings from a concrete Call without building strings; on a miss
// Spec.Graph makes the graph, whose sizes, strides and offsets are symbols except
// where the layout class fixes a stride to 0 or 1.
//
// A graph of many nodes is made by a recorder, or by a Builder (an op.Graph, so that
// decompositions and VJPs run through it), and then
//
//	Optimize       rewrites it: dead code, common subexpressions, constants,
//	               algebra, puts, copies (the pass list and its order are data)
//	Differentiate  adds the gradients by the ops' VJPs: a Joint
//	Joint.Cut      splits that into forward and backward, saving the fewest bytes
//	Compiler       makes it an Executable (package inductor)
//
// A node's numbers are run-time operands in number slots, or constants of the graph
// (Fixed; "fixed 0.5" in the text): passes may use the latter only.
//
// It knows ops and geometry; not how code is generated, nor the language.
//
// Invariants (Verify):
//  1. A node's operands are defined before it; ids are in creation order.
//  2. An operand's geometry has the rank its Iter or Call expects, and dtype its Value's.
//  3. A node carries a Call whose In and Out agree with its operands and values.
//  4. Every node has a meaning that computes: no View, no Decomp.
//  5. Compilation takes no guard: the symbol context is frozen.
package graph
