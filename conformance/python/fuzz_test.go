package python

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/larkspur-ml/larkspur"
)

// FuzzPrograms runs programs made from the cases by exchanging words and lines, and
// holds that none finds a fault of the interpreter itself: whatever a program does,
// it ends with a result or an exception of its own.
func FuzzPrograms(f *testing.F) {
	names, err := filepath.Glob("*.py")
	if err != nil {
		f.Fatal(err)
	}
	var texts []string
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		texts = append(texts, string(b))
	}
	for seed := range uint64(40) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		text := mutated(rand.New(rand.NewPCG(seed, 1)), texts)
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		rt, err := larkspur.New(larkspur.Options{StepLimit: 20_000, HeapLimit: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		_, err = rt.LoadString(ctx, "fuzz.py", text)
		if err == nil {
			return
		}
		var e *larkspur.Error
		if !errors.As(err, &e) {
			t.Fatalf("%v is no *larkspur.Error", err)
		}
		if stack := larkspur.InternalStack(err); stack != nil || e.Type == "SystemError" || strings.Contains(e.Message, "BUG") {
			t.Errorf("%v\n%s\n%s", err, stack, text)
		}
		if larkspur.Cancelled(err) {
			t.Errorf("went on past its step limit:\n%s", text)
		}
	})
}

var word = regexp.MustCompile(`[A-Za-z_]\w*|\d[\w.]*|'[^'\n]*'|[-+*/%@&|^<>=!]+|[()\[\]{},:.]`)

// mutated is a program with some of its words and lines exchanged for others.
func mutated(r *rand.Rand, texts []string) string {
	lines := strings.Split(texts[r.IntN(len(texts))], "\n")
	other := strings.Split(texts[r.IntN(len(texts))], "\n")
	for range 1 + r.IntN(6) {
		at := r.IntN(len(lines))
		switch r.IntN(6) {
		case 0:
			lines[at] = other[r.IntN(len(other))]
		case 1:
			lines[at], lines[r.IntN(len(lines))] = lines[r.IntN(len(lines))], lines[at]
		case 2:
			indent := lines[at][:len(lines[at])-len(strings.TrimLeft(lines[at], " "))]
			lines[at] = indent + strings.TrimLeft(other[r.IntN(len(other))], " ")
		default: // a word for a word of the same line or of another program
			spans := word.FindAllStringIndex(lines[at], -1)
			from := lines[at]
			if r.IntN(2) == 0 {
				from = other[r.IntN(len(other))]
			}
			words := word.FindAllString(from, -1)
			if len(spans) == 0 || len(words) == 0 {
				continue
			}
			s := spans[r.IntN(len(spans))]
			lines[at] = lines[at][:s[0]] + words[r.IntN(len(words))] + lines[at][s[1]:]
		}
	}
	return strings.Join(lines, "\n")
}
