package syntax

// atom parses a name, a literal or a bracketed form.
func (p *parser) atom() Expr {
	t := p.tok()
	span := Span{t.start, t.end}
	switch t.kind {
	case tName:
		return p.name()
	case tNone, tTrue, tFalse, tEllipsis:
		p.next()
		kind := map[tok]ConstKind{tNone: NoneConst, tTrue: TrueConst, tFalse: FalseConst, tEllipsis: EllipsisConst}[t.kind]
		return &Constant{Span: span, Kind: kind}
	case tNumber:
		return p.number()
	case tString:
		return p.strings()
	case tLparen:
		return p.paren()
	case tLbrack:
		return p.list()
	case tLbrace:
		return p.brace()
	}
	p.invalid()
	return nil
}

func (p *parser) number() *Constant {
	t := p.tok()
	c := &Constant{Span: Span{t.start, t.end}}
	if msg := decodeNumber(c, p.text(), p.opts.Dialect); msg != "" {
		p.failHere("%s", msg)
	}
	p.next()
	return c
}

// closeExpr consumes the bracket k behind an expression. If another expression
// stands there instead, a comma was probably forgotten.
func (p *parser) closeExpr(k tok) Pos {
	if !p.at(k) {
		p.forgottenComma()
		p.invalid()
	}
	return p.next()
}

// forgottenComma reports two expressions side by side within brackets. The text of
// the first begins at the last token from which an expression could have begun.
func (p *parser) forgottenComma() {
	t := p.tok()
	if t.depth == 0 && !p.inFString || !startsExpr(t.kind) || t.kind == tNot || p.i == 0 {
		return
	}
	prev := p.toks[p.i-1]
	switch prev.kind {
	case tName, tNumber, tString, tRparen, tRbrack, tRbrace, tNone, tTrue, tFalse, tEllipsis:
	default:
		return
	}
	if prev.kind == tName && t.kind == tString || prev.kind == tName && softKeyword(p.src[prev.off:prev.lim]) {
		return
	}
	at := p.i
	first := p.operandStart(at)
	ok := p.try(func() {
		p.expr()
	})
	if ok {
		end := p.end()
		p.i = at
		p.fail(SyntaxError, Span{first, end}, "invalid syntax. Perhaps you forgot a comma?")
	}
}

func softKeyword(s string) bool { return s == "_" || s == "case" || s == "match" }

// operandStart goes back from token i over the tokens of one disjunction.
func (p *parser) operandStart(i int) Pos {
	depth := p.toks[i].depth
	j := i - 1
	for ; j > 0; j-- {
		t := p.toks[j-1]
		if t.depth > depth {
			continue
		}
		if p.toks[j].depth > depth { // at a closing bracket's inside
			continue
		}
		switch t.kind {
		case tComma, tColon, tEq, tWalrus, tLambda, tIf, tElse, tFor, tNewline, tIndent, tDedent, tSemi, tReturn, tYield, tStarStar:
			return p.toks[j].start
		case tLparen, tLbrack, tLbrace:
			if t.depth < depth {
				return p.toks[j].start
			}
		}
	}
	return p.toks[j].start
}

// paren parses (), (x), (x, y), (yield x) and (x for …).
func (p *parser) paren() Expr {
	start := p.next()
	switch p.tok().kind {
	case tRparen:
		p.next()
		return &Tuple{Span: p.span(start), Paren: true}
	case tYield:
		x := p.yield()
		p.closeExpr(tRparen)
		return x
	}
	p.enter()
	defer p.leave()
	if p.at(tStarStar) {
		p.failHere("cannot use double starred expression here")
	}
	x := p.starNamed()
	switch p.tok().kind {
	case tFor, tAsync:
		c := p.comprehension(GeneratorExp, x, nil)
		p.closeExpr(tRparen)
		c.Span = p.span(start)
		return c
	case tComma:
		elts := p.elements(x, tRparen)
		p.closeExpr(tRparen)
		return &Tuple{Span: p.span(start), Paren: true, Elts: elts}
	}
	if s, ok := x.(*Starred); ok && p.at(tRparen) {
		p.failNode(s, "cannot use starred expression here")
	}
	p.closeExpr(tRparen)
	return x
}

