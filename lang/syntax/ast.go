package syntax

import "math/big"

// A Node is any part of a tree that has a place in the text.
type Node interface {
	Range() Span
}

// An Expr is an expression, or an assignment target.
type Expr interface {
	Node
	exprNode()
}

// A Stmt is a statement.
type Stmt interface {
	Node
	stmtNode()
}

// A Pattern is what stands behind case.
type Pattern interface {
	Node
	patternNode()
}

// A Module is a whole file, or one REPL input.
type Module struct {
	Span
	File    string
	Options Options
	Body    []Stmt
	Scope   *Scope // filled by lang/resolve

	// Late has faults that the Starlark grammar lets pass and its resolver
	// reports: the order of parameters and arguments, targets that cannot be
	// assigned to. lang/resolve adds them to its own.
	Late []*Error
}

// ---- expressions

// A Name is an identifier in use or being bound. lang/resolve fills Ref and,
// within a class, rewrites a private ID (__x) to its mangled form (_C__x).
type Name struct {
	Span
	ID  string
	Ref Ref
}

// ConstKind says which field of a Constant holds its value.
type ConstKind uint8

const (
	NoneConst     ConstKind = iota
	TrueConst               //
	FalseConst              //
	EllipsisConst           //
	IntConst                // Int
	BigConst                // Big: an integer that int64 cannot hold
	FloatConst              // Float
	ImagConst               // Float: the imaginary part
	StrConst                // Str: UTF-8; a lone surrogate from an escape is its three-byte (WTF-8) form
	BytesConst              // Str: the bytes
)

// A Constant is a literal. Adjacent string literals are one Constant.
type Constant struct {
	Span
	Kind  ConstKind
	Int   int64
	Big   *big.Int
	Float float64
	Str   string
}

// A JoinedStr is an f-string, or the format spec of a FormattedValue. Values are
// string Constants and FormattedValues; the text of a debug field (f"{x=}")
// is one of the Constants.
type JoinedStr struct {
	Span
	Values []Expr
}

// A FormattedValue is a replacement field of an f-string. Conversion is 0, 'r',
// 's' or 'a'; a debug field without spec and conversion has 'r'. Spec may be nil.
type FormattedValue struct {
	Span
	Value      Expr
	Conversion byte
	Spec       *JoinedStr
}

// An Op is an operator of a BinOp, AugAssign or UnaryOp.
type Op uint8

const (
	Add      Op = iota + 1
	Sub         // -
	Mult        // *
	MatMult     // @
	Div         // /
	FloorDiv    // //
	Mod         // %
	Pow         // **
	LShift      // <<
	RShift      // >>
	BitOr       // |
	BitXor      // ^
	BitAnd      // &
	UAdd        // unary +
	USub        // unary -
	Invert      // ~
	Not         // not
)

// A CmpOp is an operator of a comparison.
type CmpOp uint8

const (
	Eq    CmpOp = iota + 1
	NotEq       // !=
	Lt          // <
	LtE         // <=
	Gt          // >
	GtE         // >=
	Is          // is
	IsNot       // is not
	In          // in
	NotIn       // not in
)

// A BinOp is X Op Y; OpPos is where the operator stands.
type BinOp struct {
	Span
	X     Expr
	Op    Op
	OpPos Pos
	Y     Expr
}

// A BoolOp is a chain of `and` or of `or`: at least two Values.
type BoolOp struct {
	Span
	Or     bool
	Values []Expr
}

// A UnaryOp is -X, +X, ~X or not X.
type UnaryOp struct {
	Span
	Op Op
	X  Expr
}

// A Compare is a chain First Ops[0] Rest[0] Ops[1] Rest[1] …; each operand is
// evaluated once. OpPos has the place of each operator.
type Compare struct {
	Span
	First Expr
	Ops   []CmpOp
	OpPos []Pos
	Rest  []Expr
}

// A Call is Func(Args…, Keywords…). *x among the arguments is a Starred in Args,
// **x a Keyword without a name. Args are evaluated before Keywords.
type Call struct {
	Span
	Func     Expr
	Lparen   Pos
	Args     []Expr
	Keywords []*Keyword
}

