package bytecode

import (
	"math/big"

	"github.com/larkspur-ml/larkspur/lang/syntax"
)

// A Program is a compiled module. It is immutable once verified and may be run
// by any number of machines at once.
type Program struct {
	File    string
	Options syntax.Options
	Source  string   // text, for tracebacks
	Globals []string // names that the code's Global operands number
	NumOwn  int      // the first ones are bound by the module itself
	Main    *Code
	Codes   []*Code // all code objects, Main first, in the order of their text
}

// CodeKind tells what a code object was made from.
type CodeKind uint8

const (
	ModuleCode CodeKind = iota
	FunctionCode
	LambdaCode
	CompCode
	ClassCode
)

// A Code is one function, lambda, comprehension, class or module body.
//
// Registers, from 0: parameters in the order of Params.Slots, other locals,
// cells, temporaries. A class body has its namespace in register 0.
type Code struct {
	Program  *Program
	Kind     CodeKind
	ID       int // place in Program.Codes
	Name     string
	QualName string
	Doc      *string
	Span     syntax.Span // of the definition

	NumPosOnly, NumArgs, NumKwOnly int
	HasVarArg, HasKwArg            bool
	IsGenerator                    bool

	Locals   []string // names of the first registers
	NumClear int      // registers from the parameters on to this one start out unset
	Cells    []Cell
	Free     []Free
	NumRegs  int

	Ins      []Ins
	Spans    []syntax.Span // one an instruction
	Consts   []Constant
	Sites    []SiteInfo
	Children []*Code
	Imports  []ImportInfo
	Handlers []Handler // innermost first
	Inline   []Inline  // comprehensions that run in place, outermost first
}

// An Inline is a range of instructions that CPython runs in a frame of their own,
// which tracebacks show.
type Inline struct {
	Start, End int
	Span       syntax.Span // of the expression
	Name       string      // "<listcomp>"
}

// NumParams returns the number of registers that hold parameters.
func (c *Code) NumParams() int {
	n := c.NumArgs + c.NumKwOnly
	if c.HasVarArg {
		n++
	}
	if c.HasKwArg {
		n++
	}
	return n
}

// A Cell is a local variable that inner code shares, and the register of its cell.
type Cell struct {
	Name string
	Reg  int
}

// A Free is a cell that a function takes from where it is made: the register of
// the maker's own cell, or the number among the maker's Free.
type Free struct {
	Name     string
	FromCell bool
	Index    int
}

// A SiteInfo belongs to one attribute or call instruction; the machine keeps a
// cache for each.
type SiteInfo struct {
	Name string      // attribute
	Kw   []string    // names of the last arguments
	At   syntax.Span // of the attribute, where the instruction's is that of a call of it
}

// An ImportInfo describes an IMPORT or a LOAD. Leaf: of a dotted name take the
// last module, not the first. From are the names wanted (fromlist).
type ImportInfo struct {
	Module string
	Level  int
	From   []string
	Leaf   bool
}

// HandlerKind says what unwinding does in a handler's range.
type HandlerKind uint8

const (
	CatchHandler    HandlerKind = iota // store exception and handled one in Reg, Reg+1; go on at Target
	UnhandleHandler                    // the exception in Reg ceases to be the handled one; unwind on
	IterHandler                        // ITERDONE Reg; unwind on
)

// A Handler covers the instructions Start ≤ pc < End.
type Handler struct {
	Kind       HandlerKind
	Start, End int
	Target     int
	Reg        int
}

// A Constant is a literal. The field that counts goes by Kind; a TupleConst has Elts.
type Constant struct {
	Kind  ConstKind
	Int   int64
	Big   *big.Int
	Float float64
	Str   string
	Elts  []Constant
}

// ConstKind is the type of a Constant.
type ConstKind uint8

const (
	NoneConst ConstKind = iota
	BoolConst           // Int is 0 or 1
	EllipsisConst
	IntConst
	BigConst
	FloatConst
	ImagConst // Float is the imaginary part
	StrConst
	BytesConst
	TupleConst
)

// At returns the text range of the instruction at pc.
func (c *Code) At(pc int) syntax.Span {
	if pc < 0 || pc >= len(c.Spans) {
		return c.Span
	}
	return c.Spans[pc]
}
