package ptx

import (
	"fmt"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Convolutions as implicit products. Rows are the channels of the result, columns its
// positions in all images, and the sum runs over the window's elements and, inside of
// each, the channels of the source: in a step of 32 channels (16 of float32) a thread
// loads one column's, so that where it lies and whether it is inside is computed once.
//
//	16 bits   64 x 128 tiles, 4 warps of 32 x 64, mma.sync; rows of both tiles hold
//	          channels, swizzled, as a product's with operands along k do
//	float32   64 x 64 tiles, 256 threads of 4 x 4
//
// The next step's elements are on their way in registers while one is multiplied.

// Argument words of a tiled convolution. Strides are in elements.
const (
	ctSrc = iota
	ctW
	ctDst
	ctBias
	ctBiasStride
	ctRows  // channels of the result in a group
	ctChans // of the source
	ctPos   // positions in all images
	ctDstSize
	ctSrcSize  = ctDstSize + 3
	ctWin      = ctSrcSize + 3
	ctStride   = ctWin + 3
	ctPad      = ctStride + 3
	ctDil      = ctPad + 3
	ctSrcBatch = ctDil + 3
	ctSrcChan  = ctSrcBatch + 1
	ctSrcStep  = ctSrcChan + 1
	ctDstBatch = ctSrcStep + 3
	ctDstChan  = ctDstBatch + 1
	ctDstStep  = ctDstChan + 1
	ctWRow     = ctDstStep + 3
	ctWChan    = ctWRow + 1
	ctWStep    = ctWChan + 1
	ctWGroup   = ctWStep + 3
	ctWords    = ctWGroup + 1
)

type convVariant struct {
	dtype tensor.DType
	back  bool // conv_input: positions are the image's
	unit  bool // strides are 1
	bias  bool
}

func (v convVariant) half() bool   { return v.dtype != tensor.Float32 }
func (v convVariant) cols() int64  { return map[bool]int64{true: 128, false: 64}[v.half()] }
func (v convVariant) steps() int64 { return map[bool]int64{true: 32, false: 16}[v.half()] }
func (v convVariant) threads() int { return map[bool]int{true: 128, false: 256}[v.half()] }

// convTiled serves a convolution, or its gradient of the image, of enough channels.
func (t *Target) convTiled(q Queue, c *convolution, back bool) (bool, error) {
	dst, src, rows, chans := c.y, c.x, c.og, c.cg
	if back {
		dst, src, rows, chans = c.x, c.y, c.cg, c.og
	}
	d := dst.DType
	switch d {
	case tensor.Float32, tensor.Float16, tensor.BFloat16:
	default:
		return false, nil
	}
	if src.DType != d || c.w.DType != d || c.bias != nil && c.bias.DType != d || rows < 8 || chans < 3 || c.groups > batchLimit {
		return false, nil
	}
	v := convVariant{dtype: d, back: back, unit: c.stride == [3]int64{1, 1, 1}, bias: c.bias != nil}
	size := int64(d.Size())
	w := make([]uint64, ctWords)
	addr := func(o *loop.Operand) uint64 { return uint64(int64(uintptr(o.Mem.Ptr)) + size*o.Off) }
	w[ctSrc], w[ctW], w[ctDst] = addr(src), addr(c.w), addr(dst)
	if c.bias != nil {
		w[ctBias], w[ctBiasStride] = addr(c.bias), uint64(c.bias.Stride[0])
	}
	ds, ss, dn, sn := c.ys, c.xs, c.out, c.in
	if back {
		ds, ss, dn, sn = c.xs, c.ys, c.in, c.out
	}
	pos := c.batch * dn[0] * dn[1] * dn[2]
	if pos >= 1<<30 || rows*chans >= 1<<30 {
		return false, nil
	}
	w[ctRows], w[ctChans], w[ctPos] = uint64(rows), uint64(chans), uint64(pos)
	w[ctSrcBatch], w[ctSrcChan], w[ctDstBatch], w[ctDstChan] = uint64(ss[0]), uint64(ss[1]), uint64(ds[0]), uint64(ds[1])
	w[ctWRow], w[ctWChan], w[ctWGroup] = uint64(c.ws[0]), uint64(c.ws[1]), uint64(c.og*c.ws[0])
	if back {
		w[ctWRow], w[ctWChan] = w[ctWChan], w[ctWRow]
	}
	for i := range 3 {
		w[ctDstSize+i], w[ctSrcSize+i], w[ctWin+i] = uint64(dn[i]), uint64(sn[i]), uint64(c.win[i])
		w[ctStride+i], w[ctPad+i], w[ctDil+i] = uint64(c.stride[i]), uint64(c.pad[i]), uint64(c.dil[i])
		w[ctSrcStep+i], w[ctDstStep+i], w[ctWStep+i] = uint64(ss[2+i]), uint64(ds[2+i]), uint64(c.ws[2+i])
	}
	code, err := t.template(v, func() (string, error) { return v.text(), nil })
	if err != nil {
		return false, err
	}
	tiles := (rows + 63) / 64 * ((pos + v.cols() - 1) / v.cols())
	return true, q.Launch(code, int(tiles), int(c.groups), v.threads(), w)
}

// convGen is the text of one under construction.
type convGen struct {
	gen
	v     convVariant
	size  int64
	tid   string
	row0  string // of the tile
	group string // 64 bits

	// the column this thread loads
	ok   string
	at   [3]string // its position, signed
	src  string    // address of its image and group
	wSrc string    // address of its row of weights
	okW  string
	k0   string // its first channel in a step
	n    int64  // channels it loads of a column and of a row
	nw   int64
	kw0  string

	tap   [3]string // the step: window element and first channel
	chan0 string
}

func (g *convGen) w32(i int) string { return g.word(b32, i) }
func (g *convGen) i32(op string, x ...string) string {
	return g.let(b32, op, x...)
}
func (g *convGen) wide(x string) string { return g.let(b64, "cvt.s64.s32", x) }

func (v convVariant) text() string {
	g := &convGen{v: v, size: int64(v.dtype.Size())}
	g.unit = &unit{k: &loop.Kernel{Name: "convolution"}}
	g.args, g.elem, g.step = map[int]string{}, -1, -1
	g.tid = g.i32("mov.u32", "%tid.x")
	g.group = g.let(b64, "cvt.u64.u32", g.i32("mov.u32", "%ctaid.y"))
	cols := v.cols()
	rowTiles := g.i32("shr.u32", g.i32("add.u32", g.w32(ctRows), "63"), "6")
	id := g.i32("mov.u32", "%ctaid.x")
	col0 := g.i32("mul.lo.u32", g.i32("div.u32", id, rowTiles), imm(cols))
	g.row0 = g.i32("shl.b32", g.i32("rem.u32", id, rowTiles), "6")
	base := g.i32("cvt.u32.u64", g.let(b64, "mov.u64", "shared"))

	// this thread's column and row
	col := g.tid
	g.n, g.nw = 32, 16
	g.k0 = g.i32("mov.u32", "0")
	rowIn, half := g.i32("shr.u32", g.tid, "1"), g.i32("and.b32", g.tid, "1")
	g.kw0 = g.i32("shl.b32", half, "4")
	if !v.half() {
		col = g.i32("and.b32", g.tid, "63")
		g.n, g.nw = 4, 4
		g.k0 = g.i32("shl.b32", g.i32("shr.u32", g.tid, "6"), "2")
		rowIn, g.kw0 = col, g.k0
	}
	pos := g.i32("add.u32", col0, col)
	g.ok = g.let(pred, "setp.lt.u32", pos, g.w32(ctPos))
	p := g.i32("selp.b32", pos, "0", g.ok)
	for i := 2; i >= 0; i-- {
		g.at[i] = g.i32("rem.u32", p, g.w32(ctDstSize+i))
		p = g.i32("div.u32", p, g.w32(ctDstSize+i))
	}
	image := g.let(b64, "cvt.u64.u32", p)
	bytes := func(base string, terms ...[2]string) string {
		e := ""
		for _, t := range terms {
			if e == "" {
				e = g.let(b64, "mul.lo.s64", t[0], t[1])
			} else {
				e = g.let(b64, "mad.lo.s64", t[0], t[1], e)
			}
		}
		return g.let(b64, "mad.lo.s64", e, imm(g.size), base)
	}
	chans := g.let(b64, "mul.lo.s64", g.group, g.word(b64, ctChans))
	g.src = bytes(g.word(b64, ctSrc), [2]string{image, g.word(b64, ctSrcBatch)}, [2]string{chans, g.word(b64, ctSrcChan)})
	row := g.i32("add.u32", g.row0, rowIn)
	g.okW = g.let(pred, "setp.lt.u32", row, g.w32(ctRows))
	r := g.let(b64, "cvt.u64.u32", g.i32("selp.b32", row, "0", g.okW))
	g.wSrc = bytes(g.word(b64, ctW), [2]string{g.group, g.word(b64, ctWGroup)}, [2]string{r, g.word(b64, ctWRow)})

	// where the results of each column go: a table at the start of shared memory
	rows := g.let(b64, "mul.lo.s64", g.group, g.word(b64, ctRows))
	terms := [][2]string{{image, g.word(b64, ctDstBatch)}, {rows, g.word(b64, ctDstChan)}}
	for i := range 3 {
		terms = append(terms, [2]string{g.let(b64, "cvt.u64.u32", g.at[i]), g.word(b64, ctDstStep+i)})
	}
	dst := g.let(b64, "selp.b64", bytes(g.word(b64, ctDst), terms...), "0", g.ok)
	g.op("st.shared.b64", "["+g.i32("mad.lo.u32", col, "8", base)+"]", dst)
	tiles := g.i32("add.u32", base, imm(8*cols))

	// steps
	chan_ := g.w32(ctChans)
	per := g.i32("div.u32", g.i32("add.u32", chan_, imm(v.steps()-1)), imm(v.steps()))
	total := per
	for i := range 3 {
		g.tap[i] = g.copyOf(loop.I32, g.i32("mov.u32", "0"))
		total = g.i32("mul.lo.u32", total, g.w32(ctWin+i))
	}
	g.chan0 = g.copyOf(loop.I32, g.i32("mov.u32", "0"))
	if v.half() {
		g.tensorCores(tiles, base, total)
	} else {
		g.plainTiles(tiles, base, total)
	}
	return g.entry("k", ctWords, fmt.Sprintf("\n.maxntid %d, 1, 1", v.threads()))
}

// next moves on to the step after: channels first, then the window.
func (g *convGen) next() {
	p := g.reg(pred)
	g.op("add.u32", g.chan0, g.chan0, imm(g.v.steps()))
	g.op("setp.ge.u32", p, g.chan0, g.w32(ctChans))
	g.op("@"+p+" mov.u32", g.chan0, "0")
	for i := 2; i >= 0; i-- {
		g.op("@"+p+" add.u32", g.tap[i], g.tap[i], "1")
		if i == 0 {
			break
		}
		over := g.let(pred, "setp.ge.u32", g.tap[i], g.w32(ctWin+i))
		over = g.let(pred, "and.pred", over, p)
		g.op("@"+over+" mov.u32", g.tap[i], "0")
		p = over
	}
}

// fetch loads a step's elements of this thread's column and row into registers.
func (g *convGen) fetch(xs, ws []string) {
	ok := g.ok
	at := g.src
	for i := range 3 {
		off := g.i32("mul.lo.s32", g.tap[i], g.w32(ctDil+i))
		var x string
		if g.v.back {
			x = g.i32("sub.s32", g.i32("add.s32", g.at[i], g.w32(ctPad+i)), off)
			if !g.v.unit {
				s := g.w32(ctStride + i)
				pos := g.let(pred, "setp.ge.s32", x, "0")
				y := g.i32("div.u32", x, s)
				whole := g.let(pred, "setp.eq.u32", g.i32("mul.lo.u32", y, s), x)
				ok = g.let(pred, "and.pred", ok, g.let(pred, "and.pred", pos, whole))
				x = y
			}
		} else {
			x = g.i32("sub.s32", g.i32("mad.lo.s32", g.at[i], g.w32(ctStride+i), off), g.w32(ctPad+i))
		}
		ok = g.let(pred, "and.pred", ok, g.let(pred, "setp.lt.u32", x, g.w32(ctSrcSize+i)))
		e := g.let(b64, "mul.lo.s64", g.wide(x), g.word(b64, ctSrcStep+i))
		at = g.let(b64, "mad.lo.s64", e, imm(g.size), at)
	}
	g.run(xs, at, g.k0, g.word(b64, ctSrcChan), ok)
	at = g.wSrc
	for i := range 3 {
		e := g.let(b64, "mul.lo.s64", g.let(b64, "cvt.u64.u32", g.tap[i]), g.word(b64, ctWStep+i))
		at = g.let(b64, "mad.lo.s64", e, imm(g.size), at)
	}
	g.run(ws, at, g.kw0, g.word(b64, ctWChan), g.okW)
}

// run loads neighbouring channels from chan0 + k on.
func (g *convGen) run(regs []string, at, k, stride, ok string) {
	c := g.i32("add.u32", g.chan0, k)
	step := g.let(b64, "mul.lo.s64", stride, imm(g.size))
	a := g.let(b64, "mad.lo.s64", g.let(b64, "cvt.u64.u32", c), step, at)
	for i, r := range regs {
		in := g.let(pred, "setp.lt.u32", g.i32("add.u32", c, imm(int64(i))), g.w32(ctChans))
		in = g.let(pred, "and.pred", in, ok)
		if i > 0 {
			a = g.let(b64, "add.s64", a, step)
		}
		if g.v.half() {
			g.op("mov.b16", r, "0")
			g.op("@"+in+" ld.global.b16", r, "["+a+"]")
		} else {
			g.op("mov.f32", r, g.float(loop.F32, 0))
			g.op("@"+in+" ld.global.f32", r, "["+a+"]")
		}
	}
}

func (g *convGen) regs(n int64) []string {
	c := f32
	if g.v.half() {
		c = b16
	}
	l := make([]string, n)
	for i := range l {
		l[i] = g.reg(c)
	}
	return l
}

// tensorCores multiplies 16-bit tiles. Shared memory: columns [128][32], rows [64][32],
// both twice.
func (g *convGen) tensorCores(tiles, table, total string) {
	const colBytes, rowBytes = 128 * 64, 64 * 64
	const stage = colBytes + rowBytes
	g.smem = int(8*g.v.cols() + 2*stage)
	lane := g.i32("and.b32", g.tid, "31")
	warp := g.i32("shr.u32", g.tid, "5")
	wm, wn := g.i32("shl.b32", g.i32("and.b32", warp, "1"), "5"), g.i32("shl.b32", g.i32("shr.u32", warp, "1"), "6")
	xs, ws := g.regs(g.n), g.regs(g.nw)
	rowIn, half := g.i32("shr.u32", g.tid, "1"), g.i32("and.b32", g.tid, "1")
	put := func(regs []string, row, chunk0 string, at int64, buf string) {
		sw := g.i32("and.b32", g.i32("shr.u32", row, "1"), "3")
		a := g.i32("add.u32", g.i32("mad.lo.u32", row, "64", tiles), buf)
		for c := 0; c < len(regs)/8; c++ {
			var w []string
			for i := range 4 {
				w = append(w, g.let(b32, "mov.b32", "{"+regs[8*c+2*i]+", "+regs[8*c+2*i+1]+"}"))
			}
			ch := g.i32("xor.b32", g.i32("add.u32", chunk0, imm(int64(c))), sw)
			g.op("st.shared.v4.b32", fmt.Sprintf("[%s+%d]", g.i32("mad.lo.u32", ch, "16", a), at), "{"+join(w)+"}")
		}
	}
	buf := g.copyOf(loop.I32, g.i32("mov.u32", "0"))
	fill := func(buf string) {
		put(xs, g.tid, g.i32("mov.u32", "0"), 0, buf)
		put(ws, rowIn, g.i32("shl.b32", half, "1"), colBytes, buf)
	}
	low, mid, high := g.i32("and.b32", lane, "7"), g.i32("and.b32", g.i32("shr.u32", lane, "3"), "1"), g.i32("shr.u32", lane, "4")
	lead := func(outer, in, chunk string, at int64) string {
		sw := g.i32("xor.b32", chunk, g.i32("and.b32", g.i32("shr.u32", in, "1"), "3"))
		off := g.i32("mad.lo.u32", g.i32("add.u32", outer, in), "64", g.i32("shl.b32", sw, "4"))
		return g.i32("add.u32", g.i32("add.u32", off, tiles), imm(at))
	}
	aLead := lead(wm, g.i32("and.b32", lane, "15"), high, colBytes)
	bLead := lead(wn, g.i32("mad.lo.u32", high, "8", low), mid, 0)
	var acc [2][8][4]string
	for i := range acc {
		for j := range acc[i] {
			for e := range acc[i][j] {
				acc[i][j][e] = g.copyOf(loop.F32, g.float(loop.F32, 0))
			}
		}
	}
	t := "bf16"
	if g.v.dtype == tensor.Float16 {
		t = "f16"
	}
	frag := func(lead string, s, i int64) []string {
		if s > 0 {
			lead = g.i32("xor.b32", lead, imm(32*s))
		}
		rs := []string{g.reg(b32), g.reg(b32), g.reg(b32), g.reg(b32)}
		g.op("ldmatrix.sync.aligned.m8n8.x4.shared.b16", "{"+join(rs)+"}", fmt.Sprintf("[%s+%d]", lead, 1024*i))
		return rs
	}
	g.pipeline(total, xs, ws, func() { fill(buf) }, func() {
		a, b := g.i32("add.u32", aLead, buf), g.i32("add.u32", bLead, buf)
		for s := range int64(2) {
			af := [2][]string{frag(a, s, 0), frag(a, s, 1)}
			for j := range int64(4) {
				bf := frag(b, s, j)
				for i := range af {
					for h := range 2 {
						c := acc[i][2*int(j)+h]
						d := "{" + join(c[:]) + "}"
						g.op("mma.sync.aligned.m16n8k16.row.col.f32."+t+"."+t+".f32", d, "{"+join(af[i])+"}", "{"+bf[2*h]+", "+bf[2*h+1]+"}", d)
					}
				}
			}
		}
	}, buf, stage)
	r4, c2 := g.i32("shr.u32", lane, "2"), g.i32("shl.b32", g.i32("and.b32", lane, "3"), "1")
	for j := range int64(8) {
		for e := range int64(2) {
			col := g.i32("add.u32", g.i32("add.u32", wn, c2), imm(8*j+e))
			to := g.let(b64, "ld.shared.b64", "["+g.i32("mad.lo.u32", col, "8", table)+"]")
			for i := range int64(2) {
				for h := range int64(2) {
					row := g.i32("add.u32", g.i32("add.u32", g.row0, wm), g.i32("add.u32", r4, imm(16*i+8*h)))
					g.result(row, to, acc[i][j][2*h+e])
				}
			}
		}
	}
}

// result stores a sum at a channel of the column whose results begin at to (0: none).
func (g *convGen) result(row, to, v string) {
	ok := g.let(pred, "and.pred", g.let(pred, "setp.lt.u32", row, g.w32(ctRows)), g.let(pred, "setp.ne.s64", to, "0"))
	r := g.let(b64, "cvt.u64.u32", row)
	if g.v.bias {
		ch := g.let(b64, "mad.lo.s64", g.group, g.word(b64, ctRows), r)
		e := g.let(b64, "mul.lo.s64", ch, g.word(b64, ctBiasStride))
		v = g.let(f32, "add.rn.f32", v, g.read(g.v.dtype, "global", g.let(b64, "mad.lo.s64", e, imm(g.size), g.word(b64, ctBias)), ok))
	}
	e := g.let(b64, "mul.lo.s64", r, g.word(b64, ctDstChan))
	g.write(g.v.dtype, g.let(b64, "mad.lo.s64", e, imm(g.size), to), ok, v)
}

// pipeline goes through the steps: while one is multiplied, the next one's elements
// come into registers. There are two places for a step in shared memory, so that one
// barrier a step is enough.
func (g *convGen) pipeline(total string, xs, ws []string, fill, multiply func(), buf string, stage int64) {
	g.fetch(xs, ws)
	i := g.copyOf(loop.I32, g.i32("mov.u32", "0"))
	top, last := g.label(), g.label()
	g.mark(top)
	fill()
	g.op("bar.sync", "0")
	g.op("add.u32", i, i, "1")
	g.next()
	skip := g.label()
	over := g.let(pred, "setp.ge.u32", i, total)
	g.op("@"+over+" bra", skip)
	g.fetch(xs, ws)
	g.mark(skip)
	multiply()
	g.op("sub.u32", buf, imm(stage), buf)
	g.op("@"+over+" bra", last)
	g.op("bra", top)
	g.mark(last)
}

// plainTiles multiplies float32 tiles, kept by channel: columns [16][68], rows [16][68],
// both twice.
func (g *convGen) plainTiles(tiles, table, total string) {
	const colBytes = 16 * 68 * 4
	const stage = 2 * colBytes
	g.smem = int(8*g.v.cols() + 2*stage)
	xs, ws := g.regs(g.n), g.regs(g.nw)
	col := g.i32("and.b32", g.tid, "63")
	buf := g.copyOf(loop.I32, g.i32("mov.u32", "0"))
	tx, ty := g.i32("and.b32", g.tid, "15"), g.i32("shr.u32", g.tid, "4")
	place := g.i32("mad.lo.u32", g.i32("mad.lo.u32", g.k0, "68", col), "4", tiles)
	bAt, aAt := g.i32("mad.lo.u32", tx, "16", tiles), g.i32("mad.lo.u32", ty, "16", tiles)
	var acc [4][4]string
	for i := range acc {
		for j := range acc[i] {
			acc[i][j] = g.copyOf(loop.F32, g.float(loop.F32, 0))
		}
	}
	four := func(a string, at int64) []string {
		rs := []string{g.reg(f32), g.reg(f32), g.reg(f32), g.reg(f32)}
		g.op("ld.shared.v4.f32", "{"+join(rs)+"}", fmt.Sprintf("[%s+%d]", a, at))
		return rs
	}
	g.pipeline(total, xs, ws, func() {
		a := g.i32("add.u32", place, buf)
		for i := range xs {
			g.op("st.shared.f32", fmt.Sprintf("[%s+%d]", a, i*68*4), xs[i])
			g.op("st.shared.f32", fmt.Sprintf("[%s+%d]", a, colBytes+i*68*4), ws[i])
		}
	}, func() {
		a, b := g.i32("add.u32", aAt, buf), g.i32("add.u32", bAt, buf)
		for k := range int64(16) {
			x, y := four(a, colBytes+k*68*4), four(b, k*68*4)
			for i := range 4 {
				for j := range 4 {
					g.op("fma.rn.f32", acc[i][j], x[i], y[j], acc[i][j])
				}
			}
		}
	}, buf, stage)
	for j := range int64(4) {
		to := g.let(b64, "ld.shared.b64", "["+g.i32("mad.lo.u32", g.i32("mad.lo.u32", tx, "4", imm(j)), "8", table)+"]")
		for i := range int64(4) {
			g.result(g.i32("add.u32", g.row0, g.i32("mad.lo.u32", ty, "4", imm(i))), to, acc[i][j])
		}
	}
}
