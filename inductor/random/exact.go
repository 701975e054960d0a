package random

import "math"

// Elementary functions in double-double: a value is hi+lo with |lo| <= ulp(hi)/2, about 106 bits; one rounding at the end.
// Error-free sums and products are Dekker's and Knuth's; products use the fused multiply-add.

type dd struct{ hi, lo float64 }

func twoSum(a, b float64) dd {
	s := a + b
	t := s - a
	return dd{s, (a - (s - t)) + (b - t)}
}

func fastTwoSum(a, b float64) dd { // |a| >= |b|
	s := a + b
	return dd{s, b - (s - a)}
}

func twoProd(a, b float64) dd {
	p := a * b
	return dd{p, math.FMA(a, b, -p)}
}

func (a dd) add(b dd) dd {
	s, t := twoSum(a.hi, b.hi), twoSum(a.lo, b.lo)
	s = fastTwoSum(s.hi, s.lo+t.hi)
	return fastTwoSum(s.hi, s.lo+t.lo)
}

func (a dd) mul(b dd) dd {
	p := twoProd(a.hi, b.hi)
	return fastTwoSum(p.hi, p.lo+(a.hi*b.lo+a.lo*b.hi))
}

func (a dd) div(b dd) dd {
	q := a.hi / b.hi
	r := a.add(b.mul(dd{-q, 0}))
	q2 := r.hi / b.hi
	r = r.add(b.mul(dd{-q2, 0}))
	return fastTwoSum(q, q2).add(dd{r.hi / b.hi, 0})
}

func (a dd) neg() dd { return dd{-a.hi, -a.lo} }

// ln 2 and pi/2 to 160 bits, as sums of three float64s. The leading parts end in zeros so that small multiples are exact.
var (
	ln2Parts  = [3]float64{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56, 0x1.7b57a079a1934p-111}
	halfPi    = [3]float64{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110}
	invOdd    [30]dd // 1/(2k+1)
	invFactor [32]dd // 1/k!
)

func init() {
	one := dd{1, 0}
	for k := range invOdd {
		invOdd[k] = one.div(dd{float64(2*k + 1), 0})
	}
	f := one
	for k := range invFactor {
		if k > 1 {
			f = f.mul(dd{float64(k), 0})
		}
		invFactor[k] = one.div(f)
	}
}

// times returns k*c for a small integer k.
func times(c [3]float64, k float64) dd {
	a, b := twoProd(c[0], k), twoProd(c[1], k)
	return a.add(b).add(dd{c[2] * k, 0})
}

// logDD is ln(x) for positive finite x: 2 atanh((m-1)/(m+1)) + e ln 2 with m in [sqrt(1/2), sqrt 2).
func logDD(x float64) dd {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m *= 2
		e--
	}
	if m == 1 {
		return times(ln2Parts, float64(e))
	}
	s := dd{m - 1, 0}.div(twoSum(m, 1))
	z := s.mul(s)
	n := len(invOdd) - 1
	switch a := math.Abs(s.hi); {
	case a < 0x1p-20:
		n = 3
	case a < 0x1p-6:
		n = 10
	}
	p := invOdd[n]
	for k := n - 1; k >= 0; k-- {
		p = p.mul(z).add(invOdd[k])
	}
	p = p.mul(s)
	p = dd{2 * p.hi, 2 * p.lo}
	if e == 0 {
		return p
	}
	return times(ln2Parts, float64(e)).add(p)
}

func log(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return math.Log(x)
	}
	r := logDD(x)
	return r.hi + r.lo
}

// sinCosDD is sin and cos of |x| < 1e5, by Taylor series about the nearest multiple of pi/2.
func sinCosDD(x float64) (sin, cos dd) {
	k := math.RoundToEven(x / halfPi[0])
	r := dd{x, 0}.add(times(halfPi, k).neg())
	z := r.mul(r).neg()
	sin, cos = invFactor[27], invFactor[26]
	for i := 25; i >= 1; i -= 2 {
		sin = sin.mul(z).add(invFactor[i])
	}
	for i := 24; i >= 0; i -= 2 {
		cos = cos.mul(z).add(invFactor[i])
	}
	sin = sin.mul(r)
	switch int64(k) & 3 {
	case 1:
		sin, cos = cos, sin.neg()
	case 2:
		sin, cos = sin.neg(), cos.neg()
	case 3:
		sin, cos = cos.neg(), sin
	}
	return
}

func sinCos(x float64) (sin, cos float64) {
	s, c := sinCosDD(x)
	return s.hi + s.lo, c.hi + c.lo
}

func tan(x float64) float64 {
	s, c := sinCosDD(x)
	t := s.div(c)
	return t.hi + t.lo
}

func exp(x float64) float64 {
	if !(math.Abs(x) < 700) {
		return math.Exp(x)
	}
	k := math.RoundToEven(x / ln2Parts[0])
	r := dd{x, 0}.add(times(ln2Parts, k).neg())
	p := invFactor[27]
	for i := 26; i >= 0; i-- {
		p = p.mul(r).add(invFactor[i])
	}
	return math.Ldexp(p.hi, int(k)) + math.Ldexp(p.lo, int(k))
}
