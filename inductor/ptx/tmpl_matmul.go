package ptx

import (
	"fmt"

	"github.com/larkspur-ml/larkspur/device"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Matrix products. Two kernels serve all of them:
//
//	tensor cores  float16 and bfloat16: 128 x 128 tiles, 4 warps of 64 x 64, mma.sync
//	              from shared memory that cp.async fills three stages ahead
//	plain         every dtype and stride: 64 x 64 tiles, 256 threads of 4 x 4 elements
//
// Both take any size; what is outside reads as zero and is not stored. Each operand
// of the first steps by one along k or along its other dimension, in rows that begin
// at 16 bytes: the tile keeps that order in shared memory, and ldmatrix transposes
// where it must.
//
// Few rows or columns (a layer's product for one sample) go to a kernel in which a
// warp computes the dot products of one row of the large operand.

func init() { templates["matmul"] = matmul }

// Argument words of a product.
const (
	mmA = iota
	mmB
	mmC
	mmBias
	mmM
	mmN
	mmK
	mmAM // strides in elements
	mmAK
	mmBK
	mmBN
	mmCM
	mmCN
	mmBiasM
	mmBiasN
	mmBatch1   // size of the middle batch dimension
	mmBatch2   // of the innermost
	mmStrides  // 3 for each of a, b, c, bias
	mmWords    = mmStrides + 12
	batchLimit = 65535
)

// product is a matmul with its geometry taken apart.
type product struct {
	a, b, c, bias *loop.Operand
	m, n, k       int64
	batch         [3]int64
	words         []uint64
	base          [4]int64 // byte addresses
}

func newProduct(a *loop.TemplateArgs) (*product, bool) {
	p := &product{a: &a.In[0], b: &a.In[1], c: &a.Out[0]}
	if len(a.In) > 2 && a.In[2].DType != tensor.Invalid {
		p.bias = &a.In[2]
	}
	r := len(p.c.Size)
	if r < 2 || len(p.a.Size) != r || len(p.b.Size) != r {
		return nil, false
	}
	p.m, p.n, p.k = p.c.Size[r-2], p.c.Size[r-1], p.a.Size[r-1]
	w := make([]uint64, mmWords)
	ops := []*loop.Operand{p.a, p.b, p.c, p.bias}
	stride := func(o *loop.Operand, d int) int64 { // from the end
		if o == nil || d >= len(o.Stride) {
			return 0
		}
		e := len(o.Size) - 1 - d
		if o.Size[e] == 1 {
			return 0
		}
		return o.Stride[e]
	}
	for i, o := range ops {
		if o == nil {
			continue
		}
		p.base[i] = int64(uintptr(o.Mem.Ptr)) + o.Off*int64(o.DType.Size())
		w[i] = uint64(p.base[i])
	}
	for i, v := range []int64{p.m, p.n, p.k, stride(p.a, 1), stride(p.a, 0), stride(p.b, 1), stride(p.b, 0), stride(p.c, 1), stride(p.c, 0), stride(p.bias, 1), stride(p.bias, 0)} {
		w[mmM+i] = uint64(v)
	}
	// batch dimensions that all operands step through alike are one
	type dim struct {
		size int64
		st   [4]int64
	}
	var dims []dim
	for d := r - 1; d >= 2; d-- { // outermost first
		x := dim{size: p.c.Size[r-1-d]}
		if x.size == 1 {
			continue
		}
		for i, o := range ops {
			x.st[i] = stride(o, d)
		}
		if n := len(dims); n > 0 {
			l := &dims[n-1]
			same := true
			for i := range l.st {
				same = same && l.st[i] == x.st[i]*x.size
			}
			if same {
				l.size *= x.size
				l.st = x.st
				continue
			}
		}
		dims = append(dims, x)
	}
	if len(dims) > 3 {
		return nil, false
	}
	p.batch = [3]int64{1, 1, 1}
	for i, x := range dims {
		at := 3 - len(dims) + i
		p.batch[at] = x.size
		for o := range x.st {
			w[mmStrides+3*o+at] = uint64(x.st[o])
		}
	}
	w[mmBatch1], w[mmBatch2] = uint64(p.batch[1]), uint64(p.batch[2])
	p.words = w
	return p, p.batch[0]*p.batch[1]*p.batch[2] <= batchLimit
}

// along says how an operand steps: by one along k, along its other dimension, or
// neither. outer and k are its strides.
type along uint8

const (
	alongNone along = iota
	alongK
	alongOuter
)

// rows of 16 bytes: where tensor cores may take an operand from.
func (p *product) order(i int, o *loop.Operand, outer, k, sizeOuter int64) along {
	if p.base[i]%16 != 0 {
		return alongNone
	}
	for d := range 3 {
		if int64(p.words[mmStrides+3*i+d])%8 != 0 {
			return alongNone
		}
	}
	switch {
	case (k == 1 || p.k == 1) && (outer%8 == 0 || sizeOuter == 1):
		return alongK
	case (outer == 1 || sizeOuter == 1) && (k%8 == 0 || p.k == 1):
		return alongOuter
	}
	return alongNone
}

func matmul(t *Target, a *loop.TemplateArgs) (bool, error) {
	q := t.on(a.Queue)
	p, ok := newProduct(a)
	if !ok {
		return false, nil
	}
	d := p.c.DType
	if p.a.DType != d || p.b.DType != d || p.bias != nil && p.bias.DType != d {
		return false, nil
	}
	batch := int(p.batch[0] * p.batch[1] * p.batch[2])
	if p.m == 0 || p.n == 0 || batch == 0 {
		return true, nil
	}
	if done, err := t.gemv(q, p, batch); done || err != nil {
		return done, err
	}
	st := func(i int) int64 { return int64(p.words[i]) }
	if (d == tensor.BFloat16 || d == tensor.Float16) && p.k > 0 {
		v := mmaVariant{dtype: d, bias: p.bias != nil,
			a: p.order(0, p.a, st(mmAM), st(mmAK), p.m), b: p.order(1, p.b, st(mmBN), st(mmBK), p.n)}
		v.pairs = st(mmCN) == 1 && st(mmCM)%2 == 0 && p.base[2]%4 == 0 && p.n%2 == 0
		for i := range 3 {
			v.pairs = v.pairs && st(mmStrides+6+i)%2 == 0
		}
		v.whole = v.pairs && p.m%128 == 0 && p.n%128 == 0 && p.k%32 == 0
		for _, i := range []int{mmAM, mmAK, mmBK, mmBN} { // 32 bits hold the bytes of 64 rows
			v.whole = v.whole && st(i) >= 0 && st(i) < 1<<25
		}
		if v.a != alongNone && v.b != alongNone {
			code, err := t.template(v, func() (string, error) { return v.text(), nil })
			if err != nil {
				return false, err
			}
			tiles := ((p.m + 127) / 128) * ((p.n + 127) / 128)
			return true, p.launch(q, &device.Launch{Code: code, X: int(tiles), Y: batch, Threads: 128, Args: p.words})
		}
	}
	v := plainVariant{dtype: d, bias: p.bias != nil, aK: abs(st(mmAK)) <= abs(st(mmAM)), bK: abs(st(mmBK)) < abs(st(mmBN))}
	code, err := t.template(v, func() (string, error) { return v.text(), nil })
	if err != nil {
		return false, err
	}
	tiles := ((p.m + 63) / 64) * ((p.n + 63) / 64)
	return true, p.launch(q, &device.Launch{Code: code, X: int(tiles), Y: batch, Threads: 256, Args: p.words})
}

// launch queues the product, by the device's library where that is faster.
func (p *product) launch(q Queue, own *device.Launch) error {
	if m, ok := q.(device.Multiplier); ok {
		if x, ok := p.plain(); ok {
			if done, err := m.Multiply(x, own); done || err != nil {
				return err
			}
		}
	}
	return q.Launch(own.Code, own.X, own.Y, own.Threads, own.Args)
}

// plain is the product as a library takes it: rows or columns without gaps between
// their elements, one step from matrix to matrix, a bias of columns.
func (p *product) plain() (*device.Product, bool) {
	st := func(i int) int64 { return int64(p.words[i]) }
	x := &device.Product{DType: p.c.DType, M: p.m, N: p.n, K: p.k, A: uint64(p.base[0]), B: uint64(p.base[1]), C: uint64(p.base[2]), Batch: p.batch[2]}
	switch x.DType {
	case tensor.Float32, tensor.Float16, tensor.BFloat16:
	default:
		return nil, false
	}
	if p.m < 2 || p.n < 2 || p.k < 2 || p.batch[0] > 1 || p.batch[1] > 1 || st(mmCN) != 1 || st(mmCM) < p.n {
		return nil, false
	}
	rows := func(outer, inner, n, m int64) (ld int64, trans, ok bool) { // n elements to a row, m rows
		switch {
		case inner == 1 && outer >= n:
			return outer, false, true
		case outer == 1 && inner >= m:
			return inner, true, true
		}
		return 0, false, false
	}
	var ok, ok2 bool
	x.LDA, x.TransA, ok = rows(st(mmAM), st(mmAK), p.k, p.m)
	x.LDB, x.TransB, ok2 = rows(st(mmBK), st(mmBN), p.n, p.k)
	x.LDC = st(mmCM)
	x.StepA, x.StepB, x.StepC = st(mmStrides+2), st(mmStrides+5), st(mmStrides+8)
	if p.bias != nil {
		x.Bias = uint64(p.base[3])
		ok = ok && st(mmBiasM) == 0 && st(mmBiasN) == 1 && st(mmStrides+11) == 0
	}
	return x, ok && ok2
}

func abs(n int64) int64 { return max(n, -n) }

// template finds or makes the code of a template's variant; key is a comparable
// value of a type of its own.
func (t *Target) template(key any, text func() (string, error)) (Code, error) {
	t.tmu.Lock()
	defer t.tmu.Unlock()
	if c, ok := t.made[key]; ok {
		return c, nil
	}
	s, err := text()
	if err != nil {
		return nil, err
	}
	if t.opts.Listing != nil {
		t.opts.Listing(fmt.Sprintf("%T%+v", key, key), s, "")
	}
	c, err := t.m.Load(s)
	if err != nil {
		return nil, fmt.Errorf("%w\ntemplate %T%+v:\n%s", err, key, key, s)
	}
	if t.made == nil {
		t.made = map[any]Code{}
	}
	t.made[key] = c
	return c, nil
}

// mm is the text of a product under construction.
type mm struct {
	gen
	ptr [4]string
}

func newMM(d tensor.DType, bias bool) *mm {
	g := &mm{}
	g.unit = &unit{k: &loop.Kernel{Name: "matmul"}}
	g.args = map[int]string{}
	g.elem, g.step = -1, -1
	// the batch's place in each operand
	z := g.let(b64, "cvt.u64.u32", g.let(b32, "mov.u32", "%ctaid.y"))
	n2, n1 := g.word(b64, mmBatch2), g.word(b64, mmBatch1)
	i2, r := g.let(b64, "rem.u64", z, n2), g.let(b64, "div.u64", z, n2)
	i1, i0 := g.let(b64, "rem.u64", r, n1), g.let(b64, "div.u64", r, n1)
	for o := range g.ptr {
		if o == 3 && !bias {
			break
		}
		s := g.let(b64, "mul.lo.s64", i0, g.word(b64, mmStrides+3*o))
		s = g.let(b64, "mad.lo.s64", i1, g.word(b64, mmStrides+3*o+1), s)
		s = g.let(b64, "mad.lo.s64", i2, g.word(b64, mmStrides+3*o+2), s)
		g.ptr[o] = g.let(b64, "mad.lo.s64", s, imm(int64(d.Size())), g.word(b64, o))
	}
	return g
}

// tile is the place of the block's tile: rows of tiles in groups of 8, so that blocks
// that run together share operands in the L2.
func (g *mm) tile(size int64) (m0, n0 string) {
	m, n := g.word(b32, mmM), g.word(b32, mmN)
	up := func(x string) string {
		return g.let(b32, "div.u32", g.let(b32, "add.u32", x, imm(size-1)), imm(size))
	}
	tm, tn := up(m), up(n)
	id := g.let(b32, "mov.u32", "%ctaid.x")
	per := g.let(b32, "mul.lo.u32", tn, "8")
	group := g.let(b32, "div.u32", id, per)
	first := g.let(b32, "mul.lo.u32", group, "8")
	rows := g.let(b32, "min.u32", g.let(b32, "sub.u32", tm, first), "8")
	in := g.let(b32, "rem.u32", id, per)
	r := g.let(b32, "add.u32", first, g.let(b32, "rem.u32", in, rows))
	c := g.let(b32, "div.u32", in, rows)
	return g.let(b32, "mul.lo.u32", r, imm(size)), g.let(b32, "mul.lo.u32", c, imm(size))
}

// finish stores one element of the product, with the bias.
func (g *mm) finish(d tensor.DType, bias bool, row, col, acc, ok string) {
	t := loop.TypeOf(d)
	r, c := g.let(b64, "cvt.u64.u32", row), g.let(b64, "cvt.u64.u32", col)
	if bias {
		acc = g.plus(t, acc, g.biasAt(d, r, c, ok))
	}
	g.write(d, g.at(2, d, r, mmCM, c, mmCN), ok, acc)
}

func (g *mm) plus(t loop.Type, x, y string) string { return g.let(classOf[t], "add."+rn(t), x, y) }

func (g *mm) biasAt(d tensor.DType, r, c, ok string) string {
	return g.read(d, "global", g.at(3, d, r, mmBiasM, c, mmBiasN), ok)
}

// at is the address of element (i, j) of an operand.
func (g *mm) at(op int, d tensor.DType, i string, si int, j string, sj int) string {
	e := g.let(b64, "mul.lo.s64", i, g.word(b64, si))
	e = g.let(b64, "mad.lo.s64", j, g.word(b64, sj), e)
	return g.let(b64, "mad.lo.s64", e, imm(int64(d.Size())), g.ptr[op])
}

// plainVariant is the kernel for every dtype and stride. aK and bK say that an
// operand's neighbours in memory are neighbours along k.
type plainVariant struct {
	dtype  tensor.DType
	bias   bool
	aK, bK bool
}

// The tiles of both operands are kept by k: a[k][64], b[k][64], with some room
// between rows so that columns fall into different banks.
const (
	plainK   = 16
	plainRow = 68
)

func (v plainVariant) text() string {
	g := newMM(v.dtype, v.bias)
	t := loop.TypeOf(v.dtype)
	if t == loop.B1 {
		t = loop.I32 // or of ands: kept as 0 and 1
	}
	size := int64(4)
	if classOf[t] == b64 || classOf[t] == f64 {
		size = 8
	}
	sfx := bitsSuffix[t]
	m0, n0 := g.tile(64)
	tid := g.let(b32, "mov.u32", "%tid.x")
	tx, ty := g.let(b32, "and.b32", tid, "15"), g.let(b32, "shr.u32", tid, "4")
	g.smem = int(2 * plainK * plainRow * size)
	base := g.let(b64, "mov.u64", "shared")
	bTile := int64(plainK) * plainRow * size

	type piece struct{ outer, k, addr, ok string }
	// what this thread loads: 4 elements of each tile
	pieces := func(op int, byK bool, origin, limit string, so, sk int, at int64) []piece {
		var l []piece
		for i := range int64(4) {
			var o, k string
			if byK {
				k = g.let(b32, "and.b32", tid, "15")
				o = g.let(b32, "add.u32", g.let(b32, "shr.u32", tid, "4"), imm(16*i))
			} else {
				o = g.let(b32, "and.b32", tid, "63")
				k = g.let(b32, "add.u32", g.let(b32, "shr.u32", tid, "6"), imm(4*i))
			}
			g0 := g.let(b32, "add.u32", origin, o)
			p := piece{outer: g.let(b64, "cvt.u64.u32", g0), k: k}
			p.ok = g.let(pred, "setp.lt.u32", g0, limit)
			cell := g.let(b32, "mad.lo.u32", k, imm(plainRow), o)
			p.addr = g.let(b64, "add.s64", g.let(b64, "mad.wide.u32", cell, imm(size), base), imm(at))
			l = append(l, p)
		}
		return l
	}
	as := pieces(0, v.aK, m0, g.word(b32, mmM), mmAM, mmAK, 0)
	bs := pieces(1, v.bK, n0, g.word(b32, mmN), mmBN, mmBK, bTile)
	var acc [4][4]string
	for i := range acc {
		for j := range acc[i] {
			if t.IsFloat() {
				acc[i][j] = g.copyOf(t, g.float(t, 0))
			} else {
				acc[i][j] = g.copyOf(t, g.constant(t, 0))
			}
		}
	}
	aAt := g.let(b64, "mad.wide.u32", ty, imm(4*size), base)
	bAt := g.let(b64, "add.s64", g.let(b64, "mad.wide.u32", tx, imm(4*size), base), imm(bTile))
	k0 := g.copyOf(loop.I32, g.let(b32, "mov.u32", "0"))
	kk := g.word(b32, mmK)
	top, end := g.label(), g.label()
	p := g.let(pred, "setp.ge.u32", k0, kk)
	g.op("@"+p+" bra", end)
	g.mark(top)
	fill := func(op int, l []piece, so, sk int) {
		for _, x := range l {
			k := g.let(b32, "add.u32", k0, x.k)
			ok := g.let(pred, "and.pred", x.ok, g.let(pred, "setp.lt.u32", k, kk))
			val := g.read(v.dtype, "global", g.at(op, v.dtype, x.outer, so, g.let(b64, "cvt.u64.u32", k), sk), ok)
			if v.dtype == tensor.Bool {
				val = g.let(b32, "selp.b32", "1", "0", val)
			}
			g.op("st.shared."+sfx, "["+x.addr+"]", val)
		}
	}
	fill(0, as, mmAM, mmAK)
	fill(1, bs, mmBN, mmBK)
	g.op("bar.sync", "0")
	four := func(addr string, k int64) []string {
		rs := make([]string, 4)
		for i := range rs {
			rs[i] = g.reg(classOf[t])
		}
		n := int64(16) / size
		for i := int64(0); i < 4; i += n {
			g.op(fmt.Sprintf("ld.shared.v%d.%s", n, sfx), "{"+join(rs[i:i+n])+"}", fmt.Sprintf("[%s+%d]", addr, (k*plainRow+i)*size))
		}
		return rs
	}
	for k := range int64(plainK) {
		x, y := four(aAt, k), four(bAt, k)
		for i := range 4 {
			for j := range 4 {
				switch {
				case v.dtype == tensor.Bool:
					g.op("or.b32", acc[i][j], acc[i][j], g.let(b32, "and.b32", x[i], y[j]))
				case t.IsFloat():
					g.op("fma."+rn(t), acc[i][j], x[i], y[j], acc[i][j])
				default:
					g.op("mad.lo."+suffix[t], acc[i][j], x[i], y[j], acc[i][j])
				}
			}
		}
	}
	g.op("bar.sync", "0")
	g.op("add.u32", k0, k0, imm(plainK))
	g.op("setp.lt.u32", p, k0, kk)
	g.op("@"+p+" bra", top)
	g.mark(end)
	for i := range int64(4) {
		row := g.let(b32, "add.u32", m0, g.let(b32, "mad.lo.u32", ty, "4", imm(i)))
		okR := g.let(pred, "setp.lt.u32", row, g.word(b32, mmM))
		for j := range int64(4) {
			col := g.let(b32, "add.u32", n0, g.let(b32, "mad.lo.u32", tx, "4", imm(j)))
			ok := g.let(pred, "and.pred", okR, g.let(pred, "setp.lt.u32", col, g.word(b32, mmN)))
			r := acc[i][j]
			if v.dtype == tensor.Bool {
				r = g.let(pred, "setp.ne.u32", r, "0")
			}
			g.finish(v.dtype, v.bias && v.dtype != tensor.Bool, row, col, r, ok)
		}
	}
	return g.entry("k", mmWords, "")
}

// mmaVariant is the kernel for tensor cores.
type mmaVariant struct {
	dtype tensor.DType
	bias  bool
	a, b  along
	pairs bool // two neighbours of a row may be stored at once
	whole bool // tiles are full: nothing is compared
}

const (
	mmaStages = 3
	mmaTile   = 128 * 32 * 2 // bytes of one operand's tile
)

func (v mmaVariant) text() string {
	g := newMM(v.dtype, v.bias)
	g.smem = mmaStages * 2 * mmaTile
	m0, n0 := g.tile(128)
	tid := g.let(b32, "mov.u32", "%tid.x")
	lane := g.let(b32, "and.b32", tid, "31")
	wm := g.let(b32, "and.b32", g.let(b32, "shr.u32", tid, "5"), "1") // 2 x 2 warps
	wn := g.let(b32, "shr.u32", tid, "6")
	base := g.let(b32, "cvt.u32.u64", g.let(b64, "mov.u64", "shared"))
	kk := g.word(b32, mmK)

	// where this thread's four chunks of 16 bytes of an operand's tile come from and go to
	type chunk struct {
		src      string // address at k0 = 0, of the row in global memory
		dst      string // in shared memory, of stage 0
		ok       string
		k, extra string
	}
	chunks := func(op int, o along, origin, size string, so, sk int, at int64) []chunk {
		var l []chunk
		for i := range int64(4) {
			q := g.let(b32, "add.u32", tid, imm(128*i))
			var c chunk
			if o == alongK { // 128 rows of 4 chunks
				row, ch := g.let(b32, "shr.u32", q, "2"), g.let(b32, "and.b32", q, "3")
				x := g.let(b32, "add.u32", origin, row)
				c.ok = g.let(pred, "setp.lt.u32", x, size)
				x = g.let(b32, "selp.b32", x, "0", c.ok)
				c.k = g.let(b32, "shl.b32", ch, "3")
				e := g.let(b64, "mul.lo.s64", g.let(b64, "cvt.u64.u32", x), g.word(b64, so))
				c.src = g.let(b64, "mad.lo.s64", e, "2", g.ptr[op])
				sw := g.let(b32, "xor.b32", ch, g.let(b32, "and.b32", g.let(b32, "shr.u32", row, "1"), "3"))
				c.dst = g.let(b32, "mad.lo.u32", row, "64", g.let(b32, "shl.b32", sw, "4"))
			} else { // 32 rows of 16 chunks
				row, ch := g.let(b32, "shr.u32", q, "4"), g.let(b32, "and.b32", q, "15")
				x := g.let(b32, "mad.lo.u32", ch, "8", origin)
				c.ok = g.let(pred, "setp.lt.u32", x, size)
				left := g.let(b32, "shl.b32", g.let(b32, "sub.u32", size, x), "1")
				c.extra = g.let(b32, "selp.b32", g.let(b32, "min.u32", left, "16"), "0", c.ok)
				x = g.let(b32, "selp.b32", x, "0", c.ok)
				c.k = row
				c.src = g.let(b64, "mad.wide.u32", x, "2", g.ptr[op])
				sw := g.let(b32, "xor.b32", ch, g.let(b32, "and.b32", row, "7"))
				c.dst = g.let(b32, "mad.lo.u32", row, "256", g.let(b32, "shl.b32", sw, "4"))
			}
			c.dst = g.let(b32, "add.u32", g.let(b32, "add.u32", c.dst, base), imm(at))
			l = append(l, c)
		}
		return l
	}
	as := chunks(0, v.a, m0, g.word(b32, mmM), mmAM, mmAK, 0)
	bs := chunks(1, v.b, n0, g.word(b32, mmN), mmBN, mmBK, mmaTile)
	fetch := func(o along, l []chunk, sk int, k0, stage string) {
		for _, c := range l {
			k := g.let(b32, "add.u32", k0, c.k)
			in := g.let(pred, "setp.lt.u32", k, kk)
			ks := g.let(b64, "cvt.u64.u32", g.let(b32, "selp.b32", k, "0", in))
			var bytes, src string
			if o == alongK {
				left := g.let(b32, "shl.b32", g.let(b32, "sub.u32", kk, k), "1")
				bytes = g.let(b32, "min.u32", left, "16")
				bytes = g.let(b32, "selp.b32", bytes, "0", g.let(pred, "and.pred", in, c.ok))
				src = g.let(b64, "mad.lo.s64", ks, "2", c.src)
			} else {
				bytes = g.let(b32, "selp.b32", c.extra, "0", in)
				e := g.let(b64, "mul.lo.s64", ks, g.word(b64, sk))
				src = g.let(b64, "mad.lo.s64", e, "2", c.src)
			}
			g.op("cp.async.cg.shared.global", "["+g.let(b32, "add.u32", c.dst, stage)+"]", "["+src+"]", "16", bytes)
		}
	}
	load := func(k0, stage string) {
		fetch(v.a, as, mmAK, k0, stage)
		fetch(v.b, bs, mmBK, k0, stage)
	}
	if v.whole { // the first chunk's place moves on; the others are some rows further
		type walk struct{ at, hop, step, dst string }
		var walks []walk
		for _, x := range []struct {
			l      []chunk
			o      along
			sk, so int
		}{{as, v.a, mmAK, mmAM}, {bs, v.b, mmBK, mmBN}} {
			c := x.l[0]
			k := g.let(b64, "cvt.u64.u32", c.k)
			w := walk{dst: c.dst}
			if x.o == alongK { // 32 rows on; 32 elements to a step
				w.hop = g.let(b32, "shl.b32", g.word(b32, x.so), "6")
				w.step = g.let(b64, "mov.s64", "64")
			} else { // 8 rows on; 32 rows to a step
				k = g.let(b64, "mul.lo.s64", k, g.word(b64, x.sk))
				w.hop = g.let(b32, "shl.b32", g.word(b32, x.sk), "4")
				w.step = g.let(b64, "shl.b64", g.word(b64, x.sk), "6")
			}
			w.at = g.copyOf(loop.I64, g.let(b64, "mad.lo.s64", k, "2", c.src))
			walks = append(walks, w)
		}
		load = func(k0, stage string) {
			in := g.let(pred, "setp.lt.u32", k0, kk)
			for i := range walks {
				w := &walks[i]
				dst := g.let(b32, "add.u32", w.dst, stage)
				for n := range int64(4) { // with the same swizzle
					src := w.at
					if n > 0 {
						src = g.let(b64, "mad.wide.u32", w.hop, imm(n), w.at)
					}
					g.op("@"+in+" cp.async.cg.shared.global.L2::128B", fmt.Sprintf("[%s+%d]", dst, 2048*n), "["+src+"]", "16")
				}
				g.op("add.s64", w.at, w.at, w.step)
			}
		}
	}

	// fragments: the lane's address in a tile of 16 x 16, for ldmatrix
	low, mid, high := g.let(b32, "and.b32", lane, "7"), g.let(b32, "and.b32", g.let(b32, "shr.u32", lane, "3"), "1"), g.let(b32, "shr.u32", lane, "4")
	row16 := g.let(b32, "and.b32", lane, "15")
	rowHigh := g.let(b32, "mad.lo.u32", high, "8", low) // bit 4 of the lane is the row's bit 3
	rowMid := g.let(b32, "mad.lo.u32", mid, "8", low)
	// The lane's address of the first fragment; that of outer tile i of 16 and k step s
	// of 16 differs in bits that no carry reaches, and in an immediate.
	lead := func(o along, outer, inTile, chunk string, at int64) string {
		var off string
		if o == alongK { // rows are the outer dimension
			sw := g.let(b32, "xor.b32", chunk, g.let(b32, "and.b32", g.let(b32, "shr.u32", inTile, "1"), "3"))
			off = g.let(b32, "mad.lo.u32", g.let(b32, "add.u32", outer, inTile), "64", g.let(b32, "shl.b32", sw, "4"))
		} else { // rows are k
			sw := g.let(b32, "xor.b32", chunk, g.let(b32, "and.b32", inTile, "7"))
			off = g.let(b32, "mad.lo.u32", inTile, "256", g.let(b32, "shl.b32", sw, "4"))
			off = g.let(b32, "mad.lo.u32", outer, "2", off)
		}
		return g.let(b32, "add.u32", g.let(b32, "add.u32", off, base), imm(at))
	}
	addr := func(o along, lead string, i, s int64) string {
		flip, far := 32*s, 1024*i
		if o == alongOuter {
			flip, far = 32*i, 4096*s
		}
		if flip > 0 {
			lead = g.let(b32, "xor.b32", lead, imm(flip))
		}
		return fmt.Sprintf("%s+%d", lead, far)
	}
	am, bn := g.let(b32, "shl.b32", wm, "6"), g.let(b32, "shl.b32", wn, "6")
	frag := func(o along, a string) []string {
		rs := []string{g.reg(b32), g.reg(b32), g.reg(b32), g.reg(b32)}
		t := ""
		if o == alongOuter {
			t = ".trans"
		}
		g.op("ldmatrix.sync.aligned.m8n8.x4"+t+".shared.b16", "{"+join(rs)+"}", "["+a+"]")
		return rs
	}
	aLead, bLead := lead(v.a, am, rowHigh, mid, 0), lead(v.b, bn, rowMid, high, mmaTile)
	if v.a == alongK {
		aLead = lead(v.a, am, row16, high, 0)
	}
	if v.b == alongK {
		bLead = lead(v.b, bn, rowHigh, mid, mmaTile)
	}
	var acc [4][8][4]string
	for i := range acc {
		for j := range acc[i] {
			for e := range acc[i][j] {
				acc[i][j][e] = g.copyOf(loop.F32, g.float(loop.F32, 0))
			}
		}
	}
	for s := range int64(mmaStages - 1) {
		load(g.let(b32, "mov.u32", imm(32*s)), g.let(b32, "mov.u32", imm(s*2*mmaTile)))
		g.op("cp.async.commit_group")
	}
	k0 := g.copyOf(loop.I32, g.let(b32, "mov.u32", "0"))
	cur := g.copyOf(loop.I32, g.let(b32, "mov.u32", "0"))
	nxt := g.copyOf(loop.I32, g.let(b32, "mov.u32", imm((mmaStages-1)*2*mmaTile)))
	top := g.label()
	p := g.reg(pred)
	g.mark(top)
	g.op("cp.async.wait_group", imm(mmaStages-2))
	g.op("bar.sync", "0")
	load(g.let(b32, "add.u32", k0, imm(32*(mmaStages-1))), nxt)
	g.op("cp.async.commit_group")
	aNow, bNow := g.let(b32, "add.u32", aLead, cur), g.let(b32, "add.u32", bLead, cur)
	for s := range int64(2) {
		var af [4][]string
		for i := range af {
			af[i] = frag(v.a, addr(v.a, aNow, int64(i), s))
		}
		for j := range int64(4) {
			bf := frag(v.b, addr(v.b, bNow, j, s))
			for i := range af {
				for h := range 2 {
					c := acc[i][2*int(j)+h]
					d := "{" + join(c[:]) + "}"
					t := "bf16"
					if v.dtype == tensor.Float16 {
						t = "f16"
					}
					g.op("mma.sync.aligned.m16n8k16.row.col.f32."+t+"."+t+".f32", d, "{"+join(af[i])+"}", "{"+bf[2*h]+", "+bf[2*h+1]+"}", d)
				}
			}
		}
	}
	g.op("add.u32", k0, k0, "32")
	for _, r := range []string{cur, nxt} {
		g.op("add.u32", r, r, imm(2*mmaTile))
		g.op("setp.ge.u32", p, r, imm(mmaStages*2*mmaTile))
		g.op("@"+p+" mov.u32", r, "0")
	}
	g.op("setp.lt.u32", p, k0, kk)
	g.op("@"+p+" bra", top)

	r4, c2 := g.let(b32, "shr.u32", lane, "2"), g.let(b32, "shl.b32", g.let(b32, "and.b32", lane, "3"), "1")
	for i := range int64(4) {
		for h := range int64(2) {
			row := g.let(b32, "add.u32", g.let(b32, "add.u32", m0, am), g.let(b32, "add.u32", r4, imm(16*i+8*h)))
			okR := g.let(pred, "setp.lt.u32", row, g.word(b32, mmM))
			for j := range int64(8) {
				col := g.let(b32, "add.u32", g.let(b32, "add.u32", n0, bn), g.let(b32, "add.u32", c2, imm(8*j)))
				x, y := acc[i][j][2*h], acc[i][j][2*h+1]
				ok := ""
				if !v.whole {
					ok = g.let(pred, "and.pred", okR, g.let(pred, "setp.lt.u32", col, g.word(b32, mmN)))
				}
				col1 := g.let(b32, "add.u32", col, "1")
				if v.pairs {
					r, c := g.let(b64, "cvt.u64.u32", row), g.let(b64, "cvt.u64.u32", col)
					if v.bias {
						x = g.plus(loop.F32, x, g.biasAt(v.dtype, r, c, ok))
						y = g.plus(loop.F32, y, g.biasAt(v.dtype, r, g.let(b64, "cvt.u64.u32", col1), ok))
					}
					g.when(ok, "st.global.b32", "["+g.at(2, v.dtype, r, mmCM, c, mmCN)+"]", g.toBits(v.dtype, x, y))
					continue
				}
				g.finish(v.dtype, v.bias, row, col, x, ok)
				ok1 := g.let(pred, "and.pred", okR, g.let(pred, "setp.lt.u32", col1, g.word(b32, mmN)))
				g.finish(v.dtype, v.bias, row, col1, y, ok1)
			}
		}
	}
	return g.entry("k", mmWords, "\n.maxntid 128, 1, 1\n.minnctapersm 2")
}
