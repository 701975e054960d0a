package syntax

// exprName is CPython's word for a kind of expression in "cannot assign to …".
func exprName(x Expr) string {
	switch x := x.(type) {
	case *Attribute:
		return "attribute"
	case *Subscript:
		return "subscript"
	case *Starred:
		return "starred"
	case *Name:
		return "name"
	case *List:
		return "list"
	case *Tuple:
		return "tuple"
	case *Lambda:
		return "lambda"
	case *Call:
		return "function call"
	case *BoolOp, *BinOp, *UnaryOp:
		return "expression"
	case *Yield, *YieldFrom:
		return "yield expression"
	case *Comp:
		return [...]string{"list comprehension", "set comprehension", "dict comprehension", "generator expression"}[x.Kind]
	case *Dict:
		return "dict literal"
	case *Set:
		return "set display"
	case *JoinedStr, *FormattedValue:
		return "f-string expression"
	case *Constant:
		switch x.Kind {
		case NoneConst:
			return "None"
		case TrueConst:
			return "True"
		case FalseConst:
			return "False"
		case EllipsisConst:
			return "ellipsis"
		}
		return "literal"
	case *Compare:
		return "comparison"
	case *IfExp:
		return "conditional expression"
	case *NamedExpr:
		return "named expression"
	}
	return "expression"
}

// invalidTarget returns the innermost part of x that cannot be assigned to, or nil.
func invalidTarget(x Expr, del bool) Expr {
	elts := func(list []Expr) Expr {
		for _, e := range list {
			if bad := invalidTarget(e, del); bad != nil {
				return bad
			}
		}
		return nil
	}
	switch x := x.(type) {
	case *Name, *Attribute, *Subscript:
		return nil
	case *Tuple:
		return elts(x.Elts)
	case *List:
		return elts(x.Elts)
	case *Starred:
		if del {
			return x
		}
		return invalidTarget(x.X, false)
	}
	return x
}

// checkStars refuses a starred target outside a list and two in one list.
func (p *parser) checkStars(x Expr, inList bool) {
	var elts []Expr
	switch x := x.(type) {
	case *Starred:
		if !inList {
			p.failNode(x, "starred assignment target must be in a list or tuple")
		}
		if s, ok := x.X.(*Starred); ok {
			p.failNode(s, "can't use starred expression here")
		}
		p.checkStars(x.X, false)
	case *Tuple:
		elts = x.Elts
	case *List:
		elts = x.Elts
	}
	seen := false
	for _, e := range elts {
		if isStarred(e) {
			if seen {
				p.failNode(x, "multiple starred expressions in assignment")
			}
			seen = true
		}
		p.checkStars(e, true)
	}
}

// checkTarget refuses an x that cannot be assigned to, as of the statement forms
// that say only so.
func (p *parser) checkTarget(x Expr) {
	if bad := invalidTarget(x, false); bad != nil {
		p.failNode(bad, "cannot assign to %s", exprName(bad))
	}
	p.checkStars(x, false)
}

// targetList parses the targets of for: they end at the keyword in, so a
// comparison cannot stand there.
func (p *parser) targetList(end tok) Expr {
	x := p.exprList(func() Expr {
		if p.at(tStar) {
			start := p.next()
			x := p.binary(1)
			return &Starred{p.span(start), x}
		}
		return p.binary(1)
	})
	if p.at(end) || !p.at(end) && invalidTarget(x, false) != nil {
		p.checkTarget(x)
	}
	return x
}
