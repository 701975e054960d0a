package loop

import "math"

// Expansions of tan, asin, acos, atan and atan2 of float64: the methods and
// coefficients of FreeBSD's msun (s_atan.c, e_asin.c, e_acos.c, e_atan2.c, k_sin.c,
// k_cos.c), without branches. Those of float32 are shorter (elementary.go).

// float64Only is an expansion of float64, and other serves float32.
func float64Only(f func(b *Builder, x, y V) V, other Expansion) Expansion {
	return func(b *Builder, t Type, x, y V) V {
		if t == F64 {
			return f(b, x, y)
		}
		return other(b, t, x, y)
	}
}

// atanParts are arctangents of 0, 1/2, 1, 3/2 and infinity in two parts.
var atanParts = [5][2]float64{
	{0, 0},
	{4.63647609000806093515e-01, 2.26987774529616870924e-17},
	{7.85398163397448278999e-01, 3.06161699786838301793e-17},
	{9.82793723247329054082e-01, 1.39033110312309984516e-17},
	{1.57079632679489655800e+00, 6.12323399573676603587e-17},
}

var atanPoly = []float64{3.33333333333329318027e-01, -1.99999999998764832476e-01, 1.42857142725034663711e-01, -1.11111104054623557880e-01,
	9.09088713343650656196e-02, -7.69187620504482999495e-02, 6.66107313738753120669e-02, -5.83357013379057348645e-02, 4.97687799461593236017e-02,
	-3.65315727442169155270e-02, 1.62858201153657823623e-02}

// atanOf is the angle of the point (x, y), both not negative and finite, in two
// parts: that of (1, c) for the c of 0, 1/2, 1, 3/2, infinity next to y/x, and
// the arctangent of what remains, (y - c x) / (x + c y).
func atanOf(b *Builder, y, x V) (hi, lo V) {
	c := func(f float64) V { return b.Like(x, f) }
	below := func(f float64) V { return b.Lt(y, b.Mul(x, c(f))) }
	in := [4]V{below(7.0 / 16), below(11.0 / 16), below(19.0 / 16), below(39.0 / 16)}
	pick := func(v ...V) V {
		r := v[4]
		for i := 3; i >= 0; i-- {
			r = b.Select(in[i], v[i], r)
		}
		return r
	}
	half, more := b.Mul(y, c(0.5)), b.Mul(x, c(1.5))
	num := pick(y, b.Sub(y, b.Mul(x, c(0.5))), b.Sub(y, x), b.Sub(y, more), b.Neg(x))
	den := pick(x, b.Add(x, half), b.Add(x, y), b.Add(x, b.Mul(y, c(1.5))), y)
	r := b.Div(num, den)
	z := b.Mul(r, r)
	part := func(i int) V {
		v := make([]V, 5)
		for k := range v {
			v[k] = c(atanParts[k][i])
		}
		return pick(v...)
	}
	rest := b.Sub(b.Mul(r, b.Mul(z, poly(b, z, atanPoly...))), part(1))
	return part(0), b.Sub(r, rest)
}

func expandAtan64(b *Builder, x, _ V) V {
	a := b.Abs(x)
	// an infinity is as far as 2^70
	hi, lo := atanOf(b, b.Min(a, b.Like(x, 0x1p70)), b.Like(x, 1))
	return copySign(b, b.Add(hi, lo), x)
}

func expandAtan264(b *Builder, y, x V) V {
	c := func(f float64) V { return b.Like(x, f) }
	ay, ax := b.Abs(y), b.Abs(x)
	big := b.Max(ay, ax)
	inf := c(math.Inf(1))
	// infinities become 1 beside 0, and 1 beside 1; far out everything is scaled,
	// as x + 3/2 y could overflow and y/2 lose digits
	infinite := b.Eq(big, inf)
	unit := func(v V) V { return b.Select(b.Eq(v, inf), c(1), c(0)) }
	scale := b.Select(b.Lt(c(0x1p1000), big), c(0x1p-8), b.Select(b.Lt(big, c(0x1p-900)), c(0x1p120), c(1)))
	u := b.Select(infinite, unit(ay), b.Mul(ay, scale))
	v := b.Select(infinite, unit(ax), b.Mul(ax, scale))
	v = b.Select(b.Eq(big, c(0)), c(1), v)
	hi, lo := atanOf(b, u, v)
	w := b.Add(hi, lo)
	left := b.Lt(b.Bits(x, I64), b.ConstI(I64, 0)) // -0 is left
	w = copySign(b, b.Select(left, b.Sub(c(math.Pi), b.Sub(w, c(1.2246467991473531772e-16))), w), y)
	return b.Select(b.And(b.Eq(x, x), b.Eq(y, y)), w, b.Add(x, y))
}

