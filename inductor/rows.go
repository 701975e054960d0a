package inductor

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// rowNest is op.Row over a nest.
type rowNest struct {
	*nest
	u      *unit
	across bool  // the innermost kept dimension is the vector axis
	seen   []int // stores of each output so far
}

var _ op.Row = (*rowNest)(nil)

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

func (r *rowNest) Has(k int) bool { return r.u.n.In[k].Value != nil || r.u.n.In[k].Num }

func (r *rowNest) In(k int) loop.V { return r.operand(r.u, k, r.u.at) }

// Out stores output j at the open axes; after the last store of it come the
// epilogues that read it.
func (r *rowNest) Out(j int, v loop.V) {
	u := r.u
	v = r.CastTo(v, u.n.OutMeta[j].DType)
	if r.seen[j]++; u.stored[j] {
		r.Store(r.addr(len(u.n.In)+j, r.mem(u.n.Out[j], loop.Out)), v)
		if r.f == nil {
			clear(r.scopes[len(r.scopes)-1]) // a load after a store may see it: memory is shared
		}
	}
	if r.f == nil || u.probe.outs[j] != r.seen[j] {
		return
	}
	any := false
	for _, e := range r.g.units {
		if e.hook != j {
			continue
		}
		if !any {
			any = true
			r.remember(memoKey{u.n.Out[j], -1, -1}, v)
		}
		r.root(e)
	}
	if any {
		r.flush()
	}
}

func (r *rowNest) Back(j int) loop.V {
	return r.Load(r.addr(len(r.u.n.In)+j, r.mem(r.u.n.Out[j], loop.InOut)))
}

// Pick loads operand k of the current row at index i from data.
func (r *rowNest) Pick(k int, i loop.V, mask loop.V, c *loop.Check) loop.V {
	n := r.u.n
	o := &r.it.Ops[k]
	m := &loop.Access{Buf: r.mem(n.In[k].Value, loop.In), Off: r.P(o.Off), Mask: mask}
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
		panic("BUG: op " + n.Call.Def.Name + " picks from a row of several dimensions")
	}
	if c == nil {
		c = &loop.Check{Kind: tensor.IndexError, Msg: "index %i is out of bounds for dimension %d with size %n"}
	}
	dyn.Check = r.AddCheck(*c)
	m.Dyn = []loop.Dyn{dyn}
	return r.typed(n, k, r.Load(m))
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
