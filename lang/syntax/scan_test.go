package syntax

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// scanned is one line of testdata/tokens.jsonl, which testdata/tokens.py makes.
type scanned struct {
	Text   string
	Tokens [][]any
}

func storedTokens(t testing.TB) (all []scanned) {
	data, err := os.ReadFile("testdata/tokens.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var s scanned
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// pythonKind is the kind of token that CPython's tokenize names.
func pythonKind(k tok) string {
	switch {
	case k == tEOF:
		return "ENDMARKER"
	case k == tNewline:
		return "NEWLINE"
	case k == tIndent:
		return "INDENT"
	case k == tDedent:
		return "DEDENT"
	case k == tNumber:
		return "NUMBER"
	case k == tString:
		return "STRING"
	case k.isPunct():
		return "OP"
	}
	return "NAME"
}

// The tokens of stored texts are CPython's, with their places.
func TestTokens(t *testing.T) {
	all := storedTokens(t)
	if len(all) < 300 {
		t.Fatalf("%d texts", len(all))
	}
	for _, want := range all {
		s := newScanner(want.Text, Model)
		s.run()
		if s.err != nil {
			t.Errorf("%v\n%s", s.err, want.Text)
			continue
		}
		if len(s.toks) != len(want.Tokens) {
			t.Errorf("%d tokens, CPython has %d:\n%s", len(s.toks), len(want.Tokens), want.Text)
			continue
		}
		for i, got := range s.toks {
			w := want.Tokens[i]
			num := func(i int) int32 { return int32(w[i].(float64)) }
			kind := pythonKind(got.kind)
			if kind != w[0] {
				t.Errorf("token %d is %s, CPython's %s %q:\n%s", i, kind, w[0], w[1], want.Text)
				break
			}
			switch kind {
			case "NEWLINE", "INDENT", "DEDENT", "ENDMARKER": // these have no text
				continue
			}
			if text := want.Text[got.off:got.lim]; text != w[1] || got.start != (Pos{num(2), num(3) + 1}) || got.end != (Pos{num(4), num(5) + 1}) {
				t.Errorf("token %d is %q at %v to %v, CPython's %q at %v:\n%s", i, text, got.start, got.end, w[1], w[2:], want.Text)
				break
			}
		}
	}
}

// FuzzScan holds of any text: scanning ends, in an end or an error; tokens stand in
// order, their places are those of their offsets, between them is nothing but
// space, comments and joined lines; indents are closed; and the text of a token,
// alone, is that token.
func FuzzScan(f *testing.F) {
	for _, s := range storedTokens(f) {
		f.Add(s.Text, false)
	}
	for _, s := range []string{"", "\\", "\\\n", "x\\\ny", "'a", "'''a\n", "(", "(]", "  x\n y", "0777", "1__0", "0x", "1e", "\x00", "\xff", "é\u0301 = 1",
		"\tx\n        y", "f'{x!r:{y}}'", "#", "# \\\nx", "\f x", "a\r\nb", "!", "$", "`", "x = 'a\\\nb'", "b'é'", "00.5", "1.e5j", ".", "...", "....", "1if x else y"} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, src string, starlark bool) {
		dialect := Model
		if starlark {
			dialect = Starlark
		}
		s := newScanner(src, dialect)
		s.run()
		checkTokens(t, s)
	})
}

func checkTokens(t *testing.T, s *scanner) {
	src := s.src
	if len(s.toks) == 0 {
		t.Fatalf("no tokens: %q", src)
	}
	at, place := 0, Pos{1, 1} // how far the text was walked
	walk := func(to int) Pos {
		for at < to {
			r, n := utf8.DecodeRuneInString(src[at:])
			at += n
			if r == '\n' {
				place = Pos{place.Line + 1, 1}
			} else {
				place.Col++
			}
		}
		return place
	}
	indents, end := 0, 0
	for i, k := range s.toks {
		last := i == len(s.toks)-1
		switch {
		case k.kind == tError != (s.err != nil && last):
			t.Fatalf("an error token at %d of %d, error %v: %q", i, len(s.toks), s.err, src)
		case k.kind == tError:
			return // its place is the error's
		case k.kind == tEOF != last:
			t.Fatalf("an end at %d of %d: %q", i, len(s.toks), src)
		case int(k.off) < end || k.lim < k.off || int(k.lim) > len(src):
			t.Fatalf("token %d is at %d to %d, behind one that ends at %d: %q", i, k.off, k.lim, end, src)
		}
		checkGap(t, src, src[end:k.off])
		end = int(k.lim)
		if start := walk(int(k.off)); k.start != start {
			t.Fatalf("token %d starts at %v, offset %d is %v: %q", i, k.start, k.off, start, src)
		}
		if stop := walk(int(k.lim)); k.kind != tNewline && k.end != stop {
			t.Fatalf("token %d ends at %v, offset %d is %v: %q", i, k.end, k.lim, stop, src)
		}
		switch k.kind {
		case tIndent:
			indents++
		case tDedent:
			indents--
		case tNewline, tEOF:
		default:
			text := src[k.off:k.lim]
			alone := newScanner(text, s.dialect)
			alone.nested = true // or a bracket would be alone unclosed
			alone.run()
			if !k.kind.isPunct() && (len(alone.toks) < 1 || alone.toks[0].kind != k.kind || int(alone.toks[0].lim) != len(text)) {
				t.Fatalf("%q is %v in %q, alone %v", text, k.kind, src, alone.toks)
			}
		}
		if indents < 0 {
			t.Fatalf("more dedents than indents: %q", src)
		}
	}
	if indents != 0 {
		t.Fatalf("%d indents are open: %q", indents, src)
	}
	checkGap(t, src, src[end:])
}

// checkGap holds that there is no token in what stands between tokens.
func checkGap(t *testing.T, src, gap string) {
	for line := range strings.SplitSeq(gap, "\n") {
		line, _, _ = strings.Cut(line, "#")
		if rest := strings.Trim(line, " \t\f\\\ufeff\r"); rest != "" {
			t.Fatalf("%q is no token of %q", rest, src)
		}
	}
}
