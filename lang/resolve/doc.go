// Package resolve binds the names of a syntax tree: it decides for each Name
// whether it is a slot, a cell, a global or, in Starlark, something predeclared,
// and describes each module, function, lambda, comprehension and class body by a
// syntax.Scope. What comes in is a tree from package syntax, which it fills in
// place; it knows nothing of values or instructions.
//
//	collect  walk the tree once: open scopes, note in each the names that it
//	         binds, declares and uses; report misuse ('return' outside function)
//	analyze  from the inside out: what kind each name of each scope is, and
//	         which names scopes must pass on to the scopes within them
//	layout   number slots, cells, free variables and globals; fill the Refs
//
// The model dialect has Python's rules and CPython's messages, and stops at the
// first fault. The Starlark dialect has go.starlark.net's and reports all.
//
// Invariants of a resolved tree (for a Scope s):
//
//  1. No Name in an expression, target, parameter or pattern is Unresolved.
//  2. A Local's Index is below len(s.Locals), a Cell's below len(s.Cells), a
//     Free's or ClassFree's below len(s.Free), a GlobalName's or ClassName's
//     below the module scope's len(Globals).
//  3. s.Locals begins with the parameters; a CellVar's Param is one of them or -1.
//  4. s.Free[i].Outer is a cell or free variable of s.Parent, of the same name.
//  5. Each name stands at most once in each of Cells, Free and Globals; Locals
//     are distinct.
//  6. Only functions, lambdas and comprehensions have Locals, with one exception:
//     names that a Starlark file loads are Locals or Cells of its module scope.
package resolve
