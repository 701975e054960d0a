package resolve

import (
	"github.com/larkspur-ml/larkspur/lang/syntax"
)

// analyze gives every symbol of b and of the blocks within it its kind. visible
// has the names that functions around b bind and b may reach; it returns, in a
// fixed order, those that b or a block within it does reach.
func (r *resolver) analyze(b *block, visible map[string]bool) (reached []string) {
	inner := make(map[string]bool, len(visible)+len(b.order))
	for name := range visible {
		inner[name] = true
	}
	free := make(map[string]bool)
	reach := func(name string) {
		if !free[name] {
			free[name] = true
			reached = append(reached, name)
		}
	}
	for _, s := range b.order {
		s.kind = r.kindOf(b, s, visible)
		switch {
		case s.kind == syntax.Free || s.kind == syntax.ClassFree:
			reach(s.name)
		case s.is(global):
			delete(inner, s.name)
		case s.is(bound) && b.isFunction() || s.kind == syntax.Local:
			inner[s.name] = true
		}
	}
	if b.Kind == syntax.ClassScope {
		inner["__class__"] = true
	}
	for _, c := range b.children {
		for _, name := range r.analyze(c, inner) {
			s := b.symbols[name]
			switch {
			case b.Kind == syntax.ClassScope && name == "__class__":
				b.ClassCell = true
			case b.Kind == syntax.ClassScope:
				reach(name) // a class's own names are not seen from within
			case s != nil && s.kind == syntax.Local:
				s.cell = true
			default:
				reach(name)
			}
		}
	}
	// Only names in this list have entries in Free; its order is theirs.
	b.Free = make([]syntax.FreeVar, 0, len(reached))
	for _, name := range reached {
		b.Free = append(b.Free, syntax.FreeVar{Name: name})
		if name == "__class__" && b.isFunction() {
			if s := b.symbols[name]; s != nil {
				b.UsesClass = true
			}
		}
	}
	return reached
}

// kindOf decides what the symbol s of b is.
func (r *resolver) kindOf(b *block, s *symbol, visible map[string]bool) syntax.RefKind {
	switch {
	case s.is(global):
		return syntax.GlobalName
	case s.is(nonlocal):
		if !visible[s.name] {
			panic(r.errorAt(r.declaration(b, s), "no binding for nonlocal '%s' found", s.name))
		}
		return syntax.Free
	case s.is(bound):
		switch {
		case b.isFunction() || s.load:
			return syntax.Local
		case b.Kind == syntax.ClassScope:
			return syntax.ClassName
		}
		return syntax.GlobalName
	case visible[s.name]:
		if b.Kind == syntax.ClassScope {
			return syntax.ClassFree
		}
		return syntax.Free
	case r.starlark:
		r.outside(s.first, b, s)
		return s.kind
	case b.Kind == syntax.ClassScope:
		return syntax.ClassName
	}
	return syntax.GlobalName
}

// declaration is the place of the statement that declared s nonlocal.
func (r *resolver) declaration(b *block, s *symbol) syntax.Span {
	var body []syntax.Stmt
	switch n := b.Node.(type) {
	case *syntax.FunctionDef:
		body = n.Body
	case *syntax.ClassDef:
		body = n.Body
	}
	for _, st := range body {
		if d, ok := st.(*syntax.Nonlocal); ok {
			for _, n := range d.Names {
				if n.ID == s.name {
					return d.Span
				}
			}
		}
	}
	return s.first.Span
}

// layout numbers what b has and fills the Refs of the names in it.
func (r *resolver) layout(b *block) {
	cells := make(map[string]int32)
	if b.ClassCell {
		cells["__class__"] = int32(len(b.Cells))
		b.Cells = append(b.Cells, syntax.CellVar{Name: "__class__", Param: -1})
	}
	for _, s := range b.order {
		if s.kind != syntax.Local {
			continue
		}
		if s.is(param) || !s.cell {
			s.slot = int32(len(b.Locals))
			b.Locals = append(b.Locals, s.name)
		}
		if s.cell {
			cells[s.name] = int32(len(b.Cells))
			b.Cells = append(b.Cells, syntax.CellVar{Name: s.name, Param: s.slot})
		}
	}
	frees := make(map[string]int32)
	for i := range b.Free {
		f := &b.Free[i]
		frees[f.Name] = int32(i)
		f.Outer = b.parent.outer(f.Name)
	}
	for _, u := range b.uses {
		s := u.sym
		ref := syntax.Ref{Kind: s.kind}
		switch s.kind {
		case syntax.Local:
			ref.Index = s.slot
			if s.cell {
				ref = syntax.Ref{Kind: syntax.Cell, Index: cells[s.name]}
			}
		case syntax.Free, syntax.ClassFree:
			ref.Index = frees[s.name]
		case syntax.GlobalName, syntax.ClassName:
			ref.Index = r.globalIndex(s.name)
		}
		u.name.Ref = ref
	}
	for _, c := range b.children {
		r.layout(c)
	}
}

// outer finds the cell or free variable by which b has name.
func (b *block) outer(name string) syntax.Ref {
	for i, c := range b.Cells {
		if c.Name == name {
			return syntax.Ref{Kind: syntax.Cell, Index: int32(i)}
		}
	}
	for i, f := range b.Free {
		if f.Name == name {
			return syntax.Ref{Kind: syntax.Free, Index: int32(i)}
		}
	}
	panic("BUG: free variable " + name + " is not in " + b.QualName)
}

func (r *resolver) globalIndex(name string) int32 {
	i, ok := r.globals[name]
	if !ok {
		m := r.module.Scope
		i = int32(len(m.Globals))
		m.Globals = append(m.Globals, name)
		r.globals[name] = i
	}
	return i
}
