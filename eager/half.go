package eager

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/larkspur-ml/larkspur/tensor"
)

// The tape of tensors that one graph has made together.
//
//	y ──▶ AddmmBackward0 ─┐                            ┌─ tail ──▶ a leaf, older tape
//	                      ├──▶ CompiledFunctionBackward ─┼─ tail ──▶ …
//	z ──▶ ReluBackward0  ─┘                            └─ tail ──▶ the front of another Half
//
// A program sees the node it would see without the graph: each tensor has one of its own, of the right name, that hands its gradient on. Tensors
// through which the gradient of others passes are the ends of those others' Half, so that hooks, retained gradients and
// autograd.grad find them on the way.
//
// A Half computes all at once what the nodes it stands for would do one after the other. What shows of that order is kept: a Whole has
// a sequence number for each of its nodes, with which its fronts (where hooks run) and its tails (where gradients arrive) wait for
// their turn, and at which a pass fails that meets what has been released or written to. What would have been done by then has been
// done, and what would not has not.

// Whole is what the halves of one run share: which of the nodes that they stand for have been released.
type Whole struct {
	freed  []*Backward // by node that saves: the pass that released it, once that has come to its turn
	checks [][]check   // by node that saves
	left   int
	drop   func()
	base   uint64 // sequence number before those of its nodes
	top    uint64 // and behind them
}

// check is a saved tensor. It must be as it was when its node was made.
type check struct {
	s     Saved
	name  string
	out   int
	since uint32 // writes that had been made by the time that the Whole was
}

// Half describes one node that stands for others.
type Half struct {
	Names []string // of the nodes that the outputs are behind
	Reach *Reach
	Level int   // gradients flow from higher to lower ones
	Mark  *Mark // of the recording

	mu    sync.Mutex
	paths map[string]*path
	ends  [][]int // by output: those that its gradient goes to
}

// A Runner turns gradients of a Half's outputs (nil: none has come) into those of its ends that want holds for (nil: none arrives).
// Results are memory of their own.
type Runner func(x *Context, grad []*Tensor, want []bool) ([]*Tensor, error)

type half struct {
	*Half
	whole *Whole
	run   Runner
}

// path is what of a Half a pass goes through.
type path struct {
	nodes []int // of Reach, that save, in the order in which they run
	last  []int // by end: the rank of the last node that hands it something, -1 if none does
}

// NewWhole makes what the halves of a run share, for nodes that save and for all ranks. drop is called when the last is released.
func (x *Context) NewWhole(saves, ranks int, drop func()) *Whole {
	w := &Whole{freed: make([]*Backward, saves), checks: make([][]check, saves), left: saves, drop: drop, base: x.seq}
	x.seq += 3*uint64(ranks) + 1
	w.top = x.seq
	return w
}

// Spent notes that a node had been released when the Whole was made.
func (w *Whole) Spent(node int) {
	w.freed[node] = &Backward{}
	w.left--
}

// Check notes a tensor that node saved, since so many writes. of is the tensor whose present history names it in the error, nil if that is output out of the node called name.
func (w *Whole) Check(node int, t, of *Tensor, name string, out int, since uint32) {
	c := check{name: name, out: out, since: since}
	c.s.set(t, Edge{})
	c.s.orig = of
	w.checks[node] = append(w.checks[node], c)
}

// Begin takes the versions that saved tensors have now: all writes of the run have been counted.
func (w *Whole) Begin() {
	for _, l := range w.checks {
		for i := range l {
			l[i].s.version = l[i].s.ver.Version() - l[i].since
		}
	}
}

// gone reports a node that another pass has released: one that is over, or one that has come so far and waits for a hook, or was left when
// that raised.
func (w *Whole) gone(n *Bone, b *Backward) bool {
	by := w.freed[n.Saves]
	return by != nil && by != b && w.after(n.Rank) >= by.at
}

// before, failing and after are the turns of what happens just before the node of a rank runs, when it fails, and just after it has run.
func (w *Whole) before(rank int) uint64  { return w.base + 3*uint64(rank) + 3 }
func (w *Whole) failing(rank int) uint64 { return w.base + 3*uint64(rank) + 2 }
func (w *Whole) after(rank int) uint64   { return w.base + 3*uint64(rank) + 1 }

