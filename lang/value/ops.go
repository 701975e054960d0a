package value

// Op is a binary operator.
type Op uint8

const (
	OpAdd Op = iota
	OpSub
	OpMul
	OpDiv
	OpFloorDiv
	OpMod
	OpPow
	OpMatMul
	OpAnd
	OpOr
	OpXor
	OpLsh
	OpRsh
)

// Cmp is a comparison.
type Cmp uint8

const (
	Lt Cmp = iota
	Le
	Eq
	Ne
	Gt
	Ge
)

// The unary operators, in the same enumeration; "not" is Truth.
const (
	OpNeg Op = 32 + iota
	OpPos
	OpInvert
)

var opText = map[Op]string{OpAdd: "+", OpSub: "-", OpMul: "*", OpDiv: "/", OpFloorDiv: "//", OpMod: "%",
	OpPow: "**", OpMatMul: "@", OpAnd: "&", OpOr: "|", OpXor: "^", OpLsh: "<<", OpRsh: ">>",
	OpNeg: "-", OpPos: "+", OpInvert: "~"}

func (op Op) String() string { return opText[op] }

var cmpText = [...]string{"<", "<=", "==", "!=", ">", ">="}

func (c Cmp) String() string { return cmpText[c] }

// Swap is the comparison with its operands exchanged, Negate its opposite.
func (c Cmp) Swap() Cmp   { return [...]Cmp{Gt, Ge, Eq, Ne, Lt, Le}[c] }
func (c Cmp) Negate() Cmp { return [...]Cmp{Ge, Gt, Ne, Eq, Le, Lt}[c] }

// Function is a function written in the language, as the machine makes it.
type Function interface {
	AttrObject
	FuncName() (name, qualname string)
}

// Generator is a suspended frame, as the machine makes it. Only the machine can
// advance it: Next of this package answers with a *NeedCall.
type Generator interface {
	AttrObject
	IsGenerator()
}

// AttrObject is an object of the machine or of a host package that has a class
// and serves attributes beyond those of the class.
type AttrObject interface {
	ClassOf() *Class
	// AttrGet returns an attribute of the object itself; ok is false for
	// names to be looked up on the class.
	AttrGet(t *Thread, name string) (v Value, ok bool, err error)
	// AttrSet stores (v unset: deletes) an attribute; handled is false for
	// objects or names that do not take it.
	AttrSet(t *Thread, name string, v Value) (handled bool, err error)
	AttrDir() []string
}

// Iterator is an iterator written in Go: a container and a position, as data.
// Next may return a *NeedCall. ok is false at the end.
type Iterator interface {
	Next(t *Thread) (v Value, ok bool, err error)
}
