package syntax

// file parses all statements of a model-dialect text.
func (p *parser) file() []Stmt {
	var body []Stmt
	for !p.at(tEOF) {
		body = p.stmt(body)
	}
	return body
}

// stmt parses one compound statement, or a line of simple ones.
func (p *parser) stmt(body []Stmt) []Stmt {
	if s := p.compound(); s != nil {
		return append(body, s)
	}
	return p.simpleLine(body)
}

func (p *parser) simpleLine(body []Stmt) []Stmt {
	for {
		body = append(body, p.simple())
		if !p.got(tSemi) {
			break
		}
		if p.at(tNewline) {
			break
		}
	}
	if !p.at(tNewline) {
		p.invalid()
	}
	p.next()
	return body
}

func (p *parser) simple() Stmt {
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
			s.Value = p.starExprs()
			p.noStar(s.Value)
		}
		s.Span = p.span(start)
		return s
	case tRaise:
		p.next()
		s := &Raise{}
		if !p.endsSimple() {
			s.Exc = p.expr()
			if p.got(tFrom) {
				s.Cause = p.expr()
			}
		}
		s.Span = p.span(start)
		return s
	case tAssert:
		p.next()
		s := &Assert{Test: p.expr()}
		if p.got(tComma) {
			s.Msg = p.expr()
		}
		s.Span = p.span(start)
		return s
	case tGlobal:
		p.next()
		names := p.nameList()
		return &Global{p.span(start), names}
	case tNonlocal:
		p.next()
		names := p.nameList()
		return &Nonlocal{p.span(start), names}
	case tDel:
		return p.del()
	case tImport:
		return p.importStmt()
	case tFrom:
		return p.importFrom()
	case tName:
		if p.atWord("load") {
			if s := p.load(); s != nil {
				return s
			}
		}
	}
	return p.exprStmt()
}

// endsSimple reports whether the current token ends a simple statement.
func (p *parser) endsSimple() bool { return p.at(tNewline) || p.at(tSemi) || p.at(tEOF) }

func (p *parser) nameList() []*Name {
	names := []*Name{p.name()}
	for p.got(tComma) {
		names = append(names, p.name())
	}
	return names
}

// exprStmt parses an expression, an assignment or an annotation.
func (p *parser) exprStmt() Stmt {
	start := p.tok().start
	x := p.valueOrTarget()
	switch k := p.tok().kind; {
	case k == tEq:
		return p.assign(start, x)
	case k.isAugmented():
		switch x.(type) {
		case *Name, *Attribute, *Subscript:
		default:
			p.failNode(x, "'%s' is an illegal expression for augmented assignment", exprName(x))
		}
		pos := p.next()
		v := p.value()
		return &AugAssign{p.span(start), x, k.augmented(), pos, v}
	case k == tColon:
		return p.annotated(start, x)
	}
	if n, ok := x.(*Name); ok && (n.ID == "print" || n.ID == "exec") && startsExpr(p.tok().kind) && !p.at(tNot) {
		at := p.i
		if p.try(func() { p.starExprs() }) {
			end := p.end()
			p.i = at
			p.fail(SyntaxError, Span{n.Start, end}, "Missing parentheses in call to '%s'. Did you mean %s(...)?", n.ID, n.ID)
		}
	}
	p.noStar(x)
	return &ExprStmt{p.span(start), x}
}

func (p *parser) valueOrTarget() Expr {
	if p.at(tYield) {
		return p.yield()
	}
	return p.starExprs()
}

func (p *parser) assign(start Pos, x Expr) Stmt {
	s := &Assign{}
	from := start
	for p.at(tEq) {
		switch x.(type) {
		case *Yield, *YieldFrom:
			if x.Range().Start == from {
				p.failNode(x, "assignment to yield expression not possible")
			}
		}
		if bad := invalidTarget(x, false); bad != nil {
			// CPython's second pass words the fault by the level of the whole.
			if len(s.Targets) == 0 {
				last, from := x, start
				if t, ok := x.(*Tuple); ok && !t.Paren {
					last = t.Elts[len(t.Elts)-1]
					from = last.Range().Start
				}
				if bad == last && p.toks[p.i-1].kind != tComma {
					p.misusedEq(bad, from)
				}
			}
			p.failNode(bad, "cannot assign to %s", exprName(bad))
		}
		p.checkStars(x, false)
		s.Targets = append(s.Targets, x)
		p.next()
		from = p.tok().start
		x = p.valueOrTarget()
	}
	if p.tok().kind.isAugmented() {
		p.invalid()
	}
	p.noStar(x)
	s.Value = x
	s.Span = p.span(start)
	return s
}

