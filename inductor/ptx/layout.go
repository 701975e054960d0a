package ptx

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
)

// The four layouts: who computes a point, and how a unit shares out loops.

const columnThreads = 256

// flatIndex is a 64-bit register with block*threads + thread.
func (g *gen) flatIndex() string {
	b, n, t := g.let(b32, "mov.u32", "%ctaid.x"), g.let(b32, "mov.u32", "%ntid.x"), g.let(b32, "mov.u32", "%tid.x")
	return g.let(b64, "mad.wide.u32", b, n, g.let(b64, "cvt.u64.u32", t))
}

// spread gives the loops of the chain their place at point p; inner is the extent
// that the last one counts as.
func (g *gen) spread(list []*loop.Loop, p, inner string) {
	c, div, rem := b32, "div.u32", "rem.u32"
	if g.v.wide {
		c, div, rem = b64, "div.u64", "rem.u64"
	}
	narrow := func(r string) string {
		if g.v.wide {
			return r
		}
		return g.let(b32, "cvt.u32.u64", r)
	}
	if len(list) == 1 {
		g.axis[list[0].Axis] = p
		return
	}
	at := narrow(p)
	for i := len(list) - 1; i >= 0; i-- {
		a := at
		if i > 0 {
			e := inner
			if i < len(list)-1 || e == "" {
				e = g.copyOf(loop.I64, g.p(list[i].Extent))
			}
			e = narrow(e)
			a = g.let(c, rem, at, e)
			at = g.let(c, div, at, e)
		}
		if !g.v.wide {
			a = g.let(b64, "cvt.u64.u32", a)
		}
		g.axis[list[i].Axis] = a
	}
}

// threads: a thread computes a point, or vec neighbouring ones.
func (g *gen) threads() {
	i := g.flatIndex()
	g.op("@" + g.let(pred, "setp.ge.u64", i, g.word(b64, argPoints)) + " ret")
	chain := g.seg.chain
	if g.v.vec == 1 || chain == nil {
		if chain != nil {
			g.spread(chain, i, "")
		}
		g.stmts(g.seg.body)
		g.stmts(g.seg.post)
		g.keepAll("")
		return
	}
	g.spread(chain, i, g.word(b64, argInner))
	last := chain[len(chain)-1]
	n := g.copyOf(loop.I64, g.p(last.Extent))
	a := g.let(b64, "mul.lo.s64", g.axis[last.Axis], imm(int64(g.v.vec)))
	g.axis[last.Axis] = a
	tail, next, end := g.label(), g.label(), g.label()
	p := g.let(pred, "setp.gt.s64", g.let(b64, "add.s64", a, imm(int64(g.v.vec))), n)
	g.op("@"+p+" bra", tail)
	g.vector(g.seg.body, last.Axis, nil)
	g.op("bra", end)
	g.mark(tail)
	j := g.copyOf(loop.I64, a)
	g.axis[last.Axis] = j
	g.mark(next)
	g.enter()
	g.stmts(g.seg.body)
	g.leave()
	g.op("add.s64", j, j, "1")
	g.op("setp.lt.s64", p, j, n)
	g.op("@"+p+" bra", next)
	g.mark(end)
}

// vector computes vec iterations at once, from the one that the axis holds, and
// folds into the accumulators of each element.
func (g *gen) vector(body []loop.Stmt, axis loop.Axis, accs []acc) {
	g.enter()
	g.step = axis
	g.lane = make([]map[loop.V]string, g.v.vec)
	for e := range g.lane {
		g.lane[e] = map[loop.V]string{}
	}
	vary := varying(body, axis)
	g.vary, g.inverse = vary, map[string]string{}
	each := func(f func()) {
		for e := range g.v.vec {
			g.elem = e
			f()
		}
		g.elem = -1
	}
	for _, s := range body {
		switch s := s.(type) {
		case *loop.Let:
			switch {
			case s.Op == loop.OpLoad && vectorial(s.Mem, axis):
				for e, r := range g.loadVec(s.Mem, axis) {
					g.lane[e][s.V] = r
				}
			case !vary[s.V]:
				g.assign(s)
			default:
				each(func() { g.assign(s) })
			}
		case *loop.Store:
			if vectorial(s.Mem, axis) {
				vals := make([]string, 0, g.v.vec)
				each(func() { vals = append(vals, g.get(s.Val)) })
				g.storeVec(s.Mem, vals)
			} else {
				each(func() { g.stmt(s) })
			}
		default:
			each(func() { g.stmt(s) })
		}
	}
	for i := range accs {
		each(func() { g.accumulate(&accs[i]) })
	}
	g.step, g.lane = -1, nil
	g.leave()
}

