package loop

import "math"

// Expansions of elementary functions into primitives, for targets that have no
// version of their own. Every function has one for float32 and float64. They do
// not rely on an FMA that rounds once.
//
// exp, exp2, log, tanh and erf of float32 stay in float32; the other float32
// functions are computed in float64 and rounded. Errors are at most 2 ulps (pow and
// lgamma: 4), measured in elementary_expand_test.go; sin, cos and tan hold them for
// |x| <= 2^20 (float32) and 2^18 (float64), beyond which the reduction by a
// fixed pi/2 loses bits and a target must do better.
//
// Methods: Cody and Waite's reductions with polynomials through Chebyshev
// points (float32), Taylor polynomials on reduced arguments (float64); the files
// elementary_arc.go, _erf.go, _gamma.go and _pow64.go name theirs.
func init() {
	Expansions[OpExp] = expandExp
	Expansions[OpExp2] = expandExp2
	Expansions[OpExpm1] = viaF64(expandExpm1)
	Expansions[OpLog] = expandLog
	Expansions[OpLog2] = viaF64(expandLog2)
	Expansions[OpLog10] = viaF64(expandLog10)
	Expansions[OpLog1p] = viaF64(expandLog1p)
	Expansions[OpTanh] = expandTanh
	Expansions[OpSinh] = viaF64(expandSinh)
	Expansions[OpCosh] = viaF64(expandCosh)
	Expansions[OpSin] = viaF64(func(b *Builder, x, _ V) V { return expandSinCos(b, x, 0) })
	Expansions[OpCos] = viaF64(func(b *Builder, x, _ V) V { return expandSinCos(b, x, 1) })
	Expansions[OpTan] = viaF64(expandTan64)
	Expansions[OpAtan] = float64Only(expandAtan64, onlyF32(func(b *Builder, x, _ V) V { return expandAtan(b, x) }))
	Expansions[OpAsin] = viaF64(expandAsin64)
	Expansions[OpAcos] = viaF64(expandAcos64)
	Expansions[OpAtan2] = float64Only(expandAtan264, onlyF32(expandAtan2))
	Expansions[OpErf] = float64Only(expandErf64, expandErf)
	Expansions[OpErfc] = viaF64(expandErfc)
	Expansions[OpErfinv] = float64Only(expandErfinv64, onlyF32(func(b *Builder, x, _ V) V { return erfinvRational(b, x) }))
	Expansions[OpGelu] = float64Only(expandGelu64, expandGelu)
	Expansions[OpLgamma] = viaF64(expandLgamma)
	Expansions[OpDigamma] = viaF64(expandDigamma)
	Expansions[OpPow] = float64Only(func(b *Builder, x, y V) V { return powCases(b, x, y, powCore64(b, b.Abs(x), y)) },
		onlyF32(func(b *Builder, x, y V) V {
			return powCases(b, x, y, expandExp2(b, F64, b.Mul(y, expandLog2(b, b.Abs(x), 0)), 0))
		}))
}

// viaF64 makes an expansion of float64 serve float32.
func viaF64(f func(b *Builder, x, y V) V) Expansion {
	return func(b *Builder, t Type, x, y V) V {
		if t == F64 {
			return f(b, x, y)
		}
		return onlyF32(f)(b, t, x, y)
	}
}

// onlyF32 is an expansion of float32 through float64 that is too coarse for float64.
func onlyF32(f func(b *Builder, x, y V) V) Expansion {
	return func(b *Builder, t Type, x, y V) V {
		if t != F32 {
			return 0
		}
		if y != 0 {
			y = b.Cast(y, F64)
		}
		return b.Cast(f(b, b.Cast(x, F64), y), F32)
	}
}

// poly is c[0] + c[1] x + …
func poly(b *Builder, x V, c ...float64) V {
	v := b.Like(x, c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		v = b.FMA(v, x, b.Like(x, c[i]))
	}
	return v
}

func clamp(b *Builder, x V, lo, hi float64) V { return b.Min(b.Max(x, b.Like(x, lo)), b.Like(x, hi)) }

