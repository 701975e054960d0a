package resolve

import (
	"github.com/larkspur-ml/larkspur/lang/syntax"
)

func (r *resolver) stmts(list []syntax.Stmt) {
	for _, s := range list {
		r.stmt(s)
	}
}

func (r *resolver) stmt(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.ExprStmt:
		r.expr(s.X)
	case *syntax.Assign:
		if r.starlark {
			r.expr(s.Value) // under GlobalReassign x = x reads what x was
			r.target(s.Targets[0])
			return
		}
		for _, t := range s.Targets {
			r.target(t)
		}
		r.expr(s.Value)
	case *syntax.AugAssign:
		r.expr(s.Value)
		if n, ok := s.Target.(*syntax.Name); ok {
			r.bind(n, bound)
		} else {
			r.target(s.Target)
		}
	case *syntax.AnnAssign:
		if n, ok := s.Target.(*syntax.Name); ok {
			r.annotatedName(s, n)
		} else {
			r.expr(s.Target)
		}
		r.expr(s.Annotation)
		r.expr(s.Value)
	case *syntax.Delete:
		for _, t := range s.Targets {
			r.target(t)
		}
	case *syntax.Pass:
	case *syntax.Break:
		r.jump(s, "'break' outside loop", "break not in a loop")
	case *syntax.Continue:
		r.jump(s, "'continue' not properly in loop", "continue not in a loop")
	case *syntax.Return:
		r.returnStmt(s)
	case *syntax.Raise:
		r.expr(s.Exc)
		r.expr(s.Cause)
	case *syntax.Assert:
		r.expr(s.Test)
		r.expr(s.Msg)
	case *syntax.Global:
		r.declare(s, s.Names, global, "global")
	case *syntax.Nonlocal:
		r.declare(s, s.Names, nonlocal, "nonlocal")
	case *syntax.Import:
		for _, a := range s.Names {
			r.bind(a.Bind, bound)
		}
	case *syntax.ImportFrom:
		for _, a := range s.Names {
			if a.Bind != nil {
				r.bind(a.Bind, bound)
			} else if r.cur.Kind != syntax.ModuleScope {
				r.fail(a, "import * only allowed at module level")
			}
		}
	case *syntax.Load:
		r.load(s)
	case *syntax.If:
		r.topLevel(s, 2, "if statement")
		r.expr(s.Test)
		r.cur.conds++
		r.stmts(s.Body)
		r.stmts(s.Orelse)
		r.cur.conds--
	case *syntax.While:
		if r.starlark && !r.opts.While {
			r.report(s.Span, "this Starlark dialect does not support while loops")
		}
		r.topLevel(s, 5, "while loop")
		r.expr(s.Test)
		r.loop(s.Body)
		r.stmts(s.Orelse)
	case *syntax.For:
		r.topLevel(s, 3, "for loop")
		r.expr(s.Iter)
		r.target(s.Target)
		r.loop(s.Body)
		r.stmts(s.Orelse)
	case *syntax.With:
		for _, w := range s.Items {
			r.expr(w.Context)
			if w.Target != nil {
				r.target(w.Target)
			}
		}
		r.stmts(s.Body)
	case *syntax.Try:
		r.tryStmt(s)
	case *syntax.FunctionDef:
		r.functionDef(s)
	case *syntax.ClassDef:
		r.classDef(s)
	case *syntax.Match:
		r.expr(s.Subject)
		for _, c := range s.Cases {
			r.pattern(c.Pattern)
			r.expr(c.Guard)
			r.stmts(c.Body)
		}
	default:
		panic("BUG: unknown statement")
	}
}

func (r *resolver) loop(body []syntax.Stmt) {
	noJump := r.cur.noJump
	r.cur.noJump = 0
	r.cur.loops++
	r.stmts(body)
	r.cur.loops--
	r.cur.noJump = noJump
}

func (r *resolver) jump(s syntax.Stmt, model, starlark string) {
	switch {
	case r.starlark && r.cur.loops == 0:
		r.report(s.Range(), "%s", starlark)
	case r.starlark:
	case r.cur.noJump > 0:
		r.report(s.Range(), "'break', 'continue' and 'return' cannot appear in an except* block")
	case r.cur.loops == 0:
		r.report(s.Range(), "%s", model)
	}
}

