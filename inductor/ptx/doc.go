// Package ptx compiles loop kernels to PTX, NVIDIA's portable assembly, which the
// driver turns into code of the GPU at hand.
//
// In: a verified loop.Kernel. Out: a loop.Program whose Run queues launches on a
// Machine (package device/cuda, or the interpreter of inductor/ptx/sim). Buffers
// are memory of that machine. It knows no driver, no graph and no tensor object.
//
//	Kernel ─segments─▶ launches{chain; body; post} ─variant for the sizes─▶ PTX ─Machine.Load─▶ code
//
// # Segments
//
// Each loop at the top of a kernel is a launch. Its chain, the perfectly nested
// outer loops, gives points; a unit of threads computes a point.
//
//	layout   unit             lanes of a warp               for
//	thread   1 thread         neighbouring points           pointwise, scatters, short rows, scans
//	warp     32 threads       neighbours within a row       rows of tens to a thousand
//	block    a block          neighbours within a row       rows, sums of everything
//	column   8 warps' lane i  neighbouring points           sums over outer dimensions
//
// In a unit of several threads a loop without carries is shared out, and what it
// folds is combined by shuffles and shared memory; statements outside of such loops
// are computed by all threads alike, and stored by the first. Where there are few
// points, several blocks share one: they leave partial results in the workspace,
// and the block that comes last combines them and goes on (a ticket), so that
// results do not depend on timing. What a later launch reads of an earlier one's
// values is kept in the workspace too.
//
// # Vectors
//
// A loop of plain statements whose accesses step by one is done 16 bytes at a time
// where base addresses and the other strides allow it; that is looked at before
// each launch, since a misaligned access would end the whole process's context.
// The rest of such a loop is done element by element.
//
// # Templates
//
// What is no loop nest has kernels of its own: matrix products (tmpl_matmul.go,
// tmpl_gemv.go), attention forward and backward (tmpl_attention*.go), convolutions
// (tmpl_conv*.go), sorting (tmpl_sort.go), Philox draws (tmpl_random.go). One that does
// not serve its operands has done nothing, and the fallback's runs on the host. Those
// that are plain nests after all are written as such (nest.go). A product may go to a
// library that the queue has (device.Multiplier).
//
// # Queues
//
// A run's launches go to its queue (loop.Args.Queue): the machine's, or a batch that
// hands them over together.
//
// # Faults
//
// An index from data is compared with its limit, and an access that would leave
// its buffer is not made. The first to fail leaves site, value and limit in the
// machine's fault record, which is looked at when the host next waits.
//
// # Invariants
//
//  1. No access leaves its buffer: affine ones passed loop.Bounds, masked and
//     data-dependent ones are compared on the device.
//  2. A vector access is used only where its address is a multiple of its width.
//  3. All threads of a block reach every barrier: lanes without a point compute
//     another's and store nothing.
//  4. The number of blocks that share a point depends on sizes and machine only.
//  5. What cannot be compiled runs on the host through the fallback target, with
//     copies; the sweep's tests hold a list of it.
//  6. A buffer that a kernel alone uses (loop.Buf.Local) is not written where all that
//     reads it has its values in registers.
package ptx
