package resolve

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/lang/syntax"
)

// refs lists the Ref of every use of a Name of the tree, in the text's order.
func refs(m *syntax.Module) string {
	var b strings.Builder
	syntax.Inspect(m, func(n syntax.Node) bool {
		if n, ok := n.(*syntax.Name); ok {
			b.WriteString(n.ID + "=" + n.Ref.Kind.String() + " ")
		}
		return true
	})
	return strings.TrimSpace(b.String())
}

func TestRefs(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"x = y", "x=global y=global"},
		{"def f(a): b = a; return print", "f=global a=local b=local a=local print=global"},
		{"def f(a):\n def g(): return a", "f=global a=cell g=local a=free"},
		{"def f(a):\n class C:\n  b = a; c = b\n  def m(s): return b", "f=global a=cell C=local b=class a=classfree c=class b=class m=class s=local b=global"},
		{"class C:\n  x = len\n  def __p(self): self.__q", "C=global x=class len=class _C__p=class self=local self=local"},
		{"[x for x in x if y]", "x=local x=local x=global y=global"},
		{"def f():\n return [y := x for x in z], y", "f=global y=free x=local x=local z=global y=cell"},
		{"def f():\n global x; x = 1", "f=global x=global x=global"},
		{"class C:\n def m(self): super().m()", "C=global m=class self=local super=global"},
		{"import a.b as c, d.e", "c=global d=global"},
		{"lambda x, *y, z=w, **k: (x, y, z, k)", "x=local y=local z=local w=global k=local x=local y=local z=local k=local"},
		{`load("m", "a", b="c")`, "a=global b=global"},
	} {
		if got := refs(resolveSource(t, "t.py", test.src)); got != test.want {
			t.Errorf("%q:\n got %s\nwant %s", test.src, got, test.want)
		}
	}
}

func TestFprint(t *testing.T) {
	m := resolveSource(t, "t.py", `
class C(object):
    def m(self, a, /, *, b=1):
        x = a
        return super().m(lambda: x + b)
`)
	var b strings.Builder
	if err := Fprint(&b, m.Scope); err != nil {
		t.Fatal(err)
	}
	want := `module <module>
  globals C object __name__ __module__ m super
  class C class-cell
    cells __class__
    function C.m posonly=2 args=2 kwonly=1 uses-class
      locals self a b
      cells b(param 2) x
      free __class__(cell 0)
      lambda C.m.<locals>.<lambda>
        free x(cell 1) b(cell 0)
`
	want = strings.Replace(want, " __name__ __module__", "", 1)
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
}

// FuzzResolve: whatever parses resolves without a panic, to a tree that keeps the
// invariants or to a fault with a place.
func FuzzResolve(f *testing.F) {
	for _, file := range []string{"testdata/scopes.py", "testdata/errors.txt"} {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, src := range strings.Split(string(data), "\n----\n") {
			f.Add(src, false)
			f.Add(src, true)
		}
	}
	f.Fuzz(func(t *testing.T, src string, starlark bool) {
		opts := syntax.Options{}
		if starlark {
			opts = syntax.Options{Dialect: syntax.Starlark, While: true, TopLevelControl: true, GlobalReassign: len(src)%2 == 0}
		}
		m, e := syntax.Parse("fuzz", src, opts)
		if e != nil {
			return
		}
		if errs := Module(m, Env{IsUniversal: func(string) bool { return true }}); errs != nil {
			for _, e := range errs {
				if e.Msg == "" || !e.Span.Start.IsValid() {
					t.Errorf("fault without text or place: %#v", e)
				}
			}
			return
		}
		checkInvariants(t, m)
		Fprint(io.Discard, m.Scope)
	})
}
