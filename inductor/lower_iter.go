package inductor

import (
	"fmt"

	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// begin starts a nest over the node's iteration space.
func (p *plan) begin(n *graph.Node) *nest {
	x := p.nest(n, n.Call.Def.Name)
	x.it = n.Iter
	if x.it == nil {
		x.it = graph.NewIter(n.Call)
	}
	x.axis = make([]loop.Axis, len(x.it.Size))
	for i := range x.axis {
		x.axis[i] = -1
	}
	x.seen = map[loadKey]loop.V{}
	return x
}

// point lowers a Body.
func (p *plan) point(n *graph.Node) {
	x := p.begin(n)
	c := n.Call
	body := func() {
		v := make([]loop.V, len(n.In))
		for k := range n.In {
			if n.In[k].Value != nil || n.In[k].Num {
				v[k] = x.In(k)
			}
		}
		x.Out(0, c.Def.Body(x.Builder, v, c))
	}
	x.dims(0, len(x.it.Size), loop.Grid, loop.Vector, body)
	x.finish()
}

// dims opens dimensions lo … hi-1, the last with its own kind, and runs f.
func (x *nest) dims(lo, hi int, outer, last loop.LoopKind, f func()) {
	if lo == hi {
		f()
		return
	}
	k := outer
	if lo == hi-1 {
		k = last
	}
	x.Loop(k, x.it.Size[lo], func(a loop.Axis) {
		x.enter(lo, a, func() { x.dims(lo+1, hi, outer, last, f) })
	})
}

// folds is dims with folded values.
func (x *nest) folds(lo, hi int, outer, last loop.LoopKind, ops []loop.FoldOp, f func() []loop.V) []loop.V {
	if lo == hi {
		return f()
	}
	k := outer
	if lo == hi-1 {
		k = last
	}
	return x.Fold(k, x.it.Size[lo], ops, func(a loop.Axis) (v []loop.V) {
		x.enter(lo, a, func() { v = x.folds(lo+1, hi, outer, last, ops, f) })
		return v
	})
}

// enter sets an axis for the time of f; loads remembered inside are forgotten after.
func (x *nest) enter(d int, a loop.Axis, f func()) {
	seen := x.seen
	x.seen = map[loadKey]loop.V{}
	x.axis[d] = a
	f()
	x.axis[d] = -1
	x.seen = seen
}

// addr is the address of operand k (outputs follow the operands) at the open axes.
func (x *nest) addr(k, buf int) *loop.Access {
	o := &x.it.Ops[k]
	m := &loop.Access{Buf: buf, Off: x.P(o.Off)}
	for d, s := range o.Stride {
		if s.Is(0) {
			continue
		}
		if x.axis[d] < 0 {
			panic(fmt.Sprintf("BUG: op %s reads operand %d outside the pass it moves in", x.n.Call.Def.Name, k))
		}
		m.Terms = append(m.Terms, loop.Term{Axis: x.axis[d], Stride: x.P(s)})
	}
	return m
}

// In is operand k at the open axes, in the dtype of computation if it takes part.
func (x *nest) In(k int) loop.V {
	c := x.n.Call
	if c.IsNum(k) {
		t := c.DType
		if !c.Takes(k) {
			t = c.In[k].DType
		}
		return x.number(c.OperandSlot(k), loop.TypeOf(t))
	}
	key := loadKey{k, true}
	if v, ok := x.seen[key]; ok {
		return v
	}
	o := &x.n.In[k]
	if o.Value == nil {
		panic(fmt.Sprintf("BUG: op %s reads operand %d, which is absent", c.Def.Name, k))
	}
	v := x.typed(k, x.Load(x.addr(k, x.mem(o.Value, loop.In))))
	x.seen[key] = v
	return v
}

// Out stores output j at the open axes.
func (x *nest) Out(j int, v loop.V) {
	m := x.addr(len(x.n.In)+j, x.mem(x.n.Out[j], loop.Out))
	x.Store(m, x.CastTo(v, x.n.OutMeta[j].DType))
	clear(x.seen) // a load after a store may see it: memory can be shared
}

// rowNest is op.Row over a nest.
type rowNest struct {
	*nest
	across bool // the innermost kept dimension is the vector axis
	inPass bool
}

func (x *nest) row() *rowNest { return &rowNest{nest: x, across: x.it.Across} }

func (r *rowNest) kept() int { return r.it.Kept() }

func (r *rowNest) keptKinds(outer loop.LoopKind) (loop.LoopKind, loop.LoopKind) {
	if r.across {
		return outer, loop.Vector
	}
	return outer, outer
}

func (r *rowNest) EachRow(f func()) {
	o, l := r.keptKinds(loop.Grid)
	r.dims(0, r.kept(), o, l, f)
}

func (r *rowNest) FoldRows(ops []loop.FoldOp, f func() []loop.V) []loop.V {
	o, l := r.keptKinds(loop.Serial)
	return r.folds(0, r.kept(), o, l, ops, f)
}

func (r *rowNest) rowKind() loop.LoopKind {
	if r.across {
		return loop.Serial
	}
	return loop.Vector
}

func (r *rowNest) Pass(f func()) {
	r.dims(r.kept(), len(r.it.Size), loop.Serial, r.rowKind(), f)
}

func (r *rowNest) Fold(ops []loop.FoldOp, f func() []loop.V) []loop.V {
	return r.folds(r.kept(), len(r.it.Size), loop.Serial, r.rowKind(), ops, f)
}

func (r *rowNest) Scan(init []loop.V, f func(cur []loop.V) []loop.V) []loop.V {
	var walk func(d int, cur []loop.V) []loop.V
	walk = func(d int, cur []loop.V) []loop.V {
		if d == len(r.it.Size) {
			return f(cur)
		}
		return r.Carry(r.it.Size[d], cur, func(a loop.Axis, cur []loop.V) (next []loop.V) {
			r.enter(d, a, func() { next = walk(d+1, cur) })
			return next
		})
	}
	return walk(r.kept(), init)
}

func (r *rowNest) Has(k int) bool { return r.n.In[k].Value != nil || r.n.In[k].Num }

func (r *rowNest) Back(j int) loop.V {
	return r.Load(r.addr(len(r.n.In)+j, r.mem(r.n.Out[j], loop.InOut)))
}

// Pick loads operand k of the current row at index i from data.
func (r *rowNest) Pick(k int, i loop.V, mask loop.V, c *loop.Check) loop.V {
	o := &r.it.Ops[k]
	m := &loop.Access{Buf: r.mem(r.n.In[k].Value, loop.In), Off: r.P(o.Off), Mask: mask}
	kept := r.kept()
	for d := range kept {
		if s := o.Stride[d]; !s.Is(0) {
			m.Terms = append(m.Terms, loop.Term{Axis: r.axis[d], Stride: r.P(s)})
		}
	}
	dyn := loop.Dyn{Index: i, Lim: loop.Imm(1)}
	switch r.it.Row {
	case 0: // a row of one element
	case 1:
		dyn.Stride, dyn.Lim = r.P(o.Stride[kept]), r.P(r.it.Size[kept])
	default:
		panic("BUG: op " + r.n.Call.Def.Name + " picks from a row of several dimensions")
	}
	if c == nil {
		c = &loop.Check{Kind: tensor.IndexError, Msg: "index %i is out of bounds for dimension %d with size %n"}
	}
	dyn.Check = r.AddCheck(*c)
	m.Dyn = []loop.Dyn{dyn}
	return r.typed(k, r.Load(m))
}

func (r *rowNest) Pos() loop.V {
	v := r.ConstI(loop.I64, 0)
	for d := r.kept(); d < len(r.it.Size); d++ {
		if d > r.kept() {
			v = r.Mul(v, r.Size(r.it.Size[d]))
		}
		v = r.Add(v, r.AxisV(r.axis[d]))
	}
	return v
}

func (r *rowNest) Len() loop.V   { return r.Size(sym.Prod(r.it.Size[r.kept():])) }
func (r *rowNest) Count() loop.V { return r.Size(sym.Prod(r.it.Size[:r.kept()])) }

// rows lowers a Rows program.
func (p *plan) rows(n *graph.Node) {
	x := p.begin(n)
	n.Call.Def.Rows.Run(x.Builder, n.Call, x.row())
	x.finish()
}

// reduce lowers a Reduce: one fold over each row, then its outputs.
func (p *plan) reduce(n *graph.Node) {
	x := p.begin(n)
	r, c, d := x.row(), n.Call, n.Call.Def.Reduce
	r.EachRow(func() {
		acc := r.Fold(d.Ops, func() []loop.V {
			v := r.In(0)
			pos := loop.V(0)
			needPos := d.Ordered
			for _, f := range d.Ops {
				needPos = needPos || f.HasIndex()
			}
			if needPos {
				pos = r.Pos()
			}
			if d.Each != nil {
				return d.Each(x.Builder, c, v, pos)
			}
			if needPos {
				return []loop.V{v, pos}
			}
			return []loop.V{v}
		})
		if d.Post != nil {
			acc = d.Post(x.Builder, c, acc, r.Len())
		}
		for j := range n.Out {
			r.Out(j, acc[j])
		}
	})
	x.finish()
}
