package bytecode

// An Op is an operation code: the low byte of an instruction word.
type Op uint8

// A Kind says what an operand field of an instruction holds.
type Kind uint8

const (
	None    Kind = iota // not used, must be zero
	Dst                 // register, written
	Src                 // register, read
	Mod                 // register, read and written
	Opt                 // register, read, or NoReg
	Base                // first register of the row's Window
	Iter                // first of the three registers of an iteration
	Catch               // first of the two registers of a handler: exception, what was handled before
	Imm                 // signed 16-bit integer
	Uint                // unsigned 16-bit integer (a count or flags; the row's picture says which)
	Jump                // signed 16-bit distance in instructions from the next one
	Jump32              // the same in 32 bits; occupies B and C
	Const               // constant number × 16 in 32 bits; occupies B and C
	Global              // number in the program's Globals × 16 in 32 bits; occupies B and C
	Site                // number in the code's Sites
	FreeVar             // number in the code's Free
	Child               // number in the code's Children
	Import              // number in the code's Imports
)

// A Window is a run of registers that an instruction touches besides those that
// its fields name: Plus + Mul × count of them, from the Base field on. Count is
// the field ('B' or 'C') that holds the count, or 0.
type Window struct {
	Count byte
	Mul   int
	Plus  int
	Write bool // written; else read
	Both  bool // read, and the first one written
}

// A Result says what becomes of the value that an instruction computes, also
// when it is computed late: by a frame that the instruction had to push.
type Result uint8

const (
	NoResult  Result = iota
	ToA              // stored in register A
	BoolToA          // its truth is stored in register A
	NotToA           // the negation of its truth is stored in register A
	JumpIf           // jump when true
	JumpIfNot        // jump when false
	Iterate          // an item: stored in A, and jump; at the end of the iteration fall through
	Special          // the machine has code for this opcode alone
)

// Flags of a row.
const (
	MayRaise  = 1 << iota // can end in an exception
	SafePoint             // may run other code, and so be where a thread is interrupted
	Terminal              // control does not reach the next instruction
	BackEdge              // jumps backwards: a loop's place to count and to stop at
	InPlace               // may carry InPlaceBit
)

// InPlaceBit in an instruction word asks for the in-place form of an operator
// (x += y), which tries __iadd__ before __add__. On DICTPUT it says that the key
// must be new.
const InPlaceBit = 1 << 8

// NoReg in an Opt field means that there is no such register.
const NoReg = 0xFFFF

// A Row is everything the package knows of one opcode. Disassembler, verifier
// and machine read it; nothing else lists opcodes.
type Row struct {
	Name    string
	A, B, C Kind
	Window  Window
	Result  Result
	Flags   int
	Picture string // what it does; K constants, G globals, S sites, w a window
}

// The opcodes. END is zero, so that zeroed memory stops the machine.
const (
	END Op = iota
	NOP
	MOVE
	LOADK
	CLEAR
	CHECK
	GETG
	SETG
	DELG
	MKCELL
	GETCELL
	SETCELL
	DELCELL
	GETFREE
	SETFREE
	DELFREE
	GETNAME
	SETNAME
	DELNAME
	GETNAMEFREE

	ADD
	SUB
	MUL
	DIV
	FLOORDIV
	MOD
	POW
	MATMUL
	LSHIFT
	RSHIFT
	OR
	XOR
	AND
	ADDI
	SUBI
	MULI
	FLOORDIVI
	MODI
	ANDI
	LSHIFTI
	RSHIFTI
	NEG
	POS
	INVERT
	NOT

	LT
	LE
	GT
	GE
	EQ
	NE
	IN
	NOTIN
	IS
	ISNOT

	JMP
	LOOP
	JF
	JT
	JNONE
	JNNONE
	JNLT
	JNLE
	JNGT
	JNGE
	JNEQ
	JNNE
	JNLTI
	JNLEI
	JNGTI
	JNGEI
	JNEQI
	JNNEI

	ITER
	GETITER
	FORITER
	ITERDONE
	UNPACK
	UNPACKEX

	LIST
	TUPLE
	SET
	DICT
	SLICE
	LISTAPP
	SETADD
	DICTPUT
	LISTEXT
	SETEXT
	DICTUPD
	DICTMERGE
	LISTTUP
	GETIDX
	SETIDX
	DELIDX
	GETATTR
	SETATTR
	DELATTR

	CALL
	CALLM
	CALLK
	CALLMK
	METHOD
	CALLB
	CALLBK
	CALLX
	RET
	YIELD
	GETYIELD
	SEND
	MKFUNC
	CLASS

	RAISE
	RAISECUR
	RERAISE
	ASSERTFAIL
	EXCMATCH
	ENDCATCH
	WITHENTER
	WITHEXIT

	FORMAT
	BUILDSTR
	IMPORT
	IMPORTFROM
	IMPORTSTAR
	LOAD
	ISSEQ
	ISMAP
	LEN
	MATCHKEYS
	MATCHREST
	MATCHCLASS
	DISPLAY

	NumOps
)

