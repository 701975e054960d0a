package eager

import (
	"container/heap"
	"slices"

	"github.com/larkspur-ml/larkspur/tensor"
)

// Step goes on until the pass is done or needs the language.
func (b *Backward) Step() (need *Need, done bool, err error) {
	if b.err != nil {
		return nil, true, b.err
	}
	x := b.x
	mode, inf, low, pass := x.GradMode, x.Inference, x.Autocast, x.pass
	x.GradMode, x.Inference, x.Autocast = b.opt.Create, false, tensor.Invalid
	x.pass = b
	need, done, err = b.step()
	x.GradMode, x.Inference, x.Autocast, x.pass = mode, inf, low, pass
	if err != nil {
		b.err = err
		b.drop(b.at)
		return nil, true, err
	}
	if done {
		b.drop(0)
	}
	return need, done, nil
}

func (b *Backward) drop(at uint64) {
	for _, f := range b.ended {
		f(at)
	}
	b.ended, b.halves = nil, nil
	b.bufs, b.deps, b.ready, b.cur, b.grads, b.res, b.queue = nil, nil, nil, nil, nil, nil, nil
}

func (b *Backward) step() (*Need, bool, error) {
	for {
		n := b.cur
		switch b.phase {
		case phaseNext:
			if len(b.ready) == 0 {
				return nil, true, nil
			}
			n := heap.Pop(&b.ready).(*Node)
			if n.leaf == nil {
				b.at = n.seq
			}
			if n.fail != nil {
				if err := b.due(n.seq, n.fail); err != nil {
					return nil, false, err
				}
				continue
			}
			b.begin(n)
		case phaseHooks:
			if b.hookAt == len(b.queue) {
				b.phase = phaseRun
				continue
			}
			q := b.queue[b.hookAt]
			g := &b.grads[q.out]
			if q.h.removed || g.t == nil {
				b.hookAt++
				continue
			}
			if t := q.h.retain; t != nil {
				if err := b.x.retainInto(t, g.t, b.opt.Create); err != nil {
					return nil, false, err
				}
				b.hookAt++
				continue
			}
			g.owned = false
			b.phase = phaseHookAnswer
			return &Need{Kind: NeedTensorHook, Fn: q.h.Fn, Node: n, Grads: []*Tensor{g.t}, GradMode: b.opt.Create}, false, nil
		case phaseRun:
			if err := b.run(n); err != nil {
				return nil, false, err
			}
			if b.phase == phaseCustomAnswer {
				return &Need{Kind: NeedCustom, Fn: n.custom, Node: n, Grads: tensors(b.grads), GradMode: b.opt.Create}, false, nil
			}
		case phasePost:
			if b.hookAt == len(n.post) {
				b.phase = phaseSpread
				continue
			}
			h := n.post[b.hookAt]
			if h.removed {
				b.hookAt++
				continue
			}
			b.phase = phasePostAnswer
			return &Need{Kind: NeedNodeHook, Fn: h.Fn, Node: n, Grads: tensors(b.grads), Inputs: slices.Clone(b.res), GradMode: b.opt.Create}, false, nil
		case phaseSpread:
			if err := b.spread(n); err != nil {
				return nil, false, err
			}
			b.cur, b.grads, b.res, b.phase = nil, nil, nil, phaseNext
		default:
			panic("BUG: Step before Answer")
		}
	}
}

func tensors(p []pending) []*Tensor {
	t := make([]*Tensor, len(p))
	for i := range p {
		t[i] = p[i].t
	}
	return t
}

// begin takes a node's gradients and lines up its hooks.
func (b *Backward) begin(n *Node) {
	b.cur, b.phase, b.hookAt, b.queue, b.ran = n, phaseHooks, 0, b.queue[:0], false
	b.grads = b.bufs[n]
	delete(b.bufs, n)
	if b.grads == nil {
		b.grads = make([]pending, len(n.outs))
	}
	if b.needed != nil && !b.needed[n] {
		b.phase = phaseSpread
		b.res = make([]*Tensor, len(n.next))
		return
	}
	line := func(hooks []*Hook, out int) {
		for _, h := range hooks {
			if h.retain == nil {
				b.queue = append(b.queue, queuedHook{h, out})
			}
		}
		for _, h := range hooks { // retained gradients are those that the other hooks left
			if h.retain != nil {
				b.queue = append(b.queue, queuedHook{h, out})
			}
		}
	}
	for out := range n.outs {
		line(n.hooks[out], out)
	}
	if n.leaf != nil {
		line(n.leaf.ag.hooks, 0)
	}
}

// run computes the gradients of n's inputs, or asks for the custom function.
func (b *Backward) run(n *Node) error {
	none := true
	for out := range b.grads {
		g := &b.grads[out]
		if g.t == nil {
			continue
		}
		none = false
		if err := b.validate(n, out, g); err != nil {
			return err
		}
		for _, i := range b.capture[Edge{n, out}] {
			b.results[i] = g.t
			g.owned = false
		}
	}
	b.res = make([]*Tensor, len(n.next))
	b.phase, b.hookAt = phasePost, 0
	switch {
	case none:
	case n.leaf != nil:
		if b.opt.Collect && b.opt.Inputs != nil {
			return nil
		}
		if err := b.x.accumulate(n.leaf, b.grads[0], b.opt.Create); err != nil {
			return err
		}
		if g := b.grads[0]; n.leaf.ag.grad.Store != g.t.Store {
			b.free(g)
		}
		return nil
	case b.opt.Collect && b.opt.Inputs != nil && !b.leads(n):
		// only captured: nothing behind it is wanted
	case n.custom != nil:
		if n.freed {
			return freedError()
		}
		b.phase, b.ran = phaseCustomAnswer, true
	default:
		b.ran = true
		res, err := n.apply(b.x, tensors(b.grads), b.opt.Create)
		if err != nil {
			return err
		}
		b.res = res
	}
	return nil
}

