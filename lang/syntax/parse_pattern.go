package syntax

// match parses a match statement, or returns nil if the word is a mere name. It is
// a statement if a subject, a colon and an indented case follow.
func (p *parser) match() Stmt {
	switch p.ahead(1) {
	case tEq, tDot, tRparen, tComma, tColon, tNewline, tSemi, tEOF, tIs, tIn, tAnd, tOr, tIf, tElse, tAs, tWalrus:
		return nil
	}
	start := p.tok().start
	s := &Match{}
	header := func() {
		p.next()
		s.Subject = p.subject()
		if p.at(tNewline) {
			p.failHere("expected ':'")
		}
		p.want(tColon)
		p.want(tNewline)
		if !p.at(tIndent) {
			t := p.tok()
			p.fail(IndentationError, Span{t.start, t.end}, "expected an indented block after 'match' statement on line %d", start.Line)
		}
		p.next()
		if !p.atWord("case") {
			p.invalid()
		}
	}
	switch p.ahead(1) {
	case tName, tNumber, tString, tLbrace, tTilde, tLambda, tNone, tTrue, tFalse, tEllipsis:
		header() // no expression goes on so behind a name
	default:
		if !p.try(header) {
			return nil
		}
	}
	p.enter()
	p.blocks++
	defer func() { p.leave(); p.blocks-- }()
	for p.atWord("case") {
		s.Cases = append(s.Cases, p.matchCase())
	}
	if !p.got(tDedent) {
		p.invalid()
	}
	for _, c := range s.Cases[:len(s.Cases)-1] {
		if c.Guard == nil {
			p.refuseIrrefutable(c.Pattern)
		}
	}
	s.Span = p.span2(start, s.Cases[len(s.Cases)-1].Body)
	return s
}

func (p *parser) subject() Expr {
	start := p.tok().start
	if p.at(tStar) {
		x := p.starExpr()
		if !p.at(tComma) {
			p.invalid()
		}
		elts := p.elements(x, tColon)
		return &Tuple{Span: p.span(start), Elts: elts}
	}
	x := p.namedExpr()
	if !p.at(tComma) {
		return x
	}
	elts := p.elements(x, tColon)
	return &Tuple{Span: p.span(start), Elts: elts}
}

// refuseIrrefutable reports a pattern that matches everything and so hides what
// follows.
func (p *parser) refuseIrrefutable(pat Pattern) {
	a, ok := pat.(*MatchAs)
	switch {
	case !ok || a.Pattern != nil:
	case a.Name == nil:
		p.failNode(pat, "wildcard makes remaining patterns unreachable")
	default:
		p.failNode(pat, "name capture '%s' makes remaining patterns unreachable", a.Name.ID)
	}
}

func (p *parser) matchCase() *MatchCase {
	start := p.next()
	c := &MatchCase{Pattern: p.openPattern()}
	p.checkCaptures(c.Pattern, map[string]bool{})
	if p.got(tIf) {
		c.Guard = p.namedExpr()
	}
	c.Body = p.block("'case' statement", start, false)
	c.Span = p.span2(start, c.Body)
	return c
}

// openPattern parses a pattern, or a sequence without brackets.
func (p *parser) openPattern() Pattern {
	start := p.tok().start
	x := p.starPattern()
	if !p.at(tComma) {
		if _, ok := x.(*MatchStar); ok {
			p.invalid()
		}
		return x
	}
	s := &MatchSequence{Patterns: p.patternRest(x, tColon)}
	s.Span = p.span(start)
	p.oneStar(s)
	return s
}

func (p *parser) patternRest(x Pattern, end tok) []Pattern {
	all := []Pattern{x}
	for p.got(tComma) {
		if p.at(end) || end == tColon && p.at(tIf) {
			break
		}
		all = append(all, p.starPattern())
	}
	return all
}

func (p *parser) oneStar(s *MatchSequence) {
	seen := false
	for _, x := range s.Patterns {
		if _, ok := x.(*MatchStar); ok {
			if seen {
				p.failNode(s, "multiple starred names in sequence pattern")
			}
			seen = true
		}
	}
}

