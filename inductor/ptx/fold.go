package ptx

import (
	"math"

	"github.com/larkspur-ml/larkspur/inductor/loop"
)

// acc is a fold in progress: one register for each element of a vector, beside it
// one of the index where the fold has one. b1 is kept as an integer, and a sum of
// float32 that one thread makes alone, of which there may be many terms, in float64.
type acc struct {
	f   *loop.Fold
	t   loop.Type // of the registers
	val []string
	idx []string
}

func (g *gen) accumulators(folds []loop.Fold, alone bool) []acc {
	l := make([]acc, len(folds))
	for i := range folds {
		f := &folds[i]
		a := acc{f: f, t: f.Type}
		switch {
		case f.Type == loop.B1:
			a.t = loop.I32
		case alone && f.Type == loop.F32 && f.Op == loop.FoldAdd:
			a.t = loop.F64
		}
		l[i] = a
		g.grow(&l[i], 1)
	}
	return l
}

// grow gives an accumulator n registers that hold the identity.
func (g *gen) grow(a *acc, n int) {
	for len(a.val) < n {
		a.val = append(a.val, g.copyOf(a.t, g.identity(a)))
		if a.f.Op.HasIndex() {
			a.idx = append(a.idx, g.let(b64, "mov.s64", "0"))
		}
	}
}

func (g *gen) identity(a *acc) string {
	top := func(sign float64) string {
		switch a.t {
		case loop.I32:
			if a.f.Type == loop.B1 {
				return g.constant(a.t, uint64(max(sign, 0)))
			}
			if sign > 0 {
				return g.constant(a.t, math.MaxInt32)
			}
			return g.let(b32, "mov.s32", imm(math.MinInt32))
		case loop.I64:
			if sign > 0 {
				return g.constant(a.t, math.MaxInt64)
			}
			return g.let(b64, "mov.b64", "0x8000000000000000")
		}
		return g.float(a.t, math.Inf(int(sign)))
	}
	number := func(n float64) string {
		if a.t.IsFloat() {
			return g.float(a.t, n)
		}
		return g.constant(a.t, uint64(n))
	}
	switch a.f.Op {
	case loop.FoldMul, loop.FoldAnd:
		return number(1)
	case loop.FoldMin, loop.FoldArgMin:
		return top(1)
	case loop.FoldMax, loop.FoldArgMax:
		return top(-1)
	}
	return number(0)
}

// accumulate takes the body's value into the accumulator of the current element.
func (g *gen) accumulate(a *acc) {
	e := max(g.elem, 0)
	x, i := g.get(a.f.In), ""
	switch {
	case a.f.Type == loop.B1:
		x = g.let(b32, "selp.b32", "1", "0", x)
	case a.t != a.f.Type:
		x = g.cast(x, a.f.Type, a.t)
	}
	if a.f.Op.HasIndex() {
		i = g.get(a.f.InIdx)
	}
	v, j := g.combine(a, a.val[e], at(a.idx, e), x, i)
	g.move(a.t, a.val[e], v)
	if j != "" {
		g.move(loop.I64, a.idx[e], j)
	}
}

func at(l []string, i int) string {
	if i < len(l) {
		return l[i]
	}
	return ""
}

// combine folds y (at index j) into x (at i).
func (g *gen) combine(a *acc, x, i, y, j string) (val, idx string) {
	c, t := classOf[a.t], a.t
	switch a.f.Op {
	case loop.FoldAdd:
		return g.let(c, "add."+rn(t), x, y), ""
	case loop.FoldMul:
		if t.IsFloat() {
			return g.let(c, "mul."+rn(t), x, y), ""
		}
		return g.let(c, "mul.lo."+suffix[t], x, y), ""
	case loop.FoldMin:
		return g.minmax("min", t, x, y), ""
	case loop.FoldMax:
		return g.minmax("max", t, x, y), ""
	case loop.FoldAnd:
		return g.let(c, "and.b32", x, y), ""
	case loop.FoldOr:
		return g.let(c, "or.b32", x, y), ""
	}
	// y replaces x if it is better, or as good and before it; NaN is best
	cmp := "setp.gt."
	if a.f.Op == loop.FoldArgMin {
		cmp = "setp.lt."
	}
	before := g.let(pred, "setp.lt.s64", j, i)
	better := g.let(pred, cmp+suffix[t], y, x)
	same := g.let(pred, "setp.eq."+suffix[t], y, x)
	take := g.let(pred, "or.pred", better, g.let(pred, "and.pred", same, before))
	if t.IsFloat() {
		xn, yn := g.let(pred, "setp.nan."+suffix[t], x, x), g.let(pred, "setp.nan."+suffix[t], y, y)
		first := g.let(pred, "or.pred", g.let(pred, "not.pred", xn), before)
		take = g.let(pred, "or.pred", take, g.let(pred, "and.pred", yn, first))
	}
	return g.let(c, "selp."+bitsSuffix[t], y, x, take), g.let(b64, "selp.b64", j, i, take)
}

