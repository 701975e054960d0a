package syntax

// starlarkPrec are the precedence levels of Starlark's binary operators; not as a
// prefix is at level 2.
var starlarkPrec = func() (t [numToks]int8) {
	for i := range t {
		t[i] = -1
	}
	for prec, ops := range [][]tok{{tOr}, {tAnd}, {tNot}, {tEqEq, tNe, tLt, tGt, tLe, tGe, tIn}, {tPipe}, {tCaret}, {tAmp},
		{tShl, tShr}, {tMinus, tPlus}, {tStar, tPercent, tSlash, tSlashSlash}} {
		for _, op := range ops {
			t[op] = int8(prec)
		}
	}
	return t
}()

const (
	starlarkNot     = 2
	starlarkCompare = 3
	starlarkTop     = 10
)

func (p *parser) starlarkTest() Expr {
	p.enter()
	defer p.leave()
	if p.at(tLambda) {
		return p.starlarkLambda(true)
	}
	start := p.tok().start
	x := p.starlarkBinary(0)
	if !p.at(tIf) {
		return x
	}
	pos := p.next()
	test := p.starlarkBinary(0)
	if !p.at(tElse) {
		p.fail(SyntaxError, Span{pos, Pos{pos.Line, pos.Col + 2}}, "conditional expression without else clause")
	}
	p.next()
	orelse := p.starlarkTest()
	return &IfExp{p.span(start), test, x, orelse}
}

func (p *parser) starlarkLambda(cond bool) Expr {
	p.enter()
	defer p.leave()
	start := p.next()
	l := &Lambda{Params: p.starlarkParams()}
	p.starlarkWant(tColon)
	switch {
	case cond:
		l.Body = p.starlarkTest()
	case p.at(tLambda):
		l.Body = p.starlarkLambda(false)
	default:
		l.Body = p.starlarkBinary(0)
	}
	l.Span = p.span(start)
	return l
}

func (p *parser) starlarkBinary(prec int8) Expr {
	if prec >= starlarkTop {
		return p.starlarkPrimary()
	}
	start := p.tok().start
	if prec == starlarkNot && p.at(tNot) {
		p.enter()
		defer p.leave()
		p.next()
		x := p.starlarkBinary(prec)
		return &UnaryOp{p.span(start), Not, x}
	}
	saved := p.chain()
	defer func() { p.endChain(saved) }()
	x := p.starlarkBinary(prec + 1)
	for first := true; ; first = false {
		k := p.tok().kind
		op := k.String()
		notIn := false
		pos := p.tok().start
		if k == tNot {
			p.next()
			if !p.at(tIn) {
				p.failHere("got %s, want in", p.starlarkTok())
			}
			k, op, notIn = tIn, "not in", true
		}
		opPrec := starlarkPrec[k]
		if opPrec < prec {
			if notIn {
				p.i-- // an outer level takes it
			}
			return x
		}
		if !first && opPrec == starlarkCompare {
			p.failHere("%s does not associate with %s (use parens)", x.(*Compare).Ops[0], op)
		}
		p.link()
		p.next()
		y := p.starlarkBinary(opPrec + 1)
		span := p.span(start)
		switch {
		case notIn:
			x = &Compare{span, x, []CmpOp{NotIn}, []Pos{pos}, []Expr{y}}
		case opPrec == starlarkCompare:
			x = &Compare{span, x, []CmpOp{comparisons[k]}, []Pos{pos}, []Expr{y}}
		case k == tOr || k == tAnd:
			x = &BoolOp{span, k == tOr, []Expr{x, y}}
		default:
			x = &BinOp{span, x, binaryOps[k], pos, y}
		}
	}
}

func (p *parser) starlarkPrimary() Expr {
	start := p.tok().start
	saved := p.chain()
	defer func() { p.endChain(saved) }()
	x := p.starlarkAtom()
	for {
		switch p.tok().kind {
		case tDot:
			p.link()
			p.next()
			pos := p.tok().start
			attr := p.starlarkIdent().ID
			x = &Attribute{p.span(start), x, attr, pos}
		case tLbrack:
			p.link()
			x = p.starlarkSubscript(start, x)
		case tLparen:
			p.link()
			c := &Call{Func: x, Lparen: p.next()}
			p.starlarkArgs(c)
			p.starlarkWant(tRparen)
			c.Span = p.span(start)
			x = c
		default:
			return x
		}
	}
}

