package resolve

import "github.com/larkspur-ml/larkspur/lang/syntax"

// outside resolves a Starlark name that no block around its use binds as a local:
// a global of the module, a name of an earlier REPL chunk, something predeclared
// or universal, or a fault.
func (r *resolver) outside(n *syntax.Name, b *block, s *symbol) {
	m := r.module.symbols[n.ID]
	switch {
	case m != nil && m.is(bound):
		s.kind = syntax.GlobalName
	case r.env.IsGlobal(n.ID):
		s.kind = syntax.GlobalName
	case r.env.IsPredeclared(n.ID):
		s.kind = syntax.Predeclared
	case r.env.IsUniversal(n.ID):
		s.kind = syntax.Universal
		if n.ID == "set" && !r.opts.Set {
			r.report(n.Span, "this Starlark dialect does not support sets")
		}
	default:
		hint := ""
		if near := r.nearest(n.ID, b); near != "" {
			hint = " (did you mean " + near + "?)"
		}
		for _, u := range b.uses {
			if u.sym == s {
				r.report(u.name.Span, "undefined: %s%s", n.ID, hint)
			}
		}
	}
}

// nearest returns the bound name visible in b that name is most likely a
// misspelling of, or "".
func (r *resolver) nearest(name string, b *block) string {
	var names []string
	for ; b != nil; b = b.parent {
		for _, s := range b.order {
			if s.is(bound) {
				names = append(names, s.name)
			}
		}
	}
	return syntax.Nearest(name, names)
}
