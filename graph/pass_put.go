package graph

import (
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// simplifyPuts removes puts that need no copy of their base:
//
//	a put over all of the memory        is a copy of the source in that layout
//	a put into a put, at the same place the first is not seen
//	a reader of just the place written  reads the source
//	a reader of another place           reads the base
func simplifyPuts(g *Graph) bool {
	users := g.Users()
	changed := false
	for _, n := range g.Nodes {
		if n.Target == nil {
			continue
		}
		t := n.Target
		if p := n.In[0].Value.Node; p != nil && p.Target != nil && sameMeta(p.Target, t) {
			n.In[0].Value = p.In[0].Value
			users[p.In[0].Value] = append(users[p.In[0].Value], Use{n, 0})
			users[p.Out[0]] = without(users[p.Out[0]], Use{n, 0})
			changed = true
		}
		changed = n.forwardPut(users) || changed
	}
	for _, n := range g.Nodes {
		if n.Target != nil && n.wholePut() {
			changed = true
		}
	}
	return changed
}

func without(l []Use, u Use) []Use {
	out := l[:0:0]
	for _, x := range l {
		if x != u {
			out = append(out, x)
		}
	}
	return out
}

// wholePut turns a put over all of its memory into a copy; the base is not read.
func (n *Node) wholePut() bool {
	t := n.Target
	if !t.Off.Is(0) || !Dense(t) || !n.Out[0].Len.KnownEq(t.Numel()) {
		return false
	}
	src, ok := n.frameOperandOver(1, t.Size)
	if !ok {
		return false
	}
	d := lookup("clone")
	c := &op.Call{Def: d, Args: make([]op.Arg, len(d.Params)), Default: n.Call.Default, DType: src.DType, Dev: n.Call.Dev}
	c.Args[0] = op.Arg{Kind: op.ArgTensor}
	m := src.Meta
	c.In = []*tensor.Meta{&m}
	c.Out = []tensor.Meta{*t}
	n.Call, n.In, n.OutMeta, n.Target = c, []Operand{src}, []tensor.Meta{*t}, nil
	return true
}

// frameOperandOver is frameOperand over another size than the output's.
func (n *Node) frameOperandOver(k int, size []sym.Int) (Operand, bool) {
	x := Node{In: n.In, OutMeta: []tensor.Meta{{Size: size}}}
	return x.frameOperand(k)
}

// forwardPut lets readers pass by the put where it is known what they see.
func (n *Node) forwardPut(users map[*Value][]Use) bool {
	t := n.Target
	v := n.Out[0]
	src, ok := n.frameOperandOver(1, t.Size)
	if !ok {
		return false
	}
	exact := src.DType == t.DType && Injective(t)
	changed := false
	keep := users[v][:0:0]
	for _, u := range users[v] {
		in := u.Node.In[u.Arg]
		put := u.Node.Target != nil && u.Arg == 0 // reads all
		if !put && exact {
			if c, ok := Through(t, in.Off, in.Stride, in.Size, false); ok {
				m := tensor.Meta{DType: src.DType, Dev: src.Dev, Size: in.Size, Off: src.Off, Stride: make([]sym.Int, len(in.Size))}
				for e := range c {
					m.Off = m.Off.Add(c[e].Off.Mul(src.Stride[e]))
					for d, k := range c[e].Coef {
						m.Stride[d] = m.Stride[d].Add(k.Mul(src.Stride[e]))
					}
				}
				u.Node.setOperand(u.Arg, Operand{Value: src.Value, Meta: m})
				users[src.Value] = append(users[src.Value], u)
				changed = true
				continue
			}
		}
		if !put && apart(t, &in.Meta) {
			in.Value = n.In[0].Value
			u.Node.setOperand(u.Arg, in)
			users[in.Value] = append(users[in.Value], u)
			changed = true
			continue
		}
		keep = append(keep, u)
	}
	users[v] = keep
	return changed
}

// apart: two walks meet in no address, shown by their spans or, where one
// dimension's stride exceeds what the others span, by their places in it.
func apart(a, b *tensor.Meta) bool {
	al, ah, ok1 := span(a)
	bl, bh, ok2 := span(b)
	if !ok1 || !ok2 {
		return false
	}
	if ah < bl || bh < al {
		return true
	}
	// columns: both walk the same outer dims, and inside them their spans differ
	for _, s := range a.Stride {
		v, ok := s.Const()
		if !ok || v <= 1 {
			continue
		}
		x, okx := within(a, v)
		y, oky := within(b, v)
		if okx && oky && (x[1] < y[0] || y[1] < x[0]) {
			return true
		}
	}
	return false
}

// within is the span of a walk modulo v, where no step crosses a multiple of v.
func within(m *tensor.Meta, v int64) (r [2]int64, ok bool) {
	off := m.Off.Must() % v
	hi := off
	for d, s := range m.Stride {
		n, t := m.Size[d].Must(), s.Must()
		if n == 0 {
			return r, false
		}
		if t%v == 0 {
			continue
		}
		if t < 0 {
			return r, false
		}
		hi += t * (n - 1)
	}
	return [2]int64{off, hi}, hi < v
}

// span is the range of addresses of constant geometry with elements.
func span(m *tensor.Meta) (lo, hi int64, ok bool) {
	lo, ok = m.Off.Const()
	hi = lo
	for d, s := range m.Size {
		n, ok1 := s.Const()
		t, ok2 := m.Stride[d].Const()
		if !ok || !ok1 || !ok2 || n == 0 {
			return 0, 0, false
		}
		if e := (n - 1) * t; e < 0 {
			lo += e
		} else {
			hi += e
		}
	}
	return lo, hi, ok
}
