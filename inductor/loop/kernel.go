package loop

import (
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// Type is the type of a value in a kernel.
type Type uint8

const (
	NoType Type = iota
	B1
	I32
	I64
	F32
	F64
)

var typeNames = [...]string{"none", "b1", "i32", "i64", "f32", "f64"}

func (t Type) String() string { return typeNames[t] }

// IsFloat and IsInt partition the arithmetic types.
func (t Type) IsFloat() bool { return t >= F32 }
func (t Type) IsInt() bool   { return t == I32 || t == I64 }

// TypeOf is the type in which elements of a dtype are computed.
func TypeOf(d tensor.DType) Type {
	switch d {
	case tensor.Bool:
		return B1
	case tensor.Uint8, tensor.Int8, tensor.Int16, tensor.Int32:
		return I32
	case tensor.Int64:
		return I64
	case tensor.Float16, tensor.BFloat16, tensor.Float32:
		return F32
	case tensor.Float64:
		return F64
	}
	panic("BUG: no compute type for " + d.String())
}

// V names a value; 0 is none.
type V int32

// Axis names a loop variable.
type Axis int32

// P is an integer of the kernel: an immediate, or a parameter slot whose value
// is given at each run.
type P struct {
	Imm int64
	Par int32 // slot + 1; 0: immediate
}

// Imm makes an immediate.
func Imm(v int64) P { return P{Imm: v} }

// Get is the value under resolved parameters.
func (p P) Get(params []int64) int64 {
	if p.Par == 0 {
		return p.Imm
	}
	return params[p.Par-1]
}

// Role says what a kernel does with a buffer.
type Role uint8

const (
	In    Role = iota // read only
	Out               // written; may be read back after it was written
	InOut             // read and written
)

// Buf is a buffer operand.
type Buf struct {
	DType tensor.DType
	Role  Role
	Name  string // for the text form
	Local bool   // nobody reads what the kernel leaves in it
}

// Check is what is raised when an index from data is out of range or an Assert
// fails. In Msg, %i is the offending index or value, %d the dimension, %n the
// size.
type Check struct {
	Kind tensor.ErrKind
	Msg  string
}

// Term is one affine part of an address.
type Term struct {
	Axis   Axis
	Stride P
}

// Dyn is one data-dependent part of an address: 0 <= Index < Lim is checked.
type Dyn struct {
	Index  V // i64 or i32
	Stride P
	Lim    P
	Dim    int32 // for the message
	Check  int32 // index into Kernel.Checks
}

// Access is an address: Off + Σ Terms + Σ Dyn, in elements of the buffer.
// An axis occurs in at most one term.
type Access struct {
	Buf   int
	Off   P
	Terms []Term
	Dyn   []Dyn
	Mask  V // b1; 0: unmasked
}

// Stmt is a statement: *Let, *Store, *Atomic, *Assert or *Loop.
type Stmt interface{ stmt() }

// Let defines V by a primitive.
type Let struct {
	V       V
	Op      Op
	Type    Type
	A, B, C V
	Bits    uint64       // OpConst: the value's bits (b1: 0 or 1; i32 sign-extended; f32 in the low half)
	P       P            // OpParam
	Slot    int          // OpScalar: scalar slot; OpAxis: the axis
	DType   tensor.DType // OpRound
	Mem     *Access      // OpLoad
}

// Store writes Val (of the buffer's compute type) with rounding to its dtype.
type Store struct {
	Mem *Access
	Val V
}

// Combine says how a scatter meets what is already there.
type Combine uint8

const (
	CombineAdd Combine = iota // b1: or
	CombineMul
	CombineMin
	CombineMax
	CombineSet // last writer wins; the order is that of a serial run on the portable target
)

// Atomic combines Val into memory; several iterations may hit one address.
// On 16-bit storage each step is rounded.
type Atomic struct {
	Mem *Access
	Val V
	Op  Combine
}

// Assert raises Checks[Check] where Cond is false; Val is what %i prints.
type Assert struct {
	Cond  V
	Val   V // i64 or a float; 0: none
	Check int32
	Mask  V // lanes to test; 0: all
}

// LoopKind says in which order iterations may run.
type LoopKind uint8

const (
	Serial LoopKind = iota
	Vector
	Grid
)

var kindNames = [...]string{"serial", "vector", "grid"}

func (k LoopKind) String() string { return kindNames[k] }

// FoldOp is an associative combination of a loop's iterations.
type FoldOp uint8

const (
	FoldAdd FoldOp = iota
	FoldMul
	FoldMin // NaN wins
	FoldMax // NaN wins
	FoldAnd // b1
	FoldOr  // b1
	// FoldArgMin and FoldArgMax keep a value and its i64 index: the first among
	// equals, NaN before all.
	FoldArgMin
	FoldArgMax
)

var foldNames = [...]string{"add", "mul", "min", "max", "and", "or", "argmin", "argmax"}

func (f FoldOp) String() string { return foldNames[f] }

// HasIndex reports a fold that carries an index beside the value.
func (f FoldOp) HasIndex() bool { return f >= FoldArgMin }

// Fold combines In (and InIdx) over a loop into Out (and OutIdx), visible after
// the loop. With no iteration Out is the operator's identity (add 0, mul 1,
// min +inf or the largest integer, max the reverse, and true, or false; the
// index is 0).
type Fold struct {
	Op         FoldOp
	Type       Type
	In, InIdx  V
	Out, OutIx V
}

// Carry hands a value from one iteration to the next: Phi is Init in the first
// and the last Next in the others; Out, after the loop, is the last Next (Init
// with no iteration).
type Carry struct {
	Type                 Type
	Init, Phi, Next, Out V
}

// Loop runs Body for Axis = 0 … Extent-1.
type Loop struct {
	Axis   Axis
	Extent P
	Kind   LoopKind
	Folds  []Fold
	Carry  []Carry
	Body   []Stmt
}

func (*Let) stmt()    {}
func (*Store) stmt()  {}
func (*Atomic) stmt() {}
func (*Assert) stmt() {}
func (*Loop) stmt()   {}

// Kernel is one loop program.
type Kernel struct {
	Name    string
	Bufs    []Buf
	Params  []sym.Int // what each parameter slot holds, over the caller's symbols
	Scalars []Type    // run-time scalar operands, by slot
	Checks  []Check
	Body    []Stmt
	NumV    int // values are 1 … NumV
	NumAxis int
}

// Resolve evaluates the parameters under bindings into dst (grown as needed).
// ok is false where one has no value (division by zero, overflow).
func (k *Kernel) Resolve(dst []int64, bind []int64) (_ []int64, ok bool) {
	dst = dst[:0]
	for _, e := range k.Params {
		v, ok := e.Eval(bind)
		if !ok {
			return dst, false
		}
		dst = append(dst, v)
	}
	return dst, true
}

// Split returns the loop that may be cut into ranges (invariant 7), or nil.
func (k *Kernel) Split() *Loop {
	if len(k.Body) != 1 {
		return nil
	}
	l, ok := k.Body[0].(*Loop)
	if !ok || l.Kind == Serial || len(l.Folds) > 0 || scatters(l.Body) {
		return nil
	}
	return l
}

// scatters: iterations may meet in memory, so they are not cut apart.
func scatters(body []Stmt) bool {
	for _, s := range body {
		switch s := s.(type) {
		case *Atomic:
			return true
		case *Loop:
			if scatters(s.Body) {
				return true
			}
		}
	}
	return false
}
