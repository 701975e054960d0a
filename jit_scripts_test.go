package larkspur

import (
	"bytes"
	"context"
	"testing"
)

// TestJITScript runs the training script in each mode; all print the same, and
// when recorded most steps are replays of one graph.
func TestJITScript(t *testing.T) {
	var want string
	for _, mode := range []JITMode{JITOff, JITSync, JITAuto} {
		var out bytes.Buffer
		rt, err := New(Options{Stdout: &out, JIT: mode})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rt.RunFile(context.Background(), "scripts/mlp.py"); err != nil {
			t.Fatal(err)
		}
		if mode == JITOff {
			want = out.String()
			continue
		}
		if d := compareText(want, out.String()); d != "" {
			t.Errorf("mode %d: %s", mode, d)
		}
		if s := rt.tracer.Stats(); mode == JITSync && s.Replays < 150 {
			t.Errorf("few replays: %+v", s)
		}
	}
}

// TestJITTrainingLoop counts what a training loop records: the first steps are
// specialised, then one graph serves.
func TestJITTrainingLoop(t *testing.T) {
	w := newTwins(t, `
import torch
W = torch.tensor([[0.5, -0.5], [0.25, 0.1]], requires_grad=True)
X = torch.ones(3, 2)
def main():
    total = torch.zeros(())
    for step in range(50):
        W.grad = None
        loss = ((X @ W).relu() - 1).pow(2).mean()
        loss.backward()
        with torch.no_grad():
            W.sub_(W.grad, alpha=0.01)
        total = total + loss.detach()
    return total
`, nil)
	if d := w.call("main"); d != "" {
		t.Fatal(d)
	}
	s := w.rt[1].tracer.Stats()
	if s.Records != 2 || s.Replays != 48 || s.Aborts != 0 || s.Breaks != 0 {
		t.Errorf("%+v\n%s", s, w.rt[1].Explain(""))
	}
}
