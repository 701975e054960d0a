package bytecode

import "github.com/larkspur-ml/larkspur/lang/syntax"

// An env is a comprehension compiled into the code around it: its locals are
// registers there.
type env struct {
	scope *syntax.Scope
	regs  []int // of scope.Locals
	outer *env
}

// place is where a name lives in the code being compiled.
type place struct {
	kind  syntax.RefKind
	index int // register, cell's register, free variable, or global
}

func (f *fn) place(n *syntax.Name) place {
	ref := n.Ref
	if f.env != nil && ref.Kind == syntax.Local {
		return place{syntax.Local, f.env.regs[ref.Index]}
	}
	ref = f.outward(ref, f.env)
	switch ref.Kind {
	case syntax.Local:
		return place{syntax.Local, int(ref.Index)}
	case syntax.Cell:
		return place{syntax.Cell, f.asm.code.Cells[ref.Index].Reg}
	case syntax.Free, syntax.ClassFree:
		return place{ref.Kind, int(ref.Index)}
	case syntax.ClassName, syntax.GlobalName:
		return place{ref.Kind, int(ref.Index)}
	case syntax.Predeclared, syntax.Universal:
		return place{syntax.GlobalName, f.c.global(n.ID)}
	}
	panic("BUG: unresolved name " + n.ID)
}

// local returns the register of a name that is a plain local.
func (f *fn) local(e syntax.Expr) (int, bool) {
	if n, ok := e.(*syntax.Name); ok {
		if p := f.place(n); p.kind == syntax.Local {
			return p.index, true
		}
	}
	return 0, false
}

// check makes sure that a local is bound where that is not certain.
func (f *fn) check(r int, name string) {
	if f.dead || f.bound.has(r) {
		return
	}
	f.emit(CHECK, r, f.str(name), 0)
	if c := f.asm.code; r >= c.NumParams() && r < len(c.Locals) && r >= c.NumClear {
		c.NumClear = r + 1
	}
	if !f.deletes[r] {
		f.bound = f.bound.with(r)
	}
}

func (f *fn) load(n *syntax.Name, want int) int {
	p := f.place(n)
	if p.kind == syntax.Local {
		f.check(p.index, n.ID)
		if want < 0 && !f.walrus {
			return p.index
		}
		want = f.dst(want)
		if want != p.index {
			f.emit(MOVE, want, p.index, 0)
		}
		return want
	}
	want = f.dst(want)
	switch p.kind {
	case syntax.Cell:
		f.emit(GETCELL, want, p.index, 0)
	case syntax.Free:
		f.emit(GETFREE, want, 0, p.index)
	case syntax.GlobalName:
		f.emit(GETG, want, p.index, 0)
	case syntax.ClassName:
		f.emit(GETNAME, want, p.index, 0)
	case syntax.ClassFree:
		f.emit(GETNAMEFREE, want, 0, p.index)
	}
	return want
}

// store assigns register src to a name.
func (f *fn) store(n *syntax.Name, src int) {
	p := f.place(n)
	switch p.kind {
	case syntax.Local:
		if p.index != src {
			f.emit(MOVE, p.index, src, 0)
		}
		f.assigned(p.index)
	case syntax.Cell:
		f.emit(SETCELL, p.index, src, 0)
	case syntax.Free:
		f.emit(SETFREE, src, 0, p.index)
	case syntax.GlobalName:
		f.emit(SETG, src, p.index, 0)
	case syntax.ClassName:
		f.emit(SETNAME, src, p.index, 0)
	case syntax.ClassFree:
		f.emit(SETNAME, src, f.c.global(n.ID), 0)
	}
}

func (f *fn) assigned(r int) {
	if !f.deletes[r] && !f.dead {
		f.bound = f.bound.with(r)
	}
}

// unset removes a name. must: it is an error if it is not bound.
func (f *fn) unset(n *syntax.Name, must bool) {
	p := f.place(n)
	switch p.kind {
	case syntax.Local:
		if !f.deletes[p.index] {
			f.deletes[p.index] = true
			f.again = true
		}
		if must {
			f.check(p.index, n.ID)
		}
		f.emit(CLEAR, p.index, 0, 0)
		f.bound = f.bound.without(p.index)
	case syntax.Cell:
		f.emit(DELCELL, p.index, 0, 0)
	case syntax.Free:
		f.emit(DELFREE, 0, 0, p.index)
	case syntax.GlobalName:
		f.emit(DELG, 0, p.index, 0)
	case syntax.ClassName:
		f.emit(DELNAME, 0, p.index, 0)
	case syntax.ClassFree:
		f.emit(DELNAME, 0, f.c.global(n.ID), 0)
	}
}

func (f *fn) dst(want int) int {
	if want >= 0 {
		return want
	}
	return f.tmp()
}
