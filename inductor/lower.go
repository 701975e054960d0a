package inductor

import (
	"fmt"

	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// lower makes the plan of a graph.
func lower(g *graph.Graph) *plan {
	p := newPlan(g)
	for _, n := range g.Nodes {
		p.node(n)
	}
	return p
}

func (p *plan) node(n *graph.Node) {
	d := n.Call.Def
	switch {
	case n.Target != nil:
		p.put(n)
	case d.Body != nil:
		p.point(n)
	case d.Reduce != nil:
		p.reduce(n)
	case d.Rows != nil:
		p.rows(n)
	case d.Index != nil:
		p.index(n)
	case d.Scatter != nil:
		p.scatter(n)
	case d.Extern != nil:
		p.template(n)
	default:
		panic("BUG: op " + d.Name + " reached lowering without a meaning that computes")
	}
}

// nest is one kernel under construction for a node. It is the loop.Env of the
// node's body.
type nest struct {
	*loop.Builder
	p    *plan
	n    *graph.Node
	bufs []int              // kernel buffer -> plan buffer
	of   map[int]int        // plan buffer -> kernel buffer
	nums []int              // kernel scalar -> number slot
	it   *graph.Iter        // Body, Reduce, Rows
	axis []loop.Axis        // axis of each dimension of it; -1: not open
	seen map[loadKey]loop.V // loads of the current scope
}

type loadKey struct {
	operand int
	typed   bool
}

func (p *plan) nest(n *graph.Node, name string) *nest {
	x := &nest{Builder: loop.NewBuilder(name), p: p, n: n, of: map[int]int{}}
	x.Env = x
	return x
}

// mem is the kernel buffer of a value.
func (x *nest) mem(v *graph.Value, r loop.Role) int {
	pb := x.p.buf(v)
	if b, ok := x.of[pb]; ok {
		k := x.Kernel()
		if k.Bufs[b].Role != r {
			k.Bufs[b].Role = loop.InOut
		}
		return b
	}
	b := x.AddBuf(v.DType, r, fmt.Sprintf("v%d", v.ID))
	x.bufs = append(x.bufs, pb)
	x.of[pb] = b
	return b
}

// finish verifies the kernel and adds it as a step.
func (x *nest) finish() {
	k := x.Kernel()
	if err := loop.Verify(k); err != nil {
		panic("BUG: " + err.Error() + "\n" + k.String())
	}
	s := &step{name: k.Name, kernel: k, bufs: x.bufs, nums: x.nums, bounds: loop.NewBounds(k), state: -1}
	if l := k.Split(); l != nil {
		s.split, s.hasCut = l.Extent, true
	}
	x.p.steps = append(x.p.steps, s)
}

// number is a run-time number slot of the node as a value.
func (x *nest) number(slot int, t loop.Type) loop.V {
	slot += x.n.Num
	s := x.ScalarSlot(fmt.Sprintf("num%d", slot), t)
	if s == len(x.nums) {
		x.nums = append(x.nums, slot)
	}
	return x.Scalar(s)
}

// Num implements loop.Env.
func (x *nest) Num(name string, t loop.Type) loop.V {
	slot, ok := x.n.Call.NumSlot(name)
	if !ok {
		panic("BUG: op " + x.n.Call.Def.Name + " reads number " + name + ", which is None")
	}
	return x.number(slot, t)
}

// At implements loop.Env.
func (x *nest) At(k int, at []loop.Ix, mask loop.V) loop.V {
	c := x.n.Call
	if c.IsNum(k) {
		return x.number(c.OperandSlot(k), loop.TypeOf(c.DType))
	}
	o := &x.n.In[k]
	if o.Value == nil {
		panic(fmt.Sprintf("BUG: op %s loads operand %d, which is absent", c.Def.Name, k))
	}
	m := x.Access(x.mem(o.Value, loop.In), o.Size, o.Stride, o.Off, at, mask)
	return x.typed(k, x.Load(m))
}

// typed casts an operand's element to the dtype of computation where it takes part.
func (x *nest) typed(k int, v loop.V) loop.V {
	if c := x.n.Call; c.Takes(k) && c.In[k].DType != c.DType {
		return x.CastTo(v, c.DType)
	}
	return v
}

// loops opens one loop for each size, the one at vec as Vector, and runs f
// inside with the axes in order of the sizes.
func (x *nest) loops(size []sym.Int, outer loop.LoopKind, f func(at []loop.Ix)) {
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

// copyAll stores operand 0 into output 0, element by element.
func (p *plan) copyAll(n *graph.Node) {
	x := p.nest(n, n.Call.Def.Base+"_copy")
	o, m := &n.In[0], &n.OutMeta[0]
	x.loops(m.Size, loop.Grid, func(at []loop.Ix) {
		v := x.Load(x.Access(x.mem(o.Value, loop.In), o.Size, o.Stride, o.Off, at, 0))
		x.Store(x.Access(x.mem(n.Out[0], loop.Out), m.Size, m.Stride, m.Off, at, 0), x.CastTo(v, m.DType))
	})
	x.finish()
}

func (p *plan) index(n *graph.Node) {
	x := p.nest(n, n.Call.Def.Name)
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
		p.copyAll(n)
	}
	x := p.nest(n, c.Def.Name)
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

// put writes operand 1 into a copy of operand 0, which is flat memory.
func (p *plan) put(n *graph.Node) {
	p.copyAll(n)
	x := p.nest(n, "put")
	t, o := n.Target, &n.In[1]
	x.loops(t.Size, loop.Grid, func(at []loop.Ix) {
		v := x.Load(x.Access(x.mem(o.Value, loop.In), o.Size, o.Stride, o.Off, at, 0))
		x.Store(x.Access(x.mem(n.Out[0], loop.Out), t.Size, t.Stride, t.Off, at, 0), x.CastTo(v, t.DType))
	})
	x.finish()
}

func (p *plan) template(n *graph.Node) {
	c := n.Call
	t := c.Def.Extern(c)
	s := &step{name: t.Name, tmpl: &t, state: n.State}
	for i := range n.In {
		o := operand{buf: -1}
		if n.In[i].Value != nil {
			o = operand{p.buf(n.In[i].Value), n.In[i].Meta}
		} else if n.In[i].Num {
			slot := c.OperandSlot(i)
			s.tnums = append(s.tnums, n.Num+slot)
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
		s.tnums = append(s.tnums, n.Num+slot)
	}
	p.steps = append(p.steps, s)
}
