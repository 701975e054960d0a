package bytecode

import "github.com/larkspur-ml/larkspur/lang/syntax"

func (f *fn) stmts(list []syntax.Stmt) {
	for _, s := range list {
		f.stmt(s)
	}
}

func (f *fn) stmt(s syntax.Stmt) {
	old, save := f.at(s), f.top
	defer func() { f.span, f.top = old, save }()
	switch s := s.(type) {
	case *syntax.ExprStmt:
		if _, ok := s.X.(*syntax.Constant); ok && f.c.mode != SingleMode {
			return
		}
		r := f.operand(s.X)
		if f.c.mode == SingleMode && f.outer == nil {
			f.emit(DISPLAY, r, 0, 0)
		}
	case *syntax.Assign:
		f.assignStmt(s)
	case *syntax.AugAssign:
		f.augAssign(s)
	case *syntax.AnnAssign:
		f.annAssign(s)
	case *syntax.Delete:
		for _, t := range s.Targets {
			f.delete(t)
		}
	case *syntax.Pass, *syntax.Global, *syntax.Nonlocal:
	case *syntax.Break:
		f.leaveLoop(s, true)
	case *syntax.Continue:
		f.leaveLoop(s, false)
	case *syntax.Return:
		f.returnStmt(s)
	case *syntax.Raise:
		f.raise(s)
	case *syntax.Assert:
		ok := f.label()
		f.branch(s.Test, ok, true)
		msg := NoReg
		if s.Msg != nil {
			msg = f.operand(s.Msg)
		}
		span := f.span
		if c := lastCompare(s.Test); c != nil {
			f.at(c)
		}
		f.emit(ASSERTFAIL, msg, 0, 0)
		f.span = span
		f.mark(ok)
	case *syntax.Import:
		f.importStmt(s)
	case *syntax.ImportFrom:
		f.importFrom(s)
	case *syntax.Load:
		f.load_(s)
	case *syntax.If:
		f.ifStmt(s)
	case *syntax.While:
		f.while(s)
	case *syntax.For:
		f.forStmt(s)
	case *syntax.With:
		f.with(s.Items, s.Body)
	case *syntax.Try:
		f.try(s)
	case *syntax.FunctionDef:
		f.functionDef(s)
	case *syntax.ClassDef:
		f.classDef(s)
	case *syntax.Match:
		f.match(s)
	default:
		panic("BUG: statement of an unknown type")
	}
}

func (f *fn) assignStmt(s *syntax.Assign) {
	if len(s.Targets) == 1 {
		if r, ok := f.local(s.Targets[0]); ok {
			f.into(s.Value, r)
			f.assigned(r)
			return
		}
		if f.parallel(s.Targets[0], s.Value) {
			return
		}
	}
	v := f.operand(s.Value)
	for i, t := range s.Targets {
		// A first target that is v itself must not spoil it for the others.
		if r, ok := f.local(t); ok && i < len(s.Targets)-1 && r == v {
			continue
		}
		f.assign(t, v)
	}
}

// parallel compiles a, b = x, y without a tuple.
func (f *fn) parallel(target, value syntax.Expr) bool {
	var to []syntax.Expr
	switch t := target.(type) {
	case *syntax.Tuple:
		to = t.Elts
	case *syntax.List:
		to = t.Elts
	default:
		return false
	}
	v, ok := value.(*syntax.Tuple)
	if !ok || len(v.Elts) != len(to) || len(to) > 8 {
		return false
	}
	for i := range to {
		if _, star := to[i].(*syntax.Starred); star {
			return false
		}
		if _, star := v.Elts[i].(*syntax.Starred); star {
			return false
		}
	}
	base := f.top
	for _, x := range v.Elts {
		f.into(x, f.tmp())
	}
	for i, t := range to {
		f.assign(t, base+i)
	}
	return true
}