func (r *resolver) returnStmt(s *syntax.Return) {
	switch {
	case r.starlark && r.cur.Kind == syntax.ModuleScope:
		r.report(s.Span, "return statement not within a function")
	case r.starlark:
	case r.cur.Kind != syntax.FunctionScope:
		r.report(s.Span, "'return' outside function")
	case r.cur.noJump > 0:
		r.report(s.Span, "'break', 'continue' and 'return' cannot appear in an except* block")
	}
	r.expr(s.Value)
}

func (r *resolver) tryStmt(s *syntax.Try) {
	r.stmts(s.Body)
	for _, h := range s.Handlers {
		r.expr(h.Type)
		if h.Name != nil {
			r.bind(h.Name, bound)
		}
		// A loop inside the handler may have its own jumps, one around it not.
		loops := r.cur.loops
		if s.Star {
			r.cur.noJump++
		}
		r.stmts(h.Body)
		if s.Star {
			r.cur.noJump--
		}
		r.cur.loops = loops
	}
	r.stmts(s.Orelse)
	r.stmts(s.Finally)
}

// topLevel refuses a Starlark control statement outside functions.
func (r *resolver) topLevel(s syntax.Stmt, width int32, what string) {
	if r.starlark && !r.opts.TopLevelControl && r.cur.Kind == syntax.ModuleScope {
		start := s.Range().Start
		r.report(syntax.Span{Start: start, End: syntax.Pos{Line: start.Line, Col: start.Col + width}}, "%s not within a function", what)
	}
}

func (r *resolver) annotatedName(s *syntax.AnnAssign, n *syntax.Name) {
	if sym := r.cur.symbols[mangle(r.cur.class, n.ID)]; sym != nil && s.Simple && r.cur.Kind != syntax.ModuleScope {
		if sym.is(global) {
			r.fail(s, "annotated name '%s' can't be global", n.ID)
		}
		if sym.is(nonlocal) {
			r.fail(s, "annotated name '%s' can't be nonlocal", n.ID)
		}
	}
	f := flags(0)
	if s.Simple {
		f = annotated | bound
	} else if s.Value != nil {
		f = bound
	}
	r.bind(n, f)
}

// declare handles global and nonlocal.
func (r *resolver) declare(s syntax.Stmt, names []*syntax.Name, f flags, word string) {
	if f == nonlocal && r.cur.Kind == syntax.ModuleScope {
		r.fail(s, "nonlocal declaration not allowed at module level")
	}
	for _, n := range names {
		if sym := r.cur.symbols[mangle(r.cur.class, n.ID)]; sym != nil {
			switch {
			case sym.is(param):
				r.fail(s, "name '%s' is parameter and %s", n.ID, word)
			case sym.is(global|nonlocal) && !sym.is(f):
				if sym.is(nonlocal) {
					panic(r.errorAt(r.declaration(r.cur, sym), "name '%s' is nonlocal and global", n.ID))
				}
				r.fail(s, "name '%s' is nonlocal and global", n.ID)
			case sym.is(used):
				r.fail(s, "name '%s' is used prior to %s declaration", n.ID, word)
			case sym.is(annotated):
				r.fail(s, "annotated name '%s' can't be %s", n.ID, word)
			case sym.is(bound):
				r.fail(s, "name '%s' is assigned to before %s declaration", n.ID, word)
			}
		}
		r.cur.note(n, f)
	}
}

// load binds what a load statement names: globals in the model dialect, file
// locals in Starlark's unless an option says otherwise.
func (r *resolver) load(s *syntax.Load) {
	if r.starlark {
		span := syntax.Span{Start: s.Start, End: syntax.Pos{Line: s.Start.Line, Col: s.Start.Col + 4}}
		switch {
		case r.cur.Kind != syntax.ModuleScope:
			r.report(span, "load statement within a function")
		case r.cur.loops > 0:
			r.report(span, "load statement within a loop")
		case r.cur.conds > 0:
			r.report(span, "load statement within a conditional")
		}
	}
	for i, from := range s.From {
		to := s.To[i]
		if from.Str == "" {
			r.report(from.Span, "load: empty identifier")
			continue
		}
		if from.Str[0] == '_' {
			r.report(from.Span, "load: names with leading underscores are not exported: %s", from.Str)
		}
		if !r.starlark || r.opts.LoadBindsGlobal || r.cur.Kind != syntax.ModuleScope {
			r.bind(to, bound)
			continue
		}
		sym := r.cur.symbols[to.ID]
		again := sym != nil && sym.load
		sym = r.cur.note(to, bound)
		if again && !r.opts.GlobalReassign {
			r.report(to.Span, "cannot reassign top-level %s", to.ID)
		}
		sym.load = true
	}
}

