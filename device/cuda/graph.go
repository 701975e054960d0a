package cuda

import (
	"runtime"
	"unsafe"

	"github.com/larkspur-ml/larkspur/device"
	"github.com/larkspur-ml/larkspur/tensor"
)

// A batch is a run of launches and copies that are handed over together. One that
// comes again, the same kernels in the same order, is made a CUDA graph: a launch of
// the whole costs about as much as that of one kernel. Arguments and sizes may differ
// from run to run; those that do are set in the graph before it is launched, so that
// every run works on its caller's memory and outputs are never written again.
//
//	End ──one command──▶ like an earlier run? ──no──▶ each by itself
//	                        │ yes, twice           ──▶ build a graph of it
//	                        └ there is its graph   ──▶ set what differs, launch

// batchGraphs is how many graphs a batch keeps: runs of different sizes may take
// different ways through the same steps.
const batchGraphs = 4

// work is one piece of a batch: a launch, or a copy of n bytes (fn is nil).
type work struct {
	fn       *function
	x, y     int
	thr      int
	args     []uint64
	dst, src uintptr
	n        int
}

// like: the same piece with other arguments.
func (w *work) like(o *work) bool { return w.fn == o.fn && len(w.args) == len(o.args) }

// same: nothing differs.
func (w *work) same(o *work) bool {
	if w.x != o.x || w.y != o.y || w.thr != o.thr || w.dst != o.dst || w.src != o.src || w.n != o.n {
		return false
	}
	for i, a := range w.args {
		if o.args[i] != a {
			return false
		}
	}
	return true
}

// batch implements device.Batch. What is gathered belongs to the caller; graphs
// belong to the goroutine of the context.
type batch struct {
	g     *GPU
	todo  []work
	words []uint64 // of all arguments
	made  *graphs
}

// graphs are a batch's; it is an object of its own so that they can be given back
// when the batch is gone.
type graphs struct {
	list []*replay // latest use first
}

// replay is a sequence that has come, and its graph if it came often enough.
type replay struct {
	last  []work
	seen  int
	exec  uintptr
	nodes []uintptr
	lost  bool // the driver would not make it
}

// replayAfter is how often a sequence comes before a graph is made of it.
const replayAfter = 2

// NewBatch implements device.GPU.
func (g *GPU) NewBatch() device.Batch {
	b := &batch{g: g, made: &graphs{}}
	runtime.AddCleanup(b, func(m *graphs) {
		g.q.put(command{run: func() {
			for _, r := range m.list {
				r.destroy(g)
			}
		}})
	}, b.made)
	return b
}

func (b *batch) Begin() { b.todo, b.words = nil, nil }

func (b *batch) Launch(code any, x, y, threads int, args []uint64) error {
	n := len(b.words)
	b.words = append(b.words, args...)
	b.todo = append(b.todo, work{fn: code.(*function), x: x, y: y, thr: threads, args: b.words[n:len(b.words):len(b.words)]})
	return nil
}

func (b *batch) Work(n int) (uint64, error) { return b.g.Work(n) }

func (b *batch) Copy(dst, src tensor.Buffer, n int) error {
	if n > 0 {
		at := func(t tensor.Buffer) uintptr { return uintptr(t.(tensor.Addressed).Addr()) }
		b.todo = append(b.todo, work{dst: at(dst), src: at(src), n: n})
	}
	return nil
}

func (b *batch) Read(dst []byte, addr uint64) error {
	b.flush()
	return b.g.Read(dst, addr)
}

func (b *batch) Write(addr uint64, src []byte) error {
	b.flush()
	return b.g.Write(addr, src)
}

// flush queues what was gathered, each by itself.
func (b *batch) flush() {
	todo, s := b.todo, b.g.now()
	b.Begin()
	if len(todo) > 0 {
		b.g.q.put(command{run: func() { b.g.singly(todo, s) }})
	}
}

// End implements device.Batch.
func (b *batch) End() error {
	todo, s, g, m := b.todo, b.g.now(), b.g, b.made
	b.Begin()
	switch {
	case len(todo) == 0:
	case len(todo) < replayLength || g.d.graph.GraphLaunch == 0:
		g.q.put(command{run: func() { g.singly(todo, s) }})
	default:
		g.q.put(command{run: func() { m.run(g, todo, s) }})
	}
	return nil
}

// replayLength is the shortest sequence worth a graph.
const replayLength = 3

// singly launches a sequence piece by piece.
func (g *GPU) singly(l []work, s *stream) {
	for i := range l {
		w := &l[i]
		if w.fn != nil {
			g.launch(w.fn, w.x, w.y, w.thr, w.args, s.h)
		} else {
			g.copyOn(w.dst, w.src, w.n, s)
		}
	}
}

// run launches a sequence by its graph, if there is one or it is worth one.
func (m *graphs) run(g *GPU, l []work, s *stream) {
	if g.failed != nil || g.late != nil {
		return
	}
	r := m.find(l)
	if r == nil {
		if len(m.list) == batchGraphs {
			m.list[batchGraphs-1].destroy(g)
			m.list = m.list[:batchGraphs-1]
		}
		r = &replay{}
		m.list = append([]*replay{r}, m.list...)
	}
	r.seen++
	if r.seen > replayAfter && r.exec == 0 && !r.lost {
		if r.build(g, l) != nil {
			r.destroy(g)
			r.lost = true // what is wrong with the sequence comes out when it is launched
		}
	}
	if r.exec == 0 {
		r.last = l
		g.singly(l, s)
		return
	}
	if err := r.set(g, l); err != nil {
		r.destroy(g)
		r.lost = true
		r.last = l
		g.singly(l, s)
		return
	}
	if err := g.d.call("cuGraphLaunch", g.d.graph.GraphLaunch, r.exec, s.h); err != nil {
		g.late = g.fatal(err)
		return
	}
	g.replays.Add(1)
}

