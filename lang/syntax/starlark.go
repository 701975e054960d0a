package syntax

import "strings"

// The grammar of Starlark. Its functions are named starlark… and use the model
// parser's tokens and tree, but none of its grammar functions. Messages are
// go.starlark.net's.

// starlarkTok describes the current token in a message.
func (p *parser) starlarkTok() string {
	k := p.tok().kind
	switch {
	case k == tNumber:
		c := &Constant{}
		decodeNumber(c, p.text(), Starlark)
		if c.Kind == FloatConst {
			return "float literal"
		}
		return "int literal"
	case k.isPunct():
		return "'" + k.String() + "'"
	}
	return k.String()
}

func (p *parser) starlarkWant(k tok) Pos {
	if !p.at(k) {
		want := k.String()
		if k.isPunct() {
			want = "'" + want + "'"
		}
		p.failHere("got %s, want %s", p.starlarkTok(), want)
	}
	return p.next()
}

// deferred notes a fault that the resolver reports.
func (p *parser) deferred(span Span, format string, args ...any) {
	defer func() { p.late = append(p.late, recover().(*Error)) }()
	p.fail(SyntaxError, span, format, args...)
}

func (p *parser) starlarkFile() []Stmt {
	var body []Stmt
	for !p.at(tEOF) {
		if p.got(tNewline) {
			continue
		}
		body = p.starlarkStmt(body)
	}
	return body
}

func (p *parser) starlarkStmt(body []Stmt) []Stmt {
	start := p.tok().start
	switch p.tok().kind {
	case tDef:
		p.next()
		s := &FunctionDef{Name: p.starlarkIdent()}
		p.starlarkWant(tLparen)
		s.Params = p.starlarkParams()
		p.starlarkWant(tRparen)
		s.Body = p.starlarkSuite()
		s.Span = p.span2(start, s.Body)
		return append(body, s)
	case tIf:
		return append(body, p.starlarkIf())
	case tFor:
		p.next()
		s := &For{Target: p.starlarkLoopVars()}
		p.starlarkWant(tIn)
		s.Iter = p.starlarkExpr(false)
		s.Body = p.starlarkSuite()
		s.Span = p.span2(start, s.Body)
		p.starlarkTarget(s.Target, false)
		return append(body, s)
	case tWhile:
		p.next()
		s := &While{Test: p.starlarkTest()}
		s.Body = p.starlarkSuite()
		s.Span = p.span2(start, s.Body)
		return append(body, s)
	}
	return p.starlarkSimpleLine(body)
}

func (p *parser) starlarkIf() *If {
	p.enter()
	defer p.leave()
	start := p.next()
	s := &If{Test: p.starlarkTest()}
	s.Body = p.starlarkSuite()
	if p.at(tElif) {
		s.Orelse = []Stmt{p.starlarkIf()}
	} else if p.got(tElse) {
		s.Orelse = p.starlarkSuite()
	}
	s.Span = p.span2(start, s.Body, s.Orelse)
	return s
}

func (p *parser) starlarkSuite() []Stmt {
	p.starlarkWant(tColon)
	p.enter()
	defer p.leave()
	if !p.got(tNewline) {
		return p.starlarkSimpleLine(nil)
	}
	p.starlarkWant(tIndent)
	var body []Stmt
	for !p.at(tDedent) && !p.at(tEOF) {
		body = p.starlarkStmt(body)
	}
	p.starlarkWant(tDedent)
	return body
}

func (p *parser) starlarkSimpleLine(body []Stmt) []Stmt {
	for {
		body = append(body, p.starlarkSmall())
		if !p.got(tSemi) || p.at(tNewline) || p.at(tEOF) {
			break
		}
	}
	if !p.at(tEOF) {
		p.starlarkWant(tNewline)
	}
	return body
}

func (p *parser) starlarkSmall() Stmt {
	start := p.tok().start
	switch p.tok().kind {
	case tPass:
		p.next()
		return &Pass{p.span(start)}
	case tBreak:
		p.next()
		return &Break{p.span(start)}
	case tContinue:
		p.next()
		return &Continue{p.span(start)}
	case tReturn:
		p.next()
		s := &Return{}
		if !p.endsSimple() {
			s.Value = p.starlarkExpr(false)
		}
		s.Span = p.span(start)
		return s
	case tLoad:
		return p.starlarkLoad()
	}
	x := p.starlarkExpr(false)
	k := p.tok().kind
	if k != tEq && !k.isAugmented() {
		return &ExprStmt{p.span(start), x}
	}
	pos := p.next()
	y := p.starlarkExpr(false)
	p.starlarkTarget(x, k != tEq)
	if k == tEq {
		return &Assign{p.span(start), []Expr{x}, y}
	}
	return &AugAssign{p.span(start), x, k.augmented(), pos, y}
}

