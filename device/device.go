package device

import "github.com/larkspur-ml/larkspur/tensor"

// Device is one device as one Runtime sees it: memory and its limits belong to the Runtime, threads and code to the process.
type Device interface {
	tensor.Allocator

	// Name describes the hardware.
	Name() string

	// Stats counts this Runtime's memory on the device.
	Stats() Stats

	// Copy moves n bytes from src (from byte srcOff) to dst (from byte dstOff), in s's order. One of the two is on this device, the
	// other on it or addressable by the host. The ranges may overlap.
	Copy(s Stream, dst tensor.Buffer, dstOff int, src tensor.Buffer, srcOff, n int) error

	// NewStream makes an order of work.
	NewStream() (Stream, error)
}

// Stream is an order of work on a device.
type Stream interface {
	// Launch appends a kernel. An error of the kernel itself may come from a later Sync.
	Launch(k Kernel) error

	// Sync waits until all that was launched is done and returns its first error.
	Sync() error
}

// Kernel is compiled code with its arguments bound.
type Kernel interface {
	// Tiles is the number of independent pieces. It depends on shapes only, never on the number of workers.
	Tiles() int

	// Run computes one tile on the host. lane says which of the caller's lanes runs it (0 ≤ lane < budget), for scratch memory.
	// A kernel of another device is launched by that device's stream, which knows its own type.
	Run(tile, lane int) error
}

// Workers runs tiles on the host's threads.
type Workers interface {
	// Run calls f for each tile in [0, tiles), on at most budget goroutines of which the caller is one, and returns when all are
	// done. f must not assume an order. A panic in f is raised again in the caller, after the other tiles that had begun.
	Run(budget, tiles int, f func(tile, lane int))
}

// Threads is a budget of goroutines for kernels that can be changed between them.
type Threads interface {
	Threads() int
	SetThreads(n int)
}

// Stats are figures in bytes.
type Stats struct {
	Live   int64 // in buffers that are, or may still be, reachable
	Pooled int64 // kept for reuse
	Peak   int64 // greatest Live so far
	Limit  int64 // 0: none

	Allocs      int64 // buffers given out
	Reused      int64 // of which from the pool
	Collections int64 // collections that the allocator asked for
}
