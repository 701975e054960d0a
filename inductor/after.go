package inductor

import (
	"context"
	"sync/atomic"

	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/inductor/loop"
)

// The kernel that reads a matrix product follows it, row by row: the template says
// which rows are complete, and the iterations of the kernel that read them run at
// once, by the same worker, while the rows are in its cache. So a bias, an
// activation, a residual, a softmax or a norm over the rows costs no walk through
// memory, and where the kernel stores over what it reads, as pointwise ones do, the
// product has no memory of its own.
//
//	template      rows 0-139     rows 140-279   …
//	after         iterations     iterations
//
// Nothing is said here about what the kernel computes: its iterations have to read
// the product in order, each a piece of it (rowsOf). A template that does not tell
// of rows is followed by the whole kernel.

// follow lowers the template order[i] and, as one step, the kernel of the group that
// reads its result, if there is one that can be next. That group moves to order[i+1]
// and done is true.
func (p *plan) follow(f *fuser, order []*group, i int) (done bool) {
	u := order[i].units[0]
	if f.nofuse || p.whole || !order[i].alone || u.n.Call.Def.Extern == nil || u.kind != kindAlone || len(u.n.Out) != 1 {
		return false
	}
	if u.n.Call.Def.Extern(u.n.Call).Name != "matmul" {
		return false
	}
	v := u.n.Out[0]
	before := map[*group]bool{}
	for _, g := range order[:i+1] {
		before[g] = true
	}
	at := -1
	for j := i + 1; j < len(order) && at < 0; j++ {
		for _, q := range order[j].units {
			for _, r := range q.reads {
				if r.v == v {
					at = j
				}
			}
		}
	}
	if at < 0 {
		return false
	}
	h := order[at]
	if h.alone {
		return false
	}
	for d := range h.deps {
		if !before[d] {
			return false
		}
	}
	p.alone(u)
	n := len(p.steps)
	t := p.steps[n-1]
	x := p.kernel()
	x.oneNest = !h.folds && h.prog == nil
	p.groupNest(x, f, h).emit()
	x.finish()
	copy(order[i+2:at+1], order[i+1:at])
	order[i+1] = h
	if len(p.steps) != n+1 {
		return true // nothing to store, or it may run in stages
	}
	s := p.steps[n]
	vb := p.buf(v)
	if !s.hasCut || !readsInOrder(s, vb) {
		return true
	}
	p.steps = p.steps[:n]
	t.after = s
	t.name += "_" + s.name
	if !f.outputs[v] && onlyIn(f, v, h) && p.bufs[vb].kind == bufTemp {
		p.over(t, vb)
	}
	return true
}

// onlyIn: nobody but group h reads v.
func onlyIn(f *fuser, v *graph.Value, h *group) bool {
	for _, g := range f.groups {
		for _, u := range g.units {
			for _, r := range u.reads {
				if r.v == v && g != h {
					return false
				}
			}
		}
	}
	return true
}

// readsInOrder: all of a kernel's loads of plan buffer b move with the loop that is
// cut. The strides are looked at when they are known (rowsOf).
func readsInOrder(s *step, b int) bool {
	axis := s.kernel.Split().Axis
	ok, found := true, false
	accesses(s.kernel.Body, func(m *loop.Access) {
		if s.bufs[m.Buf] != b {
			return
		}
		found = true
		moves := false
		for _, t := range m.Terms {
			moves = moves || t.Axis == axis
		}
		ok = ok && moves && len(m.Dyn) == 0
	})
	return ok && found
}

func accesses(body []loop.Stmt, f func(m *loop.Access)) {
	for _, s := range body {
		switch s := s.(type) {
		case *loop.Let:
			if s.Mem != nil {
				f(s.Mem)
			}
		case *loop.Store:
			f(s.Mem)
		case *loop.Atomic:
			f(s.Mem)
		case *loop.Loop:
			accesses(s.Body, f)
		}
	}
}