func (p *parser) starPattern() Pattern {
	if !p.at(tStar) {
		return p.pattern()
	}
	start := p.next()
	n := p.name()
	s := &MatchStar{Span: p.span(start)}
	if n.ID != "_" {
		s.Name = n
	}
	return s
}

// pattern parses or_pattern ["as" name].
func (p *parser) pattern() Pattern {
	p.enter()
	defer p.leave()
	start := p.tok().start
	x := p.orPattern()
	if !p.got(tAs) {
		return x
	}
	if !p.at(tName) {
		p.failHere("invalid pattern target")
	}
	n := p.name()
	if n.ID == "_" {
		p.failNode(n, "cannot use '_' as a target")
	}
	return &MatchAs{p.span(start), x, n}
}

func (p *parser) orPattern() Pattern {
	start := p.tok().start
	x := p.closedPattern()
	if !p.at(tPipe) {
		return x
	}
	all := []Pattern{x}
	for p.got(tPipe) {
		all = append(all, p.closedPattern())
	}
	for _, x := range all[:len(all)-1] {
		p.refuseIrrefutable(x)
	}
	return &MatchOr{p.span(start), all}
}

func (p *parser) closedPattern() Pattern {
	t := p.tok()
	start := t.start
	switch t.kind {
	case tNone, tTrue, tFalse:
		c := p.atom().(*Constant)
		return &MatchSingleton{c.Span, c}
	case tString:
		x := p.strings()
		if j, ok := x.(*JoinedStr); ok {
			p.failNode(j, "patterns may only match literals and attribute lookups")
		}
		return &MatchValue{x.Range(), x}
	case tNumber, tMinus:
		x := p.patternNumber()
		return &MatchValue{x.Range(), x}
	case tLparen, tLbrack:
		return p.groupOrSequence()
	case tLbrace:
		return p.mappingPattern()
	case tName:
		n := p.name()
		if !p.at(tDot) && !p.at(tLparen) {
			a := &MatchAs{Span: n.Span}
			if n.ID != "_" {
				a.Name = n
			}
			return a
		}
		var x Expr = n
		for p.got(tDot) {
			pos := p.tok().start
			attr := p.name().ID
			x = &Attribute{p.span(start), x, attr, pos}
			p.link()
		}
		if p.at(tLparen) {
			return p.classPattern(x)
		}
		return &MatchValue{x.Range(), x}
	}
	p.invalid()
	return nil
}

// patternNumber parses a signed number or a complex one: -1, 3+4j.
func (p *parser) patternNumber() Expr {
	start := p.tok().start
	signed := func() Expr {
		pos := p.tok().start
		if p.got(tMinus) {
			if !p.at(tNumber) {
				p.invalid()
			}
			c := p.number()
			return &UnaryOp{p.span(pos), USub, c}
		}
		if !p.at(tNumber) {
			p.invalid()
		}
		return p.number()
	}
	imaginary := func(x Expr) bool {
		if u, ok := x.(*UnaryOp); ok {
			x = u.X
		}
		return x.(*Constant).Kind == ImagConst
	}
	x := signed()
	if !p.at(tPlus) && !p.at(tMinus) {
		return x
	}
	if imaginary(x) {
		p.failNode(x, "real number required in complex literal")
	}
	op := binaryOps[p.tok().kind]
	pos := p.next()
	if !p.at(tNumber) {
		p.invalid()
	}
	y := p.number()
	if !imaginary(y) {
		p.failNode(y, "imaginary number required in complex literal")
	}
	return &BinOp{p.span(start), x, op, pos, y}
}

