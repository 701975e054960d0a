package vm_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/lang/resolve"
	"github.com/larkspur-ml/larkspur/lang/syntax"
	"github.com/larkspur-ml/larkspur/lang/value"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// starlarkChunks is how many chunks of go.starlark.net's test files pass. It may
// rise and may not fall.
const starlarkChunks = 70

// TestStarlarkFiles runs go.starlark.net's test files, from the module cache, in
// the strict dialect. A chunk passes if it fails exactly where it says it does.
func TestStarlarkFiles(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "go.starlark.net").Output()
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		t.Skip("go.starlark.net is not in the module cache")
	}
	assert, err := os.ReadFile(filepath.Join(dir, "starlarktest/assert.star"))
	if err != nil {
		t.Skip(err)
	}
	passed, total := 0, 0
	for _, name := range []string{"assign", "bool", "builtins", "bytes", "control", "dict", "float", "function", "int",
		"list", "misc", "set", "string", "tuple", "recursion", "module", "while"} {
		src, err := os.ReadFile(filepath.Join(dir, "starlark/testdata", name+".star"))
		if err != nil {
			t.Fatal(err)
		}
		// go.starlark.net's chunk reader keeps line numbers by newlines in front.
		line := 0
		for _, chunk := range strings.Split(string(src), "\n---\n") {
			text := strings.Repeat("\n", line) + chunk
			line += strings.Count(chunk, "\n") + 2
			total++
			if complaints := starlarkChunk(name+".star", text, string(assert)); len(complaints) == 0 {
				passed++
			} else if testing.Verbose() {
				t.Logf("%s:\n\t%s", name, strings.Join(complaints, "\n\t"))
			}
		}
	}
	t.Logf("%d of %d chunks pass", passed, total)
	if passed < starlarkChunks {
		t.Errorf("%d chunks pass, %d did", passed, starlarkChunks)
	}
}

var wantRE = regexp.MustCompile(`###\s*("(?:[^"\\]|\\.)*"|` + "`[^`]*`)")

type starlarkRun struct {
	file       string
	complaints []string
}

func starlarkChunk(file, src, assertSrc string) []string {
	r := &starlarkRun{file: file}
	want := map[int]*regexp.Regexp{}
	for i, l := range strings.Split(src, "\n") {
		if m := wantRE.FindStringSubmatch(l); m != nil {
			s, err := strconv.Unquote(m[1])
			if err != nil {
				return []string{err.Error()}
			}
			want[i+1] = regexp.MustCompile(s)
		}
	}
	fail := func(line int, msg string) {
		if re := want[line]; re != nil {
			delete(want, line)
			if re.MatchString(msg) {
				return
			}
			r.complaints = append(r.complaints, fmt.Sprintf("line %d: %q does not match %q", line, msg, re))
			return
		}
		r.complaints = append(r.complaints, fmt.Sprintf("line %d: unexpected %s", line, msg))
	}
	machine := &vm.Machine{Predeclared: r.predeclared()}
	machine.Loader = loaderFunc(func(t *vm.Thread, name string, from *value.Module) (*value.Module, error) {
		if name != "assert.star" {
			return nil, fmt.Errorf("load not implemented")
		}
		mod := value.NewModule(name)
		p, err := strictProgram(machine, name, assertSrc, "error", "catch", "matches", "module", "_freeze", "_floateq")
		if err != nil {
			return nil, err
		}
		_, err = t.Exec(p, mod)
		return mod, err
	})
	p, err := strictProgram(machine, file, src, "hasfields", "fibonacci")
	if err != nil {
		e := err.(*syntax.Error)
		fail(int(e.Span.Start.Line), e.Msg)
	} else {
		th := vm.NewThread(vm.Options{Machine: machine, StepLimit: 5e6})
		if _, err := th.Exec(p, value.NewModule(file)); err != nil {
			line := 0
			if raised, ok := err.(*value.Raised); ok {
				for _, e := range raised.Trace {
					if e.File == file {
						line = e.Line
					}
				}
				err = fmt.Errorf("%s", raised.Message())
			}
			fail(line, err.Error())
		}
	}
	for line, re := range want {
		r.complaints = append(r.complaints, fmt.Sprintf("line %d: no error, want %q", line, re))
	}
	return r.complaints
}

type loaderFunc func(t *vm.Thread, name string, from *value.Module) (*value.Module, error)

func (f loaderFunc) Load(t *vm.Thread, name string, from *value.Module) (*value.Module, error) {
	return f(t, name, from)
}

