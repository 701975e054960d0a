package syntax

import (
	"strings"
	"unicode/utf8"
)

// strings parses adjacent string literals as one value: a Constant, or a JoinedStr
// if one of them is an f-string.
func (p *parser) strings() Expr {
	start := p.tok().start
	var parts []Expr
	var isBytes, isFormat bool
	for first := true; p.at(tString); first = false {
		t := *p.tok()
		l := splitLiteral(p.text())
		if !first && l.bytes != isBytes {
			p.fail(SyntaxError, p.behindStrings(), "cannot mix bytes and nonbytes literals")
		}
		isBytes = l.bytes
		if l.format {
			isFormat = true
			f := fstring{p: p, tok: t, raw: l.raw, src: l.body, base: int(t.off) + l.bodyOff}
			parts = append(parts, f.fields(0)...)
		} else {
			parts = append(parts, &Constant{Span: Span{t.start, t.end}, Kind: StrConst, Str: p.stringValue(t, l)})
		}
		p.next()
	}
	span := p.span(start)
	parts = mergeStrings(parts, span)
	if isFormat {
		return &JoinedStr{span, parts}
	}
	c := &Constant{Span: span, Kind: StrConst}
	if len(parts) > 0 {
		c.Str = parts[0].(*Constant).Str
	}
	if isBytes {
		c.Kind = BytesConst
	}
	return c
}

// behindStrings is the token behind the literals that are being parsed, where
// CPython, which looks at them once it has them all, places their faults.
func (p *parser) behindStrings() Span {
	i := p.i
	for p.toks[i].kind == tString {
		i++
	}
	return Span{p.toks[i].start, p.toks[i].end}
}

// stringValue decodes a literal that is not an f-string.
func (p *parser) stringValue(t token, l literal) string {
	span := p.behindStrings()
	if l.bytes && strings.IndexFunc(l.body, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
		p.fail(SyntaxError, span, "bytes can only contain ASCII literal characters")
	}
	if l.raw {
		return l.body
	}
	s, msg := unescape(l.body, l.bytes)
	if msg != "" {
		p.fail(SyntaxError, span, "%s", msg)
	}
	return s
}

// mergeStrings joins neighbouring Constants and drops empty ones.
func mergeStrings(parts []Expr, span Span) []Expr {
	var out []Expr
	for _, x := range parts {
		c, ok := x.(*Constant)
		if !ok {
			out = append(out, x)
			continue
		}
		if c.Str == "" {
			continue
		}
		if len(out) > 0 {
			if last, ok := out[len(out)-1].(*Constant); ok {
				last.Str += c.Str
				last.End = c.End
				continue
			}
		}
		out = append(out, &Constant{Span: c.Span, Kind: StrConst, Str: c.Str})
	}
	return out
}

// An fstring scans the body of one f-string literal. Its expressions are scanned
// and parsed in place, so their positions are those of the file.
//
//	f"text {expr=!r:spec {width}} text"
//	        └ scanner and parser of their own over src[i:j]
type fstring struct {
	p    *parser
	tok  token
	raw  bool
	src  string // the body
	base int    // its offset in the file
	i    int    // place in src
}

func (f *fstring) fail(format string, args ...any) {
	f.p.fail(SyntaxError, f.p.behindStrings(), "f-string: "+format, args...)
}

// pos returns the file position of body offset i.
func (f *fstring) pos(i int) Pos {
	text := f.p.src[f.tok.off : f.base+i]
	p := f.tok.start
	if n := strings.Count(text, "\n"); n > 0 {
		p.Line += int32(n)
		p.Col = 1
		text = text[strings.LastIndexByte(text, '\n')+1:]
	}
	p.Col += int32(utf8.RuneCountInString(text))
	return p
}

// fields parses text and replacement fields: to the end of the body at level 0,
// to the closing brace of the field around a format spec at level 1.
func (f *fstring) fields(level int) []Expr {
	var out []Expr
	for {
		from := f.i
		if text := f.literal(level); text != "" {
			out = append(out, &Constant{Span: Span{f.pos(from), f.pos(f.i)}, Kind: StrConst, Str: text})
		}
		if f.i >= len(f.src) || f.src[f.i] == '}' {
			return out
		}
		out = append(out, f.field(level)...)
	}
}

// literal decodes text up to a field's brace. At level 0 doubled braces stand for
// single ones.
func (f *fstring) literal(level int) string {
	var b strings.Builder
	from := f.i
	flush := func() {
		text := f.src[from:f.i]
		if !f.raw {
			var msg string
			if text, msg = unescape(text, false); msg != "" {
				f.p.fail(SyntaxError, f.p.behindStrings(), "%s", msg)
			}
		}
		b.WriteString(text)
	}
	for f.i < len(f.src) {
		c := f.src[f.i]
		if c == '\\' && !f.raw && f.i+1 < len(f.src) {
			if n := f.src[f.i+1]; n != '{' && n != '}' {
				if n == 'N' && strings.HasPrefix(f.src[f.i+2:], "{") {
					if end := strings.IndexByte(f.src[f.i:], '}'); end > 0 {
						f.i += end + 1
						continue
					}
				}
				f.i += 2
				continue
			}
		}
		if c != '{' && c != '}' {
			f.i++
			continue
		}
		if level > 0 {
			break
		}
		if f.i+1 < len(f.src) && f.src[f.i+1] == c {
			f.i++
			flush()
			f.i++
			from = f.i
			continue
		}
		if c == '}' {
			f.fail("single '}' is not allowed")
		}
		break
	}
	flush()
	return b.String()
}

