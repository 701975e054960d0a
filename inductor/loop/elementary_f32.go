package loop

import "math"

// Elementary functions of float32, in float64 with polynomials of just the
// degree that leaves an error far below half a float32 ulp. The reductions are
// the usual ones (Muller, Elementary Functions, ch. 9-11): a power of two and a
// table for exp and log, multiples of pi/2 for sin and cos.

const (
	expN    = 32
	roundUp = 0x1.8p52 // added and subtracted, rounds to an integer
)

// exp2Table[j] is 2^(j/32).
var exp2Table = func() (t [expN]float64) {
	for j := range t {
		t[j] = math.Exp2(float64(j) / expN)
	}
	return
}()

// pow2 is 2^t for |t| < 1000, relative error 2e-15: t = k/32 + r, |r| <= 1/64.
func pow2(t float64) float64 {
	z := t*expN + roundUp
	k := int64(math.Float64bits(z)) // its low bits are the integer's
	r := t - (z-roundUp)*(1.0/expN)
	const c1, c2, c3, c4, c5 = 0.6931471805599453, 0.24022650695910072, 0.05550410866482158, 0.009618129107628477, 0.0013333558146428443
	p := 1 + r*(c1+r*(c2+r*(c3+r*(c4+r*c5))))
	return p * math.Float64frombits(math.Float64bits(exp2Table[k&(expN-1)])+uint64(k>>5)<<52)
}

const log2e = 1.4426950408889634

func expBlock(st *state, in *inst, n int) {
	d, a := lanes[float32](st, in.d, n), lanes[float32](st, in.a, n)
	for i, x := range a {
		// NaN fails both comparisons and stays
		if x > 89 {
			x = 89
		}
		if x < -104 {
			x = -104
		}
		t := float64(x) * log2e
		z := t*expN + roundUp
		k := int64(math.Float64bits(z))
		r := t - (z-roundUp)*(1.0/expN)
		const c1, c2, c3, c4 = 0.6931471805599453, 0.24022650695910072, 0.05550410866482158, 0.009618129107628477
		p := 1 + r*(c1+r*(c2+r*(c3+r*c4)))
		d[i] = float32(p * math.Float64frombits(math.Float64bits(exp2Table[k&(expN-1)])+uint64(k>>5)<<52))
	}
}

func exp2F32(x float32) float32 {
	if x > 129 {
		x = 129
	}
	if x < -151 {
		x = -151
	}
	return float32(pow2(float64(x)))
}

func expm1F32(x float32) float32 {
	if x > 89 {
		x = 89
	}
	y := float64(x)
	if max(y, -y) < 1e-3 {
		return float32(y + y*y*(0.5+y*(1.0/6+y*(1.0/24))))
	}
	if y < -30 {
		return -1
	}
	return float32(pow2(y*log2e) - 1)
}

func tanhF32(x float32) float32 {
	y := float64(x)
	a := max(y, -y)
	if a < 1e-3 {
		return float32(y - y*y*y*(1.0/3))
	}
	if a > 10 {
		return float32(math.Copysign(1, y))
	}
	// NaN comes here and stays
	return float32(1 - 2/(pow2(y*(2*log2e))+1))
}

// logTable holds, for the 64 parts of [1, 2), 1/c and log2(c) of a point c near
// the middle; from 1.5 on c is halved, so that around 1 both are exact.
const logN = 64

var logTable = func() (t [logN]struct{ inv, log float64 }) {
	for j := range t {
		c := 1 + (float64(j)+0.5)/logN
		if j == 0 || j == logN-1 {
			// both ends meet at 1
			t[j].inv = 1
			if j == logN-1 {
				t[j].inv = 0.5
				t[j].log = 1
			}
			continue
		}
		inv := 1 / c
		t[j].inv = inv
		t[j].log = -math.Log2(inv)
	}
	return
}()

// log2Of is log2 of a positive finite x that is not subnormal, absolute error
// 1e-13, relative 1e-12 near 1.
func log2Of(x float64) float64 {
	b := math.Float64bits(x)
	e := int64(b>>52) - 1023
	j := b >> (52 - 6) & (logN - 1)
	m := math.Float64frombits(b&(1<<52-1) | 1023<<52)
	t := &logTable[j]
	r := m*t.inv - 1
	const c1, c2, c3, c4, c5, c6 = 1.4426950408889634, -0.7213475204444817, 0.48089834696298783, -0.36067376022224085, 0.28853900817779268, -0.2404491734814939
	return (float64(e) + t.log) + r*(c1+r*(c2+r*(c3+r*(c4+r*(c5+r*c6)))))
}

// logArg sorts out what has no logarithm; ok means that y is an ordinary number.
func logArg(x float32) (y float64, ok bool) {
	switch {
	case x > 0 && x <= math.MaxFloat32:
		return float64(x), true
	case x == 0:
		return math.Inf(-1), false
	case x > 0:
		return math.Inf(1), false
	}
	return math.NaN(), false
}