// elements parses the rest of a display behind its first element x.
func (p *parser) elements(x Expr, end tok) []Expr {
	elts := []Expr{x}
	for p.got(tComma) {
		if p.at(end) {
			break
		}
		elts = append(elts, p.starNamed())
	}
	return elts
}

func (p *parser) list() Expr {
	start := p.next()
	if p.got(tRbrack) {
		return &List{Span: p.span(start)}
	}
	p.enter()
	defer p.leave()
	x := p.starNamed()
	if p.at(tFor) || p.at(tAsync) {
		c := p.comprehension(ListComp, x, nil)
		p.closeExpr(tRbrack)
		c.Span = p.span(start)
		return c
	}
	elts := p.elements(x, tRbrack)
	if p.at(tFor) && len(elts) > 1 {
		p.fail(SyntaxError, Span{elts[0].Range().Start, elts[len(elts)-1].Range().End}, "did you forget parentheses around the comprehension target?")
	}
	p.closeExpr(tRbrack)
	return &List{p.span(start), elts}
}

// brace parses a dict or set display or comprehension.
func (p *parser) brace() Expr {
	start := p.next()
	if p.got(tRbrace) {
		return &Dict{Span: p.span(start)}
	}
	p.enter()
	defer p.leave()
	if !p.at(tStarStar) {
		x := p.starNamed()
		if !p.at(tColon) || isStarred(x) {
			return p.set(start, x)
		}
		return p.dict(start, x)
	}
	return p.dict(start, nil)
}

func isStarred(x Expr) bool { _, ok := x.(*Starred); return ok }

func (p *parser) set(start Pos, x Expr) Expr {
	if p.at(tFor) || p.at(tAsync) {
		c := p.comprehension(SetComp, x, nil)
		p.closeExpr(tRbrace)
		c.Span = p.span(start)
		return c
	}
	elts := p.elements(x, tRbrace)
	if p.at(tFor) && len(elts) > 1 {
		p.fail(SyntaxError, Span{elts[0].Range().Start, elts[len(elts)-1].Range().End}, "did you forget parentheses around the comprehension target?")
	}
	p.closeExpr(tRbrace)
	return &Set{p.span(start), elts}
}

// dict parses a dict from its first key on, or from ** if key is nil.
func (p *parser) dict(start Pos, key Expr) Expr {
	d := &Dict{}
	for first := true; ; first = false {
		var value Expr
		starPos := p.tok().start
		if key == nil && p.got(tStarStar) {
			value = p.binary(1)
			if p.at(tFor) {
				p.fail(SyntaxError, Span{starPos, Pos{starPos.Line, starPos.Col + 2}}, "dict unpacking cannot be used in dict comprehension")
			}
		} else {
			if key == nil {
				key = p.expr()
			}
			if !p.at(tColon) {
				if p.at(tRbrace) || p.at(tComma) {
					p.fail(SyntaxError, Span{p.toks[p.i-1].start, p.toks[p.i-1].end}, "':' expected after dictionary key")
				}
				p.closeExpr(tColon)
			}
			colon := *p.tok()
			p.next()
			if p.at(tRbrace) || p.at(tComma) {
				p.fail(SyntaxError, Span{colon.start, colon.end}, "expression expected after dictionary key and ':'")
			}
			if p.at(tStar) {
				s := p.next()
				p.binary(1)
				p.fail(SyntaxError, p.span(s), "cannot use a starred expression in a dictionary value")
			}
			value = p.expr()
			if first && (p.at(tFor) || p.at(tAsync)) {
				c := p.comprehension(DictComp, key, value)
				p.closeExpr(tRbrace)
				c.Span = p.span(start)
				return c
			}
		}
		d.Keys, d.Values = append(d.Keys, key), append(d.Values, value)
		key = nil
		if !p.got(tComma) || p.at(tRbrace) {
			p.closeExpr(tRbrace)
			d.Span = p.span(start)
			return d
		}
	}
}

