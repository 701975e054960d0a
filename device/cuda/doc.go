// Package cuda drives NVIDIA GPUs through the driver that is installed, without
// CUDA's toolkit or cgo: libcuda.so.1 is opened when a GPU is first asked for.
//
//	caller ──Launch, Copy──▶ queue ──one locked goroutine a GPU──▶ driver ──stream──▶ GPU
//
// A context belongs to an OS thread, so each GPU has one goroutine that is locked to
// one. Launches are put in its queue and the caller goes on; what has a result
// (allocations, copies to the host, waits) is put there and waited for.
//
// Memory (alloc.go) is taken from the driver in large segments, cut into blocks, and
// given out again when the buffer that had it is unreachable or freed. That needs no
// wait: a later use is queued after the earlier one, on the same stream; a block
// whose last use was on another stream waits for an event.
//
// Work of several launches is gathered in a batch (graph.go); one that comes again is
// replayed as a CUDA graph, with each run's arguments set in it. Large products go to
// cuBLASLt where it is installed and was faster (blas.go).
//
// In: PTX text, addresses, bytes. Out: buffers and times. It knows no op, no kernel
// language and no tensor object.
//
// Invariants:
//
//  1. All calls of the driver that need a context are made by the GPU's goroutine.
//  2. Pointers given to the driver stay alive until the call returns.
//  3. An error that ends the context (an illegal address, a lost device) is returned
//     by every later call.
//  4. A replay works on its run's memory: nothing of an earlier run's is read or
//     written.
//  5. What the driver gets the address of is on the heap (ptr), and used after the call.
//  6. Blocks of a segment neither overlap nor leave gaps; two free neighbours are
//     one block.
package cuda
