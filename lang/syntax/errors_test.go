package syntax

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// differs has the sources of testdata/errors.txt that we place or word otherwise
// than CPython does: the offending argument or pattern, not the token behind it.
var differs = map[string]string{
	"f(a=1, 2)":                            "SyntaxError 1:9-1:10 positional argument follows keyword argument",
	"f(**a, 2)":                            "SyntaxError 1:8-1:9 positional argument follows keyword argument unpacking",
	"f(**a, *b)":                           "SyntaxError 1:3-1:6 iterable argument unpacking follows keyword argument unpacking",
	"lambda *: 1":                          "SyntaxError 1:8-1:9 named arguments must follow bare *",
	"match x:\n    case [a] | [b]: pass":   "SyntaxError 2:16-2:19 alternative patterns bind different names",
	"match x:\n    case C(a=1, a=2): pass": "SyntaxError 2:17-2:18 attribute name repeated in class pattern: a",
}

// unplaced are the beginnings of messages for which CPython 3.11 gives the place
// behind the literal or an approximate one; ours is the literal or the place.
var unplaced = []string{"f-string", "(unicode error)", "(value error)", "bytes can only", "cannot mix", "invalid decimal literal"}

// Faults are CPython's: class, range and text. Of indentation only the line is
// compared, and an end only where CPython has a range and not a point.
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
		want := wants[i]
		if d, ok := differs[src]; ok {
			want = d
		}
		_, e := Parse("<test>", src, Options{})
		if e == nil {
			if want != "ok" {
				t.Errorf("%q: parsed, want %s", src, want)
			}
			continue
		}
		got := fmt.Sprintf("%s %s %s", e.Kind, e.Span, e.Msg)
		kind, rest, _ := strings.Cut(want, " ")
		span, msg, _ := strings.Cut(rest, " ")
		start, end, _ := strings.Cut(span, "-")
		line, _, _ := strings.Cut(start, ":")
		same := e.Kind.String() == kind && e.Msg == msg
		switch {
		case e.Kind != SyntaxError:
			same = same && itoa(e.Span.Start.Line) == line
		case slices.ContainsFunc(unplaced, func(p string) bool { return strings.HasPrefix(e.Msg, p) }):
		default:
			same = same && e.Span.Start.String() == start
			if end != start && !strings.HasSuffix(end, ":0") && !strings.HasSuffix(end, ":-1") {
				same = same && e.Span.End.String() == end
			}
		}
		if !same {
			t.Errorf("%q:\n got %s\nwant %s", src, got, want)
		}
	}
}
