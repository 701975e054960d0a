package loop

import (
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Template is a call of a computation that is not a loop nest: an op's Extern
// meaning names one. Operands are the op's tensor operands and outputs in order
// (with their geometry); what else it needs is listed here. A target registers
// an implementation by name; whoever adds a template documents its operands and
// Ints beside the name.
//
// Names fixed so far (In; Out; Ints; Flags). "?" operands may be absent: an
// absent tensor has a nil Mem.Ptr and DType Invalid.
//
//	matmul     In a[B…,M,K] b[B…,K,N] bias?[…N, broadcast by stride 0]; Out [B…,M,N]
//	           equal batch dims, any strides (stride 0 in batch allowed); 16-bit
//	           inputs accumulate in f32; integers in their own type
//	conv       In x[N,C,L…] w[O,C/g,k…] bias?[O]; Out [N,O,l…]; 1, 2 or 3 spatial dims
//	           Ints stride…, padding…, dilation…, groups (d ints each, then 1)
//	conv_input In grad[N,O,l…] w; Out x; Ints as conv        (also transposed convolution)
//	conv_weight In x, grad; Out w; Ints as conv
//	sort       In x; Out values, indices(i64); Ints dim; Flags descending, stable
//	topk       In x; Out values[k], indices; Ints dim, k; Flags largest, sorted
//	nonzero, masked_select, unique and their counts: see tmpl_sort.go
//	random_*   State; Out; see tmpl_random.go of package inductor for the streams
type Template struct {
	Name  string
	Ints  []sym.Int
	Nums  []tensor.Number
	Flags []bool
	// NumArgs names Scalar and float parameters of the Def whose run-time values
	// are appended to TemplateArgs.Nums, in order.
	NumArgs []string
}
