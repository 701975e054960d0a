package starlark_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/lang/resolve"
	"github.com/larkspur-ml/larkspur/lang/syntax"
	"github.com/larkspur-ml/larkspur/lang/value"
	"go.starlark.net/lib/json"
	"go.starlark.net/lib/math"
	"go.starlark.net/lib/time"
	"go.starlark.net/starlark"
)

var update = flag.Bool("update", false, "store the counts in counts.txt")

// files are those of go.starlark.net's TestExecFile without proto.star, which
// needs a compiler of protocol buffers' own types.
var files = []string{
	"assign", "bool", "builtins", "bytes", "control", "dict", "float", "function", "int", "json", "list",
	"math", "misc", "set", "string", "time", "tuple", "recursion", "module", "while",
}

const countsFile = "counts.txt"

func TestFiles(t *testing.T) {
	dir := moduleDir(t)
	assertSource, err := os.ReadFile(filepath.Join(dir, "starlarktest", "assert.star"))
	if err != nil {
		t.Fatal(err)
	}
	stored := readCounts(t)
	var counts bytes.Buffer
	passedAll, totalAll := 0, 0
	for _, name := range files {
		t.Run(name, func(t *testing.T) {
			file := name + ".star"
			text, err := os.ReadFile(filepath.Join(dir, "starlark", "testdata", file))
			if err != nil {
				t.Fatal(err)
			}
			chunks, err := splitChunks(string(text))
			if err != nil {
				t.Fatal(err)
			}
			passed := 0
			for _, c := range chunks {
				v := &verdict{chunk: c, met: map[int]bool{}}
				runChunk(v, file, string(assertSource))
				v.done()
				if len(v.complaints) == 0 {
					passed++
				} else {
					t.Logf("the chunk at line %d:\n%s:%s", c.line, file, strings.Join(v.complaints, "\n"+file+":"))
				}
			}
			fmt.Fprintf(&counts, "%s %d of %d\n", name, passed, len(chunks))
			passedAll, totalAll = passedAll+passed, totalAll+len(chunks)
			if passed < stored[name] && !*update {
				t.Errorf("%d of %d chunks pass, and %d did", passed, len(chunks), stored[name])
			}
		})
	}
	t.Logf("%d of %d chunks pass", passedAll, totalAll)
	if *update {
		if err := os.WriteFile(countsFile, counts.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// moduleDir is where the Go command keeps go.starlark.net.
func moduleDir(t *testing.T) string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "go.starlark.net").Output()
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		t.Fatalf("go.starlark.net is not in the module cache: %v", err)
	}
	return dir
}

func readCounts(t *testing.T) map[string]int {
	counts := map[string]int{}
	text, err := os.ReadFile(countsFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	for _, l := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var name string
		var passed, total int
		if _, err := fmt.Sscanf(l, "%s %d of %d", &name, &passed, &total); err != nil && !*update {
			t.Fatalf("%s: %q: %v", countsFile, l, err)
		}
		counts[name] = passed
	}
	for _, name := range files {
		if _, ok := counts[name]; !ok && !*update {
			t.Errorf("%s has no line for %s", countsFile, name)
		}
	}
	return counts
}

// stepLimit ends a chunk that runs away.
const stepLimit = 20_000_000

// runChunk runs a chunk on a machine of its own.
func runChunk(v *verdict, file, assertSource string) {
	machine := &vm.Machine{Predeclared: testHost()}
	machine.Loader = &loader{assertSource: assertSource, report: func(t *value.Thread, msg string) {
		line := 0
		for _, e := range t.Machine.Where() {
			if e.File == file {
				line = e.Line
			}
		}
		v.complain("%d: assertion: %s", line, msg)
	}}
	prog, err := compile(file, v.source, machine.Predeclared)
	if err != nil {
		v.complain("%v", err)
		return
	}
	th := vm.NewThread(vm.Options{Machine: machine, StepLimit: stepLimit})
	if _, err := th.Exec(prog, value.NewModule(file)); err != nil {
		// The innermost frame of the file is where the error is expected.
		line := 0
		for _, e := range value.AsRaised(err).Trace() {
			if e.File == file {
				line = e.Line
			}
		}
		v.gotError(line, message(err))
	}
}

func compile(file, source string, predeclared map[string]value.Value) (*bytecode.Program, error) {
	universe := value.Universe(value.Strict)
	env := resolve.Env{
		IsUniversal:   func(name string) bool { _, ok := universe[name]; return ok },
		IsPredeclared: func(name string) bool { _, ok := predeclared[name]; return ok },
	}
	return bytecode.CompileSource(file, source, syntax.Options{Dialect: syntax.Starlark}, env, bytecode.ExecMode)
}

// loader serves the load statements of a chunk.
type loader struct {
	assertSource string
	report       func(t *value.Thread, msg string)
	assert       *value.Module
}

func (l *loader) Load(t *vm.Thread, name string, _ *value.Module) (*value.Module, error) {
	for _, lib := range []struct {
		name   string
		module starlark.Value
	}{{"json", json.Module}, {"math", math.Module}, {"time", time.Module}} {
		if name == lib.name+".star" {
			m := value.NewModule(name)
			m.Set(lib.name, value.FromStarlark(lib.module))
			return m, nil
		}
	}
	if name != "assert.star" {
		return nil, fmt.Errorf("no module %s", name)
	}
	if l.assert != nil {
		return l.assert, nil
	}
	// The module runs on a machine of its own, which has other predeclared names.
	predeclared := assertHost(l.report)
	prog, err := compile(name, l.assertSource, predeclared)
	if err != nil {
		return nil, err
	}
	m := value.NewModule(name)
	th := vm.NewThread(vm.Options{Machine: &vm.Machine{Predeclared: predeclared}})
	if _, err := th.Exec(prog, m); err != nil {
		return nil, err
	}
	value.Freeze(m.Value())
	l.assert = m
	return m, nil
}
