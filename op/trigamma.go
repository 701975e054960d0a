package op

import (
	"math"

	"github.com/larkspur-ml/larkspur/inductor/loop"
)

func init() {
	Register(&Def{Sig: "_trigamma(Tensor self) -> Tensor", Doc: "Derivative of digamma (polygamma of order 1).", Promote: PromoteFloat,
		NoGrad: "polygamma of order 2 is not implemented", Unwritten: true,
		Body:    func(b *loop.Builder, x []loop.V, c *Call) loop.V { return trigamma(b, x[0]) },
		Samples: samplesUnary(uniform(0.3, 4), floatTypes[:2])})
}

// trigamma computes psi'(x) in double precision: the recurrence psi'(x) = psi'(x+1) + 1/x² moves the argument behind 10,
// where the asymptotic series with Bernoulli numbers holds to 1e-16; below 1/2 the reflection psi'(x) = (pi/sin(pi x))² -
// psi'(1-x) comes first. (Abramowitz and Stegun, 6.4.6, 6.4.7, 6.4.12.)
func trigamma(b *loop.Builder, x loop.V) loop.V {
	t := b.Type(x)
	x = b.Cast(x, loop.F64)
	k := func(f float64) loop.V { return b.Const(loop.F64, f) }
	low := b.Lt(x, k(0.5))
	z := b.Select(low, b.Sub(k(1), x), x)
	sum := k(0)
	for range 10 {
		small := b.Lt(z, k(10))
		sum = b.Add(sum, b.Select(small, b.Recip(b.Square(z)), k(0)))
		z = b.Select(small, b.Add(z, k(1)), z)
	}
	r := b.Recip(z)
	r2 := b.Square(r)
	series := k(7.0 / 6)
	for _, c := range []float64{-691.0 / 2730, 5.0 / 66, -1.0 / 30, 1.0 / 42, -1.0 / 30, 1.0 / 6} {
		series = b.Add(b.Mul(series, r2), k(c))
	}
	y := b.Add(sum, b.Add(b.Add(r, b.Mul(r2, k(0.5))), b.Mul(b.Mul(series, r2), r)))
	s := b.Div(k(math.Pi), b.Sin(b.Mul(k(math.Pi), x)))
	return b.Cast(b.Select(low, b.Sub(b.Square(s), y), y), t)
}
