package syntax

// binaryPrec are the binding powers of the binary operators under comparison.
// ** is apart: it binds tighter than a sign on its left and grows to the right.
var binaryPrec = func() (t [numToks]uint8) {
	for prec, ops := range [][]tok{{tPipe}, {tCaret}, {tAmp}, {tShl, tShr}, {tPlus, tMinus}, {tStar, tSlash, tSlashSlash, tPercent, tAt}} {
		for _, op := range ops {
			t[op] = uint8(prec + 1)
		}
	}
	return t
}()

// startsExpr reports whether an expression may begin with a token of kind k.
func startsExpr(k tok) bool {
	switch k {
	case tName, tNumber, tString, tLparen, tLbrack, tLbrace, tMinus, tPlus, tTilde, tNot, tLambda,
		tNone, tTrue, tFalse, tEllipsis, tAwait:
		return true
	}
	return false
}

// starExprs parses an expression list: a tuple if there is a comma.
func (p *parser) starExprs() Expr { return p.exprList(p.starExpr) }

// exprList parses item {"," item} [","].
func (p *parser) exprList(item func() Expr) Expr {
	start := p.tok().start
	x := item()
	if !p.at(tComma) {
		return x
	}
	elts := []Expr{x}
	for p.got(tComma) {
		if !startsExpr(p.tok().kind) && !p.at(tStar) {
			break
		}
		elts = append(elts, item())
	}
	return &Tuple{Span: p.span(start), Elts: elts}
}

// starExpr parses expression or *bitwise_or.
func (p *parser) starExpr() Expr {
	if p.at(tStar) {
		start := p.next()
		x := p.binary(1)
		return &Starred{p.span(start), x}
	}
	return p.expr()
}

// starNamed parses a display's element: named expression or *bitwise_or.
func (p *parser) starNamed() Expr {
	if p.at(tStar) {
		return p.starExpr()
	}
	return p.namedExpr()
}

// value parses what stands right of an assignment: yield or an expression list.
func (p *parser) value() Expr {
	if p.at(tYield) {
		return p.yield()
	}
	x := p.starExprs()
	p.noStar(x)
	return x
}

// noStar refuses *x outside a list.
func (p *parser) noStar(x Expr) {
	if s, ok := x.(*Starred); ok {
		p.failNode(s, "can't use starred expression here")
	}
}

// namedExpr parses name := expression, or an expression.
func (p *parser) namedExpr() Expr {
	if p.at(tName) && p.ahead(1) == tWalrus {
		p.enter()
		defer p.leave()
		start := p.tok().start
		n := p.name()
		p.next()
		x := p.expr()
		return &NamedExpr{p.span(start), n, x}
	}
	start := p.tok().start
	x := p.expr()
	switch p.tok().kind {
	case tEq:
		if !p.inFString {
			p.misusedEq(x, start)
		}
	case tWalrus:
		if _, ok := x.(*Name); !ok {
			p.failNode(x, "cannot use assignment expressions with %s", exprName(x))
		}
	}
	return x
}

// misusedEq words the fault of x = y where only x == y can stand.
func (p *parser) misusedEq(x Expr, start Pos) {
	eq := p.i
	ok := p.try(func() {
		p.next()
		p.binary(1)
		if p.at(tEq) || p.at(tWalrus) {
			p.invalid()
		}
	})
	if !ok {
		return
	}
	end := p.end()
	p.i = eq
	if _, ok := x.(*Name); ok {
		p.fail(SyntaxError, Span{start, end}, "invalid syntax. Maybe you meant '==' or ':=' instead of '='?")
	}
	if belowComparison(x, x.Range().Start != start) {
		p.failNode(x, "cannot assign to %s here. Maybe you meant '==' instead of '='?", exprName(x))
	}
}

// belowComparison reports whether x is of CPython's bitwise_or level and not one
// of the displays and constants that its grammar excepts here. In parentheses
// anything else is.
func belowComparison(x Expr, paren bool) bool {
	switch x := x.(type) {
	case *List, *Tuple, *Starred:
		return false
	case *Compare, *BoolOp, *IfExp, *Lambda, *NamedExpr, *Yield, *YieldFrom:
		return paren
	case *Comp:
		return x.Kind != GeneratorExp
	case *UnaryOp:
		return paren || x.Op != Not
	case *Constant:
		return x.Kind > FalseConst
	}
	return true
}

// expr parses a conditional expression, a lambda, or what is below.
func (p *parser) expr() Expr {
	p.enter()
	defer p.leave()
	start := p.tok().start
	if p.at(tLambda) {
		return p.lambda()
	}
	x := p.or()
	if !p.at(tIf) {
		return x
	}
	p.next()
	test := p.or()
	if !p.at(tElse) {
		if !p.at(tColon) {
			p.fail(SyntaxError, p.span(start), "expected 'else' after 'if' expression")
		}
		p.invalid()
	}
	p.next()
	orelse := p.expr()
	return &IfExp{p.span(start), test, x, orelse}
}

func (p *parser) lambda() Expr {
	start := p.next()
	params := p.params(tColon)
	p.want(tColon)
	body := p.expr()
	return &Lambda{Span: p.span(start), Params: params, Body: body}
}

