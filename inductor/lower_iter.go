package inductor

import (
	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// groupNest makes the nest of a group: the walks of all it reads and stores, and
// the loops arranged for them.
func (p *plan) groupNest(x *kernelBuilder, f *fuser, g *group) *nest {
	y := &nest{kernelBuilder: x, f: f, g: g, maps: map[*graph.Node][][]graph.Coord{}}
	n := len(g.size)
	var ops []graph.IterOp
	add := func(v *graph.Value, off sym.Int, st []sym.Int) {
		for i := range y.walks {
			if w := &y.walks[i]; w.v == v && sameWalk(g.size, w.off, w.stride, off, st) {
				return
			}
		}
		y.walks = append(y.walks, walk{v, off, st})
		ops = append(ops, graph.IterOp{Off: off, Stride: st})
	}
	if u := g.prog; u != nil {
		for k := range u.fine.Ops {
			o := u.fine.Ops[k]
			y.walks = append(y.walks, walk{})
			if k < len(u.n.In) && u.n.In[k].Value != nil {
				if q := f.units[u.n.In[k].Value.Node]; q != nil && q.inline {
					o.Absent = true
				}
			}
			ops = append(ops, o)
		}
	}
	placed := false
	first := -1
	for _, u := range g.units {
		if u.at == nil {
			u.at = identity(u.dims, n)
		}
		placed = placed || f.placed(u)
		for _, r := range u.reads {
			if r.opaque {
				continue
			}
			if q := f.units[r.v.Node]; q != nil && q.group == g && !q.stored[r.v.Out] {
				continue // in registers
			}
			off, st := substitute(r.off, r.stride, u.at, n)
			if u.kind == kindReduce && first < 0 {
				first = len(y.walks)
			}
			add(r.v, off, st)
		}
		if u == g.prog {
			continue
		}
		for j := range u.n.Out {
			if !u.stored[j] {
				continue
			}
			o := &u.fine.Ops[len(u.n.In)+j]
			off, st := substitute(o.Off, o.Stride, u.at, n)
			add(u.n.Out[j], off, st)
			if !g.folds && g.prog == nil {
				first = len(y.walks) - 1 // loops in the order of the last output
			}
		}
	}
	var order, rows []int
	ordered := false
	if g.folds || g.prog != nil {
		rows = g.rows
	}
	r := 0
	for d := range n {
		if r < len(rows) && rows[r] == d {
			r++
			continue
		}
		order = append(order, d)
	}
	order = append(order, rows...)
	serial := false
	for _, u := range g.units {
		if u.kind == kindReduce {
			ordered = ordered || isOrdered(u.n)
		}
	}
	if g.prog != nil {
		ordered, serial, first = true, g.prog.n.Call.Def.Rows.Serial, 0
	}
	y.it = graph.Arrange(g.size, order, len(rows), ops, max(first, 0), placed, ordered, serial)
	return y
}

func isOrdered(n *graph.Node) bool {
	d := n.Call.Def.Reduce
	if d.Ordered {
		return true
	}
	for _, f := range d.Ops {
		if f.HasIndex() {
			return true
		}
	}
	return false
}

// emit builds the nest into the kernel.
func (x *nest) emit() {
	x.Env = x
	x.axis = make([]loop.Axis, len(x.it.Size))
	for i := range x.axis {
		x.axis[i] = -1
	}
	x.scopes = []map[memoKey]loop.V{{}}
	switch {
	case x.g.prog != nil:
		x.program()
	case x.g.folds:
		x.passes()
	default:
		x.dims(0, len(x.it.Size), loop.Grid, loop.Vector, func() {
			for _, u := range x.g.units {
				x.root(u)
			}
			x.flush()
		})
	}
}

// root computes a pointwise root at the open axes.
func (x *nest) root(u *unit) {
	var v loop.V
	if u.kind == kindPut {
		n := u.n
		x.call(n)
		v = x.CastTo(x.operand(u, 1, u.at), n.Target.DType)
		u.stored[0] = true
	} else {
		v = x.compute(u, u.at)
	}
	x.remember(memoKey{u.n.Out[0], -1, -1}, v)
	x.keep(u, 0, v)
}

// row is the passes over a row.
func (x *nest) row() *rowNest { return &rowNest{nest: x, u: x.g.units[0], across: x.it.Across} }

// passes lowers a group with folds: for each row, its passes in order, each
// folding what its reductions fold and storing what is pointwise over the row;
// between them what is computed once a row.
func (x *nest) passes() {
	r := x.row()
	last := 0
	for _, u := range x.g.units {
		last = max(last, u.level)
	}
	r.EachRow(func() {
		held := x.pend // stores of the row wait for its end
		x.pend = nil
		between := func(after int) {
			for _, u := range x.g.units {
				if u.kept && u.level == after {
					x.root(u)
				}
			}
		}
		between(-1)
		for l := 0; l <= last; l++ {
			x.pass(r, l)
			between(l)
		}
		x.flush()
		x.pend = held
	})
}

// pass is pass l over the current row.
func (x *nest) pass(r *rowNest, l int) {
	var ops []loop.FoldOp
	var folds, points []*unit
	for _, u := range x.g.units {
		switch {
		case u.kept || u.level != l:
		case u.kind == kindReduce:
			ops = append(ops, u.n.Call.Def.Reduce.Ops...)
			folds = append(folds, u)
		default:
			points = append(points, u)
		}
	}
	if len(folds)+len(points) == 0 {
		return
	}
	rowStores := x.pend
	x.pend = nil
	acc := r.Fold(ops, func() []loop.V {
		var v, ix []loop.V
		for _, u := range x.g.units {
			if u.kept || u.level != l {
				continue
			}
			if u.kind != kindReduce {
				x.root(u)
				continue
			}
			a := x.each(r, u)
			n := len(u.n.Call.Def.Reduce.Ops)
			v, ix = append(v, a[:n]...), append(ix, a[n:]...)
		}
		x.flush()
		return append(v, ix...)
	})
	x.pend = rowStores
	v, ix := acc[:len(ops)], acc[len(ops):]
	for _, u := range folds {
		d := u.n.Call.Def.Reduce
		n, m := len(d.Ops), 0
		for _, f := range d.Ops {
			if f.HasIndex() {
				m++
			}
		}
		a := append(append([]loop.V{}, v[:n]...), ix[:m]...)
		v, ix = v[n:], ix[m:]
		if d.Post != nil {
			x.building(u, u.at, func() { a = d.Post(x.Builder, u.n.Call, a, r.Len()) })
		}
		for j := range u.n.Out {
			e := x.CastTo(a[j], u.n.OutMeta[j].DType)
			x.remember(memoKey{u.n.Out[j], -1, -1}, e)
			x.keep(u, j, e)
		}
	}
}

// each is what a reduction folds at the current place.
func (x *nest) each(r *rowNest, u *unit) (a []loop.V) {
	d := u.n.Call.Def.Reduce
	x.call(u.n)
	v := x.operand(u, 0, u.at)
	pos := loop.V(0)
	if isOrdered(u.n) {
		pos = r.Pos()
	}
	switch {
	case d.Each != nil:
		x.building(u, u.at, func() { a = d.Each(x.Builder, u.n.Call, v, pos) })
	case pos != 0:
		a = []loop.V{v, pos}
	default:
		a = []loop.V{v}
	}
	return a
}

// program lowers a Rows program and its epilogues, which follow the last store of
// the output that they read.
func (x *nest) program() {
	u := x.g.prog
	x.call(u.n)
	r := x.row()
	r.u = u
	r.seen = make([]int, len(u.n.Out))
	x.building(u, u.at, func() { u.n.Call.Def.Rows.Run(x.Builder, u.n.Call, r) })
}
