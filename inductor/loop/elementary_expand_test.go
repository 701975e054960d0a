package loop

import (
	"math"
	"testing"
)

// The expansions are kernels of primitives like any other, so the evaluator
// measures them; other targets must give what it gives.

func TestExpansionsFloat32(t *testing.T) {
	sweep32(t, true, func(op Op, x float32) bool {
		switch op {
		case OpSin, OpCos, OpTan:
			return math.Abs(float64(x)) <= 1<<20 || x != x || math.IsInf(float64(x), 0)
		}
		return true
	})
	binary32(t, true)
}

func TestExpansionsFloat64(t *testing.T) {
	for op := OpExp; op < numOps; op++ {
		if expands(op, F64) {
			special64(t, op)
		}
	}
	golden64(t, true)
}

// special64 compares an expansion's edges with package math.
func special64(t *testing.T, op Op) {
	x := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, math.MaxFloat64, -math.MaxFloat64, 5e-324, -5e-324, 1e-310, 709.5, -745, 800, -800}
	z := apply64(t, op, true, x, nil)
	for i := range x {
		if (op == OpSin || op == OpCos) && math.Abs(x[i]) > 1e300 && x[i]-x[i] == 0 {
			continue
		}
		want := oracle32[op](x[i])
		if e := ulps64(z[i], want); !(e <= 2) && !(math.Abs(want) < 1e-300 && math.Abs(z[i]-want) <= 1e-323) || math.Signbit(z[i]) != math.Signbit(want) && z[i] == 0 {
			t.Errorf("%s(%v) = %v, want %v", op, x[i], z[i], want)
		}
	}
}
