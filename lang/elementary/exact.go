package elementary

import "math"

// The exponential and logarithm functions in double-double arithmetic, rounded once.
// Double-double operations: Dekker, "A floating-point technique for extending
// the available precision", 1971.

// dd is an unevaluated sum hi + lo with |lo| <= ulp(hi)/2.
type dd struct{ hi, lo float64 }

func quickSum(a, b float64) dd { s := a + b; return dd{s, b - (s - a)} }

func twoSum(a, b float64) dd {
	s := a + b
	t := s - a
	return dd{s, (a - (s - t)) + (b - t)}
}

func twoMul(a, b float64) dd { p := a * b; return dd{p, math.FMA(a, b, -p)} }

func (x dd) add(y dd) dd {
	s := twoSum(x.hi, y.hi)
	t := twoSum(x.lo, y.lo)
	s = quickSum(s.hi, s.lo+t.hi)
	return quickSum(s.hi, s.lo+t.lo)
}

func (x dd) mul(y dd) dd {
	p := twoMul(x.hi, y.hi)
	return quickSum(p.hi, p.lo+(x.hi*y.lo+x.lo*y.hi))
}

func (x dd) mulf(y float64) dd {
	p := twoMul(x.hi, y)
	return quickSum(p.hi, p.lo+x.lo*y)
}

func (x dd) divf(y float64) dd {
	q := x.hi / y
	r := twoMul(q, y)
	return quickSum(q, ((x.hi-r.hi)-r.lo+x.lo)/y)
}

func (x dd) neg() dd { return dd{-x.hi, -x.lo} }

var ln2DD = dd{0.6931471805599453, 2.3190468138462996e-17}

// expDD is e**x for |x.hi| below 745: the reduction by multiples of ln 2 and
// then by 256, a Taylor series, and squarings.
func expDD(x dd) (r dd, scale int) {
	k := math.Round(x.hi / math.Ln2)
	y := x.add(ln2DD.mulf(-k))
	y = dd{y.hi / 256, y.lo / 256}
	// e**y - 1, so that squaring keeps the bits below 1.
	term, sum := y, y
	for n := 2.0; n <= 9; n++ {
		term = term.mul(y).divf(n)
		sum = sum.add(term)
	}
	for range 8 {
		sum = sum.mulf(2).add(sum.mul(sum))
	}
	return sum.add(dd{1, 0}), int(k)
}

// Exp is e**x.
func Exp(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) || x > 709.79 || x < -745.2 || math.Abs(x) < 1e-300 {
		return math.Exp(x)
	}
	return scaled(expDD(dd{x, 0}))
}

// scaled is r * 2**k rounded once, subnormal results included.
func scaled(r dd, k int) float64 {
	if k > -1022 || k == -1022 && r.hi >= 1 {
		return math.Ldexp(r.hi+r.lo, k)
	}
	// A number whose last place is where the result's bits are cut off.
	big := math.Ldexp(1, -1022-k)
	s := twoSum(big, r.hi)
	return math.Ldexp((s.hi+(s.lo+r.lo))-big, k)
}

// logDD is ln x for finite positive x: one Newton step from Go's.
func logDD(x float64) dd {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = m*2, e-1
	}
	y := math.Log(m)
	r, k := expDD(dd{-y, 0})
	r = dd{math.Ldexp(r.hi, k), math.Ldexp(r.lo, k)}
	d := r.mulf(m).add(dd{-1, 0}) // m e**-y - 1, tiny
	// ln(1+d) = d - d*d/2 + …
	corr := d.add(dd{-d.hi * d.hi / 2, 0})
	return ln2DD.mulf(float64(e)).add(dd{y, 0}.add(corr))
}

func finitePositive(x float64) bool { return x > 0 && !math.IsInf(x, 0) }

// Log is the natural logarithm.
func Log(x float64) float64 {
	if !finitePositive(x) || x == 1 {
		return math.Log(x)
	}
	r := logDD(x)
	return r.hi + r.lo
}

// Log2 is the logarithm to base 2.
func Log2(x float64) float64 {
	if !finitePositive(x) {
		return math.Log2(x)
	}
	if f, e := math.Frexp(x); f == 0.5 {
		return float64(e - 1)
	}
	r := quotient(logDD(x), ln2DD)
	return r.hi + r.lo
}

// Log10 is the logarithm to base 10.
func Log10(x float64) float64 {
	if !finitePositive(x) {
		return math.Log10(x)
	}
	// The C library's own way (FreeBSD's msun describes it), last bits included:
	// log10(m 2**k) = k log10(2) + log(m)/log(10).
	m, k := math.Frexp(x)
	m, k = m*2, k-1
	if k < 0 {
		m, k = m/2, k+1
	}
	const hi, lo, ivln10 = 3.01029995663611771306e-01, 3.69423907715893078616e-13, 4.34294481903251816668e-01
	y := float64(k)
	return (y*lo + ivln10*Log(m)) + y*hi
}

func quotient(x, y dd) dd {
	q := x.hi / y.hi
	r := x.add(y.mulf(-q))
	return quickSum(q, (r.hi+r.lo)/y.hi)
}

// Pow is x**y.
func Pow(x, y float64) float64 {
	r := math.Pow(x, y)
	if r == 0 || math.IsInf(r, 0) || math.IsNaN(r) || x == 0 || y == 0 || math.IsInf(x, 0) || math.IsInf(y, 0) || math.Abs(x) == 1 {
		return r
	}
	l := logDD(math.Abs(x))
	p := l.mulf(y)
	if math.Abs(p.hi) > 709 || math.Abs(p.hi) < 1e-300 {
		return r
	}
	return math.Copysign(scaled(expDD(p)), r)
}