func (p *parser) annotated(start Pos, x Expr) Stmt {
	simple := false
	switch t := x.(type) {
	case *Name:
		simple = t.Start == start
	case *Attribute, *Subscript:
	case *List, *Tuple:
		if t, ok := x.(*Tuple); ok && !t.Paren {
			p.failNode(t.Elts[0], "only single target (not tuple) can be annotated")
		}
		p.failNode(x, "only single target (not %s) can be annotated", exprName(x))
	case *Starred:
		p.invalid()
	default:
		at := p.i
		if p.try(func() { p.next(); p.expr() }) {
			p.i = at
			p.failNode(x, "illegal target for annotation")
		}
		p.invalid()
	}
	p.next()
	s := &AnnAssign{Target: x, Annotation: p.expr(), Simple: simple}
	if p.got(tEq) {
		if p.at(tYield) {
			s.Value = p.yield()
		} else {
			s.Value = p.starExprs()
			p.noStar(s.Value)
		}
	}
	s.Span = p.span(start)
	return s
}

func (p *parser) del() Stmt {
	start := p.next()
	x := p.exprList(func() Expr { return p.starExpr() })
	if bad := invalidTarget(x, true); bad != nil {
		p.failNode(bad, "cannot delete %s", exprName(bad))
	}
	s := &Delete{Targets: []Expr{x}}
	if t, ok := x.(*Tuple); ok && !t.Paren {
		s.Targets = t.Elts
	}
	s.Span = p.span(start)
	return s
}

func (p *parser) dotted() (name string, first *Name) {
	first = p.name()
	name = first.ID
	for p.got(tDot) {
		name += "." + p.name().ID
	}
	return name, first
}

func (p *parser) importStmt() Stmt {
	start := p.next()
	s := &Import{}
	for {
		a := &Alias{}
		pos := p.tok().start
		a.Name, a.Bind = p.dotted()
		if p.got(tAs) {
			a.HasAs = true
			a.Bind = p.name()
		}
		a.Span = p.span(pos)
		s.Names = append(s.Names, a)
		if !p.got(tComma) {
			break
		}
	}
	s.Span = p.span(start)
	return s
}

func (p *parser) importFrom() Stmt {
	start := p.next()
	s := &ImportFrom{}
	for {
		if p.got(tDot) {
			s.Level++
		} else if p.got(tEllipsis) {
			s.Level += 3
		} else {
			break
		}
	}
	if s.Level == 0 || !p.at(tImport) {
		s.Module, _ = p.dotted()
	}
	p.want(tImport)
	if p.at(tStar) {
		pos := p.next()
		s.Names = []*Alias{{Span: p.span(pos), Name: "*"}}
		s.Span = p.span(start)
		return s
	}
	paren := p.got(tLparen)
	for {
		pos := p.tok().start
		a := &Alias{Bind: p.name()}
		a.Name = a.Bind.ID
		if p.got(tAs) {
			a.HasAs = true
			a.Bind = p.name()
		}
		a.Span = p.span(pos)
		s.Names = append(s.Names, a)
		if !p.got(tComma) {
			break
		}
		if paren && p.at(tRparen) {
			break
		}
		if p.at(tNewline) {
			p.failHere("trailing comma not allowed without surrounding parentheses")
		}
	}
	if paren {
		p.want(tRparen)
	}
	s.Span = p.span(start)
	return s
}

// load parses load("module", "name", alias="name"), or returns nil if what stands
// here is an ordinary call of something named load. The statement exists only
// outside blocks, and only literals may stand in it.
func (p *parser) load() *Load {
	if p.blocks > 0 || p.ahead(1) != tLparen || p.ahead(2) != tString {
		return nil
	}
	i := p.i + 3
	kind := func() tok {
		if i < len(p.toks) {
			return p.toks[i].kind
		}
		return tEOF
	}
	n := 0
	for kind() == tComma {
		i++
		if kind() == tName {
			if i++; kind() != tEq {
				return nil
			}
			i++
		}
		if kind() == tString {
			n++
			i++
		} else if kind() != tRparen {
			return nil
		}
	}
	if n == 0 || kind() != tRparen {
		return nil
	}
	if i++; kind() != tNewline && kind() != tSemi {
		return nil
	}
	start := p.next()
	p.next()
	str := func() *Constant {
		x := p.strings()
		c, ok := x.(*Constant)
		if !ok || c.Kind != StrConst {
			p.failNode(x, "load operand must be a string literal")
		}
		return c
	}
	s := &Load{Module: str()}
	for p.got(tComma) && !p.at(tRparen) {
		var to *Name
		if p.at(tName) {
			to = p.name()
			p.next()
		}
		from := str()
		if to == nil {
			to = &Name{Span: from.Span, ID: from.Str}
		}
		s.From, s.To = append(s.From, from), append(s.To, to)
	}
	p.want(tRparen)
	s.Span = p.span(start)
	return s
}
