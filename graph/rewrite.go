package graph

import (
	"slices"

	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// What passes need to change a graph: a copy that may be changed, the users of
// values, and replacements. A pass leaves dead nodes and stale ids behind;
// Renumber and removeDead put them right.

// Use is one operand position.
type Use struct {
	Node *Node
	Arg  int
}

// Clone copies nodes, calls and values; geometry, arguments and the symbol
// context are shared.
func (g *Graph) Clone() *Graph {
	to := map[*Value]*Value{}
	h := &Graph{Ctx: g.Ctx, Nums: g.Nums, States: g.States, values: g.values}
	val := func(v *Value, n *Node) *Value {
		c := *v
		c.Node = n
		to[v] = &c
		return &c
	}
	for _, v := range g.Inputs {
		h.Inputs = append(h.Inputs, val(v, nil))
	}
	for _, n := range g.Nodes {
		m, call := *n, *n.Call
		call.In = slices.Clone(call.In)
		call.T = nil
		m.Call = &call
		m.In = slices.Clone(n.In)
		for k := range m.In {
			if v := m.In[k].Value; v != nil {
				m.In[k].Value = to[v]
			}
		}
		m.Out = nil
		for _, v := range n.Out {
			m.Out = append(m.Out, val(v, &m))
		}
		h.Nodes = append(h.Nodes, &m)
	}
	for _, v := range g.Outputs {
		h.Outputs = append(h.Outputs, to[v])
	}
	return h
}

// Users lists the operand positions that read each value, in order of nodes.
func (g *Graph) Users() map[*Value][]Use {
	u := make(map[*Value][]Use, len(g.Nodes)+len(g.Inputs))
	for _, n := range g.Nodes {
		for k := range n.In {
			if v := n.In[k].Value; v != nil {
				u[v] = append(u[v], Use{n, k})
			}
		}
	}
	return u
}

// outputs is the set of values returned.
func (g *Graph) outputs() map[*Value]bool {
	m := make(map[*Value]bool, len(g.Outputs))
	for _, v := range g.Outputs {
		m[v] = true
	}
	return m
}

// Renumber gives nodes and values their ids in the order of the lists: after passes,
// or where inputs were added behind nodes.
func (g *Graph) Renumber() {
	g.values = 0
	id := func(v *Value) {
		v.ID = g.values
		g.values++
	}
	for _, v := range g.Inputs {
		id(v)
	}
	for i, n := range g.Nodes {
		n.ID = i
		for _, v := range n.Out {
			id(v)
		}
	}
}

// setOperand makes operand k of a node o; the size stays what it was.
func (n *Node) setOperand(k int, o Operand) {
	n.In[k] = o
	m := o.Meta
	n.Call.In[k] = &m
}

// replace lets every reader of old read new, which holds the same elements at the
// same places.
func (g *Graph) replace(users map[*Value][]Use, old, new *Value) {
	for _, u := range users[old] {
		u.Node.In[u.Arg].Value = new
		users[new] = append(users[new], u)
	}
	delete(users, old)
	for i, v := range g.Outputs {
		if v == old {
			g.Outputs[i] = new
		}
	}
}

// reread lets readers of n's output 0 read o instead, whose elements over n's
// frame equal n's; it returns how many could. Readers whose walk over the output
// is no affine walk over the frame stay, and the graph's outputs do.
func (n *Node) reread(users map[*Value][]Use, o Operand) int {
	v := n.Out[0]
	done := 0
	keep := users[v][:0:0]
	for _, u := range users[v] {
		in := u.Node.In[u.Arg]
		m, ok := ThroughCopy(&n.OutMeta[0], &o.Meta, &in.Meta)
		if !ok || u.Node.Target != nil && u.Arg == 0 && !sameMeta(&m, &in.Meta) {
			keep = append(keep, u)
			continue
		}
		u.Node.setOperand(u.Arg, Operand{Value: o.Value, Meta: m})
		users[o.Value] = append(users[o.Value], u)
		done++
	}
	users[v] = keep
	return done
}

func sameMeta(a, b *tensor.Meta) bool {
	return a.DType == b.DType && sym.AllKnownEq(a.Size, b.Size) && sym.AllKnownEq(a.Stride, b.Stride) && a.Off.KnownEq(b.Off)
}

// lookup is a Def that must exist.
func lookup(name string) *op.Def {
	d := op.Lookup(name)
	if d == nil {
		panic("BUG: no op " + name)
	}
	return d
}
