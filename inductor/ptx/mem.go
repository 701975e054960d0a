package ptx

import (
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// strideOf is the step of an access along an axis; ok is false where it is not an
// immediate.
func strideOf(m *loop.Access, a loop.Axis) (n int64, ok bool) {
	for _, t := range m.Terms {
		if t.Axis == a {
			return t.Stride.Imm, t.Stride.Par == 0
		}
	}
	return 0, true
}

// vectorial reports an access that a thread can make for several elements at once.
func vectorial(m *loop.Access, a loop.Axis) bool {
	n, ok := strideOf(m, a)
	return ok && n == 1 && len(m.Dyn) == 0 && m.Mask == 0
}

// address is the address of an access and the predicate under which it may be made
// ("" is always). Indices from data are compared with their limits first.
func (g *gen) address(m *loop.Access) (addr, ok string) {
	i := g.let(b64, "mov.s64", g.p(m.Off))
	for _, t := range m.Terms {
		a := g.axis[t.Axis]
		if g.elem > 0 && t.Axis == g.step {
			a = g.let(b64, "add.s64", a, imm(int64(g.elem)))
		}
		if t.Stride == loop.Imm(1) {
			i = g.let(b64, "add.s64", i, a)
		} else {
			i = g.let(b64, "mad.lo.s64", a, g.p(t.Stride), i)
		}
	}
	if m.Mask != 0 {
		ok = g.get(m.Mask)
	}
	for _, d := range m.Dyn {
		x := g.cast(g.get(d.Index), g.types[d.Index], loop.I64)
		lim := g.p(d.Lim)
		in := g.let(pred, "setp.lt.u64", x, lim)
		bad := g.let(pred, "not.pred", in)
		if ok != "" {
			bad = g.let(pred, "and.pred", bad, ok)
		}
		dyn := d
		g.fault(bad, site{dyn: &dyn}, x, lim)
		ok = g.and(ok, in)
		i = g.let(b64, "mad.lo.s64", x, g.p(d.Stride), i)
	}
	if m.Mask != 0 {
		in := g.let(pred, "setp.lt.u64", i, g.length(m.Buf))
		bad := g.let(pred, "and.pred", g.let(pred, "not.pred", in), ok)
		g.fault(bad, site{outside: true}, i, g.length(m.Buf))
		ok = g.and(ok, in)
	}
	size := g.k.Bufs[m.Buf].DType.Size()
	return g.let(b64, "mad.lo.s64", i, imm(int64(size)), g.base(m.Buf)), ok
}

// and joins two predicates of which the first may be none.
func (g *gen) and(p, q string) string {
	switch {
	case p == "":
		return q
	case q == "":
		return p
	}
	return g.let(pred, "and.pred", p, q)
}

// load reads an element in its compute type; lanes that may not read get 0.
func (g *gen) load(l *loop.Let) string {
	addr, ok := g.address(l.Mem)
	return g.read(g.k.Bufs[l.Mem.Buf].DType, "global", addr, ok)
}

func (g *gen) read(d tensor.DType, space, addr, ok string) string {
	at := "[" + addr + "]"
	get := func(c class, t string) string {
		r := g.reg(c)
		if ok != "" {
			zero := map[class]string{b32: "0", b64: "0", f32: immF32(0), f64: immF64(0)}[c]
			g.op("mov"+classTypes[c], r, zero)
		}
		g.when(ok, "ld."+space+"."+t, r, at)
		return r
	}
	switch d {
	case tensor.Float32:
		return get(f32, "f32")
	case tensor.Float64:
		return get(f64, "f64")
	case tensor.Int32:
		return get(b32, "s32")
	case tensor.Int64:
		return get(b64, "s64")
	case tensor.Uint8:
		return get(b32, "u8")
	case tensor.Int8:
		return get(b32, "s8")
	case tensor.Int16:
		return get(b32, "s16")
	case tensor.Bool:
		return g.let(pred, "setp.ne.u32", get(b32, "u8"), "0")
	case tensor.BFloat16:
		return g.fromBits(d, get(b32, "u16"), 0)
	case tensor.Float16:
		return g.fromBits(d, get(b32, "u16"), 0)
	}
	panic(unsupported("loads of " + d.String()))
}

// fromBits is a 16-bit float in half h of a register.
func (g *gen) fromBits(d tensor.DType, r string, h int) string {
	if d == tensor.BFloat16 {
		if h == 0 {
			r = g.let(b32, "shl.b32", r, "16")
		} else {
			r = g.let(b32, "and.b32", r, "0xffff0000")
		}
		return g.let(f32, "mov.b32", r)
	}
	lo, hi := g.reg(b16), g.reg(b16)
	g.op("mov.b32", "{"+lo+", "+hi+"}", r)
	if h == 1 {
		lo = hi
	}
	return g.let(f32, "cvt.f32.f16", lo)
}

// toBits packs two values as 16-bit floats.
func (g *gen) toBits(d tensor.DType, lo, hi string) string {
	if d == tensor.BFloat16 {
		return g.let(b32, "cvt.rn.bf16x2.f32", hi, lo)
	}
	return g.let(b32, "cvt.rn.f16x2.f32", hi, lo)
}

// store writes one element; the unit's first thread does, where there are several.
func (g *gen) store(m *loop.Access, val string) {
	addr, ok := g.address(m)
	g.write(g.k.Bufs[m.Buf].DType, addr, g.and(g.and(ok, g.live), g.first), val)
}

func (g *gen) write(d tensor.DType, addr, ok, val string) {
	at := "[" + addr + "]"
	switch d {
	case tensor.Float32:
		g.when(ok, "st.global.f32", at, val)
	case tensor.Float64:
		g.when(ok, "st.global.f64", at, val)
	case tensor.Int32:
		g.when(ok, "st.global.b32", at, val)
	case tensor.Int64:
		g.when(ok, "st.global.b64", at, val)
	case tensor.Uint8, tensor.Int8:
		g.when(ok, "st.global.u8", at, val)
	case tensor.Int16:
		g.when(ok, "st.global.u16", at, val)
	case tensor.Bool:
		g.when(ok, "st.global.u8", at, g.let(b32, "selp.b32", "1", "0", val))
	case tensor.BFloat16:
		g.when(ok, "st.global.b16", at, g.let(b16, "cvt.rn.bf16.f32", val))
	case tensor.Float16:
		g.when(ok, "st.global.b16", at, g.let(b16, "cvt.rn.f16.f32", val))
	default:
		panic(unsupported("stores of " + d.String()))
	}
}

// loadVec reads g.v.vec neighbouring elements.
func (g *gen) loadVec(m *loop.Access, axis loop.Axis) []string {
	w := g.held(m, axis)
	if w == nil {
		w = g.loadWords(m, "")
	}
	return g.unpack(g.k.Bufs[m.Buf].DType, w)
}

// storeVec writes neighbouring elements.
func (g *gen) storeVec(m *loop.Access, vals []string) {
	w := g.pack(g.k.Bufs[m.Buf].DType, vals)
	if g.kept != nil && g.hold(m, w) {
		return
	}
	g.storeWords(m, w)
}

func join(rs []string) string {
	s := rs[0]
	for _, r := range rs[1:] {
		s += ", " + r
	}
	return s
}

// atomic combines into memory. Where the hardware has no such operation on the
// dtype, the word around the element is replaced until nobody came between.
func (g *gen) atomic(s *loop.Atomic) {
	addr, ok := g.address(s.Mem)
	ok = g.and(g.and(ok, g.live), g.first)
	d, val, t := g.k.Bufs[s.Mem.Buf].DType, g.get(s.Val), g.types[s.Val]
	if s.Op == loop.CombineSet {
		g.write(d, addr, ok, val)
		return
	}
	at := "[" + addr + "]"
	name := [...]string{"add", "mul", "min", "max"}[s.Op]
	switch {
	case s.Op == loop.CombineAdd && (t == loop.F32 && d == tensor.Float32 || t == loop.F64):
		g.when(ok, "red.global.add."+suffix[t], at, val)
		return
	case d == tensor.Int32 && s.Op != loop.CombineMul:
		g.when(ok, "red.global."+name+".s32", at, val)
		return
	case d == tensor.Int64 && s.Op == loop.CombineAdd:
		g.when(ok, "red.global.add.u64", at, val)
		return
	case d == tensor.Int64 && s.Op != loop.CombineMul:
		g.when(ok, "red.global."+name+".s64", at, val)
		return
	}
	g.exchange(s.Op, d, t, addr, ok, val)
}

// exchange is the loop of compare-and-swap.
func (g *gen) exchange(op loop.Combine, d tensor.DType, t loop.Type, addr, ok, val string) {
	end, top := g.label(), g.label()
	if ok != "" {
		g.op("@!"+ok+" bra", end)
	}
	c, w := b32, "b32"
	if d.Size() == 8 {
		c, w = b64, "b64"
	}
	word, shift := addr, ""
	if d.Size() < 4 {
		low := g.let(b64, "and.b64", addr, "3")
		word = g.let(b64, "sub.s64", addr, low)
		shift = g.let(b32, "shl.b32", g.let(b32, "cvt.u32.u64", low), "3")
	}
	old := g.let(c, "ld.global."+w, "["+word+"]")
	p := g.reg(pred)
	g.mark(top)
	cur := old
	if shift != "" {
		cur = g.let(b32, "shr.u32", old, shift)
	}
	var x string
	switch d {
	case tensor.Float32, tensor.Float64:
		x = g.let(classOf[t], "mov."+w, cur)
	case tensor.Float16, tensor.BFloat16:
		x = g.fromBits(d, cur, 0)
	case tensor.Bool:
		x = g.let(pred, "setp.ne.u32", g.let(b32, "and.b32", cur, "255"), "0")
	case tensor.Uint8:
		x = g.let(b32, "and.b32", cur, "255")
	case tensor.Int8:
		x = g.let(b32, "bfe.s32", cur, "0", "8")
	case tensor.Int16:
		x = g.let(b32, "bfe.s32", cur, "0", "16")
	default:
		x = cur
	}
	var r string
	switch {
	case t == loop.B1 && (op == loop.CombineAdd || op == loop.CombineMax):
		r = g.let(pred, "or.pred", x, val)
	case t == loop.B1:
		r = g.let(pred, "and.pred", x, val)
	case op == loop.CombineAdd:
		r = g.let(classOf[t], "add."+rn(t), x, val)
	case op == loop.CombineMul && t.IsFloat():
		r = g.let(classOf[t], "mul."+rn(t), x, val)
	case op == loop.CombineMul:
		r = g.let(classOf[t], "mul.lo."+suffix[t], x, val)
	case op == loop.CombineMin:
		r = g.minmax("min", t, x, val)
	default:
		r = g.minmax("max", t, x, val)
	}
	switch d {
	case tensor.Float32, tensor.Float64:
		r = g.let(c, "mov."+w, r)
	case tensor.Float16, tensor.BFloat16:
		r = g.toBits(d, r, g.float(loop.F32, 0))
	case tensor.Bool:
		r = g.let(b32, "selp.b32", "1", "0", r)
	}
	if shift != "" {
		r = g.let(b32, "bfi.b32", r, old, shift, imm(int64(8*d.Size())))
	}
	seen := g.let(c, "atom.global.cas."+w, "["+word+"]", old, r)
	g.op("setp.ne."+w, p, seen, old)
	g.op("mov."+w, old, seen)
	g.op("@"+p+" bra", top)
	g.mark(end)
}

// assert reports a value that breaks a condition.
func (g *gen) assert(s *loop.Assert) {
	bad := g.let(pred, "not.pred", g.get(s.Cond))
	if s.Mask != 0 {
		bad = g.let(pred, "and.pred", bad, g.get(s.Mask))
	}
	val, t := "", loop.NoType
	if s.Val != 0 {
		t = g.types[s.Val]
		switch val = g.get(s.Val); t {
		case loop.B1:
			val = g.let(b64, "selp.b64", "1", "0", val)
		case loop.I32:
			val = g.let(b64, "cvt.s64.s32", val)
		case loop.F32:
			val = g.let(b64, "mov.b64", g.cast(val, t, loop.F64))
		case loop.F64:
			val = g.let(b64, "mov.b64", val)
		}
	}
	g.fault(bad, site{assert: s, typ: t}, val, "")
}

// fault leaves a report where bad holds, unless there is one already.
func (g *gen) fault(bad string, s site, val, lim string) {
	s.k = g.k
	if g.live != "" {
		bad = g.let(pred, "and.pred", bad, g.live)
	}
	id := g.sites.add(s)
	end := g.label()
	g.op("@!"+bad+" bra", end)
	rec := g.word(b64, argFault)
	old := g.let(b32, "atom.global.cas.b32", "["+rec+"]", "0", imm(int64(id)))
	won := g.let(pred, "setp.eq.u32", old, "0")
	if val != "" {
		g.when(won, "st.global.b64", "["+rec+"+8]", val)
	}
	if lim != "" {
		g.when(won, "st.global.b64", "["+rec+"+16]", lim)
	}
	host := g.let(b64, "ld.global.u64", "["+rec+"+24]")
	g.op("@!"+won+" bra", end)
	if val != "" {
		g.op("st.global.b64", "["+host+"+8]", val)
	}
	if lim != "" {
		g.op("st.global.b64", "["+host+"+16]", lim)
	}
	g.op("st.global.b32", "["+host+"]", imm(int64(id)))
	g.op("membar.sys")
	g.mark(end)
}
