package loop

import "math"

// powCore64 is |x|^y of float64 by FreeBSD's msun (e_pow.c): log2 of x to some 75
// bits, the product with y in two parts, and 2 to its power. x is |x|.
func powCore64(b *Builder, x, y V) V {
	c := func(f float64) V { return b.Like(x, f) }
	inf := math.Inf(1)
	e, f := reduceLog(b, x)
	m := b.Add(f, c(1))
	// x = 2^n m with m next to 1 or 3/2
	below, above := b.Lt(m, c(0.816496580927726)), b.Lt(c(1.224744871391589), m)
	m = b.Select(below, b.Add(m, m), m)
	n := b.Select(below, b.Sub(e, c(1)), e)
	half := b.Or(below, above)
	bp, dpHi, dpLo := b.Select(half, c(1.5), c(1)), b.Select(half, c(5.84962487220764160156e-01), c(0)), b.Select(half, c(1.35003920212974897128e-08), c(0))

	// s = (m-bp)/(m+bp) in two parts
	u, v := b.Sub(m, bp), b.Div(c(1), b.Add(m, bp))
	s := b.Mul(u, v)
	sh := highPart(b, s)
	th := highPart(b, b.Add(m, bp))
	tl := b.Sub(m, b.Sub(th, bp))
	sl := b.Mul(v, b.Sub(b.Sub(u, b.Mul(sh, th)), b.Mul(sh, tl)))
	// log(m/bp) = 2s + 2/3 s^3 + …
	q := b.Mul(s, s)
	r := b.Mul(b.Mul(q, q), poly(b, q, 5.99999999999994648725e-01, 4.28571428578550184252e-01, 3.33333329818377432918e-01, 2.72728123808534006489e-01,
		2.30660745775561754067e-01, 2.06975017800338417784e-01))
	r = b.Add(r, b.Mul(sl, b.Add(sh, s)))
	q = b.Mul(sh, sh)
	th = highPart(b, b.Add(b.Add(c(3), q), r))
	tl = b.Sub(r, b.Sub(b.Sub(th, c(3)), q))
	u, v = b.Mul(sh, th), b.Add(b.Mul(sl, th), b.Mul(tl, s))
	ph := highPart(b, b.Add(u, v))
	pl := b.Sub(v, b.Sub(ph, u))
	// times 2/(3 ln 2)
	zh := b.Mul(ph, c(9.61796700954437255859e-01))
	zl := b.Add(b.Add(b.Mul(ph, c(-7.02846165095275826516e-09)), b.Mul(pl, c(9.61796693925975554329e-01))), dpLo)
	t1 := highPart(b, b.Add(b.Add(b.Add(zh, zl), dpHi), n))
	t2 := b.Sub(zl, b.Sub(b.Sub(b.Sub(t1, n), dpHi), zh))

	// y log2 x in two parts
	far := clamp(b, y, -1e22, 1e22)
	yh := highPart(b, far)
	pl = b.Add(b.Mul(b.Sub(far, yh), t1), b.Mul(far, t2))
	ph = b.Mul(yh, t1)
	edge := b.Or(b.Eq(x, c(0)), b.Eq(x, c(inf)))
	edges := b.Mul(far, b.Select(b.Eq(x, c(0)), c(-inf), c(inf)))
	ph = b.Select(edge, edges, ph)
	out := b.Lt(c(1100), b.Abs(b.Add(ph, pl)))
	pl = b.Select(b.Or(out, edge), c(0), pl)
	ph = clamp(b, ph, -1100, 1100)

	k := b.Nearest(b.Add(ph, pl))
	ph = b.Sub(ph, k)
	t := highPart(b, b.Add(pl, ph))
	u = b.Mul(t, c(6.93147182464599609375e-01))
	v = b.Add(b.Mul(b.Sub(pl, b.Sub(t, ph)), c(6.93147180559945286227e-01)), b.Mul(t, c(-1.90465429995776804525e-09)))
	z := b.Add(u, v)
	w := b.Sub(v, b.Sub(z, u))
	t = b.Mul(z, z)
	t1 = b.Sub(z, b.Mul(t, poly(b, t, 1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05, -1.65339022054652515390e-06,
		4.13813679705723846039e-08)))
	r = b.Sub(b.Div(b.Mul(z, t1), b.Sub(t1, c(2))), b.Add(w, b.Mul(z, w)))
	v = b.Ldexp(b.Sub(c(1), b.Sub(r, z)), k)
	return b.Select(b.Eq(x, x), v, x)
}