func (p *parser) starlarkSubscript(start Pos, x Expr) Expr {
	s := &Subscript{X: x, Lbrack: p.next()}
	sl := &Slice{}
	at := p.tok().start
	if !p.at(tColon) {
		y := p.starlarkExpr(false)
		if p.got(tRbrack) {
			s.Index = y
			s.Span = p.span(start)
			return s
		}
		sl.Lo = y
	}
	if p.got(tColon) && !p.at(tColon) && !p.at(tRbrack) {
		sl.Hi = p.starlarkTest()
	}
	if p.got(tColon) && !p.at(tRbrack) {
		sl.Step = p.starlarkTest()
	}
	sl.Span = p.span(at)
	p.starlarkWant(tRbrack)
	s.Index = sl
	s.Span = p.span(start)
	return s
}

func (p *parser) starlarkAtom() Expr {
	p.enter()
	defer p.leave()
	start := p.tok().start
	switch p.tok().kind {
	case tName:
		return p.name()
	case tNumber:
		return p.number()
	case tString:
		return p.starlarkString()
	case tLbrack:
		p.next()
		if p.got(tRbrack) {
			return &List{Span: p.span(start)}
		}
		x := p.starlarkTest()
		if p.at(tFor) {
			return p.starlarkComp(start, ListComp, x, nil, tRbrack)
		}
		elts := p.starlarkElements(x, true)
		p.starlarkWant(tRbrack)
		return &List{p.span(start), elts}
	case tLbrace:
		return p.starlarkDict()
	case tLparen:
		p.next()
		if p.got(tRparen) {
			return &Tuple{Span: p.span(start), Paren: true}
		}
		x := p.starlarkExpr(true)
		p.starlarkWant(tRparen)
		if t, ok := x.(*Tuple); ok && !t.Paren {
			t.Paren, t.Span = true, p.span(start)
		}
		return x
	case tMinus, tPlus, tTilde:
		op := map[tok]Op{tMinus: USub, tPlus: UAdd, tTilde: Invert}[p.tok().kind]
		p.next()
		x := p.starlarkPrimary()
		return &UnaryOp{p.span(start), op, x}
	}
	p.failHere("got %s, want primary expression", p.starlarkTok())
	return nil
}

func (p *parser) starlarkDict() Expr {
	start := p.next()
	d := &Dict{}
	for first := true; !p.at(tRbrace); first = false {
		k := p.starlarkTest()
		p.starlarkWant(tColon)
		v := p.starlarkTest()
		if first && p.at(tFor) {
			return p.starlarkComp(start, DictComp, k, v, tRbrace)
		}
		d.Keys, d.Values = append(d.Keys, k), append(d.Values, v)
		if !p.got(tComma) {
			break
		}
	}
	p.starlarkWant(tRbrace)
	d.Span = p.span(start)
	return d
}

func (p *parser) starlarkComp(start Pos, kind CompKind, elt, value Expr, end tok) Expr {
	c := &Comp{Kind: kind, Elt: elt, Value: value}
	for !p.at(end) {
		pos := p.tok().start
		switch p.tok().kind {
		case tFor:
			p.next()
			f := &CompFor{Target: p.starlarkLoopVars()}
			p.starlarkWant(tIn)
			f.Iter = p.starlarkBinary(0)
			f.Span = p.span(pos)
			p.starlarkTarget(f.Target, false)
			c.Clauses = append(c.Clauses, f)
		case tIf:
			p.next()
			f := c.Clauses[len(c.Clauses)-1]
			if p.at(tLambda) {
				f.Ifs = append(f.Ifs, p.starlarkLambda(false))
			} else {
				f.Ifs = append(f.Ifs, p.starlarkBinary(0))
			}
			f.Span = p.span(f.Start)
		default:
			p.failHere("got %s, want '%s', for, or if", p.starlarkTok(), end)
		}
	}
	p.next()
	c.Span = p.span(start)
	return c
}

