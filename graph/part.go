package graph

import (
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// copyOutput makes output i memory of its own.
func (g *Graph) copyOutput(i int) {
	v := g.Outputs[i]
	flat := flatOf(v)
	n := g.Add(&Node{Call: cloneCall(&flat), In: []Operand{{Value: v, Meta: flat}}, State: -1, Fixed: true})
	n.Out[0].Len = v.Len
	g.Outputs[i] = n.Out[0]
}

func flatOf(v *Value) tensor.Meta {
	return tensor.Meta{DType: v.DType, Size: []sym.Int{v.Len}, Stride: []sym.Int{sym.C(1)}}
}

// cloneCall is a call that copies what lies under m, row-major.
func cloneCall(m *tensor.Meta) *op.Call {
	d := lookup("clone")
	in := *m
	out := tensor.Meta{DType: m.DType, Dev: m.Dev, Size: m.Size, Stride: rowMajor(m.Size)}
	return &op.Call{Def: d, Args: make([]op.Arg, len(d.Params)), DType: m.DType, Dev: m.Dev, In: []*tensor.Meta{&in}, Out: []tensor.Meta{out}}
}

// Part is the part of a backward graph that computes the outputs in want when
// the tangents in dead do not come: inputs that all depends on linearly, so that
// what only depends on them is zero. Sums with a zero lose it; elsewhere it is
// filled in. used are the positions of the part's inputs among g's. given tells for each of
// want whether a gradient arrives; where it does not the part has no output for it.
func (g *Graph) Part(want []int, tangents []int, dead map[int]bool) (part *Graph, used []int, given []bool) {
	h := g.Clone()
	live, zero := map[*Value]bool{}, map[*Value]bool{} // depends on tangents that come; on others only
	for _, i := range tangents {
		if dead[i] {
			zero[h.Inputs[i]] = true
		} else {
			live[h.Inputs[i]] = true
		}
	}
	filled := map[*Value]*Value{}
	b := &Builder{G: h, Default: tensor.Float32}
	nodes := h.Nodes
	h.Nodes = nil
	to := map[*Value]*Value{}
	for _, n := range nodes {
		any, some := false, false
		for k := range n.In {
			v := n.In[k].Value
			if v == nil {
				continue
			}
			if w := to[v]; w != nil {
				n.In[k].Value = w
				v = w
			}
			any = any || live[v]
			some = some || zero[v]
		}
		switch {
		case some && !any:
			for _, v := range n.Out {
				zero[v] = true
			}
			h.Nodes = append(h.Nodes, n) // dead, unless something is filled in wrongly
			continue
		case some:
			if c := sumWithout(n, zero); c != nil {
				m := &Node{Call: cloneCall(&c.Meta), In: []Operand{*c}, State: -1, Fixed: true}
				h.Add(m)
				m.Out[0].Len = n.Out[0].Len
				to[n.Out[0]] = m.Out[0]
				live[m.Out[0]] = true
				continue
			}
			for k := range n.In {
				v := n.In[k].Value
				if v == nil || !zero[v] {
					continue
				}
				z := filled[v]
				if z == nil {
					gr := op.G{Graph: b}
					z = gr.Op("zeros", []sym.Int{v.Len}, op.KW{Name: "dtype", V: v.DType}, op.KW{Name: "device", V: n.In[k].Dev}).(*Tensor).Store.Value
					z.Len = v.Len
					filled[v] = z
				}
				n.In[k].Value = z
			}
		}
		for _, v := range n.Out {
			live[v] = live[v] || any
		}
		h.Nodes = append(h.Nodes, n)
	}
	var outs []*Value
	for _, i := range want {
		v := h.Outputs[i]
		if w := to[v]; w != nil {
			v = w
		}
		given = append(given, !zero[v])
		if !zero[v] {
			outs = append(outs, v)
		}
	}
	need := map[*Value]bool{}
	for _, v := range outs {
		need[v] = true
	}
	for i := len(h.Nodes) - 1; i >= 0; i-- {
		n := h.Nodes[i]
		use := false
		for _, v := range n.Out {
			use = use || need[v]
		}
		if use {
			for k := range n.In {
				if v := n.In[k].Value; v != nil {
					need[v] = true
				}
			}
		}
	}
	var ins []*Value
	for i, v := range h.Inputs {
		if need[v] {
			ins, used = append(ins, v), append(used, i)
		}
	}
	return h.extract(ins, outs, func(n *Node) bool {
		return false
	}), used, given
}

// sumWithout is the operand that a sum equals if the other is zero: nil if n is
// no such sum.
func sumWithout(n *Node, zero map[*Value]bool) *Operand {
	if n.Target != nil || n.Call.Def.Name != "add" || len(n.In) != 2 || n.In[0].Value == nil || n.In[1].Value == nil || !Dense(&n.OutMeta[0]) {
		return nil
	}
	if a := n.Call.Num("alpha"); !a.Is(1) {
		return nil
	}
	k := 0
	if zero[n.In[0].Value] {
		k = 1
	}
	o := n.In[k]
	out := &n.OutMeta[0]
	if o.DType != out.DType || !sym.AllKnownEq(o.Size, out.Size) || !sym.AllKnownEq(out.Stride, rowMajor(out.Size)) || !out.Off.Is(0) {
		return nil
	}
	return &o
}
