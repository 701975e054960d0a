package op

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Def is the one declaration of an op.
type Def struct {
	// Sig is torch's signature text: "add(Tensor self, Tensor|Scalar other, *,
	// Scalar alpha=1) -> Tensor". The name before "(" is the Def's name; an
	// overload is written "max.dim(…)".
	Sig string
	// Doc is one sentence, then what differs from PyTorch if anything does.
	Doc string
	// Aliases are other names bound to the same Def ("multiply" for mul).
	Aliases []string
	Bind    Bind

	Promote Promotion
	// PromoteOf names the operands that take part in promotion; nil: all.
	PromoteOf []string

	// Shape gives size (and dtype, where promotion does not) of each output; nil:
	// one output, broadcast of the operands. Stride nil: the layout rule fills it.
	Shape  func(c *Call) []tensor.Meta
	Layout Layout

	// Exactly one meaning.
	View    func(c *Call) tensor.Meta                           // new geometry over operand 0's storage
	Body    func(b *loop.Builder, x []loop.V, c *Call) loop.V   // value of an element from the operands' elements
	Reduce  *Reduction                                          // folds over dimensions
	Rows    *Rows                                               // several passes over a row: softmax, norms, losses
	Index   func(b *loop.Builder, c *Call, at []loop.Ix) loop.V // value at an output index, loads by Builder.At
	Scatter *Scatter                                            // writes into a copy of operand 0
	Decomp  func(g *G, c *Call, in []Tensor) []Tensor           // other ops; views of in may be returned
	Extern  func(c *Call) loop.Template                         // a template

	// VJP gives the gradient for each operand (by c.In; nil: none) from those of
	// the outputs (nil: none). Gradients may have the broadcast size and another
	// dtype: the caller sums and casts. NoGrad is why there is none.
	VJP    func(g *G, c *Call, in, out, grad []Tensor) []Tensor
	NoGrad string

	// Unwritten, with NoGrad: the result has a derivative, but nobody has written
	// it down, so a backward pass that comes here is an error and not a zero.
	Unwritten bool

	// Keeps: torch's node keeps an operand that ours can do without (the 2 of x * 2), so
	// that a second pass through it is an error.
	Keeps func(c *Call) bool

	// State: the op reads and rewrites the generator given by its Generator
	// parameter (or the default one).
	State bool

	// Unset: the values do not matter, because who applies the op writes them all
	// at once; execution may leave the memory as it is. Not for ops that are bound.
	Unset bool

	// Sized: output sizes come from data, so that only a graph that executes at
	// once can apply it (sized.go); recording breaks before it.
	Sized bool

	Samples func() []Sample

	// derived at registration
	Name     string // full name, with overload
	Base     string // name without overload
	Params   []Param
	Returns  []Ret
	Operands []int // indices of Params that hold tensors (or numbers)
	id       int
}

// ID is a small number, unique in the process, in registration order.
func (d *Def) ID() int { return d.id }

// Bind says under which names an op is visible.
type Bind uint16

const (
	Fn      Bind = 1 << iota // torch.X
	Method                   // Tensor.X
	InPlace                  // Tensor.X_ (and torch.X_): X, a cast check, and a write
	OutArg                   // torch.X(…, out=t)
	NN                       // torch.nn.functional.X
	Special                  // torch.special.X

	Usual = Fn | Method
	Arith = Fn | Method | InPlace | OutArg
)

// Promotion says how operand dtypes make the dtype of computation, Call.DType.
type Promotion uint8

const (
	PromoteNone    Promotion = iota // Call.DType is the first operand's; nothing is cast
	PromoteArith                    // common type
	PromoteFloat                    // common type, integers and bool become the default dtype
	PromoteCompare                  // operands to the common type, the result is bool
	PromoteBool                     // operands to bool, the result is bool
	PromoteInt                      // common type, bool and integers become int64 (sum, prod, cumsum)
)

// Layout says which strides an output gets.
type Layout uint8

