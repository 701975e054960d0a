package syntax

import (
	"io"
	"os"
	"strings"
	"testing"
)

func dumpString(t *testing.T, src string, opts Options) string {
	t.Helper()
	m, e := Parse("t", src, opts)
	if e != nil {
		t.Fatal(e)
	}
	var b strings.Builder
	if err := Fprint(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFprint(t *testing.T) {
	got := dumpString(t, "x = f(a, *b, k=1)[2:]\nif not é: pass\n", Options{})
	want := `Module 1:1-3:1 t
  Body: Assign 1:1-1:22
    Targets: Name 1:1-1:2 x
    Value: Subscript 1:5-1:22
      X: Call 1:5-1:18
        Func: Name 1:5-1:6 f
        Args: Name 1:7-1:8 a
        Args: Starred 1:10-1:12
          X: Name 1:11-1:12 b
        Keywords: Keyword 1:14-1:17 k
          Value: Constant 1:16-1:17 1
      Index: Slice 1:19-1:21
        Lo: Constant 1:19-1:20 2
  Body: If 2:1-2:15
    Test: UnaryOp 2:4-2:9 not
      X: Name 2:8-2:9 é
    Body: Pass 2:11-2:15
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Operators, brackets and attributes keep the places that a traceback underlines.
func TestInnerPositions(t *testing.T) {
	m, e := Parse("t", "(a +\n  b) * c.d[e](f) < g\n", Options{})
	if e != nil {
		t.Fatal(e)
	}
	c := m.Body[0].(*ExprStmt).X.(*Compare)
	mul := c.First.(*BinOp)
	add := mul.X.(*BinOp)
	call := mul.Y.(*Call)
	sub := call.Func.(*Subscript)
	attr := sub.X.(*Attribute)
	for _, x := range []struct {
		got, want Pos
	}{
		{c.OpPos[0], Pos{2, 18}}, {mul.OpPos, Pos{2, 6}}, {add.OpPos, Pos{1, 4}},
		{call.Lparen, Pos{2, 14}}, {sub.Lbrack, Pos{2, 11}}, {attr.AttrPos, Pos{2, 10}},
	} {
		if x.got != x.want {
			t.Errorf("got %v, want %v", x.got, x.want)
		}
	}
}

// Within f-strings positions are those of the text.
func TestFStringPositions(t *testing.T) {
	m, e := Parse("t", "f'é{x + 1!r:{w}}' \"\"\"\nb\"\"\" f'''\n{y}'''", Options{})
	if e != nil {
		t.Fatal(e)
	}
	want := map[string]Span{"x": {Pos{1, 5}, Pos{1, 6}}, "w": {Pos{1, 14}, Pos{1, 15}}, "y": {Pos{3, 2}, Pos{3, 3}}}
	Inspect(m, func(n Node) bool {
		if n, ok := n.(*Name); ok {
			if n.Span != want[n.ID] {
				t.Errorf("%s at %v, want %v", n.ID, n.Span, want[n.ID])
			}
			delete(want, n.ID)
		}
		return true
	})
	if len(want) > 0 {
		t.Errorf("not seen: %v", want)
	}
}

func TestLeftOut(t *testing.T) {
	for src, want := range map[string]string{
		"async def f(): pass":              "1:1: SyntaxError: 'async' is not supported: the language has no coroutines",
		"def f():\n  async with a: pass":   "2:3: SyntaxError: 'async' is not supported: the language has no coroutines",
		"x = await y":                      "1:5: SyntaxError: 'await' is not supported: the language has no coroutines",
		"[x async for x in y]":             "1:4: SyntaxError: 'async' is not supported: the language has no coroutines",
		"x = 1\x00":                        "1:6: SyntaxError: source code cannot contain null bytes",
		"x = '\xff'":                       "1:6: SyntaxError: (unicode error) 'utf-8' codec can't decode byte 0xff in position 5: invalid start byte",
		"x = " + strings.Repeat("1", 4301): "1:5: SyntaxError: Exceeds the limit (4300 digits) for integer string conversion: value has 4301 digits; use sys.set_int_max_str_digits() to increase the limit - Consider hexadecimal for huge integer literals to avoid decimal conversion limits.",
	} {
		_, e := Parse("", src, Options{})
		if e == nil || e.Error() != want {
			t.Errorf("%.40q: got %v, want %s", src, e, want)
		}
	}
}

func TestLoad(t *testing.T) {
	got := dumpString(t, `load("m.star", "a", b="c",)`, Options{})
	want := `Module 1:1-1:28 t
  Body: Load 1:1-1:28
    Module: Constant 1:6-1:14 "m.star"
    From: Constant 1:16-1:19 "a"
    From: Constant 1:23-1:26 "c"
    To: Name 1:16-1:19 a
    To: Name 1:21-1:22 b
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// The word is a name otherwise: torch has a function of that name.
	for _, src := range []string{`load("m")`, `load("m", x)`, `load("m", map_location=dev)`, `x = load("m", "a")`, `load = 1`, `load(f, "a")`, "if x:\n  load('a', 'b')"} {
		if strings.Contains(dumpString(t, src, Options{}), "Load ") {
			t.Errorf("%s is a load statement", src)
		}
	}
}

// Depth is bounded whichever way a text nests, so that no walk overflows the stack.
func TestDepthLimit(t *testing.T) {
	const n = 200_000
	rep := strings.Repeat
	for _, src := range []string{
		rep("(", n), rep("[", n), rep("{1:", n), rep("f(", n), rep("x[", n), rep("not ", n) + "x", rep("-", n) + "x",
		rep("x if y else ", n) + "x", rep("lambda: ", n) + "x", "x" + rep("**x", n), "x" + rep("+x", n), "x" + rep(".x", n),
		"x" + rep("()", n), "x" + rep("[0]", n), "if x: pass\n" + rep("elif x: pass\n", n), rep("f'{", n), rep("a(b+", n),
	} {
		for _, d := range []Dialect{Model, Starlark} {
			if _, e := Parse("", src, Options{Dialect: d}); e == nil {
				t.Errorf("%v: %.20s… parsed", d, src)
			}
		}
	}
	var nested strings.Builder
	for i := range 3000 {
		nested.WriteString(rep(" ", i) + "if x:\n")
	}
	match := "match x:\n case " + rep("[", n)
	pattern := "match x:\n case a" + rep(".b", n) + ": pass"
	for _, src := range []string{nested.String(), match, pattern} {
		if _, e := Parse("", src, Options{}); e == nil {
			t.Errorf("%.20s… parsed", src)
		}
	}
	// What is wide is not deep.
	wide := "x = [" + rep("a.b.c(d + e)[f], ", n/10) + "]\n" + rep("x = y.z\n", n/10) + "x = " + rep("a and ", n/10) + "b\n"
	if _, e := Parse("", wide, Options{}); e != nil {
		t.Error(e)
	}
	if _, e := Parse("", "x = 1"+rep(" + 1", 1500), Options{}); e != nil {
		t.Error(e)
	}
}

func TestNeedsMore(t *testing.T) {
	for src, want := range map[string]bool{
		"x = 1\n": false, "": false, "if x:\n": true, "if x:\n    y\n": true, "if x:\n    y\n\n": false, "if x: y\n": true,
		"if x: y\n\n": false, "f(\n": true, "f(1,\n2)\n": false, "'''a\n": true, "'a\n": false, "x = 1 +\n": false,
		"x = 1 \\\n": true, "@d\n": true, "class C:\n": true, "try:\n    x\n": true, "x = )\n": false, "x = [1 2\n": false,
		"if x:\ny\n": false, "def f():\n    '''doc\n": true, "for x in y:\n    # comment\n": true, "if x\n": false,
		"def f():\n    return [\n": true, "    x\n": false, "x = {'a': [1,\n": true, "match x:\n": true, "f'''{x}\n": true,
	} {
		if got := NeedsMore(src, Options{}); got != want {
			t.Errorf("%q: got %v", src, got)
		}
	}
}

func TestFormat(t *testing.T) {
	src := "def f():\n\tx = é = = 1\n"
	_, e := Parse("m.star", src, Options{})
	want := "  File \"m.star\", line 2\n    x = é = = 1\n            ^\nSyntaxError: invalid syntax\n"
	if got := e.Format(src); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSourceOptions(t *testing.T) {
	for _, test := range []struct {
		src  string
		want Options
		err  string
	}{
		{"# dialect: starlark\n# option:set option:while\nx\n# option:recursion", Options{Dialect: Starlark, Set: true, While: true}, ""},
		{"\n# dialect: starlark\n", Options{}, ""},
		{"# option:nonsense", Options{}, "1:1: SyntaxError: unknown option: nonsense"},
		{"# dialect: perl", Options{}, "1:1: SyntaxError: unknown dialect: perl"},
	} {
		got, e := SourceOptions(test.src, Options{})
		if e != nil {
			if e.Error() != test.err {
				t.Errorf("%q: %v", test.src, e)
			}
		} else if got != test.want || test.err != "" {
			t.Errorf("%q: got %+v", test.src, got)
		}
	}
}

// Starlark's literals and messages, where its own test files have none.
func TestStarlarkLiterals(t *testing.T) {
	opts := Options{Dialect: Starlark}
	for src, want := range map[string]string{
		`"\x41\u4e16\101\
b"`: "\"A世Ab\"", `b"\xff\377"`: `b"\xff\xff"`, `rb'\x'`: `b"\\x"`, `0xA`: "10", `0o17`: "15", `0b11`: "3", `1e3`: "1000",
		`12345678901234567890`: "12345678901234567890", `.5`: "0.5", "00": "0",
	} {
		m, e := ParseExpr("", src, opts)
		if e != nil {
			t.Error(e)
		} else if got := m.Body[0].(*ExprStmt).X.(*Constant).Text(); got != want {
			t.Errorf("%s: got %s, want %s", src, got, want)
		}
	}
	for src, want := range map[string]string{
		`"\xff"`: `1:1: SyntaxError: non-ASCII hex escape \xff (use \u00FF for the UTF-8 encoding of U+00FF)`,
		`"\w"`:   `1:1: SyntaxError: invalid escape sequence \w`, `b"\400"`: `1:2: SyntaxError: invalid escape sequence \400`,
		`"\udc00"`: `1:1: SyntaxError: invalid Unicode code point U+DC00`, `0123`: "1:5: SyntaxError: obsolete form of octal literal; use 0o123",
		`0xG`: "1:1: SyntaxError: invalid hex literal", `"\U00110000"`: `1:1: SyntaxError: code point out of range: \U00110000 (max \U00110000)`,
		`1_0`: "1:2: SyntaxError: got identifier after expression, want EOF", `f"a"`: "1:2: SyntaxError: got string literal after expression, want EOF",
		`"a" "b"`: "1:5: SyntaxError: got string literal after expression, want EOF", "x if y": "1:3: SyntaxError: conditional expression without else clause",
	} {
		if _, e := ParseExpr("", src, opts); e == nil || e.Error() != want {
			t.Errorf("%s: got %v, want %s", src, e, want)
		}
	}
}

// checkSpans checks invariants 1 and 2 of doc.go.
func checkSpans(t *testing.T, n Node, in Span) {
	t.Helper()
	s := n.Range()
	switch n := n.(type) {
	case *Module, *Params:
	case *JoinedStr: // a format spec may be empty
		if s.End.Before(s.Start) {
			t.Errorf("%T has the span %v", n, s)
		}
	default:
		if !s.Start.Before(s.End) {
			t.Errorf("%T has the empty span %v", n, s)
		}
	}
	if s.Start.Before(in.Start) || in.End.Before(s.End) {
		t.Errorf("%T at %v is outside %v", n, s, in)
	}
	var decorators []Expr
	switch n := n.(type) {
	case *FunctionDef:
		decorators = n.Decorators
	case *ClassDef:
		decorators = n.Decorators
	}
	for _, c := range Children(n) {
		limit := s
		for _, d := range decorators {
			if c == Node(d) {
				limit.Start = Pos{1, 1}
			}
		}
		checkSpans(t, c, limit)
	}
}

func FuzzParse(f *testing.F) {
	for _, file := range []string{"testdata/statements.py", "testdata/expressions.py"} {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, line := range strings.Split(string(data), "\n") {
			f.Add(line, false)
			f.Add(line, true)
		}
		f.Add(string(data), false)
	}
	data, err := os.ReadFile("testdata/errors.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, src := range strings.Split(string(data), "\n----\n") {
		f.Add(src, false)
		f.Add(src, true)
	}
	f.Fuzz(func(t *testing.T, src string, starlark bool) {
		opts := Options{}
		if starlark {
			opts.Dialect = Starlark
		}
		m, e := Parse("fuzz", src, opts)
		if e != nil {
			if e.Msg == "" || !e.Span.Start.IsValid() {
				t.Errorf("fault without text or place: %#v", e)
			}
			e.Format(src)
			return
		}
		checkSpans(t, m, m.Span)
		Fprint(io.Discard, m)
	})
}
