package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxDepth bounds the nesting of a tree, in expressions and statements together.
const MaxDepth = 2000

// Parse turns the text of a file into a tree. The file name is kept for messages
// only.
func Parse(file, src string, opts Options) (*Module, *Error) {
	var m *Module
	err := parse(file, src, opts, func(p *parser) {
		m = &Module{File: file, Options: opts}
		m.Start = Pos{1, 1}
		if opts.Dialect == Starlark {
			m.Body = p.starlarkFile()
		} else {
			m.Body = p.file()
		}
		m.End = p.tok().start
		m.Late = p.late
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// ParseExpr parses a text that is one expression, as eval takes it: a Module
// whose body is one ExprStmt.
func ParseExpr(file, src string, opts Options) (*Module, *Error) {
	var m *Module
	err := parse(file, strings.TrimLeft(src, " \t"), opts, func(p *parser) {
		var x Expr
		if opts.Dialect == Starlark {
			x = p.starlarkExpr(false)
		} else {
			x = p.starExprs()
		}
		for p.at(tNewline) {
			p.next()
		}
		if !p.at(tEOF) {
			if opts.Dialect == Starlark {
				p.failHere("got %s after expression, want EOF", p.starlarkTok())
			}
			p.invalid()
		}
		s := &ExprStmt{X: x}
		s.Span = x.Range()
		m = &Module{Span: s.Span, File: file, Options: opts, Body: []Stmt{s}, Late: p.late}
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// NeedsMore reports whether a REPL should ask for another line before it runs src:
// the text ends inside a block, a bracket or a string, or its last statement is
// a compound one that no blank line has ended yet.
func NeedsMore(src string, opts Options) bool {
	m, err := Parse("", src, opts)
	if err != nil {
		return err.Incomplete
	}
	if len(m.Body) == 0 || strings.HasSuffix(src, "\n\n") {
		return false
	}
	if i := strings.LastIndexByte(strings.TrimSuffix(src, "\n"), '\n'); strings.TrimSpace(src[i+1:]) == "" {
		return false
	}
	switch m.Body[len(m.Body)-1].(type) {
	case *FunctionDef, *ClassDef, *If, *For, *While, *With, *Try, *Match:
		return true
	}
	return false
}

// parse scans src and runs f over its tokens; a fault of either comes back.
func parse(file, src string, opts Options, f func(*parser)) (err *Error) {
	src = strings.TrimPrefix(src, "\ufeff")
	if strings.IndexByte(src, '\r') >= 0 {
		src = strings.ReplaceAll(strings.ReplaceAll(src, "\r\n", "\n"), "\r", "\n")
	}
	if err := checkText(src, opts.Dialect); err != nil {
		err.File = file
		return err
	}
	s := newScanner(src, opts.Dialect)
	s.run()
	p := &parser{scanner: s, opts: opts}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			// A scanner's fault anywhere wins over the parser's, since it may
			// be its cause; an unclosed bracket does if it stands on an
			// earlier line than the fault's end.
			if s.err != nil && opts.Dialect == Model && (!s.unclosed || s.err.Span.Start.Line < max(e.Span.Start.Line, e.Span.End.Line)) {
				e = s.err
			}
			e.File = file
			err = e
		default:
			panic(e)
		}
	}()
	if p.at(tError) {
		panic(p.scanner.err)
	}
	f(p)
	for _, e := range p.late {
		e.File = file
	}
	return nil
}

// checkText refuses what is not text: NUL, and in the model dialect bytes that are
// not UTF-8.
func checkText(src string, d Dialect) *Error {
	at := func(i int) Span {
		line := strings.Count(src[:i], "\n") + 1
		col := utf8.RuneCountInString(src[strings.LastIndexByte(src[:i], '\n')+1:i]) + 1
		return Span{Pos{int32(line), int32(col)}, Pos{int32(line), int32(col) + 1}}
	}
	if i := strings.IndexByte(src, 0); i >= 0 {
		return &Error{Msg: "source code cannot contain null bytes", Span: at(i)}
	}
	if d == Starlark || utf8.ValidString(src) {
		return nil
	}
	for i := 0; ; {
		r, n := utf8.DecodeRuneInString(src[i:])
		if r == utf8.RuneError && n == 1 {
			return &Error{Msg: fmt.Sprintf("(unicode error) 'utf-8' codec can't decode byte 0x%02x in position %d: invalid start byte", src[i], i), Span: at(i)}
		}
		i += n
	}
}

// A parser walks the tokens. It leaves by panic(*Error), which parse recovers.
type parser struct {
	*scanner
	opts  Options
	i     int // current token
	late  []*Error
	depth int // nesting of what is being parsed
	// deepest bounds the depth of the tree parsed so far, relative to the same
	// root as depth. A chain that grows to the left (a.b.c, a+b+c) pushes what it
	// already has one deeper with each link, without nesting calls.
	deepest int

	blocks    int  // blocks open around the current statement
	inFString bool // within an f-string's braces
}

func (p *parser) tok() *token { return &p.toks[p.i] }

func (p *parser) at(k tok) bool { return p.toks[p.i].kind == k }

// ahead returns the kind of the token n places on.
func (p *parser) ahead(n int) tok {
	if p.i+n < len(p.toks) {
		return p.toks[p.i+n].kind
	}
	return tEOF
}

func (p *parser) text() string { t := p.tok(); return p.src[t.off:t.lim] }

func (p *parser) atWord(w string) bool { return p.at(tName) && p.text() == w }

// next consumes a token and returns its start.
func (p *parser) next() Pos {
	start := p.toks[p.i].start
	if p.i+1 < len(p.toks) {
		p.i++
	}
	if p.toks[p.i].kind == tError {
		panic(p.scanner.err)
	}
	return start
}

// got consumes a token if it is of kind k.
func (p *parser) got(k tok) bool {
	if p.at(k) {
		p.next()
		return true
	}
	return false
}

// want consumes a token of kind k, or fails with "invalid syntax".
func (p *parser) want(k tok) Pos {
	if !p.at(k) {
		p.invalid()
	}
	return p.next()
}

// end is the place behind the last consumed token.
func (p *parser) end() Pos {
	if p.i == 0 {
		return p.toks[0].start
	}
	return p.toks[p.i-1].end
}

func (p *parser) span(start Pos) Span { return Span{start, p.end()} }

// enter and leave bound the recursion; every cycle of the grammar passes one.
func (p *parser) enter() {
	p.depth++
	if p.depth > p.deepest {
		p.deepest = p.depth
	}
	p.checkDepth()
}

func (p *parser) leave() { p.depth-- }

func (p *parser) checkDepth() {
	if p.depth > MaxDepth || p.deepest > MaxDepth {
		if p.opts.Dialect == Starlark {
			p.failHere("excessive nesting")
		}
		p.failHere("too many nested expressions or statements")
	}
}

// chain begins a left-growing chain and returns what link and endChain need.
func (p *parser) chain() (saved int) {
	saved = p.deepest
	p.deepest = p.depth
	return saved
}

// link notes that the chain so far became the left operand of a longer one.
func (p *parser) link() {
	p.deepest++
	p.checkDepth()
}

func (p *parser) endChain(saved int) { p.deepest = max(saved, p.deepest) }

// ---- faults

func (p *parser) fail(kind ErrorKind, span Span, format string, args ...any) {
	msg := format
	if len(args) > 0 {
		msg = fmt.Sprintf(format, args...)
	}
	if p.inFString && kind == SyntaxError && !strings.HasPrefix(msg, "f-string") {
		msg = "f-string: " + msg
	}
	panic(&Error{Kind: kind, Msg: msg, Span: span, Incomplete: !p.inFString && p.atEnd()})
}

// atEnd reports whether nothing but the ends of blocks follows.
func (p *parser) atEnd() bool {
	for _, t := range p.toks[p.i:] {
		if t.kind != tDedent && t.kind != tEOF {
			return false
		}
	}
	return p.i > 0 || p.opts.Dialect == Model
}

func (p *parser) failHere(format string, args ...any) {
	t := p.tok()
	p.fail(SyntaxError, Span{t.start, t.end}, format, args...)
}

func (p *parser) failNode(n Node, format string, args ...any) {
	p.fail(SyntaxError, n.Range(), format, args...)
}

// invalid reports that the current token fits nothing.
func (p *parser) invalid() {
	switch p.tok().kind {
	case tIndent:
		p.fail(IndentationError, Span{p.tok().end, p.tok().end}, "unexpected indent")
	case tDedent:
		p.fail(IndentationError, Span{p.tok().end, p.tok().end}, "unexpected unindent")
	case tAsync, tAwait:
		p.failHere("'%s' is not supported: the language has no coroutines", p.tok().kind)
	}
	p.failHere("invalid syntax")
}

// try runs f; if f finds a fault, the parser is back where it was and try is false.
func (p *parser) try(f func()) (ok bool) {
	saved := *p
	nlate := len(p.late)
	defer func() {
		if e := recover(); e != nil {
			if _, isError := e.(*Error); !isError {
				panic(e)
			}
			*p = saved
			p.late = p.late[:nlate]
			ok = false
		}
	}()
	f()
	return true
}

// name consumes an identifier.
func (p *parser) name() *Name {
	if !p.at(tName) {
		p.invalid()
	}
	t := p.tok()
	n := &Name{Span: Span{t.start, t.end}, ID: identifier(p.src[t.off:t.lim])}
	p.next()
	return n
}
