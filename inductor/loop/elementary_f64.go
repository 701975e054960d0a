package loop

import (
	"math"
	"sync"
)

// Functions of float64 that package math lacks or whose version there is not
// within two units in the last place. Measured against 200-bit arithmetic in
// elementary_test.go.

// log2F64 splits off the exponent so that the fraction is on both sides of 1,
// and multiplies by 1/ln 2 in two parts.
func log2F64(x float64) float64 {
	if !(x > 0) || x > math.MaxFloat64 {
		return math.Log(x) // the edges
	}
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m *= 2
		e--
	}
	const hi, lo = 1.4426950408889634, 2.0355273740931033e-17
	l := math.Log(m)
	p := l * hi
	return float64(e) + (p + (math.FMA(l, hi, -p) + l*lo))
}

func tanF64(x float64) float64 {
	if math.Abs(x) < 1e-4 {
		return x + x*x*x*(1.0/3+x*x*(2.0/15))
	}
	return math.Tan(x)
}

// expF64 is math.Exp; on amd64 that overflows below the greatest argument.
func expF64(x float64) float64 {
	if x > 709 && x < 710 {
		// 2^k (1 + expm1 r); k ln2Hi is exact
		const ln2Hi, ln2Lo = 6.93147180369123816490e-01, 1.90821492927058770002e-10
		k := math.RoundToEven(x * math.Log2E)
		return math.Ldexp(math.Expm1((x-k*ln2Hi)-k*ln2Lo)+1, int(k))
	}
	return math.Exp(x)
}

// logF64 is math.Log; on amd64 that is wrong for subnormal numbers.
func logF64(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

func log10F64(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log10(x*0x1p54) - 54*(math.Ln2/math.Ln10)
	}
	return math.Log10(x)
}

func sinhF64(x float64) float64 {
	a := math.Abs(x)
	if a < 22 {
		t := math.Expm1(a)
		if a < 1 {
			t = t - t*t/(2*(t+1)) // (2t - t*t/(t+1)) / 2
		} else {
			t = 0.5 * (t + t/(t+1))
		}
		return math.Copysign(t, x)
	}
	if a < 709 {
		return math.Copysign(0.5*math.Exp(a), x)
	}
	t := math.Exp(0.5 * a)
	return math.Copysign(0.5*t*t, x)
}

func coshF64(x float64) float64 {
	a := math.Abs(x)
	if a < 709 {
		t := math.Exp(a)
		return 0.5*t + 0.5/t
	}
	t := math.Exp(0.5 * a)
	return 0.5 * t * t
}

func tanhF64(x float64) float64 {
	a := math.Abs(x)
	switch {
	case a >= 22:
		return math.Copysign(1, x)
	case a >= 1:
		return math.Copysign(1-2/(math.Expm1(2*a)+2), x)
	case a >= 0x1p-28:
		t := math.Expm1(-2 * a)
		return math.Copysign(-t/(t+2), x)
	}
	return x // NaN and tiny
}

// asinF64 is the angle of the point (sqrt(1-x^2), x).
func asinF64(x float64) float64 {
	return math.Atan2(x, math.Sqrt((1-x)*(1+x)))
}

// acosF64 is twice the angle of half the arc, which keeps its digits next to 1.
func acosF64(x float64) float64 {
	return 2 * math.Atan2(math.Sqrt(1-x), math.Sqrt(1+x))
}

// erfinvF64 improves the rational approximation by a Halley step.
func erfinvF64(x float64) float64 {
	y := math.Erfinv(x)
	if y == 0 || y-y != 0 {
		return y
	}
	var e float64
	if a := math.Abs(x); a < 0.5 {
		e = math.Erf(y) - x
	} else {
		e = math.Copysign(1, x) * ((1 - a) - math.Erfc(math.Abs(y)))
	}
	u := e * (math.SqrtPi / 2) * math.Exp(y*y)
	return y - u/(1+y*u)
}

// geluF64 is x Phi(x) by erfc, whose digits are those of the small values left of 0.
func geluF64(x float64) float64 { return 0.5 * x * math.Erfc(-x*(math.Sqrt2/2)) }

