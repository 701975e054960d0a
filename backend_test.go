package larkspur

import (
	"context"
	"strings"
	"testing"
)

const backendProgram = `
import torch
def f(x):
    return ((x * 2).relu() + 1).sum()
def main(n):
    x = torch.arange(-4., 4.)
    return [float(f(x)) for _ in range(n)]
`

// TestCompileCounter: each backend computes the same, and the counter sees each
// graph once.
func TestCompileCounter(t *testing.T) {
	ctx := context.Background()
	for _, backend := range []string{"", "inductor", "eager", "aot_eager", "counter"} {
		var c CompileCounter
		rt, err := New(Options{JIT: JITSync, Backend: backend, Backends: map[string]Backend{"counter": c.Backend}})
		if err != nil {
			t.Fatal(err)
		}
		mod, err := rt.LoadString(ctx, "m.py", backendProgram)
		if err != nil {
			t.Fatal(err)
		}
		main, err := mod.Func("main")
		if err != nil {
			t.Fatal(err)
		}
		got, err := main.Call(ctx, 6)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range got.([]any) {
			if x != 20.0 {
				t.Errorf("%s: %v", backend, got)
			}
		}
		s := rt.JITStats()
		if s.Graphs == 0 || s.Replays == 0 {
			t.Errorf("%s: %+v", backend, s)
		}
		if backend == "counter" && (c.Frames() != s.Graphs || c.Ops() != s.Ops || len(c.Graphs()) != s.Graphs || !strings.Contains(c.Graphs()[0], "relu(")) {
			t.Errorf("the counter has %d graphs of %d ops, the recorder %+v\n%s", c.Frames(), c.Ops(), s, strings.Join(c.Graphs(), "\n"))
		}
	}
	if _, err := New(Options{JIT: JITSync, Backend: "fast"}); err == nil || err.Error() != "Invalid backend: 'fast', see `torch._dynamo.list_backends()` for available backends: aot_eager, eager, inductor" {
		t.Errorf("an unknown backend: %v", err)
	}
}
