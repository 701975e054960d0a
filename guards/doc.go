// Package guards says when a recording is still valid: a recording is, while
// every read of the outside would read the same.
//
//	frames, modules ──load──▶ value ──test──▶ holds │ fails: the guard, and the value found
//	                 kept as number Dst ──▶ parent of later loads, operand of expressions
//
// A Plan sorts them for look-ups: what is reached from constants through places that
// take a watch mark (attributes, globals, cells, lists, dicts, classes, functions,
// tensors' metadata) is not looked at until a write to a marked place fires; arguments
// and places that fire often are polled each time. With 1,000 nested modules a
// look-up takes 85 ns by attributes and 93 over a list, its four arguments' guards
// included; the poll after a fire 280 and 360 µs (go run ./bench/guards, 2 busy cores).
// A mark costs some 100 bytes an object, whatever the number of slots: a bit each.
//
// A Guard is data: how to load a value (Load, from a Ref that is a constant or an
// earlier value), and what must hold of it (Test). A List is checked in order: the
// order of the first reads, so that earlier guards protect the loads of later
// ones. Values that were read are kept; recipes and expressions name them.
//
// It knows values and tensors' metadata, not the machine and not the recorder:
// frames and functions are reached through Frames, tensors through Tensors.
//
// Invariants.
//
//  1. A guard reads; it never changes what it looks at, runs no language code and
//     makes no tensor.
//  2. Guards speak of the world before the region.
//  3. A load that finds nothing, or something of another type than its parent
//     had, fails the guard; it never panics.
//  4. A marked guard whose Trip is clean would hold: a place is marked before it
//     is read, fired after it is stored, and a Trip is cleared before it is polled.
//  5. What is frozen takes no marks, and is marked: it does not change.
//  6. Marks keep Trips alive, not recordings.
package guards
