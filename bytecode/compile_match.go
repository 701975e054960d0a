package bytecode

import "github.com/larkspur-ml/larkspur/lang/syntax"

func (f *fn) match(s *syntax.Match) {
	subject := f.tmp()
	f.into(s.Subject, subject)
	end := f.label()
	for _, c := range s.Cases {
		save := f.top
		old := f.at(c.Pattern)
		next := f.label()
		// Names are bound only once the whole pattern has matched.
		var names []capture
		f.pattern(c.Pattern, subject, next, &names)
		for _, n := range names {
			f.store(n.name, n.reg)
		}
		if c.Guard != nil {
			f.branch(c.Guard, next, false)
		}
		f.span = old
		f.stmts(c.Body)
		f.jump(JMP, 0, 0, end)
		f.mark(next)
		f.top = save
	}
	f.mark(end)
}

type capture struct {
	name *syntax.Name
	reg  int
}

// pattern tests register r and jumps to no if it does not match. Registers that
// captures lie in stay taken.
func (f *fn) pattern(p syntax.Pattern, r int, no label, names *[]capture) {
	old := f.at(p)
	defer func() { f.span = old }()
	switch p := p.(type) {
	case *syntax.MatchValue:
		save := f.top
		v := f.operand(p.Value)
		f.jump(JNEQ, r, v, no)
		f.top = save
	case *syntax.MatchSingleton:
		save := f.top
		t := f.tmp()
		f.emit(LOADK, t, f.constant(constantOf(p.Value)), 0)
		f.emit(IS, t, r, t)
		f.jump(JF, t, 0, no)
		f.top = save
	case *syntax.MatchAs:
		if p.Pattern != nil {
			f.pattern(p.Pattern, r, no, names)
		}
		if p.Name != nil {
			*names = append(*names, capture{p.Name, r})
		}
	case *syntax.MatchOr:
		f.alternatives(p, r, no, names)
	case *syntax.MatchSequence:
		f.matchSequence(p, r, no, names)
	case *syntax.MatchMapping:
		f.matchMapping(p, r, no, names)
	case *syntax.MatchClass:
		f.matchClass(p, r, no, names)
	default:
		f.c.fail(p, "pattern is not supported here")
	}
}

// alternatives tries one pattern after the other. All bind the same names; the
// captures of each are moved to the registers of the first one's.
func (f *fn) alternatives(p *syntax.MatchOr, r int, no label, names *[]capture) {
	end := f.label()
	var slots []capture
	for i, alt := range p.Patterns {
		next := no
		if i < len(p.Patterns)-1 {
			next = f.label()
		}
		var mine []capture
		f.pattern(alt, r, next, &mine)
		if i == 0 {
			for _, n := range mine {
				t := f.tmp()
				f.emit(MOVE, t, n.reg, 0)
				slots = append(slots, capture{n.name, t})
			}
		} else {
			for _, s := range slots {
				for _, n := range mine {
					if n.name.ID == s.name.ID {
						f.emit(MOVE, s.reg, n.reg, 0)
					}
				}
			}
		}
		if i < len(p.Patterns)-1 {
			f.jump(JMP, 0, 0, end)
			f.mark(next)
		}
	}
	f.mark(end)
	*names = append(*names, slots...)
}

func (f *fn) matchSequence(p *syntax.MatchSequence, r int, no label, names *[]capture) {
	star := -1
	for i, q := range p.Patterns {
		if _, ok := q.(*syntax.MatchStar); ok {
			star = i
		}
	}
	t := f.tmp()
	f.emit(ISSEQ, t, r, 0)
	f.jump(JF, t, 0, no)
	f.emit(LEN, t, r, 0)
	n := len(p.Patterns)
	if star < 0 {
		f.jump(JNEQI, t, n, no)
	} else {
		f.jump(JNGEI, t, n-1, no)
	}
	if n == 0 {
		return
	}
	base := f.tmps(n)
	if star < 0 {
		f.emit(UNPACK, base, r, n)
	} else {
		if star > 255 || n-star-1 > 255 {
			f.c.fail(p, "too many patterns in a sequence")
			return
		}
		f.emit(UNPACKEX, base, r, star|(n-star-1)<<8)
	}
	for i, q := range p.Patterns {
		if s, ok := q.(*syntax.MatchStar); ok {
			if s.Name != nil {
				*names = append(*names, capture{s.Name, base + i})
			}
			continue
		}
		f.pattern(q, base+i, no, names)
	}
}

func (f *fn) matchMapping(p *syntax.MatchMapping, r int, no label, names *[]capture) {
	t := f.tmp()
	f.emit(ISMAP, t, r, 0)
	f.jump(JF, t, 0, no)
	if len(p.Keys) == 0 && p.Rest == nil {
		return
	}
	keys := f.tmp()
	f.into(&syntax.Tuple{Span: p.Span, Elts: p.Keys}, keys)
	if n := len(p.Keys); n > 0 {
		f.emit(MATCHKEYS, t, r, keys)
		f.jump(JNONE, t, 0, no)
		base := f.tmps(n)
		f.emit(UNPACK, base, t, n)
		for i, q := range p.Patterns {
			f.pattern(q, base+i, no, names)
		}
	}
	if p.Rest != nil {
		rest := f.tmp()
		f.emit(MATCHREST, rest, r, keys)
		*names = append(*names, capture{p.Rest, rest})
	}
}

func (f *fn) matchClass(p *syntax.MatchClass, r int, no label, names *[]capture) {
	t := f.tmp()
	want := Constant{Kind: TupleConst, Elts: []Constant{{Kind: IntConst, Int: int64(len(p.Patterns))}}}
	for _, a := range p.KwdAttrs {
		want.Elts = append(want.Elts, Constant{Kind: StrConst, Str: a})
	}
	class := f.tmp()
	f.into(p.Class, class)
	f.emit(LOADK, t, f.constant(want), 0)
	f.emit(MATCHCLASS, t, r, class)
	f.jump(JNONE, t, 0, no)
	n := len(p.Patterns) + len(p.KwdPatterns)
	if n == 0 {
		return
	}
	base := f.tmps(n)
	f.emit(UNPACK, base, t, n)
	for i, q := range p.Patterns {
		f.pattern(q, base+i, no, names)
	}
	for i, q := range p.KwdPatterns {
		f.pattern(q, base+len(p.Patterns)+i, no, names)
	}
}
