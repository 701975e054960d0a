package graph

import "fmt"

// Verify checks the invariants of the package doc.
func Verify(g *Graph) error {
	seen := map[*Value]bool{}
	id := 0
	add := func(v *Value) error {
		if v.ID != id {
			return fmt.Errorf("invariant 1: value %%%d where %%%d is due", v.ID, id)
		}
		id++
		seen[v] = true
		return nil
	}
	for _, v := range g.Inputs {
		if err := add(v); err != nil {
			return err
		}
	}
	for i, n := range g.Nodes {
		bad := func(inv int, format string, a ...any) error {
			return fmt.Errorf("invariant %d: node %d (%s): %s", inv, i, n.Call.Def.Name, fmt.Sprintf(format, a...))
		}
		c := n.Call
		if n.ID != i {
			return bad(1, "has id %d", n.ID)
		}
		if c.Def.View != nil || c.Def.Decomp != nil {
			return bad(4, "its Def has no meaning that computes")
		}
		if len(n.OutMeta) != len(n.Out) || len(c.Out) != len(n.Out) || len(n.In) != len(c.In) {
			return bad(3, "%d operands and %d outputs, the call has %d and %d", len(n.In), len(n.Out), len(c.In), len(c.Out))
		}
		for k := range n.In {
			o := &n.In[k]
			if o.Value == nil {
				if o.Num != c.IsNum(k) || !o.Num && c.In[k] != nil {
					return bad(3, "operand %d is absent, in the call it is not", k)
				}
				continue
			}
			if !seen[o.Value] {
				return bad(1, "operand %d, %%%d, is not defined before", k, o.Value.ID)
			}
			if o.DType != o.Value.DType {
				return bad(2, "operand %d is %s, its memory %s", k, o.DType, o.Value.DType)
			}
			if len(o.Size) != len(o.Stride) && n.Iter == nil {
				return bad(2, "operand %d has %d sizes and %d strides", k, len(o.Size), len(o.Stride))
			}
		}
		for j, v := range n.Out {
			if v.Node != n || v.Out != j {
				return bad(3, "output %d is of another node", j)
			}
			if v.DType != n.OutMeta[j].DType {
				return bad(2, "output %d is %s, its memory %s", j, n.OutMeta[j].DType, v.DType)
			}
			if err := add(v); err != nil {
				return err
			}
		}
		if n.Iter != nil && len(n.Iter.Ops) != len(n.In)+len(n.Out) {
			return bad(2, "%d operands in its iteration space, not %d", len(n.Iter.Ops), len(n.In)+len(n.Out))
		}
		if n.Target != nil && (len(n.In) != 2 || len(n.Out) != 1 || len(n.Target.Size) < len(n.In[1].Size)) {
			return bad(2, "a put takes memory and a source that broadcasts to the target")
		}
	}
	for _, v := range g.Outputs {
		if !seen[v] {
			return fmt.Errorf("invariant 1: result %%%d is not defined", v.ID)
		}
	}
	return nil
}
