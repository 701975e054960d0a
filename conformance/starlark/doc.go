// Package starlark proves that the strict dialect is Starlark: it runs
// go.starlark.net's own test files through Larkspur's front end and machine.
//
//	module cache: starlark/testdata/*.star ──split at "---"──▶ chunks
//	chunk ──lang/syntax, lang/resolve, bytecode──▶ Program ──bytecode/vm──▶ errors by line
//	errors by line ⇄ the chunk's ### "regexp" comments ──▶ pass or complaints
//
// The files are those that go.starlark.net's TestExecFile runs, less proto.star.
// They are read where the Go command keeps the module and are not copied. What
// they ask of their host (the assert module, hasfields, fibonacci, struct, the
// json, math and time modules) is supplied by host_test.go.
//
// A second test runs the lines of testdata/expressions.txt here and in
// go.starlark.net itself, side by side: results and words of errors are equal.
//
// Invariants.
//
//  1. A chunk passes if every line with a comment ### "regexp" raised an error
//     that the expression matches, and nothing else failed: no other error, no
//     assertion, no fault of syntax or names.
//  2. counts.txt holds how many chunks of each file pass. No count may fall; one
//     that has risen is stored by go test -update.
package starlark
