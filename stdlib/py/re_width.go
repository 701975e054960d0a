package py

import (
	"math"
	"strconv"
	"strings"
)

// A reWidth is the least and the greatest number of characters that a piece of a
// pattern takes. Python wants those of a look-behind to be equal, where regexp2
// would take any.
type reWidth struct{ lo, hi int }

const reNoLimit = math.MaxInt32

func (w reWidth) and(x reWidth) reWidth {
	return reWidth{min(w.lo+x.lo, reNoLimit), min(w.hi+x.hi, reNoLimit)}
}

func (w reWidth) or(x reWidth) reWidth { return reWidth{min(w.lo, x.lo), max(w.hi, x.hi)} }

// times is the width of a piece with a repeat: *, +, ?, {m,} or {m,n}.
func (w reWidth) times(repeat string) reWidth {
	lo, hi := 0, reNoLimit
	switch repeat {
	case "*":
	case "+":
		lo = 1
	case "?":
		hi = 1
	default:
		least, most, _ := strings.Cut(strings.Trim(repeat, "{}"), ",")
		lo, _ = strconv.Atoi(least)
		if most != "" {
			hi, _ = strconv.Atoi(most)
		}
	}
	product := func(a, b int) int {
		if a == 0 || b == 0 {
			return 0
		}
		if a > reNoLimit/b {
			return reNoLimit
		}
		return a * b
	}
	return reWidth{product(w.lo, lo), product(w.hi, hi)}
}
