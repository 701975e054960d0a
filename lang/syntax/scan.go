package syntax

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxBrackets         = 200  // as CPython's tokenizer
	maxBracketsStarlark = 1000 // as go.starlark.net's scanner
	maxIndents          = 100
	tabSize             = 8
)

// A bracket is an opening one, seen and not yet closed.
type bracket struct {
	char byte
	pos  Pos
}

// A scanner turns a text into tokens, all at once: the parser may then look ahead
// and go back freely, and knows whether a fault that it finds comes before one
// that the scanner found. A scanner's fault ends the tokens with a tError.
type scanner struct {
	src      string
	dialect  Dialect
	off      int   // next byte
	line     int32 // its line
	bol      int   // offset of the line's first byte
	wide     int   // bytes of the line before off that are not a code point's first
	brackets []bracket
	indents  []indent
	toks     []token
	nested   bool // scanning within an f-string's braces: newlines mean nothing

	err      *Error
	unclosed bool // err is a bracket never closed
}

// An indent is a line's leading space: col with tabs to multiples of 8, alt with
// tabs as one. Where the two disagree on the order of lines, tabs and spaces
// were mixed.
type indent struct{ col, alt int }

// scanStop ends scanning: the fault is in scanner.err.
type scanStop struct{}

func newScanner(src string, d Dialect) *scanner {
	return &scanner{src: src, dialect: d, line: 1, indents: []indent{{}}, toks: make([]token, 0, len(src)/4+8)}
}

// run scans to the end.
func (s *scanner) run() {
	defer func() {
		if e := recover(); e != nil {
			if _, ok := e.(scanStop); !ok {
				panic(e)
			}
			s.emit(tError, s.off, s.err.Span.Start)
		}
	}()
	if s.nested {
		for s.token() {
		}
		return
	}
	for s.logicalLine() {
	}
}

func (s *scanner) pos() Pos { return Pos{s.line, int32(s.off-s.bol-s.wide) + 1} }

func (s *scanner) emit(k tok, off int, start Pos) {
	s.toks = append(s.toks, token{k, int16(len(s.brackets)), start, s.pos(), int32(off), int32(s.off)})
}

func (s *scanner) fail(kind ErrorKind, span Span, format string, args ...any) {
	s.err = &Error{Kind: kind, Msg: fmt.Sprintf(format, args...), Span: span}
	panic(scanStop{})
}

// failAt reports a fault of one character's width.
func (s *scanner) failAt(p Pos, format string, args ...any) {
	s.fail(SyntaxError, Span{p, Pos{p.Line, p.Col + 1}}, format, args...)
}

// peek returns the byte i places on, or 0 behind the end.
func (s *scanner) peek(i int) byte {
	if s.off+i < len(s.src) {
		return s.src[s.off+i]
	}
	return 0
}

// char returns the code point at off and its size.
func (s *scanner) char() (rune, int) {
	if s.off >= len(s.src) {
		return -1, 0
	}
	if b := s.src[s.off]; b < utf8.RuneSelf {
		return rune(b), 1
	}
	return utf8.DecodeRuneInString(s.src[s.off:])
}

// next steps over one code point and keeps line and column.
func (s *scanner) next() {
	_, n := s.char()
	if n == 1 && s.src[s.off] == '\n' {
		s.off++
		s.line++
		s.bol, s.wide = s.off, 0
		return
	}
	s.off += n
	s.wide += n - 1
}

// logicalLine scans one line with what joins it: indentation, tokens, NEWLINE. It
// reports false behind the end of the text.
func (s *scanner) logicalLine() bool {
	var in indent
	for {
		switch s.peek(0) {
		case ' ':
			in.col++
			in.alt++
		case '\t':
			in.col = (in.col/tabSize + 1) * tabSize
			in.alt++
		case '\f':
			if s.dialect == Starlark {
				s.failAt(s.pos(), "unexpected input character %#q", '\f')
			}
			in = indent{}
		case '\\':
			// A line that is joined to the next one has the first one's indentation.
			if s.dialect == Model && s.peek(1) == '\n' {
				s.next()
				s.next()
				if s.off == len(s.src) {
					s.endsInBackslash()
				}
				continue
			}
			goto body
		default:
			goto body
		}
		s.next()
	}
body:
	c := s.peek(0)
	blank := c == '#' || c == '\n' || s.off >= len(s.src)
	if s.off >= len(s.src) {
		s.dedent(0)
		s.emit(tEOF, s.off, s.pos())
		return false
	}
	if blank {
		s.comment()
		if s.off < len(s.src) {
			s.next()
		}
		return true
	}
	s.indentation(in)
	for s.token() {
	}
	return s.toks[len(s.toks)-1].kind != tEOF
}

