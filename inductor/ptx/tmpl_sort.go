package ptx

import (
	"math/bits"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Sorting along a dimension, by bitonic networks. Elements become keys that compare as
// torch sorts (NaN greatest, -0 equal to 0); a key and its place are one number, or two
// where elements have 64 bits, so that no two are equal and every order is stable.
//
//	row of up to 4096   a block sorts it in shared memory and writes the results
//	longer rows         blocks sort chunks of 4096 into the workspace, up and down in
//	                    turn; then, for each doubling, steps over the workspace while
//	                    partners are in different chunks, and a pass in shared memory
//
// topk is the beginning of a sorted row.

func init() {
	templates["sort"] = func(t *Target, a *loop.TemplateArgs) (bool, error) {
		return t.sort(a, -1, len(a.Flags) > 0 && a.Flags[0])
	}
	templates["topk"] = func(t *Target, a *loop.TemplateArgs) (bool, error) {
		return t.sort(a, a.Ints[1], len(a.Flags) == 0 || a.Flags[0])
	}
}

const sortChunk = 4096

// Argument words of sorting.
const (
	sortX = iota
	sortVals
	sortIdx
	sortWork // pairs of rows of P: keys with places, or keys and then places
	sortN
	sortK // results of a row
	sortP // length of a row in the workspace
	sortRows
	sortSize  // the doubling that is being made
	sortDist  // distance of partners
	sortAlong // strides along the dimension: x, values, indices
	sortOuter = sortAlong + 3
	// for each outer dimension: its size, and three strides
)

// sortPart says which kernel of the four a variant is.
type sortPart uint8

const (
	sortWhole sortPart = iota // load, sort, write
	sortLoad                  // load, sort, keep
	sortFar                   // one step over the workspace
	sortNear                  // the steps within chunks
	sortWrite                 // from the workspace to the results
)

type sortVariant struct {
	part  sortPart
	dtype tensor.DType
	down  bool
	outer int
	chunk int
}

func (v sortVariant) threads() int { return max(32, min(v.chunk/2, 1024)) }
func (v sortVariant) wide() bool   { return v.dtype.Size() == 8 }

func (t *Target) sort(a *loop.TemplateArgs, k int64, down bool) (bool, error) {
	q := t.on(a.Queue)
	x, val, idx, dim := &a.In[0], &a.Out[0], &a.Out[1], int(a.Ints[0])
	n, rows := int64(1), int64(1)
	w := make([]uint64, sortOuter)
	for i, o := range []*loop.Operand{x, val, idx} {
		w[i] = uint64(int64(uintptr(o.Mem.Ptr)) + o.Off*int64(o.DType.Size()))
		if dim < len(o.Stride) {
			w[sortAlong+i] = uint64(o.Stride[dim])
		}
	}
	outer := 0
	for d, s := range x.Size {
		if d == dim {
			n = s
			continue
		}
		rows *= s
		if s != 1 {
			w = append(w, uint64(s), uint64(x.Stride[d]), uint64(val.Stride[d]), uint64(idx.Stride[d]))
			outer++
		}
	}
	if k < 0 {
		k = n
	}
	if rows == 0 || n == 0 || k == 0 {
		return true, nil
	}
	p := int64(64)
	if n > p {
		p = 1 << bits.Len64(uint64(n-1))
	}
	if n > 1<<30 || rows*p > 1<<34 {
		return false, nil
	}
	w[sortN], w[sortK], w[sortP], w[sortRows] = uint64(n), uint64(k), uint64(p), uint64(rows)
	v := sortVariant{dtype: x.DType, down: down, outer: outer, chunk: int(min(p, sortChunk))}
	start := func(part sortPart, x, y int64) error {
		v.part = part
		code, err := t.template(v, func() (string, error) { return v.text(len(w)), nil })
		if err != nil {
			return err
		}
		const most = 65535
		for at := int64(0); at < y; at += most { // rows that a launch cannot hold go to the next
			u := append([]uint64(nil), w...)
			u[sortRows] = uint64(at)
			if err := q.Launch(code, int(x), int(min(most, y-at)), v.threads(), u); err != nil {
				return err
			}
		}
		return nil
	}
	if p <= sortChunk {
		return true, start(sortWhole, 1, rows)
	}
	per := int64(8)
	if v.wide() {
		per = 16
	}
	work, err := q.Work(int(workParts + rows*p*per))
	if err != nil {
		return false, err
	}
	w[sortWork] = work + workParts
	chunks := p / sortChunk
	if err := start(sortLoad, chunks, rows); err != nil {
		return false, err
	}
	for size := int64(2 * sortChunk); size <= p; size *= 2 {
		w[sortSize] = uint64(size)
		for dist := size / 2; dist >= sortChunk; dist /= 2 {
			w[sortDist] = uint64(dist)
			if err := start(sortFar, p/2/int64(v.threads()), rows); err != nil {
				return false, err
			}
		}
		if err := start(sortNear, chunks, rows); err != nil {
			return false, err
		}
	}
	return true, start(sortWrite, (k+int64(v.threads())-1)/int64(v.threads()), rows)
}

// sorter is the text of one under construction.
type sorter struct {
	gen
	v    sortVariant
	row  string    // 64 bits
	off  [3]string // address of the row in x, values and indices
	tid  string
	keys string // the row's pairs in the workspace
	ats  string // the row's places there, of wide keys
}

// pairOf is a key with its place: one register, or two.
type pairOf struct{ key, at string }

func (v sortVariant) text(words int) string {
	g := &sorter{v: v}
	g.unit = &unit{k: &loop.Kernel{Name: "sort"}}
	g.args, g.elem, g.step = map[int]string{}, -1, -1
	g.tid = g.let(b32, "mov.u32", "%tid.x")
	y := g.let(b64, "cvt.u64.u32", g.let(b32, "mov.u32", "%ctaid.y"))
	g.row = g.let(b64, "add.s64", y, g.word(b64, sortRows))
	g.place()
	switch v.part {
	case sortWhole:
		g.load()
		g.network("2", g.zero())
		g.results()
	case sortLoad:
		c := g.chunkAt()
		g.load()
		g.network("2", c)
		g.spill(c)
	case sortFar:
		g.far()
	case sortNear:
		c := g.chunkAt()
		g.fill(c)
		g.steps(g.word(b32, sortSize), imm(int64(v.chunk/2)), c)
		g.spill(c)
	case sortWrite:
		i := g.let(b32, "mad.lo.u32", g.let(b32, "mov.u32", "%ctaid.x"), imm(int64(v.threads())), g.tid)
		g.write1(i, g.fromWork(i))
	}
	return g.entry("k", words, "")
}

func (g *sorter) zero() string { return g.let(b32, "mov.u32", "0") }

// chunkAt is the row's element at which the block's chunk begins.
func (g *sorter) chunkAt() string {
	return g.let(b32, "mul.lo.u32", g.let(b32, "mov.u32", "%ctaid.x"), imm(int64(g.v.chunk)))
}

// place finds the row's memory.
func (g *sorter) place() {
	for o := range g.off {
		g.off[o] = g.word(b64, o)
	}
	sizes := []int64{int64(g.v.dtype.Size()), int64(g.v.dtype.Size()), 8}
	r := g.row
	for d := g.v.outer - 1; d >= 0; d-- {
		at := sortOuter + 4*d
		i := r
		if d > 0 {
			i = g.let(b64, "rem.u64", r, g.word(b64, at))
			r = g.let(b64, "div.u64", r, g.word(b64, at))
		}
		for o := range g.off {
			e := g.let(b64, "mul.lo.s64", i, g.word(b64, at+1+o))
			g.off[o] = g.let(b64, "mad.lo.s64", e, imm(sizes[o]), g.off[o])
		}
	}
	if g.v.part == sortWhole {
		return
	}
	per := int64(8)
	if g.v.wide() {
		per = 16
	}
	p := g.word(b64, sortP)
	g.keys = g.let(b64, "mad.lo.s64", g.let(b64, "mul.lo.s64", g.row, p), imm(per), g.word(b64, sortWork))
	if g.v.wide() {
		g.ats = g.let(b64, "mad.lo.s64", p, "8", g.keys)
	}
}

// each runs f for the elements of a chunk that are this thread's.
func (g *sorter) each(f func(i string)) {
	for u := 0; u < g.v.chunk/g.v.threads(); u++ {
		f(g.let(b32, "add.u32", g.tid, imm(int64(u*g.v.threads()))))
	}
}

func (g *sorter) smemAt(i string) (key, at string) {
	n := int64(g.v.chunk)
	g.smem = int(8 * n)
	base := g.let(b64, "mov.u64", "shared")
	key = g.let(b64, "mad.wide.u32", i, "8", base)
	if g.v.wide() {
		g.smem = int(12 * n)
		at = g.let(b64, "add.s64", g.let(b64, "mad.wide.u32", i, "4", base), imm(8*n))
	}
	return key, at
}

// getPair and putPair move a pair of a memory space.
func (g *sorter) getPair(space, key, at string) pairOf {
	p := pairOf{key: g.let(b64, "ld."+space+".b64", "["+key+"]")}
	if g.v.wide() {
		p.at = g.let(b32, "ld."+space+".b32", "["+at+"]")
	}
	return p
}

func (g *sorter) putPair(space, ok, key, at string, p pairOf) {
	g.when(ok, "st."+space+".b64", "["+key+"]", p.key)
	if g.v.wide() {
		g.when(ok, "st."+space+".b32", "["+at+"]", p.at)
	}
}

func (g *sorter) getShared(i string) pairOf {
	k, a := g.smemAt(i)
	return g.getPair("shared", k, a)
}

func (g *sorter) putShared(ok, i string, p pairOf) {
	k, a := g.smemAt(i)
	g.putPair("shared", ok, k, a, p)
}

func (g *sorter) workAt(i string) (key, at string) {
	key = g.let(b64, "mad.wide.u32", i, "8", g.keys)
	if g.v.wide() {
		at = g.let(b64, "mad.wide.u32", i, "8", g.ats)
	}
	return key, at
}

func (g *sorter) fromWork(i string) pairOf {
	k, a := g.workAt(i)
	return g.getPair("global", k, a)
}

func (g *sorter) toWork(ok, i string, p pairOf) {
	k, a := g.workAt(i)
	g.putPair("global", ok, k, a, p)
}

// key is the order of element i of the row, which is beyond its end where ok does not hold.
func (g *sorter) key(i, ok string) pairOf {
	d := g.v.dtype
	e := g.let(b64, "mul.lo.s64", g.let(b64, "cvt.u64.u32", i), g.word(b64, sortAlong))
	x := g.read(d, "global", g.let(b64, "mad.lo.s64", e, imm(int64(d.Size())), g.off[0]), ok)
	t, c, all, top := loop.I32, b32, "0xffffffff", "0x80000000"
	if d.Size() == 8 {
		t, c, all, top = loop.I64, b64, "0xffffffffffffffff", "0x8000000000000000"
	}
	b := bitsSuffix[t]
	var k string
	switch {
	case d == tensor.Bool:
		k = g.let(b32, "selp.b32", "1", "0", x)
	case d.IsFloat():
		f := loop.TypeOf(d)
		x = g.let(classOf[f], "add.rn."+suffix[f], x, g.float(f, 0))
		nan := g.let(pred, "setp.nan."+suffix[f], x, x)
		y := g.let(c, "mov."+b, x)
		neg := g.let(pred, "setp.lt."+suffix[t], y, "0")
		k = g.let(c, "xor."+b, y, g.let(c, "selp."+b, all, top, neg))
		k = g.let(c, "selp."+b, all, k, nan)
	default:
		k = g.let(c, "xor."+b, x, top)
	}
	if g.v.down {
		k = g.let(c, "xor."+b, k, all)
	}
	k = g.let(c, "selp."+b, k, all, ok)
	if c == b64 {
		return pairOf{k, i}
	}
	return pairOf{key: g.let(b64, "mov.b64", "{"+i+", "+k+"}")}
}

// load fills the chunk from x.
func (g *sorter) load() {
	from := g.zero()
	if g.v.part != sortWhole {
		from = g.chunkAt()
	}
	g.each(func(i string) {
		at := g.let(b32, "add.u32", from, i)
		g.putShared("", i, g.key(at, g.let(pred, "setp.lt.u32", at, g.word(b32, sortN))))
	})
}

func (g *sorter) fill(chunk string) {
	g.each(func(i string) { g.putShared("", i, g.fromWork(g.let(b32, "add.u32", chunk, i))) })
}

func (g *sorter) spill(chunk string) {
	g.each(func(i string) { g.toWork("", g.let(b32, "add.u32", chunk, i), g.getShared(i)) })
}

// after: x belongs behind y.
func (g *sorter) after(x, y pairOf) string {
	gt := g.let(pred, "setp.gt.u64", x.key, y.key)
	if !g.v.wide() {
		return gt
	}
	eq := g.let(pred, "setp.eq.s64", x.key, y.key)
	later := g.let(pred, "setp.gt.u32", x.at, y.at)
	return g.let(pred, "or.pred", gt, g.let(pred, "and.pred", eq, later))
}

// partners are the places of pair p at a distance, a power of two.
func (g *sorter) partners(p, dist string) (i, j string) {
	low := g.let(b32, "and.b32", p, g.let(b32, "sub.u32", dist, "1"))
	i = g.let(b32, "add.u32", g.let(b32, "shl.b32", g.let(b32, "sub.u32", p, low), "1"), low)
	return i, g.let(b32, "add.u32", i, dist)
}

// swap reports partners x before y that stand the wrong way round, in a row that
// rises or falls by whether its place has the bit of size.
func (g *sorter) swap(x, y pairOf, place, size string) string {
	falls := g.let(pred, "setp.ne.u32", g.let(b32, "and.b32", place, size), "0")
	return g.let(pred, "xor.pred", g.after(x, y), falls)
}

// network sorts the chunk: doublings from size on.
func (g *sorter) network(from, chunk string) {
	size := g.copyOf(loop.I32, g.let(b32, "mov.u32", from))
	top := g.label()
	g.mark(top)
	g.steps(size, g.let(b32, "shr.u32", size, "1"), chunk)
	g.op("shl.b32", size, size, "1")
	p := g.let(pred, "setp.le.u32", size, imm(int64(g.v.chunk)))
	g.op("@"+p+" bra", top)
}

// steps halves the distance from dist to 1.
func (g *sorter) steps(size, from, chunk string) {
	dist := g.copyOf(loop.I32, g.let(b32, "mov.u32", from))
	top := g.label()
	g.mark(top)
	g.op("bar.sync", "0")
	for u := 0; u < g.v.chunk/2/g.v.threads(); u++ {
		i, j := g.partners(g.let(b32, "add.u32", g.tid, imm(int64(u*g.v.threads()))), dist)
		x, y := g.getShared(i), g.getShared(j)
		s := g.swap(x, y, g.let(b32, "add.u32", chunk, i), size)
		g.putShared(s, i, y)
		g.putShared(s, j, x)
	}
	g.op("shr.u32", dist, dist, "1")
	p := g.let(pred, "setp.ne.u32", dist, "0")
	g.op("@"+p+" bra", top)
	g.op("bar.sync", "0")
}

// far is a step between chunks.
func (g *sorter) far() {
	p := g.let(b32, "mad.lo.u32", g.let(b32, "mov.u32", "%ctaid.x"), imm(int64(g.v.threads())), g.tid)
	i, j := g.partners(p, g.word(b32, sortDist))
	x, y := g.fromWork(i), g.fromWork(j)
	s := g.swap(x, y, i, g.word(b32, sortSize))
	g.toWork(s, i, y)
	g.toWork(s, j, x)
}

func (g *sorter) results() {
	g.each(func(i string) { g.write1(i, g.getShared(i)) })
}

// write1 writes result i: the element as it is, and its place.
func (g *sorter) write1(i string, p pairOf) {
	at := p.at
	if !g.v.wide() {
		at = g.let(b32, "cvt.u32.u64", p.key)
	}
	ok := g.let(pred, "setp.lt.u32", i, g.word(b32, sortK))
	a := g.let(b64, "cvt.u64.u32", at)
	n := g.let(b64, "cvt.u64.u32", i)
	size := int64(g.v.dtype.Size())
	from := g.let(b64, "mad.lo.s64", g.let(b64, "mul.lo.s64", a, g.word(b64, sortAlong)), imm(size), g.off[0])
	to := g.let(b64, "mad.lo.s64", g.let(b64, "mul.lo.s64", n, g.word(b64, sortAlong+1)), imm(size), g.off[1])
	idx := g.let(b64, "mad.lo.s64", g.let(b64, "mul.lo.s64", n, g.word(b64, sortAlong+2)), "8", g.off[2])
	c, t := b32, map[int64]string{1: "u8", 2: "u16", 4: "b32", 8: "b64"}[size]
	if size == 8 {
		c = b64
	}
	zero := g.let(c, "mov."+map[class]string{b32: "b32", b64: "b64"}[c], "0")
	g.when(ok, "ld.global."+t, zero, "["+from+"]")
	g.when(ok, "st.global."+t, "["+to+"]", zero)
	g.when(ok, "st.global.b64", "["+idx+"]", a)
}