// A Keyword is name=Value in a call or class head, or **Value if Name is "".
type Keyword struct {
	Span
	Name  string
	Value Expr
}

// An Attribute is X.Attr. lang/resolve mangles a private Attr within a class.
type Attribute struct {
	Span
	X       Expr
	Attr    string
	AttrPos Pos
}

// A Subscript is X[Index]; an Index with commas is a Tuple, one with colons a
// Slice or a Tuple that holds Slices.
type Subscript struct {
	Span
	X      Expr
	Lbrack Pos
	Index  Expr
}

// A Slice is Lo:Hi:Step; each part may be nil.
type Slice struct {
	Span
	Lo, Hi, Step Expr
}

// A Starred is *X in a call, a display, a subscript or a target.
type Starred struct {
	Span
	X Expr
}

// A Tuple is a display with commas, with or without parentheses (Paren).
type Tuple struct {
	Span
	Paren bool
	Elts  []Expr
}

// A List is a list display, or a list of targets.
type List struct {
	Span
	Elts []Expr
}

// A Set is a set display; it has at least one element.
type Set struct {
	Span
	Elts []Expr
}

// A Dict is a dict display. A nil key stands for **Values[i].
type Dict struct {
	Span
	Keys   []Expr
	Values []Expr
}

// A NamedExpr is (Target := Value).
type NamedExpr struct {
	Span
	Target *Name
	Value  Expr
}

// An IfExp is Body if Test else Orelse.
type IfExp struct {
	Span
	Test, Body, Orelse Expr
}

// A Lambda is a function expression.
type Lambda struct {
	Span
	Params *Params
	Body   Expr
	Scope  *Scope // filled by lang/resolve
}

// CompKind is the kind of a comprehension.
type CompKind uint8

const (
	ListComp CompKind = iota
	SetComp
	DictComp
	GeneratorExp
)

// A Comp is a comprehension or generator expression: Elt (for a DictComp the
// key, with Value) under one or more clauses. The first clause's Iter belongs
// to the enclosing scope, all else to Scope.
type Comp struct {
	Span
	Kind    CompKind
	Elt     Expr
	Value   Expr
	Clauses []*CompFor
	Scope   *Scope // filled by lang/resolve
}

// A CompFor is one `for Target in Iter` with the `if`s that follow it.
type CompFor struct {
	Span
	Target Expr
	Iter   Expr
	Ifs    []Expr
}

// A Yield is yield [Value].
type Yield struct {
	Span
	Value Expr // may be nil
}

// A YieldFrom is yield from Value.
type YieldFrom struct {
	Span
	Value Expr
}

func (*Name) exprNode()           {}
func (*Constant) exprNode()       {}
func (*JoinedStr) exprNode()      {}
func (*FormattedValue) exprNode() {}
func (*BinOp) exprNode()          {}
func (*BoolOp) exprNode()         {}
func (*UnaryOp) exprNode()        {}
func (*Compare) exprNode()        {}
func (*Call) exprNode()           {}
func (*Attribute) exprNode()      {}
func (*Subscript) exprNode()      {}
func (*Slice) exprNode()          {}
func (*Starred) exprNode()        {}
func (*Tuple) exprNode()          {}
func (*List) exprNode()           {}
func (*Set) exprNode()            {}
func (*Dict) exprNode()           {}
func (*NamedExpr) exprNode()      {}
func (*IfExp) exprNode()          {}
func (*Lambda) exprNode()         {}
func (*Comp) exprNode()           {}
func (*Yield) exprNode()          {}
func (*YieldFrom) exprNode()      {}

// ---- parameters

// Params are the parameters of a def or lambda, by kind. VarArg and KwArg may
// be nil; so may a Param's Annotation and Default.
type Params struct {
	Span
	PosOnly []*Param // before /
	Args    []*Param // positional or keyword
	VarArg  *Param   // *name
	KwOnly  []*Param // behind * or *name
	KwArg   *Param   // **name
}

// A Param is one parameter. Its Span covers name, annotation and default.
type Param struct {
	Span
	Name       *Name
	Annotation Expr
	Default    Expr
}

