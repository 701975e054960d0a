package py

import (
	"math"

	"github.com/larkspur-ml/larkspur/lang/elementary"
)

// Lanczos' approximation with the coefficients that CPython uses (Boost's, g = 6.02…).
const lanczosG = 6.024680040776729583740234375

var lanczosNum = [13]float64{
	23531376880.410759688572007674451636754734846804940, 42919803642.649098768957899047001988850926355848959,
	35711959237.355668049440185451547166705960488635843, 17921034426.037209699919755754458931112671403265390,
	6039542586.3520280050642916443072979210699388420708, 1439720407.3117216736632230727949123939715485786372,
	248874557.86205415651146038641322942321632125127801, 31426415.585400194380614231628318205362874684987640,
	2876370.6289353724412254090516208496135991145378768, 186056.26539522349504029498971604569928220784236328,
	8071.6720023658162106380029022722506138218516325024, 210.82427775157934587250973392071336271166969580291,
	2.5066282746310002701649081771338373386264310793408,
}

var lanczosDen = [13]float64{0, 39916800, 120543840, 150917976, 105258076, 45995730, 13339535, 2637558, 357423, 32670, 1925, 66, 1}

func lanczosSum(x float64) float64 {
	num, den := 0.0, 0.0
	if x < 5 {
		for i := len(lanczosNum) - 1; i >= 0; i-- {
			num = float64(num*x) + lanczosNum[i]
			den = float64(den*x) + lanczosDen[i]
		}
	} else {
		for i := range lanczosNum {
			num = num/x + lanczosNum[i]
			den = den/x + lanczosDen[i]
		}
	}
	return num / den
}

// lgamma is the logarithm of the absolute value of the gamma function.
func lgamma(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return math.Abs(x)
	}
	if x == math.Floor(x) && x <= 2 {
		if x <= 0 {
			return math.Inf(1)
		}
		return 0
	}
	a := math.Abs(x)
	if a < 1e-20 {
		return -elementary.Log(a)
	}
	r := elementary.Log(lanczosSum(a)) - lanczosG
	r += float64((a - 0.5) * (elementary.Log(a+lanczosG-0.5) - 1))
	if x < 0 {
		r = elementary.Log(math.Pi) - elementary.Log(math.Abs(math.Sin(math.Pi*math.Mod(a, 2)))) - elementary.Log(a) - r
	}
	return r
}
