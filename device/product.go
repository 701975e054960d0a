package device

import "github.com/larkspur-ml/larkspur/tensor"

// Product is C = A B, plus a bias for each column: row-major matrices of M x K, K x N
// and M x N elements of one dtype, Batch of each. Addresses are of the device's memory;
// strides are in elements.
type Product struct {
	DType          tensor.DType // Float32, Float16 or BFloat16; sums are of float32
	M, N, K        int64
	A, B, C        uint64
	LDA, LDB, LDC  int64 // from row to row
	TransA, TransB bool  // memory holds the transpose, with rows of its own
	Batch          int64
	StepA, StepB   int64 // from matrix to matrix
	StepC          int64
	Bias           uint64 // N elements; 0: none
}

// Launch is a kernel's launch that has not been queued.
type Launch struct {
	Code    any
	X, Y    int
	Threads int
	Args    []uint64
}

// Multiplier is a GPU, or a Batch, with a library of products.
type Multiplier interface {
	// Multiply queues a product by the library, if there is one and it was faster than
	// own when the first of this shape was timed. done is false where nothing was queued.
	Multiply(p *Product, own *Launch) (done bool, err error)
}
