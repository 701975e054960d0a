package resolve

import (
	"github.com/larkspur-ml/larkspur/lang/syntax"
)

func (r *resolver) exprs(list []syntax.Expr) {
	for _, x := range list {
		r.expr(x)
	}
}

// expr walks an expression that is evaluated; x may be nil.
func (r *resolver) expr(x syntax.Expr) {
	switch x := x.(type) {
	case nil, *syntax.Constant:
	case *syntax.Name:
		r.use(x)
	case *syntax.JoinedStr:
		r.exprs(x.Values)
	case *syntax.FormattedValue:
		r.expr(x.Value)
		if x.Spec != nil {
			r.expr(x.Spec)
		}
	case *syntax.BinOp:
		r.expr(x.X)
		r.expr(x.Y)
	case *syntax.BoolOp:
		r.exprs(x.Values)
	case *syntax.UnaryOp:
		r.expr(x.X)
	case *syntax.Compare:
		r.expr(x.First)
		r.exprs(x.Rest)
	case *syntax.Call:
		r.expr(x.Func)
		r.exprs(x.Args)
		for _, k := range x.Keywords {
			r.expr(k.Value)
		}
	case *syntax.Attribute:
		x.Attr = mangle(r.cur.class, x.Attr)
		r.expr(x.X)
	case *syntax.Subscript:
		r.expr(x.X)
		r.expr(x.Index)
	case *syntax.Slice:
		r.expr(x.Lo)
		r.expr(x.Hi)
		r.expr(x.Step)
	case *syntax.Starred:
		r.expr(x.X)
	case *syntax.Tuple:
		r.exprs(x.Elts)
	case *syntax.List:
		r.exprs(x.Elts)
	case *syntax.Set:
		r.exprs(x.Elts)
	case *syntax.Dict:
		for i, k := range x.Keys {
			r.expr(k)
			r.expr(x.Values[i])
		}
	case *syntax.NamedExpr:
		r.namedExpr(x)
	case *syntax.IfExp:
		r.expr(x.Test)
		r.expr(x.Body)
		r.expr(x.Orelse)
	case *syntax.Lambda:
		r.signature(x.Params)
		name := "<lambda>"
		if r.starlark {
			name = "lambda"
		}
		b := r.open(syntax.LambdaScope, name, x)
		x.Scope = b.Scope
		r.params(x.Params)
		r.expr(x.Body)
		r.close()
	case *syntax.Comp:
		r.comp(x)
	case *syntax.Yield:
		r.yield(x)
		r.expr(x.Value)
	case *syntax.YieldFrom:
		r.yield(x)
		r.expr(x.Value)
	default:
		panic("BUG: unknown expression")
	}
}

// use records a read of n.
func (r *resolver) use(n *syntax.Name) {
	if r.starlark && r.opts.GlobalReassign && r.cur.Kind == syntax.ModuleScope {
		// Under this option a name at top level means what it means so far.
		s := r.cur.symbols[n.ID]
		if s == nil || !s.is(bound) {
			fresh := &symbol{name: n.ID, flags: used, first: n, slot: -1}
			r.cur.uses = append(r.cur.uses, use{n, fresh})
			r.outside(n, r.cur, fresh)
			return
		}
	}
	r.cur.note(n, used)
	// super() without arguments finds its class in the cell __class__.
	if n.ID == "super" && !r.starlark && r.cur.isFunction() {
		r.cur.symbol("__class__").flags |= used | implicit
	}
}

func (r *resolver) yield(x syntax.Expr) {
	b := r.cur
	switch b.Kind {
	case syntax.FunctionScope, syntax.LambdaScope:
		b.IsGenerator = true
	case syntax.CompScope:
		what := [...]string{"list comprehension", "set comprehension", "dict comprehension", "generator expression"}[b.Node.(*syntax.Comp).Kind]
		r.fail(x, "'yield' inside %s", what)
	default:
		r.report(x.Range(), "'yield' outside function")
	}
}

var compNames = [...]string{"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}

func (r *resolver) comp(x *syntax.Comp) {
	r.inIterable(func() { r.expr(x.Clauses[0].Iter) })
	b := r.open(syntax.CompScope, compNames[x.Kind], x)
	x.Scope = b.Scope
	b.IsGenerator = x.Kind == syntax.GeneratorExp
	b.symbol(".0").flags |= bound | param
	for i, c := range x.Clauses {
		if i > 0 {
			r.inIterable(func() { r.expr(c.Iter) })
		}
		b.inTarget = true
		r.compTarget(c.Target)
		b.inTarget = false
		r.exprs(c.Ifs)
	}
	r.expr(x.Elt)
	r.expr(x.Value)
	r.close()
}

// inIterable marks the blocks in which := may not stand while f runs.
func (r *resolver) inIterable(f func()) {
	old := r.cur.inIter
	r.cur.inIter = true
	f()
	r.cur.inIter = old
}

// compTarget binds a comprehension's target. A name that an assignment expression
// of an outer clause has bound outside cannot be one.
func (r *resolver) compTarget(x syntax.Expr) {
	if n, ok := x.(*syntax.Name); ok {
		if s := r.cur.symbols[n.ID]; s != nil && s.is(global|nonlocal) {
			r.fail(n, "comprehension inner loop cannot rebind assignment expression target '%s'", n.ID)
		}
	}
	switch x := x.(type) {
	case *syntax.Tuple:
		for _, e := range x.Elts {
			r.compTarget(e)
		}
	case *syntax.List:
		for _, e := range x.Elts {
			r.compTarget(e)
		}
	case *syntax.Starred:
		r.compTarget(x.X)
	default:
		r.target(x)
	}
}

// namedExpr binds its target in the innermost scope that is no comprehension.
func (r *resolver) namedExpr(x *syntax.NamedExpr) {
	for b := r.cur; b != nil; b = b.parent {
		if b.inIter {
			r.fail(x, "assignment expression cannot be used in a comprehension iterable expression")
		}
		if b.Kind != syntax.CompScope {
			break
		}
	}
	defer r.expr(x.Value)
	n := x.Target
	if r.cur.Kind != syntax.CompScope {
		r.bind(n, bound)
		return
	}
	id := mangle(r.cur.class, n.ID)
	var inner []*block
	b := r.cur
	for ; b.Kind == syntax.CompScope; b = b.parent {
		if s := b.symbols[id]; s != nil && s.is(target) {
			r.fail(n, "assignment expression cannot rebind comprehension iteration variable '%s'", n.ID)
		}
		inner = append(inner, b)
	}
	f := nonlocal
	switch s := b.symbols[id]; {
	case b.Kind == syntax.ClassScope:
		r.fail(n, "assignment expression within a comprehension cannot be used in a class body")
	case b.Kind == syntax.ModuleScope || s != nil && s.is(global):
		f = global
	default:
		b.symbol(id).flags |= bound
	}
	if b.Kind == syntax.ModuleScope {
		b.symbol(id).flags |= bound
	}
	for _, c := range inner[1:] {
		c.symbol(id).flags |= f
	}
	r.cur.note(n, f)
}
