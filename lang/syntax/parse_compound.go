package syntax

// compound parses a compound statement, or returns nil if none begins here.
func (p *parser) compound() Stmt {
	switch p.tok().kind {
	case tIf:
		return p.ifStmt("if")
	case tWhile:
		start := p.next()
		s := &While{Test: p.namedExpr()}
		s.Body = p.block("'while' statement", start, false)
		s.Orelse = p.elseBlock()
		s.Span = p.span2(start, s.Body, s.Orelse)
		return s
	case tFor:
		return p.forStmt()
	case tWith:
		return p.with()
	case tTry:
		return p.tryStmt()
	case tDef:
		return p.def(nil)
	case tClass:
		return p.class(nil)
	case tAt:
		return p.decorated()
	case tAsync:
		p.invalid()
	case tIndent:
		p.invalid()
	case tName:
		if p.atWord("match") {
			return p.match()
		}
	}
	return nil
}

// span2 is the span from start to the end of the last statement of the last
// body that has one.
func (p *parser) span2(start Pos, bodies ...[]Stmt) Span {
	for i := len(bodies) - 1; i >= 0; i-- {
		if n := len(bodies[i]); n > 0 {
			return Span{start, bodies[i][n-1].Range().End}
		}
	}
	return Span{start, start}
}

// block parses the colon and the suite of a statement that began at start. what
// names the statement in the fault of a missing indented block. forced says that
// a missing colon is named whatever stands in its place, as CPython does for
// keywords that nothing else may follow.
func (p *parser) block(what string, start Pos, forced bool) []Stmt {
	if !p.at(tColon) {
		if forced || p.at(tNewline) {
			p.failHere("expected ':'")
		}
		p.invalid()
	}
	p.next()
	p.enter()
	p.blocks++
	defer func() { p.leave(); p.blocks-- }()
	if !p.at(tNewline) {
		return p.simpleLine(nil)
	}
	p.next()
	if !p.at(tIndent) {
		t := p.tok()
		p.fail(IndentationError, Span{t.start, t.end}, "expected an indented block after %s on line %d", what, start.Line)
	}
	p.next()
	var body []Stmt
	for !p.at(tDedent) && !p.at(tEOF) {
		body = p.stmt(body)
	}
	p.got(tDedent)
	return body
}

func (p *parser) elseBlock() []Stmt {
	if !p.at(tElse) {
		return nil
	}
	start := p.next()
	return p.block("'else' statement", start, true)
}

func (p *parser) ifStmt(word string) *If {
	p.enter()
	defer p.leave()
	start := p.next()
	s := &If{Test: p.namedExpr()}
	s.Body = p.block("'"+word+"' statement", start, false)
	if p.at(tElif) {
		s.Orelse = []Stmt{p.ifStmt("elif")}
	} else {
		s.Orelse = p.elseBlock()
	}
	s.Span = p.span2(start, s.Body, s.Orelse)
	return s
}

func (p *parser) forStmt() Stmt {
	start := p.next()
	s := &For{Target: p.targetList(tIn)}
	p.want(tIn)
	s.Iter = p.starExprs()
	p.noStar(s.Iter)
	s.Body = p.block("'for' statement", start, false)
	s.Orelse = p.elseBlock()
	s.Span = p.span2(start, s.Body, s.Orelse)
	return s
}

func (p *parser) with() Stmt {
	start := p.next()
	s := &With{}
	paren := p.at(tLparen) && p.try(func() {
		p.next()
		for {
			s.Items = append(s.Items, p.withItem())
			if !p.got(tComma) || p.at(tRparen) {
				break
			}
		}
		p.want(tRparen)
		if !p.at(tColon) {
			p.invalid()
		}
	})
	if !paren {
		s.Items = nil
		for {
			s.Items = append(s.Items, p.withItem())
			if !p.got(tComma) {
				break
			}
		}
	}
	s.Body = p.block("'with' statement", start, false)
	s.Span = p.span2(start, s.Body)
	return s
}

func (p *parser) withItem() *WithItem {
	start := p.tok().start
	w := &WithItem{Context: p.expr()}
	if p.got(tAs) {
		w.Target = p.starExpr()
		p.checkTarget(w.Target)
	}
	w.Span = p.span(start)
	return w
}

func (p *parser) tryStmt() Stmt {
	start := p.next()
	s := &Try{}
	s.Body = p.block("'try' statement", start, true)
	if !p.at(tExcept) && !p.at(tFinally) {
		if last := p.toks[p.i-1]; p.at(tEOF) && last.kind == tNewline {
			p.fail(SyntaxError, Span{last.start, last.end}, "expected 'except' or 'finally' block")
		}
		p.failHere("expected 'except' or 'finally' block")
	}
	end := s.Body
	for first := true; p.at(tExcept); first = false {
		if n := len(s.Handlers); n > 0 && s.Handlers[n-1].Type == nil {
			p.failNode(s.Handlers[n-1], "default 'except:' must be last")
		}
		starEnd := p.tok().end
		if p.ahead(1) == tStar {
			starEnd = p.toks[p.i+1].end
		}
		h, star := p.handler()
		if !first && star != s.Star {
			p.fail(SyntaxError, Span{h.Start, starEnd}, "cannot have both 'except' and 'except*' on the same 'try'")
		}
		s.Star = star
		s.Handlers = append(s.Handlers, h)
		end = h.Body
	}
	if len(s.Handlers) > 0 {
		s.Orelse = p.elseBlock()
	}
	if p.at(tFinally) {
		pos := p.next()
		s.Finally = p.block("'finally' statement", pos, true)
	}
	s.Span = p.span2(start, end, s.Orelse, s.Finally)
	return s
}

