package loop

import "math"

// Expansions of lgamma and digamma, without branches: FreeBSD's msun
// (e_lgamma_r.c), and for digamma Boost's approximation between 1 and 2
// (special_functions/digamma.hpp, 53 digits), to which the recurrence leads from
// below 10 by one fraction, and the asymptotic series (Abramowitz and Stegun 6.3.18).

// sinCosPi is sin(pi x) and cos(pi x) up to their signs, for the distance d <= 1/2
// of x to the next integer.
func sinCosPi(b *Builder, d V) (sin, cos V) {
	c := func(f float64) V { return b.Like(d, f) }
	far := b.Lt(c(0.25), d)
	r := b.Mul(b.Select(far, b.Sub(c(0.5), d), d), c(math.Pi))
	s, k := sinCosOf(b, r, c(0))
	return b.Select(far, k, s), b.Select(far, s, k)
}

func expandLgamma(b *Builder, x, _ V) V {
	const (
		tc = 1.46163214496836224576e+00 // the minimum and its value in two parts
		tf = -1.21486290535849611461e-01
		tt = -3.63867699703950536541e-18
	)
	c := func(f float64) V { return b.Like(x, f) }
	a := b.Abs(x)
	low, two, eight := b.Le(a, c(0.9)), b.Lt(a, c(2)), b.Lt(a, c(8))

	// below 2: around 1 or 2, the minimum, or 0 or 1
	s := b.Select(low, a, b.Sub(a, c(1)))
	top, mid := b.Le(c(0.7316), s), b.Le(c(0.2316), s)
	y0, y1, y2 := b.Sub(c(1), s), b.Sub(s, c(tc-1)), s
	z := b.Mul(y0, y0)
	p := b.FMA(y0, poly(b, z, 7.72156649015328655494e-02, 6.73523010531292681824e-02, 7.38555086081402883957e-03, 1.19270763183362067845e-03,
		2.20862790713908385557e-04, 2.52144565451257326939e-05),
		b.Mul(z, poly(b, z, 3.22467033424113591611e-01, 2.05808084325167332806e-02, 2.89051383673415629091e-03, 5.10069792153511336608e-04,
			1.08011567247583939954e-04, 4.48640949618915160150e-05)))
	v0 := b.Sub(p, b.Mul(y0, c(0.5)))
	z = b.Mul(y1, y1)
	w := b.Mul(z, y1)
	p1 := poly(b, w, 4.83836122723810047042e-01, -3.27885410759859649565e-02, 6.10053870246291332635e-03, -1.40346469989232843813e-03, 3.15632070903625950361e-04)
	p2 := poly(b, w, -1.47587722994593911752e-01, 1.79706750811820387126e-02, -3.68452016781138256760e-03, 8.81081882437654011382e-04, -3.12754168375120860518e-04)
	p3 := poly(b, w, 6.46249402391333854778e-02, -1.03142241298341437450e-02, 2.25964780900612472250e-03, -5.38595305356740546715e-04, 3.35529192635519073543e-04)
	v1 := b.Add(c(tf), b.Sub(b.Mul(z, p1), b.Sub(c(tt), b.Mul(w, b.FMA(y1, p3, p2)))))
	num2 := b.Mul(y2, poly(b, y2, -7.72156649015328655494e-02, 6.32827064025093366517e-01, 1.45492250137234768737e+00, 9.77717527963372745603e-01,
		2.28963728064692451092e-01, 1.33810918536787660377e-02))
	den2 := poly(b, y2, 1, 2.45597793713041134822e+00, 2.12848976379893395361e+00, 7.69285150456672783825e-01, 1.04222645593369134254e-01, 3.21709242282423911810e-03)

	// from 2 to 8: y above an integer, and the product (y+2) … (y+i-1)
	y := b.Sub(a, b.Floor(a))
	num3 := b.Mul(y, poly(b, y, -7.72156649015328655494e-02, 2.14982415960608852501e-01, 3.25778796408930981787e-01, 1.46350472652464452805e-01,
		2.66422703033638609560e-02, 1.84028451407337715652e-03, 3.19475326584100867617e-05))
	den3 := poly(b, y, 1, 1.39200533467621045958e+00, 7.21935547567138069525e-01, 1.71933865632803078993e-01, 1.86459191715652901344e-02,
		7.77942496381893596434e-04, 7.32668430744625636189e-06)
	prod := c(1)
	for i := 7.0; i >= 3; i-- {
		prod = b.Select(b.Le(c(i), a), b.Mul(prod, b.Add(y, c(i-1))), prod)
	}
	f := b.Div(b.Select(two, num2, num3), b.Select(two, den2, den3))
	l := expandLog(b, F64, b.Select(two, b.Select(low, a, c(1)), b.Select(eight, prod, a)), 0)
	v2 := b.Sub(f, b.Mul(y2, c(0.5)))
	r := b.Sub(b.Select(top, v0, b.Select(mid, v1, v2)), l)

	// from 8: Stirling's series
	q := b.Div(c(1), a)
	st := b.FMA(q, poly(b, b.Mul(q, q), 8.33333333333329678849e-02, -2.77777777728775536470e-03, 7.93650558643019558500e-04, -5.95187557450339963135e-04,
		8.36339918996282139126e-04, -1.63092934096575273989e-03), c(4.18938533204672725052e-01))
	large := b.FMA(b.Sub(a, c(0.5)), b.Sub(l, c(1)), st)
	r = b.Select(two, r, b.Select(eight, b.Add(b.Add(b.Mul(y, c(0.5)), f), l), large))

	// log gamma(x) = log(pi / |x sin(pi x)|) - log gamma(-x)
	sin, _ := sinCosPi(b, b.Abs(b.Sub(a, b.Nearest(a))))
	refl := b.Sub(expandLog(b, F64, b.Div(c(math.Pi), b.Mul(sin, a)), 0), r)
	refl = b.Select(b.Lt(a, c(0x1p-70)), r, refl)
	refl = b.Select(b.Le(c(0x1p52), a), c(math.Inf(1)), refl)
	r = b.Select(b.Lt(x, c(0)), refl, r)
	return b.Select(b.Eq(a, c(math.Inf(1))), a, r)
}

