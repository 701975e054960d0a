package larkspur_test

import (
	"context"
	"fmt"
	"time"

	"github.com/larkspur-ml/larkspur"
)

const exampleModel = `
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))

def forward(x):
    with torch.no_grad():
        return net(x).softmax(-1)

def forever():
    while True:
        pass

def peek():
    return open("/etc/passwd").read()
`

// A program embeds the runtime, calls a model with a tensor, stops a call that
// takes too long, and is refused a file that it was not granted.
func Example() {
	ctx := context.Background()
	rt, err := larkspur.New(larkspur.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	mod, err := rt.LoadString(ctx, "model.star", exampleModel)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, _ := larkspur.NewTensor(rt, []float32{1, 2, 3, 4, 5, 6, 7, 8}, 2, 4)
	forward, _ := mod.Func("forward")
	y, err := forward.Call(ctx, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(y.(*larkspur.Tensor).Shape(), y)

	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	forever, _ := mod.Func("forever")
	_, err = forever.Call(short)
	fmt.Println(err, larkspur.Cancelled(err))

	peek, _ := mod.Func("peek")
	_, err = peek.Call(ctx)
	fmt.Println(err)
	// Output:
	// [2 2] tensor([[0.4598, 0.5402],
	//         [0.1794, 0.8206]])
	// KeyboardInterrupt: context deadline exceeded true
	// PermissionError: reading '/etc/passwd' is not allowed: it is not under a path that was granted (--allow-read, Grants.Read)
}