// indentation emits INDENT or DEDENTs for a line that starts at in.
func (s *scanner) indentation(in indent) {
	top := s.indents[len(s.indents)-1]
	mixed := func() {
		if s.dialect == Model {
			s.fail(TabError, Span{s.pos(), s.pos()}, "inconsistent use of tabs and spaces in indentation")
		}
	}
	switch {
	case in.col == top.col:
		if in.alt != top.alt {
			mixed()
		}
	case in.col > top.col:
		if in.alt <= top.alt {
			mixed()
		}
		if len(s.indents) >= maxIndents {
			s.fail(IndentationError, Span{s.pos(), s.pos()}, "too many levels of indentation")
		}
		s.indents = append(s.indents, in)
		s.emit(tIndent, s.off, s.pos())
	default:
		s.dedent(in.col)
		if top := s.indents[len(s.indents)-1]; in.col != top.col {
			end := s.pos()
			line, _, _ := strings.Cut(s.src[s.off:], "\n")
			end.Col += int32(utf8.RuneCountInString(strings.TrimRight(line, "\r")))
			s.fail(IndentationError, Span{end, end}, "unindent does not match any outer indentation level")
		} else if in.alt != top.alt {
			mixed()
		}
	}
}

func (s *scanner) dedent(col int) {
	for len(s.indents) > 1 && col < s.indents[len(s.indents)-1].col {
		s.indents = s.indents[:len(s.indents)-1]
		s.emit(tDedent, s.off, s.pos())
	}
}

func (s *scanner) comment() {
	if s.peek(0) == '#' {
		for s.off < len(s.src) && s.src[s.off] != '\n' {
			s.next()
		}
	}
}

func (s *scanner) endsInBackslash() {
	s.err = &Error{Msg: "unexpected EOF while parsing", Span: Span{s.pos(), s.pos()}, Incomplete: true}
	panic(scanStop{})
}

