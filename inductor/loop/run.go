package loop

import (
	"context"
	"math"
	"unsafe"

	"github.com/larkspur-ml/larkspur/tensor"
)

// Mem is a buffer at run time: its first byte and its length in elements.
type Mem struct {
	Ptr unsafe.Pointer
	Len int64
}

// MemOf is the memory of host bytes holding elements of d.
func MemOf(b []byte, d tensor.DType) Mem {
	if len(b) == 0 {
		return Mem{}
	}
	return Mem{unsafe.Pointer(unsafe.SliceData(b)), int64(len(b) / d.Size())}
}

// Args is what one run of a kernel gets. The caller keeps the memory alive.
type Args struct {
	Bufs    []Mem    // by Kernel.Bufs
	Params  []int64  // by Kernel.Params, resolved
	Scalars []uint64 // by Kernel.Scalars, as ScalarBits makes them
	// Ctx ends a long run early, with its error; nil never does. Targets whose
	// programs cannot look at it rely on the caller to cut large ranges.
	Ctx context.Context
	// Queue is where the work of this run goes, for targets of devices with queues;
	// nil: where the target puts what it is not told of.
	Queue any
}

// ScalarBits is a Python number in the representation of a scalar slot.
func ScalarBits(n tensor.Number, t Type) uint64 {
	switch t {
	case B1:
		if n.Float64() != 0 {
			return 1
		}
		return 0
	case I32:
		return uint64(int64(int32(n.Int64())))
	case I64:
		return uint64(n.Int64())
	case F32:
		return uint64(math.Float32bits(float32(n.Float64())))
	}
	return math.Float64bits(n.Float64())
}

// Program is a kernel made ready for one target. It is safe for concurrent use.
type Program interface {
	// Run executes iterations lo … hi-1 of the kernel's Split loop; for a kernel
	// without one, lo is 0 and hi 1. The caller has checked Bounds. The error is
	// a *tensor.Error of the kernel's Checks, or of an integer division by zero.
	Run(a *Args, lo, hi int64) error
}

// Target makes programs. The portable one is Portable(), in eval.go.
type Target interface {
	Name() string
	Compile(k *Kernel) (Program, error)
	// Template finds the target's implementation of a template, nil if it has none.
	Template(name string) TemplateFunc
}

// Operand is a tensor operand of a template, resolved: bytes of the whole
// storage and geometry in elements.
type Operand struct {
	Mem    Mem
	DType  tensor.DType
	Size   []int64
	Stride []int64
	Off    int64
}

// Numel is the number of elements.
func (o *Operand) Numel() int64 {
	n := int64(1)
	for _, s := range o.Size {
		n *= s
	}
	return n
}

// Parallel runs f over [0, n) in ranges, possibly at the same time, and returns
// the first error. grain is the smallest range worth a worker.
type Parallel func(n, grain int64, f func(lo, hi int64) error) error

// Inline is Parallel without workers.
func Inline(n, grain int64, f func(lo, hi int64) error) error {
	if n <= 0 {
		return nil
	}
	return f(0, n)
}

// TemplateArgs is what one run of a template gets. Which operand and integer
// means what is written beside each template's name (template.go).
type TemplateArgs struct {
	In, Out  []Operand
	State    []byte // the generator state of an op with State: read and rewritten
	Ints     []int64
	Nums     []tensor.Number
	Flags    []bool
	Parallel Parallel
	// Done is polled by long templates between pieces of work (about 50 µs).
	Done func() error
	// Queue as in Args.
	Queue any
	// Rows, where it is set, wants to hear which rows of Out[0] (over all dims but the
	// last) are complete, each once, from any worker. A template may also never call it.
	Rows func(lo, hi int64) error
}

// TemplateFunc executes a template. Errors from data are *tensor.Error.
type TemplateFunc func(a *TemplateArgs) error
