package bytecode

import (
	"slices"
	"strings"

	"github.com/larkspur-ml/larkspur/lang/syntax"
)

// Mode says what becomes of expression statements.
type Mode uint8

const (
	ExecMode   Mode = iota // a file: nothing
	SingleMode             // a REPL input: values of expression statements are displayed
	EvalMode               // one expression: the main code returns its value
)

// Compile compiles a module whose names lang/resolve has bound. src is its text:
// the program keeps it for tracebacks. An error is a *syntax.Error.
func Compile(m *syntax.Module, src string, mode Mode) (*Program, error) {
	c := &compiler{
		prog:    &Program{File: m.File, Options: m.Options, Source: src},
		globals: map[string]int{},
		mode:    mode,
		top:     m.Body,
	}
	for _, g := range m.Scope.Globals {
		c.global(g)
	}
	c.prog.NumOwn = len(c.prog.Globals)
	c.prog.Main = c.code(m.Scope, ModuleCode, nil, m.Span, func(f *fn) { f.module(m) })
	if c.err != nil {
		c.err.File = m.File
		return nil, c.err
	}
	if err := Verify(c.prog); err != nil {
		panic("BUG: " + err.Error())
	}
	return c.prog, nil
}

type compiler struct {
	prog    *Program
	globals map[string]int
	mode    Mode
	lines   [][]rune      // of the source, made on demand
	top     []syntax.Stmt // of the module
	// lazyAnnotations: from __future__ import annotations.
	lazyAnnotations bool
	err             *syntax.Error
}

func (c *compiler) fail(n syntax.Node, msg string) {
	if c.err == nil {
		c.err = &syntax.Error{Msg: msg, Span: n.Range()}
	}
}

// atTop reports whether nothing but a docstring and other imports from __future__ stands before s.
func (c *compiler) atTop(s *syntax.ImportFrom) bool {
	for i, t := range c.top {
		switch t := t.(type) {
		case *syntax.ImportFrom:
			if t == s {
				return true
			}
			if t.Module != "__future__" || t.Level != 0 {
				return false
			}
		case *syntax.ExprStmt:
			if i > 0 {
				return false
			}
		default:
			return false
		}
	}
	return false
}

func (c *compiler) global(name string) int {
	i, ok := c.globals[name]
	if !ok {
		i = len(c.prog.Globals)
		c.prog.Globals = append(c.prog.Globals, name)
		c.globals[name] = i
	}
	return i
}

// text is the source of n.
func (c *compiler) text(n syntax.Node) string {
	if c.lines == nil {
		for _, l := range strings.Split(c.prog.Source, "\n") {
			c.lines = append(c.lines, []rune(strings.TrimSuffix(l, "\r")))
		}
	}
	r := n.Range()
	var parts []string
	for l := r.Start.Line; l <= r.End.Line && int(l) <= len(c.lines) && l > 0; l++ {
		line := c.lines[l-1]
		from, to := 0, len(line)
		if l == r.Start.Line {
			from = min(int(r.Start.Col)-1, to)
		}
		if l == r.End.Line {
			to = min(int(r.End.Col)-1, to)
		}
		if from < to {
			parts = append(parts, strings.TrimSpace(string(line[from:to])))
		}
	}
	return strings.Join(parts, " ")
}

// fn is a code object that is being compiled.
type fn struct {
	asm
	c     *compiler
	scope *syntax.Scope
	outer *fn
	env   *env // innermost comprehension compiled in place

	firstTmp int
	blocks   []block

	literal syntax.Span // of the f-string being compiled
	inValue bool        // of a field of it

	// What only a first pass finds out; the code is then compiled again.
	walrus  bool         // an expression binds a local: operands must be copies
	deletes map[int]bool // locals that del or except…as may unset
	again   bool
}

// code compiles the body of a scope.
func (c *compiler) code(s *syntax.Scope, kind CodeKind, outer *fn, span syntax.Span, body func(*fn)) *Code {
	var walrus bool
	deletes := map[int]bool{}
	codes, globals := len(c.prog.Codes), len(c.prog.Globals)
	for {
		code := &Code{
			Program: c.prog, Kind: kind, ID: codes, Name: s.Name, QualName: s.QualName, Span: span,
			NumPosOnly: s.NumPosOnly, NumArgs: s.NumArgs, NumKwOnly: s.NumKwOnly,
			HasVarArg: s.HasVarArg, HasKwArg: s.HasKwArg, IsGenerator: s.IsGenerator,
			Locals: s.Locals,
		}
		if code.QualName == "" {
			code.QualName = s.Name
		}
		if s.Kind == syntax.CompScope {
			code.NumPosOnly, code.NumArgs = 1, 1
		}
		c.prog.Codes = append(c.prog.Codes[:codes:codes], code)
		for _, g := range c.prog.Globals[globals:] {
			delete(c.globals, g)
		}
		c.prog.Globals = c.prog.Globals[:globals:globals]
		f := &fn{c: c, scope: s, outer: outer, walrus: walrus, deletes: deletes}
		f.asm.code = code
		f.span = span
		f.start()
		body(f)
		f.finish()
		if f.tooMany {
			c.fail(spanned(span), "too many nested values: the function needs more than 4095 registers")
		}
		if len(code.Sites) > 0xFFFF || len(code.Ins) > 1<<27 {
			c.fail(spanned(span), "function too large")
		}
		walrus = f.walrus
		if !f.again || c.err != nil {
			return code
		}
	}
}