// field parses {expr[=][!conversion][:spec]}; a debug field gives its text first.
func (f *fstring) field(level int) []Expr {
	if level >= 2 {
		f.fail("expressions nested too deeply")
	}
	from := f.i
	f.i++
	exprFrom := f.i
	exprTo := f.exprEnd()
	x := f.expr(exprFrom, exprTo)
	v := &FormattedValue{Value: x}
	explicit := false
	var out []Expr
	if f.peek() == '=' {
		f.i++
		for strings.IndexByte(" \t\n\r\f\v", f.peek()) >= 0 && f.i < len(f.src) {
			f.i++
		}
		out = append(out, &Constant{Span: Span{f.pos(exprFrom), f.pos(f.i)}, Kind: StrConst, Str: f.src[exprFrom:f.i]})
		v.Conversion = 'r'
	}
	if f.peek() == '!' {
		f.i++
		c := f.peek()
		if c == 0 {
			f.fail("expecting '}'")
		}
		if c != 's' && c != 'r' && c != 'a' {
			f.fail("invalid conversion character: expected 's', 'r', or 'a'")
		}
		v.Conversion, explicit = c, true
		f.i++
	}
	if f.peek() == ':' {
		if !explicit {
			v.Conversion = 0
		}
		f.i++
		specFrom := f.i
		parts := f.fields(level + 1)
		v.Spec = &JoinedStr{Span: Span{f.pos(specFrom), f.pos(f.i)}}
		v.Spec.Values = mergeStrings(parts, v.Spec.Span)
	}
	if f.peek() != '}' {
		f.fail("expecting '}'")
	}
	f.i++
	v.Span = Span{f.pos(from), f.pos(f.i)}
	return append(out, v)
}

func (f *fstring) peek() byte {
	if f.i < len(f.src) {
		return f.src[f.i]
	}
	return 0
}

// exprEnd moves to the character that ends the expression at i: one of } ! : =
// outside brackets and strings.
func (f *fstring) exprEnd() int {
	var open []byte
	for f.i < len(f.src) {
		c := f.src[f.i]
		switch c {
		case '\\':
			f.p.fail(SyntaxError, f.p.behindStrings(), "f-string expression part cannot include a backslash")
		case '#':
			f.p.fail(SyntaxError, f.p.behindStrings(), "f-string expression part cannot include '#'")
		case '\'', '"':
			f.skipString(c)
			continue
		case '(', '[', '{':
			open = append(open, c)
			if len(open) > maxBrackets {
				f.fail("too many nested parenthesis")
			}
		case ')', ']', '}':
			if len(open) == 0 {
				if c == '}' {
					return f.i
				}
				f.fail("unmatched '%c'", c)
			}
			last := open[len(open)-1]
			if strings.IndexByte("([{", last) != strings.IndexByte(")]}", c) {
				f.fail("closing parenthesis '%c' does not match opening parenthesis '%c'", c, last)
			}
			open = open[:len(open)-1]
		case '!', '=', '<', '>', ':':
			if len(open) > 0 {
				break
			}
			if c != ':' && f.i+1 < len(f.src) && f.src[f.i+1] == '=' {
				f.i += 2
				continue
			}
			if c != '<' && c != '>' {
				return f.i
			}
		}
		f.i++
	}
	if len(open) > 0 {
		f.fail("unmatched '%c'", open[len(open)-1])
	}
	f.fail("expecting '}'")
	return 0
}

func (f *fstring) skipString(q byte) {
	width := 1
	if strings.HasPrefix(f.src[f.i:], strings.Repeat(string(q), 3)) {
		width = 3
	}
	f.i += width
	for f.i < len(f.src) {
		if f.src[f.i] == '\\' {
			f.p.fail(SyntaxError, f.p.behindStrings(), "f-string expression part cannot include a backslash")
		}
		if strings.HasPrefix(f.src[f.i:], strings.Repeat(string(q), width)) {
			f.i += width
			return
		}
		f.i++
	}
	f.fail("unterminated string")
}

// expr parses src[from:to] as an expression list in parentheses would be.
func (f *fstring) expr(from, to int) Expr {
	if strings.TrimSpace(f.src[from:to]) == "" {
		f.fail("empty expression not allowed")
	}
	p := f.p
	start := f.pos(from)
	// bol is set so that the scanner's columns come out as the file's.
	sub := &scanner{src: p.src[:f.base+to], dialect: Model, off: f.base + from, line: start.Line, nested: true, indents: []indent{{}}}
	sub.bol = sub.off - int(start.Col-1)
	sub.run()
	if sub.err != nil {
		panic(sub.err)
	}
	savedScanner, savedI, savedIn := p.scanner, p.i, p.inFString
	p.scanner, p.i, p.inFString = sub, 0, true
	var x Expr
	if p.at(tYield) {
		x = p.yield()
	} else {
		x = p.starExprs()
		if isStarred(x) {
			p.failNode(x, "cannot use starred expression here")
		}
	}
	if !p.at(tEOF) {
		p.forgottenComma()
		p.invalid()
	}
	p.scanner, p.i, p.inFString = savedScanner, savedI, savedIn
	return x
}