// reduceExp writes x as k ln 2 + r, |r| <= ln 2 / 2.
func reduceExp(b *Builder, x V) (k, r V) {
	c := func(f float64) V { return b.Like(x, f) }
	k = b.Nearest(b.Mul(x, c(math.Log2E)))
	if b.Type(x) == F32 {
		// k * 0.693359375 is exact
		r = b.Sub(x, b.Mul(k, c(0.693359375)))
		return k, b.Sub(r, b.Mul(k, c(-2.12194440054690583e-4)))
	}
	r = b.Sub(x, b.Mul(k, c(6.93147180369123816490e-01)))
	return k, b.Sub(r, b.Mul(k, c(1.90821492927058770002e-10)))
}

// expm1Reduced is exp(r)-1 for |r| <= 0.35.
func expm1Reduced(b *Builder, r V) V {
	if b.Type(r) == F32 {
		p := poly(b, r, 0.5, 0.16666666681725, 0.04166646401078555, 0.008333310823923211, 0.0013933751387987224, 0.00019891103420544327)
		return b.FMA(b.Mul(r, r), p, r)
	}
	// Taylor to degree 14
	c, f := make([]float64, 13), 1.0
	for i := range c {
		f *= float64(i + 2)
		c[i] = 1 / f
	}
	return b.FMA(b.Mul(r, r), poly(b, r, c...), r)
}

// expRange keeps k finite; the ends overflow, and vanish before they are reached.
func expRange(t Type) (lo, hi float64) {
	if t == F32 {
		return -104, 90
	}
	return -746, 711
}

// expandExp keeps what vanishes altogether, as masked scores do, out of the arithmetic:
// a result too small to be normal takes processors a hundred times as long.
func expandExp(b *Builder, t Type, x, _ V) V {
	lo, hi := expRange(t)
	gone := b.Lt(x, b.Like(x, lo))
	k, r := reduceExp(b, b.Min(b.Select(gone, b.Like(x, 0), x), b.Like(x, hi)))
	return b.Select(gone, b.Like(x, 0), b.Ldexp(b.Add(expm1Reduced(b, r), b.Like(x, 1)), k))
}

func expandExp2(b *Builder, t Type, x, _ V) V {
	lim := 1100.0
	if t == F32 {
		lim = 160
	}
	x = clamp(b, x, -lim, lim)
	k := b.Nearest(x)
	return b.Ldexp(b.Add(expm1Reduced(b, b.Mul(b.Sub(x, k), b.Like(x, math.Ln2))), b.Like(x, 1)), k)
}

func expandExpm1(b *Builder, x, _ V) V {
	// 2^k (expm1(r) + 1) - 1, by halves so that 2^k does not overflow early
	k, r := reduceExp(b, clamp(b, x, -50, 710))
	half := b.Sub(k, b.Like(x, 1))
	two := b.Ldexp(b.Like(x, 1), half)
	v := b.Add(b.Mul(expm1Reduced(b, r), two), b.Sub(two, b.Like(x, 0.5)))
	// a tiny x keeps its sign and last bits
	return b.Select(b.Lt(b.Abs(x), b.Like(x, 1e-17)), x, b.Add(v, v))
}

// reduceLog writes a positive finite x as 2^e (1+f), 1+f between sqrt 1/2 and
// sqrt 2, through the bits.
func reduceLog(b *Builder, x V) (e, f V) {
	t := b.Type(x)
	i, digits, bias, root := I32, int64(23), int64(127), int64(0x3504f3)
	least, scale := 0x1p-126, 0x1p25
	if t == F64 {
		i, digits, bias, root = I64, 52, 1023, 0x6a09e667f3bcd
		least, scale = 0x1p-1022, 0x1p54
	}
	c := func(v int64) V { return b.ConstI(i, v) }
	small := b.Lt(x, b.Like(x, least))
	h := b.Bits(b.Select(small, b.Mul(x, b.Like(x, scale)), x), i)
	// adding the complement of sqrt 2's fraction carries into the exponent from there on
	h = b.Add(h, c(1<<digits-root))
	e = b.Cast(b.Sub(b.Shr(h, c(digits)), c(bias)), t)
	e = b.Sub(e, b.Select(small, b.Like(x, math.Log2(scale)), b.Like(x, 0)))
	m := b.Add(b.And(h, c(1<<digits-1)), c(bias<<digits-(1<<digits-root)))
	return e, b.Sub(b.Bits(m, t), b.Like(x, 1))
}

