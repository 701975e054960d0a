package larkspur

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/larkspur-ml/larkspur/tracer"
)

const explained = `import torch

def step(x, n):
    y = x * n
    torch._dynamo.graph_break()
    return (y + 1).sum()

def main():
    x = torch.ones(3)
    for n in range(2):
        step(x, n)
    for i in range(4):
        x = x + 1
        if x.sum() > 100:
            break
    return x

for k in range(2):
    step(torch.ones(3), k)
`

func TestExplainSource(t *testing.T) {
	var out bytes.Buffer
	rt, err := New(Options{Stdout: &out, JIT: JITSync, KeepRecordings: true, recording: func(o *tracer.Options) { o.Manual = true }})
	if err != nil {
		t.Fatal(err)
	}
	// What torch.compile marks alone is recorded, so that the report is short.
	src := explained + "main = torch.compile(main)\nmain(); main()\n"
	if _, err := rt.RunString(context.Background(), "m.py", src); err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(`\d+ guards`).ReplaceAllString(rt.ExplainSource("m.py", ExplainOptions{}), "some guards")
	const want = `m.py: 5 recordings, 4 graphs of 7 ops, 1 recompiles, 9 replays, 4 breaks, 0 given up
    1   import torch
    2   
    3   def step(x, n):
    4       y = x * n
    5       torch._dynamo.graph_break()
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^
        ! graph break (2 times): torch._dynamo.graph_break()
    6       return (y + 1).sum()
        + behind break step
            graph 1: 1 ops in 1 kernels, some guards, 0 effects, 1 replays, ends: break (torch._dynamo.graph_break())
            graph 2: 2 ops in 1 kernels, some guards, 0 effects, 1 replays, ends: break (value of a tensor)
            recompiled: (frame 0 r5 == 0) does not hold
    7   
    8 | def main():
    9 |     x = torch.ones(3)
      | + function main
      |     graph 1: 2 ops in 1 kernels, some guards, 0 effects, 1 replays, ends: break (torch._dynamo.graph_break())
   10 |     for n in range(2):
   11 |         step(x, n)
   12 |     for i in range(4):
      | + behind break main
      |     graph 1: 2 ops in 1 kernels, some guards, 0 effects, 5 replays, ends: break (value of a tensor)
      |     graph 2: 0 ops, some guards, 0 effects, 1 replays, ends: return (return)
      |     recompiled: (frame 0 r5 == 0) does not hold
   13 |         x = x + 1
   14 |         if x.sum() > 100:
      |            ^^^^^^^^^^^^^
      | ! graph break (2 times): value of a tensor
   15 |             break
   16 |     return x
   17   
   18   for k in range(2):
   19       step(torch.ones(3), k)
   20   main = torch.compile(main)
   21   main(); main()
`
	if got != want {
		t.Errorf("prints\n%s\nnot\n%s", got, want)
	}
	if with := rt.ExplainSource("m.py", ExplainOptions{Guards: 2}); !strings.Contains(with, "ops: add, sum\n") || !strings.Contains(with, "guard: frame 0 function is <function main>\n") || !strings.Contains(with, "guard: … and ") {
		t.Errorf("with guards:\n%s", with)
	}
	color := rt.ExplainSource("m.py", ExplainOptions{Color: true})
	if !strings.Contains(color, colorBad+"! graph break (2 times): torch._dynamo.graph_break()"+colorPlain) || strings.Contains(got, "\x1b") {
		t.Error("colours where there should be none, or none where there should be")
	}
}

func TestCapture(t *testing.T) {
	ctx := context.Background()
	rt, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	mod, err := rt.LoadString(ctx, "m.py", explained)
	if err != nil {
		t.Fatal(err)
	}
	step, err := mod.Func("step")
	if err != nil {
		t.Fatal(err)
	}
	x, err := NewTensor(rt, []float32{1, 2, 3}, 3)
	if err != nil {
		t.Fatal(err)
	}
	c, err := rt.Capture(ctx, step, x, 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Graphs) != 2 || strings.Join(c.Graphs[1].Ops, " ") != "add sum" || len(c.Breaks) != 1 {
		t.Fatalf("%+v", c)
	}
	if b := c.Breaks[0]; b.String() != "m.py:5 in step: torch._dynamo.graph_break()" || b.Source != "    torch._dynamo.graph_break()\n    ^^^^^^^^^^^^^^^^^^^^^^^^^^^\n" || len(b.Stack) != 1 {
		t.Errorf("%s\n%s%+v", b, b.Source, b.Stack)
	}
	if len(c.Graphs[0].Guards) == 0 || !strings.HasPrefix(c.Graphs[0].Text, "graph {") {
		t.Errorf("%+v", c.Graphs[0])
	}
	// An error of the program comes back, with what was captured before.
	if c, err = rt.Capture(ctx, step, x, "no"); err == nil || len(c.Graphs) != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	tensor, err := mod.Get("torch")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rt.Capture(ctx, &Func{mod: mod, fn: tensor.(*Object).v}); err == nil || !strings.Contains(err.Error(), "a function of the language is expected, not 'module'") {
		t.Errorf("capturing a module: %v", err)
	}
}

// TestCancelReplay: the end of a context ends a loop that is replayed, and the
// recordings stay.
func TestCancelReplay(t *testing.T) {
	rt, err := New(Options{JIT: JITSync})
	if err != nil {
		t.Fatal(err)
	}
	mod, err := rt.LoadString(context.Background(), "m.py", `
import torch
x = torch.zeros(2000)
def forever():
    while True:
        x.add_(1).sin_()
def once(n):
    for i in range(n):
        x.add_(1).sin_()
`)
	if err != nil {
		t.Fatal(err)
	}
	forever, err := mod.Func("forever")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		begin := time.Now()
		_, err = forever.Call(ctx)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > 10*time.Second {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
	}
	s := rt.JITStats()
	if s.Replays == 0 || s.Graphs > 3 {
		t.Errorf("%+v\n%s", s, rt.Explain(""))
	}
}