// varying are the values that differ between the iterations of an axis.
func varying(body []loop.Stmt, axis loop.Axis) map[loop.V]bool {
	m := map[loop.V]bool{}
	for _, s := range body {
		l, ok := s.(*loop.Let)
		if !ok {
			continue
		}
		v := l.Op == loop.OpAxis && loop.Axis(l.Slot) == axis
		uses([]loop.Stmt{l}, func(x loop.V) { v = v || m[x] })
		if l.Mem != nil {
			n, ok := strideOf(l.Mem, axis)
			v = v || n != 0 || !ok
		}
		m[l.V] = v
	}
	return m
}

// canVector reports a body of plain statements, with an access worth it, in which
// no load follows a store: elements loaded ahead are then what memory holds.
func canVector(body []loop.Stmt, axis loop.Axis) bool {
	worth, stored := false, false
	for _, s := range body {
		switch s := s.(type) {
		case *loop.Let:
			if s.Mem != nil {
				if stored {
					return false
				}
				worth = worth || vectorial(s.Mem, axis)
			}
		case *loop.Store:
			stored = true
			if n, ok := strideOf(s.Mem, axis); ok && n == 0 && len(s.Mem.Dyn) == 0 {
				return false // the last one counts
			}
			worth = worth || vectorial(s.Mem, axis)
		case *loop.Atomic:
			return false
		case *loop.Loop:
			return false
		}
	}
	return worth
}

func hasLoop(body []loop.Stmt) bool {
	for _, s := range body {
		if _, ok := s.(*loop.Loop); ok {
			return true
		}
	}
	return false
}

// rows: a warp or a block computes a point.
func (g *gen) rows() {
	if g.v.layout == warp {
		i := g.flatIndex()
		g.point = g.let(b64, "shr.u64", i, "5")
		g.op("@" + g.let(pred, "setp.ge.u64", g.point, g.word(b64, argPoints)) + " ret")
		g.tid = g.let(b32, "and.b32", g.let(b32, "mov.u32", "%tid.x"), "31")
		g.size = g.let(b32, "mov.u32", "32")
	} else {
		g.point = g.let(b64, "cvt.u64.u32", g.let(b32, "mov.u32", "%ctaid.x"))
		g.tid = g.let(b32, "mov.u32", "%tid.x")
		g.size = g.let(b32, "mov.u32", "%ntid.x")
	}
	g.first = g.let(pred, "setp.eq.u32", g.tid, "0")
	g.unitBody()
}

// columns: lane i of all warps of a block computes a point.
func (g *gen) columns() {
	all := g.let(b32, "mov.u32", "%tid.x")
	lane := g.let(b32, "and.b32", all, "31")
	cta := g.let(b32, "mov.u32", "%ctaid.x")
	p := g.let(b64, "mad.wide.u32", cta, "32", g.let(b64, "cvt.u64.u32", lane))
	n := g.word(b64, argPoints)
	g.live = g.let(pred, "setp.lt.u64", p, n)
	g.point = g.let(b64, "min.u64", p, g.let(b64, "sub.s64", n, "1"))
	g.tid = g.let(b32, "shr.u32", all, "5")
	g.size = g.let(b32, "mov.u32", imm(columnThreads/32))
	g.first = g.let(pred, "setp.eq.u32", g.tid, "0")
	if g.v.vec > 1 {
		g.severalColumns()
		return
	}
	g.unitBody()
}

func (g *gen) unitBody() {
	if g.seg.chain != nil {
		g.spread(g.seg.chain, g.point, "")
	}
	if g.v.keep > 0 {
		list, _ := keepable(g.k, g.seg, g.v.vec)
		g.kept = newKeeping(g.unit, list)
	}
	m := &traffic{}
	g.group(g.seg.body, m)
	g.group(g.seg.post, m)
	g.keepAll(g.first)
}

