// Package guards says when a recording is still valid: a recording is, while
// every read of the outside would read the same.
//
//	frames, modules ──load──▶ value ──test──▶ holds │ fails: the guard, and the value found
//	                 kept as number Dst ──▶ parent of later loads, operand of expressions
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
package guards