// bind records that n is bound in the current block.
func (r *resolver) bind(n *syntax.Name, f flags) {
	b := r.cur
	if r.starlark {
		old := b.symbols[n.ID]
		if old != nil && old.is(bound) && b.Kind == syntax.ModuleScope && !r.opts.GlobalReassign {
			what := "global"
			if old.load {
				what = "local"
			}
			r.report(n.Span, "cannot reassign %s %s declared at %s:%s", what, n.ID, r.file, old.first.Start)
		}
		if old == nil || !old.is(bound) {
			b.symbol(n.ID).first = n
		}
	}
	b.note(n, f)
	if b.Kind == syntax.CompScope && b.inTarget {
		b.symbols[n.ID].flags |= target
	}
}

// target walks what is assigned to or deleted.
func (r *resolver) target(x syntax.Expr) {
	switch x := x.(type) {
	case *syntax.Name:
		r.bind(x, bound)
	case *syntax.Tuple:
		for _, e := range x.Elts {
			r.target(e)
		}
	case *syntax.List:
		for _, e := range x.Elts {
			r.target(e)
		}
	case *syntax.Starred:
		r.target(x.X)
	default:
		r.expr(x)
	}
}

func (r *resolver) pattern(p syntax.Pattern) {
	capture := func(n *syntax.Name) {
		if n != nil {
			r.bind(n, bound)
		}
	}
	all := func(list []syntax.Pattern) {
		for _, q := range list {
			r.pattern(q)
		}
	}
	switch p := p.(type) {
	case *syntax.MatchValue:
		r.expr(p.Value)
	case *syntax.MatchSingleton:
	case *syntax.MatchSequence:
		all(p.Patterns)
	case *syntax.MatchMapping:
		for _, k := range p.Keys {
			r.expr(k)
		}
		all(p.Patterns)
		capture(p.Rest)
	case *syntax.MatchClass:
		r.expr(p.Class)
		all(p.Patterns)
		all(p.KwdPatterns)
	case *syntax.MatchStar:
		capture(p.Name)
	case *syntax.MatchAs:
		if p.Pattern != nil {
			r.pattern(p.Pattern)
		}
		capture(p.Name)
	case *syntax.MatchOr:
		all(p.Patterns)
	}
}

func (r *resolver) functionDef(s *syntax.FunctionDef) {
	name := s.Name.ID
	r.bind(s.Name, bound)
	for _, d := range s.Decorators {
		r.expr(d)
	}
	r.signature(s.Params)
	r.expr(s.Returns)
	b := r.open(syntax.FunctionScope, name, s)
	s.Scope = b.Scope
	r.params(s.Params)
	r.stmts(s.Body)
	r.close()
}

// signature walks what a function's parameters evaluate outside it.
func (r *resolver) signature(ps *syntax.Params) {
	for _, p := range ps.Slots() {
		r.expr(p.Default)
	}
	for _, p := range ps.Slots() {
		r.expr(p.Annotation)
	}
}

// params binds the parameters of the block just opened.
func (r *resolver) params(ps *syntax.Params) {
	b := r.cur
	b.NumPosOnly = len(ps.PosOnly)
	b.NumArgs = len(ps.PosOnly) + len(ps.Args)
	b.NumKwOnly = len(ps.KwOnly)
	b.HasVarArg = ps.VarArg != nil
	b.HasKwArg = ps.KwArg != nil
	for _, p := range ps.Slots() {
		if s := b.symbols[mangle(b.class, p.Name.ID)]; s != nil && !r.starlark {
			r.fail(p.Name, "duplicate argument '%s' in function definition", p.Name.ID)
		}
		b.note(p.Name, bound|param)
	}
}

func (r *resolver) classDef(s *syntax.ClassDef) {
	name := s.Name.ID
	r.bind(s.Name, bound)
	for _, d := range s.Decorators {
		r.expr(d)
	}
	for _, x := range s.Bases {
		r.expr(x)
	}
	for _, k := range s.Keywords {
		r.expr(k.Value)
	}
	b := r.open(syntax.ClassScope, name, s)
	b.class = name
	s.Scope = b.Scope
	r.stmts(s.Body)
	r.close()
}
