// Package torch holds the sweep of the op table against PyTorch: every Def with
// every sample, executed eagerly on the portable target, compared with vectors
// that vectors.py made with Debian's python3-torch 1.13.1.
//
//	op.Def × op.Sample ──TestExport──▶ cases.json ──vectors.py──▶ vectors.json.gz ──TestSweep──▶ compared
//
// In: the op table. Out: a verdict for each case on values, dtype, size, strides,
// gradients, or the kind and text of the error. What may differ, and why, is a
// row in exceptions_test.go; a row that no case needs any more fails the test.
//
// Rules that both sides keep:
//  1. The default generator is seeded with 1234 before each case.
//  2. Gradients are those of the outputs weighted by weight(i) = ((7i+3) mod 11 - 5)/4,
//     i the row-major position in the output.
//  3. A case is known by Def and number of the sample; a hash over its inputs tells
//     when a stored vector belongs to a sample that has changed.
//  4. Each in-place form (X_) is a case of its own, on the sample's first operand as it lies in memory.
//  5. An op that only has an in-place form is compared with that form of a clone.
package torch
