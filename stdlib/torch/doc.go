// Package torch is the torch module of the language: it binds the op table,
// gives tensors their object, and serves torch's submodules that need Go.
//
//	op.Def ──bind──▶ torch.X, Tensor.X, X_, operators ──▶ eager.Context.Apply
//	                                                        │
//	value.Instance{Native: *eager.Tensor} ◀──Wrap───────────┘
//
// In: calls from the language (values). Out: values, or exceptions worded as
// PyTorch words them. It knows ops by their Defs only: a new Def is bound,
// documented and in-place without code here. It does not know the machine: what
// runs language code is a value.Stepper (backward), or is written in the language
// itself (Files: grad modes as decorators, autograd.Function, torch.jit).
//
// Invariants:
//
//  1. All state hangs off a Runtime or a thread's eager.Context; classes, dtypes
//     and modules are per Runtime, so two of them coexist in a process.
//  2. A tensor has one object: eager.Tensor.Obj, made by Wrap, whose Native is
//     the tensor.
//  3. A tensor reached by a frozen module is not written through its object or
//     through a view of it.
//  4. Names that PyTorch has and this package lacks never fail at import: in a
//     module they are objects that raise when they are used.
package torch