// Slots returns the parameters in the order of their local slots: positional
// ones, keyword-only ones, *name, **name (the order of CPython's co_varnames).
func (p *Params) Slots() []*Param {
	all := make([]*Param, 0, len(p.PosOnly)+len(p.Args)+len(p.KwOnly)+2)
	all = append(all, p.PosOnly...)
	all = append(all, p.Args...)
	all = append(all, p.KwOnly...)
	if p.VarArg != nil {
		all = append(all, p.VarArg)
	}
	if p.KwArg != nil {
		all = append(all, p.KwArg)
	}
	return all
}

// ---- statements

// An ExprStmt is an expression evaluated for its effect.
type ExprStmt struct {
	Span
	X Expr
}

// An Assign is Targets[0] = Targets[1] = … = Value.
type Assign struct {
	Span
	Targets []Expr
	Value   Expr
}

// An AugAssign is Target Op= Value; Target is a Name, Attribute or Subscript
// (in the Starlark dialect any single target).
type AugAssign struct {
	Span
	Target Expr
	Op     Op
	OpPos  Pos
	Value  Expr
}

// An AnnAssign is Target: Annotation [= Value]. Simple says that Target is a bare
// name without parentheses: only then is the annotation stored.
type AnnAssign struct {
	Span
	Target     Expr
	Annotation Expr
	Value      Expr // may be nil
	Simple     bool
}

// A Delete is del Targets.
type Delete struct {
	Span
	Targets []Expr
}

// A Pass does nothing.
type Pass struct{ Span }

// A Break leaves the innermost loop.
type Break struct{ Span }

// A Continue starts the innermost loop's next round.
type Continue struct{ Span }

// A Return is return [Value].
type Return struct {
	Span
	Value Expr // may be nil
}

// A Raise is raise [Exc [from Cause]].
type Raise struct {
	Span
	Exc, Cause Expr // may be nil
}

// An Assert is assert Test[, Msg].
type Assert struct {
	Span
	Test, Msg Expr
}

// A Global is global Names.
type Global struct {
	Span
	Names []*Name
}

// A Nonlocal is nonlocal Names.
type Nonlocal struct {
	Span
	Names []*Name
}

// An Alias is one imported name. Name is dotted in an Import and may be "*" in
// an ImportFrom. Bind is the name that gets bound: the one behind `as`, else
// the first part of Name; it is nil for "*". HasAs tells the two apart:
// `import a.b` binds a to package a, `import a.b as c` binds c to a.b.
type Alias struct {
	Span
	Name  string
	HasAs bool
	Bind  *Name
}

// An Import is import a.b, c as d.
type Import struct {
	Span
	Names []*Alias
}

// An ImportFrom is from Module import Names; Level counts leading dots.
type ImportFrom struct {
	Span
	Module string
	Level  int
	Names  []*Alias
}

// A Load is load("Module", "From[0]", To[1]="From[1]", …).
type Load struct {
	Span
	Module *Constant
	From   []*Constant // the names in the other module
	To     []*Name     // the names bound here
}

// An If is if Test: Body else: Orelse; elif is an Orelse of one If.
type If struct {
	Span
	Test   Expr
	Body   []Stmt
	Orelse []Stmt
}

// A While loops while Test holds; Orelse runs unless a break left the loop.
type While struct {
	Span
	Test   Expr
	Body   []Stmt
	Orelse []Stmt
}

// A For loops over Iter; Orelse runs unless a break left the loop.
type For struct {
	Span
	Target Expr
	Iter   Expr
	Body   []Stmt
	Orelse []Stmt
}

// A With is with Items: Body.
type With struct {
	Span
	Items []*WithItem
	Body  []Stmt
}

// A WithItem is Context [as Target].
type WithItem struct {
	Span
	Context Expr
	Target  Expr // may be nil
}

// A Try is try/except/else/finally. Star marks except*.
type Try struct {
	Span
	Body     []Stmt
	Handlers []*ExceptHandler
	Orelse   []Stmt
	Finally  []Stmt
	Star     bool
}

// An ExceptHandler is except [Type [as Name]]: Body.
type ExceptHandler struct {
	Span
	Type Expr  // may be nil
	Name *Name // may be nil
	Body []Stmt
}

