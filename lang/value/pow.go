package value

import "math"

// Powers in double-double arithmetic: a number is hi + lo with |lo| at most half
// an ulp of hi, some 106 bits. math.Pow is off by several ulp; CPython's pow,
// the C library's, is right in nearly all cases, and so is this. (Dekker, "A
// floating-point technique for extending the available precision", 1971.)

type dd struct{ hi, lo float64 }

func twoSum(a, b float64) dd {
	s := a + b
	t := s - a
	return dd{s, (a - (s - t)) + (b - t)}
}

func quickSum(a, b float64) dd {
	s := a + b
	return dd{s, b - (s - a)}
}

func (x dd) mul(y dd) dd {
	p := x.hi * y.hi
	e := math.FMA(x.hi, y.hi, -p) + (x.hi*y.lo + x.lo*y.hi)
	return quickSum(p, e)
}

func (x dd) add(y dd) dd {
	s := twoSum(x.hi, y.hi)
	return quickSum(s.hi, s.lo+x.lo+y.lo)
}

func (x dd) div(y dd) dd {
	q := x.hi / y.hi
	r := x.add(y.mul(dd{-q, 0}))
	return quickSum(q, (r.hi+r.lo)/y.hi)
}

// ln2 to 106 bits.
var ln2 = dd{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}

// exp is e^x scaled down by 2^k: x = k ln2 + r, and e^r by its series on r/256.
func (x dd) exp() (m dd, k int) {
	k = int(math.Round(x.hi / math.Ln2))
	r := x.add(ln2.mul(dd{-float64(k), 0}))
	r = dd{r.hi / 256, r.lo / 256}
	// e^r - 1 = r + r²/2 + …, |r| < 0.0014: nine terms.
	sum, term := r, r
	for i := 2; i <= 9; i++ {
		term = term.mul(r).div(dd{float64(i), 0})
		sum = sum.add(term)
	}
	// (1+s)² - 1 = 2s + s², eight times.
	for i := 0; i < 8; i++ {
		sum = dd{2 * sum.hi, 2 * sum.lo}.add(sum.mul(sum))
	}
	return sum.add(dd{1, 0}), k
}

// log of x > 0, finite: x = m 2^e, then one Newton step from the float's log.
func logDD(x float64) dd {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m *= 2
		e--
	}
	l := math.Log(m)
	inv, k := dd{-l, 0}.exp()
	inv = dd{math.Ldexp(inv.hi, k), math.Ldexp(inv.lo, k)}
	r := inv.mul(dd{m, 0}).add(dd{-1, 0})
	// log(m) = l + log(1 + r), |r| < 1e-15.
	log := dd{l, 0}.add(r).add(dd{-r.hi * r.hi / 2, 0})
	return log.add(ln2.mul(dd{float64(e), 0}))
}

// pow is x**y for the cases with a finite, nonzero result; math.Pow has the
// special ones.
func pow(x, y float64) float64 {
	special := math.Pow(x, y)
	if special == 0 || math.IsInf(special, 0) || math.IsNaN(special) || x == 1 || x == -1 || y == 0 || y == 1 {
		// Near the ends of the range the quick result may have gone over it.
		if x == 0 || math.IsInf(x, 0) || math.IsNaN(special) || math.IsInf(y, 0) || special == 1 || y == 1 {
			return special
		}
	}
	switch y {
	case 2:
		return x * x
	case 0.5:
		return math.Sqrt(x)
	case -1:
		return 1 / x
	}
	if math.Abs(y) > 1<<40 {
		return special
	}
	ax := math.Abs(x)
	p := logDD(ax).mul(dd{y, 0})
	if p.hi > 720 || p.hi < -760 {
		return special
	}
	m, k := p.exp()
	r := math.Ldexp(m.hi+m.lo, k)
	if k < -1000 { // denormal: round once, from both parts
		r = math.Ldexp(m.hi, k) + math.Ldexp(m.lo, k)
	}
	if x < 0 && math.Mod(y, 2) != 0 {
		r = -r
	}
	return r
}
