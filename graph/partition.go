package graph

import (
	"math"

	"github.com/larkspur-ml/larkspur/tensor"
)

// Partition is a Joint cut in two graphs.
type Partition struct {
	// Forward has the joint's forward inputs; its outputs are the forward's, then
	// what is saved and is neither an input nor an output already.
	Forward *Graph
	// Backward's inputs are the saved values in order, then the tangents; its outputs
	// are the gradients that are not -1 in Joint.Grads, in order.
	Backward *Graph
	Saved    []Saved
	Bytes    int64 // saved beside the inputs, at the recorded sizes
}

// Saved says where a saved value is after the forward: Input ≥ 0 is one of its
// inputs, else it is output Output.
type Saved struct{ Input, Output int }

// Cut splits a joint graph so that the least memory is kept for the backward: a
// minimum cut, where saving a value costs its bytes and computing it once more
// costs nothing if it is pointwise. Inputs stay alive anyhow and cost next to
// nothing. Folds, programs over rows, templates, scatters, puts and random
// draws are never done twice, nor what may raise.
func (j *Joint) Cut() *Partition {
	g := j.G
	late := map[*Value]bool{} // depends on a tangent
	for _, v := range g.Inputs[j.Forward:] {
		late[v] = true
	}
	lateNode := map[*Node]bool{}
	for _, n := range g.Nodes {
		for k := range n.In {
			if v := n.In[k].Value; v != nil && late[v] {
				lateNode[n] = true
			}
		}
		if lateNode[n] {
			for _, v := range n.Out {
				late[v] = true
			}
		}
	}
	// what the backward reads of the forward
	needed := map[*Value]bool{}
	live := map[*Value]bool{}
	for _, v := range g.Outputs[j.Outs:] {
		live[v] = true
		if !late[v] {
			needed[v] = true
		}
	}
	for i := len(g.Nodes) - 1; i >= 0; i-- {
		n := g.Nodes[i]
		use := false
		for _, v := range n.Out {
			use = use || live[v]
		}
		if !use || !lateNode[n] {
			continue
		}
		for k := range n.In {
			v := n.In[k].Value
			if v == nil {
				continue
			}
			live[v] = true
			if !late[v] {
				needed[v] = true
			}
		}
	}
	saved := g.minCut(needed, late, j.Loose)
	p := &Partition{}
	outputs := map[*Value]int{}
	fwdOut := append([]*Value(nil), g.Outputs[:j.Outs]...)
	var copies []int
	for i, v := range fwdOut {
		if _, ok := outputs[v]; !ok {
			outputs[v] = i
		}
	}
	for _, v := range saved {
		switch i, ok := outputs[v]; {
		case j.Loose[v]:
			p.Saved = append(p.Saved, Saved{-1, len(fwdOut)})
			fwdOut = append(fwdOut, v)
			p.Bytes += weigh(v)
			copies = append(copies, len(fwdOut)-1)
		case v.Node == nil:
			p.Saved = append(p.Saved, Saved{Input: v.Out, Output: -1})
		case ok:
			p.Saved = append(p.Saved, Saved{-1, i})
			p.Bytes += weigh(v)
		default:
			p.Saved = append(p.Saved, Saved{-1, len(fwdOut)})
			outputs[v] = len(fwdOut)
			fwdOut = append(fwdOut, v)
			p.Bytes += weigh(v)
		}
	}
	p.Forward = g.extract(g.Inputs[:j.Forward], fwdOut, func(n *Node) bool { return !lateNode[n] && hasEffect(n) })
	for _, i := range copies {
		p.Forward.copyOutput(i)
	}
	var grads []*Value
	for _, k := range j.Grads {
		if k >= 0 {
			grads = append(grads, g.Outputs[k])
		}
	}
	p.Backward = g.extract(append(append([]*Value(nil), saved...), g.Inputs[j.Forward:]...), grads, func(n *Node) bool { return lateNode[n] && hasEffect(n) })
	return p
}

func weigh(v *Value) int64 {
	n := v.Len.Hint()
	return max(n, 1) * int64(v.DType.Size())
}

// again: a node may be computed once more in the backward.
func again(n *Node) bool {
	d := n.Call.Def
	if n.Target != nil || n.State >= 0 || hasEffect(n) {
		return false
	}
	return d.Body != nil || d.Index != nil && len(n.In) == 0
}