type spanned syntax.Span

func (s spanned) Range() syntax.Span { return syntax.Span(s) }

// start lays out the registers and makes the cells.
func (f *fn) start() {
	c := f.asm.code
	s := f.scope
	n := len(s.Locals)
	if c.Kind == ClassCode {
		n = 1
	}
	for i, p := 0, c.NumParams(); i < p; i++ {
		f.bound = f.bound.with(i)
	}
	if c.Kind == ClassCode {
		f.bound = f.bound.with(0)
	}
	f.top = n
	c.NumRegs = n
	for _, cell := range s.Cells {
		r := f.tmp()
		c.Cells = append(c.Cells, Cell{cell.Name, r})
	}
	f.firstTmp = f.top
	for i, cell := range s.Cells {
		from := NoReg
		if cell.Param >= 0 {
			from = int(cell.Param)
		}
		f.emit(MKCELL, c.Cells[i].Reg, from, 0)
	}
	for _, fv := range s.Free {
		f.asm.code.Free = append(c.Free, f.outer.capture(fv))
	}
	if c.NumRegs == 0 {
		f.tmp()
		f.top = f.firstTmp
	}
}

// capture says where a function made in f finds the variable.
func (f *fn) capture(v syntax.FreeVar) Free {
	ref := f.outward(v.Outer, f.env)
	if ref.Kind == syntax.Cell {
		return Free{v.Name, true, f.asm.code.Cells[ref.Index].Reg}
	}
	return Free{v.Name, false, int(ref.Index)}
}

// outward translates a cell or free variable of the comprehension e into one of
// the code that it is compiled into.
func (f *fn) outward(ref syntax.Ref, e *env) syntax.Ref {
	for ; e != nil && ref.Kind == syntax.Free; e = e.outer {
		ref = e.scope.Free[ref.Index].Outer
	}
	return ref
}

func (f *fn) at(n syntax.Node) (old syntax.Span) {
	old = f.span
	f.span = n.Range()
	return old
}

func (f *fn) module(m *syntax.Module) {
	body := m.Body
	if f.c.mode == ExecMode && m.Options.Dialect == syntax.Model {
		if doc, ok := syntax.Docstring(body); ok {
			f.asm.code.Doc = &doc
			body = body[1:]
			r := f.tmp()
			f.emit(LOADK, r, f.str(doc), 0)
			f.emit(SETG, r, f.c.global("__doc__"), 0)
			f.top = r
		}
	}
	if hasAnnotations(body) {
		f.annotationsDict()
	}
	if f.c.mode == EvalMode && len(body) == 1 {
		if x, ok := body[0].(*syntax.ExprStmt); ok {
			f.emit(RET, f.operand(x.X), 0, 0)
			return
		}
	}
	f.stmts(body)
	f.returnNone()
}

func (f *fn) returnNone() {
	r := f.tmp()
	f.emit(LOADK, r, f.constant(Constant{Kind: NoneConst}), 0)
	f.emit(RET, r, 0, 0)
	f.top = r
}

// hasAnnotations reports whether the statements annotate a simple name, at any
// depth but within functions and classes.
func hasAnnotations(body []syntax.Stmt) bool {
	return slices.ContainsFunc(body, func(s syntax.Stmt) bool {
		switch s := s.(type) {
		case *syntax.AnnAssign:
			return s.Simple
		case *syntax.If:
			return hasAnnotations(s.Body) || hasAnnotations(s.Orelse)
		case *syntax.For:
			return hasAnnotations(s.Body) || hasAnnotations(s.Orelse)
		case *syntax.While:
			return hasAnnotations(s.Body) || hasAnnotations(s.Orelse)
		case *syntax.With:
			return hasAnnotations(s.Body)
		case *syntax.Try:
			for _, h := range s.Handlers {
				if hasAnnotations(h.Body) {
					return true
				}
			}
			return hasAnnotations(s.Body) || hasAnnotations(s.Orelse) || hasAnnotations(s.Finally)
		case *syntax.Match:
			for _, k := range s.Cases {
				if hasAnnotations(k.Body) {
					return true
				}
			}
		}
		return false
	})
}
