package ptx

import (
	"fmt"
	"math"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Attention on tensor cores (mma.sync), for 16-bit operands whose rows begin at 16
// bytes and hold up to 128 elements, a multiple of 8; strides of batches, heads and
// rows are free, sizes ragged, and groups of query heads may share keys and values.
//
//	forward  a block has 64 or 128 rows of q, 16 or 32 a warp, and walks the keys 64 at
//	         a time with a running maximum and sum; the next 64 come by cp.async
//	delta    Σ_d o do of each row
//	dk, dv   a block has 64 keys and walks the rows of q of all heads that share them:
//	         scores transposed, so that probabilities are at once the next product's
//	         fragments
//	dq       as forward, from the stored logarithms of the rows' sums
//
// A block that no mask touches takes a copy of the body without one. Scores are kept to
// base 2. The running maximum begins at a number, not at infinity; a row that may see
// nothing divides by zero and is NaN, as on the CPU.

func init() {
	templates["attention"] = (*Target).attention
	templates["attention_grad"] = (*Target).attentionGrad
}

// Argument words of attention. Strides are in bytes: batch, head, row.
const (
	atQ = iota
	atK
	atV
	atO
	atDO
	atDQ
	atDK
	atDV
	atMask
	atLSE
	atDelta
	atM
	atN
	atD
	atHeads
	atGroups
	atScale // times log2 e
	atScaleE
	atStrides             // 3 for each of q … dv
	atMaskStrides         = atStrides + 3*8
	atWords               = atMaskStrides + 4
	attnThreads           = 128
	attnCols              = 64 // keys, or rows of q, of a step
	noScore       float64 = -1e30
)

type attnPart uint8

const (
	attnForward attnPart = iota
	attnKV
	attnQ
)

type attnVariant struct {
	part   attnPart
	dtype  tensor.DType
	d      int // 32, 64 or 128: elements of a row in shared memory
	tiles  int // of 16 rows a warp
	causal bool
	mask   bool
}

// attnShape takes operands apart; ok is false where the kernels do not serve them.
func (t *Target) attnShape(a *loop.TemplateArgs, ops map[int]*loop.Operand, mask *loop.Operand) (v attnVariant, w []uint64, ok bool) {
	q, k := ops[atQ], ops[atK]
	v = attnVariant{dtype: q.DType, causal: a.Flags[0], tiles: 1}
	d := q.Size[3]
	w = make([]uint64, atWords)
	if q.DType != tensor.BFloat16 && q.DType != tensor.Float16 || d > 128 || d%8 != 0 || d == 0 || ops[atV].Size[3] != d || k.Size[2] == 0 {
		return v, w, false
	}
	v.d = 32
	for int64(v.d) < d {
		v.d *= 2
	}
	for i, o := range ops {
		w[i] = uint64(int64(uintptr(o.Mem.Ptr)) + 2*o.Off)
		if o.DType != q.DType || o.Stride[3] != 1 && d > 1 || w[i]%16 != 0 {
			return v, w, false
		}
		for s := range 3 {
			st := o.Stride[s]
			if o.Size[s] == 1 {
				st = 0
			}
			if st%8 != 0 || s == 2 && (st < 0 || st >= 1<<30) {
				return v, w, false
			}
			w[atStrides+3*i+s] = uint64(2 * st)
		}
	}
	if mask.DType != tensor.Invalid {
		v.mask = true
		w[atMask] = uint64(int64(uintptr(mask.Mem.Ptr)) + mask.Off)
		for s := range 4 {
			if mask.Size[s] != 1 {
				w[atMaskStrides+s] = uint64(mask.Stride[s])
			}
		}
	}
	w[atM], w[atN], w[atD] = uint64(q.Size[2]), uint64(k.Size[2]), uint64(d)
	w[atHeads], w[atGroups] = uint64(q.Size[1]), uint64(k.Size[1])
	scale := a.Nums[0].Float64()
	w[atScale] = uint64(math.Float32bits(float32(scale * math.Log2E)))
	w[atScaleE] = uint64(math.Float32bits(float32(scale)))
	return v, w, q.Size[2] < 1<<22 && k.Size[2] < 1<<22
}

func (t *Target) attention(a *loop.TemplateArgs) (bool, error) {
	q, lse := &a.In[0], &a.Out[1]
	if a.Out[0].Numel() == 0 {
		return true, nil
	}
	v, w, ok := t.attnShape(a, map[int]*loop.Operand{atQ: q, atK: &a.In[1], atV: &a.In[2], atO: &a.Out[0]}, &a.In[3])
	if !ok || !dense(lse) {
		return false, nil
	}
	w[atLSE] = uint64(int64(uintptr(lse.Mem.Ptr)) + 4*lse.Off)
	heads := q.Size[0] * q.Size[1]
	v.part = attnForward
	if q.Size[2] > attnCols && heads*((q.Size[2]+127)/128) >= int64(t.m.Processors()) {
		v.tiles = 2
	}
	return true, t.attnLaunch(t.on(a.Queue), v, heads, q.Size[2], w)
}

func (t *Target) attnLaunch(q Queue, v attnVariant, heads, rows int64, w []uint64) error {
	code, err := t.template(v, func() (string, error) { return v.text(), nil })
	if err != nil {
		return err
	}
	per := int64(4 * 16 * v.tiles)
	return q.Launch(code, int(heads), int((rows+per-1)/per), attnThreads, w)
}

func (t *Target) attentionGrad(a *loop.TemplateArgs) (bool, error) {
	q, k, o, lse, do := &a.In[0], &a.In[1], &a.In[4], &a.In[5], &a.In[6]
	v, w, ok := t.attnShape(a, map[int]*loop.Operand{atQ: q, atK: k, atV: &a.In[2], atDO: do, atDQ: &a.Out[0], atDK: &a.Out[1], atDV: &a.Out[2]}, &a.In[3])
	if !ok || !dense(lse) || q.Numel() == 0 {
		return false, nil
	}
	rows := q.Size[0] * q.Size[1] * q.Size[2]
	queue := t.on(a.Queue)
	work, err := queue.Work(int(workParts + 4*rows))
	if err != nil {
		return false, err
	}
	w[atLSE] = uint64(int64(uintptr(lse.Mem.Ptr)) + 4*lse.Off)
	w[atDelta] = work + workParts
	if err := t.attnDelta(a.Queue, o, do, work+workParts); err != nil {
		return false, err
	}
	v.part = attnKV
	if err := t.attnLaunch(queue, v, k.Size[0]*k.Size[1], k.Size[2], w); err != nil {
		return false, err
	}
	v.part = attnQ
	return true, t.attnLaunch(queue, v, q.Size[0]*q.Size[1], q.Size[2], w)
}

// attn is the text of a kernel under construction.
type attn struct {
	gen
	v     attnVariant
	lane  string
	warp  string
	base  string // of shared memory, at a multiple of 256
	row   int64  // bytes of a row there
	batch string // 64 bits
	head  string
	group string
	m, n  string // sizes
	dCols string
}

func (v attnVariant) text() string {
	g := &attn{v: v, row: int64(2 * v.d)}
	g.unit = &unit{k: &loop.Kernel{Name: "attention"}}
	g.args, g.elem, g.step = map[int]string{}, -1, -1
	tid := g.let(b32, "mov.u32", "%tid.x")
	g.lane, g.warp = g.let(b32, "and.b32", tid, "31"), g.let(b32, "shr.u32", tid, "5")
	s := g.let(b32, "cvt.u32.u64", g.let(b64, "mov.u64", "shared"))
	g.base = g.let(b32, "and.b32", g.let(b32, "add.u32", s, "255"), "0xffffff00")
	g.m, g.n, g.dCols = g.word(b32, atM), g.word(b32, atN), g.word(b32, atD)
	id := g.let(b32, "mov.u32", "%ctaid.x")
	heads := g.word(b32, atHeads)
	if v.part == attnKV {
		heads = g.word(b32, atGroups)
	}
	g.batch = g.let(b64, "cvt.u64.u32", g.let(b32, "div.u32", id, heads))
	h := g.let(b32, "rem.u32", id, heads)
	share := g.let(b32, "div.u32", g.word(b32, atHeads), g.word(b32, atGroups))
	switch v.part {
	case attnForward, attnQ:
		g.head = g.let(b64, "cvt.u64.u32", h)
		g.group = g.let(b64, "cvt.u64.u32", g.let(b32, "div.u32", h, share))
		g.rows()
	case attnKV:
		g.group = g.let(b64, "cvt.u64.u32", h)
		g.columns(h, share)
	}
	return g.entry("k", atWords, fmt.Sprintf("\n.maxntid %d, 1, 1", attnThreads))
}

// of is the address of an operand's first row of this batch and a head.
func (g *attn) of(op int, head string) string {
	a := g.let(b64, "mad.lo.s64", g.batch, g.word(b64, atStrides+3*op), g.word(b64, op))
	return g.let(b64, "mad.lo.s64", head, g.word(b64, atStrides+3*op+1), a)
}

// copier is how this thread takes part in bringing rows of an operand to shared
// memory: one 16-byte chunk of every few rows.
type copier struct {
	src    string // the operand's first row, at the thread's chunk
	stride string
	row    string // the thread's first row in a tile
	dst    string // its place there, at the base
	in     string // the chunk is inside of the row
	bytes  string // 16, or 0 where it is not
	narrow string // stride in 32 bits
	step   int64  // rows between the thread's chunks
}

// key of the swizzle: what a chunk's number is xored with in a row.
func (g *attn) swizzle(row string) string {
	switch g.v.d {
	case 32: // rows of 64 bytes
		return g.let(b32, "and.b32", g.let(b32, "shr.u32", row, "1"), "3")
	}
	return g.let(b32, "and.b32", row, "7")
}

func (g *attn) copier(op int, first string) *copier {
	chunks := int64(g.v.d / 8)
	tid := g.let(b32, "mov.u32", "%tid.x")
	c := &copier{step: attnThreads / chunks, stride: g.word(b64, atStrides+3*op+2)}
	c.row = g.let(b32, "div.u32", tid, imm(chunks))
	ch := g.let(b32, "rem.u32", tid, imm(chunks))
	c.in = g.let(pred, "setp.lt.u32", g.let(b32, "shl.b32", ch, "3"), g.dCols)
	c.bytes, c.narrow = g.let(b32, "selp.b32", "16", "0", c.in), g.word(b32, atStrides+3*op+2)
	c.src = g.let(b64, "mad.wide.u32", g.let(b32, "selp.b32", ch, "0", c.in), "16", first)
	sw := g.let(b32, "xor.b32", ch, g.swizzle(c.row))
	c.dst = g.let(b32, "mad.lo.u32", c.row, imm(g.row), g.let(b32, "mad.lo.u32", sw, "16", g.base))
	return c
}

// copy brings rows from row on, of which there are limit, to byte at of shared memory.
func (g *attn) copy(c *copier, row, limit string, rows int64, at string) {
	dst := g.let(b32, "add.u32", c.dst, at)
	r0 := g.let(b32, "add.u32", row, c.row)
	ragged, end := g.label(), g.label()
	p := g.let(pred, "setp.gt.u32", g.let(b32, "add.u32", row, imm(rows)), limit)
	g.op("@"+p+" bra", ragged)
	first := g.let(b64, "mad.lo.s64", g.let(b64, "cvt.u64.u32", r0), c.stride, c.src)
	for i := int64(0); i < rows; i += c.step {
		src := first
		if i > 0 {
			src = g.let(b64, "mad.wide.u32", c.narrow, imm(i), first)
		}
		g.op("cp.async.cg.shared.global.L2::128B", fmt.Sprintf("[%s+%d]", dst, i*g.row), "["+src+"]", "16", c.bytes)
	}
	g.op("bra", end)
	g.mark(ragged)
	for i := int64(0); i < rows; i += c.step {
		r := g.let(b32, "add.u32", r0, imm(i))
		ok := g.let(pred, "and.pred", g.let(pred, "setp.lt.u32", r, limit), c.in)
		r = g.let(b32, "selp.b32", r, "0", ok)
		src := g.let(b64, "mad.lo.s64", g.let(b64, "cvt.u64.u32", r), c.stride, c.src)
		g.op("cp.async.cg.shared.global", fmt.Sprintf("[%s+%d]", dst, i*g.row), "["+src+"]", "16", g.let(b32, "selp.b32", "16", "0", ok))
	}
	g.mark(end)
}

// Fragments. A lane's address of the first is a; chunk pair k along the row is a
// xored with 32 k, which stays inside of the row.
//
//	rows    16 rows x 16 elements, the left factor of a product
//	across  16 rows x 16 elements as the right factor, rows being its columns
//	down    the same with rows being its rows: transposed on the way
func (g *attn) fragRows() string {
	return g.fragAt(g.let(b32, "and.b32", g.lane, "15"), g.let(b32, "shr.u32", g.lane, "4"))
}

func (g *attn) fragAcross() string {
	low, high := g.let(b32, "and.b32", g.lane, "7"), g.let(b32, "shr.u32", g.lane, "4")
	mid := g.let(b32, "and.b32", g.let(b32, "shr.u32", g.lane, "3"), "1")
	return g.fragAt(g.let(b32, "mad.lo.u32", high, "8", low), mid)
}

func (g *attn) fragDown() string { return g.fragRows() }

func (g *attn) fragAt(row, chunk string) string {
	sw := g.let(b32, "xor.b32", chunk, g.swizzle(row))
	return g.let(b32, "mad.lo.u32", row, imm(g.row), g.let(b32, "mad.lo.u32", sw, "16", g.base))
}

func (g *attn) fragment(a string, pair int, at int64, trans bool) []string {
	if pair > 0 {
		a = g.let(b32, "xor.b32", a, imm(int64(32*pair)))
	}
	rs := []string{g.reg(b32), g.reg(b32), g.reg(b32), g.reg(b32)}
	t := ""
	if trans {
		t = ".trans"
	}
	g.op("ldmatrix.sync.aligned.m8n8.x4"+t+".shared.b16", "{"+join(rs)+"}", fmt.Sprintf("[%s+%d]", a, at))
	return rs
}

// mma adds a product to c; fresh: to nothing.
func (g *attn) mma(c *[4]string, a []string, b0, b1 string, fresh bool) {
	t := "bf16"
	if g.v.dtype == tensor.Float16 {
		t = "f16"
	}
	d := "{" + join(c[:]) + "}"
	from := d
	if fresh {
		z := g.float(loop.F32, 0)
		from = "{" + join([]string{z, z, z, z}) + "}"
	}
	g.op("mma.sync.aligned.m16n8k16.row.col.f32."+t+"."+t+".f32", d, "{"+join(a)+"}", "{"+b0+", "+b1+"}", from)
}

func (g *attn) zeros(n int) [][4]string {
	l := make([][4]string, n)
	for i := range l {
		for e := range l[i] {
			l[i][e] = g.copyOf(loop.F32, g.float(loop.F32, 0))
		}
	}
	return l
}

// across multiplies rows of a (a tile at aAt, 16 rows of it a warp) by rows of b: the
// product over whole rows, 64 columns, in place of what c held.
func (g *attn) across(c [][4]string, a string, aAt int64, b string, bAt int64) {
	for k := range g.v.d / 16 {
		af := g.fragment(a, k, aAt, false)
		for j := range attnCols / 16 {
			bf := g.fragment(b, k, bAt+int64(j)*16*g.row, false)
			g.mma(&c[2*j], af, bf[0], bf[1], k == 0)
			g.mma(&c[2*j+1], af, bf[2], bf[3], k == 0)
		}
	}
}

// down multiplies probabilities (fragments of 64 columns) by 64 rows of b.
func (g *attn) down(c [][4]string, p [][4]string, b string, bAt int64) {
	for k := range attnCols / 16 {
		x, y := p[2*k], p[2*k+1]
		g.downStep(c, []string{g.toBits(g.v.dtype, x[0], x[1]), g.toBits(g.v.dtype, x[2], x[3]), g.toBits(g.v.dtype, y[0], y[1]), g.toBits(g.v.dtype, y[2], y[3])}, b, bAt+int64(k)*16*g.row)
	}
}

func (g *attn) downStep(c [][4]string, af []string, b string, bAt int64) {
	for j := range g.v.d / 16 {
		bf := g.fragment(b, j, bAt, true)
		g.mma(&c[2*j], af, bf[0], bf[1], false)
		g.mma(&c[2*j+1], af, bf[2], bf[3], false)
	}
}

func (g *attn) f(op string, x ...string) string { return g.let(f32, op, x...) }

func (g *attn) ex2(x string) string { return g.f("ex2.approx.ftz.f32", x) }

// quad combines over the four lanes that share a row.
func (g *attn) quad(x string, op string) string {
	for _, m := range []int64{1, 2} {
		x = g.f(op, x, g.shuffle(loop.F32, x, m))
	}
	return x
}

// steps runs body for j from to below to; masked bodies are those at and after plain.
func (g *attn) steps(j, plain, to string, body func(masked bool)) {
	for _, s := range []struct {
		to     string
		masked bool
	}{{plain, false}, {to, true}} {
		if s.to == "" {
			continue
		}
		top, end := g.label(), g.label()
		p := g.let(pred, "setp.ge.u32", j, s.to)
		g.op("@"+p+" bra", end)
		g.mark(top)
		body(s.masked)
		g.op("add.u32", j, j, "1")
		g.op("setp.lt.u32", p, j, s.to)
		g.op("@"+p+" bra", top)
		g.mark(end)
	}
}

// maskAddr is the address of the mask's row i of this batch and head.
func (g *attn) maskAddr(head, i string) string {
	a := g.let(b64, "mad.lo.s64", g.batch, g.word(b64, atMaskStrides), g.word(b64, atMask))
	a = g.let(b64, "mad.lo.s64", head, g.word(b64, atMaskStrides+1), a)
	return g.let(b64, "mad.lo.s64", g.let(b64, "cvt.u64.u32", i), g.word(b64, atMaskStrides+2), a)
}

// seen reports that row q may look at key n; addr is the mask's row of q.
func (g *attn) seen(q, n, addr string) string {
	ok := g.let(pred, "and.pred", g.let(pred, "setp.lt.u32", n, g.n), g.let(pred, "setp.lt.u32", q, g.m))
	if g.v.causal {
		ok = g.let(pred, "and.pred", ok, g.let(pred, "setp.le.u32", n, q))
	}
	if g.v.mask {
		r := g.copyOf(loop.I32, g.let(b32, "mov.u32", "0"))
		a := g.let(b64, "mad.lo.s64", g.let(b64, "cvt.u64.u32", n), g.word(b64, atMaskStrides+3), addr)
		g.when(ok, "ld.global.u8", r, "["+a+"]")
		ok = g.let(pred, "setp.ne.u32", r, "0")
	}
	return ok
}

// storeTile writes 16 rows of a warp, rounded, with a factor for each half of them.
func (g *attn) storeTile(op int, head string, c [][4]string, row, limit string, factor [2]string) {
	first := g.of(op, head)
	col := g.let(b32, "shl.b32", g.let(b32, "and.b32", g.lane, "3"), "1")
	for h := range 2 {
		r := g.let(b32, "add.u32", row, imm(int64(8*h)))
		ok := g.let(pred, "setp.lt.u32", r, limit)
		a := g.let(b64, "mad.lo.s64", g.let(b64, "cvt.u64.u32", r), g.word(b64, atStrides+3*op+2), first)
		a = g.let(b64, "mad.wide.u32", col, "2", a)
		for j := range c {
			x, y := c[j][2*h], c[j][2*h+1]
			if factor[h] != "" {
				x, y = g.f("mul.rn.f32", x, factor[h]), g.f("mul.rn.f32", y, factor[h])
			}
			in := ok
			if j > 0 && (g.v.d == 32 || j*8 >= g.v.d/2) { // rows have more than half of what there is room for
				in = g.let(pred, "and.pred", ok, g.let(pred, "setp.gt.u32", g.dCols, imm(int64(8*j))))
			}
			g.when(in, "st.global.b32", fmt.Sprintf("[%s+%d]", a, 16*j), g.toBits(g.v.dtype, x, y))
		}
	}
}