// assign stores register src in a target.
func (f *fn) assign(target syntax.Expr, src int) {
	old, save := f.at(target), f.top
	defer func() { f.span, f.top = old, save }()
	switch t := target.(type) {
	case *syntax.Name:
		f.store(t, src)
	case *syntax.Attribute:
		f.emit(SETATTR, f.operand(t.X), src, f.site(t.Attr, nil))
	case *syntax.Subscript:
		x := f.operand(t.X)
		f.emit(SETIDX, x, f.operand(t.Index), src)
	case *syntax.Tuple:
		f.unpack(t, t.Elts, src)
	case *syntax.List:
		f.unpack(t, t.Elts, src)
	case *syntax.Starred:
		f.c.fail(t, "starred assignment target must be in a list or tuple")
	default:
		f.c.fail(t, "cannot assign to expression here")
	}
}

func (f *fn) unpack(n syntax.Node, elts []syntax.Expr, src int) {
	star := -1
	for i, e := range elts {
		if _, ok := e.(*syntax.Starred); ok {
			if star >= 0 {
				f.c.fail(e, "multiple starred expressions in assignment")
			}
			star = i
		}
	}
	base := src
	if len(elts) > 0 {
		base = f.tmps(len(elts))
	}
	if star < 0 {
		f.emit(UNPACK, base, src, len(elts))
	} else {
		after := len(elts) - star - 1
		if star > 255 || after > 255 {
			f.c.fail(n, "too many expressions in star-unpacking assignment")
			return
		}
		f.emit(UNPACKEX, base, src, star|after<<8)
	}
	for i, e := range elts {
		if s, ok := e.(*syntax.Starred); ok {
			e = s.X
		}
		f.assign(e, base+i)
	}
}

func (f *fn) augAssign(s *syntax.AugAssign) {
	op := func(dst, left int) {
		ops := binOps[s.Op]
		if n, ok := small(s.Value); ok && ops.imm != 0 {
			f.emit(ops.imm, dst, left, n)
		} else {
			f.emit(ops.reg, dst, left, f.operand(s.Value))
		}
		if !f.dead {
			f.items[len(f.items)-1].flags = InPlaceBit
		}
	}
	switch t := s.Target.(type) {
	case *syntax.Name:
		if r, ok := f.local(t); ok {
			f.check(r, t.ID)
			left := r
			if f.walrus {
				left = f.tmp()
				f.emit(MOVE, left, r, 0)
			}
			op(r, left)
			f.assigned(r)
			return
		}
		v := f.load(t, -1)
		op(v, v)
		f.store(t, v)
	case *syntax.Attribute:
		x := f.operand(t.X)
		v := f.tmp()
		old := f.at(t)
		f.emit(GETATTR, v, x, f.site(t.Attr, nil))
		f.span = old
		op(v, v)
		f.at(t)
		f.emit(SETATTR, x, v, f.site(t.Attr, nil))
	case *syntax.Subscript:
		x := f.operand(t.X)
		i := f.operand(t.Index)
		v := f.tmp()
		old := f.at(t)
		f.emit(GETIDX, v, x, i)
		f.span = old
		op(v, v)
		f.at(t)
		f.emit(SETIDX, x, i, v)
	default:
		f.c.fail(s.Target, "illegal expression for augmented assignment")
	}
}

func (f *fn) annAssign(s *syntax.AnnAssign) {
	if s.Value != nil {
		if r, ok := f.local(s.Target); ok {
			f.into(s.Value, r)
			f.assigned(r)
		} else {
			f.assign(s.Target, f.operand(s.Value))
		}
	}
	kind := f.asm.code.Kind
	if kind != ModuleCode && kind != ClassCode {
		return
	}
	if !s.Simple {
		if !f.c.lazyAnnotations {
			f.operand(s.Annotation)
		}
		return
	}
	a := f.tmp()
	f.annotation(s.Annotation, a)
	d := f.tmp()
	g := f.c.global("__annotations__")
	if kind == ClassCode {
		f.emit(GETNAME, d, g, 0)
	} else {
		f.emit(GETG, d, g, 0)
	}
	k := f.tmp()
	f.emit(LOADK, k, f.str(s.Target.(*syntax.Name).ID), 0)
	f.emit(SETIDX, d, k, a)
}

