package loop

import (
	"math"
	"math/rand/v2"
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
		if !expands(op, F64) || !expands(op, F32) {
			t.Errorf("%s has no expansion", op)
			continue
		}
		if op.Arity() == 1 {
			special64(t, op)
		}
	}
	golden64(t, true)
	pairs64(t)
}

// pairs64 compares pow and atan2 with the evaluator's own, whose errors are below
// a unit, at special values, subnormals and ordinary numbers.
func pairs64(t *testing.T) {
	x32, y32 := pairs32()
	var x, y []float64
	for i := range x32 {
		x, y = append(x, float64(x32[i])), append(y, float64(y32[i]))
	}
	s := []float64{0, math.Copysign(0, -1), 1, -1, 5e-324, -5e-324, 1e-310, 2.2250738585072014e-308, math.MaxFloat64, -math.MaxFloat64, 1e300, 3, -3,
		math.Inf(1), math.Inf(-1), math.NaN(), 1 + 0x1p-52, 1 - 0x1p-53, 0x1p53, 0x1p53 + 2, -0x1p60, 1e-20, 709, 0.5, -0.5}
	for _, a := range s {
		for _, b := range s {
			x, y = append(x, a), append(y, b)
		}
	}
	r := rand.New(rand.NewPCG(7, 7))
	for range 50000 {
		a, e := math.Exp2(r.Float64()*2000-1000), r.NormFloat64()
		x, y = append(x, a, a, 1+r.NormFloat64()*0x1p-20), append(y, e/2, a*e, r.NormFloat64()*0x1p25)
	}
	for op, want := range map[Op]func(x, y float64) float64{OpPow: powF64, OpAtan2: atan2F64} {
		z := apply64(t, op, true, x, y)
		worst, at, bad := 0.0, 0, 0
		for i := range x {
			w := want(x[i], y[i])
			e := ulps64(z[i], w)
			if math.Abs(w) < 0x1p-1000 && math.Abs(z[i]-w) <= 5e-324 || z[i] == math.MaxFloat64 && w > z[i] {
				e = min(e, 1) // among subnormals the result is rounded twice
			}
			if w == 0 && math.Signbit(w) != math.Signbit(z[i]) {
				e = math.Inf(1)
			}
			if e > worst || e != e {
				worst, at = e, i
			}
			if !(e <= 4) && bad < 5 {
				t.Errorf("%s(%v, %v) = %v, want %v: %.3g ulps", op, x[i], y[i], z[i], w, e)
				bad++
			}
		}
		t.Logf("%-8s float64 %.3f ulps from the evaluator at %v, %v", op, worst, x[at], y[at])
	}
}

// special64 compares an expansion's edges with package math.
func special64(t *testing.T, op Op) {
	x := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, math.MaxFloat64, -math.MaxFloat64, 5e-324, -5e-324, 1e-310, 709.5, -745, 800, -800}
	z := apply64(t, op, true, x, nil)
	for i := range x {
		if (op == OpSin || op == OpCos || op == OpTan) && math.Abs(x[i]) > 1e300 && x[i]-x[i] == 0 {
			continue
		}
		want := oracle32[op](x[i])
		if e := ulps64(z[i], want); !(e <= 2) && !(math.Abs(want) < 1e-300 && math.Abs(z[i]-want) <= 1e-323) || math.Signbit(z[i]) != math.Signbit(want) && z[i] == 0 {
			t.Errorf("%s(%v) = %v, want %v", op, x[i], z[i], want)
		}
	}
}
