package larkspur

import (
	"sync"

	"github.com/larkspur-ml/larkspur/device"
	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/inductor"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/inductor/ptx"
	"github.com/larkspur-ml/larkspur/tensor"
)

// gpus are the GPUs of a Runtime, each opened when it is first used.
type gpus struct {
	driver device.Driver // nil: none was given
	host   loop.Target   // runs what the GPU's target cannot compile
	dump   *dumper

	mu sync.Mutex
	m  map[int]*gpu
}

// gpu is one GPU with the compiler for it.
type gpu struct {
	dev             device.GPU
	compiler, plain graph.Compiler
}

// open finds GPU i. Without a driver the error is PyTorch's of a build without
// CUDA; with one it says what is missing.
func (g *gpus) open(i int) (*gpu, error) {
	if g.driver == nil {
		return nil, &tensor.Error{Kind: tensor.AssertionError, Msg: "Torch not compiled with CUDA enabled"}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if x := g.m[i]; x != nil {
		return x, nil
	}
	dev, err := g.driver.Open(i)
	if err != nil {
		if _, ok := err.(*tensor.Error); !ok {
			err = tensor.Errorf(tensor.RuntimeError, "%s", err)
		}
		return nil, err
	}
	t := ptx.New(ptx.Options{Machine: dev, Fallback: g.host, Listing: g.dump.listing("ptx", "//")})
	o := inductor.Options{Target: t, Alloc: dev, Copy: func(dst, src tensor.Buffer, n int) error {
		return dev.Copy(nil, dst, 0, src, 0, n)
	}, Batch: func() inductor.Batch { return dev.NewBatch() }}
	x := &gpu{dev: dev, compiler: inductor.New(o)}
	o.NoFuse = true
	x.plain = inductor.New(o)
	if g.m == nil {
		g.m = map[int]*gpu{}
	}
	g.m[i] = x
	return x, nil
}

// device is GPU i for torch.cuda.
func (g *gpus) device(i int) (device.GPU, error) {
	x, err := g.open(i)
	if err != nil {
		return nil, err
	}
	return x.dev, nil
}

// count is the number of GPUs.
func (g *gpus) count() (int, error) {
	if g.driver == nil {
		_, err := g.open(0)
		return 0, err
	}
	return g.driver.Count()
}

// on is the compiler of a device other than the CPU, one that fuses or one that
// makes each node a kernel of its own.
func (g *gpus) on(d tensor.Device, fuse bool) (graph.Compiler, error) {
	if d.Type != tensor.CUDA {
		return nil, tensor.Errorf(tensor.NotImplementedError, "device '%s' computes nothing", d)
	}
	x, err := g.open(int(d.Index))
	if err != nil {
		return nil, err
	}
	if !fuse {
		return x.plain, nil
	}
	return x.compiler, nil
}
