// Package eager runs ops one at a time and keeps the tape.
//
//	                 NewCall, Infer          graph.Spec ──key──▶ Kernels ──▶ Executable.Run
//	Context.Apply ──▶ op.Call ──┬─ View ──▶ geometry only        (one-node graph compiled on a miss)
//	                            ├─ Decomp ─▶ Apply of its parts
//	                            └─ else ───▶ outputs allocated, kernel run
//	                                  └─ an operand needs a gradient: Node{Call, saved operands, edges}
//
//	Backward ── pops the latest Node ─▶ hooks ─▶ VJP (ops, through Apply) ─▶ adds to the inputs' nodes ─▶ leaf: .grad
//
// In: op.Defs and arguments. Out: Tensors, or a *tensor.Error worded as PyTorch words it. It knows the compiler by interface,
// devices by their contract, and nothing of the language: hooks and custom functions are opaque values that Backward hands to its
// caller (Need), who runs them and answers. So no language code is ever called from here.
//
// A Context holds the modes and belongs to one goroutine; what it points to (Kernels, the allocator) may be shared by many. A Tensor
// without a gradient may be read by many goroutines; its tape, like any unfrozen object, belongs to one.
//
// Invariants:
//
//  1. A Node saves only operands and outputs that its VJP reads; that set is found by running the VJP once on geometry alone and
//     is kept beside the kernel.
//  2. A saved tensor is usable only at the version at which it was saved.
//  3. After a backward without retain_graph each visited Node has dropped what it saved.
//  4. Sequence numbers grow along the tape: a Node's edges lead to Nodes made before it (leaves aside).
//  5. No walk over the tape recurses.
//  6. A gradient stored in a leaf shares its storage with no other tensor that a program can reach, unless the program gave it.
//  7. Applying an op by plan (plan.go) gives what applying it anew would.
//  8. While sizes are traced (symbolic.go) kernels run on the hints of expressions; afterwards no Meta is symbolic.
//  9. Buffers whose memory is in use stay reachable until the kernel has returned.
package eager