func logF32(x float32) float32 {
	y, ok := logArg(x)
	if ok {
		y = log2Of(y) * math.Ln2
	}
	return float32(y)
}

func log2F32(x float32) float32 {
	y, ok := logArg(x)
	if ok {
		y = log2Of(y)
	}
	return float32(y)
}

func log10F32(x float32) float32 {
	y, ok := logArg(x)
	if ok {
		y = log2Of(y) * (math.Ln2 / math.Ln10)
	}
	return float32(y)
}

func log1pF32(x float32) float32 {
	y := float64(x)
	if max(y, -y) < 1e-4 {
		return float32(y - y*y*(0.5-y*(1.0/3)))
	}
	if y > -1 && y <= math.MaxFloat32 {
		return float32(log2Of(1+y) * math.Ln2)
	}
	return float32(math.Log1p(y))
}

// pi/2 in two parts; the first has 33 bits, so that its product with a quadrant
// number below 2^20 is exact.
const (
	pio2Hi = 0x1.921fb544p+00
	pio2Lo = 0x1.0b4611a626331p-34
)

// sinCos is sin (shift 0) or cos (shift 1) of x.
func sinCos(x float32, shift int64) float32 {
	y := float64(x)
	if !(max(y, -y) < 1e6) {
		if shift == 0 {
			return float32(math.Sin(y))
		}
		return float32(math.Cos(y))
	}
	z := y*(2/math.Pi) + roundUp
	q := int64(math.Float64bits(z)) + shift
	k := z - roundUp
	r := (y - k*pio2Hi) - k*pio2Lo
	s := r * r
	var v float64
	if q&1 == 0 {
		v = r + r*s*(-1.0/6+s*(1.0/120+s*(-1.0/5040+s*(1.0/362880-s*(1.0/39916800)))))
	} else {
		v = 1 + s*(-0.5+s*(1.0/24+s*(-1.0/720+s*(1.0/40320-s*(1.0/3628800)))))
	}
	return float32(math.Float64frombits(math.Float64bits(v) ^ uint64(q&2)<<62))
}

func sinF32(x float32) float32 { return sinCos(x, 0) }
func cosF32(x float32) float32 { return sinCos(x, 1) }

// erf(x)/x on [0, 4) in 32 pieces of degree 6, interpolated at Chebyshev points.
const (
	erfPieces = 32
	erfWidth  = 4.0 / erfPieces
)

var erfTable = func() (t [erfPieces][7]float64) {
	for p := range t {
		mid := (float64(p) + 0.5) * erfWidth
		t[p] = interpolate(func(u float64) float64 {
			x := mid + u*(erfWidth/2)
			return math.Erf(x) / x
		})
	}
	return
}()

// interpolate gives the coefficients of the polynomial of degree 6 that meets f
// at the Chebyshev points of [-1, 1].
func interpolate(f func(float64) float64) (c [7]float64) {
	const n = 7
	var x, d [n]float64
	for i := range n {
		x[i] = math.Cos((float64(i) + 0.5) * math.Pi / n)
		d[i] = f(x[i])
	}
	for k := 1; k < n; k++ {
		for i := n - 1; i >= k; i-- {
			d[i] = (d[i] - d[i-1]) / (x[i] - x[i-k])
		}
	}
	// Newton form to monomials
	for i := n - 1; i >= 0; i-- {
		for j := n - 1; j > 0; j-- {
			c[j] = c[j-1] - x[i]*c[j]
		}
		c[0] = d[i] - x[i]*c[0]
	}
	return
}

func erfF32(x float32) float32 {
	y := float64(x)
	a := max(y, -y)
	if !(a < 4) {
		return float32(math.Erf(y))
	}
	p := int(a * (1 / erfWidth))
	c := &erfTable[p&(erfPieces-1)]
	u := (a - (float64(p)+0.5)*erfWidth) * (2 / erfWidth)
	return float32(y * (c[0] + u*(c[1]+u*(c[2]+u*(c[3]+u*(c[4]+u*(c[5]+u*c[6])))))))
}

func powF32(x, y float32) float32 {
	if x > 0 && x <= math.MaxFloat32 && y-y == 0 {
		t := float64(y) * log2Of(float64(x))
		if t > 200 {
			t = 200
		}
		if t < -200 {
			t = -200
		}
		return float32(pow2(t))
	}
	return float32(math.Pow(float64(x), float64(y)))
}

func powBlock(st *state, in *inst, n int) {
	d, a, b := lanes[float32](st, in.d, n), lanes[float32](st, in.a, n), lanes[float32](st, in.b, n)
	for i := range d {
		d[i] = powF32(a[i], b[i])
	}
}