func (p *parser) or() Expr {
	start := p.tok().start
	x := p.and()
	if !p.at(tOr) {
		return x
	}
	values := []Expr{x}
	for p.got(tOr) {
		values = append(values, p.and())
	}
	return &BoolOp{p.span(start), true, values}
}

func (p *parser) and() Expr {
	start := p.tok().start
	x := p.not()
	if !p.at(tAnd) {
		return x
	}
	values := []Expr{x}
	for p.got(tAnd) {
		values = append(values, p.not())
	}
	return &BoolOp{p.span(start), false, values}
}

func (p *parser) not() Expr {
	if !p.at(tNot) {
		return p.comparison()
	}
	p.enter()
	defer p.leave()
	start := p.next()
	x := p.not()
	return &UnaryOp{p.span(start), Not, x}
}

var comparisons = map[tok]CmpOp{tEqEq: Eq, tNe: NotEq, tLt: Lt, tLe: LtE, tGt: Gt, tGe: GtE, tIn: In, tIs: Is}

func (p *parser) comparison() Expr {
	start := p.tok().start
	x := p.binary(1)
	var c *Compare
	for {
		op, ok := comparisons[p.tok().kind]
		if p.at(tNot) && p.ahead(1) == tIn {
			op, ok = NotIn, true
		}
		if !ok {
			if p.got(tNot) {
				p.invalid()
			}
			break
		}
		if c == nil {
			c = &Compare{First: x}
		}
		c.OpPos = append(c.OpPos, p.next())
		if op == NotIn || op == Is && p.at(tNot) {
			p.next()
			if op == Is {
				op = IsNot
			}
		}
		c.Ops = append(c.Ops, op)
		c.Rest = append(c.Rest, p.binary(1))
	}
	if c == nil {
		return x
	}
	c.Span = p.span(start)
	return c
}

// binary parses operators of at least the binding power min.
func (p *parser) binary(min uint8) Expr {
	start := p.tok().start
	saved := p.chain()
	x := p.unary()
	for {
		k := p.tok().kind
		prec := binaryPrec[k]
		if prec < min || prec == 0 {
			break
		}
		p.link()
		pos := p.next()
		y := p.binary(prec + 1)
		x = &BinOp{p.span(start), x, binaryOps[k], pos, y}
	}
	p.endChain(saved)
	return x
}

func (p *parser) unary() Expr {
	var op Op
	switch p.tok().kind {
	case tPlus:
		op = UAdd
	case tMinus:
		op = USub
	case tTilde:
		op = Invert
	default:
		return p.power()
	}
	p.enter()
	defer p.leave()
	start := p.next()
	x := p.unary()
	return &UnaryOp{p.span(start), op, x}
}

func (p *parser) power() Expr {
	start := p.tok().start
	x := p.primary()
	if !p.at(tStarStar) {
		return x
	}
	p.enter()
	defer p.leave()
	pos := p.next()
	y := p.unary()
	return &BinOp{p.span(start), x, Pow, pos, y}
}

// primary parses an atom with its attributes, calls and subscripts.
func (p *parser) primary() Expr {
	start := p.tok().start
	saved := p.chain()
	x := p.atom()
	for {
		switch p.tok().kind {
		case tDot:
			p.link()
			p.next()
			pos := p.tok().start
			attr := p.name().ID
			x = &Attribute{p.span(start), x, attr, pos}
		case tLparen:
			p.link()
			c := &Call{Func: x, Lparen: p.tok().start}
			c.Args, c.Keywords = p.arguments()
			c.Span = p.span(start)
			x = c
		case tLbrack:
			p.link()
			pos := p.next()
			index := p.slices()
			p.closeExpr(tRbrack)
			x = &Subscript{p.span(start), x, pos, index}
		default:
			p.endChain(saved)
			return x
		}
	}
}

// slices parses what stands within the brackets of a subscript.
func (p *parser) slices() Expr {
	p.enter()
	defer p.leave()
	start := p.tok().start
	x := p.slice()
	if _, starred := x.(*Starred); !p.at(tComma) && !starred {
		return x
	}
	elts := []Expr{x}
	for p.got(tComma) {
		if p.at(tRbrack) {
			break
		}
		elts = append(elts, p.slice())
	}
	return &Tuple{Span: p.span(start), Elts: elts}
}

func (p *parser) slice() Expr {
	start := p.tok().start
	var s Slice
	if !p.at(tColon) {
		x := p.starNamed()
		if !p.at(tColon) {
			return x
		}
		s.Lo = x
	}
	ends := func() bool { return p.at(tComma) || p.at(tRbrack) }
	p.next()
	if !p.at(tColon) && !ends() {
		s.Hi = p.expr()
	}
	if p.got(tColon) && !ends() {
		s.Step = p.expr()
	}
	s.Span = p.span(start)
	return &s
}

// yield parses yield [list] or yield from expression.
func (p *parser) yield() Expr {
	p.enter()
	defer p.leave()
	start := p.next()
	if p.got(tFrom) {
		x := p.expr()
		return &YieldFrom{p.span(start), x}
	}
	y := &Yield{}
	if startsExpr(p.tok().kind) || p.at(tStar) {
		y.Value = p.starExprs()
		p.noStar(y.Value)
	}
	y.Span = p.span(start)
	return y
}