// starlarkArgs parses arguments. Their order is the resolver's concern.
func (p *parser) starlarkArgs(c *Call) {
	var star, starStar bool
	seen := make(map[string]bool)
	for first := true; !p.at(tRparen) && !p.at(tEOF); first = false {
		if !first {
			p.starlarkWant(tComma)
		}
		if p.at(tRparen) {
			break
		}
		start := p.tok().start
		switch {
		case p.got(tStarStar):
			x := p.starlarkTest()
			k := &Keyword{Span: p.span(start), Value: x}
			if starStar {
				p.deferred(k.Span, "multiple **kwargs not allowed")
			}
			starStar = true
			c.Keywords = append(c.Keywords, k)
		case p.got(tStar):
			x := p.starlarkTest()
			s := &Starred{p.span(start), x}
			if starStar {
				p.deferred(s.Span, "*args may not follow **kwargs")
			} else if star {
				p.deferred(s.Span, "multiple *args not allowed")
			}
			star = true
			c.Args = append(c.Args, s)
		default:
			x := p.starlarkTest()
			if p.at(tEq) {
				n, ok := x.(*Name)
				if !ok {
					p.failHere("keyword argument must have form name=expr")
				}
				p.next()
				v := p.starlarkTest()
				k := &Keyword{p.span(start), n.ID, v}
				if starStar {
					p.deferred(k.Span, "keyword argument may not follow **kwargs")
				} else if star {
					p.deferred(k.Span, "keyword argument may not follow *args")
				}
				if seen[n.ID] {
					p.deferred(n.Span, "keyword argument %q is repeated", n.ID)
				}
				seen[n.ID] = true
				c.Keywords = append(c.Keywords, k)
				continue
			}
			switch {
			case star:
				p.deferred(x.Range(), "positional argument may not follow *args")
			case starStar:
				p.deferred(x.Range(), "positional argument may not follow **kwargs")
			case len(seen) > 0:
				p.deferred(x.Range(), "positional argument may not follow named")
			}
			c.Args = append(c.Args, x)
		}
	}
	if n := len(c.Args); n >= 256 {
		p.deferred(c.Func.Range(), "%v positional arguments in call, limit is 255", n)
	}
	if n := len(c.Keywords); n >= 256 {
		p.deferred(c.Func.Range(), "%v keyword arguments in call, limit is 255", n)
	}
}

// starlarkParams parses parameters. Their order and names are checked as the
// resolver would.
func (p *parser) starlarkParams() *Params {
	ps := &Params{}
	start := p.tok().start
	var optional bool
	var star *Span // * or *args
	seen := make(map[string]bool)
	define := func(n *Name, at Span) {
		if seen[n.ID] {
			p.deferred(at, "duplicate parameter: %s", n.ID)
		}
		seen[n.ID] = true
	}
	add := func(q *Param) {
		if star != nil {
			ps.KwOnly = append(ps.KwOnly, q)
		} else {
			ps.Args = append(ps.Args, q)
		}
	}
	for first := true; !p.at(tRparen) && !p.at(tColon) && !p.at(tEOF); first = false {
		if !first {
			p.starlarkWant(tComma)
		}
		if p.at(tRparen) {
			break
		}
		pos := p.tok().start
		switch {
		case p.got(tStar):
			span := p.span(pos)
			var n *Name
			if p.at(tName) {
				n = p.name()
			}
			switch {
			case ps.KwArg != nil:
				p.deferred(span, "* parameter may not follow **%s", ps.KwArg.Name.ID)
			case star != nil:
				p.deferred(span, "multiple * parameters not allowed")
			default:
				star = &span
				if n != nil {
					ps.VarArg = &Param{Span: n.Span, Name: n}
				}
			}
		case p.got(tStarStar):
			span := p.span(pos)
			n := p.starlarkIdent()
			if ps.KwArg != nil {
				p.deferred(span, "multiple ** parameters not allowed")
			}
			ps.KwArg = &Param{Span: n.Span, Name: n}
		default:
			q := &Param{Name: p.starlarkIdent()}
			if p.at(tEq) {
				eq := p.next()
				at := Span{eq, p.end()}
				q.Default = p.starlarkTest()
				q.Span = p.span(pos)
				if ps.KwArg != nil {
					p.deferred(at, "optional parameter may not follow **%s", ps.KwArg.Name.ID)
				}
				define(q.Name, at)
				optional = true
			} else {
				q.Span = q.Name.Span
				switch {
				case ps.KwArg != nil:
					p.deferred(q.Span, "required parameter may not follow **%s", ps.KwArg.Name.ID)
				case star == nil && optional:
					p.deferred(q.Span, "required parameter may not follow optional")
				}
				define(q.Name, q.Span)
			}
			add(q)
		}
	}
	if ps.VarArg != nil {
		define(ps.VarArg.Name, ps.VarArg.Span)
	} else if star != nil && len(ps.KwOnly) == 0 {
		p.deferred(*star, "bare * must be followed by keyword-only parameters")
	}
	if ps.KwArg != nil {
		define(ps.KwArg.Name, ps.KwArg.Span)
	}
	ps.Span = Span{start, start}
	if start.Before(p.end()) {
		ps.Span = p.span(start)
	}
	return ps
}
