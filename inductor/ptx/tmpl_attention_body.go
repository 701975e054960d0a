package ptx

import (
	"unsafe"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// rows is a block that has rows of q and walks the keys: forward, and dq.
//
// Shared memory: q (and do); then k and v, twice.
func (g *attn) rows() {
	back := g.v.part == attnQ
	per := int64(64 * g.v.tiles)
	qBytes, kBytes := per*g.row, attnCols*g.row
	head := qBytes
	if back {
		head = 2 * qBytes
	}
	g.smem = int(head + 4*kBytes + 256)
	// the last rows first: under a causal mask they have most to do
	mb := g.let(b32, "sub.u32", g.let(b32, "sub.u32", g.let(b32, "mov.u32", "%nctaid.y"), "1"), g.let(b32, "mov.u32", "%ctaid.y"))
	row0 := g.let(b32, "mul.lo.u32", mb, imm(per))
	zero := g.let(b32, "mov.u32", "0")
	g.copy(g.copier(atQ, g.of(atQ, g.head)), row0, g.m, per, zero)
	if back {
		g.copy(g.copier(atDO, g.of(atDO, g.head)), row0, g.m, per, imm(qBytes))
	}
	ck, cv := g.copier(atK, g.of(atK, g.group)), g.copier(atV, g.of(atV, g.group))
	g.copy(ck, zero, g.n, attnCols, imm(head))
	g.copy(cv, zero, g.n, attnCols, imm(head+kBytes))
	g.op("cp.async.commit_group")

	// steps over keys, and how many of them no mask touches
	nb := g.let(b32, "shr.u32", g.let(b32, "add.u32", g.n, imm(attnCols-1)), "6")
	plain := g.let(b32, "shr.u32", g.n, "6")
	if g.v.causal {
		reach := g.let(b32, "shr.u32", g.let(b32, "add.u32", row0, imm(per+attnCols-1)), "6")
		nb = g.let(b32, "min.u32", nb, reach)
		plain = g.let(b32, "min.u32", plain, g.let(b32, "shr.u32", row0, "6"))
	}
	if g.v.mask {
		plain = ""
	}
	tiles := g.v.tiles
	w0 := g.let(b32, "mad.lo.u32", g.warp, imm(int64(16*tiles)), row0)
	first := g.let(b32, "add.u32", w0, g.let(b32, "shr.u32", g.lane, "2")) // this lane's first row
	qa := g.let(b32, "mad.lo.u32", g.warp, imm(int64(16*tiles)*g.row), g.fragRows())
	ka, va := g.fragAcross(), g.fragDown()
	scores, out := make([][][4]string, tiles), make([][][4]string, tiles)
	top, sum := make([][2]string, tiles), make([][2]string, tiles)
	lse, delta := make([][2]string, tiles), make([][2]string, tiles)
	for i := range tiles {
		scores[i], out[i] = g.zeros(attnCols/8), g.zeros(g.v.d/8)
		for h := range 2 {
			if back {
				r := g.let(b32, "add.u32", first, imm(int64(16*i+8*h)))
				ok := g.let(pred, "setp.lt.u32", r, g.m)
				lse[i][h], delta[i][h] = g.rowValue(atLSE, g.head, r, ok), g.rowValue(atDelta, g.head, r, ok)
				continue
			}
			top[i][h], sum[i][h] = g.copyOf(loop.F32, g.float(loop.F32, noScore)), g.copyOf(loop.F32, g.float(loop.F32, 0))
		}
	}
	grads := [][4]string(nil)
	if back {
		grads = g.zeros(attnCols / 8)
	}
	col := g.let(b32, "shl.b32", g.let(b32, "and.b32", g.lane, "3"), "1")
	j, buf := g.copyOf(loop.I32, zero), g.copyOf(loop.I32, zero)
	g.steps(j, plain, nb, func(masked bool) {
		g.op("cp.async.wait_group", "0")
		g.op("bar.sync", "0")
		skip := g.label()
		next := g.let(b32, "add.u32", j, "1")
		g.op("@"+g.let(pred, "setp.ge.u32", next, nb)+" bra", skip)
		other := g.let(b32, "xor.b32", buf, imm(2*kBytes))
		r := g.let(b32, "shl.b32", next, "6")
		g.copy(ck, r, g.n, attnCols, g.let(b32, "add.u32", other, imm(head)))
		g.copy(cv, r, g.n, attnCols, g.let(b32, "add.u32", other, imm(head+kBytes)))
		g.mark(skip)
		g.op("cp.async.commit_group")
		kNow, vNow := g.let(b32, "add.u32", ka, buf), g.let(b32, "add.u32", va, buf)
		key := g.let(b32, "mad.lo.u32", j, imm(attnCols), col)
		if tiles == 2 {
			g.acrossTwo(scores, qa, kNow, head)
		} else {
			g.across(scores[0], qa, 0, kNow, head)
		}
		for i := range tiles {
			if masked {
				for h := range 2 {
					q := g.let(b32, "add.u32", first, imm(int64(16*i+8*h)))
					addr := ""
					if g.v.mask {
						addr = g.maskAddr(g.head, q)
					}
					for t := range scores[i] {
						for e := range 2 {
							s := scores[i][t][2*h+e]
							ok := g.seen(q, g.let(b32, "add.u32", key, imm(int64(8*t+e))), addr)
							g.op("selp.f32", s, s, "0fFF800000", ok)
						}
					}
				}
			}
			if !back {
				g.online(scores[i], out[i], &top[i], &sum[i])
				continue
			}
			g.across(grads, qa, qBytes+int64(16*i)*g.row, kNow, head+kBytes)
			scale := g.word(f32, atScale)
			for h := range 2 {
				neg := g.f("neg.f32", lse[i][h])
				for t := range scores[i] {
					for e := 2 * h; e < 2*h+2; e++ {
						s := scores[i][t][e]
						p := g.ex2(g.f("fma.rn.f32", s, scale, neg))
						d := g.f("sub.rn.f32", grads[t][e], delta[i][h])
						g.op("mul.rn.f32", s, p, d)
					}
				}
			}
		}
		if back {
			g.down(out[0], scores[0], g.let(b32, "add.u32", va, buf), head)
		} else {
			g.downAll(out, scores, vNow, head+kBytes)
		}
		g.op("xor.b32", buf, buf, imm(2*kBytes))
	})
	for i := range tiles {
		row := g.let(b32, "add.u32", first, imm(int64(16*i)))
		if back {
			s := g.word(f32, atScaleE)
			g.storeTile(atDQ, g.head, out[i], row, g.m, [2]string{s, s})
			continue
		}
		var inv [2]string
		for h := range 2 {
			l := g.quad(sum[i][h], "add.rn.f32")
			inv[h] = g.f("rcp.rn.f32", l)
			r := g.let(b32, "add.u32", row, imm(int64(8*h)))
			ok := g.let(pred, "setp.lt.u32", r, g.m)
			ok = g.let(pred, "and.pred", ok, g.let(pred, "setp.eq.u32", col, "0"))
			v := g.f("fma.rn.f32", top[i][h], g.word(f32, atScale), g.f("lg2.approx.f32", l))
			g.when(ok, "st.global.f32", "["+g.rowAddr(atLSE, g.head, r)+"]", v)
		}
		g.storeTile(atO, g.head, out[i], row, g.m, inv)
	}
}

// acrossTwo is across for a warp's two tiles of rows.
func (g *attn) acrossTwo(c [][][4]string, a, b string, bAt int64) {
	for k := range g.v.d / 16 {
		x, y := g.fragment(a, k, 0, false), g.fragment(a, k, 16*g.row, false)
		for j := range attnCols / 16 {
			bf := g.fragment(b, k, bAt+int64(j)*16*g.row, false)
			for i, af := range [][]string{x, y} {
				g.mma(&c[i][2*j], af, bf[0], bf[1], k == 0)
				g.mma(&c[i][2*j+1], af, bf[2], bf[3], k == 0)
			}
		}
	}
}

// downAll is down for all tiles, each fragment of b loaded once.
func (g *attn) downAll(c, p [][][4]string, b string, bAt int64) {
	if len(c) == 1 {
		g.down(c[0], p[0], b, bAt)
		return
	}
	for k := range attnCols / 16 {
		var af [2][]string
		for i := range af {
			x, y := p[i][2*k], p[i][2*k+1]
			af[i] = []string{g.toBits(g.v.dtype, x[0], x[1]), g.toBits(g.v.dtype, x[2], x[3]), g.toBits(g.v.dtype, y[0], y[1]), g.toBits(g.v.dtype, y[2], y[3])}
		}
		for j := range g.v.d / 16 {
			bf := g.fragment(b, j, bAt+int64(k)*16*g.row, true)
			for i := range af {
				g.mma(&c[i][2*j], af[i], bf[0], bf[1], false)
				g.mma(&c[i][2*j+1], af[i], bf[2], bf[3], false)
			}
		}
	}
}

// online takes a step's scores into the running maximum and sum, makes them
// probabilities, and scales what was summed so far.
func (g *attn) online(s, out [][4]string, top, sum *[2]string) {
	scale := g.word(f32, atScale)
	for h := range 2 {
		m := s[0][2*h]
		for t := range s {
			for e := 2 * h; e < 2*h+2; e++ {
				if t > 0 || e > 2*h {
					m = g.f("max.f32", m, s[t][e])
				}
			}
		}
		m = g.f("max.f32", g.quad(m, "max.f32"), top[h])
		corr := g.ex2(g.f("mul.rn.f32", g.f("sub.rn.f32", top[h], m), scale))
		g.op("mov.f32", top[h], m)
		neg := g.f("neg.f32", g.f("mul.rn.f32", m, scale))
		total := ""
		for t := range s {
			for e := 2 * h; e < 2*h+2; e++ {
				g.op("fma.rn.f32", s[t][e], s[t][e], scale, neg)
				g.op("ex2.approx.ftz.f32", s[t][e], s[t][e])
				if total == "" {
					total = s[t][e]
				} else {
					total = g.f("add.rn.f32", total, s[t][e])
				}
			}
		}
		g.op("fma.rn.f32", sum[h], sum[h], corr, total)
		for t := range out {
			for e := 2 * h; e < 2*h+2; e++ {
				g.op("mul.rn.f32", out[t][e], out[t][e], corr)
			}
		}
	}
}

// rowAddr is the address of row r's float in an array of [batch, heads, rows].
func (g *attn) rowAddr(op int, head, r string) string {
	i := g.let(b64, "mad.lo.s64", g.batch, g.word(b64, atHeads), head)
	i = g.let(b64, "mad.lo.s64", i, g.word(b64, atM), g.let(b64, "cvt.u64.u32", r))
	return g.let(b64, "mad.lo.s64", i, "4", g.word(b64, op))
}

func (g *attn) rowValue(op int, head, r, ok string) string {
	return g.read(tensor.Float32, "global", g.rowAddr(op, head, r), ok)
}

// columns is a block that has 64 keys and walks the rows of q of the heads that share
// them: dk and dv.
//
// Shared memory: k, v; then q and do, twice.
func (g *attn) columns(group, share string) {
	bytes := attnCols * g.row
	g.smem = int(6*bytes + 256)
	zero := g.let(b32, "mov.u32", "0")
	key0 := g.let(b32, "shl.b32", g.let(b32, "mov.u32", "%ctaid.y"), "6")
	g.copy(g.copier(atK, g.of(atK, g.group)), key0, g.n, attnCols, zero)
	g.copy(g.copier(atV, g.of(atV, g.group)), key0, g.n, attnCols, imm(bytes))
	g.op("cp.async.commit_group")
	nb := g.let(b32, "shr.u32", g.let(b32, "add.u32", g.m, imm(attnCols-1)), "6")
	from := zero
	if g.v.causal { // rows before the first key see none of them
		from = g.let(b32, "min.u32", g.let(b32, "mov.u32", "%ctaid.y"), nb)
	}
	w16 := g.let(b32, "mul.lo.u32", g.warp, "16")
	row := g.let(b32, "add.u32", g.let(b32, "add.u32", key0, w16), g.let(b32, "shr.u32", g.lane, "2")) // this lane's first key
	ka := g.let(b32, "mad.lo.u32", g.warp, imm(16*g.row), g.fragRows())
	qa, qd := g.fragAcross(), g.fragDown()
	dk, dv := g.zeros(g.v.d/8), g.zeros(g.v.d/8)
	scores, grads := g.zeros(attnCols/8), g.zeros(attnCols/8)
	col := g.let(b32, "shl.b32", g.let(b32, "and.b32", g.lane, "3"), "1")
	h := g.copyOf(loop.I32, g.let(b32, "mul.lo.u32", group, share))
	last := g.let(b32, "add.u32", h, share)
	over := g.label()
	g.mark(over)
	head := g.let(b64, "cvt.u64.u32", h)
	cq, cdo := g.copier(atQ, g.of(atQ, head)), g.copier(atDO, g.of(atDO, head))
	none, done := g.let(pred, "setp.ge.u32", from, nb), g.label()
	g.op("@"+none+" bra", done)
	g.op("bar.sync", "0") // all are done with the head before
	r0 := g.let(b32, "shl.b32", from, "6")
	g.copy(cq, r0, g.m, attnCols, imm(2*bytes))
	g.copy(cdo, r0, g.m, attnCols, imm(3*bytes))
	g.op("cp.async.commit_group")
	j, buf := g.copyOf(loop.I32, from), g.copyOf(loop.I32, zero)
	g.steps(j, "", nb, func(bool) {
		g.op("cp.async.wait_group", "0")
		g.op("bar.sync", "0")
		skip := g.label()
		next := g.let(b32, "add.u32", j, "1")
		g.op("@"+g.let(pred, "setp.ge.u32", next, nb)+" bra", skip)
		other := g.let(b32, "xor.b32", buf, imm(2*bytes))
		r := g.let(b32, "shl.b32", next, "6")
		g.copy(cq, r, g.m, attnCols, g.let(b32, "add.u32", other, imm(2*bytes)))
		g.copy(cdo, r, g.m, attnCols, g.let(b32, "add.u32", other, imm(3*bytes)))
		g.mark(skip)
		g.op("cp.async.commit_group")
		now, nowDown := g.let(b32, "add.u32", qa, buf), g.let(b32, "add.u32", qd, buf)
		g.across(scores, ka, 0, now, 2*bytes)
		g.across(grads, ka, bytes, now, 3*bytes)
		scale := g.word(f32, atScale)
		q0 := g.let(b32, "mad.lo.u32", j, imm(attnCols), col)
		// probabilities: keys are rows, rows of q are columns
		for t := range scores {
			for e := range 2 {
				q := g.let(b32, "add.u32", q0, imm(int64(8*t+e)))
				in := g.let(pred, "setp.lt.u32", q, g.m)
				lse, delta := g.rowValue(atLSE, head, q, in), g.rowValue(atDelta, head, q, in)
				neg := g.f("neg.f32", lse)
				addr := ""
				if g.v.mask {
					addr = g.maskAddr(head, q)
				}
				for half := range 2 {
					i := 2*half + e
					s := scores[t][i]
					ok := g.seen(q, g.let(b32, "add.u32", row, imm(int64(8*half))), addr)
					p := g.ex2(g.f("fma.rn.f32", s, scale, neg))
					g.op("selp.f32", s, p, g.float(loop.F32, 0), ok)
					d := g.f("sub.rn.f32", grads[t][i], delta)
					g.op("mul.rn.f32", grads[t][i], s, d)
				}
			}
		}
		g.down(dv, scores, nowDown, 3*bytes)
		g.down(dk, grads, nowDown, 2*bytes)
		g.op("xor.b32", buf, buf, imm(2*bytes))
	})
	g.mark(done)
	g.op("add.u32", h, h, "1")
	more := g.let(pred, "setp.lt.u32", h, last)
	g.op("@"+more+" bra", over)
	s := g.word(f32, atScaleE)
	g.storeTile(atDK, g.group, dk, row, g.n, [2]string{s, s})
	g.storeTile(atDV, g.group, dv, row, g.n, [2]string{})
}

// attnDelta computes Σ_d o do of each row to an address.
func (t *Target) attnDelta(queue any, o, do *loop.Operand, to uint64) error {
	n := o.Size[0] * o.Size[1] * o.Size[2]
	at := uintptr(to)
	out := loop.Operand{DType: tensor.Float32, Size: o.Size[:3], Stride: []int64{o.Size[1] * o.Size[2], o.Size[2], 1}}
	out.Mem = loop.Mem{Ptr: *(*unsafe.Pointer)(unsafe.Pointer(&at)), Len: n}
	a := &loop.TemplateArgs{In: []loop.Operand{*o, *do}, Out: []loop.Operand{out}, Queue: queue}
	return t.nest("attention_delta", a, func(b *loop.Builder) {
		in, res := buffers(b, a)
		b.Loop(loop.Grid, sym.C(o.Size[0]), func(i loop.Axis) {
			b.Loop(loop.Grid, sym.C(o.Size[1]), func(h loop.Axis) {
				b.Loop(loop.Grid, sym.C(o.Size[2]), func(m loop.Axis) {
					s := b.Fold(loop.Vector, sym.C(o.Size[3]), []loop.FoldOp{loop.FoldAdd}, func(d loop.Axis) []loop.V {
						load := func(k int) loop.V {
							x := &a.In[k]
							return b.Load(&at0(in[k], x).by(i, x.Stride[0]).by(h, x.Stride[1]).by(m, x.Stride[2]).by(d, x.Stride[3]).Access)
						}
						return []loop.V{b.Mul(load(0), load(1))}
					})[0]
					b.Store(&at0(res[0], &out).by(i, out.Stride[0]).by(h, out.Stride[1]).by(m, 1).Access, s)
				})
			})
		})
	})
}
