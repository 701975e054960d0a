package loop

import "math"

// Expansions of erf, erfc and erfinv: the rational approximations of FreeBSD's
// msun (s_erf.c) and of M. J. Wichura, Algorithm AS 241 (1988), improved by a
// step of Halley's method where the result is a float64.

// highPart is x without the low half of its bits: products of two are exact.
func highPart(b *Builder, x V) V {
	return b.Bits(b.And(b.Bits(x, I64), b.ConstI(I64, -1<<32)), F64)
}

// expOfSum is exp(hi + lo) where hi has few bits.
func expOfSum(b *Builder, hi, lo V) V {
	c := func(f float64) V { return b.Like(hi, f) }
	k := b.Nearest(b.Mul(b.Add(hi, lo), c(math.Log2E)))
	r := b.Sub(hi, b.Mul(k, c(6.93147180369123816490e-01)))
	r = b.Add(r, b.Sub(lo, b.Mul(k, c(1.90821492927058770002e-10))))
	return b.Ldexp(b.Add(expm1Reduced(b, r), c(1)), k)
}

// errorFunctions are erf(x) and erfc(x) of float64.
func errorFunctions(b *Builder, x V) (erf, erfc V) {
	const erx = 8.45062911510467529297e-01
	c := func(f float64) V { return b.Like(x, f) }
	a := b.Min(b.Abs(x), c(28))
	small, mid, near := b.Lt(a, c(0.84375)), b.Lt(a, c(1.25)), b.Lt(a, c(1/0.35))
	z := b.Mul(x, x)
	s := b.Sub(a, c(1))
	q := b.Div(c(1), b.Mul(a, a))
	num := b.Select(small, poly(b, z, 1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02, -5.77027029648944159157e-03, -2.37630166566501626084e-05),
		b.Select(mid, poly(b, s, -2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01, 3.18346619901161753674e-01,
			-1.10894694282396677476e-01, 3.54783043256182359371e-02, -2.16637559486879084300e-03),
			b.Select(near, poly(b, q, -9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01, -6.23753324503260060396e+01,
				-1.62396669462573470355e+02, -1.84605092906711035994e+02, -8.12874355063065934246e+01, -9.81432934416914548592e+00),
				poly(b, q, -9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01, -1.60636384855821916062e+02,
					-6.37566443368389627722e+02, -1.02509513161107724954e+03, -4.83519191608651397019e+02))))
	den := b.Select(small, poly(b, z, 1, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03, 1.32494738004321644526e-04, -3.96022827877536812320e-06),
		b.Select(mid, poly(b, s, 1, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02, 1.26171219808761642112e-01,
			1.36370839120290507362e-02, 1.19844998467991074170e-02),
			b.Select(near, poly(b, q, 1, 1.96512716674392571292e+01, 1.37657754143519042600e+02, 4.34565877475229228821e+02, 6.45387271733267880336e+02,
				4.29008140027567833386e+02, 1.08635005541779435134e+02, 6.57024977031928170135e+00, -6.04244152148580987438e-02),
				poly(b, q, 1, 3.03380607434824582924e+01, 3.25792512996573918826e+02, 1.53672958608443695994e+03, 3.19985821950859553908e+03,
					2.55305040643316442583e+03, 4.74528541206955367215e+02, -2.24409524465858183362e+01))))
	f := b.Div(num, den)
	// exp(-a^2 - 9/16 + f) / a, a^2 in two parts
	h := highPart(b, a)
	tail := b.Div(expOfSum(b, b.Sub(b.Neg(b.Mul(h, h)), c(0.5625)), b.Add(b.Mul(b.Sub(h, a), b.Add(h, a)), f)), a)

	large := copySign(b, b.Select(mid, b.Add(c(erx), f), b.Sub(c(1), tail)), x)
	erf = b.Select(small, b.Add(x, b.Mul(x, f)), b.Select(b.Eq(x, x), large, x))

	neg := b.Lt(x, c(0))
	inner := b.Select(b.Lt(x, c(0.25)), b.Sub(c(1), b.Add(x, b.Mul(x, f))), b.Sub(c(0.5), b.Add(b.Sub(x, c(0.5)), b.Mul(x, f))))
	middle := b.Select(neg, b.Add(c(1), b.Add(c(erx), f)), b.Sub(c(1-erx), f))
	outer := b.Select(neg, b.Sub(c(2), tail), tail)
	return erf, b.Select(small, inner, b.Select(mid, middle, outer))
}

func expandErf64(b *Builder, x, _ V) V {
	erf, _ := errorFunctions(b, x)
	return erf
}

func expandErfc(b *Builder, x, _ V) V {
	_, erfc := errorFunctions(b, x)
	return erfc
}

