package larkspur

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// TestDumpRecordings: each stage of a recording is printed for the function that is
// named, and for no other.
func TestDumpRecordings(t *testing.T) {
	const src = `
import torch
w = torch.ones(3, requires_grad=True)
class M:
    @torch.compile(fullgraph=True)
    def f(self, x):
        return (x * w).relu().sum()
def g(x):
    y = x + 1
    torch._dynamo.graph_break()
    return y.cos()
m, h = M(), torch.compile(g)
for i in range(3):
    m.f(torch.ones(3)).backward()
    h(torch.ones(3))
`
	for stage, want := range map[string]string{
		"trace:f": "function M.f at m.py:7: ", "trace:g": "exit: break (torch._dynamo.graph_break())", "guards:M.f": "frame 0 local x is a tensor", "breaks:g": "m.py:10 in g: torch._dynamo.graph_break()\n",
		"graph:f": "relu(", "decomp:f": "graph {", "loops:f": "kernel", "plan:f": "step 0 ", "joint:f": "-- backward half --", "loops:g": "kernel",
	} {
		var out bytes.Buffer
		rt, err := New(Options{JIT: JITSync, Dump: []string{stage}, DumpTo: &out})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rt.RunString(context.Background(), "m.py", src); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); !strings.Contains(got, want) {
			t.Errorf("--dump=%s has no %q:\n%s", stage, want, got)
		}
		if m := rt.Undumped(); len(m) != 0 {
			t.Errorf("--dump=%s: %v", stage, m)
		}
	}
	var out bytes.Buffer
	rt, err := New(Options{Dump: []string{"breaks:nobody", "graph:nobody"}, DumpTo: &out})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rt.RunString(context.Background(), "m.py", src); err != nil {
		t.Fatal(err)
	}
	if m := rt.Undumped(); out.Len() != 0 || len(m) != 2 || !strings.HasPrefix(m[0], `nothing named "nobody" passed the stage breaks; there are g`) {
		t.Errorf("printed %q: %v", out.String(), m)
	}
}
