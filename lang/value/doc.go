// Package value holds the values of the language: their two-word form, the
// objects behind them, and everything that operators, attributes, subscripts,
// iteration, formatting and exceptions mean for them.
//
//	host Go code ──starlark.Value──▶ FromStarlark ─▶ Value ─▶ Starlark ──▶ host Go code
//	                                                  │
//	machine ── Binary, GetAttr, Next … (t, x, y) ─────┤──▶ result
//	                                                  ├──▶ *Raised   an exception
//	                                                  └──▶ *NeedCall "run this language code, then go on"
//
// In come operands and a *Thread; out goes a result, a *Raised, or a *NeedCall.
// The package does not know frames, code or compilation (the machine is reached
// through the Machine interface, functions and generators through Function and
// Generator), and it does not know tensors: they are native classes whose
// behaviour is a *Slots.
//
// Invariants.
//
//  1. A Value is one of: unset (both words zero); a tagged immediate (P is the
//     address of a tag, N its payload); the two words of a non-nil
//     starlark.Value interface. An int in the int64 range, a float, a bool and
//     None are always in tagged form, never in interface form.
//  2. N alone proves nothing: an integer's payload may equal an itab. A type
//     test on N also checks that P is not a tag (Value.Is does).
//  3. No Go code of this package calls language code. An operator that meets a
//     language-level special method returns a *NeedCall whose continuation is
//     a Stepper: data, not a Go frame. What is nested runs through Machine.Call
//     instead, which is re-entrant: __eq__, __hash__, __lt__, __repr__ and
//     __bool__ of the elements of containers that are compared, hashed, shown,
//     searched or sorted and of the keys of dicts and sets; __index__ and
//     __float__ of operands that Go code converts; __iter__ of what zip, map,
//     filter and enumerate are made of; __instancecheck__. Key functions,
//     iteration, constructors, properties, formatting are steppers.
//  4. A *NeedCall is consumed at once by whoever receives it; its argument
//     slice belongs to the receiver.
//  5. Builtins may not retain the argument slice that they are given: it is a
//     window of the caller's registers.
//  6. What is frozen never changes again, nor does anything it reaches.
//  7. Every read of a mutable object goes past Thread.Observer where one is
//     set, including reads that find nothing; every write tells it before the
//     store, and fires the object's Watch after it.
//  8. A class's Version changes whenever an attribute look-up through it may
//     give something else than before.
//  9. Equality and hash agree: x == y implies Hash(x) == Hash(y), in both
//     dialects. The dialects differ in equality only (True == 1).
//  10. Walks over nested values (repr, equality, hash, freeze) count depth and
//     raise RecursionError; they never overflow the Go stack.
package value