// severalColumns is unitBody where each lane has neighbouring points: what is folded is
// an accumulator for each, and what follows is done for one after the other.
func (g *gen) severalColumns() {
	l := g.seg.split
	last := g.seg.chain[len(g.seg.chain)-1].Axis
	g.spread(g.seg.chain, g.point, g.word(b64, argInner))
	at := g.let(b64, "mul.lo.s64", g.axis[last], imm(int64(g.v.vec)))
	g.axis[last] = at
	n := g.copyOf(loop.I64, g.p(l.Extent))
	from, step := g.let(b64, "cvt.u64.u32", g.tid), g.let(b64, "cvt.u64.u32", g.size)
	if g.v.parts {
		part := g.let(b32, "mov.u32", "%ctaid.y")
		from = g.let(b64, "mad.wide.u32", part, g.size, from)
		step = g.let(b64, "mul.wide.u32", g.size, g.let(b32, "mov.u32", "%nctaid.y"))
	}
	accs := g.accumulators(l.Folds, true)
	for i := range accs {
		g.grow(&accs[i], g.v.vec)
	}
	first := g.first
	g.first = ""
	one := func(i string) {
		g.axis[l.Axis] = i
		g.vector(l.Body, last, accs)
	}
	two := g.let(b64, "shl.b64", step, "1")
	i := g.copyOf(loop.I64, from)
	top, end := g.label(), g.label()
	whole := g.let(b64, "sub.s64", n, step)
	p := g.let(pred, "setp.ge.s64", i, whole)
	g.op("@"+p+" bra", end)
	g.mark(top)
	one(i)
	one(g.let(b64, "add.s64", i, step))
	g.op("add.s64", i, i, two)
	g.op("setp.lt.s64", p, i, whole)
	g.op("@"+p+" bra", top)
	g.mark(end)
	g.count(i, n, step, one)
	g.first = first
	var each []acc // of one point
	for e := range g.v.vec {
		for k := range accs {
			each = append(each, acc{f: accs[k].f, t: accs[k].t, val: []string{accs[k].val[e]}})
		}
	}
	g.uniteColumns(each)
	if g.v.parts {
		g.pass(each)
	}
	for e := range g.v.vec {
		g.enter()
		g.axis[last] = g.let(b64, "add.s64", at, imm(int64(e)))
		for k := range accs {
			g.result(&each[e*len(accs)+k])
		}
		g.stmts(g.seg.body[1:])
		g.stmts(g.seg.post)
		g.leave()
	}
}

// traffic says what the unit's threads have done to memory since they last met.
type traffic struct{ loaded, stored bool }

// meet makes the unit's threads wait for each other.
func (g *gen) meet(m *traffic) {
	if g.v.layout == warp {
		g.op("bar.warp.sync", "-1")
	} else {
		g.op("bar.sync", "0")
	}
	*m = traffic{}
}

// touch is called before statements that load or store.
func (g *gen) touch(body []loop.Stmt, m *traffic) {
	loads, stores := false, false
	eachAccess(body, func(_ *loop.Access, store bool) {
		loads, stores = loads || !store, stores || store
	})
	if m.stored && (loads || stores) || m.loaded && stores {
		g.meet(m)
	}
	m.loaded, m.stored = m.loaded || loads, m.stored || stores
}

// group emits statements for the threads of a unit together.
func (g *gen) group(body []loop.Stmt, m *traffic) {
	for _, s := range body {
		g.touch([]loop.Stmt{s}, m)
		l, ok := s.(*loop.Loop)
		switch {
		case !ok:
			g.stmt(s)
		case together(l):
			g.walk(l, m)
		default:
			g.share(l)
			if len(l.Folds) > 0 && g.v.layout != warp {
				m.loaded, m.stored = false, false
			}
		}
	}
}

// walk is a loop that the unit's threads go through together.
func (g *gen) walk(l *loop.Loop, m *traffic) {
	if l == g.seg.split && g.v.parts {
		part := g.let(b64, "cvt.u64.u32", g.let(b32, "mov.u32", "%ctaid.y"))
		parts := g.let(b64, "cvt.u64.u32", g.let(b32, "mov.u32", "%nctaid.y"))
		accs := g.accumulators(l.Folds, true)
		g.count(part, g.p(l.Extent), parts, func(i string) {
			g.axis[l.Axis] = i
			m.loaded, m.stored = true, true
			g.group(l.Body, m)
			for k := range accs {
				g.accumulate(&accs[k])
			}
		})
		g.pass(accs)
		for k := range accs {
			g.result(&accs[k])
		}
		m.loaded, m.stored = false, false
		return
	}
	g.serial(l, func(body []loop.Stmt) {
		m.loaded, m.stored = true, true
		g.group(body, m)
	})
}

