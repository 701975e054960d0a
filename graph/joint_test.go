package graph

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// TestJoint holds joint graphs and their two halves against testdata/joint: the
// gradients of output 0 with respect to all inputs, each a row-major tensor as its
// first reader sees it.
func TestJoint(t *testing.T) {
	files, _ := filepath.Glob("testdata/joint/*.txt")
	if len(files) < 2 {
		t.Fatal("no files")
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			s := readSections(t, path)
			g, err := Parse(s[0].text)
			if err != nil {
				t.Fatal(err)
			}
			users := g.Users()
			var wrt []Operand
			for _, v := range g.Inputs {
				u := users[v][0]
				m := u.Node.In[u.Arg].Meta
				// memory order: what is expanded or transposed is not the leaf itself
				leaf := tensor.Meta{DType: m.DType, Size: []sym.Int{v.Len}, Stride: []sym.Int{sym.C(1)}}
				wrt = append(wrt, Operand{Value: v, Meta: leaf})
			}
			out := g.Outputs[0]
			j, err := Differentiate(g, []Operand{{Value: out, Meta: out.Node.OutMeta[0]}}, wrt, DiffOptions{})
			if err != nil {
				t.Fatal(err)
			}
			p := j.Cut()
			Optimize(p.Forward)
			Optimize(p.Backward)
			var sb strings.Builder
			sb.WriteString("-- forward --\n" + g.String() + "-- joint --\n" + j.G.String() + "-- forward half --\n" + p.Forward.String() + "-- backward half --\n" + p.Backward.String())
			if *update {
				if err := os.WriteFile(path, []byte(sb.String()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if b, _ := os.ReadFile(path); string(b) != sb.String() {
				t.Errorf("got (run with -update to accept)\n%s", sb.String())
			}
		})
	}
}

// TestFlow: the textbook network, and a cut through its narrow place.
func TestFlow(t *testing.T) {
	f := &flow{}
	for range 6 {
		f.vertex()
	}
	for _, e := range [][3]int{{0, 1, 16}, {0, 2, 13}, {1, 2, 10}, {2, 1, 4}, {1, 3, 12}, {3, 2, 9}, {2, 4, 14}, {4, 3, 7}, {3, 5, 20}, {4, 5, 4}} {
		f.edge(e[0], e[1], int64(e[2]))
	}
	f.saturate(0, 5)
	total := int64(0)
	for e := f.first[0]; e >= 0; e = f.edges[e].more {
		total += f.edges[e^1].cap
	}
	if total != 23 {
		t.Errorf("flow %d, want 23", total)
	}
	side := f.reachable(0)
	if want := [6]bool{true, true, true, false, true, false}; [6]bool(side) != want {
		t.Errorf("cut %v, want %v", side, want)
	}
}
