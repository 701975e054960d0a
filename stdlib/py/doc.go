// Package py holds Python's standard modules.
//
//	name ──Library.Module──▶ a module in Go   (math, sys, os.path, io, _json …)
//	name ──Files───────────▶ a .star file     (functools, itertools, copy, os …)
//
// What is a leaf is Go; what calls back into the language is a .star file, so
// that no Go frame lies between two frames of the language. A .star file gets
// its leaves from a module in Go whose name begins with an underscore.
//
// The package knows package value, and of the world only what Host gives: each
// path, the clock and the environment are asked for there. It knows no machine,
// no tensor and no importer.
//
// Invariants.
//
//  1. Nothing is read from or written to the world unless the Host's check for
//     it has passed in the same call.
//  2. A Library has no state of the process: two of them share classes that
//     are immutable, and nothing else.
//  3. Go code here never calls language code: builtins return the machine's
//     *value.NeedCall, or are written as steppers.
//  4. Errors are *value.Raised, worded as CPython words them.
package py
