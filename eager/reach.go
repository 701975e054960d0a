package eager

import (
	"slices"

	"github.com/larkspur-ml/larkspur/tensor"
)

// Reach is what lies behind edges of the tape, as far as it is followed.
type Reach struct {
	Nodes []Bone
	Roots []int // by edge: its node
	Ends  []Edge
}

// Bone is a node without what it computes.
type Bone struct {
	Node  *Node // while recording
	Next  []int // nodes; ends, inverted
	Rank  int   // by sequence number, of all nodes together: greater ones run first
	Saves int   // its number among the nodes that keep tensors, -1 if it keeps none
}

// ReachOf walks the tape behind edges. It does not pass other edges that cut holds for. why is not empty where a pass would need the language.
func ReachOf(roots []Edge, cut func(Edge) bool) (r *Reach, why string) {
	r = &Reach{}
	at, ends := map[*Node]int{}, map[Edge]int{}
	visit := func(n *Node) int {
		i, ok := at[n]
		if !ok {
			i = len(r.Nodes)
			at[n] = i
			r.Nodes = append(r.Nodes, Bone{Node: n, Saves: -1})
		}
		return i
	}
	for _, e := range roots {
		r.Roots = append(r.Roots, visit(e.Node))
	}
	for i := 0; i < len(r.Nodes); i++ {
		n := r.Nodes[i].Node
		switch {
		case len(n.hooks) > 0 || len(n.post) > 0:
			return r, n.Name + " has hooks"
		case n.custom != nil:
			return r, n.Name + " is the language's"
		case n.half != nil || n.hands:
			return r, n.Name + " is a graph's"
		}
		var next []int
		for _, e := range n.next {
			switch {
			case e.Node == nil:
			case cut(e):
				k, ok := ends[e]
				if !ok {
					k = len(r.Ends)
					ends[e] = k
					r.Ends = append(r.Ends, e)
				}
				next = append(next, ^k)
			default:
				next = append(next, visit(e.Node))
			}
		}
		r.Nodes[i].Next = next
	}
	return r, ""
}

// Keeper is the node that has what n keeps for the backward pass: itself, or one inside it; nil if it keeps nothing.
func (n *Node) Keeper() *Node {
	switch {
	case n.wraps != nil && n.wraps.savesData:
		return n.wraps
	case n.savesData:
		return n
	}
	return nil
}

// Over reports a node at which every pass fails: it has been released, or what it keeps has been written to.
func (n *Node) Over() (released, written bool) {
	k := n.Keeper()
	if k == nil {
		return false, false
	}
	k.EachSaved(func(w, of *Tensor, e Edge, since uint32) { written = written || since != 0 })
	return k.freed, written
}

// Rank numbers the nodes of several walks by the order in which they were made, and forgets them. It returns how many numbers there are.
func Rank(rs []*Reach) int {
	var seqs []uint64
	for _, r := range rs {
		for i := range r.Nodes {
			seqs = append(seqs, r.Nodes[i].Node.seq)
		}
	}
	slices.Sort(seqs)
	seqs = slices.Compact(seqs)
	for _, r := range rs {
		for i := range r.Nodes {
			b := &r.Nodes[i]
			b.Rank, _ = slices.BinarySearch(seqs, b.Node.seq)
			b.Node = nil
		}
		r.Ends = make([]Edge, len(r.Ends))
	}
	return len(seqs)
}

// Newer reports a node made after sequence number seq.
func (n *Node) Newer(seq uint64) bool { return n.leaf == nil && n.seq > seq }

// Edge is where t's gradient goes.
func (t *Tensor) Edge() (Edge, error) { return t.edge() }

// EachSaved calls f with what a node keeps: the window, the tensor that was saved (nil: output out of the node itself), where that was on the tape,
// and how often it has been written to since.
func (n *Node) EachSaved(f func(w, of *Tensor, e Edge, since uint32)) {
	for _, l := range [2][]Saved{n.in, n.out} {
		for k := range l {
			if s := &l[k]; s.ver != nil {
				f(s.ver, s.orig, s.edge, s.ver.Version()-s.version)
			}
		}
	}
}

// Pull runs the tape from roots to ends, which it does not pass, and returns the gradients that arrive there, nil where none does. Nothing is
// released or stored. Nor does it pass the edges in stop; what arrives there is dropped.
func (x *Context) Pull(roots []Edge, grads []*Tensor, ends, stop []Edge) ([]*Tensor, error) {
	b := &Backward{x: x, opt: BackwardOptions{Keep: true}, deps: map[*Node]int{}, bufs: map[*Node][]pending{}, ends: map[Edge]int{}}
	b.results = make([]*Tensor, len(ends))
	for _, e := range stop {
		b.ends[e] = -1
	}
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
	if i < 0 {
		return nil
	}
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

// Stand stands for a tensor that nobody can reach, in the text of an error: a view of base (nil: of one that nobody can reach either), which
// was output out of the node called name.
func (f *Form) Stand(s *tensor.Storage, g tensor.Geometry, base *Tensor, name string, out int) *Tensor {
	t := New(s, g)
	if f.IsView {
		if base == nil {
			base = New(s, g)
			base.auto().node = &Node{Name: name, outs: []outMeta{metaOf(base)}}
		}
		t.view = &viewInfo{base: base, version: t.Version(), creation: f.creation, made: f.made}
	}
	if name != "" {
		a := t.auto()
		a.node, a.out = &Node{Name: name, outs: make([]outMeta, out+1)}, out
	}
	return t
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
