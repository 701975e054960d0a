package eager

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Kernels keeps the compiled one-node graphs of a Runtime. It is safe for concurrent use.
type Kernels struct {
	compiler graph.Compiler
	mu       sync.RWMutex
	m        map[graph.Key]*kernel
	hits     atomic.Int64
	misses   atomic.Int64
}

type kernel struct {
	once sync.Once
	exe  graph.Executable
	err  error

	// what the VJP reads, by the set of operands whose gradient is wanted
	mu    sync.Mutex
	reads map[uint64]readSet
}

// NewKernels makes an empty cache over a compiler.
func NewKernels(c graph.Compiler) *Kernels {
	return &Kernels{compiler: c, m: map[graph.Key]*kernel{}}
}

// Counts tells how often a kernel was found and how often it had to be made.
func (k *Kernels) Counts() (hits, misses int64) { return k.hits.Load(), k.misses.Load() }

func (k *Kernels) find(key graph.Key) *kernel {
	k.mu.RLock()
	e := k.m[key]
	k.mu.RUnlock()
	if e != nil {
		k.hits.Add(1)
		return e
	}
	k.misses.Add(1)
	k.mu.Lock()
	defer k.mu.Unlock()
	if e = k.m[key]; e == nil {
		e = &kernel{}
		k.m[key] = e
	}
	return e
}

func (x *Context) alloc(d tensor.Device, bytes int64) (*tensor.Storage, error) {
	b, err := x.buffer(d, bytes)
	if err != nil {
		return nil, err
	}
	return tensor.NewStorage(b), nil
}

// bytesFor is the size of a storage that a fresh tensor of this geometry needs.
func bytesFor(g *tensor.Geometry) (int64, error) {
	n := int64(g.DType.Size())
	for _, s := range g.Size {
		if s < 0 {
			return 0, raise(tensor.RuntimeError, "Trying to create tensor with negative dimension %d: %s", s, sizeText(g.Size))
		}
		if s > 0 && n > (1<<62)/s {
			return 0, raise(tensor.RuntimeError, "Storage size calculation overflowed with sizes=%s", sizeText(g.Size))
		}
		n *= s
	}
	if n == 0 {
		return 0, nil
	}
	_, hi := g.Span()
	return hi * int64(g.DType.Size()), nil
}

// Empty makes a tensor of uninitialised memory.
func (x *Context) Empty(d tensor.Device, g tensor.Geometry) (*Tensor, error) {
	n, err := bytesFor(&g)
	if err != nil {
		return nil, err
	}
	s, err := x.alloc(d, n)
	if err != nil {
		return nil, err
	}
	t := New(s, g)
	t.Inference = x.Inference
	return t, nil
}

// launch is the working memory of one run, kept between runs.
type launch struct {
	spec graph.Spec
	args graph.RunArgs
	in   [4]tensor.Buffer
	out  [2]tensor.Buffer
	bind [32]int64
	nums [4]tensor.Number
}

var launches = sync.Pool{New: func() any { return new(launch) }}

func (l *launch) release() {
	l.spec.Release()
	clear(l.in[:])
	clear(l.out[:])
	l.args = graph.RunArgs{}
	launches.Put(l)
}

// run executes a Call that computes, into fresh tensors or into dst where given.
func (x *Context) run(c *op.Call, dst []*Tensor) (out []*Tensor, k *kernel, err error) {
	l := launches.Get().(*launch)
	defer l.release()
	spec := &l.spec
	if !x.Dry {
		at := c
		if x.sizes != nil && symbolicCall(c) {
			at = atHand(c)
		}
		spec.Reset(at)
		k = x.Kernels.find(spec.Key)
		// Kept for others too: this caller's cancellation must not be its result.
		k.once.Do(func() { k.exe, k.err = x.Kernels.compiler.Compile(context.WithoutCancel(x.ctx()), spec.Graph()) })
		if k.err != nil {
			return nil, nil, k.err
		}
	}
	if dst != nil {
		out = dst
	} else {
		out = make([]*Tensor, len(c.Out))
		for i := range c.Out {
			m := &c.Out[i]
			g := m.AtHand() // memory of its own: who keeps sizes keeps no storage
			n, err := bytesFor(&g)
			if err != nil {
				return nil, nil, err
			}
			s, err := x.alloc(m.Dev, n)
			if err != nil {
				return nil, nil, err
			}
			t := New(s, g)
			x.SetMeta(t, m)
			t.Inference = x.Inference
			out[i] = t
		}
	}
	empty := true
	for _, t := range out {
		if t.Numel() != 0 {
			empty = false
		}
	}
	if empty || c.Def.Unset || x.Dry {
		return out, k, nil
	}
	a := &l.args
	a.In, a.Out, a.Bind, a.Nums = l.in[:0], l.out[:0], spec.Bind, spec.Nums
	for _, t := range c.T {
		if t != nil {
			b, err := x.near(t.(*Tensor), c.Dev)
			if err != nil {
				return nil, nil, err
			}
			a.In = append(a.In, b)
		}
	}
	for _, t := range out {
		a.Out = append(a.Out, t.Store.Buf)
	}
	if c.Def.State {
		a.State = []tensor.Buffer{x.generatorOf(c).State}
	}
	err = k.exe.Run(x.ctx(), a)
	// Buffers return to their pool when unreachable; kernels work on their bytes.
	runtime.KeepAlive(c.T)
	runtime.KeepAlive(out)
	if err != nil {
		if x.Observer != nil {
			for _, t := range c.T {
				if t != nil {
					x.Observer.OnRead(t.(*Tensor)) // an index that is out of range, say
					break
				}
			}
		}
		return nil, nil, err
	}
	return out, k, nil
}

func (x *Context) generatorOf(c *op.Call) *tensor.Generator {
	for i := range c.Args {
		if g, ok := c.Args[i].P.(*tensor.Generator); ok && g != nil {
			return g
		}
	}
	return x.Generator(c.Dev)
}
