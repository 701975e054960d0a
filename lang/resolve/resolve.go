package resolve

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/larkspur-ml/larkspur/lang/syntax"
)

// An Env says which names a Starlark file finds around it. A nil function knows no
// name. The model dialect needs no Env: there a name that is nothing else is a
// global, which at run time may turn out to be a builtin.
type Env struct {
	IsGlobal      func(name string) bool // bound by an earlier chunk of a REPL session
	IsPredeclared func(name string) bool // given to this module
	IsUniversal   func(name string) bool // part of the language
}

// Module binds the names of m, in place. It returns the faults found, nil if there
// are none; after faults the tree is not fit for use.
func Module(m *syntax.Module, env Env) []*syntax.Error {
	r := &resolver{file: m.File, opts: m.Options, env: env, starlark: m.Options.Dialect == syntax.Starlark}
	for _, f := range []*func(string) bool{&r.env.IsGlobal, &r.env.IsPredeclared, &r.env.IsUniversal} {
		if *f == nil {
			*f = func(string) bool { return false }
		}
	}
	if err := r.run(m); err != nil {
		return []*syntax.Error{err}
	}
	r.errors = append(r.errors, m.Late...)
	slices.SortStableFunc(r.errors, func(a, b *syntax.Error) int {
		p, q := a.Span.Start, b.Span.Start
		return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
	})
	if len(r.errors) > 0 && !r.starlark {
		return r.errors[:1]
	}
	return r.errors
}

type resolver struct {
	file     string
	opts     syntax.Options
	env      Env
	starlark bool

	module  *block
	cur     *block
	globals map[string]int32 // index into the module scope's Globals
	// errors are Starlark's, and of the model dialect those of control flow, which
	// CPython's compiler finds only when its symbol table is sound.
	errors []*syntax.Error
}

func (r *resolver) run(m *syntax.Module) (err *syntax.Error) {
	defer func() {
		if e := recover(); e != nil {
			fault, ok := e.(*syntax.Error)
			if !ok {
				panic(e)
			}
			err = fault
		}
	}()
	r.globals = make(map[string]int32)
	r.module = r.open(syntax.ModuleScope, "<module>", m)
	m.Scope = r.module.Scope
	r.stmts(m.Body)
	r.analyze(r.module, nil)
	if r.starlark && len(r.errors) > 0 {
		return nil
	}
	r.layout(r.module)
	return nil
}

func (r *resolver) errorAt(span syntax.Span, format string, args ...any) *syntax.Error {
	return &syntax.Error{Msg: fmt.Sprintf(format, args...), File: r.file, Span: span}
}

// fail stops at a fault.
func (r *resolver) fail(n syntax.Node, format string, args ...any) {
	panic(r.errorAt(n.Range(), format, args...))
}

// report notes a fault and goes on.
func (r *resolver) report(span syntax.Span, format string, args ...any) {
	r.errors = append(r.errors, r.errorAt(span, format, args...))
}

// A block is a scope under construction.
type block struct {
	*syntax.Scope
	parent   *block
	children []*block
	class    string // the innermost class around, for private names

	symbols map[string]*symbol
	order   []*symbol // in order of appearance
	uses    []use     // the names to fill

	loops  int // loops open in this block
	conds  int // Starlark: if statements open in this block
	noJump int // except* blocks open: no return, break, continue

	// Of a comprehension: its targets are being bound, or the iterable of an inner
	// clause is being read.
	inTarget, inIter bool
}

type use struct {
	name *syntax.Name
	sym  *symbol
}

type flags uint8

const (
	bound    flags = 1 << iota // assigned, imported, defined, deleted
	param                      // a parameter (also bound)
	global                     // declared global
	nonlocal                   // declared nonlocal
	used                       // read
	annotated
	target   // of a comprehension's for
	implicit // __class__, for a use of super
)

// A symbol is a name in a block.
type symbol struct {
	name  string
	flags flags
	first *syntax.Name // the first that bound it (Starlark), or else the first
	load  bool         // bound by a Starlark load
	kind  syntax.RefKind
	cell  bool // a local that inner blocks use
	slot  int32
}

func (s *symbol) is(f flags) bool { return s.flags&f != 0 }

// open starts a block within the current one.
func (r *resolver) open(kind syntax.ScopeKind, name string, node syntax.Node) *block {
	b := &block{
		Scope:   &syntax.Scope{Kind: kind, Name: name, QualName: name, Node: node},
		parent:  r.cur,
		symbols: make(map[string]*symbol),
	}
	if p := r.cur; p != nil {
		b.class = p.class
		b.Parent = p.Scope
		p.children = append(p.children, b)
		p.Children = append(p.Children, b.Scope)
		switch p.Kind {
		case syntax.ModuleScope:
		case syntax.ClassScope, syntax.CompScope:
			b.QualName = p.QualName + "." + name
		default:
			b.QualName = p.QualName + ".<locals>." + name
		}
		// A name that the enclosing block declares global is one of the module.
		if s := p.symbols[mangle(p.class, name)]; s != nil && s.is(global) && (kind == syntax.FunctionScope || kind == syntax.ClassScope) {
			b.QualName = name
		}
	}
	r.cur = b
	return b
}

func (r *resolver) close() { r.cur = r.cur.parent }

func (b *block) symbol(name string) *symbol {
	s := b.symbols[name]
	if s == nil {
		s = &symbol{name: name, slot: -1}
		b.symbols[name] = s
		b.order = append(b.order, s)
	}
	return s
}

// note records that n occurs in b in the ways f.
func (b *block) note(n *syntax.Name, f flags) *symbol {
	n.ID = mangle(b.class, n.ID)
	s := b.symbol(n.ID)
	if s.first == nil {
		s.first = n
	}
	s.flags |= f
	b.uses = append(b.uses, use{n, s})
	return s
}

// isFunction reports whether the block's own names are slots.
func (b *block) isFunction() bool {
	return b.Kind != syntax.ModuleScope && b.Kind != syntax.ClassScope
}
