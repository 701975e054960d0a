package eager

import (
	"container/heap"

	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// BackwardOptions are the arguments of backward() and grad().
type BackwardOptions struct {
	Keep   bool // retain_graph: nodes keep what they saved
	Create bool // create_graph: the pass itself is recorded
	// Inputs restricts the pass to these tensors. With Collect their gradients are returned by Grads and stored nowhere (autograd.grad);
	// without, they are added to .grad.
	Inputs      []*Tensor
	Collect     bool
	AllowUnused bool
}

// Backward is a backward pass in progress. It never calls the language: where a hook or a custom function has to run, Step
// returns a Need, whose caller runs it and gives the result to Answer before the next Step.
type Backward struct {
	x   *Context
	opt BackwardOptions

	deps    map[*Node]int
	bufs    map[*Node][]pending
	ready   nodeHeap
	needed  map[*Node]bool // nil: all
	capture map[Edge][]int // for Collect: where a gradient goes in results
	ends    map[Edge]int   // edges that are not passed: where their gradients go in results
	results []*Tensor
	halves  map[*Node][]bool  // those that the pass may come to, and by which outputs
	at      uint64            // the latest turn
	ended   []func(at uint64) // once the pass is done (0) or has failed at a turn
	err     error

	// the node at work
	cur    *Node
	phase  phase
	grads  []pending
	res    []*Tensor
	ran    bool
	hookAt int // into queue
	queue  []queuedHook
}

// pending is a gradient on its way. owned: nothing else can reach its storage.
type pending struct {
	t     *Tensor
	owned bool
}

type queuedHook struct {
	h   *Hook
	out int
}

type phase uint8

const (
	phaseNext phase = iota
	phaseHooks
	phaseHookAnswer
	phaseRun
	phaseCustomAnswer
	phasePost
	phasePostAnswer
	phaseSpread
)

// NeedKind says what the caller of Step has to run.
type NeedKind uint8

const (
	NeedTensorHook NeedKind = iota // Fn(Grads[0]): answer one gradient, nil to leave it
	NeedCustom                     // Fn(*Grads): answer a gradient for each of Node's inputs
	NeedNodeHook                   // Fn(Inputs, Grads): answer replacements of Inputs, nil to leave them
)

// Need is language code that a backward pass waits for.
type Need struct {
	Kind   NeedKind
	Fn     any
	Node   *Node
	Grads  []*Tensor // of the node's outputs (the hook's tensor)
	Inputs []*Tensor // NeedNodeHook: of the node's inputs
	// GradMode is the mode in which Fn has to run.
	GradMode bool
}

// NewBackward starts a pass from roots. grads has a gradient for each root; nil stands for 1 where the root has one element.
func (x *Context) NewBackward(roots, grads []*Tensor, opt BackwardOptions) (*Backward, error) {
	b := &Backward{x: x, opt: opt, deps: map[*Node]int{}, bufs: map[*Node][]pending{}}
	if opt.Create {
		b.opt.Keep = true
	}
	var start []Edge
	for i, r := range roots {
		e, err := r.edge()
		if err != nil {
			return nil, err
		}
		if e.Node == nil {
			return nil, raise(tensor.RuntimeError, "element %d of tensors does not require grad and does not have a grad_fn", i)
		}
		var g pending
		if i < len(grads) && grads[i] != nil {
			g.t = grads[i]
			if !x.sameSize(g.t, r) {
				return nil, raise(tensor.RuntimeError, "Mismatch in shape: grad_output[%d] has a shape of torch.Size(%s) and output[%d] has a shape of torch.Size(%s).",
					i, sizeText(g.t.Size), i, sizeText(r.Size))
			}
		} else {
			if !r.Meta().Numel().Eq(op.C(1)) {
				return nil, raise(tensor.RuntimeError, "grad can be implicitly created only for scalar outputs")
			}
			err := x.noGrad(func() (err error) {
				g.t, err = x.Op("full", r.Meta().Size, 1.0, op.KW{Name: "dtype", V: r.DType}, op.KW{Name: "device", V: r.Device()})
				return err
			})
			if err != nil {
				return nil, err
			}
			g.owned = true
		}
		start = append(start, e)
		if err := b.add(e, g); err != nil {
			return nil, err
		}
	}
	if err := b.choose(); err != nil {
		return nil, err
	}
	b.count(start)
	if x.Observer != nil {
		x.Observer.OnBackward(b)
	}
	return b, nil
}

// choose notes the inputs that the pass is for.
func (b *Backward) choose() error {
	if b.opt.Inputs == nil {
		return nil
	}
	if len(b.opt.Inputs) == 0 {
		if b.opt.Collect {
			return raise(tensor.ValueError, "grad requires non-empty inputs.")
		}
		return raise(tensor.RuntimeError, "'inputs' argument to backward cannot be empty.")
	}
	b.needed = map[*Node]bool{}
	b.capture = map[Edge][]int{}
	b.results = make([]*Tensor, len(b.opt.Inputs))
	for i, t := range b.opt.Inputs {
		e, err := t.edge()
		if err != nil {
			return err
		}
		if e.Node == nil {
			return raise(tensor.RuntimeError, "One of the differentiated Tensors does not require grad")
		}
		if b.opt.Collect {
			b.capture[e] = append(b.capture[e], i)
		} else if !t.IsLeaf() {
			if err := t.RetainGrad(); err != nil {
				return err
			}
		}
		b.needed[e.Node] = true
	}
	return nil
}

// count finds how many edges lead to each node from nodes that will run, which of them are needed, and the first ready ones. It walks with a
// stack of its own: tapes are deep.
func (b *Backward) count(start []Edge) {
	type frame struct {
		n    *Node
		next []Edge
		half *Node // the one that n leads to
	}
	seen := map[*Node]bool{}
	var stack []frame
	push := func(n *Node) {
		seen[n] = true
		f := frame{n: n, next: n.next}
		if n.hands && n.next[0].Node.half != nil { // what lies behind this output only
			f.half = n.next[0].Node
			f.next = b.meets(f.half, n.next[0].Out)
			b.deps[f.half]++
		}
		for _, m := range [2]*Node{n, f.half} {
			if b.opt.Create && m != nil && m.mark != nil {
				m.mark.Twice.Store(true)
			}
		}
		stack = append(stack, f)
	}
	for _, e := range start {
		if seen[e.Node] {
			continue
		}
		push(e.Node)
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if len(f.next) > 0 {
				e := f.next[0]
				m := e.Node
				f.next = f.next[1:]
				if m == nil {
					continue
				}
				if _, ok := b.ends[e]; ok {
					continue
				}
				if f.half == nil || !seen[m] {
					b.deps[m]++
				}
				if !seen[m] {
					push(m)
				}
				continue
			}
			if b.needed != nil {
				next := f.n.next
				if f.half != nil {
					next = f.half.half.behind(f.half, f.n.next[0].Out)
				}
				for _, e := range next {
					if e.Node != nil && b.needed[e.Node] {
						b.needed[f.n] = true
						if f.half != nil {
							b.needed[f.half] = true
						}
					}
				}
			}
			stack = stack[:len(stack)-1]
		}
	}
	pushed := map[*Node]bool{}
	for _, e := range start {
		if b.deps[e.Node] == 0 && !pushed[e.Node] {
			pushed[e.Node] = true
			b.push(e.Node)
		}
	}
	b.foresee()
}