// minCut chooses what to save so that needed can be computed from it.
//
// A value is two vertices with an edge of its weight between them; a node that
// may be repeated is edges without limit from its operands to its results, another
// makes its results sources. What the backward reads flows to the sink.
func (g *Graph) minCut(needed, late, loose map[*Value]bool) []*Value {
	var vals []*Value
	id := map[*Value]int{}
	vertex := func(v *Value) int {
		i, ok := id[v]
		if !ok {
			i = len(vals)
			id[v] = i
			vals = append(vals, v)
		}
		return i
	}
	// only what leads to needed values
	want := map[*Value]bool{}
	for v := range needed {
		want[v] = true
	}
	for i := len(g.Nodes) - 1; i >= 0; i-- {
		n := g.Nodes[i]
		use := false
		for _, v := range n.Out {
			use = use || want[v]
		}
		if use && again(n) {
			for k := range n.In {
				if v := n.In[k].Value; v != nil {
					want[v] = true
				}
			}
		}
	}
	const inf = math.MaxInt64 / 4
	f := &flow{}
	source, sink := f.vertex(), f.vertex()
	add := func(v *Value, given bool) {
		i := vertex(v)
		a, b := f.vertex(), f.vertex()
		if a != 2+2*i || b != a+1 {
			panic("BUG: vertices out of step")
		}
		w := weigh(v)
		if v.Node == nil && !loose[v] {
			w = 1
		}
		f.edge(a, b, w)
		if given {
			f.edge(source, a, inf)
		}
		if needed[v] {
			f.edge(b, sink, inf)
		}
	}
	for _, v := range g.Inputs {
		if want[v] && !late[v] {
			add(v, true)
		}
	}
	for _, n := range g.Nodes {
		for _, v := range n.Out {
			if !want[v] || late[v] {
				continue
			}
			add(v, !again(n))
			if !again(n) {
				continue
			}
			// without operands it is free: no path from the source
			for k := range n.In {
				if u := n.In[k].Value; u != nil {
					f.edge(3+2*id[u], 2+2*id[v], inf)
				}
			}
		}
	}
	f.saturate(source, sink)
	side := f.reachable(source)
	var out []*Value
	for i, v := range vals {
		if side[2+2*i] && !side[3+2*i] {
			out = append(out, v)
		}
	}
	return out
}

// extract copies the nodes that outputs need, given inputs, and those that keep
// asks for.
func (g *Graph) extract(inputs, outputs []*Value, keep func(n *Node) bool) *Graph {
	h := &Graph{Ctx: g.Ctx, Nums: g.Nums, States: g.States}
	to := map[*Value]*Value{}
	for _, v := range inputs {
		to[v] = h.NewInput(v.DType, v.Len)
	}
	need := map[*Value]bool{}
	for _, v := range outputs {
		need[v] = true
	}
	take := make([]bool, len(g.Nodes))
	for i := len(g.Nodes) - 1; i >= 0; i-- {
		n := g.Nodes[i]
		use := keep(n)
		for _, v := range n.Out {
			use = use || need[v] && to[v] == nil
		}
		if !use {
			continue
		}
		take[i] = true
		for k := range n.In {
			if v := n.In[k].Value; v != nil {
				need[v] = true
			}
		}
	}
	for i, n := range g.Nodes {
		if !take[i] {
			continue
		}
		m, call := *n, *n.Call
		call.In, call.T = append([]*tensor.Meta(nil), call.In...), nil
		m.Call, m.Out = &call, nil
		m.In = append([]Operand(nil), n.In...)
		for k := range m.In {
			if v := m.In[k].Value; v != nil {
				if m.In[k].Value = to[v]; to[v] == nil {
					panic("BUG: a value is read in both halves of a joint graph and not saved")
				}
			}
		}
		given := make([]*Value, len(n.Out))
		for j, v := range n.Out {
			given[j] = to[v]
		}
		h.Add(&m)
		for j, v := range n.Out {
			m.Out[j].Len = v.Len
			if given[j] == nil {
				to[v] = m.Out[j]
			}
		}
	}
	for _, v := range outputs {
		h.Outputs = append(h.Outputs, to[v])
	}
	return h
}