// over gives the product the memory of a result of the kernel that follows, which is
// stored where the product was read: then b needs none.
func (p *plan) over(t *step, b int) {
	s := t.after
	if !s.oneNest {
		return
	}
	in := soleWalk(s, b)
	if in == nil {
		return
	}
	for k, q := range s.bufs {
		x, y := &p.bufs[q], &p.bufs[b]
		if q == b || s.kernel.Bufs[k].Role != loop.Out || x.dtype.Size() != y.dtype.Size() {
			continue
		}
		out := soleWalk(s, q)
		if out == nil || !sameAccess(in, out) || x.kind == bufTemp && !x.len.KnownEq(y.len) {
			continue
		}
		if x.kind == bufOutput && !p.g.Outputs[x.index].Len.KnownEq(y.len) {
			continue
		}
		used := false // by the template
		for _, o := range t.in {
			used = used || o.buf == q
		}
		if used {
			continue
		}
		t.out[0].buf = q
		for j := range s.bufs {
			if s.bufs[j] == b {
				s.bufs[j] = q
			}
		}
		*y = *x
		return
	}
}

// rowRun is how the iterations of a kernel go with the rows of a product, and how
// many have been run.
type rowRun struct {
	ok   bool
	n    int64 // iterations
	rows int64
	each int64          // iterations a row, or 0
	per  int64          // rows an iteration, where several
	left []atomic.Int64 // of each iteration then: rows that are not complete
	run  func(lo, hi int64) error
	told atomic.Int64 // rows that were complete
}

// rowsOf resolves rowRun. Iteration i has to read elements i*s … (i+1)*s-1 of the
// product, s being a part of a row or a number of rows.
func rowsOf(t *step, o *loop.Operand, params []int64) *rowRun {
	r := &rowRun{}
	k := t.after.kernel
	l := k.Split()
	d := len(o.Size)
	want := int64(1)
	for i := d - 1; i >= 0; i-- {
		if o.Size[i] != 1 && o.Stride[i] != want {
			return r
		}
		want *= o.Size[i]
	}
	cols := o.Size[d-1]
	if want == 0 {
		return r
	}
	r.rows, r.n = want/cols, l.Extent.Get(params)
	if r.n <= 0 || want%r.n != 0 {
		return r
	}
	s := want / r.n
	ext := map[loop.Axis]int64{}
	var extents func(body []loop.Stmt)
	extents = func(body []loop.Stmt) {
		for _, q := range body {
			if l, ok := q.(*loop.Loop); ok {
				ext[l.Axis] = l.Extent.Get(params)
				extents(l.Body)
			}
		}
	}
	extents(k.Body)
	ok := true
	b := t.out[0].buf
	accesses(k.Body, func(m *loop.Access) {
		if t.after.bufs[m.Buf] != b {
			return
		}
		reach := m.Off.Get(params) - o.Off
		ok = ok && reach >= 0
		for _, q := range m.Terms {
			n := q.Stride.Get(params)
			if q.Axis == l.Axis {
				ok = ok && n == s
				continue
			}
			ok = ok && n >= 0
			reach += n * max(0, ext[q.Axis]-1)
		}
		ok = ok && reach < s
	})
	switch {
	case !ok:
		return r
	case cols%s == 0:
		r.each = cols / s
	case s%cols == 0:
		r.per = s / cols
		r.left = make([]atomic.Int64, r.n)
	default:
		return r
	}
	r.ok = true
	return r
}

// start readies r for a run.
func (r *rowRun) start() {
	r.told.Store(0)
	for i := range r.left {
		r.left[i].Store(r.per)
	}
}

// complete is TemplateArgs.Rows.
func (r *rowRun) complete(lo, hi int64) error {
	r.told.Add(hi - lo)
	if r.each > 0 {
		return r.run(lo*r.each, hi*r.each)
	}
	for i := lo / r.per; i*r.per < hi; i++ {
		n := min(hi, (i+1)*r.per) - max(lo, i*r.per)
		if r.left[i].Add(-n) == 0 {
			if err := r.run(i, i+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// templateAfter runs a template and the kernel that follows it.
func (x *executable) templateAfter(ctx context.Context, st *step, a *graph.RunArgs, s *scratch, i int, checked bool) error {
	k, r := st.after, s.after[i]
	if err := x.ready(ctx, k, a, s, i, checked); err != nil {
		return err
	}
	t := s.tmpl[i]
	t.Rows = nil
	if r.ok {
		args := &s.args[i]
		r.start()
		r.run = func(lo, hi int64) error { return k.prog.Run(args, lo, hi) }
		t.Rows = r.complete
	}
	err := x.template(ctx, st, a, s, i)
	r.run, t.Rows = nil, nil
	if err != nil || r.ok && r.told.Load() > 0 {
		if err == nil && r.told.Load() != r.rows {
			panic("BUG: template " + st.name + " told of another number of rows than there are")
		}
		return err
	}
	return x.launch(ctx, k, s, i)
}