// merge joins the elements of a vector.
func (g *gen) merge(a *acc) {
	for n := len(a.val); n > 1; n = (n + 1) / 2 {
		for i := 0; i+(n+1)/2 < n; i++ {
			k := i + (n+1)/2
			a.val[i], _ = g.mergeInto(a, i, k)
		}
	}
	a.val = a.val[:1]
	if len(a.idx) > 1 {
		a.idx = a.idx[:1]
	}
}

func (g *gen) mergeInto(a *acc, i, k int) (string, string) {
	v, j := g.combine(a, a.val[i], at(a.idx, i), a.val[k], at(a.idx, k))
	if j != "" {
		a.idx[i] = j
	}
	return v, j
}

// result defines the values after the loop.
func (g *gen) result(a *acc) {
	r := a.val[0]
	switch {
	case a.f.Type == loop.B1:
		r = g.let(pred, "setp.ne.s32", r, "0")
	case a.t != a.f.Type:
		r = g.cast(r, a.t, a.f.Type)
	}
	g.set(a.f.Out, r)
	if a.f.Op.HasIndex() {
		g.set(a.f.OutIx, a.idx[0])
	}
}

// shuffle is a value of the lane that differs in the bits of mask.
func (g *gen) shuffle(t loop.Type, r string, mask int64) string {
	one := func(r string) string {
		return g.let(b32, "shfl.sync.bfly.b32", r, imm(mask), "31", "-1")
	}
	switch t {
	case loop.I64, loop.F64:
		lo, hi := g.reg(b32), g.reg(b32)
		g.op("mov.b64", "{"+lo+", "+hi+"}", r)
		return g.let(classOf[t], "mov.b64", "{"+one(lo)+", "+one(hi)+"}")
	case loop.F32:
		return g.let(f32, "mov.b32", one(g.let(b32, "mov.b32", r)))
	}
	return one(r)
}

// lanes combines an accumulator over the lanes of a warp; all get the result.
func (g *gen) lanes(a *acc) {
	for m := int64(16); m > 0; m /= 2 {
		j := ""
		if a.idx != nil {
			j = g.shuffle(loop.I64, a.idx[0], m)
		}
		v, i := g.combine(a, a.val[0], at(a.idx, 0), g.shuffle(a.t, a.val[0], m), j)
		a.val[0] = v
		if i != "" {
			a.idx[0] = i
		}
	}
}

// cells of shared memory hold a value each; a fold takes one, or two with an index.
func cells(accs []acc) int {
	n := 0
	for i := range accs {
		n++
		if accs[i].idx != nil {
			n++
		}
	}
	return n
}

// sharedAt is the address of byte off+index*8 in shared memory.
func (g *gen) sharedAt(index string, off int) string {
	base := g.let(b64, "mov.u64", "shared")
	i := g.let(b64, "mad.wide.u32", index, "8", base)
	return g.let(b64, "add.s64", i, imm(int64(off)))
}

// unite combines accumulators over the unit; all its threads get the results. It
// is a barrier for the unit.
func (g *gen) unite(accs []acc) {
	if len(accs) == 0 {
		return
	}
	switch g.v.layout {
	case warp:
		for i := range accs {
			g.lanes(&accs[i])
		}
		return
	case column:
		g.uniteColumns(accs)
		return
	}
	for i := range accs {
		g.lanes(&accs[i])
	}
	n := cells(accs)
	g.smem = max(g.smem, n*32*8)
	lane := g.let(b32, "and.b32", g.tid, "31")
	wid := g.let(b32, "shr.u32", g.tid, "5")
	warps := g.let(b32, "shr.u32", g.size, "5")
	head := g.let(pred, "setp.eq.u32", lane, "0")
	g.op("bar.sync", "0")
	w := g.sharedAt(wid, 0)
	at := 0
	each := func(f func(a *acc, t loop.Type, r *string, off int)) {
		at = 0
		for i := range accs {
			a := &accs[i]
			f(a, a.t, &a.val[0], at)
			at += 32 * 8
			if a.idx != nil {
				f(a, loop.I64, &a.idx[0], at)
				at += 32 * 8
			}
		}
	}
	each(func(_ *acc, t loop.Type, r *string, off int) {
		g.when(head, "st.shared."+bitsSuffix[t], "["+w+"+"+imm(int64(off))+"]", *r)
	})
	g.op("bar.sync", "0")
	in := g.let(pred, "setp.lt.u32", lane, warps)
	from := g.sharedAt(lane, 0)
	each(func(a *acc, t loop.Type, r *string, off int) {
		var x string
		if a.idx != nil && r == &a.idx[0] {
			x = g.let(b64, "mov.s64", "0")
		} else {
			x = g.copyOf(t, g.identity(a))
		}
		g.when(in, "ld.shared."+bitsSuffix[t], x, "["+from+"+"+imm(int64(off))+"]")
		*r = x
	})
	for i := range accs {
		g.lanes(&accs[i])
	}
}

