package graph

import "github.com/larkspur-ml/larkspur/tensor/sym"

// copies lists the ops that hold their operand's elements in another layout.
var copies = map[string]bool{"clone": true, "_contiguous": true, "_to_copy": true, "_to_dtype": true, "alias": true}

// forwardCopies lets readers of a copy read what was copied. Values never change,
// so that a copy matters only as an output of the graph, and not even there if what
// was copied was made here, in the same layout, and is no output itself.
func forwardCopies(g *Graph) bool {
	users := g.Users()
	out := g.outputs()
	changed := false
	for _, n := range g.Nodes {
		if n.Target != nil || !copies[n.Call.Def.Base] || len(n.Out) != 1 {
			continue
		}
		o, ok := n.frameOperand(0)
		if !ok || o.DType != n.OutMeta[0].DType || o.Dev != n.OutMeta[0].Dev {
			continue
		}
		v, src := n.Out[0], o.Value
		if sameMeta(&o.Meta, &n.OutMeta[0]) && v.Len.KnownEq(src.Len) && Dense(&n.OutMeta[0]) && n.OutMeta[0].Off.Is(0) && v.Len.KnownEq(sym.Prod(n.OutMeta[0].Size)) {
			if !out[v] || src.Node != nil && !out[src] {
				g.replace(users, v, src)
				if out[v] {
					delete(out, v)
					out[src] = true
				}
				changed = true
				continue
			}
		}
		changed = n.reread(users, o) > 0 || changed
	}
	return changed
}
