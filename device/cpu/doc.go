// Package cpu is the host as a device: a counted, pooled allocator for each Runtime, and for the process one worker pool and
// one arena of machine code (code.go: LoadCode makes bytes callable, call_amd64.s is the bridge).
//
//	Alloc(n) ── pool has a block of n's class? ──▶ reuse
//	   │ no
//	   └─ live over max(256 MiB, twice live after the last collection)? ──▶ collect, take back the dead, try the pool again
//	         └─ over the limit even then? ──▶ RuntimeError    else a new block of Go memory
//
// Storages die when nothing reaches them; only the garbage collector can tell. So each block that is out is remembered by
// a weak pointer to its Buffer, and after a collection the blocks whose pointers are empty return to the pool. Nothing else in
// the runtime has to release tensors, though who knows that a buffer is dead may Free it.
//
// Buffers of up to 256 bytes are parts of slabs: one block, one weak pointer and one object for the handles of 32, which
// leave together when the last of them is unreachable.
//
// Blocks are ordinary Go memory without pointers: never scanned, portable, and a Go slice of one stays valid memory in any case.
// Escape takes a block out of the pool's care for good before such a slice is given to a program.
//
// It may know bytes and goroutines only. Invariants:
//
//  1. The memory of a reachable, unfreed Buffer is in no pool and in no other Buffer (a test under GOGC=1 with concurrent users).
//  2. Live + Pooled ≤ Limit, or the machine's memory where there is no limit.
//  3. Memory starts at a 64-byte boundary (except Wrap's, which is where its owner put it).
//  4. Run's tiles each run exactly once; its results do not depend on the budget.
//  5. Code memory is never writable and executable at one address; its space is
//     used again only when its Code is unreachable. A fault inside a call is an error.
package cpu