// comprehension parses the clauses behind elt; the caller closes the bracket and
// sets the span.
func (p *parser) comprehension(kind CompKind, elt, value Expr) *Comp {
	if s, ok := elt.(*Starred); ok {
		p.failNode(s, "iterable unpacking cannot be used in comprehension")
	}
	c := &Comp{Kind: kind, Elt: elt, Value: value}
	for p.at(tFor) || p.at(tAsync) {
		if p.at(tAsync) {
			p.invalid()
		}
		start := p.next()
		f := &CompFor{Target: p.targetList(tIn)}
		p.want(tIn)
		f.Iter = p.or()
		for p.got(tIf) {
			f.Ifs = append(f.Ifs, p.or())
		}
		f.Span = p.span(start)
		c.Clauses = append(c.Clauses, f)
	}
	return c
}

// arguments parses (args) of a call or class head.
func (p *parser) arguments() (args []Expr, keywords []*Keyword) {
	p.enter()
	defer p.leave()
	open := p.next()
	unpacked := false
	for !p.at(tRparen) {
		start := p.tok().start
		switch {
		case p.at(tStar):
			p.next()
			x := p.expr()
			s := &Starred{p.span(start), x}
			if unpacked {
				p.failNode(keywords[len(keywords)-1], "iterable argument unpacking follows keyword argument unpacking")
			}
			args = append(args, s)
		case p.at(tStarStar):
			p.next()
			x := p.expr()
			keywords = append(keywords, &Keyword{Span: p.span(start), Value: x})
			unpacked = true
		case p.at(tName) && p.ahead(1) == tEq:
			n := p.name()
			p.next()
			x := p.expr()
			k := &Keyword{p.span(start), n.ID, x}
			if p.at(tFor) {
				p.fail(SyntaxError, Span{start, n.End}, "invalid syntax. Maybe you meant '==' or ':=' instead of '='?")
			}
			for _, other := range keywords {
				if other.Name == k.Name {
					p.failNode(k, "keyword argument repeated: %s", k.Name)
				}
			}
			keywords = append(keywords, k)
		default:
			x := p.argument()
			if p.at(tFor) || p.at(tAsync) {
				c := p.comprehension(GeneratorExp, x, nil)
				c.Span = p.span(start)
				if len(args)+len(keywords) > 0 || !p.at(tRparen) {
					if !p.at(tComma) && !p.at(tRparen) {
						p.closeExpr(tRparen)
					}
					p.failNode(c, "Generator expression must be parenthesized")
				}
				p.next()
				c.Span = p.span(open)
				return []Expr{c}, nil
			}
			if len(keywords) > 0 && (p.at(tComma) || p.at(tRparen)) {
				what := "positional argument follows keyword argument"
				if unpacked {
					what += " unpacking"
				}
				if !unpacked { // CPython marks the token behind
					p.failHere("%s", what)
				}
				p.failNode(x, "%s", what)
			}
			args = append(args, x)
		}
		if !p.got(tComma) {
			break
		}
	}
	p.closeExpr(tRparen)
	return args, keywords
}

// argument parses a positional argument, and words the fault of an = behind one
// that is not a name.
func (p *parser) argument() Expr {
	start := p.tok().start
	var x Expr
	if p.at(tName) && p.ahead(1) == tWalrus {
		x = p.namedExpr()
	} else {
		x = p.expr()
	}
	if p.at(tEq) {
		eq := *p.tok()
		if c, ok := x.(*Constant); ok && c.Kind <= FalseConst {
			p.fail(SyntaxError, Span{start, eq.end}, "cannot assign to %s", exprName(x))
		}
		p.fail(SyntaxError, Span{start, eq.end}, "expression cannot contain assignment, perhaps you meant \"==\"?")
	}
	return x
}