// NewHalf makes a node and those of its outputs, to be given to tensors by Behind.
func (x *Context) NewHalf(w *Whole, h *Half, run Runner, next []Edge) []*Node {
	n := &Node{Name: "CompiledFunctionBackward", seq: w.top, next: make([]Edge, len(next)), outs: make([]outMeta, len(h.Names)), half: &half{Half: h, whole: w, run: run}, savesData: true, mark: h.Mark}
	for i, e := range next {
		n.next[i].Node = &Node{Name: n.Name, seq: w.top, next: []Edge{e}, outs: make([]outMeta, 1), inner: handOn, hands: true}
	}
	fronts := make([]*Node, len(h.Names))
	for i, name := range h.Names {
		at := w.before(h.Reach.Nodes[h.Reach.Roots[i]].Rank)
		fronts[i] = &Node{Name: name, seq: at, next: []Edge{{n, i}}, outs: make([]outMeta, 1), inner: handOn, hands: true}
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

// path finds what a pass goes through to which gradients come, and which wants those of some ends.
func (h *Half) path(come, want []bool) *path {
	key := make([]byte, 0, 64)
	for _, l := range [2][]bool{come, want} {
		for _, b := range l {
			key = append(key, '0')
			if b {
				key[len(key)-1] = '1'
			}
		}
		key = append(key, '/')
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.paths[string(key)]
	if p == nil {
		if h.paths == nil {
			h.paths = map[string]*path{}
		}
		p = h.Reach.path(come, want)
		h.paths[string(key)] = p
	}
	return p
}

func (r *Reach) path(come, want []bool) *path {
	p := &path{last: make([]int, len(r.Ends))}
	for i := range p.last {
		p.last[i] = -1
	}
	used := make([]bool, len(r.Nodes))
	leads := r.leads(want)
	var stack []int
	visit := func(i int) {
		if leads[i] && !used[i] {
			used[i] = true
			stack = append(stack, i)
		}
	}
	for i, c := range come {
		if c {
			visit(r.Roots[i])
		}
	}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := &r.Nodes[i]
		if n.Saves >= 0 {
			p.nodes = append(p.nodes, i)
		}
		for _, j := range n.Next {
			if j >= 0 {
				visit(j)
			} else if e := ^j; p.last[e] < 0 || n.Rank < p.last[e] {
				p.last[e] = n.Rank
			}
		}
	}
	slices.SortFunc(p.nodes, func(a, b int) int { return r.Nodes[b].Rank - r.Nodes[a].Rank })
	return p
}

// leads tells of each node whether it leads to an end that is wanted.
func (r *Reach) leads(want []bool) []bool {
	leads := make([]bool, len(r.Nodes))
	for changed := true; changed; { // nodes come before what they lead to, but for a few
		changed = false
		for i := len(r.Nodes) - 1; i >= 0; i-- {
			if leads[i] {
				continue
			}
			for _, j := range r.Nodes[i].Next {
				if j >= 0 && leads[j] || j < 0 && want[^j] {
					leads[i], changed = true, true
					break
				}
			}
		}
	}
	return leads
}

// behind are the edges that the gradient of one output goes to.
func (h *half) behind(n *Node, out int) []Edge {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ends == nil {
		h.ends = make([][]int, len(h.Reach.Roots))
		all := make([]bool, len(h.Reach.Ends))
		for i := range all {
			all[i] = true
		}
		for out := range h.ends {
			come := make([]bool, len(h.Reach.Roots))
			come[out] = true
			for i, last := range h.Reach.path(come, all).last {
				if last >= 0 {
					h.ends[out] = append(h.ends[out], i)
				}
			}
		}
	}
	var l []Edge
	for _, i := range h.ends[out] {
		l = append(l, n.next[i])
	}
	return l
}

// meets notes that a pass may come to an output of a half, and returns the edges behind it.
func (b *Backward) meets(n *Node, out int) []Edge {
	if b.halves[n] == nil {
		if b.halves == nil {
			b.halves = map[*Node][]bool{}
		}
		b.halves[n] = make([]bool, len(n.outs))
	}
	b.halves[n][out] = true
	return n.half.behind(n, out)
}

// Lasting reports an end that some output comes to through no node that saves anything: no pass releases that way.
func (r *Reach) Lasting() bool {
	seen := make([]bool, len(r.Nodes))
	stack := slices.Clone(r.Roots)
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[i] || r.Nodes[i].Saves >= 0 {
			continue
		}
		seen[i] = true
		for _, j := range r.Nodes[i].Next {
			if j < 0 {
				return true
			}
			stack = append(stack, j)
		}
	}
	return false
}

// wants are the ends that a pass wants.
func (b *Backward) wants(n *Node) []bool {
	want := make([]bool, len(n.next))
	for i, e := range n.next {
		want[i] = b.needed == nil || b.needed[e.Node]
	}
	return want
}

// fails finds the first node at which a pass fails: its rank, -1 if there is none.
func (h *half) fails(p *path, b *Backward) (int, error) {
	for _, i := range p.nodes {
		n := &h.Reach.Nodes[i]
		if h.whole.gone(n, b) {
			return n.Rank, freedError()
		}
		for k := range h.whole.checks[n.Saves] {
			if err := h.whole.checks[n.Saves][k].verify(); err != nil {
				return n.Rank, err
			}
		}
	}
	return -1, nil
}

func (h *half) apply(x *Context, n *Node, grad []*Tensor, history bool) ([]*Tensor, error) {
	b := x.pass
	come := make([]bool, len(grad))
	for i, g := range grad {
		come[i] = g != nil
	}
	want := b.wants(n)
	p := h.path(come, want)
	rank, fault := h.fails(p, b)
	if history {
		if fault == nil {
			fault = raise(tensor.RuntimeError, "torch.compile with aot_autograd does not currently support double backward")
		}
		return nil, fault
	}
	last := h.path(b.halves[n], want).last // of all that the pass comes to
	for i, e := range n.next {
		end := e.Node.next[0]
		e.Node.outs[0] = end.Node.outs[end.Out]
		e.Node.seq = h.whole.top
		if last[i] >= 0 {
			e.Node.seq = h.whole.after(last[i])
		}
		want[i] = want[i] && last[i] > rank
	}
	res := make([]*Tensor, len(n.next))
	if slices.Contains(want, true) {
		var err error
		if res, err = h.run(x, grad, want); err != nil {
			return nil, err
		}
	}
	if !b.opt.Keep {
		for _, i := range p.nodes {
			if n := &h.Reach.Nodes[i]; !h.whole.gone(n, b) {
				h.whole.freed[n.Saves] = b
			}
		}
		b.ended = append(b.ended, func(at uint64) { h.release(b, p, at) })
	}
	if fault != nil {
		b.failAt(h.whole.failing(rank), nil, fault)
	}
	return res, nil
}

// release notes that what the pass went through before turn at is gone, and nothing else.
func (h *half) release(b *Backward, p *path, at uint64) {
	w := h.whole
	for _, i := range p.nodes {
		n := &h.Reach.Nodes[i]
		switch {
		case w.freed[n.Saves] != b:
		case w.after(n.Rank) < at:
			w.freed[n.Saves] = nil
		default:
			w.freed[n.Saves] = &Backward{} // b holds its gradients
			w.left--
		}
	}
	if w.left == 0 && w.drop != nil {
		w.drop()
		w.drop = nil
	}
}

// A failure waits in a pass for the turn of the node that fails.
type failure struct {
	half *Node // of which a node may fail, if its gradient comes; nil: err
	err  error
}

func (b *Backward) failAt(seq uint64, half *Node, err error) {
	b.push(&Node{seq: seq, fail: &failure{half, err}})
}

// foresee finds where the halves that the pass comes to would fail, before they have all of their gradients.
func (b *Backward) foresee() {
	for n, come := range b.halves {
		p := n.half.path(come, b.wants(n))
		if rank, err := n.half.fails(p, b); err != nil {
			b.failAt(n.half.whole.failing(rank), n, nil)
		}
	}
}

// due is the turn of a failure.
func (b *Backward) due(seq uint64, f *failure) error {
	if n := f.half; n != nil {
		grads := b.bufs[n]
		if grads == nil {
			return nil // it has run, and knows better, or nothing came
		}
		come := make([]bool, len(grads))
		for i := range grads {
			come[i] = grads[i].t != nil
		}
		rank, err := n.half.fails(n.half.path(come, b.wants(n)), b)
		if err == nil || n.half.whole.failing(rank) != seq {
			return nil
		}
		f = &failure{err: err}
	}
	// What has come so far goes on to where it would have come by now: from the last level of the latest run on.
	var next *Node
	for n := range b.halves {
		if b.bufs[n] != nil && (next == nil || n.half.whole.base > next.half.whole.base || n.half.whole == next.half.whole && n.half.Level > next.half.Level) {
			next = n
		}
	}
	if next == nil {
		return f.err
	}
	b.begin(next)
	if b.phase != phaseSpread {
		if err := b.run(next); err != nil {
			return err
		}
	}
	if err := b.spread(next); err != nil {
		return err
	}
	b.cur, b.grads, b.res, b.phase = nil, nil, nil, phaseNext
	b.failAt(seq, nil, f.err)
	return nil
}

func (c *check) verify() error {
	v := c.s.ver.Version()
	if v == c.s.version {
		return nil
	}
	name, out := c.name, c.out
	if c.s.orig != nil {
		if e, err := c.s.orig.edge(); err == nil {
			if name, out = "", e.Out; e.Node != nil && e.Node.leaf == nil {
				name = e.Node.FullName()
			}
		}
	}
	which := ""
	if name != "" {
		which = fmt.Sprintf(", which is output %d of %s,", out, name)
	}
	return c.s.versionError(which, v)
}

// Mark tells a recorder whether a backward pass that is itself recorded (create_graph) has gone through nodes made meanwhile.
type Mark struct{ Twice atomic.Bool }
