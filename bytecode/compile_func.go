package bytecode

import "github.com/larkspur-ml/larkspur/lang/syntax"

// function evaluates defaults and annotations and makes the function object.
func (f *fn) function(n syntax.Node, scope *syntax.Scope, kind CodeKind, p *syntax.Params, returns syntax.Expr, want int, body func(*fn)) int {
	save := f.top
	w := f.tmps(3)
	f.defaults(p, w)
	f.annotations(p, returns, w+2)
	f.top = save
	want = f.dst(want)
	f.makeFunction(n, scope, kind, want, w, func(g *fn) {
		body(g)
		g.returnNone()
	})
	return want
}

// makeFunction compiles a scope and emits MKFUNC. w is the window of defaults;
// if it is negative there are none.
func (f *fn) makeFunction(n syntax.Node, scope *syntax.Scope, kind CodeKind, dst, w int, body func(*fn)) {
	save := f.top
	if w < 0 {
		w = f.tmps(3)
		for i := range 3 {
			f.none(w + i)
		}
	}
	f.top = save
	env := f.env
	child := f.c.code(scope, kind, f, n.Range(), body)
	f.env = env
	f.asm.code.Children = append(f.asm.code.Children, child)
	if len(f.asm.code.Children) > 0xFFFF {
		f.c.fail(n, "function too large")
	}
	f.emit(MKFUNC, dst, w, len(f.asm.code.Children)-1)
}

func (f *fn) none(r int) { f.emit(LOADK, r, f.constant(Constant{Kind: NoneConst}), 0) }

// defaults puts a tuple of positional defaults into w and a dict of
// keyword-only ones into w+1.
func (f *fn) defaults(p *syntax.Params, w int) {
	var pos []syntax.Expr
	for _, list := range [][]*syntax.Param{p.PosOnly, p.Args} {
		for _, q := range list {
			if q.Default != nil {
				pos = append(pos, q.Default)
			}
		}
	}
	if pos == nil {
		f.none(w)
	} else {
		f.into(&syntax.Tuple{Span: p.Span, Elts: pos}, w)
	}
	n := 0
	top := f.top
	base := f.top
	for _, q := range p.KwOnly {
		if q.Default != nil {
			f.emit(LOADK, f.tmp(), f.str(q.Name.ID), 0)
			f.into(q.Default, f.tmp())
			n++
		}
	}
	f.top = top
	if n == 0 {
		f.none(w + 1)
	} else {
		f.emit(DICT, w+1, base, n)
	}
}

func (f *fn) annotations(p *syntax.Params, returns syntax.Expr, dst int) {
	top := f.top
	base := f.top
	n := 0
	add := func(name string, e syntax.Expr) {
		if e != nil && !f.starlark() {
			f.emit(LOADK, f.tmp(), f.str(name), 0)
			f.annotation(e, f.tmp())
			n++
		}
	}
	for _, q := range p.Slots() {
		add(q.Name.ID, q.Annotation)
	}
	add("return", returns)
	f.top = top
	if n == 0 {
		f.none(dst)
	} else {
		f.emit(DICT, dst, base, n)
	}
}

// annotation evaluates an annotation, or takes its text under
// from __future__ import annotations.
func (f *fn) annotation(e syntax.Expr, dst int) {
	if f.c.lazyAnnotations {
		f.emit(LOADK, dst, f.str(f.c.text(e)), 0)
		return
	}
	if s, ok := e.(*syntax.Starred); ok { // *args: *Ts
		e = s.X
	}
	f.into(e, dst)
}

// annotationsDict binds __annotations__ to a new dict.
func (f *fn) annotationsDict() {
	r := f.tmp()
	f.emit(DICT, r, r, 0)
	g := f.c.global("__annotations__")
	if f.asm.code.Kind == ClassCode {
		f.emit(SETNAME, r, g, 0)
	} else {
		f.emit(SETG, r, g, 0)
	}
	f.top = r
}

func (f *fn) functionDef(s *syntax.FunctionDef) {
	save := f.top
	decorators := f.decorators(s.Decorators)
	want := -1
	if r, ok := f.local(s.Name); ok && len(decorators) == 0 {
		want = r
	}
	r := f.function(s, s.Scope, FunctionCode, s.Params, s.Returns, want, func(g *fn) {
		body := s.Body
		if doc, ok := syntax.Docstring(body); ok {
			g.asm.code.Doc = &doc
			body = body[1:]
		}
		g.stmts(body)
	})
	f.decorate(s.Decorators, decorators, r)
	if len(decorators) > 0 {
		r = decorators[0]
	}
	f.store(s.Name, r)
	f.top = save
}

// decorators evaluates decorators into registers, each with room for its
// argument behind it.
func (f *fn) decorators(list []syntax.Expr) []int {
	var regs []int
	for _, d := range list {
		r := f.tmps(2)
		f.top--
		f.into(d, r)
		regs = append(regs, r)
	}
	return regs
}

// decorate applies decorators to the value in r; the result is in regs[0].
func (f *fn) decorate(list []syntax.Expr, regs []int, r int) {
	old := f.span
	for i := len(regs) - 1; i >= 0; i-- {
		f.span = list[i].Range()
		if regs[i]+1 != r {
			f.top = max(f.top, regs[i]+2)
			f.emit(MOVE, regs[i]+1, r, 0)
		}
		f.emit(CALL, regs[i], 1, 0)
		r = regs[i]
	}
	f.span = old
}

func (f *fn) classDef(s *syntax.ClassDef) {
	save := f.top
	decorators := f.decorators(s.Decorators)
	base := f.tmps(4)
	f.makeFunction(s, s.Scope, ClassCode, base, -1, func(g *fn) { g.classBody(s) })
	f.emit(LOADK, base+1, f.str(s.Name.ID), 0)
	f.emit(LIST, base+2, base+2, 0)
	for _, b := range s.Bases {
		top := f.top
		if st, ok := b.(*syntax.Starred); ok {
			f.emit(LISTEXT, base+2, f.operand(st.X), NoReg)
		} else {
			f.emit(LISTAPP, base+2, f.operand(b), 0)
		}
		f.top = top
	}
	f.keywords(base, base+3, s.Keywords)
	f.emit(CLASS, base, 0, 0)
	f.top = base + 1
	f.decorate(s.Decorators, decorators, base)
	r := base
	if len(decorators) > 0 {
		r = decorators[0]
	}
	f.store(s.Name, r)
	f.top = save
}

// classBody fills the namespace in register 0. It returns the cell of
// __class__, if the methods use it.
func (f *fn) classBody(s *syntax.ClassDef) {
	r := f.tmp()
	f.emit(GETG, r, f.c.global("__name__"), 0)
	f.emit(SETNAME, r, f.c.global("__module__"), 0)
	f.emit(LOADK, r, f.str(f.asm.code.QualName), 0)
	f.emit(SETNAME, r, f.c.global("__qualname__"), 0)
	body := s.Body
	if doc, ok := syntax.Docstring(body); ok {
		f.asm.code.Doc = &doc
		body = body[1:]
		f.emit(LOADK, r, f.str(doc), 0)
		f.emit(SETNAME, r, f.c.global("__doc__"), 0)
	}
	f.top = r
	if hasAnnotations(body) {
		f.annotationsDict()
	}
	f.stmts(body)
	if f.scope.ClassCell {
		f.emit(RET, f.asm.code.Cells[0].Reg, 0, 0)
		return
	}
	f.returnNone()
}
