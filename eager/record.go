package eager

import (
	"sync/atomic"
	"unsafe"

	"github.com/larkspur-ml/larkspur/tensor"
)

// What a recorder needs: to tell old tape from new, to compare what ops look at of a tensor, and to make a tensor like another one.

// Seq is the sequence number of the latest node.
func (x *Context) Seq() uint64 { return x.seq }

// Since reports whether all nodes that the pass goes through were made after sequence number seq, and no language code hangs on them.
func (b *Backward) Since(seq uint64) bool {
	fresh := func(n *Node) bool {
		if n.leaf != nil {
			return len(n.leaf.ag.hooks) == 0 && len(n.hooks) == 0 && len(n.post) == 0
		}
		return n.seq > seq && n.custom == nil && len(n.hooks) == 0 && len(n.post) == 0
	}
	for n := range b.deps {
		if !fresh(n) {
			return false
		}
	}
	for n := range b.bufs {
		if !fresh(n) {
			return false
		}
	}
	return true
}

// Plain reports a pass that stores gradients in leaves and does nothing else.
func (b *Backward) Plain() bool { return !b.opt.Create && !b.opt.Collect && b.opt.Inputs == nil }

// Traits is what ops look at of a tensor besides its geometry, in comparable form.
type Traits struct {
	Requires, OnTape, View, Inference, Own, Hooks bool
	// Of the tensor that it is a view of, and how the view was made.
	BaseRequires, BaseOnTape, BaseLeaf bool
	Creation                           uint8
	Bytes                              int
	Dev                                tensor.Device
}

// Traits are t's now.
func (t *Tensor) Traits() Traits {
	r := Traits{Inference: t.Inference, Own: t.ver != nil, View: t.view != nil, Bytes: t.Store.Buf.Len(), Dev: t.Device()}
	if v := t.view; v != nil {
		r.Creation = uint8(v.creation)
		if a := v.base.ag; a != nil {
			r.BaseRequires, r.BaseOnTape = a.requires, a.node != nil
		}
		r.BaseLeaf = v.base.IsLeaf()
	}
	if t.ag != nil {
		r.Requires, r.OnTape = t.ag.requires, t.ag.node != nil
		r.Hooks = len(t.ag.hooks) > 0
	}
	return r
}

// Form is what makes a tensor besides storage and geometry, where that can be made again: it is not on the tape, or on one that a
// backward pass has used up.
type Form struct {
	Requires, Inference bool
	// Base is the tensor of which it is a view, nil if it is none.
	Base     *Tensor
	IsView   bool
	creation creation
	made     string
	own      bool // its writes are counted apart
	// Leaves are the tensors that what is left of its tape leads to.
	Leaves []*Tensor
	// Alive says, if it is not empty, what of the tape cannot be made again as it is.
	Alive string
	node  *Node
	ends  map[*Node]int // nodes that stand for those of Leaves
	out   int
	Grad  *Tensor
}

// Form describes t; why is not empty for a tensor that could not be made again. Its tape has to have been made after sequence number
// seq: what lies further back may be another one next time.
func (t *Tensor) Form(seq uint64) (f Form, why string) {
	f.Inference = t.Inference
	if f.own = t.ver != nil; f.own && t.view != nil {
		return f, "a view of what .data made"
	}
	if v := t.view; v != nil {
		f.IsView, f.Base, f.creation, f.made = true, v.base, v.creation, v.made
	}
	if a := t.ag; a != nil {
		f.Requires, f.Grad = a.requires, a.grad
		if len(a.hooks) > 0 || a.retain {
			return f, "it has hooks"
		}
		if a.node != nil {
			f.node, f.out = a.node, a.out
			if n := unspent(a.node, seq, map[*Node]bool{}, &f.Leaves); n != nil {
				f.Alive = n.Name + " is alive on its tape"
			} else {
				at := map[*Tensor]int{}
				for i, l := range f.Leaves {
					at[l] = i
				}
				f.ends = map[*Node]int{}
				f.node = copyTape(a.node, map[*Node]*Node{}, func(n *Node) *Node {
					if n.leaf == nil {
						return nil
					}
					c := &Node{}
					f.ends[c] = at[n.leaf]
					return c
				})
			}
		}
	}
	return f, ""
}

