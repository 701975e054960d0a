// Package vm is the register machine that runs the programs of package
// bytecode.
//
//	*bytecode.Program ──Thread.Exec──▶ frames ──▶ a result, or a *value.Raised with its traceback
//
// In come programs, a module to run them in, and calls from Go. The package
// knows what instructions and frames are; what an operator means it asks of
// package value, and it knows nothing of tensors, ops or graphs. Modules come
// from an Importer that the embedder gives.
//
// Two loops run the same frames. run is the fast one: it does the common case of
// the common instructions, in line, and leaves everything else to slow, which
// can do every instruction (a table of functions, one an opcode). While
// somebody observes the thread, or wants to stop it at each instruction, step
// runs instead, through slow alone: so the fast loop has no hooks to check and an
// absent observer costs nothing. Measured on fib and an integer loop, step takes
// 6.3 times as long as run; on code that works on objects the factor is smaller.
// The alternative, a nil check at each read in one loop, cost the trial of this
// design about 1 % and tied the loop's shape to the observer's.
//
// Between the two stand short cuts, each for code that the fast loop has just seen and
// that an observer must not miss: native calls builtins, dictOp looks in dicts, and an
// instruction whose result the next one would only take apart does both (CALL of range
// before GETITER, SLICE of a list before GETIDX, FORITER over pairs before UNPACK). Under an
// observer, and where somebody looks before each instruction, none is taken.
//
//	frames   [ entry │ main │ f │ native: sorted │ key │ … ]       one array a thread
//	stack    [ main's window │ f's window │ key's window │ … ]      segments that never move
//
// A frame's window of registers is its caller's arguments and what lies behind.
// A generator has registers of its own, and a frame only while it runs. A native
// frame holds a value.Stepper: Go code that waits for the frame above it. Language
// code that calls language code therefore never nests on the Go stack. An entry
// frame marks where Go called the machine.
//
// Invariants.
//
//  1. While the fast loop runs, its frame's ip, R and fn are in Go variables;
//     before anything else sees the frames, ip and the frame are written back.
//     No variable of the loop lives across a call.
//  2. The word before a suspended frame's ip is the instruction that waits: its
//     row in bytecode.Rows says what becomes of the result (finish).
//  3. A frame without kind bits has a bytecode frame below it that waits in an
//     instruction whose result goes to register A.
//  4. Register windows lie within their segment; th.lim is the end of the
//     segment that the top frame's callees would use.
//  5. Code words and caches are shared by all threads. Code never changes; a
//     cache entry is immutable and is published by one atomic store.
//  6. Errors on their way are *value.Raised. A traceback entry is added for each
//     frame that one passes, and the recursion limit bounds the frames.
//  7. Only Thread.Interrupt may be touched by other goroutines.
package vm
