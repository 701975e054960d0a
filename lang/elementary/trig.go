package elementary

import "math"

// Sine, cosine and tangent in double-double arithmetic, for the same reason as
// in math_exact.go.

// piOver2 in three parts; the sum has some 160 bits.
var piOver2 = [3]float64{1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33}

// reduce gives x - n*pi/2 in [-pi/4, pi/4] and n mod 4, for |x| below 1e5.
func reduce(x float64) (r dd, quadrant int) {
	n := math.Round(x / piOver2[0])
	r = dd{x, 0}
	for _, p := range piOver2 {
		r = r.add(twoMul(p, -n))
	}
	return r, int(int64(n) & 3)
}

// series sums the Taylor series that begins with term number first, in steps of two.
func series(first dd, n float64, square dd) dd {
	term, sum := first, first
	for ; math.Abs(term.hi) > 1e-34*math.Abs(sum.hi) && n < 40; n += 2 {
		term = term.mul(square).divf(n + 1).divf(n + 2).neg()
		sum = sum.add(term)
	}
	return sum
}

// sinCosDD is the sine and cosine of x.
func sinCosDD(x float64) (s, c dd) {
	r, q := reduce(x)
	sq := r.mul(r)
	s, c = series(r, 1, sq), series(dd{1, 0}, 0, sq)
	switch q {
	case 1:
		return c, s.neg()
	case 2:
		return s.neg(), c.neg()
	case 3:
		return c.neg(), s
	}
	return s, c
}

func plainTrig(x float64) bool {
	return math.IsNaN(x) || math.Abs(x) > 1e5 || math.Abs(x) < 1e-150
}

// Sin is the sine of x radians.
func Sin(x float64) float64 {
	if plainTrig(x) {
		return math.Sin(x)
	}
	s, _ := sinCosDD(x)
	return s.hi + s.lo
}

// Cos is the cosine of x radians.
func Cos(x float64) float64 {
	if plainTrig(x) {
		return math.Cos(x)
	}
	_, c := sinCosDD(x)
	return c.hi + c.lo
}

// Tan is the tangent of x radians.
func Tan(x float64) float64 {
	if plainTrig(x) {
		return math.Tan(x)
	}
	s, c := sinCosDD(x)
	q := quotient(s, c)
	return q.hi + q.lo
}

// Asin is the arc sine, in radians. It, Acos and Atan take one Newton step from Go's result.
func Asin(x float64) float64 {
	y := math.Asin(x)
	if !(math.Abs(x) < 0.9999) || math.Abs(x) < 1e-150 {
		return y
	}
	s, c := sinCosDD(y)
	return y + dd{x, 0}.add(s.neg()).hi/c.hi
}

// Acos is the arc cosine, in radians.
func Acos(x float64) float64 {
	y := math.Acos(x)
	if !(math.Abs(x) < 0.9999) {
		return y
	}
	s, c := sinCosDD(y)
	return y + c.add(dd{-x, 0}).hi/s.hi
}

// Atan is the arc tangent, in radians.
func Atan(x float64) float64 {
	y := math.Atan(x)
	if !(math.Abs(x) < 1e15) || math.Abs(x) < 1e-150 {
		return y
	}
	s, c := sinCosDD(y)
	return y + c.mulf(x).add(s.neg()).hi*c.hi
}