// leads reports whether a needed node lies behind n.
func (b *Backward) leads(n *Node) bool {
	for _, e := range n.next {
		if e.Node != nil && b.needed[e.Node] {
			return true
		}
	}
	return false
}

// validate brings a gradient to its output's dtype and size (torch's validate_outputs).
func (b *Backward) validate(n *Node, out int, g *pending) error {
	m := &n.outs[out]
	if g.t.DType == m.dtype && slices.Equal(g.t.Size, m.size) {
		return nil
	}
	if !slices.Equal(g.t.Size, m.size) {
		b.x.GiveUp("a gradient that is fitted to its tensor")
	}
	t, err := b.x.fit(g.t, m)
	if err != nil {
		return err
	}
	g.t = t
	return nil
}

// spread hands the results on.
func (b *Backward) spread(n *Node) error {
	if n.leaf == nil && len(n.post) == 0 { // a leaf has kept its gradient; a hook may have kept them all
	next:
		for _, g := range b.grads {
			if g.t == nil {
				continue
			}
			for _, r := range b.res {
				if r != nil && r.Store == g.t.Store {
					continue next
				}
			}
			b.free(g)
		}
	}
	for i, e := range n.next {
		if e.Node == nil {
			continue
		}
		if k, ok := b.ends[e]; ok {
			if r := b.res[i]; r != nil {
				if err := b.arrive(k, r); err != nil {
					return err
				}
			}
			continue
		}
		if r := b.res[i]; r != nil && (b.needed == nil || b.needed[e.Node]) {
			if err := b.add(e, pending{r, b.owns(n, i)}); err != nil {
				return err
			}
		}
		b.deps[e.Node]--
		if b.deps[e.Node] == 0 {
			b.push(e.Node)
		}
	}
	if b.ran && !b.opt.Keep && n.half == nil {
		n.release()
	}
	return nil
}

// owns tells whether result i lies in a storage that this step made and that nothing else shares.
func (b *Backward) owns(n *Node, i int) bool {
	if n.hands && len(n.post) == 0 {
		return b.grads[i].owned
	}
	if n.custom != nil || n.inner != nil || len(n.post) > 0 {
		return false
	}
	s := b.res[i].Store
	for _, g := range b.grads {
		if g.t != nil && g.t.Store == s {
			return false
		}
	}
	for j, r := range b.res {
		if j != i && r != nil && r.Store == s {
			return false
		}
	}
	for _, l := range [2][]Saved{n.in, n.out} {
		for k := range l {
			if l[k].ver != nil && l[k].ver.Store == s {
				return false
			}
		}
	}
	return true
}

// Answer gives the result of what Step needed. For a tensor hook one gradient (nil: unchanged); for a custom function one for each input;
// for a node hook one for each input, or none.
func (b *Backward) Answer(r []*Tensor) error {
	switch b.phase {
	case phaseHookAnswer:
		q := b.queue[b.hookAt]
		if len(r) > 0 && r[0] != nil {
			g := &b.grads[q.out]
			if !slices.Equal(r[0].Size, g.t.Size) {
				b.err = raise(tensor.RuntimeError, "hook '%s' has changed the size of value", q.h.Name)
				return b.err
			}
			*g = pending{r[0], false}
		}
		b.hookAt++
		b.phase = phaseHooks
	case phaseCustomAnswer:
		n := b.cur
		if len(r) > len(n.next) {
			for _, t := range r[len(n.next):] {
				if t != nil {
					b.err = raise(tensor.RuntimeError, "function %s returned an incorrect number of gradients (expected %d, got %d)", n.Name, len(n.next), len(r))
					return b.err
				}
			}
			r = r[:len(n.next)]
		} else if len(r) < len(n.next) {
			b.err = raise(tensor.RuntimeError, "function %s returned an incorrect number of gradients (expected %d, got %d)", n.Name, len(n.next), len(r))
			return b.err
		}
		for i, t := range r {
			if t == nil || n.next[i].Node == nil {
				continue
			}
			m := &n.next[i].Node.outs[n.next[i].Out]
			if !expandable(m.size, t.Size) {
				b.err = raise(tensor.RuntimeError, "Function %s returned an invalid gradient at index %d - got %s but expected shape compatible with %s",
					n.Name, i, sizeText(t.Size), sizeText(m.size))
				return b.err
			}
		}
		copy(b.res, r)
		b.phase = phasePost
	case phasePostAnswer:
		for i, t := range r {
			if t != nil && i < len(b.res) {
				b.res[i] = t
			}
		}
		b.hookAt++
		b.phase = phasePost
	default:
		panic("BUG: Answer without a Need")
	}
	return nil
}

// expandable: a tensor of size from broadcasts to size to.
func expandable(from, to []int64) bool {
	if len(from) > len(to) {
		return false
	}
	for i := 1; i <= len(from); i++ {
		if f := from[len(from)-i]; f != 1 && f != to[len(to)-i] {
			return false
		}
	}
	return true
}
