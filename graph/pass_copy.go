package graph

// copies lists the ops that hold their operand's elements in another layout.
var copies = map[string]bool{"clone": true, "_contiguous": true, "_to_copy": true, "_to_dtype": true, "alias": true}

// forwardCopies lets readers of a copy read what was copied. Values never
// change, so that a copy matters only as an output of the graph.
func forwardCopies(g *Graph) bool {
	users := g.Users()
	changed := false
	for _, n := range g.Nodes {
		if n.Target != nil || !copies[n.Call.Def.Base] || len(n.Out) != 1 {
			continue
		}
		o, ok := n.frameOperand(0)
		if !ok || o.DType != n.OutMeta[0].DType || o.Dev != n.OutMeta[0].Dev {
			continue
		}
		changed = n.reread(users, o) > 0 || changed
	}
	return changed
}