// zetaTail[k] is (zeta(k)-1)/k, the coefficients of log gamma around 2.
var zetaTail = sync.OnceValue(func() *[40]float64 {
	t := new([40]float64)
	for k := 2; k < len(t); k++ {
		// the terms from n on by Euler and Maclaurin
		z, n, f := 0.0, 60.0, float64(k)
		for i := n - 1; i >= 2; i-- {
			z += math.Pow(i, -f)
		}
		q := math.Pow(n, -f)
		z += q*n/(f-1) + q/2 + q*f/(12*n) - q*f*(f+1)*(f+2)/(720*n*n*n) + q*f*(f+1)*(f+2)*(f+3)*(f+4)/(30240*n*n*n*n*n)
		t[k] = z / f
	}
	return t
})

const eulerGamma = 0.57721566490153286

// lgammaF64 is the series around 1 and 2, where log gamma has its zeros, the
// recurrence between 2.5 and 8, Stirling's series above; package math below 0.
func lgammaF64(x float64) float64 {
	switch {
	case math.Abs(x) < 1e-17 || math.IsInf(x, 0): // package math's logarithm takes no subnormals, and torch's value at -inf is inf
		return -logF64(math.Abs(x)) * math.Copysign(1, 1-math.Abs(x))
	case !(x > 0) || x > 1e300:
		y, _ := math.Lgamma(x)
		return y
	case x >= 8:
		z := 1 / (x * x)
		s := (1.0/12 - z*(1.0/360-z*(1.0/1260-z*(1.0/1680-z*(1.0/1188-z*(691.0/360360-z*(1.0/156))))))) / x
		if x > 1e17 {
			s = 0
		}
		const half = 0.91893853320467274178 // log(2 pi) / 2
		return (x-0.5)*(math.Log(x)-1) + (half - 0.5 + s)
	case x < 0.5:
		return aroundTwo(x) - math.Log(x) - math.Log1p(x)
	case math.Abs(x-1) < 0.3:
		z, s, tail := x-1, 0.0, zetaTail()
		for k := 39; k >= 2; k-- {
			s = (tail[k] + 1/float64(k)) - z*s
		}
		return z * (z*s - eulerGamma)
	case x < 1.5:
		return aroundTwo(x-1) - math.Log(x)
	}
	p := 1.0
	for x > 2.5 {
		x--
		p *= x
	}
	return aroundTwo(x-2) + math.Log(p)
}

// aroundTwo is log gamma of 2+z, |z| <= 1/2.
func aroundTwo(z float64) float64 {
	s, tail := 0.0, zetaTail()
	for k := len(tail) - 1; k >= 2; k-- {
		s = tail[k] - z*s
	}
	return z * ((1 - eulerGamma) + z*s)
}

// digammaF64 is the logarithmic derivative of the gamma function: reflection
// for negative x, the asymptotic series from 10, below it the recurrence down to
// Boost's approximation between 1 and 2 (special_functions/digamma.hpp). At 0 it is
// -inf with 0's sign turned, at negative integers NaN, as torch has it.
func digammaF64(x float64) float64 {
	if x == 0 {
		return math.Copysign(math.Inf(1), -x)
	}
	r := 0.0
	if x < 0 {
		if x == math.Trunc(x) {
			return math.NaN()
		}
		f := x - math.Round(x)
		r = -math.Pi / tanF64(math.Pi*f)
		x = 1 - x
	}
	if x >= 10 {
		z := 1 / (x * x)
		s := z * (1.0/12 - z*(1.0/120-z*(1.0/252-z*(1.0/240-z*(1.0/132-z*(691.0/32760-z*(1.0/12)))))))
		if x > 1e17 {
			s = 0
		}
		return r + math.Log(x) - 0.5/x - s
	}
	if x < 1 {
		r -= 1 / x
		x++
	}
	for x > 2 {
		x--
		r += 1 / x
	}
	g := x - 1569415565.0/(1<<30) - 381566830.0/(1<<60) - 0.9016312093258695918615325266959189453125e-19
	z := x - 1
	p := 0.25479851061131551 + z*(-0.32555031186804491+z*(-0.65031853770896507+z*(-0.28919126444774784+z*(-0.045251321448739056-z*0.0020713321167745952))))
	q := 1 + z*(2.0767117023730469+z*(1.4606242909763515+z*(0.43593529692665969+z*(0.054151797245674225+z*(0.0021284987017821144-z*0.55789841321675513e-6)))))
	return g*0.99558162689208984 + g*(p/q) + r
}

// atan2F64 puts y's sign on after: package math loses it where y/x vanishes.
func atan2F64(y, x float64) float64 { return math.Copysign(math.Atan2(math.Abs(y), x), y) }
