// Package device is the contract between a runtime and the machines that hold tensors and run kernels.
//
//	Device   allocates buffers, copies them, makes streams and counts what it holds
//	Stream   an order of work; what is put on one stream runs in that order
//	Kernel   compiled code with its arguments bound; a Stream runs it
//	Driver   finds the GPUs of a machine, and opens them
//	GPU      a Device that also loads and launches code given as PTX
//	Workers  the host's threads, for kernels that are tiles of work
//
// In: byte counts and kernels. Out: tensor.Buffer. A device may not know ops, graphs or the language.
//
// Invariants:
//
//  1. A Buffer's memory is not given out again while the Buffer is reachable, unless its owner has freed it.
//  2. The numbers a kernel computes do not depend on how many workers ran it: its tiles are fixed by the kernel.
//  3. Work put on a stream has happened, as the host sees it, only after Sync; on the CPU that is at once.
package device
