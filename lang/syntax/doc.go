// Package syntax turns program text into a syntax tree.
//
// What comes in is UTF-8 text and Options; what goes out is a *Module or one
// *Error, the first. The package knows nothing of values, modules or slots:
// package lang/resolve fills the Ref and Scope fields that the tree keeps for
// it.
//
//	text ──scanner──▶ tokens ──parser──▶ Module{Body: statements over expressions}
//	          │                  │
//	          └── INDENT, DEDENT, NEWLINE; joining inside brackets and after \
//
// Two dialects share the scanner, the tree and the checks; each has its own
// grammar functions, since their error messages have nothing in common. The model
// dialect is Python 3.11 without coroutines, plus load(...); its messages are
// CPython's. The Starlark dialect is the grammar of go.starlark.net with that
// implementation's file options and messages.
//
// Invariants of a tree that Parse returns:
//
//  1. Every node has a Span: Start is the position of its first character and
//     End the position just behind its last one, so Start is before End (only
//     an empty Module, Params or format spec may have Start == End).
//  2. A child's Span lies within its parent's, but for the literal fields of a
//     decorated definition (decorators stand before Start) and for literals
//     joined from several tokens (their Span covers them all).
//  3. Lines and columns are counted from 1, columns in code points.
//  4. Assignment targets are Name, Attribute, Subscript, Starred, Tuple or List,
//     and nothing else; deletion targets likewise without Starred.
//  5. No path from the root to a leaf is longer than about MaxDepth nodes, so code
//     that walks trees may recurse.
//  6. The package never panics on any input, and every failure is an *Error.
package syntax
