package ptx

import (
	"fmt"
	"math"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// The primitives of package loop as instructions. An elementary function becomes
// its expansion in the place where it stands.

// unsupported is why a kernel stays with the fallback.
type unsupported string

func (u unsupported) Error() string { return "ptx: not supported: " + string(u) }

// suffix is the type suffix of arithmetic.
var suffix = [...]string{loop.I32: "s32", loop.I64: "s64", loop.F32: "f32", loop.F64: "f64"}
var bitsSuffix = [...]string{loop.B1: "pred", loop.I32: "b32", loop.I64: "b64", loop.F32: "b32", loop.F64: "b64"}

// rn is the suffix of arithmetic that is rounded where floats are; without it ptxas
// may fuse a product and a sum.
func rn(t loop.Type) string {
	if t.IsFloat() {
		return "rn." + suffix[t]
	}
	return suffix[t]
}

func (g *gen) constant(t loop.Type, bits uint64) string {
	switch t {
	case loop.B1:
		r := g.let(b32, "mov.u32", imm(int64(bits&1)))
		return g.let(pred, "setp.ne.u32", r, "0")
	case loop.I32:
		return g.let(b32, "mov.s32", imm(int64(int32(bits))))
	case loop.I64:
		return g.let(b64, "mov.s64", imm(int64(bits)))
	case loop.F32:
		r := g.let(f32, "mov.f32", immF32(uint32(bits)))
		if uint32(bits) == math.Float32bits(1) {
			if g.ones == nil {
				g.ones = map[string]bool{}
			}
			g.ones[r] = true
		}
		return r
	}
	return g.let(f64, "mov.f64", immF64(bits))
}

func (g *gen) float(t loop.Type, v float64) string {
	if t == loop.F32 {
		return g.constant(t, uint64(math.Float32bits(float32(v))))
	}
	return g.constant(t, math.Float64bits(v))
}

// prim computes a primitive that is no source; ot is the type of its operands.
func (g *gen) prim(s *loop.Let, ot loop.Type, x, y, z string) string {
	t := s.Type
	c := classOf[t]
	switch s.Op {
	case loop.OpCast:
		return g.cast(x, ot, t)
	case loop.OpBits:
		return g.let(c, "mov."+bitsSuffix[t], x)
	case loop.OpRound:
		return g.round(x, t, s.DType)
	case loop.OpAdd, loop.OpSub:
		return g.let(c, s.Op.String()+"."+rn(t), x, y)
	case loop.OpMul:
		if t.IsFloat() {
			return g.let(c, "mul."+rn(t), x, y)
		}
		return g.let(c, "mul.lo."+suffix[t], x, y)
	case loop.OpDiv:
		switch {
		case t == loop.F32 && g.fast && g.ones[x]:
			return g.let(c, "rcp.approx.ftz.f32", y)
		case t == loop.F32 && g.fast && g.elem >= 0 && !g.vary[s.B]: // one divisor for all elements
			r, ok := g.inverse[y]
			if !ok {
				r = g.let(c, "rcp.approx.f32", y)
				g.inverse[y] = r
			}
			return g.let(c, "mul.rn.f32", x, r)
		case t == loop.F32 && g.fast:
			return g.let(c, "div.full.f32", x, y)
		case t.IsFloat():
			return g.let(c, "div."+rn(t), x, y)
		}
		return g.let(c, "div."+suffix[t], x, g.divisor(t, y))
	case loop.OpMod:
		if t.IsFloat() {
			return g.fmod(t, x, y)
		}
		y = g.divisor(t, y)
		r := g.let(c, "rem."+suffix[t], x, y)
		// the sign of the divisor
		b := bitsSuffix[t]
		off := g.let(pred, "setp.lt."+suffix[t], g.let(c, "xor."+b, r, y), "0")
		some := g.let(pred, "setp.ne."+suffix[t], r, "0")
		off = g.let(pred, "and.pred", off, some)
		return g.let(c, "selp."+b, g.let(c, "add."+suffix[t], r, y), r, off)
	case loop.OpFMA:
		return g.let(c, "fma."+rn(t), x, y, z)
	case loop.OpNeg, loop.OpAbs:
		return g.let(c, s.Op.String()+"."+suffix[t], x)
	case loop.OpMin, loop.OpMax:
		return g.minmax(s.Op.String(), t, x, y)
	case loop.OpSqrt:
		return g.let(c, "sqrt."+rn(t), x)
	case loop.OpFloor, loop.OpCeil, loop.OpTrunc, loop.OpNearest:
		mode := map[loop.Op]string{loop.OpFloor: "rmi", loop.OpCeil: "rpi", loop.OpTrunc: "rzi", loop.OpNearest: "rni"}[s.Op]
		return g.let(c, "cvt."+mode+"."+suffix[t]+"."+suffix[t], x)
	case loop.OpLdexp:
		return g.ldexp(t, x, y)
	case loop.OpRcp:
		if t == loop.F32 {
			return g.let(c, "rcp.approx.ftz.f32", x)
		}
		return g.let(c, "rcp.rn.f64", x)
	case loop.OpEx2:
		if t == loop.F32 {
			return g.let(c, "ex2.approx.ftz.f32", x)
		}
		return g.expand(loop.OpExp2, t, x, "")
	case loop.OpEq, loop.OpNe, loop.OpLt, loop.OpLe:
		return g.compare(s.Op, ot, x, y)
	case loop.OpAnd, loop.OpOr, loop.OpXor:
		return g.let(c, s.Op.String()+"."+bitsSuffix[t], x, y)
	case loop.OpNot:
		return g.let(c, "not."+bitsSuffix[t], x)
	case loop.OpShl, loop.OpShr:
		// counts past the width give what the kernel language asks for; a negative one is a large one
		if t == loop.I64 {
			y = g.let(b32, "cvt.u32.u64", g.let(b64, "min.u64", y, "64"))
		}
		if s.Op == loop.OpShl {
			return g.let(c, "shl."+bitsSuffix[t], x, y)
		}
		return g.let(c, "shr."+suffix[t], x, y)
	case loop.OpSelect:
		return g.choose(t, x, y, z)
	}
	if s.Op.IsElementary() {
		return g.elementary(s.Op, t, x, y)
	}
	panic("BUG: ptx: no instruction for " + s.Op.String())
}

// choose is p ? x : y.
func (g *gen) choose(t loop.Type, p, x, y string) string {
	if t == loop.B1 {
		a := g.let(pred, "and.pred", p, x)
		b := g.let(pred, "and.pred", g.let(pred, "not.pred", p), y)
		return g.let(pred, "or.pred", a, b)
	}
	return g.let(classOf[t], "selp."+bitsSuffix[t], x, y, p)
}

func (g *gen) compare(op loop.Op, t loop.Type, x, y string) string {
	if t == loop.B1 {
		d := g.let(pred, "xor.pred", x, y)
		if op == loop.OpEq {
			d = g.let(pred, "not.pred", d)
		}
		return d
	}
	n := op.String()
	if op == loop.OpNe && t.IsFloat() {
		n = "neu"
	}
	return g.let(pred, "setp."+n+"."+suffix[t], x, y)
}

// minmax gives NaN if either is.
func (g *gen) minmax(name string, t loop.Type, x, y string) string {
	switch t {
	case loop.F32:
		return g.let(f32, name+".NaN.f32", x, y)
	case loop.F64:
		m := g.let(f64, name+".f64", x, y)
		nan := g.let(pred, "setp.nan.f64", x, y)
		return g.let(f64, "selp.b64", g.let(f64, "add.rn.f64", x, y), m, nan)
	}
	return g.let(classOf[t], name+"."+suffix[t], x, y)
}

// divisor reports a zero and goes on with 1.
func (g *gen) divisor(t loop.Type, y string) string {
	zero := g.let(pred, "setp.eq."+suffix[t], y, "0")
	g.fault(zero, site{zero: true}, "", "")
	return g.let(classOf[t], "selp."+bitsSuffix[t], "1", y, zero)
}

func (g *gen) cast(x string, from, to loop.Type) string {
	switch {
	case from == to:
		return x
	case to == loop.B1:
		if from.IsFloat() {
			return g.let(pred, "setp.neu."+suffix[from], x, g.float(from, 0))
		}
		return g.let(pred, "setp.ne."+suffix[from], x, "0")
	case from == loop.B1:
		if to.IsFloat() {
			return g.let(classOf[to], "selp."+bitsSuffix[to], g.float(to, 1), g.float(to, 0), x)
		}
		return g.let(classOf[to], "selp."+bitsSuffix[to], "1", "0", x)
	case from.IsFloat() && to.IsFloat():
		if to == loop.F64 {
			return g.let(f64, "cvt.f64.f32", x)
		}
		return g.let(f32, "cvt.rn.f32.f64", x)
	case from.IsFloat():
		return g.let(classOf[to], "cvt.rzi."+suffix[to]+"."+suffix[from], x)
	case to.IsFloat():
		return g.let(classOf[to], "cvt.rn."+suffix[to]+"."+suffix[from], x)
	case to == loop.I64:
		return g.let(b64, "cvt.s64.s32", x)
	}
	return g.let(b32, "cvt.u32.u64", x)
}

// roundedFrom is what a register was rounded from: a store as the same dtype rounds
// anyway.
type roundedFrom struct {
	src string
	d   tensor.DType
}

// unrounded is what to store as d for a value.
func (g *gen) unrounded(d tensor.DType, r string) string {
	if f, ok := g.rounded[r]; ok && f.d == d {
		return f.src
	}
	return r
}

// round is the effect of a store as d and a load.
func (g *gen) round(x string, t loop.Type, d tensor.DType) string {
	switch d {
	case tensor.Float16, tensor.BFloat16:
		if r, ok := g.rounded[x]; ok && r.d == d {
			return x
		}
		y := x
		if t == loop.F64 {
			y = g.let(f32, "cvt.rn.f32.f64", x)
		}
		if d == tensor.Float16 {
			y = g.let(f32, "cvt.f32.f16", g.let(b16, "cvt.rn.f16.f32", y))
		} else { // the upper half of a pair is a float32 with the lower half zero
			y = g.let(f32, "mov.b32", g.let(b32, "cvt.rn.bf16x2.f32", y, g.float(loop.F32, 0)))
		}
		if t == loop.F32 {
			if g.rounded == nil {
				g.rounded = map[string]roundedFrom{}
			}
			g.rounded[y] = roundedFrom{x, d}
		}
		return g.cast(y, loop.F32, t)
	case tensor.Float32:
		if t == loop.F64 {
			return g.cast(g.cast(x, t, loop.F32), loop.F32, t)
		}
	case tensor.Uint8:
		return g.let(classOf[t], "and."+bitsSuffix[t], x, "255")
	case tensor.Int8, tensor.Int16, tensor.Int32:
		n := int64(8)
		if t == loop.I32 {
			n *= int64(4 - d.Size())
		} else {
			n *= int64(8 - d.Size())
		}
		if n > 0 {
			return g.let(classOf[t], "shr."+suffix[t], g.let(classOf[t], "shl."+bitsSuffix[t], x, imm(n)), imm(n))
		}
	}
	return x
}

// ldexp is x * 2^n for an integer-valued float n: three factors, each a power of
// two that a float can hold, reach from the least subnormal to infinity.
func (g *gen) ldexp(t loop.Type, x, n string) string {
	lim, bias, digits := float64(378), int64(127), "23"
	it := loop.I32
	if t == loop.F64 {
		lim, bias, digits, it = 3066, 1023, "52", loop.I64
	}
	s, b := suffix[t], bitsSuffix[t]
	n = g.let(classOf[t], "max."+s, g.let(classOf[t], "min."+s, n, g.float(t, lim)), g.float(t, -lim))
	i := g.let(classOf[it], "cvt.rzi."+suffix[it]+"."+s, n)
	third := g.let(classOf[it], "div."+suffix[it], i, "3")
	rest := g.let(classOf[it], "sub."+suffix[it], i, third)
	half := g.let(classOf[it], "shr."+suffix[it], rest, "1")
	for _, e := range []string{half, g.let(classOf[it], "sub."+suffix[it], rest, half), third} {
		e = g.let(classOf[it], "add."+suffix[it], e, imm(bias))
		e = g.let(classOf[it], "shl."+b, e, digits)
		x = g.let(classOf[t], "mul.rn."+s, x, g.let(classOf[t], "mov."+b, e))
	}
	return x
}

// fmod is C's: exact, by subtracting multiples of y by powers of two.
func (g *gen) fmod(t loop.Type, x, y string) string {
	if t == loop.F32 { // float64 holds a float32's remainder, and has no subnormals among its values
		return g.cast(g.fmod(loop.F64, g.cast(x, t, loop.F64), g.cast(y, t, loop.F64)), loop.F64, t)
	}
	r, b := g.let(f64, "abs.f64", x), g.let(f64, "abs.f64", y)
	inf := g.float(t, math.Inf(1))
	ok := g.let(pred, "setp.lt.f64", r, inf)
	ok = g.let(pred, "and.pred", ok, g.let(pred, "setp.gt.f64", b, g.float(t, 0)))
	done, up, down := g.label(), g.label(), g.label()
	m, p := g.let(f64, "mov.f64", b), g.reg(pred)
	d := g.reg(f64)
	g.op("@!"+ok+" bra", done)
	fin := g.let(pred, "setp.lt.f64", b, inf)
	g.op("@!"+fin+" bra", done)
	g.mark(up)
	d2 := g.let(f64, "add.rn.f64", m, m)
	g.op("setp.le.f64", p, d2, r)
	g.op("@"+p+" mov.f64", m, d2)
	g.op("@"+p+" bra", up)
	g.mark(down)
	g.op("setp.ge.f64", p, r, m)
	g.op("@"+p+" sub.rn.f64", r, r, m)
	g.op("mul.rn.f64", m, m, g.float(t, 0.5))
	g.op("setp.ge.f64", p, m, b)
	g.op("@"+p+" bra", down)
	g.mark(done)
	// the sign of x; NaN where x is infinite or y is 0, or either is NaN
	g.op("copysign.f64", d, x, r)
	nan := g.let(f64, "add.rn.f64", x, y)
	nan = g.let(f64, "mul.rn.f64", nan, g.float(t, math.NaN()))
	ok = g.let(pred, "and.pred", ok, g.let(pred, "setp.num.f64", b, b))
	return g.let(f64, "selp.b64", d, nan, ok)
}

// elementary chooses between the approximations of the hardware, where storage has
// 16 bits, and the expansion.
func (g *gen) elementary(op loop.Op, t loop.Type, x, y string) string {
	if t == loop.F32 && g.fast {
		switch op {
		case loop.OpExp:
			return g.let(f32, "ex2.approx.ftz.f32", g.let(f32, "mul.rn.f32", x, g.float(t, math.Log2E)))
		case loop.OpExp2:
			return g.let(f32, "ex2.approx.ftz.f32", x)
		case loop.OpErf:
			return g.fastErf(x)
		case loop.OpGelu:
			e := g.fastErf(g.let(f32, "mul.rn.f32", x, g.float(t, math.Sqrt2/2)))
			half := g.let(f32, "mul.rn.f32", x, g.float(t, 0.5))
			return g.let(f32, "fma.rn.f32", half, e, half)
		case loop.OpTanh:
			return g.fastTanh(x)
		}
	}
	if t.IsInt() && op == loop.OpPow {
		return g.intPow(t, x, y)
	}
	return g.expand(op, t, x, y)
}

// fma32 chains a polynomial, highest coefficient first.
func (g *gen) poly(x string, c ...float64) string {
	v := g.float(loop.F32, c[0])
	for _, k := range c[1:] {
		v = g.let(f32, "fma.rn.f32", v, x, g.float(loop.F32, k))
	}
	return v
}

func (g *gen) copySign(v, x string) string { return g.let(f32, "copysign.f32", x, v) }

// fastTanh is x's Taylor polynomial near 0, else 1 - 2/(1+e^2|x|): relative error
// under 2^-16.
func (g *gen) fastTanh(x string) string {
	t := loop.F32
	a := g.let(f32, "abs.f32", x)
	e := g.let(f32, "ex2.approx.ftz.f32", g.let(f32, "mul.rn.f32", a, g.float(t, 2*math.Log2E)))
	r := g.let(f32, "rcp.approx.ftz.f32", g.let(f32, "add.rn.f32", e, g.float(t, 1)))
	far := g.copySign(g.let(f32, "fma.rn.f32", r, g.float(t, -2), g.float(t, 1)), x)
	z := g.let(f32, "mul.rn.f32", x, x)
	near := g.let(f32, "mul.rn.f32", x, g.poly(z, -17.0/315, 2.0/15, -1.0/3, 1))
	small := g.let(pred, "setp.lt.f32", a, g.float(t, 0.25))
	return g.let(f32, "selp.b32", near, far, small)
}

// fastErf is Abramowitz and Stegun 7.1.26 (1.5e-7 absolute) but for small x, where
// it is the Taylor polynomial.
func (g *gen) fastErf(x string) string {
	t := loop.F32
	a := g.let(f32, "abs.f32", x)
	k := g.let(f32, "rcp.approx.ftz.f32", g.let(f32, "fma.rn.f32", a, g.float(t, 0.3275911), g.float(t, 1)))
	p := g.let(f32, "mul.rn.f32", k, g.poly(k, 1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592))
	z := g.let(f32, "mul.rn.f32", x, x)
	e := g.let(f32, "ex2.approx.ftz.f32", g.let(f32, "mul.rn.f32", z, g.float(t, -math.Log2E)))
	far := g.copySign(g.let(f32, "fma.rn.f32", g.let(f32, "neg.f32", p), e, g.float(t, 1)), x)
	near := g.let(f32, "mul.rn.f32", x, g.poly(z, 2/math.SqrtPi/216, -2/math.SqrtPi/42, 2/math.SqrtPi/10, -2/math.SqrtPi/3, 2/math.SqrtPi))
	small := g.let(pred, "setp.lt.f32", a, g.float(t, 0.5))
	return g.let(f32, "selp.b32", near, far, small)
}

// intPow squares and multiplies; a negative exponent gives 0 unless |x| is 1.
func (g *gen) intPow(t loop.Type, x, y string) string {
	c, s, b := classOf[t], suffix[t], bitsSuffix[t]
	r, m, n := g.let(c, "mov."+b, "1"), g.let(c, "mov."+b, x), g.let(c, "mov."+b, y)
	neg := g.let(pred, "setp.lt."+s, n, "0")
	top, end := g.label(), g.label()
	p := g.reg(pred)
	g.mark(top)
	g.op("setp.le."+s, p, n, "0")
	g.op("@"+p+" bra", end)
	bit := g.let(c, "and."+b, n, "1")
	g.op("setp.ne."+s, p, bit, "0")
	g.op("@"+p+" mul.lo."+s, r, r, m)
	g.op("mul.lo."+s, m, m, m)
	g.op("shr."+s, n, n, "1")
	g.op("bra", top)
	g.mark(end)
	// x^-n: 1 for 1, ±1 for -1, else 0
	odd := g.let(pred, "setp.ne."+s, g.let(c, "and."+b, y, "1"), "0")
	minus := g.let(c, "selp."+b, "-1", "1", odd)
	inv := g.let(c, "selp."+b, minus, "0", g.let(pred, "setp.eq."+s, x, "-1"))
	inv = g.let(c, "selp."+b, "1", inv, g.let(pred, "setp.eq."+s, x, "1"))
	return g.let(c, "selp."+b, inv, r, neg)
}

// expand emits the expansion of an elementary function.
func (g *gen) expand(op loop.Op, t loop.Type, x, y string) string {
	e := loop.Expansions[op]
	if e == nil || !t.IsFloat() {
		panic(unsupported(fmt.Sprintf("%s of %s", op, t)))
	}
	b := loop.NewBuilder("expansion")
	var in [2]loop.V
	for i := range op.Arity() {
		in[i] = b.Scalar(b.ScalarSlot(string(rune('x'+i)), t))
	}
	r := e(b, t, in[0], in[1])
	if r == 0 {
		panic(unsupported(fmt.Sprintf("%s of %s", op, t)))
	}
	k := b.Kernel()
	val := make([]string, k.NumV+1)
	types := make([]loop.Type, k.NumV+1)
	for _, s := range k.Body {
		l, ok := s.(*loop.Let)
		if !ok {
			panic("BUG: expansion of " + op.String() + " has statements")
		}
		types[l.V] = l.Type
		switch l.Op {
		case loop.OpScalar:
			val[l.V] = [2]string{x, y}[l.Slot]
		case loop.OpConst:
			val[l.V] = g.constant(l.Type, l.Bits)
		default:
			val[l.V] = g.prim(l, types[l.A], val[l.A], val[l.B], val[l.C])
		}
	}
	return val[r]
}
