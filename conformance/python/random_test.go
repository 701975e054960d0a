package python

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur"
)

// A judged is a line of random/*.jsonl: a random expression and CPython's result.
type judged struct{ expr, want string }

func judgedOf(t testing.TB, file string, fewest int) (all []judged) {
	data, err := os.ReadFile("random/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var pair [2]string
		if err := json.Unmarshal(line, &pair); err != nil {
			t.Fatal(err)
		}
		all = append(all, judged{pair[0], pair[1]})
	}
	if len(all) < fewest {
		t.Fatalf("%d expressions in %s, there were %d", len(all), file, fewest)
	}
	return all
}

// contexts put an expression where it is compiled otherwise, and means the same: %s
// stands for it, and what the context gives for result() is its value.
var contexts = []string{
	"def result():\n    return %s\n",
	"def result():\n    x = %s\n    return x\n",
	"def result():\n    return [%s][0]\n",
	"def result():\n    return (lambda: %s)()\n",
	"def result():\n    def g():\n        yield %s\n    return next(g())\n",
	"def result():\n    return [y for y in (%s,)][0]\n",
	"def result():\n    for _ in [0]:\n        try:\n            return %s\n        finally:\n            pass\n",
	"def result():\n    class C:\n        a = staticmethod(lambda: %s)\n    return C.a()\n",
	"def result():\n    if (x := [%s]):\n        return x.pop()\n",
	"def result():\n    d = {}\n    d['k'], d['l'] = %s, 1\n    return d['k']\n",
	"def result(*, x=None):\n    return x\n\nresult_of = result\ndef result():\n    return result_of(x=%s)\n",
	"def result():\n    with __import__('contextlib').nullcontext():\n        return %s\n",
	"def result():\n    free = 1\n    def inner():\n        free\n        return %s\n    return inner()\n",
	"def result():\n    match [%s]:\n        case [x]:\n            return x\n",
	"def result():\n    return (%s) if _true else 0\n",
}

// tell is the form of a result in the stored files.
const tell = `
_true = True
def _tell(f):
    try:
        v = f()
        return type(v).__name__ + " " + repr(v)
    except Exception as e:
        return type(e).__name__ + ": " + str(e)
`

