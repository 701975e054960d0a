package py_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/lang/resolve"
	"github.com/larkspur-ml/larkspur/lang/syntax"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/stdlib/py"
)

// world is a Host that grants one folder, the clock and (if env is set) the environment.
type world struct {
	dir   string
	clock bool
	env   bool
	args  []string
	out   bytes.Buffer
	err   bytes.Buffer
	in    io.Reader
}

func (w *world) within(path string) error {
	abs, err := filepath.Abs(path)
	if err == nil && w.dir != "" && (abs == w.dir || strings.HasPrefix(abs, w.dir+"/")) {
		return nil
	}
	return value.Errorf(value.ExcPermissionError, "'%s' is not granted", path)
}
func (w *world) CheckRead(path string) error  { return w.within(path) }
func (w *world) CheckWrite(path string) error { return w.within(path) }
func (w *world) CheckClock() error {
	if w.clock {
		return nil
	}
	return value.Errorf(value.ExcPermissionError, "the clock is not granted (--allow-clock)")
}
func (w *world) CheckEnv() error {
	if w.env {
		return nil
	}
	return value.Errorf(value.ExcPermissionError, "the environment is not granted (--allow-env)")
}
func (w *world) Args() []string    { return w.args }
func (w *world) Terminal() int     { return 0 }
func (w *world) Stdout() io.Writer { return &w.out }
func (w *world) Stderr() io.Writer { return &w.err }
func (w *world) Stdin() io.Reader  { return w.in }

// importer finds modules in the Library and in its files.
type importer struct {
	machine *vm.Machine
	lib     *py.Library
}

func (im *importer) Import(t *vm.Thread, name string, level int, from *value.Module) (*value.Module, error) {
	if level > 0 {
		return nil, value.Errorf(value.ExcImportError, "relative import")
	}
	var mod *value.Module
	parts := strings.Split(name, ".")
	for i := range parts {
		full := strings.Join(parts[:i+1], ".")
		m, err := im.one(t, full)
		if err != nil {
			return nil, err
		}
		if m == nil {
			e := value.Errorf(value.ExcModuleNotFoundError, "No module named '%s'", full)
			e.Name = full
			return nil, e
		}
		if mod != nil {
			mod.Set(parts[i], m.Value())
		}
		mod = m
	}
	return mod, nil
}

func (im *importer) one(t *vm.Thread, name string) (*value.Module, error) {
	if m := im.machine.Module(name); m != nil {
		return m, nil
	}
	if m, ok, err := im.lib.Module(&t.Thread, name); ok || err != nil {
		if m != nil {
			im.machine.AddModule(name, m)
		}
		return m, err
	}
	file := strings.ReplaceAll(name, ".", "/")
	text, err := fs.ReadFile(py.Files, file+"/__init__.star")
	if err != nil {
		if text, err = fs.ReadFile(py.Files, file+".star"); err != nil {
			return nil, nil
		}
	}
	m := value.NewModule(name)
	m.Set("__name__", value.Str(name))
	m.Set("__package__", value.Str(""))
	im.machine.AddModule(name, m)
	im.lib.Modules().SetStr(name, m.Value())
	if err := exec(t, "<"+file+".star>", string(text), m); err != nil {
		im.machine.AddModule(name, nil)
		return nil, err
	}
	return m, nil
}

func compile(file, text string) (*bytecode.Program, error) {
	tree, serr := syntax.Parse(file, text, syntax.Options{})
	if serr != nil {
		return nil, fmt.Errorf("%s: %w", file, serr)
	}
	if errs := resolve.Module(tree, resolve.Env{}); len(errs) > 0 {
		return nil, fmt.Errorf("%s: %w", file, errs[0])
	}
	return bytecode.Compile(tree, text, bytecode.ExecMode)
}

func exec(t *vm.Thread, file, text string, m *value.Module) error {
	prog, err := compile(file, text)
	if err != nil {
		return err
	}
	_, err = t.Exec(prog, m)
	return err
}

// run runs a program in a world; what it prints goes to w.out.
func run(w *world, file, text string) error {
	lib := py.New(w)
	machine := &vm.Machine{Predeclared: lib.Builtins()}
	machine.Importer = &importer{machine: machine, lib: lib}
	th := vm.NewThread(vm.Options{Machine: machine})
	th.Stdout, th.Stdin = &w.out, w.in
	m := value.NewModule("__main__")
	m.Set("__name__", value.Str("__main__"))
	m.Set("__file__", value.Str(file))
	m.Set("__package__", value.Str(""))
	machine.AddModule("__main__", m)
	return exec(th, file, text, m)
}

// report is an error with its traceback.
func report(err error) string {
	r := value.AsRaised(err)
	var b strings.Builder
	for _, e := range r.Trace() {
		fmt.Fprintf(&b, "  %s:%d:%d in %s\n", e.File, e.Line, e.Col, e.Func)
	}
	return b.String() + r.Error()
}

// TestModules runs the programs of testdata against what CPython 3.11 printed
// for them (testdata/expect.py makes the .out files).
func TestModules(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.py")
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".py")
		if name == "expect" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(strings.TrimSuffix(file, ".py") + ".out")
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			w := &world{dir: dir, clock: true, args: []string{name + ".py", dir}, in: strings.NewReader("first line\nsecond\n")}
			if err := run(w, file, string(text)); err != nil {
				t.Errorf("%s", report(err))
			}
			got, wantLines := strings.Split(w.out.String(), "\n"), strings.Split(string(want), "\n")
			bad := 0
			for i := range max(len(got), len(wantLines)) {
				g, x := "<nothing>", "<nothing>"
				if i < len(got) {
					g = got[i]
				}
				if i < len(wantLines) {
					x = wantLines[i]
				}
				if g != x {
					t.Errorf("line %d of the output:\n got %s\nwant %s", i+1, g, x)
					if bad++; bad > 5 {
						break
					}
				}
			}
		})
	}
}
