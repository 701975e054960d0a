package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// stringPrefix returns the length of a string prefix at off, or -1 if what stands
// there is a name.
func (s *scanner) stringPrefix() int {
	n := 0
	for n < 3 && isNameStart(rune(s.peek(n))) && s.peek(n) < utf8.RuneSelf {
		n++
	}
	if q := s.peek(n); n > 2 || q != '"' && q != '\'' {
		return -1
	}
	p := s.src[s.off : s.off+n]
	if s.dialect == Starlark {
		if p == "r" || p == "b" || p == "rb" {
			return n
		}
		return -1
	}
	switch strings.ToLower(p) {
	case "r", "b", "u", "f", "br", "rb", "fr", "rf":
		return n
	}
	return -1
}

// scanString scans a string literal whose prefix has n bytes.
func (s *scanner) scanString(n int) {
	off, start := s.off, s.pos()
	s.off += n
	q := s.src[s.off]
	triple := s.peek(1) == q && s.peek(2) == q
	width := 1
	if triple {
		width = 3
	}
	s.off += width
	for {
		if s.off >= len(s.src) {
			s.unterminated(start, triple, "unexpected EOF in string")
		}
		switch c := s.src[s.off]; {
		case c == '\\':
			s.next()
			if s.off >= len(s.src) {
				s.unterminated(start, triple, "unexpected EOF in string")
			}
			s.next()
		case c == q && (!triple || s.peek(1) == q && s.peek(2) == q):
			s.off += width
			s.emit(tString, off, start)
			return
		case c == '\n' && !triple:
			s.unterminated(start, triple, "unexpected newline in string")
		default:
			s.next()
		}
	}
}

func (s *scanner) unterminated(start Pos, triple bool, starlark string) {
	if s.dialect == Starlark {
		s.err = &Error{Msg: starlark, Span: Span{start, Pos{start.Line, start.Col + 1}}, Incomplete: triple}
		panic(scanStop{})
	}
	line := s.line
	if triple {
		// CPython counts the line that the text ends on, not the empty one behind it.
		if s.off > 0 && s.off == s.bol && line > 1 {
			line--
		}
		s.err = &Error{Span: Span{start, Pos{start.Line, start.Col + 1}}, Incomplete: !s.nested}
		s.err.Msg = "unterminated triple-quoted string literal (detected at line " + itoa(line) + ")"
		panic(scanStop{})
	}
	s.failAt(start, "unterminated string literal (detected at line %d)", line)
}

// scanNumber scans a Python number: decimal, 0x, 0o, 0b, with underscores between
// digits, fraction, exponent, j.
func (s *scanner) scanNumber() {
	start := s.off
	if s.peek(0) == '0' {
		for _, base := range []struct {
			low    byte
			digits string
			name   string
		}{{'x', "0123456789abcdefABCDEF", "hexadecimal"}, {'o', "01234567", "octal"}, {'b', "01", "binary"}} {
			if s.peek(1)|0x20 != base.low {
				continue
			}
			s.off += 2
			for {
				if s.peek(0) == '_' {
					s.off++
				}
				if c := s.peek(0); c == 0 || strings.IndexByte(base.digits, c) < 0 {
					if isDigit(c) {
						s.failAt(s.pos(), "invalid digit '%c' in %s literal", c, base.name)
					}
					s.failAt(Pos{s.line, s.pos().Col - 1}, "invalid %s literal", base.name)
				}
				for c := s.peek(0); c != 0 && strings.IndexByte(base.digits, c) >= 0; c = s.peek(0) {
					s.off++
				}
				if s.peek(0) != '_' {
					break
				}
			}
			if c := s.peek(0); isDigit(c) {
				s.failAt(s.pos(), "invalid digit '%c' in %s literal", c, base.name)
			}
			s.endOfNumber(base.name)
			return
		}
	}
	float := false
	kind := "decimal"
	if s.peek(0) != '.' {
		s.digits()
	}
	intEnd := s.off
	if s.peek(0) == '.' {
		float = true
		s.off++
		if isDigit(s.peek(0)) {
			s.digits()
		}
	}
	if c := s.peek(0); c == 'e' || c == 'E' {
		n := 1
		if d := s.peek(1); d == '+' || d == '-' {
			n = 2
		}
		if isDigit(s.peek(n)) {
			float = true
			s.off += n
			s.digits()
		} else if n == 2 {
			s.off++
			s.failAt(s.pos(), "invalid decimal literal")
		}
	}
	if c := s.peek(0); c == 'j' || c == 'J' {
		s.off++
		s.endOfNumber("imaginary")
		return
	}
	if text := s.src[start:intEnd]; !float && len(text) > 1 && text[0] == '0' && strings.Trim(text, "0_") != "" {
		p := Pos{s.line, s.pos().Col - int32(len(text))}
		s.fail(SyntaxError, Span{p, Pos{p.Line, p.Col + 1}},
			"leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers")
	}
	s.endOfNumber(kind)
}