// count runs f for i = from, from+step, … below to, in a scope of its own.
func (g *gen) count(from, to, step string, f func(i string)) {
	i := g.copyOf(loop.I64, from)
	top, end := g.label(), g.label()
	p := g.let(pred, "setp.ge.s64", i, to)
	g.op("@"+p+" bra", end)
	g.mark(top)
	g.enter()
	f(i)
	g.leave()
	g.op("add.s64", i, i, step)
	g.op("setp.lt.s64", p, i, to)
	g.op("@"+p+" bra", top)
	g.mark(end)
}

// share gives each thread of the unit a part of a loop's iterations, and combines
// what they fold.
func (g *gen) share(l *loop.Loop) {
	list := flatten(l)
	last := list[len(list)-1]
	n := g.copyOf(loop.I64, g.p(l.Extent))
	for _, x := range list[1:] {
		n = g.let(b64, "mul.lo.s64", n, g.p(x.Extent))
	}
	parts := l == g.seg.split && g.v.parts
	from, step := g.let(b64, "cvt.u64.u32", g.tid), g.let(b64, "cvt.u64.u32", g.size)
	if parts {
		part := g.let(b32, "mov.u32", "%ctaid.y")
		from = g.let(b64, "mad.wide.u32", part, g.size, from)
		step = g.let(b64, "mul.wide.u32", g.size, g.let(b32, "mov.u32", "%nctaid.y"))
	}
	folds := append([]loop.Fold(nil), last.Folds...)
	for i := range folds { // the outermost names the results
		folds[i].Out, folds[i].OutIx = l.Folds[i].Out, l.Folds[i].OutIx
	}
	accs := g.accumulators(folds, g.v.layout == column)
	first := g.first
	g.first = "" // inside, each thread stores for itself
	if g.kept != nil {
		g.unroll(l, n, from, accs)
		g.first = first
		for i := range accs {
			g.merge(&accs[i])
		}
		g.unite(accs)
		for i := range accs {
			g.result(&accs[i])
		}
		return
	}
	if vec := g.v.vec; vec > 1 && len(list) == 1 && canVector(last.Body, last.Axis) {
		for i := range accs {
			g.grow(&accs[i], vec)
		}
		whole := g.let(b64, "and.b64", n, imm(int64(-vec)))
		a := g.let(b64, "mul.lo.s64", from, imm(int64(vec)))
		g.count(a, whole, g.let(b64, "mul.lo.s64", step, imm(int64(vec))), func(i string) {
			g.axis[last.Axis] = i
			g.vector(last.Body, last.Axis, accs)
		})
		from = g.let(b64, "add.s64", whole, from)
	}
	one := func(i string) {
		g.spread(list, i, "")
		g.stmts(last.Body)
		for k := range accs {
			g.accumulate(&accs[k])
		}
	}
	if g.v.layout == column && !hasLoop(last.Body) { // several rows at once, so that their loads overlap
		four := g.let(b64, "shl.b64", step, "2")
		whole := g.let(b64, "sub.s64", n, g.let(b64, "mul.lo.s64", step, "3"))
		i := g.copyOf(loop.I64, from)
		from = i
		top, end := g.label(), g.label()
		p := g.let(pred, "setp.ge.s64", i, whole)
		g.op("@"+p+" bra", end)
		g.mark(top)
		j := i
		for u := range 4 {
			if u > 0 {
				j = g.let(b64, "add.s64", j, step)
			}
			g.enter()
			one(j)
			g.leave()
		}
		g.op("add.s64", i, i, four)
		g.op("setp.lt.s64", p, i, whole)
		g.op("@"+p+" bra", top)
		g.mark(end)
	}
	g.count(from, n, step, one)
	g.first = first
	for i := range accs {
		g.merge(&accs[i])
	}
	g.unite(accs)
	if parts {
		g.pass(accs)
	}
	for i := range accs {
		g.result(&accs[i])
	}
}
