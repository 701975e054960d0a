// Package op is the op table: one Def declares all facts of an op, and binding,
// eager execution, recording, tape, lowering, documentation and the sweep tests
// all read it. Adding an op is adding a Def in the file of its family (and its
// test vectors).
//
// A Def has a signature in torch's spelling, a promotion class, a shape rule on
// sizes that may be symbolic, a layout, exactly one meaning (View, Body, Reduce,
// Rows, Index, Scatter, Decomp or Extern), a VJP or the reason for having none, and
// samples. One application of a Def is a Call: made once from arguments, its
// outputs filled by Infer, then read by whoever lowers, differentiates or prints it.
//
//	args ──NewCall──▶ Call{In} ──Infer: promote, shape, layout──▶ Call{In, DType, Out}
//
// It knows scalar primitives (inductor/loop) and geometry (tensor); no graph
// pass, no code generation, no tensor with data.
//
// Raising: rules (Shape, View, Decomp, VJP, …) report a user's fault with Raise,
// a panic of *tensor.Error that the entry points of this package (Infer,
// RunDecomp, RunVJP, Bind) turn into an error. Nothing else may panic but "BUG:".
//
// Invariants (Def.check, run at registration and by the tests):
//  1. Exactly one meaning is set.
//  2. A VJP or a NoGrad reason is set; with both, the reason explains which
//     operands get none.
//  3. Names are unique; "base.overload" names are tried in registration order.
//  4. Body, Reduce, Rows, Index and Scatter never compare sizes and never look at
//     a hint: sizes enter as loop.Builder.Size or as index coefficients. Scalar
//     and float arguments enter as run-time values (Builder.Num), never as
//     constants of the kernel. int, int[], bool, str and dtype arguments are
//     structure: they may choose code, and the kernel cache tells them apart.
//  5. Shape rules ask one sufficient condition, once, and branch on the answer.
//  6. A Def whose output size comes from data is a Decomp with Sized set: it counts,
//     reads the count by G.Item (a Graph that is a Reader) and goes on with known sizes.
package op