const (
	// LayoutDefault is LayoutElementwise for Body and LayoutContiguous otherwise.
	LayoutDefault Layout = iota
	LayoutElementwise
	LayoutContiguous
	LayoutPreserve // strides of operand 0 if it is dense, else its order (clone, *_like)
)

// Reduction folds elements over dimensions (parameter "dim": absent, None or
// empty means all; parameter "keepdim").
type Reduction struct {
	Ops []loop.FoldOp
	// Ordered: Each uses pos, so the order of the reduced dimensions matters. Folds
	// with an index are ordered anyway.
	Ordered bool
	// Each gives the values to fold from an element x, of type Call.DType (or
	// operand 0's own where promotion is none); pos is its position along the
	// flattened reduced dimensions. One value for each op, then an i64 for each op
	// with an index. nil: x itself (and pos).
	Each func(b *loop.Builder, c *Call, x loop.V, pos loop.V) []loop.V
	// Post gives the outputs from the folds; n is the number of elements folded
	// as an i64. nil: the folds themselves, in output order.
	Post func(b *loop.Builder, c *Call, acc []loop.V, n loop.V) []loop.V
}

// Scatter writes into a copy of operand 0.
type Scatter struct {
	// Over is the iteration space; nil: the size of operand 1.
	Over    func(c *Call) []SymInt
	Combine func(c *Call) loop.Combine // nil: CombineSet
	At      func(b *loop.Builder, c *Call, at []loop.Ix) (where []loop.Ix, what loop.V)
}

// Rows is a program over rows: the frame (iteration space) is split into kept
// dimensions and row dimensions; the program makes passes over each row.
type Rows struct {
	// Frame is the iteration space; nil: the size of operand 0.
	Frame func(c *Call) []SymInt
	// Dims are the row dimensions, in frame order.
	Dims func(c *Call) []int
	// Align gives for operand k (outputs follow the operands) the frame dimension
	// of each of its dimensions; -1 means it does not move with the frame (index 0).
	// nil, or a nil answer: operands align to the right and broadcast; outputs
	// align if they have the frame's rank, else to the kept dimensions in order.
	Align func(c *Call, k int) []int
	// Serial: the program scans, so that only rows can be computed side by side.
	Serial bool
	Run    func(b *loop.Builder, c *Call, r Row)
}

// Row is what a Rows program works with; the lowering implements it.
type Row interface {
	// Each runs f for every row; EachRow and FoldRows may be called one after the other.
	EachRow(f func())
	// FoldRows runs f for every row and folds its values over all rows.
	FoldRows(ops []loop.FoldOp, f func() []loop.V) []loop.V
	// Pass, inside a row, runs f at every position of the row.
	Pass(f func())
	// Fold, inside a row, runs f at every position and folds its values (one for
	// each op, then an i64 for each op with an index).
	Fold(ops []loop.FoldOp, f func() []loop.V) []loop.V
	// Scan, inside a row, runs f in order along the row with carried values.
	Scan(init []loop.V, f func(cur []loop.V) []loop.V) []loop.V
	// In is operand k at the current position, in its compute type; inside a row
	// but outside a pass the operand must not extend along the row.
	In(k int) loop.V
	// Has reports whether optional operand k is present.
	Has(k int) bool
	// Out stores output j at the current position (or row).
	Out(j int, v loop.V)
	// Pick loads operand k at the current row, with index from data i along its
	// row dimension (the frame has exactly one). Out of range raises c.
	Pick(k int, i loop.V, mask loop.V, c *loop.Check) loop.V
	// Back loads output j at the current position, as stored before.
	Back(j int) loop.V
	// Pos is the position along the row as i64; Len is the row's length.
	Pos() loop.V
	Len() loop.V
	// Count is the number of rows.
	Count() loop.V
}

// Subgraph is reserved: an operand that is a graph (score_mod, cond, scan).
type Subgraph interface{ Subgraph() }