func (f *fn) delete(target syntax.Expr) {
	old, save := f.at(target), f.top
	defer func() { f.span, f.top = old, save }()
	switch t := target.(type) {
	case *syntax.Name:
		f.unset(t, true)
	case *syntax.Attribute:
		f.emit(DELATTR, f.operand(t.X), 0, f.site(t.Attr, nil))
	case *syntax.Subscript:
		x := f.operand(t.X)
		f.emit(DELIDX, x, f.operand(t.Index), 0)
	case *syntax.Tuple:
		for _, e := range t.Elts {
			f.delete(e)
		}
	case *syntax.List:
		for _, e := range t.Elts {
			f.delete(e)
		}
	default:
		f.c.fail(t, "cannot delete expression")
	}
}

func (f *fn) raise(s *syntax.Raise) {
	if s.Exc == nil {
		f.emit(RAISECUR, 0, 0, 0)
		return
	}
	x := f.operand(s.Exc)
	cause := NoReg
	if s.Cause != nil {
		cause = f.operand(s.Cause)
	}
	f.emit(RAISE, x, cause, 0)
}

func (f *fn) newImport(n syntax.Node, i ImportInfo) int {
	c := f.asm.code
	c.Imports = append(c.Imports, i)
	if len(c.Imports) > 0xFFFF {
		f.c.fail(n, "too many imports in one function")
	}
	return len(c.Imports) - 1
}

func (f *fn) importStmt(s *syntax.Import) {
	for _, a := range s.Names {
		r := f.tmp()
		f.emit(IMPORT, r, 0, f.newImport(a, ImportInfo{Module: a.Name, Leaf: a.HasAs}))
		f.store(a.Bind, r)
		f.top = r
	}
}

func (f *fn) importFrom(s *syntax.ImportFrom) {
	if s.Module == "__future__" && s.Level == 0 {
		if !f.c.atTop(s) {
			f.c.fail(s, "from __future__ imports must occur at the beginning of the file")
		}
		for _, a := range s.Names {
			switch a.Name {
			case "annotations":
				f.c.lazyAnnotations = true
			case "nested_scopes", "generators", "division", "absolute_import", "with_statement", "print_function",
				"unicode_literals", "barry_as_FLUFL", "generator_stop":
			case "braces":
				f.c.fail(syntax.Span{Start: s.Start, End: s.Start}, "not a chance")
			default:
				f.c.fail(syntax.Span{Start: s.Start, End: s.Start}, "future feature "+a.Name+" is not defined")
			}
		}
		return
	}
	info := ImportInfo{Module: s.Module, Level: s.Level, Leaf: true}
	for _, a := range s.Names {
		info.From = append(info.From, a.Name)
	}
	m := f.tmp()
	f.emit(IMPORT, m, 0, f.newImport(s, info))
	for _, a := range s.Names {
		if a.Bind == nil {
			f.emit(IMPORTSTAR, m, 0, 0)
			continue
		}
		r := f.tmp()
		f.emit(IMPORTFROM, r, m, f.site(a.Name, nil))
		f.store(a.Bind, r)
		f.top = r
	}
}

func (f *fn) load_(s *syntax.Load) {
	info := ImportInfo{Module: s.Module.Str}
	for _, n := range s.From {
		info.From = append(info.From, n.Str)
	}
	base := f.tmp()
	f.top = base
	if len(info.From) > 0 {
		f.tmps(len(info.From))
	}
	f.emit(LOAD, base, 0, f.newImport(s, info))
	for i, to := range s.To {
		f.store(to, base+i)
	}
}
