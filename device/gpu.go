package device

import "github.com/larkspur-ml/larkspur/tensor"

// Driver finds the GPUs of a machine. Opening is lazy: nothing is looked for before
// the first call.
type Driver interface {
	// Count is the number of GPUs. The error says what was looked for where there is
	// no driver.
	Count() (int, error)
	// Open is GPU i, the same one at each call.
	Open(i int) (GPU, error)
}

// GPU is a device that runs code given as PTX. Its buffers are tensor.Addressed, its
// methods safe for concurrent use. Work is queued on the current stream and done in
// that order; errors of it come from a later wait.
type GPU interface {
	Device

	// Info describes the hardware.
	Info() GPUInfo

	// Processors, Load, Launch, Work, Faults, Read and Write are what package
	// inductor/ptx asks of a machine (ptx.Machine).
	Processors() int
	Load(text string) (any, error)
	Launch(code any, x, y, threads int, args []uint64) error
	Work(n int) (addr uint64, err error)
	Faults(raise func(site uint32, value, limit uint64) error) (addr uint64)
	Read(dst []byte, addr uint64) error
	Write(addr uint64, src []byte) error

	// Synchronize waits for all that was queued and returns its first error.
	Synchronize() error

	// MemoryInfo is what the driver says of the whole GPU, in bytes.
	MemoryInfo() (free, total int64, err error)
	// EmptyCache gives memory that no buffer uses back to the driver.
	EmptyCache() error
	// ResetPeak makes the greatest figures so far the present ones.
	ResetPeak()
	// Summary is a table of the allocator's figures.
	Summary() string

	// NewBatch makes what work can be gathered in.
	NewBatch() Batch

	// NewEvent makes a mark in the order of work.
	NewEvent() (Event, error)
	// Current is the stream on which work is queued; Use changes it and returns the
	// former one.
	Current() Stream
	Use(s Stream) (was Stream, err error)
}

// Batch gathers launches and copies on a device, from Begin to End, and queues them
// together: those that come again in the same order cost little more than one launch,
// whatever their arguments and sizes are. Not for concurrent use.
type Batch interface {
	Begin()
	// Launch, Work, Read and Write are GPU's; the last two queue what was gathered.
	Launch(code any, x, y, threads int, args []uint64) error
	Work(n int) (addr uint64, err error)
	Read(dst []byte, addr uint64) error
	Write(addr uint64, src []byte) error
	// Copy moves n bytes between buffers of the device.
	Copy(dst, src tensor.Buffer, n int) error
	End() error
}

// Event is a mark in a stream's order of work.
type Event interface {
	// Record puts the mark after what was queued on s so far.
	Record(s Stream) error
	// Wait makes what is queued on s from now on wait for the mark.
	Wait(s Stream) error
	// Query reports whether the mark has been reached; Synchronize waits for it.
	Query() (bool, error)
	Synchronize() error
	// Elapsed is the time between two marks in milliseconds.
	Elapsed(end Event) (float64, error)
}

// GPUInfo describes a GPU.
type GPUInfo struct {
	Name         string
	Major, Minor int // compute capability
	Memory       int64
	Processors   int
	L2           int // bytes
	SharedBlock  int // bytes of shared memory that a block may ask for
	Driver       int // version of the driver's API, 1000*major + 10*minor
}
