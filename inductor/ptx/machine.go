package ptx

// Machine is what runs the code: package device/cuda, or the interpreter of package
// sim. Its work is done in the order in which it was asked for. All addresses are
// of its memory.
type Machine interface {
	// Processors is the number of multiprocessors.
	Processors() int

	// Load makes code of a module with one entry, named k. A line "// shared N" asks for
	// N bytes of shared memory beside what the text declares.
	Load(text string) (Code, error)

	Queue

	// Faults is the record in which kernels leave their first fault: the site as 32
	// bits at 0, value and limit as 64 bits at 8 and 16; and at 24 the address of a
	// second such record, which the host sees. When the host next waits, the machine
	// clears a record that is not zero and gives what raise makes of it to whoever
	// waits.
	Faults(raise func(site uint32, value, limit uint64) error) (addr uint64)
}

// Queue is an order of work on a Machine: the machine's own, or that of a batch whose
// launches are handed over together (loop.Args.Queue).
type Queue interface {
	// Launch queues blocks (x by y of them) of the given number of threads. args are
	// the entry's 64-bit parameters; they are copied.
	Launch(c Code, x, y, threads int, args []uint64) error

	// Work is the workspace: at least n bytes that were zero when it was made. What
	// is in it stays as kernels left it, unless it had to grow.
	Work(n int) (addr uint64, err error)

	// Read and Write copy between host and device, after all that was queued.
	Read(dst []byte, addr uint64) error
	Write(addr uint64, src []byte) error
}

// on is the queue of a run.
func (t *Target) on(q any) Queue {
	if q, ok := q.(Queue); ok {
		return q
	}
	return t.m
}

// Code is an entry that Load made.
type Code = any

// The workspace: tickets of blocks that share a point, values kept between the
// launches of a kernel, partial results.
const (
	workTickets = 4096
	workKeep    = 4 * workTickets
	workParts   = workKeep + 8*keepSlots
	workSize    = 4 << 20
)
