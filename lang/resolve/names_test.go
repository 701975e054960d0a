package resolve

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/lang/syntax"
)

// describe prints a module's scopes as testdata/names.py prints code objects.
func describe(m *syntax.Module) string {
	set := make(map[string]bool)
	var walk func(s *syntax.Scope)
	walk = func(s *syntax.Scope) {
		sorted := func(list []string) string {
			list = slices.Clone(list)
			slices.Sort(list)
			return strings.Join(list, ",")
		}
		var cells, free []string
		for _, c := range s.Cells {
			cells = append(cells, c.Name)
		}
		for _, f := range s.Free {
			free = append(free, f.Name)
		}
		flag := func(on bool, c string) string {
			if on {
				return c
			}
			return "-"
		}
		n, args := s.NumParams(), s.NumArgs
		if s.Kind == syntax.CompScope {
			args = 1
		}
		set[fmt.Sprintf("%s %d/%d/%d %s%s%s params=%s locals=%s cells=%s free=%s", s.QualName, s.NumPosOnly, args, s.NumKwOnly,
			flag(s.HasVarArg, "*"), flag(s.HasKwArg, "k"), flag(s.IsGenerator, "g"),
			strings.Join(s.Locals[:n], ","), sorted(s.Locals[n:]), sorted(cells), sorted(free))] = true
		for _, c := range s.Children {
			walk(c)
		}
	}
	walk(m.Scope)
	var lines []string
	for l := range set {
		lines = append(lines, l)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// compareSets fails for each line that only one side has.
func compareSets(t *testing.T, name, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(strings.TrimSpace(want), "\n")
	for _, l := range g {
		if !slices.Contains(w, l) {
			t.Errorf("%s: only ours:     %s", name, l)
		}
	}
	for _, l := range w {
		if !slices.Contains(g, l) {
			t.Errorf("%s: only CPython's: %s", name, l)
		}
	}
}

func resolveSource(t *testing.T, name, src string) *syntax.Module {
	t.Helper()
	m, err := syntax.Parse(name, src, syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if errs := Module(m, Env{}); errs != nil {
		t.Fatal(errs[0])
	}
	checkInvariants(t, m)
	return m
}

// checkInvariants checks the numbered invariants of doc.go.
func checkInvariants(t testing.TB, m *syntax.Module) {
	t.Helper()
	distinct := func(s *syntax.Scope, what string, names []string) {
		if c := slices.Compact(slices.Sorted(slices.Values(names))); len(c) != len(names) {
			t.Errorf("%s: invariant 5: %s %v", s.QualName, what, names)
		}
	}
	var scope func(s *syntax.Scope)
	scope = func(s *syntax.Scope) {
		var cells, free []string
		for _, c := range s.Cells {
			cells = append(cells, c.Name)
			if int(c.Param) >= s.NumParams() || c.Param >= 0 && s.Locals[c.Param] != c.Name {
				t.Errorf("%s: invariant 3: cell %+v", s.QualName, c)
			}
		}
		for _, f := range s.Free {
			free = append(free, f.Name)
			name := ""
			switch f.Outer.Kind {
			case syntax.Cell:
				name = s.Parent.Cells[f.Outer.Index].Name
			case syntax.Free:
				name = s.Parent.Free[f.Outer.Index].Name
			}
			if name != f.Name {
				t.Errorf("%s: invariant 4: free %+v", s.QualName, f)
			}
		}
		distinct(s, "locals", s.Locals)
		distinct(s, "cells", cells)
		distinct(s, "free", free)
		distinct(s, "globals", s.Globals)
		if s.Kind == syntax.ClassScope && len(s.Locals) > 0 || s.Kind == syntax.ModuleScope && m.Options.Dialect == syntax.Model && len(s.Locals)+len(s.Cells) > 0 {
			t.Errorf("%s: invariant 6", s.QualName)
		}
		for _, c := range s.Children {
			scope(c)
		}
	}
	scope(m.Scope)
	// Names are checked in the scope that they stand in: a node's own, but for
	// what it evaluates outside.
	var walk func(n syntax.Node, s *syntax.Scope)
	walk = func(n syntax.Node, s *syntax.Scope) {
		own := s
		outside := func(syntax.Node) bool { return false }
		switch n := n.(type) {
		case *syntax.Name:
			limit, kind := 1<<30, n.Ref.Kind
			switch kind {
			case syntax.Unresolved:
				limit = 0
			case syntax.Local:
				limit = len(s.Locals)
			case syntax.Cell:
				limit = len(s.Cells)
			case syntax.Free, syntax.ClassFree:
				limit = len(s.Free)
			case syntax.GlobalName, syntax.ClassName:
				limit = len(m.Scope.Globals)
			}
			if int(n.Ref.Index) >= limit {
				t.Errorf("%s: invariants 1, 2: %s is %v in %s", n.Start, n.ID, n.Ref, s.QualName)
			}
		case *syntax.FunctionDef:
			own = n.Scope
			outside = func(c syntax.Node) bool {
				return c == syntax.Node(n.Name) || c == n.Returns || slices.ContainsFunc(n.Decorators, func(d syntax.Expr) bool { return c == d })
			}
		case *syntax.ClassDef:
			own = n.Scope
			outside = func(c syntax.Node) bool {
				_, isStmt := c.(syntax.Stmt)
				return !isStmt
			}
		case *syntax.Lambda:
			own = n.Scope
		case *syntax.Comp:
			own = n.Scope
		case *syntax.Param:
			for _, c := range syntax.Children(n) {
				if c == syntax.Node(n.Name) {
					walk(c, s)
				} else {
					walk(c, s.Parent)
				}
			}
			return
		case *syntax.CompFor:
			first := n == s.Node.(*syntax.Comp).Clauses[0]
			for _, c := range syntax.Children(n) {
				if first && c == n.Iter {
					walk(c, s.Parent)
				} else {
					walk(c, s)
				}
			}
			return
		}
		for _, c := range syntax.Children(n) {
			if outside(c) {
				walk(c, s)
			} else {
				walk(c, own)
			}
		}
	}
	walk(m, m.Scope)
}

// The scopes of testdata/scopes.py are those of CPython's code objects.
func TestScopesAreCPythons(t *testing.T) {
	src, err := os.ReadFile("testdata/scopes.py")
	if err != nil {
		t.Fatal(err)
	}
	golden, err := os.ReadFile("testdata/names.golden")
	if err != nil {
		t.Fatal(err)
	}
	_, want, _ := strings.Cut(string(golden), "\n")
	compareSets(t, "scopes.py", describe(resolveSource(t, "scopes.py", string(src))), want)
}

// So are those of the machine's own Python library, if it has one, but for code
// that CPython drops because it cannot run.
func TestLibraryScopes(t *testing.T) {
	python := "/usr/bin/python3.11"
	if _, err := os.Stat(python); err != nil && os.Getenv("CI") == "true" {
		t.Fatal(err)
	} else if err != nil || testing.Short() {
		t.Skip("needs Python 3.11")
	}
	var files []string
	for _, pattern := range []string{"/usr/lib/python3.11/*.py", "/usr/lib/python3/dist-packages/torch/nn/modules/*.py",
		"/usr/lib/python3/dist-packages/torchvision/models/*.py", "/usr/lib/python3/dist-packages/torch/optim/*.py"} {
		more, _ := filepath.Glob(pattern)
		files = append(files, more...)
	}
	out, err := exec.Command(python, append([]string{"testdata/names.py"}, files...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, part := range strings.Split("\n"+string(out), "\n# ")[1:] {
		name, want, _ := strings.Cut(part, "\n")
		src, _ := os.ReadFile(name)
		m, e := syntax.Parse(name, string(src), syntax.Options{})
		if e != nil || strings.Contains(string(src), "__debug__") || strings.Contains(string(src), "if 0:") || strings.Contains(string(src), "if False:") {
			continue
		}
		if errs := Module(m, Env{}); errs != nil {
			t.Error(errs[0])
			continue
		}
		n++
		checkInvariants(t, m)
		compareSets(t, name, describe(m), want)
	}
	t.Logf("%d files", n)
}

func TestErrorsAreCPythons(t *testing.T) {
	text, err := os.ReadFile("testdata/errors.txt")
	if err != nil {
		t.Fatal(err)
	}
	golden, err := os.ReadFile("testdata/errors.golden")
	if err != nil {
		t.Fatal(err)
	}
	sources := strings.Split(string(text), "\n----\n")
	wants := strings.Split(strings.TrimSpace(string(golden)), "\n")
	if len(sources) != len(wants) {
		t.Fatalf("%d sources, %d results", len(sources), len(wants))
	}
	for i, src := range sources {
		m, e := syntax.Parse("<test>", src, syntax.Options{})
		if e != nil {
			t.Errorf("%q: %v", src, e)
			continue
		}
		got := "ok"
		if errs := Module(m, Env{}); errs != nil {
			e := errs[0]
			got = fmt.Sprintf("%s %s %s", e.Kind, e.Span, e.Msg)
		}
		if got != wants[i] {
			t.Errorf("%q:\n got %s\nwant %s", src, got, wants[i])
		}
	}
}
