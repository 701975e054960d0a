package eager

import (
	"fmt"

	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Node is one step of the tape: how to get from the gradients of an op's outputs to those of its operands.
type Node struct {
	Name string // as torch names it: AddBackward0
	seq  uint64
	// next has an entry for each operand; Node nil where no gradient is wanted.
	next []Edge
	outs []outMeta

	// one of the four
	call   *op.Call  // an op: its VJP
	leaf   *Tensor   // AccumulateGrad
	inner  innerFunc // writes into views, and views whose history was rewritten (rebase.go)
	custom any       // the language's function, run by Backward's caller

	in, out   []Saved // what the VJP reads; empty entries elsewhere
	savesData bool
	freed     bool

	wraps *Node    // a node inside this one, released with it
	half  *half    // the backward half of a compiled graph (half.go)
	hands bool     // a node that hands on, before or behind a half
	fail  *failure // no node: a pass fails here
	mark  *Mark    // of the recording that saw it made

	hooks map[int][]*Hook // on outputs' gradients, by output
	post  []*Hook         // on the whole node, after it ran

	// Data is for the language (ctx of a custom function).
	Data any
}

// Edge leads to the node that gets a gradient, as that of its output Out.
type Edge struct {
	Node *Node
	Out  int
}

// outMeta is what the engine checks of an output's gradient.
type outMeta struct {
	size  []int64
	dtype tensor.DType
	dev   tensor.Device
}

func metaOf(t *Tensor) outMeta { return outMeta{t.Size, t.DType, t.Device()} }

// FullName is the name that torch's error texts use.
func (n *Node) FullName() string {
	switch n.Name {
	case "CopyBackwards", "CopySlices", "AccumulateGrad":
		return "torch::autograd::" + n.Name
	}
	return n.Name
}

// Next lists the edges (next_functions).
func (n *Node) Next() []Edge { return n.next }

// Variable is the leaf of an AccumulateGrad node, else nil.
func (n *Node) Variable() *Tensor { return n.leaf }

// Hook is a function of the language that the backward pass calls.
type Hook struct {
	Fn      any
	Name    string // for error texts
	retain  *Tensor
	removed bool
}

// Remove takes the hook away.
func (h *Hook) Remove() { h.removed = true }

// AddPostHook registers a hook that sees the gradients of the node's inputs and outputs after it ran (Node.register_hook).
func (n *Node) AddPostHook(fn any, name string) *Hook {
	h := &Hook{Fn: fn, Name: name}
	n.post = append(n.post, h)
	return h
}

func (n *Node) addHook(out int, h *Hook) {
	if n.hooks == nil {
		n.hooks = map[int][]*Hook{}
	}
	n.hooks[out] = append(n.hooks[out], h)
}

// RequiresGrad reports whether t takes part in differentiation. A view of a tensor that does always says so, as in torch, even one
// made in no_grad mode, which has no node and gets no gradient.
func (t *Tensor) RequiresGrad() bool {
	return t.tracked() || t.view != nil && t.view.base.tracked() && t.DType.IsFloat()
}

// IsLeaf reports a tensor that no node made, as far as is known: a view whose base has since joined the tape is a leaf until its GradFn is
// asked for (as in torch).
func (t *Tensor) IsLeaf() bool {
	n, err := t.node()
	return n == nil && err == nil
}

// GradFn is the node that made t and which of its outputs t is; nil for a leaf. The error is that of a view whose history cannot be told
// any more.
func (t *Tensor) GradFn() (*Node, int, error) {
	n, err := t.node()
	if n == nil {
		return nil, 0, err
	}
	return n, t.ag.out, nil
}

// node brings a view's history up to date and returns its node. A view whose storage was written to since its node was made gets a
// new one that reads from its base.
func (t *Tensor) node() (*Node, error) {
	v := t.view
	if v == nil || v.version == t.Version() || !v.base.tracked() {
		if t.ag == nil {
			return nil, nil
		}
		return t.ag.node, nil
	}
	Pin(t, v.base)
	if err := t.viewError(true); err != nil {
		return nil, err
	}
	e, err := v.base.edge()
	if err != nil {
		return nil, err
	}
	n := &Node{Name: "AsStridedBackward0", seq: v.base.lastSeq(), next: []Edge{e}, outs: []outMeta{metaOf(t)},
		inner: stridedBackward(v.base.Geometry, t.Geometry)}
	a := t.auto()
	a.node, a.out, a.requires = n, 0, false
	v.version = t.Version()
	return n, nil
}

// viewError refuses a write to a view, or (indirect) the use of one whose base was written to, if it was made in a way that leaves open
// what its history should become.
func (t *Tensor) viewError(indirect bool) error {
	v := t.view
	if v.creation == createdDefault {
		return nil
	}
	what := "is being"
	if indirect {
		what = "its base or another view of its base has been"
	}
	var made *Node
	out := 0
	if t.ag != nil && t.ag.node != nil {
		made, out = t.ag.node, t.ag.out
	}
	var msg string
	if v.creation == createdInference || v.creation == createdNoGrad || made == nil {
		msg = "A view was created in"
		if made != nil {
			msg = fmt.Sprintf("Output %d of %s is a view of a view which was created in", out, made.Name)
		}
		if v.creation == createdInference {
			msg += " inference mode and " + what + " modified inplace in normal mode."
		} else {
			msg += " no_grad mode and " + what + " modified inplace with grad mode enabled."
		}
	} else {
		msg = fmt.Sprintf("Output %d of %s is a view and %s modified inplace.", out, made.Name, what)
	}
	switch v.creation {
	case createdMulti:
		msg += " This view is the output of a function that returns multiple views. Such functions do not allow the output views to be modified inplace. " +
			"You should replace the inplace operation by an out-of-place one."
	case createdNoGrad:
		msg += " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace either " +
			"both inside the no_grad block (if you don't want the inplace to be tracked) or both outside (if you want the inplace to be tracked)."
	case createdCustom:
		msg += " This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to handle view+inplace would override " +
			"the custom backward associated with the custom Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function."
	}
	return &tensor.Error{Kind: tensor.RuntimeError, Msg: msg}
}

// lastSeq is a sequence number for a node that only follows t's: equal numbers are ordered by edges (Backward counts them).
func (t *Tensor) lastSeq() uint64 {
	if t.ag != nil && t.ag.node != nil {
		return t.ag.node.seq
	}
	return 0
}

func (t *Tensor) auto() *autograd {
	if t.ag == nil {
		t.ag = &autograd{}
	}
	return t.ag
}

// edge is where t's gradient goes.
func (t *Tensor) edge() (Edge, error) {
	n, err := t.node()
	switch {
	case err != nil:
		return Edge{}, err
	case n != nil:
		return Edge{n, t.ag.out}, nil
	case t.ag == nil || !t.ag.requires: // also a view made in no_grad mode of a tensor that requires a gradient
		return Edge{}, nil
	}
	return Edge{t.accumulator(), 0}, nil
}

const leafSeq = 1<<64 - 1

func (t *Tensor) accumulator() *Node {
	if t.auto().acc == nil {
		t.ag.acc = &Node{Name: "AccumulateGrad", seq: leafSeq, leaf: t, outs: []outMeta{metaOf(t)}}
	}
	return t.ag.acc
}

// record makes the node of a Call and hangs the outputs on it.
func (x *Context) record(c *op.Call, need []bool, out []*Tensor, k *kernel) error {
	n, err := x.newNode(c, need, out, k, nil)
	if err != nil {
		return err
	}
	n.attach(out)
	return nil
}

// attach makes n the history of its outputs.
func (n *Node) attach(out []*Tensor) {
	for i, t := range out {
		if !t.DType.IsFloat() {
			continue
		}
		a := t.auto()
		a.node, a.out, a.requires = n, i, false
		t.changed()
		if t.view != nil {
			t.view.version = t.Version()
		}
	}
}

// newNode makes a node. self is a copy of operand 0 for ops that overwrite it, taken before they do; nil otherwise.
func (x *Context) newNode(c *op.Call, need []bool, out []*Tensor, k *kernel, self *Tensor) (*Node, error) {
	return x.nodeOf(nodeName(c), c, need, out, k, self)
}

// nodeOf is newNode with a name.
func (x *Context) nodeOf(name string, c *op.Call, need []bool, out []*Tensor, k *kernel, self *Tensor) (*Node, error) {
	for _, o := range c.T {
		if t, ok := o.(*Tensor); ok && t != nil && t.Inference {
			return nil, inferenceError()
		}
	}
	n := x.bareNode(name, len(c.T), out)
	for i, o := range c.T {
		if need[i] {
			if err := n.follows(i, o.(*Tensor), need); err != nil {
				return nil, err
			}
		}
	}
	asked := *c
	asked.Need = need
	reads := x.reads(&asked, k)
	n.call = c.Bare()
	n.call.Need = need
	n.room(reads, len(c.T), len(out))
	for i, o := range c.T {
		if o == nil {
			continue
		}
		t := o.(*Tensor)
		if i == 0 && self != nil {
			t = self
		}
		if reads.in(i) {
			n.in[i].set(t, n.next[i])
			if t == self {
				n.in[i].orig = nil
			}
			n.savesData = true
		}
	}
	for i, t := range out {
		if reads.out(i) {
			n.out[i].set(t, Edge{n, i})
			n.out[i].orig = nil
			n.savesData = true
		}
	}
	n.savesData = n.savesData || c.Def.Keeps != nil && c.Def.Keeps(c)
	x.keepNode(n)
	return n, nil
}

// nodeRoom is a Node with its lists, which for most are this short.
type nodeRoom struct {
	n    Node
	next [3]Edge
	outs [1]outMeta
}

// bareNode is a node with inputs and outputs and no history.
func (x *Context) bareNode(name string, ins int, out []*Tensor) *Node {
	r := &nodeRoom{n: Node{Name: name, seq: x.nextSeq(), mark: x.Mark}}
	n := &r.n
	if ins <= len(r.next) {
		n.next = r.next[:ins:ins]
	} else {
		n.next = make([]Edge, ins)
	}
	if len(out) <= len(r.outs) {
		n.outs = r.outs[:len(out):len(out)]
	} else {
		n.outs = make([]outMeta, len(out))
	}
	for i, t := range out {
		n.outs[i] = metaOf(t)
	}
	return n
}

// follows makes t the history of input i; need says whether there is any.
func (n *Node) follows(i int, t *Tensor, need []bool) error {
	e, err := t.edge()
	if err != nil {
		return err
	}
	n.next[i] = e
	need[i] = e.Node != nil
	return nil
}

// nothing stands for what a node saves that saves nothing; nobody writes to it.
var nothing [8]Saved

// room makes the places of what a node saves.
func (n *Node) room(reads readSet, ins, outs int) {
	if reads == (readSet{}) && ins <= len(nothing) && outs <= len(nothing) {
		n.in, n.out = nothing[:ins:ins], nothing[:outs:outs]
		return
	}
	saved := make([]Saved, ins+outs)
	n.in, n.out = saved[:ins:ins], saved[ins:]
}
