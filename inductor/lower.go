package inductor

import (
	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// lower makes the plan of a graph.
func lower(g *graph.Graph, o *Options) *plan {
	p := newPlan(g)
	p.whole = o.Copy != nil
	if len(g.Nodes) == 1 && (g.Nodes[0].Iter != nil || !graph.HasIter(g.Nodes[0].Call.Def)) && g.Nodes[0].Target == nil {
		p.single(g.Nodes[0])
		p.layout()
		return p
	}
	f := newFuser(g, o.NoFuse)
	f.nobundle = o.NoBundle || o.NoFuse
	f.group()
	f.settle()
	order := f.sorted()
	p.share(f, order)
	for i := 0; i < len(order); {
		if p.follow(f, order, i) {
			i += 2
			continue
		}
		i = p.bundle(f, order, i)
	}
	p.layout()
	return p
}

// single lowers the graph of one node: an eager op.
func (p *plan) single(n *graph.Node) {
	d := n.Call.Def
	switch {
	case n.Iter == nil && d.Index != nil:
		p.index(n)
	case n.Iter == nil:
		p.alone(&unit{n: n, kind: kindAlone})
	default:
		u := &unit{n: n, hook: -1, stored: make([]bool, len(n.Out))}
		for j := range u.stored {
			u.stored[j] = true
		}
		x := p.kernel()
		x.oneNest = d.Body != nil
		y := &nest{kernelBuilder: x, g: &group{units: []*unit{u}}, it: n.Iter, maps: map[*graph.Node][][]graph.Coord{}}
		switch {
		case d.Body != nil:
			u.kind = kindPoint
		case d.Reduce != nil:
			u.kind, y.g.folds = kindReduce, true
		default:
			u.kind, y.g.prog = kindRows, u
		}
		y.emit()
		x.finish()
	}
}

// alone lowers what is never fused: puts, scatters, templates.
func (p *plan) alone(u *unit) {
	n := u.n
	switch d := n.Call.Def; {
	case d.Scatter != nil:
		p.scatter(n)
	case d.Extern != nil:
		p.template(n)
	default:
		panic("BUG: op " + d.Name + " reached lowering without a meaning that computes")
	}
}

// nodeKernel is a kernel that holds one node's statements and no group.
type nodeKernel struct {
	*kernelBuilder
	n *graph.Node
}

func (p *plan) nodeKernel(n *graph.Node, name string) *nodeKernel {
	x := &nodeKernel{p.kernel(), n}
	x.name = []string{name}
	x.Env = x
	return x
}

func (x *nodeKernel) Num(name string, t loop.Type) loop.V {
	slot, ok := x.n.Call.NumSlot(name)
	if !ok {
		panic("BUG: op " + x.n.Call.Def.Name + " reads number " + name + ", which is None")
	}
	return x.number(x.n, slot, t)
}

func (x *nodeKernel) At(k int, at []loop.Ix, mask loop.V) loop.V { return x.atIndex(x.n, k, at, mask) }

// loops opens one loop for each size, the one at vec as Vector, and runs f
// inside with the axes in order of the sizes.
func (x *kernelBuilder) loops(size []sym.Int, outer loop.LoopKind, f func(at []loop.Ix)) {
	n := len(size)
	vec := n - 1
	if n > 1 && size[vec].Hint() < 32 {
		for d := range n {
			if size[d].Hint() > 4*size[vec].Hint() {
				vec = d
			}
		}
	}
	at := make([]loop.Ix, n)
	var open func(d int)
	open = func(d int) {
		if d == vec {
			d++
		}
		if d < n {
			x.Loop(outer, size[d], func(a loop.Axis) {
				at[d] = loop.At(a)
				open(d + 1)
			})
			return
		}
		if n == 0 {
			f(at)
			return
		}
		x.Loop(loop.Vector, size[vec], func(a loop.Axis) {
			at[vec] = loop.At(a)
			f(at)
		})
	}
	open(0)
}

// copyBase stores operand 0 into output 0, element by element, unless they share
// memory.
func (p *plan) copyBase(n *graph.Node) {
	if v := n.In[0].Value; v != nil && p.buf(v) == p.buf(n.Out[0]) {
		return
	}
	x := p.nodeKernel(n, n.Call.Def.Base+"_copy")
	o, m := &n.In[0], &n.OutMeta[0]
	x.loops(m.Size, loop.Grid, func(at []loop.Ix) {
		v := x.Load(x.Access(x.mem(o.Value, loop.In), o.Size, o.Stride, o.Off, at, 0))
		x.Store(x.Access(x.mem(n.Out[0], loop.Out), m.Size, m.Stride, m.Off, at, 0), x.CastTo(v, m.DType))
	})
	steps := len(p.steps)
	x.finish()
	a := &o.Meta
	if len(p.steps) == steps+1 && a.DType == m.DType && sym.AllKnownEq(a.Size, m.Size) && sym.AllKnownEq(a.Stride, m.Stride) && a.Off.KnownEq(m.Off) {
		p.steps[steps].copies = true
	}
}

func (p *plan) index(n *graph.Node) {
	x := p.nodeKernel(n, n.Call.Def.Name)
	m := &n.OutMeta[0]
	x.loops(m.Size, loop.Grid, func(at []loop.Ix) {
		v := n.Call.Def.Index(x.Builder, n.Call, at)
		x.Store(x.Access(x.mem(n.Out[0], loop.Out), m.Size, m.Stride, m.Off, at, 0), x.CastTo(v, m.DType))
	})
	x.finish()
}

func (p *plan) scatter(n *graph.Node) {
	c, s := n.Call, n.Call.Def.Scatter
	if !c.InPlace {
		p.copyBase(n)
	}
	x := p.nodeKernel(n, c.Def.Name)
	m := &n.OutMeta[0]
	var over []sym.Int
	if s.Over != nil {
		over = s.Over(c)
	} else {
		over = c.In[1].Size
	}
	comb := loop.CombineSet
	if s.Combine != nil {
		comb = s.Combine(c)
	}
	x.loops(over, loop.Serial, func(at []loop.Ix) {
		where, v := s.At(x.Builder, c, at)
		x.Atomic(comb, x.Access(x.mem(n.Out[0], loop.InOut), m.Size, m.Stride, m.Off, where, 0), x.CastTo(v, m.DType))
	})
	x.finish()
}

func (p *plan) template(n *graph.Node) {
	c := n.Call
	t := c.Def.Extern(c)
	s := &step{name: t.Name, tmpl: &t, state: n.State}
	number := func(slot int) {
		if n.Fixed {
			s.tnums = append(s.tnums, templateNumber{-1, c.Numbers(nil)[slot]})
		} else {
			s.tnums = append(s.tnums, templateNumber{slot: n.Num + slot})
		}
	}
	for i := range n.In {
		o := operand{buf: -1}
		if n.In[i].Value != nil {
			o = operand{p.buf(n.In[i].Value), n.In[i].Meta}
		} else if n.In[i].Num {
			number(c.OperandSlot(i))
		}
		s.in = append(s.in, o)
	}
	for j := range n.Out {
		s.out = append(s.out, operand{p.buf(n.Out[j]), n.OutMeta[j]})
	}
	for _, name := range t.NumArgs {
		slot, ok := c.NumSlot(name)
		if !ok {
			panic("BUG: template " + t.Name + " reads number " + name + ", which is None")
		}
		number(slot)
	}
	p.steps = append(p.steps, s)
}
