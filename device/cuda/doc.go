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
// In: PTX text, addresses, bytes. Out: buffers and times. It knows no op, no kernel
// language and no tensor object.
//
// Invariants:
//
//  1. All calls of the driver that need a context are made by the GPU's goroutine.
//  2. Pointers given to the driver stay alive until the call returns.
//  3. An error that ends the context (an illegal address, a lost device) is returned
//     by every later call.
//  4. Blocks of a segment neither overlap nor leave gaps; two free neighbours are
//     one block.
package cuda
