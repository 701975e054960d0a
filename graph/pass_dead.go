package graph

import "github.com/larkspur-ml/larkspur/op"

// removeDead drops nodes that nothing reads. A node that draws random numbers or
// that may raise stays: its effect is not its value.
func removeDead(g *Graph) bool {
	live := make(map[*Value]bool, len(g.Nodes))
	for _, v := range g.Outputs {
		live[v] = true
	}
	keep := make([]bool, len(g.Nodes))
	n := 0
	for i := len(g.Nodes) - 1; i >= 0; i-- {
		x := g.Nodes[i]
		k := hasEffect(x)
		for _, v := range x.Out {
			k = k || live[v]
		}
		if !k {
			continue
		}
		keep[i] = true
		n++
		for k := range x.In {
			if v := x.In[k].Value; v != nil {
				live[v] = true
			}
		}
	}
	if n == len(g.Nodes) {
		return false
	}
	out := g.Nodes[:0]
	for i, x := range g.Nodes {
		if keep[i] {
			out = append(out, x)
		}
	}
	clear(g.Nodes[len(out):])
	g.Nodes = out
	return true
}

// hasEffect: the node draws, or checks indices or divisors that are data.
func hasEffect(n *Node) bool {
	if n.State >= 0 {
		return true
	}
	if n.Target != nil {
		return false
	}
	d := n.Call.Def
	ints := 0
	for k := range n.In {
		if n.In[k].Value != nil && n.In[k].DType.IsInt() {
			ints++
		}
	}
	switch {
	case d.Body != nil:
		return n.Call.DType.IsInt() && divides[d.Base]
	case d.Index != nil, d.Scatter != nil, d.Rows != nil:
		return ints > 0 && len(n.In) > 1
	}
	return false
}

// divides lists the ops that raise on integers divided by zero.
var divides = map[string]bool{"floor_divide": true, "_div_trunc": true, "remainder": true, "fmod": true}

// pure: equal operands give equal results.
func pure(n *Node) bool { return n.State < 0 && n.Call.Def != nil && !hasGenerator(n.Call) }

func hasGenerator(c *op.Call) bool {
	for i := range c.Args {
		if c.Args[i].Kind == op.ArgGenerator {
			return true
		}
	}
	return false
}
