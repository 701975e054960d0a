package larkspur_test

import (
	"context"
	"fmt"

	"github.com/larkspur-ml/larkspur"
)

// A host counts what torch.compile captures of a function, and asks where its
// graphs break.
func ExampleRuntime_Capture() {
	ctx := context.Background()
	var counter larkspur.CompileCounter
	rt, err := larkspur.New(larkspur.Options{Backends: map[string]larkspur.Backend{"counter": counter.Backend}})
	if err != nil {
		fmt.Println(err)
		return
	}
	mod, err := rt.LoadString(ctx, "model.star", `
import torch

@torch.compile(backend="counter", fullgraph=True)
def loss(x, y):
    return ((x - y) ** 2).mean()

def branch(x):
    x = x * 2
    if x.sum() > 0:
        return x + 1
    return x - 1
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, _ := larkspur.NewTensor(rt, []float32{1, 2, 3}, 3)
	y, _ := larkspur.NewTensor(rt, []float32{1, 1, 1}, 3)
	loss, _ := mod.Func("loss")
	for range 3 {
		if _, err := loss.Call(ctx, x, y); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println("graphs", counter.Frames(), "ops", counter.Ops(), "replays", rt.JITStats().Replays)

	branch, _ := mod.Func("branch")
	c, err := rt.Capture(ctx, branch, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, g := range c.Graphs {
		fmt.Println("graph", g.Ops)
	}
	for _, b := range c.Breaks {
		fmt.Printf("break %s\n%s", b, b.Source)
	}
	// Output:
	// graphs 1 ops 3 replays 2
	// graph [mul sum]
	// graph [add]
	// break model.star:10 in branch: value of a tensor
	//     if x.sum() > 0:
	//        ^^^^^^^^^^^
}