// log1pReduced is log(1+f) - f for f between sqrt 1/2 - 1 and sqrt 2 - 1.
func log1pReduced(b *Builder, f V) V {
	q := b.Mul(f, f)
	half := b.Mul(q, b.Like(f, -0.5))
	if b.Type(f) == F32 {
		p := poly(b, f, 0.3333333117430083, -0.24999996911607764, 0.2000071719561872, -0.1666780857632927, 0.14249009322251377,
			-0.12425486560687575, 0.11685719639080604, -0.11481477241123107, 0.06973070409187894)
		return b.FMA(b.Mul(p, q), f, half)
	}
	// 2 artanh s, s = f/(2+f): f - f^2/2 + s (f^2/2 + R), R = 2s^2/3 + 2s^4/5 + …
	s := b.Div(f, b.Add(f, b.Like(f, 2)))
	z := b.Mul(s, s)
	var c []float64
	for k := 1; k <= 11; k++ {
		c = append(c, 2/float64(2*k+1))
	}
	return b.Add(half, b.Mul(s, b.Sub(b.Mul(z, poly(b, z, c...)), half)))
}

// logEdges puts in what is not finite or not positive.
func logEdges(b *Builder, x, v V) V {
	inf := math.Inf(1)
	v = b.Select(b.Lt(x, b.Like(x, inf)), v, x) // inf and NaN
	v = b.Select(b.Lt(x, b.Like(x, 0)), b.Like(x, math.NaN()), v)
	return b.Select(b.Eq(x, b.Like(x, 0)), b.Like(x, -inf), v)
}

func expandLog(b *Builder, t Type, x, _ V) V {
	e, f := reduceLog(b, x)
	hi, lo := 6.93147180369123816490e-01, 1.90821492927058770002e-10
	if t == F32 {
		hi, lo = 0.693359375, -2.12194440054690583e-4
	}
	v := b.Add(b.FMA(e, b.Like(x, lo), log1pReduced(b, f)), f)
	return logEdges(b, x, b.FMA(e, b.Like(x, hi), v))
}

// logScaled is e*unit + (log(1+f))*scale with the scale in two parts.
func logScaled(b *Builder, x V, unitHi, unitLo, scaleHi, scaleLo float64) V {
	e, f := reduceLog(b, x)
	c := func(v float64) V { return b.Like(x, v) }
	g := log1pReduced(b, f)
	v := b.Add(b.FMA(f, c(scaleLo), b.Mul(g, c(scaleHi+scaleLo))), b.Mul(f, c(scaleHi)))
	if unitLo != 0 {
		v = b.FMA(e, c(unitLo), v)
	}
	return logEdges(b, x, b.FMA(e, c(unitHi), v))
}

func expandLog2(b *Builder, x, _ V) V {
	return logScaled(b, x, 1, 0, 1.4426950408889634, 2.0355273740931033e-17)
}

func expandLog10(b *Builder, x, _ V) V {
	return logScaled(b, x, 3.01029995663611771306e-01, 3.69423907715893078616e-13, 0.4342944819032518, 1.098319650216765e-17)
}

func expandLog1p(b *Builder, x, _ V) V {
	u := b.Add(x, b.Like(x, 1))
	e, f := reduceLog(b, u)
	// what 1+x lost
	lost := b.Select(b.Lt(u, b.Like(x, math.Inf(1))), b.Div(b.Sub(x, b.Sub(u, b.Like(x, 1))), u), b.Like(x, 0))
	v := b.Add(b.Add(b.FMA(e, b.Like(x, 1.90821492927058770002e-10), log1pReduced(b, f)), lost), f)
	v = logEdges(b, u, b.FMA(e, b.Like(x, 6.93147180369123816490e-01), v))
	return b.Select(b.Lt(b.Abs(x), b.Like(x, 1e-17)), x, v)
}

