package loop

import (
	"math"
	"sync"
)

// powF64 is x**y as exp(y log x) with the logarithm to about 68 bits: package
// math's Pow multiplies and loses 17 units in the last place at large exponents.
func powF64(x, y float64) float64 {
	sign := 1.0
	a := x
	if x < 0 && y == math.Trunc(y) && math.Abs(y) < 1<<53 {
		a = -x
		if int64(y)&1 != 0 {
			sign = -1
		}
	}
	if !(a > 0 && a <= math.MaxFloat64 && y-y == 0) || y == 0 || y == 1 || a == 1 {
		return math.Pow(x, y)
	}
	hi, lo := logParts(a)
	p := y * hi
	if math.Abs(p) > 1000 || math.Abs(y) > 1e280 {
		return sign * math.Exp(p)
	}
	q := math.FMA(y, hi, -p) + y*lo
	e := expF64(p)
	if e-e != 0 || e == 0 {
		return sign * math.Exp(p+q)
	}
	return sign * (e + e*q)
}

// logSteps[k-90] is -log(k/128) in two parts, for k from 90 to 182.
var logSteps = sync.OnceValue(func() *[93][2]float64 {
	t := new([93][2]float64)
	for i := range t {
		// log(128/k) = 2 artanh s, s = (128-k)/(128+k), in two-part arithmetic
		k := float64(i + 90)
		s, sl := divParts(128-k, 128+k)
		q, ql := mulParts(s, sl, s, sl)
		var h, l float64
		for n := 61.0; n >= 1; n -= 2 {
			h, l = mulParts(h, l, q, ql)
			u, ul := divParts(1, n)
			h, l = addParts(u, ul, h, l)
		}
		h, l = mulParts(h, l, s, sl)
		t[i] = [2]float64{2 * h, 2 * l}
	}
	return t
})

// logParts is log of a positive finite x as the sum of two numbers: x = 2^e m,
// k/128 next to 1/m, r = m k/128 - 1 exactly, and the series of log(1+r).
func logParts(x float64) (hi, lo float64) {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m *= 2
		e--
	}
	k := math.RoundToEven(128 / m)
	r := math.FMA(m, k, -128) * (1.0 / 128)
	p := r * r
	pl := math.FMA(r, r, -p)
	t := p * r * (1.0/3 - r*(1.0/4-r*(1.0/5-r*(1.0/6-r*(1.0/7-r*(1.0/8-r*(1.0/9-r*(1.0/10))))))))
	hi, lo = addParts(r, 0, -0.5*p, t-0.5*pl)
	c := &logSteps()[int(k)-90]
	const ln2Hi, ln2Lo = 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56
	f := float64(e)
	bh := f * ln2Hi
	bh, bl := addParts(bh, math.FMA(f, ln2Hi, -bh)+f*ln2Lo, c[0], c[1])
	return addParts(bh, bl, hi, lo)
}

// addParts, mulParts and divParts are the operations on sums of two numbers
// (Dekker), with relative error about 2^-100.
func addParts(a, al, b, bl float64) (float64, float64) {
	s, e := twoSum(a, b, 0)
	e += al + bl
	h := s + e
	return h, e - (h - s)
}

func mulParts(a, al, b, bl float64) (float64, float64) {
	p := a * b
	e := math.FMA(a, b, -p) + (a*bl + al*b)
	h := p + e
	return h, e - (h - p)
}

func divParts(a, b float64) (float64, float64) {
	q := a / b
	return q, math.FMA(-q, b, a) / b
}