const (
	calls = MayRaise | SafePoint
	arith = MayRaise | SafePoint | InPlace
)

// Rows is the opcode table.
var Rows = [NumOps]Row{
	END:   {Name: "END", Flags: Terminal, Picture: "never executed: closes the code"},
	NOP:   {Name: "NOP", Picture: "nothing"},
	MOVE:  {Name: "MOVE", A: Dst, B: Src, Picture: "A = B"},
	LOADK: {Name: "LOADK", A: Dst, B: Const, Picture: "A = K"},
	CLEAR: {Name: "CLEAR", A: Dst, Picture: "A becomes unset"},
	CHECK: {Name: "CHECK", A: Src, B: Const, Flags: MayRaise, Picture: "UnboundLocalError naming K if A is unset"},
	GETG:  {Name: "GETG", A: Dst, B: Global, Result: ToA, Flags: MayRaise, Picture: "A = global G, else the builtin of that name"},
	SETG:  {Name: "SETG", A: Src, B: Global, Flags: MayRaise, Picture: "global G = A"},
	DELG:  {Name: "DELG", B: Global, Flags: MayRaise, Picture: "del global G"},

	MKCELL:      {Name: "MKCELL", A: Dst, B: Opt, Picture: "A = new cell, holding B if there is one"},
	GETCELL:     {Name: "GETCELL", A: Dst, B: Src, Flags: MayRaise, Picture: "A = content of cell B"},
	SETCELL:     {Name: "SETCELL", A: Src, B: Src, Picture: "content of cell A = B"},
	DELCELL:     {Name: "DELCELL", A: Src, Flags: MayRaise, Picture: "content of cell A becomes unset"},
	GETFREE:     {Name: "GETFREE", A: Dst, C: FreeVar, Flags: MayRaise, Picture: "A = content of the function's cell C"},
	SETFREE:     {Name: "SETFREE", A: Src, C: FreeVar, Picture: "content of the function's cell C = A"},
	DELFREE:     {Name: "DELFREE", C: FreeVar, Flags: MayRaise, Picture: "content of the function's cell C becomes unset"},
	GETNAME:     {Name: "GETNAME", A: Dst, B: Global, Result: ToA, Flags: calls, Picture: "A = name G of the class namespace in register 0, else the global, else the builtin"},
	SETNAME:     {Name: "SETNAME", A: Src, B: Global, Flags: calls, Picture: "name G of the class namespace = A"},
	DELNAME:     {Name: "DELNAME", B: Global, Flags: calls, Picture: "del name G of the class namespace"},
	GETNAMEFREE: {Name: "GETNAMEFREE", A: Dst, C: FreeVar, Result: ToA, Flags: calls, Picture: "A = that name of the class namespace, else the content of cell C"},

	ADD:       {Name: "ADD", A: Dst, B: Src, C: Src, Result: ToA, Flags: arith, Picture: "A = B + C"},
	SUB:       {Name: "SUB", A: Dst, B: Src, C: Src, Result: ToA, Flags: arith, Picture: "A = B - C"},
	MUL:       {Name: "MUL", A: Dst, B: Src, C: Src, Result: ToA, Flags: arith, Picture: "A = B * C"},
	DIV:       {Name: "DIV", A: Dst, B: Src, C: Src, Result: ToA, Flags: arith, Picture: "A = B / C"},
	FLOORDIV:  {Name: "FLOORDIV", A: Dst, B: Src, C: Src, Result: ToA, Flags: arith, Picture: "A = B // C"},
	MOD:       {Name: "MOD", A: Dst, B: Src, C: Src, Result: ToA, Flags: arith, Picture: "A = B % C"},
	POW:       {Name: "POW", A: Dst, B: Src, C: Src, Result: ToA, Flags: arith, Picture: "A = B ** C"},
	MATMUL:    {Name: "MATMUL", A: Dst, B: Src, C: Src, Result: ToA, Flags: arith, Picture: "A = B @ C"},
	LSHIFT:    {Name: "LSHIFT", A: Dst, B: Src, C: Src, Result: ToA, Flags: arith, Picture: "A = B << C"},
	RSHIFT:    {Name: "RSHIFT", A: Dst, B: Src, C: Src, Result: ToA, Flags: arith, Picture: "A = B >> C"},
	OR:        {Name: "OR", A: Dst, B: Src, C: Src, Result: ToA, Flags: arith, Picture: "A = B | C"},
	XOR:       {Name: "XOR", A: Dst, B: Src, C: Src, Result: ToA, Flags: arith, Picture: "A = B ^ C"},
	AND:       {Name: "AND", A: Dst, B: Src, C: Src, Result: ToA, Flags: arith, Picture: "A = B & C"},
	ADDI:      {Name: "ADDI", A: Dst, B: Src, C: Imm, Result: ToA, Flags: arith, Picture: "A = B + imm C"},
	SUBI:      {Name: "SUBI", A: Dst, B: Src, C: Imm, Result: ToA, Flags: arith, Picture: "A = B - imm C"},
	MULI:      {Name: "MULI", A: Dst, B: Src, C: Imm, Result: ToA, Flags: arith, Picture: "A = B * imm C"},
	FLOORDIVI: {Name: "FLOORDIVI", A: Dst, B: Src, C: Imm, Result: ToA, Flags: arith, Picture: "A = B // imm C"},
	MODI:      {Name: "MODI", A: Dst, B: Src, C: Imm, Result: ToA, Flags: arith, Picture: "A = B % imm C"},
	ANDI:      {Name: "ANDI", A: Dst, B: Src, C: Imm, Result: ToA, Flags: arith, Picture: "A = B & imm C"},
	LSHIFTI:   {Name: "LSHIFTI", A: Dst, B: Src, C: Imm, Result: ToA, Flags: arith, Picture: "A = B << imm C"},
	RSHIFTI:   {Name: "RSHIFTI", A: Dst, B: Src, C: Imm, Result: ToA, Flags: arith, Picture: "A = B >> imm C"},
	NEG:       {Name: "NEG", A: Dst, B: Src, Result: ToA, Flags: calls, Picture: "A = -B"},
	POS:       {Name: "POS", A: Dst, B: Src, Result: ToA, Flags: calls, Picture: "A = +B"},
	INVERT:    {Name: "INVERT", A: Dst, B: Src, Result: ToA, Flags: calls, Picture: "A = ~B"},
	NOT:       {Name: "NOT", A: Dst, B: Src, Result: NotToA, Flags: calls, Picture: "A = not B"},

	LT:    {Name: "LT", A: Dst, B: Src, C: Src, Result: ToA, Flags: calls, Picture: "A = B < C"},
	LE:    {Name: "LE", A: Dst, B: Src, C: Src, Result: ToA, Flags: calls, Picture: "A = B <= C"},
	GT:    {Name: "GT", A: Dst, B: Src, C: Src, Result: ToA, Flags: calls, Picture: "A = B > C"},
	GE:    {Name: "GE", A: Dst, B: Src, C: Src, Result: ToA, Flags: calls, Picture: "A = B >= C"},
	EQ:    {Name: "EQ", A: Dst, B: Src, C: Src, Result: ToA, Flags: calls, Picture: "A = B == C"},
	NE:    {Name: "NE", A: Dst, B: Src, C: Src, Result: ToA, Flags: calls, Picture: "A = B != C"},
	IN:    {Name: "IN", A: Dst, B: Src, C: Src, Result: BoolToA, Flags: calls, Picture: "A = B in C"},
	NOTIN: {Name: "NOTIN", A: Dst, B: Src, C: Src, Result: NotToA, Flags: calls, Picture: "A = B not in C"},
	IS:    {Name: "IS", A: Dst, B: Src, C: Src, Picture: "A = B is C"},
	ISNOT: {Name: "ISNOT", A: Dst, B: Src, C: Src, Picture: "A = B is not C"},

	JMP:    {Name: "JMP", B: Jump32, Flags: Terminal, Picture: "jump"},
	LOOP:   {Name: "LOOP", B: Jump32, Flags: Terminal | BackEdge | calls, Picture: "jump back to a loop's header"},
	JF:     {Name: "JF", A: Src, C: Jump, Result: JumpIfNot, Flags: calls, Picture: "jump if A is false"},
	JT:     {Name: "JT", A: Src, C: Jump, Result: JumpIf, Flags: calls, Picture: "jump if A is true"},
	JNONE:  {Name: "JNONE", A: Src, C: Jump, Picture: "jump if A is None"},
	JNNONE: {Name: "JNNONE", A: Src, C: Jump, Picture: "jump if A is not None"},
	JNLT:   {Name: "JNLT", A: Src, B: Src, C: Jump, Result: JumpIfNot, Flags: calls, Picture: "jump unless A < B"},
	JNLE:   {Name: "JNLE", A: Src, B: Src, C: Jump, Result: JumpIfNot, Flags: calls, Picture: "jump unless A <= B"},
	JNGT:   {Name: "JNGT", A: Src, B: Src, C: Jump, Result: JumpIfNot, Flags: calls, Picture: "jump unless A > B"},
	JNGE:   {Name: "JNGE", A: Src, B: Src, C: Jump, Result: JumpIfNot, Flags: calls, Picture: "jump unless A >= B"},
	JNEQ:   {Name: "JNEQ", A: Src, B: Src, C: Jump, Result: JumpIfNot, Flags: calls, Picture: "jump unless A == B"},
	JNNE:   {Name: "JNNE", A: Src, B: Src, C: Jump, Result: JumpIfNot, Flags: calls, Picture: "jump unless A != B"},
	JNLTI:  {Name: "JNLTI", A: Src, B: Imm, C: Jump, Result: JumpIfNot, Flags: calls, Picture: "jump unless A < imm B"},
	JNLEI:  {Name: "JNLEI", A: Src, B: Imm, C: Jump, Result: JumpIfNot, Flags: calls, Picture: "jump unless A <= imm B"},
	JNGTI:  {Name: "JNGTI", A: Src, B: Imm, C: Jump, Result: JumpIfNot, Flags: calls, Picture: "jump unless A > imm B"},
	JNGEI:  {Name: "JNGEI", A: Src, B: Imm, C: Jump, Result: JumpIfNot, Flags: calls, Picture: "jump unless A >= imm B"},
	JNEQI:  {Name: "JNEQI", A: Src, B: Imm, C: Jump, Result: JumpIfNot, Flags: calls, Picture: "jump unless A == imm B"},
	JNNEI:  {Name: "JNNEI", A: Src, B: Imm, C: Jump, Result: JumpIfNot, Flags: calls, Picture: "jump unless A != imm B"},

	ITER:     {Name: "ITER", A: Dst, B: Src, Result: ToA, Flags: calls, Picture: "A = B if its type is a builtin container, else iter(B)"},
	GETITER:  {Name: "GETITER", A: Iter, B: Src, Result: Special, Flags: calls, Picture: "A, A+1, A+2 = iteration over B"},
	FORITER:  {Name: "FORITER", A: Dst, B: Iter, C: Jump, Result: Iterate, Flags: calls | BackEdge, Picture: "A = next item of iteration B and jump; fall through at its end"},
	ITERDONE: {Name: "ITERDONE", A: Iter, Picture: "iteration A ends early (the Starlark dialect lets go of its container)"},
	UNPACK:   {Name: "UNPACK", A: Base, B: Src, C: Uint, Window: Window{Count: 'C', Mul: 1, Write: true}, Result: Special, Flags: calls, Picture: "w = the C items of B"},
	UNPACKEX: {Name: "UNPACKEX", A: Base, B: Src, C: Uint, Result: Special, Flags: calls, Picture: "w = first C&255 items of B, a list of the middle, last C>>8 items"},

	LIST:      {Name: "LIST", A: Dst, B: Base, C: Uint, Window: Window{Count: 'C', Mul: 1}, Picture: "A = [w]"},
	TUPLE:     {Name: "TUPLE", A: Dst, B: Base, C: Uint, Window: Window{Count: 'C', Mul: 1}, Picture: "A = (w)"},
	SET:       {Name: "SET", A: Dst, B: Base, C: Uint, Window: Window{Count: 'C', Mul: 1}, Result: ToA, Flags: calls, Picture: "A = {w}"},
	DICT:      {Name: "DICT", A: Dst, B: Base, C: Uint, Window: Window{Count: 'C', Mul: 2}, Result: ToA, Flags: calls, Picture: "A = {w[0]: w[1], …}, C pairs"},
	SLICE:     {Name: "SLICE", A: Dst, B: Base, Window: Window{Plus: 3}, Picture: "A = slice(w[0], w[1], w[2])"},
	LISTAPP:   {Name: "LISTAPP", A: Src, B: Src, Flags: MayRaise, Picture: "append B to the list A"},
	SETADD:    {Name: "SETADD", A: Src, B: Src, Flags: calls, Picture: "add B to the set A"},
	DICTPUT:   {Name: "DICTPUT", A: Src, B: Src, C: Src, Flags: calls | InPlace, Picture: "dict A[B] = C"},
	LISTEXT:   {Name: "LISTEXT", A: Src, B: Src, C: Opt, Flags: calls, Picture: "extend the list A by the items of B; C, if any, is the callee to name in an error"},
	SETEXT:    {Name: "SETEXT", A: Src, B: Src, Flags: calls, Picture: "add the items of B to the set A"},
	DICTUPD:   {Name: "DICTUPD", A: Src, B: Src, Flags: calls, Picture: "update the dict A by the mapping B"},
	DICTMERGE: {Name: "DICTMERGE", A: Src, B: Src, C: Src, Flags: calls, Picture: "add keyword arguments B to the dict A for a call of C; a second one of a name is an error"},
	LISTTUP:   {Name: "LISTTUP", A: Dst, B: Src, Picture: "A = tuple of the list B"},
	GETIDX:    {Name: "GETIDX", A: Dst, B: Src, C: Src, Result: ToA, Flags: calls, Picture: "A = B[C]"},
	SETIDX:    {Name: "SETIDX", A: Src, B: Src, C: Src, Flags: calls, Picture: "A[B] = C"},
	DELIDX:    {Name: "DELIDX", A: Src, B: Src, Flags: calls, Picture: "del A[B]"},
	GETATTR:   {Name: "GETATTR", A: Dst, B: Src, C: Site, Result: ToA, Flags: calls, Picture: "A = B.S"},
	SETATTR:   {Name: "SETATTR", A: Src, B: Src, C: Site, Flags: calls, Picture: "A.S = B"},
	DELATTR:   {Name: "DELATTR", A: Src, C: Site, Flags: calls, Picture: "del A.S"},

	CALL:     {Name: "CALL", A: Base, B: Uint, Window: Window{Count: 'B', Mul: 1, Plus: 1, Both: true}, Result: ToA, Flags: calls, Picture: "A = A(w[1], …), B arguments"},
	CALLM:    {Name: "CALLM", A: Base, B: Uint, C: Site, Window: Window{Count: 'B', Mul: 1, Plus: 2, Both: true}, Result: ToA, Flags: calls, Picture: "A = w[1].S(w[2], …), B arguments; w[0] is scratch"},
	CALLK:    {Name: "CALLK", A: Base, B: Uint, C: Site, Window: Window{Count: 'B', Mul: 1, Plus: 1, Both: true}, Result: ToA, Flags: calls, Picture: "A = A(w[1], …), B arguments, the last ones by the site's keywords"},
	CALLMK:   {Name: "CALLMK", A: Base, B: Uint, C: Site, Window: Window{Count: 'B', Mul: 1, Plus: 2, Both: true}, Result: ToA, Flags: calls, Picture: "A = w[1].S(w[2], …) likewise"},
	METHOD:   {Name: "METHOD", A: Base, B: Src, C: Site, Window: Window{Plus: 2, Write: true}, Result: Special, Flags: calls, Picture: "w = function and B, if B.S is a method; else B.S and unset"},
	CALLB:    {Name: "CALLB", A: Base, B: Uint, Window: Window{Count: 'B', Mul: 1, Plus: 2, Both: true}, Result: ToA, Flags: calls, Picture: "A = A(w[1], w[2], …) for what METHOD left in w[0] and w[1], B arguments"},
	CALLBK:   {Name: "CALLBK", A: Base, B: Uint, C: Site, Window: Window{Count: 'B', Mul: 1, Plus: 2, Both: true}, Result: ToA, Flags: calls, Picture: "likewise, the last ones by the site's keywords"},
	CALLX:    {Name: "CALLX", A: Base, Window: Window{Plus: 3, Both: true}, Result: ToA, Flags: calls, Picture: "A = A(*w[1], **w[2]); w[1] is a list, w[2] a dict or None"},
	RET:      {Name: "RET", A: Src, Flags: Terminal, Picture: "return A"},
	YIELD:    {Name: "YIELD", A: Dst, B: Src, C: Opt, Result: ToA, Flags: calls, Picture: "yield B; A = what is sent. C: the iteration that a yield from is in"},
	GETYIELD: {Name: "GETYIELD", A: Iter, B: Src, Result: Special, Flags: calls, Picture: "A = iterator to delegate to"},
	SEND:     {Name: "SEND", A: Mod, B: Iter, C: Jump, Result: Special, Flags: calls, Picture: "A = next item of iteration B, sent A; at its end A = its return value, and jump"},
	MKFUNC:   {Name: "MKFUNC", A: Dst, B: Base, C: Child, Window: Window{Plus: 3}, Picture: "A = function of child C; w = tuple of defaults, dict of keyword defaults, annotations; each may be None"},
	CLASS:    {Name: "CLASS", A: Base, Window: Window{Plus: 4, Both: true}, Result: Special, Flags: calls, Picture: "A = class made by body function A with name w[1], list of bases w[2], dict of keywords w[3] or None"},

	RAISE:      {Name: "RAISE", A: Src, B: Opt, Flags: MayRaise | Terminal | SafePoint, Picture: "raise A, from B if there is one"},
	RAISECUR:   {Name: "RAISECUR", Flags: MayRaise | Terminal, Picture: "raise the exception that is being handled"},
	RERAISE:    {Name: "RERAISE", A: Src, Flags: MayRaise | Terminal, Picture: "go on raising A"},
	ASSERTFAIL: {Name: "ASSERTFAIL", A: Opt, Flags: MayRaise | Terminal, Picture: "raise AssertionError(A)"},
	EXCMATCH:   {Name: "EXCMATCH", A: Dst, B: Src, C: Src, Flags: MayRaise, Picture: "A = exception B matches class or tuple C"},
	ENDCATCH:   {Name: "ENDCATCH", A: Catch, Picture: "the exception in A is handled; A and A+1 become unset"},
	WITHENTER:  {Name: "WITHENTER", A: Base, B: Src, Window: Window{Plus: 2, Write: true}, Result: Special, Flags: calls, Picture: "w[0] = B.__exit__, w[1] = B.__enter__(), both found on B's class"},
	WITHEXIT:   {Name: "WITHEXIT", A: Dst, B: Src, C: Opt, Result: ToA, Flags: calls, Picture: "A = B(type of C, C, traceback of C), or B(None, None, None)"},

	FORMAT:     {Name: "FORMAT", A: Dst, B: Base, C: Uint, Window: Window{Plus: 2}, Result: Special, Flags: calls, Picture: "A = format(w[0], w[1]); C: conversion character, 256 if w[1] counts"},
	BUILDSTR:   {Name: "BUILDSTR", A: Dst, B: Base, C: Uint, Window: Window{Count: 'C', Mul: 1}, Flags: MayRaise, Picture: "A = w joined"},
	IMPORT:     {Name: "IMPORT", A: Dst, C: Import, Result: ToA, Flags: calls, Picture: "A = module of import C"},
	IMPORTFROM: {Name: "IMPORTFROM", A: Dst, B: Src, C: Site, Result: ToA, Flags: calls, Picture: "A = S of module B"},
	IMPORTSTAR: {Name: "IMPORTSTAR", A: Src, Flags: calls, Picture: "bind all public names of module A"},
	LOAD:       {Name: "LOAD", A: Base, C: Import, Result: Special, Flags: calls, Picture: "w = the names of load C"},
	ISSEQ:      {Name: "ISSEQ", A: Dst, B: Src, Picture: "A = B is a sequence to match"},
	ISMAP:      {Name: "ISMAP", A: Dst, B: Src, Picture: "A = B is a mapping to match"},
	LEN:        {Name: "LEN", A: Dst, B: Src, Result: ToA, Flags: calls, Picture: "A = len(B)"},
	MATCHKEYS:  {Name: "MATCHKEYS", A: Dst, B: Src, C: Src, Result: ToA, Flags: calls, Picture: "A = tuple of B's values at keys C, or None"},
	MATCHREST:  {Name: "MATCHREST", A: Dst, B: Src, C: Src, Result: ToA, Flags: calls, Picture: "A = dict of B without keys C"},
	MATCHCLASS: {Name: "MATCHCLASS", A: Mod, B: Src, C: Src, Result: ToA, Flags: calls, Picture: "A = tuple of B's attributes by pattern A (count, names…) if B is a C, else None"},
	DISPLAY:    {Name: "DISPLAY", A: Src, Flags: calls, Picture: "show A at the prompt"},
}

// Row returns the table's row for op; for a number that is no opcode, END's.
func (op Op) Row() *Row {
	if op >= NumOps {
		return &Rows[END]
	}
	return &Rows[op]
}

func (op Op) String() string { return op.Row().Name }
