package syntax

import (
	"maps"
	"slices"
)

// A tok is the kind of a token.
type tok uint8

const (
	tEOF tok = iota
	tError
	tNewline
	tIndent
	tDedent
	tName
	tNumber
	tString

	// Operators and punctuation.
	tPlus
	tMinus
	tStar
	tSlash
	tSlashSlash
	tPercent
	tAt
	tStarStar
	tShl
	tShr
	tAmp
	tPipe
	tCaret
	tTilde
	tLt
	tGt
	tLe
	tGe
	tEqEq
	tNe
	tEq
	tPlusEq // the augmented forms stand in the order of tPlus to tCaret
	tMinusEq
	tStarEq
	tSlashEq
	tSlashSlashEq
	tPercentEq
	tAtEq
	tStarStarEq
	tShlEq
	tShrEq
	tAmpEq
	tPipeEq
	tCaretEq
	tWalrus
	tArrow
	tDot
	tEllipsis
	tComma
	tColon
	tSemi
	tLparen
	tRparen
	tLbrack
	tRbrack
	tLbrace
	tRbrace

	// Keywords of either dialect.
	tAnd
	tAs
	tAssert
	tAsync
	tAwait
	tBreak
	tClass
	tContinue
	tDef
	tDel
	tElif
	tElse
	tExcept
	tFalse
	tFinally
	tFor
	tFrom
	tGlobal
	tIf
	tImport
	tIn
	tIs
	tLambda
	tLoad
	tNone
	tNonlocal
	tNot
	tOr
	tPass
	tRaise
	tReturn
	tTrue
	tTry
	tWhile
	tWith
	tYield
	numToks
)

var tokNames = [numToks]string{
	tEOF: "end of file", tError: "illegal token", tNewline: "newline", tIndent: "indent", tDedent: "outdent",
	tName: "identifier", tNumber: "number", tString: "string literal",
	tPlus: "+", tMinus: "-", tStar: "*", tSlash: "/", tSlashSlash: "//", tPercent: "%", tAt: "@", tStarStar: "**",
	tShl: "<<", tShr: ">>", tAmp: "&", tPipe: "|", tCaret: "^", tTilde: "~",
	tLt: "<", tGt: ">", tLe: "<=", tGe: ">=", tEqEq: "==", tNe: "!=", tEq: "=",
	tPlusEq: "+=", tMinusEq: "-=", tStarEq: "*=", tSlashEq: "/=", tSlashSlashEq: "//=", tPercentEq: "%=", tAtEq: "@=",
	tStarStarEq: "**=", tShlEq: "<<=", tShrEq: ">>=", tAmpEq: "&=", tPipeEq: "|=", tCaretEq: "^=",
	tWalrus: ":=", tArrow: "->", tDot: ".", tEllipsis: "...", tComma: ",", tColon: ":", tSemi: ";",
	tLparen: "(", tRparen: ")", tLbrack: "[", tRbrack: "]", tLbrace: "{", tRbrace: "}",
	tAnd: "and", tAs: "as", tAssert: "assert", tAsync: "async", tAwait: "await", tBreak: "break", tClass: "class",
	tContinue: "continue", tDef: "def", tDel: "del", tElif: "elif", tElse: "else", tExcept: "except", tFalse: "False",
	tFinally: "finally", tFor: "for", tFrom: "from", tGlobal: "global", tIf: "if", tImport: "import", tIn: "in",
	tIs: "is", tLambda: "lambda", tLoad: "load", tNone: "None", tNonlocal: "nonlocal", tNot: "not", tOr: "or",
	tPass: "pass", tRaise: "raise", tReturn: "return", tTrue: "True", tTry: "try", tWhile: "while", tWith: "with",
	tYield: "yield",
}

func (t tok) String() string { return tokNames[t] }

func (t tok) isPunct() bool     { return t >= tPlus && t <= tRbrace }
func (t tok) isAugmented() bool { return t >= tPlusEq && t <= tCaretEq }

// augmented returns the operator of an augmented assignment's token.
func (t tok) augmented() Op { return binaryOps[t-tPlusEq+tPlus] }

var binaryOps = map[tok]Op{
	tPlus: Add, tMinus: Sub, tStar: Mult, tSlash: Div, tSlashSlash: FloorDiv, tPercent: Mod, tAt: MatMult,
	tStarStar: Pow, tShl: LShift, tShr: RShift, tAmp: BitAnd, tPipe: BitOr, tCaret: BitXor,
}

var operators = func() map[string]tok {
	m := make(map[string]tok)
	for t := tPlus; t <= tRbrace; t++ {
		m[tokNames[t]] = t
	}
	return m
}()

// keywords of the model dialect are Python's, those of Starlark its own and the
// words that it reserves.
var keywords = func() (m [2]map[string]tok) {
	m[Model], m[Starlark] = make(map[string]tok), make(map[string]tok)
	for t := tAnd; t < numToks; t++ {
		if t != tLoad {
			m[Model][tokNames[t]] = t
		}
		switch t {
		case tAssert, tFalse, tNone, tTrue:
		default:
			m[Starlark][tokNames[t]] = t
		}
	}
	return m
}()

// A token is a kind and a range of the text. Its value is decoded when the parser
// uses it.
type token struct {
	kind       tok
	depth      int16 // brackets open around it
	start, end Pos
	off, lim   int32 // the text is src[off:lim]
}

// Keywords lists the reserved words of a dialect, sorted.
func Keywords(o Options) []string { return slices.Sorted(maps.Keys(keywords[o.Dialect])) }
