package inductor

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Options are what a Compiler works with.
type Options struct {
	Target   loop.Target
	Parallel loop.Parallel    // nil: loop.Inline
	Alloc    tensor.Allocator // the arena of temporaries; nil: Go memory
	// NoFuse makes a kernel of every node and skips the graph passes: what fused
	// results are compared with.
	NoFuse bool
	// NoBundle launches every nest on its own, small ones too.
	NoBundle bool
	// Copy is set for a device whose memory the host does not see: its buffers are
	// tensor.Addressed, and kernels are queued whole. It copies n bytes there, in the
	// order of the kernels.
	Copy func(dst, src tensor.Buffer, n int) error
	// Batch, if set, makes what the launches of a run of several steps are gathered in
	// and handed over together; each executable has one.
	Batch func() Batch
}

// Batch gathers the work of one run after the other; it is the Queue of the kernels.
// Between Begin and End it is one run's alone.
type Batch interface {
	Begin()
	Copy(dst, src tensor.Buffer, n int) error
	// End queues what was gathered. Memory that it names is used in the order of the
	// device's queue, as if each piece had been queued at this time.
	End() error
}

// Compiler implements graph.Compiler. It is safe for concurrent use.
type Compiler struct {
	opts Options
}

// New makes a Compiler.
func New(o Options) *Compiler {
	if o.Parallel == nil {
		o.Parallel = loop.Inline
	}
	if o.Copy != nil {
		o.NoBundle = true
	}
	return &Compiler{o}
}

// Compile optimises a copy of a graph, lowers it and compiles its kernels. An error is our own fault
// ("BUG: …", with the op) or a template that the target lacks. The graph's context is used by one
// compilation at a time.
func (c *Compiler) Compile(ctx context.Context, g *graph.Graph) (_ graph.Executable, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("compiling %s: %v", names(g), e)
		}
	}()
	if len(g.Nodes) > 1 && !c.opts.NoFuse {
		g = g.Clone()
		graph.Optimize(g)
	}
	p := lower(g, &c.opts)
	for _, s := range p.steps {
		if s.tmpl != nil {
			if s.fn = c.opts.Target.Template(s.tmpl.Name); s.fn == nil {
				return nil, tensor.Errorf(tensor.NotImplementedError, "template %s is not implemented for target %s", s.tmpl.Name, c.opts.Target.Name())
			}
			if s.after == nil {
				continue
			}
		}
		if s.when != nil {
			continue
		}
		k := s.loops()
		if k.prog, err = c.opts.Target.Compile(k.kernel); err != nil {
			return nil, fmt.Errorf("compiling %s: %w", names(g), err)
		}
	}
	x := &executable{plan: p, opts: &c.opts}
	if c.opts.Batch != nil && len(p.steps)+len(p.copies) >= batchSteps {
		x.batch = c.opts.Batch()
	}
	x.settled.Store(math.MaxInt64)
	x.scratch.New = func() any { return x.newScratch() }
	return x, nil
}

func names(g *graph.Graph) string {
	var s []string
	for i, n := range g.Nodes {
		if i == 20 {
			s = append(s, "…")
			break
		}
		s = append(s, n.Call.Def.Name)
	}
	return strings.Join(s, ", ")
}

// Dump implements graph.Executable: "decomp" is the graph after the passes,
// "loops" the kernels, "plan" steps and memory.
func (x *executable) Dump(stage string) string {
	switch stage {
	case "decomp":
		return x.plan.g.String()
	case "plan":
		return x.plan.text()
	case "loops":
		var sb strings.Builder
		for _, s := range x.plan.steps {
			if k := s.loops(); k != nil && s.when == nil {
				sb.WriteString(k.kernel.String())
			}
		}
		return sb.String()
	}
	return ""
}

// executable runs a plan.
type executable struct {
	plan    *plan
	opts    *Options
	scratch sync.Pool
	settled atomic.Int64 // the first step that may write in place
	batch   Batch        // nil: each launch is queued by itself
	batched sync.Mutex
}

// batchSteps is how many steps are worth a batch: a launch costs the driver a few
// microseconds, that of a batch about as much and a fraction for each step.
const batchSteps = 3

// Kernels is how many kernels and templates a run launches; one that runs in stages counts once.
func (x *executable) Kernels() int {
	n := 0
	for _, s := range x.plan.steps {
		if s.when == nil {
			n++
		}
	}
	return n
}