// uniteColumns combines the same lane of all warps of a block.
func (g *gen) uniteColumns(accs []acc) {
	n := cells(accs)
	g.smem = max(g.smem, n*columnThreads*8)
	all := g.let(b32, "mov.u32", "%tid.x")
	lane := g.let(b32, "and.b32", all, "31")
	g.op("bar.sync", "0")
	w := g.sharedAt(all, 0)
	off := 0
	for i := range accs {
		a := &accs[i]
		g.op("st.shared."+bitsSuffix[a.t], "["+w+"+"+imm(int64(off))+"]", a.val[0])
		off += columnThreads * 8
		if a.idx != nil {
			g.op("st.shared.b64", "["+w+"+"+imm(int64(off))+"]", a.idx[0])
			off += columnThreads * 8
		}
	}
	g.op("bar.sync", "0")
	from := g.sharedAt(lane, 0)
	off = 0
	for i := range accs {
		a := &accs[i]
		vo, io := off, off+columnThreads*8
		off += columnThreads * 8
		if a.idx != nil {
			off += columnThreads * 8
		}
		for y := range columnThreads / 32 {
			v := g.let(classOf[a.t], "ld.shared."+bitsSuffix[a.t], "["+from+"+"+imm(int64(vo+y*256))+"]")
			j := ""
			if a.idx != nil {
				j = g.let(b64, "ld.shared.b64", "["+from+"+"+imm(int64(io+y*256))+"]")
			}
			if y == 0 {
				a.val[0] = v
				if j != "" {
					a.idx[0] = j
				}
				continue
			}
			var i string
			a.val[0], i = g.combine(a, a.val[0], at(a.idx, 0), v, j)
			if i != "" {
				a.idx[0] = i
			}
		}
	}
}

// pass combines accumulators over the blocks that share a point: each leaves its
// results in the workspace; the last to come combines them and goes on alone.
func (g *gen) pass(accs []acc) {
	n := int64(cells(accs) * 8)
	cta := g.let(b32, "mov.u32", "%ctaid.x")
	part := g.let(b32, "mov.u32", "%ctaid.y")
	parts := g.let(b32, "mov.u32", "%nctaid.y")
	work := g.word(b64, argWork)
	// cell of (block, part, lane)
	lanes := int64(1)
	if g.v.layout == column {
		lanes = 32
	}
	cell := func(part string) string {
		i := g.let(b32, "mad.lo.u32", cta, parts, part)
		if lanes > 1 {
			lane := g.let(b32, "and.b32", g.let(b32, "mov.u32", "%tid.x"), "31")
			i = g.let(b32, "mad.lo.u32", i, imm(lanes), lane)
		}
		return g.let(b64, "mad.wide.u32", i, imm(n), work)
	}
	each := func(f func(a *acc, t loop.Type, r *string, off int64)) {
		off := int64(workParts)
		for i := range accs {
			a := &accs[i]
			f(a, a.t, &a.val[0], off)
			off += 8
			if a.idx != nil {
				f(a, loop.I64, &a.idx[0], off)
				off += 8
			}
		}
	}
	mine := cell(part)
	each(func(_ *acc, t loop.Type, r *string, off int64) {
		g.when(g.first, "st.global."+bitsSuffix[t], "["+mine+"+"+imm(off)+"]", *r)
	})
	g.op("membar.gl")
	g.op("bar.sync", "0")
	g.smem = max(g.smem, 8)
	whole := g.let(b32, "mov.u32", "%tid.x")
	zero := g.let(pred, "setp.eq.u32", whole, "0")
	ticket := g.let(b64, "mad.wide.u32", cta, "4", work)
	base := g.let(b64, "mov.u64", "shared")
	last := g.let(b32, "sub.u32", parts, "1")
	skip := g.label()
	g.op("@!"+zero+" bra", skip)
	old := g.let(b32, "atom.global.add.u32", "["+ticket+"]", "1")
	g.op("st.shared.u32", "["+base+"]", old)
	g.mark(skip)
	g.op("bar.sync", "0")
	seen := g.let(b32, "ld.shared.u32", "["+base+"]")
	g.op("@" + g.let(pred, "setp.ne.u32", seen, last) + " ret")
	g.op("membar.gl")
	g.when(zero, "st.global.u32", "["+ticket+"]", "0")
	for i := range accs {
		a := &accs[i]
		a.val, a.idx = nil, nil
		g.grow(a, 1)
	}
	j := g.copyOf(loop.I32, g.tid)
	top, end := g.label(), g.label()
	p := g.let(pred, "setp.ge.u32", j, parts)
	g.op("@"+p+" bra", end)
	g.mark(top)
	from := cell(j)
	off := int64(workParts)
	for i := range accs {
		a := &accs[i]
		v, ix := g.let(classOf[a.t], "ld.global.cg."+bitsSuffix[a.t], "["+from+"+"+imm(off)+"]"), ""
		off += 8
		if a.idx != nil {
			ix = g.let(b64, "ld.global.cg.b64", "["+from+"+"+imm(off)+"]")
			off += 8
		}
		r, k := g.combine(a, a.val[0], at(a.idx, 0), v, ix)
		g.move(a.t, a.val[0], r)
		if k != "" {
			g.move(loop.I64, a.idx[0], k)
		}
	}
	g.op("add.u32", j, j, g.size)
	g.op("setp.lt.u32", p, j, parts)
	g.op("@"+p+" bra", top)
	g.mark(end)
	g.unite(accs)
}
