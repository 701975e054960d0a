package ptx

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Products with few rows: y[m][n] = Σ x[m][k] w[k][n], m ≤ 4, where w steps by one
// along k (a layer's weight). A warp computes a column of y: its lanes take 16 bytes
// of w's row each, and of each row of x, whose few kilobytes stay in the L1.

// gemvVariant is the kernel for a number of rows.
type gemvVariant struct {
	dtype tensor.DType
	bias  bool
	rows  int
	vec   int // elements a lane takes at once
}

const gemvRows = 4

// gemv serves a product if it has few rows and w and x step by one along k.
func (t *Target) gemv(q Queue, p *product, batch int) (bool, error) {
	st := func(i int) int64 { return int64(p.words[i]) }
	d := p.c.DType
	switch d {
	case tensor.Float32, tensor.BFloat16, tensor.Float16:
	default:
		return false, nil
	}
	if p.m > gemvRows || p.k < 32 || st(mmAK) != 1 || st(mmBK) != 1 {
		return false, nil
	}
	v := gemvVariant{dtype: d, bias: p.bias != nil, rows: int(p.m), vec: 16 / d.Size()}
	n := int64(v.vec)
	aligned := p.base[0]%16 == 0 && p.base[1]%16 == 0 && (st(mmAM)%n == 0 || p.m == 1) && st(mmBN)%n == 0 && p.k%n == 0
	for i := range 6 {
		aligned = aligned && st(mmStrides+i)%n == 0
	}
	if !aligned {
		v.vec = 1
	}
	code, err := t.template(v, func() (string, error) { return v.text(), nil })
	if err != nil {
		return false, err
	}
	return true, q.Launch(code, int((p.n+3)/4), batch, 128, p.words)
}

func (v gemvVariant) text() string {
	g := newMM(v.dtype, v.bias)
	tid := g.let(b32, "mov.u32", "%tid.x")
	lane := g.let(b32, "and.b32", tid, "31")
	col := g.let(b32, "mad.lo.u32", g.let(b32, "mov.u32", "%ctaid.x"), "4", g.let(b32, "shr.u32", tid, "5"))
	g.op("@" + g.let(pred, "setp.ge.u32", col, g.word(b32, mmN)) + " ret")
	c := g.let(b64, "cvt.u64.u32", col)
	zero := g.let(b64, "mov.s64", "0")
	size := int64(v.dtype.Size())
	w := g.at(1, v.dtype, c, mmBN, zero, mmBK)
	rows := make([]string, v.rows)
	accs := make([]acc, v.rows)
	f := &loop.Fold{Op: loop.FoldAdd, Type: loop.F32}
	for i := range rows {
		rows[i] = g.at(0, v.dtype, g.let(b64, "mov.s64", imm(int64(i))), mmAM, zero, mmAK)
		accs[i] = acc{f: f, t: loop.F32}
		g.grow(&accs[i], v.vec)
	}
	k := g.let(b64, "mul.lo.s64", g.let(b64, "cvt.u64.u32", lane), imm(int64(v.vec)))
	g.count(k, g.word(b64, mmK), imm(int64(32*v.vec)), func(i string) {
		get := func(base string) []string {
			return g.several(v.dtype, v.vec, g.let(b64, "mad.lo.s64", i, imm(size), base))
		}
		x := get(w)
		for r := range rows {
			y := get(rows[r])
			for e := range x {
				g.op("fma.rn.f32", accs[r].val[e], x[e], y[e], accs[r].val[e])
			}
		}
	})
	first := g.let(pred, "setp.eq.u32", lane, "0")
	for r := range rows {
		g.merge(&accs[r])
		g.lanes(&accs[r])
		g.finish(v.dtype, v.bias, g.let(b32, "mov.u32", imm(int64(r))), col, accs[r].val[0], first)
	}
	return g.entry("k", mmWords, "")
}

// several reads n neighbouring elements, 16 bytes or one.
func (g *gen) several(d tensor.DType, n int, addr string) []string {
	if n == 1 {
		return []string{g.read(d, "global", addr, "")}
	}
	if d == tensor.Float32 {
		rs := []string{g.reg(f32), g.reg(f32), g.reg(f32), g.reg(f32)}
		g.op("ld.global.v4.f32", "{"+join(rs)+"}", "["+addr+"]")
		return rs
	}
	rs := []string{g.reg(b32), g.reg(b32), g.reg(b32), g.reg(b32)}
	g.op("ld.global.v4.b32", "{"+join(rs)+"}", "["+addr+"]")
	var out []string
	for _, r := range rs {
		out = append(out, g.fromBits(d, r, 0), g.fromBits(d, r, 1))
	}
	return out
}