func expandDigamma(b *Builder, x, _ V) V {
	c := func(f float64) V { return b.Like(x, f) }
	neg := b.Lt(x, c(0))
	d := b.Sub(x, b.Nearest(x))
	sin, cos := sinCosPi(b, b.Abs(d))
	refl := b.Div(b.Mul(cos, c(-math.Pi)), copySign(b, sin, d))
	refl = b.Select(b.Eq(d, c(0)), c(math.NaN()), refl)
	u := b.Select(neg, b.Sub(c(1), x), x)
	// from 10 the series
	q := b.Div(c(1), u)
	z := b.Mul(q, q)
	s := b.Mul(z, poly(b, z, 1.0/12, -1.0/120, 1.0/252, -1.0/240, 1.0/132, -691.0/32760, 1.0/12))
	far := b.Sub(b.Sub(expandLog(b, F64, u, 0), b.Mul(q, c(0.5))), s)
	// below, the function between 1 and 2 and num/den, the sum of 1/(u-i) or -1/u
	low := b.Lt(u, c(1))
	w := b.Select(low, b.Add(u, c(1)), u)
	num, den := b.Select(low, c(-1), c(0)), b.Select(low, u, c(1))
	for range 9 {
		more := b.Lt(c(2), w)
		w = b.Select(more, b.Sub(w, c(1)), w)
		num = b.Select(more, b.FMA(num, w, den), num)
		den = b.Select(more, b.Mul(den, w), den)
	}
	g := b.Sub(b.Sub(w, c(1569415565.0/(1<<30))), c(381566830.0/(1<<60)))
	g = b.Sub(g, c(0.9016312093258695918615325266959189453125e-19))
	f := b.Sub(w, c(1))
	ratio := b.Div(poly(b, f, 0.25479851061131551, -0.32555031186804491, -0.65031853770896507, -0.28919126444774784, -0.045251321448739056, -0.0020713321167745952),
		poly(b, f, 1, 2.0767117023730469, 1.4606242909763515, 0.43593529692665969, 0.054151797245674225, 0.0021284987017821144, -0.55789841321675513e-6))
	near := b.Add(b.FMA(g, c(0.99558162689208984), b.Mul(g, ratio)), b.Div(num, den))
	v := b.Select(b.Lt(u, c(10)), near, far)
	v = b.Select(neg, b.Add(v, refl), v)
	return b.Select(b.Eq(x, c(0)), copySign(b, c(math.Inf(1)), b.Neg(x)), v)
}
