package graph

import (
	"strconv"
	"strings"
)

// commonSubexpressions merges nodes that apply one op to the same operands
// through the same geometry, with the same arguments and output geometry. Few
// nodes share op and operands, so that the text of the rest is never made.
func commonSubexpressions(g *Graph) bool {
	type like struct {
		def  int
		put  bool
		a, b *Value
		n    int
	}
	users := g.Users()
	seen := make(map[like][]*Node, len(g.Nodes))
	out := g.outputs()
	changed := false
	for _, n := range g.Nodes {
		if !pure(n) {
			continue
		}
		k := like{def: n.Call.Def.ID(), put: n.Target != nil, n: len(n.In)}
		if len(n.In) > 0 {
			k.a = n.In[0].Value
		}
		if len(n.In) > 1 {
			k.b = n.In[1].Value
		}
		var first *Node
		for _, m := range seen[k] {
			if m.cseKey() == n.cseKey() {
				first = m
				break
			}
		}
		if first == nil {
			seen[k] = append(seen[k], n)
			continue
		}
		ok := true
		for j, v := range n.Out {
			// two outputs of the graph are two buffers: they stay two values
			ok = ok && !(out[v] && out[first.Out[j]])
		}
		if !ok {
			continue
		}
		for j, v := range n.Out {
			g.replace(users, v, first.Out[j])
			if out[v] {
				out[first.Out[j]] = true
			}
		}
		changed = true
	}
	return changed
}

// cseKey is all that a node's results depend on.
func (n *Node) cseKey() string {
	t := n.text()
	t = t[strings.Index(t, " = "):] + " on " + n.Call.Dev.String()
	if !n.Fixed && len(n.Call.Numbers(nil)) > 0 {
		t += " slot " + strconv.Itoa(n.Num)
	}
	return t
}
