package larkspur

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/inductor"
	"github.com/larkspur-ml/larkspur/tensor"
)

// A Backend makes a compiler of captured graphs. inductor is the one that graphs
// get by default: a Backend may look at a graph and hand it on, or make an
// executable of its own.
type Backend func(inductor graph.Compiler) graph.Compiler

// builtinBackends are those of torch.compile that need no registration. For both
// eager ones each node is a kernel of its own, in the order of the program;
// aot_eager runs the graph passes before.
var builtinBackends = []string{"aot_eager", "eager", "inductor"}

// Backends lists the names that torch.compile(backend=…) takes, sorted.
func (rt *Runtime) Backends() []string {
	names := slices.Concat(builtinBackends, slices.Collect(maps.Keys(rt.opts.Backends)))
	slices.Sort(names)
	return slices.Compact(names)
}

// backend is the compiler of a name.
func (rt *Runtime) backend(name string) (graph.Compiler, error) {
	o := rt.inductor
	if make := rt.opts.Backends[name]; make != nil {
		return make(rt.route(o)), nil
	}
	switch name {
	case "inductor":
	case "eager":
		o.NoFuse = true
	case "aot_eager":
		o.NoFuse = true
		return optimizing{rt.route(o)}, nil
	default:
		return nil, fmt.Errorf("Invalid backend: '%s', see `torch._dynamo.list_backends()` for available backends: %s", name, strings.Join(rt.Backends(), ", "))
	}
	return rt.route(o), nil
}

// route compiles each graph for the device that it runs on.
func (rt *Runtime) route(o inductor.Options) graph.Compiler {
	return &inductor.Router{CPU: inductor.New(o), On: func(d tensor.Device) (graph.Compiler, error) { return rt.gpus.on(d, !o.NoFuse) }}
}

// optimizing runs the graph passes before its compiler.
type optimizing struct{ next graph.Compiler }

func (c optimizing) Compile(ctx context.Context, g *graph.Graph) (graph.Executable, error) {
	g = g.Clone()
	graph.Optimize(g)
	return c.next.Compile(ctx, g)
}

// A CompileCounter counts the graphs that it is given, like PyTorch's
// torch._dynamo.testing.CompileCounter; inductor compiles them. It serves one
// Runtime:
//
//	var c larkspur.CompileCounter
//	rt, err := larkspur.New(larkspur.Options{Backends: map[string]larkspur.Backend{"counter": c.Backend}, …})
type CompileCounter struct {
	mu     sync.Mutex
	graphs []string
	ops    int
}

// Backend is the counter as a Backend.
func (c *CompileCounter) Backend(inductor graph.Compiler) graph.Compiler {
	return counting{c, inductor}
}

type counting struct {
	c    *CompileCounter
	next graph.Compiler
}

func (k counting) Compile(ctx context.Context, g *graph.Graph) (graph.Executable, error) {
	k.c.mu.Lock()
	k.c.graphs = append(k.c.graphs, g.String())
	k.c.ops += len(g.Nodes)
	k.c.mu.Unlock()
	return k.next.Compile(ctx, g)
}

// Frames is how many graphs there were, and Ops how many nodes they have.
func (c *CompileCounter) Frames() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.graphs)
}

// Ops is how many nodes all graphs have together.
func (c *CompileCounter) Ops() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ops
}

// Graphs are the texts of the graphs, in the order in which they were captured.
func (c *CompileCounter) Graphs() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.graphs)
}

// Reset forgets all.
func (c *CompileCounter) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.graphs, c.ops = nil, 0
}
