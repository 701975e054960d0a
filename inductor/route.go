package inductor

import (
	"context"
	"sync"

	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Router gives each graph to the compiler of the device on which it runs. It
// implements graph.Compiler. A graph without nodes is the CPU's.
type Router struct {
	CPU graph.Compiler
	// On finds the compiler of another device.
	On func(tensor.Device) (graph.Compiler, error)
}

// Compile implements graph.Compiler. A graph that spans devices is an error.
func (r *Router) Compile(ctx context.Context, g *graph.Graph) (graph.Executable, error) {
	var dev tensor.Device
	for i, n := range g.Nodes {
		if d := n.Call.Dev; i == 0 {
			dev = d
		} else if d != dev {
			return nil, tensor.Errorf(tensor.RuntimeError, "a graph on several devices, %s and %s", dev, d)
		}
	}
	if dev.Type == tensor.CPU {
		return r.CPU.Compile(ctx, g)
	}
	c, err := r.On(dev)
	if err != nil {
		return nil, err
	}
	x, err := c.Compile(ctx, g)
	if err != nil {
		return nil, err
	}
	return &routed{r: r, g: g, dev: dev, exe: x}, nil
}

// routed is a graph of one kind of device: eager kernels do not tell cuda:0 from
// cuda:1, but their code is of one.
type routed struct {
	r   *Router
	g   *graph.Graph
	dev tensor.Device
	exe graph.Executable

	mu    sync.Mutex
	other map[tensor.Device]graph.Executable
}

func (x *routed) Dump(stage string) string { return x.exe.Dump(stage) }

func (x *routed) Run(ctx context.Context, a *graph.RunArgs) error {
	dev := x.dev
	if len(a.Out) > 0 {
		dev = a.Out[0].Device()
	}
	if dev == x.dev {
		return x.exe.Run(ctx, a)
	}
	x.mu.Lock()
	e := x.other[dev]
	if e == nil {
		c, err := x.r.On(dev)
		if err == nil {
			e, err = c.Compile(ctx, x.g)
		}
		if err != nil {
			x.mu.Unlock()
			return err
		}
		if x.other == nil {
			x.other = map[tensor.Device]graph.Executable{}
		}
		x.other[dev] = e
	}
	x.mu.Unlock()
	return e.Run(ctx, a)
}
