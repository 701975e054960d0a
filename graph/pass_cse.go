package graph

import (
	"strconv"
	"strings"
)

// commonSubexpressions merges nodes that apply one op to the same operands
// through the same geometry, with the same arguments and output geometry.
func commonSubexpressions(g *Graph) bool {
	users := g.Users()
	seen := make(map[string]*Node, len(g.Nodes))
	out := g.outputs()
	changed := false
	for _, n := range g.Nodes {
		if !pure(n) {
			continue
		}
		t := n.text()
		t = t[strings.Index(t, " = "):]
		if !n.Fixed && len(n.Call.Numbers(nil)) > 0 {
			t += " slot " + strconv.Itoa(n.Num)
		}
		first := seen[t]
		if first == nil {
			seen[t] = n
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