// A FunctionDef is a def statement. Its Span starts at `def`; decorators stand
// before it.
type FunctionDef struct {
	Span
	Decorators []Expr
	Name       *Name
	Params     *Params
	Returns    Expr // may be nil
	Body       []Stmt
	Scope      *Scope // filled by lang/resolve
}

// A ClassDef is a class statement. Its Span starts at `class`; decorators stand
// before it.
type ClassDef struct {
	Span
	Decorators []Expr
	Name       *Name
	Bases      []Expr
	Keywords   []*Keyword
	Body       []Stmt
	Scope      *Scope // filled by lang/resolve
}

// A Match is match Subject: Cases.
type Match struct {
	Span
	Subject Expr
	Cases   []*MatchCase
}

// A MatchCase is case Pattern [if Guard]: Body.
type MatchCase struct {
	Span
	Pattern Pattern
	Guard   Expr // may be nil
	Body    []Stmt
}

func (*ExprStmt) stmtNode()    {}
func (*Assign) stmtNode()      {}
func (*AugAssign) stmtNode()   {}
func (*AnnAssign) stmtNode()   {}
func (*Delete) stmtNode()      {}
func (*Pass) stmtNode()        {}
func (*Break) stmtNode()       {}
func (*Continue) stmtNode()    {}
func (*Return) stmtNode()      {}
func (*Raise) stmtNode()       {}
func (*Assert) stmtNode()      {}
func (*Global) stmtNode()      {}
func (*Nonlocal) stmtNode()    {}
func (*Import) stmtNode()      {}
func (*ImportFrom) stmtNode()  {}
func (*Load) stmtNode()        {}
func (*If) stmtNode()          {}
func (*While) stmtNode()       {}
func (*For) stmtNode()         {}
func (*With) stmtNode()        {}
func (*Try) stmtNode()         {}
func (*FunctionDef) stmtNode() {}
func (*ClassDef) stmtNode()    {}
func (*Match) stmtNode()       {}

// ---- patterns

// A MatchValue compares the subject for equality with Value: a number, a
// string, or a dotted name.
type MatchValue struct {
	Span
	Value Expr
}

// A MatchSingleton compares the subject by identity with None, True or False.
type MatchSingleton struct {
	Span
	Value *Constant
}

// A MatchSequence matches a sequence; at most one element is a MatchStar.
type MatchSequence struct {
	Span
	Patterns []Pattern
}

// A MatchMapping matches a mapping that has Keys; Rest, which may be nil, gets
// what is left.
type MatchMapping struct {
	Span
	Keys     []Expr
	Patterns []Pattern
	Rest     *Name
}

// A MatchClass is Class(Patterns…, KwdAttrs[i]=KwdPatterns[i]…).
type MatchClass struct {
	Span
	Class       Expr
	Patterns    []Pattern
	KwdAttrs    []string
	KwdPatterns []Pattern
}

// A MatchStar is *Name within a sequence; Name is nil for *_.
type MatchStar struct {
	Span
	Name *Name
}

// A MatchAs is Pattern as Name; without Pattern a capture; without both the
// wildcard _.
type MatchAs struct {
	Span
	Pattern Pattern
	Name    *Name
}

// A MatchOr is Patterns[0] | Patterns[1] | ….
type MatchOr struct {
	Span
	Patterns []Pattern
}

func (*MatchValue) patternNode()     {}
func (*MatchSingleton) patternNode() {}
func (*MatchSequence) patternNode()  {}
func (*MatchMapping) patternNode()   {}
func (*MatchClass) patternNode()     {}
func (*MatchStar) patternNode()      {}
func (*MatchAs) patternNode()        {}
func (*MatchOr) patternNode()        {}

// Docstring returns the text of the string literal that a body starts with.
func Docstring(body []Stmt) (string, bool) {
	if len(body) > 0 {
		if s, ok := body[0].(*ExprStmt); ok {
			if c, ok := s.X.(*Constant); ok && c.Kind == StrConst {
				return c.Str, true
			}
		}
	}
	return "", false
}