// token scans one token. It reports false when that ended the logical line.
func (s *scanner) token() bool {
	for {
		c := s.peek(0)
		switch {
		case c == ' ' || c == '\t' || c == '\f' && s.dialect == Model:
			s.next()
			continue
		case c == '#':
			s.comment()
			continue
		case c == '\n':
			if len(s.brackets) > 0 || s.nested {
				s.next()
				continue
			}
			off, start := s.off, s.pos()
			s.toks = append(s.toks, token{tNewline, 0, start, Pos{start.Line, start.Col + 1}, int32(off), int32(off)})
			s.next()
			return false
		case c == '\\':
			start := s.pos()
			s.next()
			if s.off < len(s.src) && s.peek(0) != '\n' {
				if s.dialect == Starlark {
					s.failAt(start, "stray backslash in program")
				}
				s.failAt(s.pos(), "unexpected character after line continuation character")
			}
			if s.off < len(s.src) {
				s.next()
			}
			if s.off == len(s.src) && s.dialect == Model {
				s.endsInBackslash()
			}
			continue
		}
		break
	}
	if s.off >= len(s.src) {
		s.endOfText()
		return false
	}
	off, start := s.off, s.pos()
	c := s.src[off]
	r, _ := s.char()
	switch {
	case isNameStart(r):
		if n := s.stringPrefix(); n >= 0 {
			s.scanString(n)
			return true
		}
		for r, _ := s.char(); isNamePart(r); r, _ = s.char() {
			s.next()
		}
		kind := tName
		if k, ok := keywords[s.dialect][s.src[off:s.off]]; ok {
			kind = k
		}
		s.emit(kind, off, start)
		return true
	case c == '"' || c == '\'':
		s.scanString(0)
		return true
	case isDigit(c) || c == '.' && isDigit(s.peek(1)):
		if s.dialect == Starlark {
			s.scanNumberStarlark()
		} else {
			s.scanNumber()
		}
		s.emit(tNumber, off, start)
		return true
	}
	switch c {
	case '(', '[', '{':
		limit := maxBrackets
		if s.dialect == Starlark {
			limit = maxBracketsStarlark
		}
		if len(s.brackets) >= limit {
			if s.dialect == Starlark {
				s.failAt(start, "excessive nesting")
			}
			s.failAt(start, "too many nested parentheses")
		}
		s.emitOp(1, off, start)
		s.brackets = append(s.brackets, bracket{c, start})
		return true
	case ')', ']', '}':
		s.closeBracket(c, start)
		s.emitOp(1, off, start)
		return true
	}
	for n := 3; n > 0; n-- {
		if n == 1 || off+n <= len(s.src) && strings.IndexByte("=*/<>.", s.src[off+n-1]) >= 0 {
			if k, ok := operators[s.src[off:off+n]]; ok && (s.dialect == Model || starlarkOps[k]) {
				s.emitOp(n, off, start)
				return true
			}
		}
	}
	switch {
	case s.dialect == Starlark && c == '!':
		s.failAt(start, "unexpected input character '!'")
	case s.dialect == Starlark:
		s.failAt(start, "unexpected input character %#q", r)
	case c == '!' || c == '$' || c == '?' || c == '`':
		// Tokens that no rule uses: the parser's "invalid syntax", at them.
		s.failAt(start, "invalid syntax")
	case unicode.IsPrint(r):
		s.failAt(start, "invalid character '%c' (U+%04X)", r, r)
	}
	s.failAt(start, "invalid non-printable character U+%04X", r)
	return false
}

// starlarkOps are the operators that Starlark's scanner knows.
var starlarkOps = func() (set [numToks]bool) {
	for t := tPlus; t <= tRbrace; t++ {
		set[t] = true
	}
	for _, t := range []tok{tAt, tAtEq, tStarStarEq, tWalrus, tArrow, tEllipsis} {
		set[t] = false
	}
	return set
}()

func (s *scanner) emitOp(n, off int, start Pos) {
	s.off += n
	s.emit(operators[s.src[off:s.off]], off, start)
}

func (s *scanner) closeBracket(c byte, p Pos) {
	if len(s.brackets) == 0 {
		if s.dialect == Starlark {
			s.failAt(p, "unexpected %q", c)
		}
		s.failAt(p, "unmatched '%c'", c)
	}
	open := s.brackets[len(s.brackets)-1]
	s.brackets = s.brackets[:len(s.brackets)-1]
	if s.dialect == Starlark || strings.IndexByte("([{", open.char) == strings.IndexByte(")]}", c) {
		return
	}
	if open.pos.Line != p.Line {
		s.failAt(p, "closing parenthesis '%c' does not match opening parenthesis '%c' on line %d", c, open.char, open.pos.Line)
	}
	s.failAt(p, "closing parenthesis '%c' does not match opening parenthesis '%c'", c, open.char)
}

// endOfText ends the tokens on a line without a newline, or within brackets.
func (s *scanner) endOfText() {
	if n := len(s.brackets); n > 0 && s.dialect == Model {
		open := s.brackets[n-1]
		s.unclosed = true
		s.err = &Error{
			Msg:        fmt.Sprintf("'%c' was never closed", open.char),
			Span:       Span{open.pos, Pos{open.pos.Line, open.pos.Col + 1}},
			Incomplete: !s.nested,
		}
		panic(scanStop{})
	}
	if !s.nested && len(s.brackets) == 0 && (s.dialect == Model || len(s.indents) > 1) {
		s.emit(tNewline, s.off, s.pos())
	}
	s.dedent(0)
	s.emit(tEOF, s.off, s.pos())
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isNameStart(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Other_ID_Start))
}

func isNamePart(r rune) bool {
	if r < utf8.RuneSelf {
		return isNameStart(r) || '0' <= r && r <= '9'
	}
	return isNameStart(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
}