// digits scans decimal digits with single underscores between them.
func (s *scanner) digits() {
	for {
		for isDigit(s.peek(0)) {
			s.off++
		}
		if s.peek(0) != '_' {
			return
		}
		s.off++
		if !isDigit(s.peek(0)) {
			s.failAt(Pos{s.line, s.pos().Col - 1}, "invalid decimal literal")
		}
	}
}

// endOfNumber refuses a number that runs into a name, unless that is a keyword
// that may follow one: 1if x else y.
func (s *scanner) endOfNumber(kind string) {
	r, _ := s.char()
	if !isNamePart(r) {
		return
	}
	end := s.off
	for end < len(s.src) && 'a' <= s.src[end] && s.src[end] <= 'z' {
		end++
	}
	word := s.src[s.off:end]
	for _, k := range []string{"and", "else", "for", "if", "in", "is", "not", "or"} {
		if strings.HasPrefix(word, k) {
			return
		}
	}
	s.failAt(Pos{s.line, s.pos().Col - 1}, "invalid %s literal", kind)
}

// scanNumberStarlark scans a number as go.starlark.net's scanner does, which ends a
// number wherever the next character cannot be part of it.
func (s *scanner) scanNumberStarlark() {
	start, from := s.pos(), s.off
	run := func(ok func(byte) bool) {
		for ok(s.peek(0)) {
			s.off++
		}
	}
	if s.peek(0) == '0' {
		switch s.peek(1) | 0x20 {
		case 'x':
			s.off += 2
			if !isHex(s.peek(0)) {
				s.failAt(start, "invalid hex literal")
			}
			run(isHex)
			return
		case 'o':
			s.off += 2
			if c := s.peek(0); c < '0' || '7' < c {
				s.failAt(s.pos(), "invalid octal literal")
			}
			run(func(c byte) bool { return '0' <= c && c <= '7' })
			return
		case 'b':
			s.off += 2
			if c := s.peek(0); c != '0' && c != '1' {
				s.failAt(s.pos(), "invalid binary literal")
			}
			run(func(c byte) bool { return c == '0' || c == '1' })
			return
		}
	}
	run(isDigit)
	text := s.src[from:s.off]
	float := false
	if s.peek(0) == '.' {
		float = true
		s.off++
		run(isDigit)
	}
	if c := s.peek(0); c == 'e' || c == 'E' {
		float = true
		s.off++
		if c := s.peek(0); c == '+' || c == '-' {
			s.off++
			if !isDigit(s.peek(0)) {
				s.failAt(s.pos(), "invalid float literal")
			}
		}
		run(isDigit)
	}
	if !float && len(text) > 1 && text[0] == '0' && strings.Trim(text, "0") != "" {
		if strings.Trim(text, "01234567") == "" {
			s.failAt(s.pos(), "obsolete form of octal literal; use 0o%s", text[1:])
		}
		s.failAt(start, "invalid int literal")
	}
}

func isHex(c byte) bool { return c < utf8.RuneSelf && unicode.Is(unicode.ASCII_Hex_Digit, rune(c)) }
