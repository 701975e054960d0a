package random

import (
	"cmp"
	"math"
	"slices"
)

// Exponential draws from the exponential distribution of rate lambda.
func (s *State) Exponential(lambda float64) float64 { return -1 / lambda * log(1-s.Double01()) }

// Geometric draws the number of trials up to the first success, for 0 < p < 1.
func (s *State) Geometric(p float64) float64 { return math.Ceil(log(s.Double01()) / log(1-p)) }

// Cauchy draws from the Cauchy distribution.
func (s *State) Cauchy(median, sigma float64) float64 {
	return math.FMA(sigma, tan(math.Pi*(s.Double01()-0.5)), median)
}

// LogNormal draws exp of a normal with this mean and standard deviation.
func (s *State) LogNormal(mean, std float64) float64 { return exp(s.Normal(mean, std)) }

// Poisson draws from the Poisson distribution of rate lambda >= 0: by products of uniforms for small rates, and by Hörmann's
// transformed rejection (PTRS, "The transformed rejection method for generating Poisson random variables", 1993) from 10 on.
func (s *State) Poisson(lambda float64) int64 {
	switch {
	case lambda == 0:
		return 0
	case lambda < 10:
		floor, prod := math.Exp(-lambda), 1.0
		for n := int64(0); ; n++ {
			if prod *= s.Double01(); !(prod > floor) {
				return n
			}
		}
	}
	// The conversions keep products from being fused with sums, which would change the draws on some machines.
	b := 0.931 + float64(2.53*math.Sqrt(lambda))
	a := -0.059 + float64(0.02483*b)
	invAlpha := 1.1239 + 1.1328/(b-3.4)
	vr := 0.9277 - 3.6224/(b-2)
	for {
		u := s.Double01() - 0.5
		v := s.Double01()
		us := 0.5 - math.Abs(u)
		k := math.Floor(float64((2*a/us+b)*u) + lambda + 0.43)
		if us >= 0.07 && v <= vr {
			return int64(k)
		}
		if k < 0 || us < 0.013 && v > us {
			continue
		}
		lg, _ := math.Lgamma(k + 1)
		if math.Log(v)+math.Log(invAlpha)-math.Log(a/(us*us)+b) <= -lambda+float64(k*math.Log(lambda))-lg {
			return int64(k)
		}
	}
}

// Float is what a probability row can hold.
type Float interface{ float32 | float64 }

// Multinomial draws len(dst) categories with replacement from one row of weights (at least one positive, none negative or not finite, which
// the caller has checked), by bisecting the running sum.
func Multinomial[T Float](s *State, dst []int64, weights []T) {
	cum := make([]T, len(weights))
	var sum T
	for i, w := range weights {
		sum += w
		cum[i] = sum
	}
	for i := range cum {
		cum[i] /= sum
	}
	cum[len(cum)-1] = 1
	for k := range dst {
		u := s.Double01()
		lo, hi := 0, len(cum)
		for lo < hi {
			if mid := lo + (hi-lo)/2; float64(cum[mid]) < u {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		dst[k] = int64(lo)
	}
}

// MultinomialDistinct draws len(dst) different categories from one row of weights: those with the greatest weight over an
// exponential sample, greatest first.
func MultinomialDistinct[T Float](s *State, dst []int64, weights []T) {
	q := make([]T, len(weights))
	for i, w := range weights {
		q[i] = w / T(s.Exponential(1))
	}
	if len(dst) == 1 {
		best := 0
		for i := range q {
			if q[i] > q[best] {
				best = i
			}
		}
		dst[0] = int64(best)
		return
	}
	at := make([]int, len(q))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(i, j int) int { return cmp.Compare(q[j], q[i]) })
	for k := range dst {
		dst[k] = int64(at[k])
	}
}
