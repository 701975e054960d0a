package elementary

import "math"

// Hypot is √(x²+y²), correct but for rare cases of one unit in the last place, as in
// C: the root of the rounded sum, corrected by what the rounding took (C. F. Borges,
// "An improved algorithm for hypot(a,b)", 2019).
func Hypot(x, y float64) float64 {
	x, y = math.Abs(x), math.Abs(y)
	switch {
	case math.IsInf(x, 1) || math.IsInf(y, 1):
		return math.Inf(1)
	case math.IsNaN(x) || math.IsNaN(y):
		return math.NaN()
	}
	if x < y {
		x, y = y, x
	}
	if y == 0 || y < x*0x1p-54 {
		return x + y
	}
	// Scaled, so that squares neither overflow nor lose bits.
	scale := 1.0
	switch {
	case x > 0x1p511:
		scale = 0x1p-600
	case y < 0x1p-459:
		scale = 0x1p600
	}
	x *= scale
	y *= scale
	h := math.Sqrt(math.FMA(x, x, y*y))
	hh, xx := h*h, x*x
	h -= (math.FMA(-y, y, hh-xx) + math.FMA(h, h, -hh) - math.FMA(x, x, -xx)) / (2 * h)
	return h / scale
}
