package vm_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/lang/resolve"
	"github.com/larkspur-ml/larkspur/lang/syntax"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// dirImporter finds modules as files below a directory, as Python does.
type dirImporter struct{ dir string }

func (d dirImporter) Import(t *vm.Thread, name string, level int, from *value.Module) (*value.Module, error) {
	if level > 0 {
		pkg := from.Name
		if _, isPkg := from.Get("__path__"); !isPkg {
			pkg = pkg[:max(strings.LastIndex(pkg, "."), 0)]
		}
		for ; level > 1; level-- {
			pkg = pkg[:max(strings.LastIndex(pkg, "."), 0)]
		}
		name = strings.TrimSuffix(pkg+"."+name, ".")
	}
	var mod *value.Module
	path := ""
	for part := range strings.SplitSeq(name, ".") {
		parent := mod
		path = strings.TrimPrefix(path+"."+part, ".")
		m, err := d.one(t, path)
		if err != nil {
			return nil, err
		}
		mod = m
		if parent != nil {
			parent.Set(part, mod.Value())
		}
	}
	return mod, nil
}

func (d dirImporter) one(t *vm.Thread, name string) (*value.Module, error) {
	machine := t.SharedMachine()
	if m := machine.Module(name); m != nil {
		return m, nil
	}
	file := filepath.Join(d.dir, strings.ReplaceAll(name, ".", "/"))
	mod := value.NewModule(name)
	if _, err := os.Stat(filepath.Join(file, "__init__.py")); err == nil {
		file = filepath.Join(file, "__init__")
		mod.Set("__path__", value.Str(file))
	}
	src, err := os.ReadFile(file + ".py")
	if err != nil {
		r := value.Errorf(value.ExcModuleNotFoundError, "No module named '%s'", name)
		r.Name = name
		return nil, r
	}
	p, err := bytecode.CompileSource(file+".py", string(src), syntax.Options{}, resolve.Env{}, bytecode.ExecMode)
	if err != nil {
		return nil, err
	}
	machine.AddModule(name, mod)
	if _, err := t.Exec(p, mod); err != nil {
		machine.AddModule(name, nil)
		return nil, err
	}
	return mod, nil
}

func compile(t testing.TB, file, src string) *bytecode.Program {
	t.Helper()
	p, err := bytecode.CompileSource(file, src, syntax.Options{}, resolve.Env{}, bytecode.ExecMode)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// outcome runs one chunk and returns what make.py would write for it.
func outcome(file, src string, prepare func(*vm.Thread), run func(*vm.Thread, *bytecode.Program, *value.Module) error) string {
	var out bytes.Buffer
	p, err := bytecode.CompileSource(file, src, syntax.Options{}, resolve.Env{}, bytecode.ExecMode)
	if err == nil {
		th := vm.NewThread(vm.Options{Machine: &vm.Machine{Importer: dirImporter{"testdata/mods"}}})
		th.Stdout = &out
		if prepare != nil {
			prepare(th)
		}
		mod := value.NewModule("chunk")
		if run != nil {
			err = run(th, p, mod)
		} else {
			_, err = th.Exec(p, mod)
		}
	}
	writeError(&out, file, err)
	return out.String()
}

func writeError(out *bytes.Buffer, file string, err error) {
	switch e := err.(type) {
	case nil:
	case *value.Raised:
		fmt.Fprintf(out, "raised %s", e.Class.Name)
		if m := e.Message(); m != "" {
			fmt.Fprintf(out, ": %s", m)
		}
		fmt.Fprintln(out)
		for _, f := range e.Trace() {
			if f.File == file {
				fmt.Fprintf(out, "  line %d in %s\n", f.Line, f.Func)
			}
		}
	default:
		fmt.Fprintf(out, "error %v\n", err)
	}
}

// chunks calls f for each chunk of the test files with what CPython printed.
func chunks(t *testing.T, f func(t *testing.T, file, src, want string)) {
	files, _ := filepath.Glob("testdata/*.py")
	for _, path := range files {
		file := filepath.Base(path)
		if file == "make.py" {
			continue
		}
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.TrimSuffix(path, ".py") + ".out")
		if err != nil {
			t.Fatal(err)
		}
		wants := strings.Split(string(want), "---\n")
		line := 1
		for i, chunk := range strings.Split(string(src), "\n---\n") {
			t.Run(fmt.Sprintf("%s:%d", file, line), func(t *testing.T) {
				f(t, file, chunk, wants[i])
			})
			line += strings.Count(chunk, "\n") + 2
		}
	}
}

func compare(t *testing.T, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := 0; i < len(g) || i < len(w); i++ {
		var x, y string
		if i < len(g) {
			x = g[i]
		}
		if i < len(w) {
			y = w[i]
		}
		if x != y {
			t.Errorf("line %d of the output:\n got %s\nwant %s", i+1, x, y)
			return
		}
	}
}

// TestLanguage runs the chunks in the fast loop.
func TestLanguage(t *testing.T) {
	chunks(t, func(t *testing.T, file, src, want string) {
		compare(t, outcome(file, src, nil, nil), want)
	})
}

// TestStepped runs them instruction by instruction, without the fast loop.
func TestStepped(t *testing.T) {
	chunks(t, func(t *testing.T, file, src, want string) {
		compare(t, outcome(file, src, func(th *vm.Thread) {
			th.SetStop(func(*vm.Thread) bool { return false })
		}, nil), want)
	})
}