// OffTape is the form without its tape.
func (f Form) OffTape() Form {
	f.node, f.ends, f.Leaves = nil, nil, nil
	return f
}

// Bare is the form without the tensors that were found: it keeps none alive, if no
// tape is.
func (f Form) Bare() Form {
	f.Base, f.Leaves, f.Grad = nil, nil, nil
	return f
}

// OnTape reports a tensor that some node made.
func (f *Form) OnTape() bool { return f.node != nil }

// unspent finds a node behind n that saved something or has code of the language on it; or one that is not newer than seq. nil: the tape behind n is geometry only.
func unspent(n *Node, seq uint64, seen map[*Node]bool, leaves *[]*Tensor) *Node {
	if seen[n] {
		return nil
	}
	seen[n] = true
	switch {
	case len(n.hooks) > 0 || len(n.post) > 0 || n.custom != nil || n.wraps != nil || n.half != nil || n.hands || len(seen) > 10000:
		return n
	case n.leaf != nil:
		*leaves = append(*leaves, n.leaf)
		return nil
	case n.seq <= seq:
		return n
	case n.savesData:
		return n
	}
	for _, e := range n.next {
		if e.Node != nil {
			if m := unspent(e.Node, seq, seen, leaves); m != nil {
				return m
			}
		}
	}
	return nil
}

// copyTape makes the tape behind n anew. end gives what stands in the place of a node
// where the tape ends, nil elsewhere.
func copyTape(n *Node, made map[*Node]*Node, end func(*Node) *Node) *Node {
	if c := made[n]; c != nil {
		return c
	}
	if c := end(n); c != nil {
		made[n] = c
		return c
	}
	c := *n
	c.next = append([]Edge(nil), n.next...)
	for i, e := range c.next {
		if e.Node != nil {
			c.next[i].Node = copyTape(e.Node, made, end)
		}
	}
	made[n] = &c
	return &c
}

// number gives a tape that was copied the sequence numbers of a new one: a node's is
// above those of the nodes behind it.
func (x *Context) number(n *Node, done map[*Node]bool) {
	if done[n] || n.leaf != nil {
		return
	}
	done[n] = true
	for _, e := range n.next {
		if e.Node != nil {
			x.number(e.Node, done)
		}
	}
	n.seq = x.nextSeq()
}

// Make makes a tensor of this form. base is the view's base, leaf gives the tensor in the place of Leaves[i].
func (f *Form) Make(x *Context, s *tensor.Storage, g tensor.Geometry, base *Tensor, leaf func(i int) *Tensor) *Tensor {
	t := New(s, g)
	t.Inference = f.Inference
	if f.own {
		t.ver = new(atomic.Uint32)
	}
	if base != nil {
		t.view = &viewInfo{base: base, version: s.Version(), creation: f.creation, made: f.made}
	}
	if f.Requires {
		t.auto().requires = true
	}
	if f.node != nil {
		a := t.auto()
		a.node, a.out = copyTape(f.node, map[*Node]*Node{}, func(n *Node) *Node {
			if i, ok := f.ends[n]; ok {
				return leaf(i).accumulator()
			}
			return nil
		}), f.out
		x.number(a.node, map[*Node]bool{})
	}
	return t
}

// NewStorage makes a storage of uninitialised memory.
func (x *Context) NewStorage(d tensor.Device, bytes int64) (*tensor.Storage, error) {
	return x.alloc(d, bytes)
}

// SameMemory reports storages that begin at one address.
func SameMemory(a, b *tensor.Storage) bool {
	if a == b || a.Buf == b.Buf {
		return true
	}
	if x, ok := a.Buf.(tensor.Addressed); ok {
		y, ok := b.Buf.(tensor.Addressed)
		return ok && x.Device() == y.Device() && x.Addr() == y.Addr()
	}
	p, q := a.Buf.Bytes(), b.Buf.Bytes()
	return len(p) > 0 && len(q) > 0 && unsafe.SliceData(p) == unsafe.SliceData(q)
}

// Wrote counts a write to t's memory that was done from outside.
func (t *Tensor) Wrote() { t.wrote() }

// GeneratorOf is the random stream that an op with state draws from.
func (x *Context) GeneratorOf(args any, d tensor.Device) *tensor.Generator {
	if g, ok := args.(*tensor.Generator); ok && g != nil {
		return g
	}
	return x.Generator(d)
}