// starlarkTarget notes what is wrong with an assignment's left side.
func (p *parser) starlarkTarget(x Expr, augmented bool) {
	var elts []Expr
	switch x := x.(type) {
	case *Name, *Attribute:
		return
	case *Subscript:
		if _, ok := x.Index.(*Slice); ok {
			p.deferred(x.Range(), "can't assign to sliceexpr")
		}
		return
	case *Tuple:
		elts = x.Elts
		if augmented {
			p.deferred(x.Span, "can't use tuple expression in augmented assignment")
		}
	case *List:
		elts = x.Elts
		if augmented {
			p.deferred(x.Span, "can't use list expression in augmented assignment")
		}
	default:
		p.deferred(x.Range(), "can't assign to %s", starlarkKind(x))
	}
	for _, e := range elts {
		p.starlarkTarget(e, augmented)
	}
}

// starlarkKind is go.starlark.net's name for a kind of expression.
func starlarkKind(x Expr) string {
	switch x.(type) {
	case *Constant:
		return "literal"
	case *BinOp, *BoolOp, *Compare:
		return "binaryexpr"
	case *UnaryOp:
		return "unaryexpr"
	case *Call:
		return "callexpr"
	case *IfExp:
		return "condexpr"
	case *Lambda:
		return "lambdaexpr"
	case *Comp:
		return "comprehension"
	case *Dict:
		return "dictexpr"
	}
	return "expression"
}

func (p *parser) starlarkLoad() Stmt {
	start := p.next()
	lparen := p.starlarkWant(tLparen)
	if !p.at(tString) {
		p.failHere("first operand of load statement must be a string literal")
	}
	s := &Load{Module: p.starlarkString()}
	for !p.at(tRparen) && !p.at(tEOF) {
		p.starlarkWant(tComma)
		if p.at(tRparen) {
			break
		}
		var to *Name
		switch p.tok().kind {
		case tString:
		case tName:
			to = p.starlarkIdent()
			if !p.at(tEq) {
				p.failHere(`load operand must be "%[1]s" or %[1]s="originalname" (want '=' after %[1]s)`, to.ID)
			}
			p.next()
			if !p.at(tString) {
				p.failHere(`original name of loaded symbol must be quoted: %s="originalname"`, to.ID)
			}
		default:
			p.failHere(`load operand must be "name" or localname="name" (got %s)`, p.starlarkTok())
		}
		from := p.starlarkString()
		if to == nil {
			to = &Name{Span: from.Span, ID: from.Str}
			to.Start.Col++
		}
		s.From, s.To = append(s.From, from), append(s.To, to)
	}
	p.starlarkWant(tRparen)
	if len(s.To) == 0 {
		p.fail(SyntaxError, Span{lparen, p.end()}, "load statement must import at least 1 symbol")
	}
	s.Span = p.span(start)
	return s
}

func (p *parser) starlarkIdent() *Name {
	if !p.at(tName) {
		p.failHere("not an identifier")
	}
	return p.name()
}

// starlarkString parses one literal; adjacent ones are not joined.
func (p *parser) starlarkString() *Constant {
	t := p.tok()
	l := splitLiteral(p.text())
	c := &Constant{Span: Span{t.start, t.end}, Kind: StrConst, Str: l.body}
	if l.bytes {
		c.Kind = BytesConst
	}
	if !l.raw {
		var msg string
		if c.Str, msg = unescapeStarlark(l.body, l.bytes); msg != "" {
			start := t.start
			if strings.HasPrefix(p.text(), "b") {
				start.Col++ // behind the prefix, where the scanner has the string begin
			}
			p.fail(SyntaxError, Span{start, t.end}, "%s", msg)
		}
	}
	p.next()
	return c
}

func (p *parser) starlarkLoopVars() Expr {
	start := p.tok().start
	x := p.starlarkPrimary()
	if !p.at(tComma) {
		return x
	}
	elts := []Expr{x}
	for p.got(tComma) {
		if p.starlarkEndsList() {
			break
		}
		elts = append(elts, p.starlarkPrimary())
	}
	return &Tuple{Span: p.span(start), Elts: elts}
}

func (p *parser) starlarkEndsList() bool {
	switch p.tok().kind {
	case tEOF, tNewline, tEq, tRbrace, tRbrack, tRparen, tSemi:
		return true
	}
	return false
}

// starlarkExpr parses a test or an unparenthesised tuple of them.
func (p *parser) starlarkExpr(inParens bool) Expr {
	start := p.tok().start
	x := p.starlarkTest()
	if !p.at(tComma) {
		return x
	}
	elts := p.starlarkElements(x, inParens)
	return &Tuple{Span: p.span(start), Elts: elts}
}

func (p *parser) starlarkElements(x Expr, trailing bool) []Expr {
	elts := []Expr{x}
	for p.at(tComma) {
		comma := p.next()
		if p.starlarkEndsList() {
			if !trailing {
				p.fail(SyntaxError, p.span(comma), "unparenthesized tuple with trailing comma")
			}
			break
		}
		elts = append(elts, p.starlarkTest())
	}
	return elts
}