// arcRatio is (asin(s) - s)/s for z = s^2 <= 1/4.
func arcRatio(b *Builder, z V) V {
	p := poly(b, z, 1.66666666666666657415e-01, -3.25565818622400915405e-01, 2.01212532134862925881e-01, -4.00555345006794114027e-02,
		7.91534994289814532176e-04, 3.47933107596021167570e-05)
	q := poly(b, z, 1, -2.40339491173441421878e+00, 2.02094576023350569471e+00, -6.88283971605453293030e-01, 7.70381505559019352791e-02)
	return b.Div(b.Mul(z, p), q)
}

const (
	halfPiHi = 1.57079632679489655800e+00
	halfPiLo = 6.12323399573676603587e-17
)

// arc is what asin and acos share: whether |x| < 1/2, s = |x| or sqrt((1-|x|)/2),
// and (asin(s)-s)/s.
func arc(b *Builder, x V) (small, s, r V) {
	a := b.Abs(x)
	small = b.Lt(a, b.Like(x, 0.5))
	z := b.Select(small, b.Mul(x, x), b.Mul(b.Sub(b.Like(x, 1), a), b.Like(x, 0.5)))
	return small, b.Select(small, a, b.Sqrt(z)), arcRatio(b, z)
}

func expandAsin64(b *Builder, x, _ V) V {
	c := func(f float64) V { return b.Like(x, f) }
	small, s, r := arc(b, x)
	near := b.Add(s, b.Mul(s, r))
	// pi/2 - 2 asin(s), s in two parts
	h := highPart(b, s)
	z := b.Mul(b.Sub(c(1), b.Abs(x)), c(0.5))
	lost := b.Div(b.Sub(z, b.Mul(h, h)), b.Max(b.Add(s, h), c(0x1p-1000)))
	far := b.Sub(b.Sub(c(halfPiHi), b.Add(h, h)), b.Sub(b.FMA(b.Add(s, s), r, b.Add(lost, lost)), c(halfPiLo)))
	v := b.Select(small, near, far)
	return b.Select(b.Eq(v, v), copySign(b, v, x), v)
}

func expandAcos64(b *Builder, x, _ V) V {
	c := func(f float64) V { return b.Like(x, f) }
	small, s, r := arc(b, x)
	neg := b.Lt(x, c(0))
	// pi/2 - x - x r
	near := b.Sub(c(halfPiHi), b.Sub(x, b.Sub(c(halfPiLo), b.Mul(x, r))))
	angle := b.Add(s, b.Mul(s, r))
	right := b.Add(angle, angle)
	w := b.Sub(c(halfPiHi), b.Add(s, b.Sub(b.Mul(r, s), c(halfPiLo))))
	return b.Select(small, near, b.Select(neg, b.Add(w, w), right))
}

// sinTaylor and cosTaylor are the coefficients of sin r = r + r^3 (…) and of
// cos r = 1 - r^2/2 + r^4 (…) in powers of r^2.
var sinTaylor, cosTaylor = taylor(3, 8), taylor(4, 8)

func taylor(first, n int) []float64 {
	var t []float64
	f := 1.0
	for i := 2; i <= first; i++ {
		f *= float64(i)
	}
	s := 1.0
	if first%4 >= 2 {
		s = -1
	}
	for i := first; len(t) < n; i += 2 {
		t = append(t, s/f)
		f *= float64(i+1) * float64(i+2)
		s = -s
	}
	return t
}

// sinCosOf is the sine and the cosine of r + lo, |r| <= pi/4, within 0.6 ulp.
func sinCosOf(b *Builder, r, lo V) (sin, cos V) {
	c := func(f float64) V { return b.Like(r, f) }
	z := b.Mul(r, r)
	sin = b.Add(r, b.FMA(b.Mul(r, z), poly(b, z, sinTaylor...), lo))
	half := b.Mul(z, c(0.5))
	w := b.Sub(c(1), half)
	lost := b.Sub(b.Sub(c(1), w), half)
	cos = b.Add(w, b.Add(lost, b.Sub(b.Mul(b.Mul(z, z), poly(b, z, cosTaylor...)), b.Mul(r, lo))))
	return sin, cos
}

func expandTan64(b *Builder, x, _ V) V {
	c := func(f float64) V { return b.Like(x, f) }
	k := b.Nearest(b.Mul(x, c(2/math.Pi)))
	w := b.Sub(x, b.Mul(k, c(1.57079632673412561417e+00)))
	t := b.Mul(k, c(6.07710050630396597660e-11))
	r := b.Sub(w, t)
	lo := b.Sub(b.Sub(b.Sub(w, r), t), b.Mul(k, c(2.02226624879595063154e-21)))
	r = clamp(b, r, -math.Pi/4, math.Pi/4) // far out, as in expandSinCos
	sin, cos := sinCosOf(b, r, lo)
	odd := b.Eq(b.And(b.Cast(k, I64), b.ConstI(I64, 1)), b.ConstI(I64, 1))
	v := b.Div(b.Select(odd, b.Neg(cos), sin), b.Select(odd, sin, cos))
	v = b.Select(b.Lt(b.Abs(x), c(math.Inf(1))), v, c(math.NaN()))
	return b.Select(b.Eq(x, c(0)), x, v)
}
