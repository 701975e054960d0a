package eager

import (
	"fmt"
	"sync/atomic"

	"github.com/larkspur-ml/larkspur/tensor"
)

// The tape of tensors that one graph has made together.
//
//	y ──▶ AddmmBackward0 ─┐
//	                      ├──▶ CompiledFunctionBackward ──▶ the leaves, older tape, or the next Half
//	z ──▶ ReluBackward0  ─┘
//
// A program sees the node it would see without the graph: each tensor has one of its own, of the right name, that hands its gradient on. Tensors
// through which the gradient of others passes are the ends of those others' Half, so that hooks, retained gradients and
// autograd.grad find them on the way.

// Whole is what the halves of one run share: which of the nodes that they stand for have been released.
type Whole struct {
	freed  []*Backward // the pass that released it; several nodes of one pass may use one
	left   int
	checks []check
	drop   func()
}

// check is a saved tensor that the program can reach. It must be as it was when node, of the Whole's, was made.
type check struct {
	node int
	s    Saved
	name string
	out  int
}

// Half describes one node: for each output the name of the node it is behind and the nodes of the Whole that its gradient goes through.
type Half struct {
	Names []string
	Reach [][]int
	// Run turns gradients of outputs (nil: none has come) into those of the node's inputs (nil: none arrives). Results are memory of
	// their own.
	Run  func(x *Context, grad []*Tensor) ([]*Tensor, error)
	Mark *Mark // of the recording
}

type half struct {
	*Half
	whole *Whole
	last  []*Tensor
}

// NewWhole makes what n nodes share, of which the last is released already if spent; drop is called when the last of the others is
// released.
func NewWhole(n int, spent bool, drop func()) *Whole {
	w := &Whole{freed: make([]*Backward, n), left: n, drop: drop}
	if spent {
		w.freed[n-1] = &Backward{}
		w.left--
	}
	return w
}

// Check notes a tensor that node saved. of is the tensor whose present history names it in the error, nil if that is output out of the node called name.
func (w *Whole) Check(node int, t, of *Tensor, name string, out int) {
	c := check{node: node, name: name, out: out}
	c.s.set(t, Edge{})
	c.s.orig = of
	w.checks = append(w.checks, c)
}

// Begin takes the versions that saved tensors have now: all writes of the run have been counted.
func (w *Whole) Begin() {
	for i := range w.checks {
		w.checks[i].s.version = w.checks[i].s.ver.Version()
	}
}

// NewHalf makes a node and those of its outputs, to be given to tensors by Behind.
func (x *Context) NewHalf(w *Whole, h *Half, next []Edge) []*Node {
	n := &Node{Name: "CompiledFunctionBackward", seq: x.nextSeq(), next: next, outs: make([]outMeta, len(h.Names)), half: &half{Half: h, whole: w}, savesData: true, mark: h.Mark}
	fronts := make([]*Node, len(h.Names))
	for i, name := range h.Names {
		fronts[i] = &Node{Name: name, seq: x.nextSeq(), next: []Edge{{n, i}}, outs: make([]outMeta, 1), inner: handOn}
	}
	return fronts
}

func handOn(x *Context, n *Node, grad []*Tensor) ([]*Tensor, error) { return grad, nil }

// Behind puts t on the tape behind a node of NewHalf's.
func (t *Tensor) Behind(front *Node) {
	m := metaOf(t)
	front.outs[0] = m
	e := front.next[0]
	e.Node.outs[e.Out] = m
	a := t.auto()
	a.node, a.out, a.requires = front, 0, false
}

func (h *half) apply(x *Context, n *Node, grad []*Tensor, history bool) ([]*Tensor, error) {
	use := make([]bool, len(h.whole.freed))
	for i, g := range grad {
		if g == nil {
			continue
		}
		for _, k := range h.Reach[i] {
			if b := h.whole.freed[k]; b != nil && b != x.pass {
				return nil, freedError()
			}
			use[k] = true
		}
	}
	for i := range h.whole.checks {
		if c := &h.whole.checks[i]; use[c.node] {
			if err := c.verify(); err != nil {
				return nil, err
			}
		}
	}
	if history {
		return nil, raise(tensor.RuntimeError, "torch.compile with aot_autograd does not currently support double backward")
	}
	h.last = grad
	return h.Run(x, grad)
}

func (c *check) verify() error {
	v := c.s.ver.Version()
	if v == c.s.version {
		return nil
	}
	which := ""
	if c.s.orig == nil {
		if c.name != "" {
			which = fmt.Sprintf(", which is output %d of %s,", c.out, c.name)
		}
	} else if e, err := c.s.orig.edge(); err == nil && e.Node != nil && e.Node.leaf == nil {
		which = fmt.Sprintf(", which is output %d of %s,", e.Out, e.Node.FullName())
	}
	return c.s.versionError(which, v)
}

// release notes that what the last run went through is gone.
func (h *half) release(b *Backward) {
	for i, g := range h.last {
		if g == nil {
			continue
		}
		for _, k := range h.Reach[i] {
			if h.whole.freed[k] == nil {
				h.whole.freed[k] = b
				h.whole.left--
			}
		}
	}
	h.last = nil
	if h.whole.left == 0 && h.whole.drop != nil {
		b.after = append(b.after, h.whole.drop) // lower nodes may run yet
		h.whole.drop = nil
	}
}