// told runs expressions, each in a context of its own, and gives their results.
func told(t testing.TB, setup string, exprs []judged, context_ func(i int) string) []string {
	var text strings.Builder
	text.WriteString(tell + setup + "results = []\n")
	for i, e := range exprs {
		in := context_(i)
		if strings.Contains(in, " in (%s,)") && strings.Contains(e.expr, ":=") {
			in = contexts[0] // what a comprehension walks may not assign
		}
		text.WriteString(strings.Replace(in, "%s", e.expr, 1))
		text.WriteString("results.append(_tell(result))\n")
	}
	rt, err := larkspur.New(larkspur.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := rt.LoadString(context.Background(), "random.py", text.String())
	if err != nil {
		t.Fatal(err)
	}
	v, err := m.Get("results")
	if err != nil {
		t.Fatal(err)
	}
	out := make([]string, len(exprs))
	for i, s := range v.([]any) {
		out[i] = s.(string)
	}
	return out
}

// hold runs expressions by the hundred, in the contexts that pick gives.
func hold(t *testing.T, setup string, all []judged, pick func(i int) string) {
	const batch = 100
	faults := 0
	for from := 0; from < len(all); from += batch {
		part := all[from:min(from+batch, len(all))]
		for i, got := range told(t, setup, part, func(i int) string { return pick(from + i) }) {
			if got != part[i].want && !late(part[i], got) {
				if faults++; faults <= 40 {
					t.Errorf("%s\n gives %s\nCPython %s", part[i].expr, got, part[i].want)
				}
			}
		}
	}
	if faults > 0 {
		t.Errorf("%d of %d differ", faults, len(all))
	}
}

// late: a method is looked up behind its arguments here, in CPython in front of them;
// where both fail the errors differ.
func late(e judged, got string) bool {
	return strings.HasPrefix(e.want, "AttributeError: ") && strings.Contains(got, "Error: ")
}

const fewestExpressions = 6000

// Random expressions have CPython's results, bare and, in turn, in every context.
func TestExpressions(t *testing.T) {
	all := judgedOf(t, "expressions.jsonl", fewestExpressions)
	hold(t, "", all, func(int) string { return contexts[0] })
	hold(t, "", all, func(i int) string { return contexts[1+i%(len(contexts)-1)] })
}

// FuzzExpressions puts stored expressions into one another's company: a context in a
// context, behind others that leave registers, cells and handlers behind them.
func FuzzExpressions(f *testing.F) {
	all := judgedOf(f, "expressions.jsonl", fewestExpressions)
	for i := range 60 {
		f.Add(uint32(i*97), uint8(i), uint8(i*7))
	}
	f.Fuzz(func(t *testing.T, n uint32, outer, inner uint8) {
		var part []judged
		for i := range uint32(5) {
			part = append(part, all[(n+i*i*31)%uint32(len(all))])
		}
		in, out := contexts[int(inner)%len(contexts)], contexts[int(outer)%len(contexts)]
		for i, got := range told(t, "", part, func(i int) string {
			first := strings.ReplaceAll(in, "result", fmt.Sprintf("first%d", i))
			return first + strings.Replace(out, "%s", fmt.Sprintf("first%d()", i), 1) + "#%s\n"
		}) {
			if got != part[i].want && !late(part[i], got) {
				t.Errorf("%s\nin %s\nin %s\n gives %s\nCPython %s", part[i].expr, in, out, got, part[i].want)
			}
		}
	})
}

const (
	fewestRegexps = 3000
	regexpSetup   = `
import re
def m(match):
    return match and (match.span(), match.groups(), match.lastindex, match.lastgroup)
`
)

// Random calls of re have CPython's results.
func TestRegexps(t *testing.T) {
	hold(t, regexpSetup, judgedOf(t, "regexps.jsonl", fewestRegexps), func(int) string { return contexts[0] })
}

// sameRegexps change a call of re and not its result: it runs again, over re's cache
// or without it.
var sameRegexps = []string{
	"(%[1]s, %[1]s)[1]",
	"(re.purge(), %[1]s)[1]",
	"(%[1]s, re.purge())[0]",
	"[%[1]s for _ in range(3)][2]",
}

// FuzzRegexps runs stored calls behind one another, over what the ones before leave
// in re's cache, and any pattern over any text: whatever the pattern is, it compiles
// or is an error, and what its search finds is what its other methods say.
func FuzzRegexps(f *testing.F) {
	all := judgedOf(f, "regexps.jsonl", fewestRegexps)
	for i := range 40 {
		f.Add(uint32(i*97), uint8(i), "(a|b)*c"[i%7:], "abcabc\n")
	}
	for _, p := range []string{"", "(?P<n>a)(?P=n)", "[^]a-]", `\b\w+\b`, "(?<=a)b", "a{2,3}?", "(?i)ß", "((((((((((a))))))))))", "(?:(?:a*)*)*b", `\N{DIGIT ONE}`, "a**", "(?(1)a|b)", "x{99999999999}", "[[a]--[b]]"} {
		f.Add(uint32(0), uint8(0), p, "aab \u00e9\x00 AAB")
	}
	f.Fuzz(func(t *testing.T, n uint32, how uint8, pattern, text string) {
		var part []judged
		for i := range uint32(3) {
			e := all[(n+i*i*31)%uint32(len(all))]
			part = append(part, judged{fmt.Sprintf(sameRegexps[int(how)%len(sameRegexps)], e.expr), e.want})
		}
		part = append(part, judged{"agree(" + pyText(pattern) + ", " + pyText(text) + ")", "bool True"})
		for i, got := range told(t, regexpSetup+regexpAgrees, part, func(int) string { return contexts[0] }) {
			if got != part[i].want {
				t.Errorf("%s\n gives %s\nCPython %s", part[i].expr, got, part[i].want)
			}
		}
	})
}

const regexpAgrees = `
def agree(p, s):
    s = s[:60]
    try:
        c = re.compile(p)
    except (re.error, OverflowError, RecursionError):
        return True
    try:
        found = list(c.finditer(s))
    except (RuntimeError, TimeoutError):
        return True  # it takes too long
    first = c.search(s)
    assert m(first) == (m(found[0]) if found else None), "search"
    for x in found:
        assert s[x.start():x.end()] == x.group() == x[0], "span"
        assert len(x.groups()) == c.groups, "groups"
    assert c.subn(lambda x: x.group(), s) == (s, len(found)), "sub"
    assert len(c.split(s)) == len(found) * (1 + c.groups) + 1, "split"
    assert len(c.findall(s)) == len(found), "findall"
    at = c.match(s)
    assert not at or first.start() == 0, "match"
    full = c.fullmatch(s)
    assert not full or full.span() == (0, len(s)), "fullmatch"
    return True
`

// pyText is a literal of the language for any text.
func pyText(s string) string {
	b, err := json.Marshal(strings.ToValidUTF8(s, "?"))
	if err != nil {
		panic(err)
	}
	return "__import__('json').loads(r'''" + strings.ReplaceAll(string(b), "'", `\u0027`) + "''')"
}