// find is the sequence's replay, moved to the front.
func (m *graphs) find(l []work) *replay {
next:
	for i, r := range m.list {
		if len(r.last) != len(l) {
			continue
		}
		for k := range l {
			if !l[k].like(&r.last[k]) {
				continue next
			}
		}
		copy(m.list[1:i+1], m.list[:i])
		m.list[0] = r
		return r
	}
	return nil
}

// kernelNode is CUDA_KERNEL_NODE_PARAMS with the room of its second version.
type kernelNode struct {
	fn      uintptr
	x, y, z uint32
	bx, by  uint32
	bz      uint32
	shared  uint32
	_       uint32
	_       uintptr // parameters one by one
	extra   uintptr
	_       [2]uintptr
}

// copyNode is CUDA_MEMCPY3D.
type copyNode struct {
	_      [4]uintptr // x, y, z, level
	srcMem uintptr    // kind of memory
	from   [2]uintptr // on the host, on the device
	_      [4]uintptr
	_      [4]uintptr
	dstMem uintptr
	to     [2]uintptr
	_      [4]uintptr
	width  uintptr
	height uintptr
	depth  uintptr
}

const onDevice = 2 // CU_MEMORYTYPE_DEVICE

func (w *work) copyNode() *copyNode {
	return &copyNode{srcMem: onDevice, dstMem: onDevice, from: [2]uintptr{1: w.src}, to: [2]uintptr{1: w.dst}, width: uintptr(w.n), height: 1, depth: 1}
}

// kernel fills a node's parameters for f, which must not keep them.
func (w *work) kernel(pack *packed, f func(p *kernelNode) error) error {
	p := &kernelNode{fn: w.fn.h, shared: uint32(w.fn.shared), x: uint32(w.x), y: uint32(w.y), z: 1, bx: uint32(w.thr), by: 1, bz: 1, extra: pack.of(w.args)}
	err := f(p)
	runtime.KeepAlive(w.args)
	runtime.KeepAlive(p)
	return err
}

// build makes the graph: a chain, since each piece may read what the one before wrote.
func (r *replay) build(g *GPU, l []work) error {
	d, a := g.d, &g.d.graph
	h := new(uintptr)
	if err := d.call("cuGraphCreate", a.GraphCreate, ptr(h), 0); err != nil {
		return err
	}
	defer d.call("cuGraphDestroy", a.GraphDestroy, *h)
	r.nodes = make([]uintptr, len(l))
	for i := range l {
		w, n, before, deps := &l[i], new(uintptr), new(uintptr), uintptr(0)
		if i > 0 {
			*before, deps = r.nodes[i-1], 1
		}
		var err error
		if w.fn != nil {
			err = w.kernel(g.pack, func(p *kernelNode) error {
				return d.call("cuGraphAddKernelNode", a.GraphAddKernelNode, ptr(n), *h, ptr(before), deps, ptr(p))
			})
		} else {
			c := w.copyNode()
			err = d.call("cuGraphAddMemcpyNode", a.GraphAddMemcpyNode, ptr(n), *h, ptr(before), deps, ptr(c), g.ctx)
			runtime.KeepAlive(c)
		}
		runtime.KeepAlive(before)
		if err != nil {
			return err
		}
		r.nodes[i] = *n
	}
	x := new(uintptr)
	if err := d.call("cuGraphInstantiateWithFlags", a.GraphInstantiate, ptr(x), *h, 0); err != nil {
		return err
	}
	r.exec, r.last = *x, l
	return nil
}

// set gives the graph the arguments of a run, where they differ from the last one's.
func (r *replay) set(g *GPU, l []work) error {
	d, a := g.d, &g.d.graph
	for i := range l {
		w := &l[i]
		if w.same(&r.last[i]) {
			continue
		}
		var err error
		if w.fn != nil {
			err = w.kernel(g.pack, func(p *kernelNode) error {
				return d.call("cuGraphExecKernelNodeSetParams", a.GraphExecKernelNodeSetParams, r.exec, r.nodes[i], ptr(p))
			})
		} else {
			c := w.copyNode()
			err = d.call("cuGraphExecMemcpyNodeSetParams", a.GraphExecMemcpyNodeSetParams, r.exec, r.nodes[i], ptr(c), g.ctx)
			runtime.KeepAlive(c)
		}
		if err != nil {
			return err
		}
	}
	r.last = l
	return nil
}

// destroy gives the graph back; one that is running ends first.
func (r *replay) destroy(g *GPU) {
	if r.exec != 0 {
		g.d.call("cuGraphExecDestroy", g.d.graph.GraphExecDestroy, r.exec)
	}
	r.exec, r.nodes = 0, nil
}

// Replays is how many graphs were launched so far.
func (g *GPU) Replays() int64 { return g.replays.Load() }

var _ [200]byte = [unsafe.Sizeof(copyNode{})]byte{}
var _ [72]byte = [unsafe.Sizeof(kernelNode{})]byte{}
