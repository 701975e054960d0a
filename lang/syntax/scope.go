package syntax

// The types here are the room that a tree keeps for lang/resolve. They are plain
// data; nothing in this package reads or writes them.

// A RefKind says where a name lives.
type RefKind uint8

const (
	Unresolved  RefKind = iota
	Local               // Index: slot in the scope's Locals
	Cell                // Index: into the scope's Cells
	Free                // Index: into the scope's Free
	GlobalName          // Index: into the module scope's Globals; a name never set there may be a builtin
	ClassName           // in a class body: the class namespace by name, then, for a read, global Index
	ClassFree           // in a class body: the class namespace by name, then, for a read, Free[Index]
	Predeclared         // Starlark: given by the application, by name
	Universal           // Starlark: given by the language, by name
)

var refKindNames = [...]string{"unresolved", "local", "cell", "free", "global", "class", "classfree", "predeclared", "universal"}

func (k RefKind) String() string { return refKindNames[k] }

// A Ref is what a Name means in its scope.
type Ref struct {
	Kind  RefKind
	Index int32
}

// ScopeKind is the kind of code that a Scope belongs to.
type ScopeKind uint8

const (
	ModuleScope ScopeKind = iota
	FunctionScope
	LambdaScope
	CompScope
	ClassScope
)

var scopeKindNames = [...]string{"module", "function", "lambda", "comprehension", "class"}

func (k ScopeKind) String() string { return scopeKindNames[k] }

// A Scope describes one code object: a module, function, lambda, comprehension
// or class body.
//
// Locals lists the slots: a function's parameters first, in the order of
// Params.Slots, then the other names bound in it, in order of appearance. A
// comprehension has one parameter, ".0", the iterator over the first clause's
// Iter. A local that an inner scope uses is a cell: it has an entry in Cells and,
// unless it is a parameter, no slot. A class body has no Locals.
type Scope struct {
	Kind     ScopeKind
	Name     string // "<module>", "f", "<lambda>", "<listcomp>" …
	QualName string // "C.f.<locals>.g"
	Parent   *Scope // nil for a module
	Children []*Scope
	Node     Node // *Module, *FunctionDef, *Lambda, *Comp or *ClassDef

	Locals []string
	Cells  []CellVar
	Free   []FreeVar

	NumPosOnly int // parameters before /
	NumArgs    int // positional parameters, those before / included
	NumKwOnly  int
	HasVarArg  bool // *name
	HasKwArg   bool // **name

	IsGenerator bool // has a yield, or is a generator expression

	// UsesClass: a function that names __class__ or super, which therefore has
	// __class__ among its Free. ClassCell: a class body for which that is so of
	// a function in it; the class must be put into Cells[0] once made.
	UsesClass bool
	ClassCell bool

	// Of a module scope only: the distinct global names of the module in order
	// of appearance. Ref.Index of every GlobalName and ClassName points here.
	Globals []string
}

// A CellVar is a local shared with inner scopes. Param is the slot whose value
// the cell starts with, or -1.
type CellVar struct {
	Name  string
	Param int32
}

// A FreeVar is a cell of an enclosing scope. Outer says where the Parent scope
// has it: Kind is Cell or Free.
type FreeVar struct {
	Name  string
	Outer Ref
}

// NumParams returns the number of parameter slots.
func (s *Scope) NumParams() int {
	n := s.NumArgs + s.NumKwOnly
	if s.HasVarArg {
		n++
	}
	if s.HasKwArg {
		n++
	}
	if s.Kind == CompScope {
		n++
	}
	return n
}
