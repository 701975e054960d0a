package resolve

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/lang/syntax"
)

// starlarkDir is the source of go.starlark.net, whose test files are read where
// they lie.
func starlarkDir(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "go.starlark.net").Output()
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		t.Skip("go.starlark.net is not in the module cache")
	}
	return dir
}

// chunks runs f on each part of a go.starlark.net test file: parts are separated
// by "---" lines, and "### regexp" at a line's end expects a fault on it. f returns
// the faults found. A part is padded so that its line numbers are the file's.
func chunks(t *testing.T, file string, f func(src string) []*syntax.Error) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	line := 0
	for _, chunk := range strings.Split(string(data), "\n---\n") {
		src := strings.Repeat("\n", line) + chunk
		wants := make(map[int]*regexp.Regexp)
		for _, text := range strings.Split(chunk, "\n") {
			line++
			if _, want, ok := strings.Cut(text, "###"); ok {
				pattern, err := strconv.Unquote(strings.TrimSpace(want))
				if err != nil {
					t.Fatalf("%s:%d: %v", file, line, err)
				}
				wants[line] = regexp.MustCompile(pattern)
			}
		}
		line++
		for _, e := range f(src) {
			n := int(e.Span.Start.Line)
			if want := wants[n]; want == nil {
				t.Errorf("unexpected: %v", e)
			} else if !want.MatchString(e.Msg) {
				t.Errorf("%v: want %s", e, want)
			}
			delete(wants, n)
		}
		for n, want := range wants {
			t.Errorf("%s:%d: missing fault %s", file, n, want)
		}
	}
}

// options reads a chunk's option:name words, wherever they stand.
func options(t *testing.T, src string) syntax.Options {
	opts := syntax.Options{Dialect: syntax.Starlark}
	for _, word := range regexp.MustCompile(`option:\w+`).FindAllString(src, -1) {
		var err *syntax.Error
		if opts, err = syntax.SourceOptions("# "+word, opts); err != nil {
			t.Fatal(err)
		}
	}
	return opts
}

// go.starlark.net's own test of its resolver.
func TestStarlarkResolver(t *testing.T) {
	file := filepath.Join(starlarkDir(t), "resolve", "testdata", "resolve.star")
	env := Env{
		IsPredeclared: func(n string) bool { return n == "M" },
		IsUniversal:   func(n string) bool { return n == "U" || n == "float" },
	}
	chunks(t, file, func(src string) []*syntax.Error {
		m, e := syntax.Parse(file, src, options(t, src))
		if e != nil {
			t.Error(e)
			return nil
		}
		return Module(m, env)
	})
}

// go.starlark.net's own test of its parser.
func TestStarlarkParser(t *testing.T) {
	file := filepath.Join(starlarkDir(t), "syntax", "testdata", "errors.star")
	chunks(t, file, func(src string) []*syntax.Error {
		if _, e := syntax.Parse(file, src, syntax.Options{Dialect: syntax.Starlark}); e != nil {
			return []*syntax.Error{e}
		}
		return nil
	})
}

// The test programs of go.starlark.net's interpreter parse and resolve.
func TestStarlarkPrograms(t *testing.T) {
	dir := starlarkDir(t)
	files, _ := filepath.Glob(filepath.Join(dir, "starlark", "testdata", "*.star"))
	files = append(files, filepath.Join(dir, "syntax", "testdata", "scan.star"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, chunk := range strings.Split(string(data), "\n---\n") {
			m, e := syntax.Parse(file, chunk, options(t, chunk))
			if e != nil {
				t.Error(e)
				continue
			}
			// Without an environment everything unknown is undefined; nothing
			// else may be wrong, but for what a chunk expects.
			for _, e := range Module(m, Env{}) {
				if !strings.HasPrefix(e.Msg, "undefined: ") && !strings.Contains(chunk, "###") {
					t.Error(e)
				}
			}
		}
	}
}

func TestStarlarkScopes(t *testing.T) {
	src := `load("m", "a", b="c")
def f(x, *, y=1, **kw):
    def g():
        return x, a, [y for y in z if lambda: y]
    return g, b, len
z = 1
`
	m, e := syntax.Parse("t.star", src, syntax.Options{Dialect: syntax.Starlark})
	if e != nil {
		t.Fatal(e)
	}
	if errs := Module(m, Env{IsUniversal: func(n string) bool { return n == "len" }}); errs != nil {
		t.Fatal(errs)
	}
	checkInvariants(t, m)
	var b strings.Builder
	Fprint(&b, m.Scope)
	want := `module <module>
  globals f z
  cells a b
  function f args=1 kwonly=1 **kwargs
    locals x y kw g
    cells x(param 0)
    free b(cell 1) a(cell 0)
    function f.<locals>.g
      free x(cell 0) a(free 1)
      comprehension f.<locals>.g.<locals>.<listcomp>
        locals .0
        cells y
        lambda f.<locals>.g.<locals>.<listcomp>.lambda
          free y(cell 0)
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
}