// erfinvRational is AS 241, relative error about 1e-16 beside that of rounding.
func erfinvRational(b *Builder, x V) V {
	c := func(f float64) V { return b.Like(x, f) }
	a := b.Abs(x)
	inner := b.Le(a, c(0.85))
	r := b.Sqrt(b.Sub(c(math.Ln2), expandLog(b, F64, b.Sub(c(1), a), 0)))
	far := b.Lt(c(5), r)
	q := b.Sub(c(0.180625), b.Mul(b.Mul(x, x), c(0.25)))
	u, v := b.Sub(r, c(1.6)), b.Sub(r, c(5))
	num := b.Select(inner, poly(b, q, 1.1975323115670912564578e0, 4.7072688112383978012285e1, 6.9706266534389598238465e2, 4.8548868893843886794648e3,
		1.6235862515167575384252e4, 2.3782041382114385731252e4, 1.1819493347062294404278e4, 8.8709406962545514830200e2),
		b.Select(far, poly(b, v, 6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
			2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7),
			poly(b, u, 1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
				1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4)))
	den := b.Select(inner, poly(b, q, 1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
		2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3),
		b.Select(far, poly(b, v, 1.414213562373095048801689e0, 8.482908416595164588112026e-1, 1.936480946950659106176712e-1, 2.103693768272068968719679e-2,
			1.112800997078859844711555e-3, 2.611088405080593625138020e-5, 2.010321207683943062279931e-7, 2.891024605872965461538222e-15),
			poly(b, u, 1.4142135623730950488016887e0, 2.9036514445419946173133295e0, 2.3707661626024532365971225e0, 9.7547832001787427186894837e-1,
				2.0945065210512749128288442e-1, 2.1494160384252876777097297e-2, 7.7441459065157709165577218e-4, 1.4859850019840355905497876e-9)))
	f := b.Div(num, den)
	w := b.Select(inner, b.Mul(x, f), copySign(b, f, x))
	w = b.Select(b.Eq(a, c(1)), copySign(b, c(math.Inf(1)), x), w)
	return b.Select(b.Le(a, c(1)), w, c(math.NaN()))
}

func expandErfinv64(b *Builder, x, _ V) V {
	c := func(f float64) V { return b.Like(x, f) }
	y := erfinvRational(b, x)
	erf, erfc := errorFunctions(b, b.Abs(y))
	a := b.Abs(x)
	e := b.Select(b.Lt(a, c(0.5)), b.Sub(erf, a), b.Sub(b.Sub(c(1), a), erfc))
	u := b.Mul(b.Mul(e, c(math.SqrtPi/2)), expandExp(b, F64, b.Mul(y, y), 0))
	w := b.Abs(y)
	w = copySign(b, b.Sub(w, b.Div(u, b.Add(c(1), b.Mul(w, u)))), x)
	// 0 and infinities are exact
	return b.Select(b.And(b.Lt(c(0), a), b.Lt(a, c(1))), w, y)
}

func expandGelu64(b *Builder, x, _ V) V {
	c := func(f float64) V { return b.Like(x, f) }
	return b.Mul(b.Mul(c(0.5), x), expandErfc(b, b.Mul(x, c(-math.Sqrt2/2)), 0))
}

// expandGelu is max(x, 0) - a Phi(-a), a = |x|, of float32: log2 of Phi(-a) up to 5.6
// is a polynomial, beyond it the product is below a float32 of such x's torch formula
// and taken as 0. The error is at most 4 ulps or 2^-23 |x|; that of 1 + erf is larger.
// Coefficients by weighted Chebyshev approximation, of 2^r for |r| <= 1/2 too.
func expandGelu(b *Builder, t Type, x, _ V) V {
	c := func(f float64) V { return b.Like(x, f) }
	a := b.Abs(x)
	h := poly(b, a, -0.9999999057009539, -1.1511098329829346, -0.459169515643907, -0.05261241887317144, 0.007222175339754137,
		-0.0002428657882443874, -0.00015419486394860457, 3.7599613796365815e-05, -3.883247932786381e-06, 1.5921038128527123e-07)
	k := b.Nearest(h)
	e := poly(b, b.Sub(h, k), 1.000000000554169, 0.6931472057372713, 0.24022646890624227, 0.0555032877696507, 0.009618488958041837,
		0.001339993121866969, 0.0001534581176890616)
	p := b.Mul(a, b.Ldexp(e, k))
	// NaN at -infinity, as torch has it
	p = b.Select(b.Lt(a, c(5.6)), p, b.Mul(b.Min(x, c(0)), c(0)))
	return b.Sub(b.Max(x, c(0)), p)
}