func (b *Backward) push(n *Node) { heap.Push(&b.ready, n) }

// add accumulates a gradient for a node's output.
func (b *Backward) add(e Edge, g pending) error {
	buf := b.bufs[e.Node]
	if buf == nil {
		buf = make([]pending, len(e.Node.outs))
		b.bufs[e.Node] = buf
	}
	p := &buf[e.Out]
	if p.t == nil {
		*p = g
		return nil
	}
	sum, err := b.x.Op("add", p.t, g.t)
	if err != nil {
		return err
	}
	b.free(*p)
	if g.t != p.t {
		b.free(g)
	}
	*p = pending{sum, true}
	return nil
}

// free gives a gradient's memory back as soon as it has been used, so that a pass works in few, warm buffers. Only an owned one is: no program,
// tape or recorder can reach it.
func (b *Backward) free(g pending) {
	if !g.owned || b.opt.Create || b.x.Dry {
		return
	}
	if a, err := b.x.Alloc(g.t.Device()); err == nil {
		a.Free(g.t.Store.Buf)
	}
}

// Grads are the gradients that Collect asked for, once the pass is done; nil where an input was not reached.
func (b *Backward) Grads() ([]*Tensor, error) {
	if b.err != nil {
		return nil, b.err
	}
	for _, t := range b.results {
		if t == nil && !b.opt.AllowUnused {
			return nil, raise(tensor.RuntimeError, "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.")
		}
	}
	return b.results, nil
}

// Run finishes a pass that needs no language code; it is an error of the caller if one does.
func (b *Backward) Run() error {
	need, _, err := b.Step()
	if need != nil {
		panic("BUG: a hook in a pass that was to have none")
	}
	return err
}

// nodeHeap yields the node with the greatest sequence number.
type nodeHeap []*Node

func (h nodeHeap) Len() int           { return len(h) }
func (h nodeHeap) Less(i, j int) bool { return h[i].seq > h[j].seq }
func (h nodeHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *nodeHeap) Push(v any)        { *h = append(*h, v.(*Node)) }
func (h *nodeHeap) Pop() any {
	o := *h
	n := o[len(o)-1]
	o[len(o)-1] = nil
	*h = o[:len(o)-1]
	return n
}