func (p *parser) handler() (h *ExceptHandler, star bool) {
	start := p.next()
	h = &ExceptHandler{}
	star = p.got(tStar)
	what := "'except' statement"
	if star {
		what = "'except*' statement"
		if p.at(tColon) || p.at(tNewline) {
			p.failHere("expected one or more exception types")
		}
	}
	if !p.at(tColon) && !p.at(tNewline) {
		typeStart := p.tok().start
		h.Type = p.expr()
		if p.at(tComma) {
			at := p.i
			p.next()
			if p.try(func() {
				p.exprList(p.expr)
				if p.got(tAs) {
					p.name()
				}
				if !p.at(tColon) {
					p.invalid()
				}
			}) {
				end := p.end()
				p.i = at
				p.fail(SyntaxError, Span{typeStart, end}, "multiple exception types must be parenthesized")
			}
			p.i = at
		}
		if p.got(tAs) {
			h.Name = p.name()
		}
	}
	h.Body = p.block(what, start, false)
	h.Span = p.span2(start, h.Body)
	return h, star
}

func (p *parser) decorated() Stmt {
	var decorators []Expr
	for p.got(tAt) {
		decorators = append(decorators, p.namedExpr())
		if !p.at(tNewline) {
			p.invalid()
		}
		p.next()
	}
	switch p.tok().kind {
	case tDef:
		return p.def(decorators)
	case tClass:
		return p.class(decorators)
	}
	p.invalid()
	return nil
}

func (p *parser) def(decorators []Expr) Stmt {
	start := p.next()
	s := &FunctionDef{Decorators: decorators, Name: p.name()}
	if !p.at(tLparen) {
		p.failHere("expected '('")
	}
	p.next()
	s.Params = p.params(tRparen)
	p.closeExpr(tRparen)
	if p.got(tArrow) {
		s.Returns = p.expr()
	}
	s.Body = p.block("function definition", start, true)
	s.Span = p.span2(start, s.Body)
	return s
}

func (p *parser) class(decorators []Expr) Stmt {
	start := p.next()
	s := &ClassDef{Decorators: decorators, Name: p.name()}
	if p.at(tLparen) {
		s.Bases, s.Keywords = p.arguments()
	}
	s.Body = p.block("class definition", start, false)
	s.Span = p.span2(start, s.Body)
	return s
}

// params parses parameters up to the token end: tRparen of a def, where they may
// have annotations, or tColon of a lambda.
func (p *parser) params(end tok) *Params {
	ps := &Params{}
	start := p.tok().start
	what := "Function"
	if end == tColon {
		what = "Lambda expression"
	}
	star := false      // * or *name has been seen
	slash := false     // / has been seen
	defaulted := false // a positional parameter has a default
	names := func() int { return len(ps.PosOnly) + len(ps.Args) }
	for !p.at(end) {
		pos := p.tok().start
		if ps.KwArg != nil {
			p.failHere("arguments cannot follow var-keyword argument")
		}
		switch {
		case p.at(tSlash):
			switch {
			case slash:
				p.failHere("/ may appear only once")
			case star:
				p.failHere("/ must be ahead of *")
			case names() == 0:
				p.failHere("at least one argument must precede /")
			}
			p.next()
			slash = true
			ps.PosOnly, ps.Args = ps.Args, nil
		case p.at(tStar):
			if star {
				p.failHere("* argument may appear only once")
			}
			star = true
			p.next()
			switch {
			case p.at(end) || p.at(tComma) && (p.ahead(1) == end || p.ahead(1) == tStarStar):
				p.fail(SyntaxError, Span{pos, Pos{pos.Line, pos.Col + 1}}, "named arguments must follow bare *")
			case !p.at(tComma):
				ps.VarArg = p.param(end, true)
				if p.at(tEq) {
					p.failHere("var-positional argument cannot have default value")
				}
			}
		case p.at(tStarStar):
			p.next()
			ps.KwArg = p.param(end, false)
			if p.at(tEq) {
				p.failHere("var-keyword argument cannot have default value")
			}
		default:
			if p.at(tLparen) {
				at := p.i
				if p.try(func() {
					p.next()
					p.nameList()
					p.got(tComma)
					p.want(tRparen)
				}) {
					last := p.end()
					p.i = at
					p.fail(SyntaxError, Span{pos, last}, "%s parameters cannot be parenthesized", what)
				}
			}
			q := p.param(end, false)
			if p.got(tEq) {
				q.Default = p.expr()
				q.Span = p.span(pos)
			}
			switch {
			case star:
				ps.KwOnly = append(ps.KwOnly, q)
			case q.Default == nil && defaulted:
				p.failNode(q, "non-default argument follows default argument")
			default:
				defaulted = defaulted || q.Default != nil
				ps.Args = append(ps.Args, q)
			}
		}
		if !p.got(tComma) {
			break
		}
	}
	ps.Span = Span{start, start}
	if p.end().Before(start) || p.end() == start {
		return ps
	}
	ps.Span = p.span(start)
	return ps
}

// param parses a name and, in a def, its annotation; that of *name may be starred.
func (p *parser) param(end tok, star bool) *Param {
	start := p.tok().start
	q := &Param{Name: p.name()}
	if end == tRparen && p.got(tColon) {
		if star {
			q.Annotation = p.starExpr()
		} else {
			q.Annotation = p.expr()
		}
	}
	q.Span = p.span(start)
	return q
}
