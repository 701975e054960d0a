// Package larkspur runs model programs: PyTorch model files, in a
// Starlark-based, Python-compatible language, with tensors, automatic
// differentiation and a compiler behind them, in one Go process and without
// Python, a C++ runtime or a CUDA toolkit.
//
//	rt, err := larkspur.New(larkspur.Options{})
//	mod, err := rt.LoadFile(ctx, "model.star")
//	forward, err := mod.Func("forward")
//	y, err := forward.Call(ctx, x)
//
// A Runtime is one world: its modules, random streams, tensor memory and
// compiled kernels. Any number coexist in a process. A Module is unfrozen after
// loading: its globals can change, and calls into it are carried out one at a
// time. After Module.Freeze it and all it reaches never change again, and any
// number of goroutines call it in parallel; a write to it is an error that says
// so.
//
// Programs are confined. A Runtime grants nothing that Options.Grants does not
// name: no file, clock, environment or network. What is refused raises
// PermissionError, and the text names the grant. Steps, tensor memory and
// recursion are bounded by Options, time by the context of each call.
//
// Every failure is an *Error with the script's traceback. No panic crosses
// this API.
//
// This package is the only place where the parts are joined: it gives the
// language its modules, the tensor library its compiler and device, and the
// importer its files. It draws in no cgo and no dynamic linking, so programs
// that embed it link statically.
package larkspur
