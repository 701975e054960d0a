package graph

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

func init() { VerifyPasses = true }

// section is one "-- title --" part of a text archive.
type section struct{ title, text string }

func readSections(t *testing.T, path string) (out []section) {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range strings.SplitAfter(string(b), "\n") {
		if s, ok := strings.CutPrefix(l, "-- "); ok {
			out = append(out, section{title: strings.TrimSuffix(strings.TrimSpace(s), " --")})
		} else if len(out) > 0 {
			out[len(out)-1].text += l
		}
	}
	return out
}

// TestPasses holds each testdata/pass/PASS.txt: sections "-- what --" with a
// graph, each followed by "-- after --" with the graph the pass makes of it. The
// file all.txt goes through Optimize.
func TestPasses(t *testing.T) {
	files, _ := filepath.Glob("testdata/pass/*.txt")
	if len(files) < 6 {
		t.Fatalf("%d files", len(files))
	}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		t.Run(name, func(t *testing.T) {
			var sb strings.Builder
			want := readSections(t, path)
			for i := 0; i < len(want); i += 2 {
				if !*update && (i+1 == len(want) || want[i+1].title != "after") {
					t.Fatalf("section %q has no after", want[i].title)
				}
				if want[i].title == "after" { // updating a file that misses one
					i--
					continue
				}
				g, err := Parse(want[i].text)
				if err != nil {
					t.Fatalf("%s: %v", want[i].title, err)
				}
				if s := g.String(); s != want[i].text && !*update {
					t.Errorf("%s prints\n%s", want[i].title, s)
				}
				before := g.String()
				h := g.Clone()
				if name == "all" {
					Optimize(h)
				} else {
					runPass(h, name)
				}
				if err := Verify(h); err != nil {
					t.Errorf("%s: %v\n%s", want[i].title, err, h)
				}
				if g.String() != before {
					t.Errorf("%s: the pass changed the graph that was cloned", want[i].title)
				}
				again, err := Parse(h.String())
				if err != nil || again.String() != h.String() {
					t.Errorf("%s: result does not parse back: %v\n%s", want[i].title, err, h)
				}
				got := h.String()
				sb.WriteString("-- " + want[i].title + " --\n" + before + "-- after --\n" + got)
				if !*update && got != want[i+1].text {
					t.Errorf("%s: got\n%s", want[i].title, got)
				}
				if i+1 < len(want) && want[i+1].title != "after" {
					i--
				}
			}
			if *update {
				if err := os.WriteFile(path, []byte(sb.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