func strictProgram(m *vm.Machine, file, src string, predeclared ...string) (*bytecode.Program, error) {
	env := resolve.Env{
		IsUniversal: func(name string) bool { _, ok := value.Universe(value.Strict)[name]; return ok },
		IsPredeclared: func(name string) bool {
			for _, p := range predeclared {
				if p == name {
					return true
				}
			}
			return false
		},
	}
	return bytecode.CompileSource(file, src, syntax.Options{Dialect: syntax.Starlark}, env, bytecode.ExecMode)
}

func (r *starlarkRun) predeclared() map[string]value.Value {
	builtin := func(name string, fn func(t *value.Thread, args []value.Value) (value.Value, error)) value.Value {
		return value.NewBuiltin(name, func(t *value.Thread, args []value.Value, kw []value.Kwarg) (value.Value, error) {
			return fn(t, args)
		}).Value()
	}
	return map[string]value.Value{
		"error": builtin("error", func(t *value.Thread, args []value.Value) (value.Value, error) {
			line := 0
			for _, e := range t.Machine.Where() {
				if e.File == r.file {
					line = e.Line
				}
			}
			msg, _ := args[0].AsString()
			r.complaints = append(r.complaints, fmt.Sprintf("line %d: assertion: %s", line, msg))
			return value.None, nil
		}),
		"catch": builtin("catch", func(t *value.Thread, args []value.Value) (value.Value, error) {
			_, err := t.Machine.Call(args[0], nil, nil)
			if err == nil {
				return value.None, nil
			}
			if raised, ok := err.(*value.Raised); ok {
				return value.Str(raised.Message()), nil
			}
			return value.Str(err.Error()), nil
		}),
		"matches": builtin("matches", func(t *value.Thread, args []value.Value) (value.Value, error) {
			pattern, _ := args[0].AsString()
			s, _ := args[1].AsString()
			ok, err := regexp.MatchString(pattern, s)
			return value.Bool(ok), err
		}),
		"module": value.FromStarlark(starlark.NewBuiltin("module", starlarkstruct.MakeModule)),
		"_freeze": builtin("freeze", func(t *value.Thread, args []value.Value) (value.Value, error) {
			value.Freeze(args[0])
			return args[0], nil
		}),
		"_floateq": builtin("floateq", func(t *value.Thread, args []value.Value) (value.Value, error) {
			x, y := args[0].Float64(), args[1].Float64()
			return value.Bool(x == y || math.Nextafter(x, y) == y), nil
		}),
		"hasfields": value.FromStarlark(starlark.NewBuiltin("hasfields", func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return &fields{attrs: starlark.StringDict{}}, nil
		})),
		"fibonacci": value.FromStarlark(fibonacci{}),
	}
}

// fields is a host object that takes any attribute.
type fields struct {
	attrs  starlark.StringDict
	frozen bool
}

func (f *fields) String() string        { return "hasfields" }
func (f *fields) Type() string          { return "hasfields" }
func (f *fields) Truth() starlark.Bool  { return true }
func (f *fields) Hash() (uint32, error) { return 42, nil }
func (f *fields) Freeze() {
	f.frozen = true
	f.attrs.Freeze()
}
func (f *fields) Attr(name string) (starlark.Value, error) { return f.attrs[name], nil }
func (f *fields) AttrNames() []string                      { return f.attrs.Keys() }
func (f *fields) SetField(name string, v starlark.Value) error {
	if f.frozen {
		return fmt.Errorf("cannot set field on a frozen hasfields")
	}
	if strings.HasPrefix(name, "no") {
		return starlark.NoSuchAttrError(fmt.Sprintf("no .%s field", name))
	}
	f.attrs[name] = v
	return nil
}

// fibonacci is a host object that can be iterated over without end.
type fibonacci struct{}

func (fibonacci) String() string             { return "fib" }
func (fibonacci) Type() string               { return "fib" }
func (fibonacci) Truth() starlark.Bool       { return true }
func (fibonacci) Hash() (uint32, error)      { return 0, fmt.Errorf("fib is unhashable") }
func (fibonacci) Freeze()                    {}
func (fibonacci) Iterate() starlark.Iterator { return &fibIter{0, 1} }

type fibIter struct{ x, y int }

func (it *fibIter) Next(p *starlark.Value) bool {
	*p = starlark.MakeInt(it.x)
	it.x, it.y = it.y, it.x+it.y
	return true
}
func (it *fibIter) Done() {}