// copySign gives v >= 0 the sign of x.
func copySign(b *Builder, v, x V) V {
	i, m := I32, int64(math.MinInt32)
	if b.Type(x) == F64 {
		i, m = I64, math.MinInt64
	}
	return b.Bits(b.Or(b.Bits(v, i), b.And(b.Bits(x, i), b.ConstI(i, m))), b.Type(x))
}

func expandTanh(b *Builder, t Type, x, _ V) V {
	c := func(f float64) V { return b.Like(x, f) }
	a := b.Abs(x)
	if t == F32 {
		z := b.Mul(x, x)
		small := b.FMA(b.Mul(x, z), poly(b, z, -0.33333333231206064, 0.13333312866759428, -0.053961551765524834, 0.02178832189717907,
			-0.008410070525022361, 0.0023707653620579482), x)
		e := expandExp(b, t, b.Mul(b.Min(a, c(10)), c(2)), 0)
		large := b.Sub(c(1), b.Div(c(2), b.Add(e, c(1))))
		return b.Select(b.Lt(a, c(0.6)), small, copySign(b, large, x))
	}
	// t/(t+2), t = expm1(2a)
	m := expandExpm1(b, b.Mul(b.Min(a, c(22)), c(2)), 0)
	return copySign(b, b.Div(m, b.Add(m, c(2))), x)
}

func expandSinh(b *Builder, x, _ V) V {
	c := func(f float64) V { return b.Like(x, f) }
	a := b.Abs(x)
	m := expandExpm1(b, b.Min(a, c(40)), 0)
	small := b.Mul(b.Add(m, b.Div(m, b.Add(m, c(1)))), c(0.5))
	h := expandExp(b, F64, b.Mul(a, c(0.5)), 0)
	return copySign(b, b.Select(b.Lt(a, c(40)), small, b.Mul(b.Mul(h, c(0.5)), h)), x)
}

func expandCosh(b *Builder, x, _ V) V {
	c := func(f float64) V { return b.Like(x, f) }
	a := b.Abs(x)
	e := expandExp(b, F64, b.Min(a, c(700)), 0)
	h := expandExp(b, F64, b.Mul(a, c(0.5)), 0)
	v := b.Select(b.Lt(a, c(700)), b.Mul(b.Add(e, b.Div(c(1), e)), c(0.5)), b.Mul(b.Mul(h, c(0.5)), h))
	return b.Select(b.Eq(x, x), v, x)
}

// expandSinCos is sin (quadrants 0) or cos (1) of x, in float64. pi/2 is in
// three parts of 33 bits, whose products with a quadrant number are exact.
func expandSinCos(b *Builder, x V, quadrants int64) V {
	c := func(f float64) V { return b.Like(x, f) }
	k := b.Nearest(b.Mul(x, c(2/math.Pi)))
	r := b.Sub(x, b.Mul(k, c(1.57079632673412561417e+00)))
	r = b.Sub(r, b.Mul(k, c(6.07710050630396597660e-11)))
	r = b.Sub(r, b.Mul(k, c(2.02226624879595063154e-21)))
	// far out, where k is wrong, the result is still one of a sine
	r = clamp(b, r, -math.Pi/4, math.Pi/4)
	z := b.Mul(r, r)
	sin := b.FMA(b.Mul(r, z), poly(b, z, sinTaylor...), r)
	cos := b.FMA(b.Mul(z, z), poly(b, z, cosTaylor...), b.Sub(c(1), b.Mul(z, c(0.5))))
	q := b.Add(b.Cast(k, I64), b.ConstI(I64, quadrants))
	odd := b.Eq(b.And(q, b.ConstI(I64, 1)), b.ConstI(I64, 1))
	v := b.Select(odd, cos, sin)
	neg := b.Eq(b.And(q, b.ConstI(I64, 2)), b.ConstI(I64, 2))
	v = b.Select(neg, b.Neg(v), v)
	v = b.Select(b.Lt(b.Abs(x), c(math.Inf(1))), v, c(math.NaN()))
	if quadrants == 0 { // -0
		v = b.Select(b.Eq(x, c(0)), x, v)
	}
	return v
}

