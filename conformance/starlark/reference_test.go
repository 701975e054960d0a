package starlark_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/lang/value"
	"go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"
)

// TestReference runs each line of testdata/expressions.txt here and in
// go.starlark.net itself: both must print the same repr or fail with the same
// words. Lines of statements end in an expression after "=>".
func TestReference(t *testing.T) {
	text, err := os.ReadFile("testdata/expressions.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		n++
		src := "# option:set option:globalreassign option:toplevelcontrol option:while\n"
		if body, expr, ok := strings.Cut(line, " => "); ok {
			src += strings.ReplaceAll(body, ";;", "\n") + "\nresult = repr(" + expr + ")\n"
		} else {
			src += "result = repr(" + line + ")\n"
		}
		want, got := referenceResult(src), ownResult(src)
		if got != want {
			t.Errorf("testdata/expressions.txt:%d: %s\n  starlark %s\n  larkspur %s", i+1, line, want, got)
		}
	}
	t.Logf("%d lines", n)
}

func referenceResult(src string) string {
	opts := &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true}
	g, err := starlark.ExecFileOptions(opts, &starlark.Thread{}, "x.star", src, starlark.StringDict{
		"json": json.Module, "struct": starlark.NewBuiltin("struct", starlarkstruct.Make),
	})
	if err != nil {
		if e, ok := err.(*starlark.EvalError); ok {
			return "error: " + e.Msg
		}
		return "static error"
	}
	return g["result"].String()
}

func ownResult(src string) string {
	m := &vm.Machine{Predeclared: map[string]value.Value{
		"json":   value.FromStarlark(json.Module),
		"struct": value.FromStarlark(starlark.NewBuiltin("struct", starlarkstruct.Make)),
	}}
	prog, err := compile("x.star", src, m.Predeclared)
	if err != nil {
		return "static error"
	}
	mod := value.NewModule("x")
	if _, err := vm.NewThread(vm.Options{Machine: m, StepLimit: stepLimit}).Exec(prog, mod); err != nil {
		return "error: " + message(err)
	}
	v, _ := mod.Get("result")
	s, ok := v.AsString()
	if !ok {
		return fmt.Sprintf("no string: %v", v.Starlark())
	}
	return starlark.String(s).String()
}
