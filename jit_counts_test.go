package larkspur

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/tracer"
)

const countsPrelude = `
import torch
torch.manual_seed(1)
x = torch.tensor([1.0, 2.0, 3.0])
y = torch.tensor([0.5, -1.0, 2.0])
with torch.no_grad(): # imports what it needs
    pass
w = torch.tensor([0.5, 1.5, -1.0], requires_grad=True)
`

// countCase is one function and what recording it comes to.
type countCase struct {
	name, src string
	muts      []string
	want      string // what it should come to
	today     string // what it comes to so far, if that is worse, and why
}

// readCounts reads testdata/jit/*.txt; containers.txt says how they are written.
func readCounts(t *testing.T, file string) (cases []*countCase) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split("\n"+string(data), "\n=== ")
	for _, p := range parts[1:] {
		c := &countCase{}
		var body string
		c.name, body, _ = strings.Cut(p, "\n")
		for _, l := range strings.Split(body, "\n") {
			switch {
			case strings.HasPrefix(l, "--- today "):
				c.today = l[10:]
			case c.want != "":
			case strings.HasPrefix(l, "--- "):
				c.want = l[4:]
			case strings.HasPrefix(l, ">>> "):
				c.muts = append(c.muts, l[4:])
			default:
				c.src += l + "\n"
			}
		}
		cases = append(cases, c)
	}
	return cases
}

var countPattern = regexp.MustCompile(`^graphs (\d+) ops (\d+) breaks (\d+) recompiles (\d+)$`)

// TestJITCounts: each function gives what it gives interpreted, is captured in
// exactly so many graphs with so many ops and breaks, none is given up, and the
// last call of each stage records nothing.
func TestJITCounts(t *testing.T) {
	files, _ := filepath.Glob("testdata/jit/*.txt")
	if len(files) < 5 {
		t.Fatalf("%d files", len(files))
	}
	for _, file := range files {
		area := strings.TrimSuffix(filepath.Base(file), ".txt")
		cases := readCounts(t, file)
		if len(cases) < 20 {
			t.Errorf("%s: %d cases, wanted 20", area, len(cases))
		}
		for _, c := range cases {
			t.Run(area+"/"+c.name, func(t *testing.T) { c.run(t) })
		}
	}
}

func (c *countCase) run(t *testing.T) {
	if !countPattern.MatchString(c.want) {
		t.Fatalf("no counts: %q", c.want)
	}
	w := newTwins(t, countsPrelude+c.src, func(o *tracer.Options) { o.Plain, o.Threshold = false, 1 })
	zero := w.rt[1].JITStats() // running the module is none of the case
	var unsteady []string
	for i := range len(c.muts) + 1 {
		for k := range 4 {
			before := w.rt[1].JITStats()
			if d := w.call("main"); d != "" {
				t.Fatalf("call %d: %s", i*4+k, d)
			}
			after := w.rt[1].JITStats()
			if k == 3 && (after.Graphs != before.Graphs || after.Replays == before.Replays) {
				unsteady = append(unsteady, strconv.Itoa(i*4+k))
			}
		}
		if i < len(c.muts) {
			before := w.rt[1].JITStats()
			if d := w.exec(c.muts[i]); d != "" {
				t.Fatal(d)
			}
			after := w.rt[1].JITStats()
			zero.Graphs += after.Graphs - before.Graphs
			zero.Ops += after.Ops - before.Ops
			zero.Breaks += after.Breaks - before.Breaks
			zero.Recompiles += after.Recompiles - before.Recompiles
			zero.GivenUp += after.GivenUp - before.GivenUp
		}
	}
	s := w.rt[1].JITStats()
	got := fmt.Sprintf("graphs %d ops %d breaks %d recompiles %d", s.Graphs-zero.Graphs, s.Ops-zero.Ops, s.Breaks-zero.Breaks, s.Recompiles-zero.Recompiles)
	if n := s.GivenUp - zero.GivenUp; n > 0 {
		got += fmt.Sprintf(" given up %d", n)
	}
	if len(unsteady) > 0 && !strings.HasPrefix(c.want, "graphs 0 ") {
		got += " still recording in call " + strings.Join(unsteady, ", ")
	}
	switch today, why, _ := strings.Cut(c.today, ": "); {
	case got == c.want && c.today != "":
		t.Logf("it comes to what it should now: drop its line of today")
	case got == c.want:
	case c.today != "" && why != "" && !worse(got, today):
		if got != today {
			t.Logf("better than today's line: %s", got)
		}
	default:
		t.Errorf("got  %s\nwant %s\ntoday %s\n%s\n%s", got, c.want, c.today, c.src, w.rt[1].Explain("prog.py"))
	}
}

// worse reports whether got has more breaks, recompiles or recordings given up than
// a line of today.
func worse(got, today string) bool {
	for _, what := range []string{"breaks", "recompiles", "given up"} {
		if number(got, what) > number(today, what) {
			return true
		}
	}
	return strings.Contains(got, "still recording") && !strings.Contains(today, "still recording")
}

func number(s, what string) int {
	_, rest, _ := strings.Cut(s, what+" ")
	rest, _, _ = strings.Cut(rest, " ")
	n, _ := strconv.Atoi(strings.TrimRight(rest, ":,"))
	return n
}