// expandAtan is good to a float32.
func expandAtan(b *Builder, x V) V {
	c := func(f float64) V { return b.Like(x, f) }
	a := b.Abs(x)
	far := b.Lt(c(1), a)
	u := b.Select(far, b.Div(c(1), a), a)
	mid := b.Lt(c(math.Sqrt2-1), u)
	v := b.Select(mid, b.Div(b.Sub(u, c(1)), b.Add(u, c(1))), u)
	z := b.Mul(v, v)
	t := []float64{1}
	for k := 1; k < 13; k++ {
		t = append(t, math.Pow(-1, float64(k))/float64(2*k+1))
	}
	w := b.Mul(v, poly(b, z, t...))
	w = b.Add(w, b.Select(mid, c(math.Pi/4), c(0)))
	w = b.Select(far, b.Sub(c(math.Pi/2), w), w)
	return b.Select(b.Eq(x, x), copySign(b, w, x), x)
}

func expandAtan2(b *Builder, y, x V) V {
	c := func(f float64) V { return b.Like(x, f) }
	inf := c(math.Inf(1))
	ay, ax := b.Abs(y), b.Abs(x)
	// 0/0 is 0 and inf/inf 1
	q := b.Div(ay, ax)
	q = b.Select(b.Eq(ay, c(0)), c(0), q)
	q = b.Select(b.And(b.Eq(ay, inf), b.Eq(ax, inf)), c(1), q)
	w := expandAtan(b, q)
	// the sign bit of x, for -0
	left := b.Lt(b.Bits(x, I64), b.ConstI(I64, 0))
	w = copySign(b, b.Select(left, b.Sub(c(math.Pi), w), w), y)
	return b.Select(b.And(b.Eq(x, x), b.Eq(y, y)), w, b.Add(x, y))
}

func expandErf(b *Builder, t Type, x, _ V) V {
	c := func(f float64) V { return b.Like(x, f) }
	a := b.Abs(x)
	z := b.Mul(x, x)
	small := b.FMA(x, poly(b, z, 0.1283791658483509, -0.37612626666720334, 0.11283594715160218, -0.026854212010626412,
		0.005189087423433974, -0.000801686428716587, 7.875875062685488e-05), x)
	// log erfc
	p := poly(b, b.Min(a, c(4.1)), 0.00043312918486047614, -1.1307512258643186, -0.6308045695403662, -0.11121892641184321,
		0.027212459497430626, -0.005115367188531167, 0.0007004422141140502, -6.494943787614156e-05, 3.5957109416283726e-06, -8.813475906297848e-08)
	large := b.Sub(c(1), expandExp(b, t, p, 0))
	return b.Select(b.Lt(a, c(1)), small, copySign(b, large, x))
}

// powCases makes x^y with the cases of C's pow from v = |x|^y.
func powCases(b *Builder, x, y, v V) V {
	c := func(f float64) V { return b.Like(x, f) }
	a := b.Abs(x)
	odd := b.Eq(b.Abs(b.Mod(y, c(2))), c(1))
	whole := b.Eq(y, b.Trunc(y))
	minus := b.Lt(b.Bits(x, I64), b.ConstI(I64, 0))
	v = b.Select(b.And(minus, odd), b.Neg(v), v)
	bad := b.And(b.And(b.Lt(x, c(0)), b.Not(whole)), b.Lt(a, c(math.Inf(1))))
	v = b.Select(bad, c(math.NaN()), v)
	one := b.Or(b.Eq(y, c(0)), b.Eq(x, c(1)))
	one = b.Or(one, b.And(b.Eq(x, c(-1)), b.Eq(b.Abs(y), c(math.Inf(1)))))
	return b.Select(one, c(1), v)
}