// Mark tells a recorder whether a backward pass that is itself recorded (create_graph) has gone through nodes made meanwhile.
type Mark struct{ Twice atomic.Bool }

// Reach is what lies behind an edge of the tape, as far as it is followed.
type Reach struct {
	Ends  []Edge
	Saves []*Node // nodes that keep tensors
	// Released: a node has given up what it kept; a pass fails there, if it comes there on its way to what it is to find.
	Released bool
}

// ReachOf walks the tape behind e. It does not pass edges that cut holds for, e itself excepted. why is not empty where a pass would need the language
// or would fail.
func ReachOf(e Edge, cut func(Edge) bool) (r Reach, why string) {
	seen, ends := map[*Node]bool{e.Node: true}, map[Edge]bool{}
	stack := []*Node{e.Node}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case len(n.hooks) > 0 || len(n.post) > 0:
			return r, n.Name + " has hooks"
		case n.custom != nil:
			return r, n.Name + " is the language's"
		case n.freed || n.wraps != nil && n.wraps.freed:
			r.Released = true
		case n.half != nil:
			return r, n.Name + " is a graph's"
		}
		if n.wraps != nil && n.wraps.savesData {
			r.Saves = append(r.Saves, n.wraps)
		} else if n.savesData {
			r.Saves = append(r.Saves, n)
		}
		for _, f := range n.next {
			switch {
			case f.Node == nil:
			case cut(f):
				if !ends[f] {
					ends[f] = true
					r.Ends = append(r.Ends, f)
				}
			case !seen[f.Node]:
				seen[f.Node] = true
				stack = append(stack, f.Node)
			}
		}
	}
	return r, ""
}

// Newer reports a node made after sequence number seq.
func (n *Node) Newer(seq uint64) bool { return n.leaf == nil && n.seq > seq }

// Edge is where t's gradient goes.
func (t *Tensor) Edge() (Edge, error) { return t.edge() }

// EachSaved calls f with what a node keeps: the window, the tensor that was saved (nil: output out of the node itself), and whether
// it is still as it was.
func (n *Node) EachSaved(f func(w *tensor.Tensor, of *Tensor, e Edge, same bool)) {
	for _, l := range [2][]Saved{n.in, n.out} {
		for k := range l {
			if s := &l[k]; s.ver != nil {
				f(&s.ver.Tensor, s.orig, s.edge, s.ver.Version() == s.version)
			}
		}
	}
}

// Pull runs the tape from roots to ends, which it does not pass, and returns the gradients that arrive there, nil where none does. Nothing is
// released or stored.
func (x *Context) Pull(roots []Edge, grads []*Tensor, ends []Edge) ([]*Tensor, error) {
	b := &Backward{x: x, opt: BackwardOptions{Keep: true}, deps: map[*Node]int{}, bufs: map[*Node][]pending{}, ends: map[Edge]int{}}
	b.results = make([]*Tensor, len(ends))
	for i, e := range ends {
		b.ends[e] = i
	}
	for i, e := range roots {
		if err := b.add(e, pending{grads[i], false}); err != nil {
			return nil, err
		}
	}
	b.count(roots)
	need, _, err := b.Step()
	if need != nil {
		return nil, raise(tensor.RuntimeError, "%s needs the language", need.Node.Name)
	}
	return b.results, err
}

// arrive adds a gradient to an end's.
func (b *Backward) arrive(i int, r *Tensor) error {
	if b.results[i] == nil {
		b.results[i] = r
		return nil
	}
	s, err := b.x.Op("add", b.results[i], r)
	b.results[i] = s
	return err
}

// Fresh is a new row-major tensor that can hold the gradient that goes to e.
func (e Edge) Fresh(x *Context) (*Tensor, error) {
	m := &e.Node.outs[e.Out]
	return x.Empty(m.dev, tensor.Geometry{DType: m.dtype, Size: m.size, Stride: tensor.Strides(m.size)})
}

// Window is another window on t's memory, with t's counter of writes.
func (t *Tensor) Window(g tensor.Geometry) *Tensor {
	return &Tensor{Tensor: tensor.Tensor{Store: t.Store, Geometry: g}, ver: t.ver}
}

// Own reports a handle with a count of writes of its own (.data).
func (t *Tensor) Own() bool { return t.ver != nil }

// Stale reports a view whose memory has been written to since its history was made.
func (t *Tensor) Stale() bool { return t.view != nil && t.view.version != t.Version() }

// Outdate makes a view stale.
func (t *Tensor) Outdate() {
	if t.view != nil {
		t.view.version = t.Version() - 1
	}
}

// Hangs is the place on the tape that t has been given, which for a stale view is
// not the one that it will have when it is next used. Unlike Edge it changes nothing.
func (t *Tensor) Hangs() Edge {
	if t.ag == nil {
		return Edge{}
	}
	return Edge{t.ag.node, t.ag.out}
}

// Refresh makes the history of a view, as it is, that of its memory as it is.
func (t *Tensor) Refresh() {
	if t.view != nil {
		t.view.version = t.Version()
	}
}
