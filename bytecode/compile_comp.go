package bytecode

import "github.com/larkspur-ml/larkspur/lang/syntax"

// comp compiles a comprehension: in place if it is no generator and no inner
// function shares its variables, else as a function that is called at once.
func (f *fn) comp(e *syntax.Comp, want int) int {
	if e.Kind != syntax.GeneratorExp && len(e.Scope.Cells) == 0 && !e.Scope.IsGenerator {
		return f.compInPlace(e, want)
	}
	save := f.top
	base := f.base(want)
	f.makeFunction(e, e.Scope, CompCode, base, -1, func(g *fn) { g.compBody(e) })
	arg := f.tmp()
	old := f.at(e.Clauses[0].Iter)
	f.into(e.Clauses[0].Iter, arg)
	if e.Kind == syntax.GeneratorExp {
		f.emit(ITER, arg, arg, 0)
	}
	f.span = old
	f.emit(CALL, base, 1, 0)
	return f.done(base, save, want)
}

// compBody is the code of a comprehension that is its own function; register 0
// holds what the first clause iterates over.
func (f *fn) compBody(e *syntax.Comp) {
	result := -1
	if e.Kind != syntax.GeneratorExp {
		result = f.tmp()
		f.emptyFor(e, result)
	}
	f.clauses(e, 0, result, 0)
	if result < 0 {
		f.returnNone()
	} else {
		f.emit(RET, result, 0, 0)
	}
}

func (f *fn) emptyFor(e *syntax.Comp, r int) {
	switch e.Kind {
	case syntax.ListComp:
		f.emit(LIST, r, r, 0)
	case syntax.SetComp:
		f.emit(SET, r, r, 0)
	case syntax.DictComp:
		f.emit(DICT, r, r, 0)
	}
}

func (f *fn) compInPlace(e *syntax.Comp, want int) int {
	save := f.top
	result := f.tmp()
	first := f.tmp()
	f.into(e.Clauses[0].Iter, first)
	scope := &env{scope: e.Scope, outer: f.env}
	for i := range e.Scope.Locals {
		r := first
		if i > 0 {
			r = f.tmp()
			if len(e.Clauses) > 1 {
				f.emit(CLEAR, r, 0, 0)
			}
		}
		f.bound = f.bound.without(r)
		scope.regs = append(scope.regs, r)
	}
	f.emptyFor(e, result)
	outer := f.env
	f.env = scope
	i := -1
	if !f.starlark() {
		i = len(f.inline)
		f.inline = append(f.inline, Inline{End: -1, Span: e.Span, Name: e.Scope.Name})
	}
	f.clauses(e, 0, result, first)
	if i >= 0 {
		f.inline[i].End = len(f.items)
	}
	f.env = outer
	f.top = save
	if want < 0 {
		return f.tmp() // which is result
	}
	f.emit(MOVE, want, result, 0)
	return want
}

// clauses compiles clause i and all within it. first is the register of what
// the first clause iterates over.
func (f *fn) clauses(e *syntax.Comp, i, result, first int) {
	save := f.top
	defer func() { f.top = save }()
	if i == len(e.Clauses) {
		switch e.Kind {
		case syntax.ListComp:
			f.emit(LISTAPP, result, f.operand(e.Elt), 0)
		case syntax.SetComp:
			f.emit(SETADD, result, f.operand(e.Elt), 0)
		case syntax.DictComp:
			old := f.at(e.Elt)
			k := f.operand(e.Elt)
			f.emit(DICTPUT, result, k, f.operand(e.Value))
			f.span = old
		case syntax.GeneratorExp:
			old := f.at(e.Elt)
			r := f.operand(e.Elt)
			f.emit(YIELD, f.tmp(), r, NoReg)
			f.span = old
		}
		return
	}
	c := e.Clauses[i]
	it := f.tmps(3)
	old := f.at(e)
	if i == 0 {
		f.emit(GETITER, it, first, 0)
	} else {
		f.emit(GETITER, it, f.operand(c.Iter), 0)
	}
	if n := len(f.inline); i == 0 && n > 0 && f.inline[n-1].End < 0 {
		f.inline[n-1].Start = len(f.items) // the first iterator is made outside
	}
	f.span = old
	f.top = it + 3
	f.loop(e, it, c.Target, f.label(), func(next label) {
		for _, cond := range c.Ifs {
			f.branch(cond, next, false)
		}
		f.clauses(e, i+1, result, first)
	})
}

// loop is the frame of every for: the iteration stands in registers it…it+2.
//
//	JMP next;  body: target = item; …;  next: FORITER item, it, body
func (f *fn) loop(iter syntax.Node, it int, target syntax.Expr, next label, body func(next label)) {
	var r *region
	if f.starlark() {
		r = f.open(IterHandler, 0, it)
		f.blocks = append(f.blocks, block{kind: iterBlock, reg: it, region: r})
	}
	item, isLocal := f.local(target)
	if !isLocal {
		item = f.tmp()
	}
	before := f.bound
	f.jump(JMP, 0, 0, next)
	start := f.label()
	wasDead := f.labels[next].refs == 0
	f.mark(start)
	if !wasDead {
		f.dead = false
		f.bound = before
	}
	if isLocal {
		f.assigned(item)
	} else {
		f.assign(target, item)
	}
	body(next)
	f.mark(next)
	old := f.at(iter)
	f.jump(FORITER, item, it, start)
	f.span = old
	if r != nil {
		f.blocks = f.blocks[:len(f.blocks)-1]
		f.close(r)
	}
}

func (f *fn) starlark() bool { return f.c.prog.Options.Dialect == syntax.Starlark }