func (p *parser) groupOrSequence() Pattern {
	end := tRparen
	if p.at(tLbrack) {
		end = tRbrack
	}
	start := p.next()
	if p.got(end) {
		return &MatchSequence{Span: p.span(start)}
	}
	x := p.starPattern()
	if _, star := x.(*MatchStar); end == tRparen && !p.at(tComma) && !star {
		p.want(end)
		return x
	} else if end == tRparen && !p.at(tComma) {
		p.invalid()
	}
	s := &MatchSequence{Patterns: p.patternRest(x, end)}
	p.want(end)
	s.Span = p.span(start)
	p.oneStar(s)
	return s
}

func (p *parser) mappingPattern() Pattern {
	start := p.next()
	m := &MatchMapping{}
	for !p.at(tRbrace) {
		if m.Rest != nil {
			p.invalid()
		}
		if p.got(tStarStar) {
			m.Rest = p.name()
			if m.Rest.ID == "_" {
				p.i--
				p.invalid()
			}
		} else {
			var key Expr
			switch p.tok().kind {
			case tName:
				v, ok := p.closedPattern().(*MatchValue)
				if !ok {
					p.invalid()
				}
				key = v.Value
			case tNone, tTrue, tFalse:
				key = p.atom()
			case tString:
				key = p.strings()
				if _, ok := key.(*JoinedStr); ok {
					p.failNode(key, "patterns may only match literals and attribute lookups")
				}
			default:
				key = p.patternNumber()
			}
			p.want(tColon)
			m.Keys = append(m.Keys, key)
			m.Patterns = append(m.Patterns, p.pattern())
		}
		if !p.got(tComma) {
			break
		}
	}
	p.want(tRbrace)
	m.Span = p.span(start)
	return m
}

func (p *parser) classPattern(class Expr) Pattern {
	m := &MatchClass{Class: class}
	p.next()
	for !p.at(tRparen) {
		if p.at(tName) && p.ahead(1) == tEq {
			n := p.name()
			p.next()
			for _, attr := range m.KwdAttrs {
				if attr == n.ID {
					p.failNode(n, "attribute name repeated in class pattern: %s", attr)
				}
			}
			m.KwdAttrs = append(m.KwdAttrs, n.ID)
			m.KwdPatterns = append(m.KwdPatterns, p.pattern())
		} else {
			x := p.pattern()
			if len(m.KwdAttrs) > 0 {
				p.failNode(x, "positional patterns follow keyword patterns")
			}
			m.Patterns = append(m.Patterns, x)
		}
		if !p.got(tComma) {
			break
		}
	}
	p.want(tRparen)
	m.Span = p.span(class.Range().Start)
	return m
}

// checkCaptures refuses a name bound twice in a pattern, and alternatives that
// bind different names.
func (p *parser) checkCaptures(pat Pattern, seen map[string]bool) {
	bind := func(n *Name) {
		if n == nil {
			return
		}
		if seen[n.ID] {
			p.failNode(n, "multiple assignments to name '%s' in pattern", n.ID)
		}
		seen[n.ID] = true
	}
	switch x := pat.(type) {
	case *MatchAs:
		if x.Pattern != nil {
			p.checkCaptures(x.Pattern, seen)
		}
		bind(x.Name)
	case *MatchStar:
		bind(x.Name)
	case *MatchSequence:
		for _, y := range x.Patterns {
			p.checkCaptures(y, seen)
		}
	case *MatchMapping:
		for _, y := range x.Patterns {
			p.checkCaptures(y, seen)
		}
		bind(x.Rest)
	case *MatchClass:
		for _, y := range x.Patterns {
			p.checkCaptures(y, seen)
		}
		for _, y := range x.KwdPatterns {
			p.checkCaptures(y, seen)
		}
	case *MatchOr:
		var first map[string]bool
		for i, y := range x.Patterns {
			own := map[string]bool{}
			p.checkCaptures(y, own)
			if i == 0 {
				first = own
				continue
			}
			same := len(own) == len(first)
			for n := range own {
				same = same && first[n]
			}
			if !same {
				p.failNode(y, "alternative patterns bind different names")
			}
		}
		for _, n := range sortedKeys(first) {
			bind(&Name{Span: x.Span, ID: n})
		}
	}
}
