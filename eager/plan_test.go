package eager

import (
	"math/rand/v2"
	"testing"

	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// planCases apply one op to a tensor (of any offset), another one and a number.
var planCases = []struct {
	name string
	f    func(w *w, x, y *Tensor, n float64) *Tensor
}{
	{"add", func(w *w, x, y *Tensor, n float64) *Tensor { return w.op("add", x, y, n) }},
	{"number", func(w *w, x, y *Tensor, n float64) *Tensor { return w.op("mul", x, n) }},
	{"reflected", func(w *w, x, y *Tensor, n float64) *Tensor { return w.op("sub", n, x) }},
	{"sum", func(w *w, x, y *Tensor, n float64) *Tensor { return w.op("sum", x, []int{int(n) & 1}) }},
	{"view", func(w *w, x, y *Tensor, n float64) *Tensor { return w.op("transpose.int", x, 0, 1) }},
	{"select", func(w *w, x, y *Tensor, n float64) *Tensor { return w.op("select.int", x, 0, int(n)&1) }},
	{"softmax", func(w *w, x, y *Tensor, n float64) *Tensor { return w.op("softmax", x, 1) }},
	{"clamp", func(w *w, x, y *Tensor, n float64) *Tensor { return w.op("clamp", x, -n, n) }},
	{"mm", func(w *w, x, y *Tensor, n float64) *Tensor { return w.op("mm", x, w.op("transpose.int", y, 0, 1)) }},
	{"max", func(w *w, x, y *Tensor, n float64) *Tensor { return w.op("max.dim", x, 1) }},
	{"cat", func(w *w, x, y *Tensor, n float64) *Tensor { return w.op("cat", []op.Tensor{x, y}, 1) }},
	{"linear", func(w *w, x, y *Tensor, n float64) *Tensor { return w.op("linear", x, y) }},
	{"matmul", func(w *w, x, y *Tensor, n float64) *Tensor { return w.op("matmul", x, w.op("t", y)) }},
	{"var", func(w *w, x, y *Tensor, n float64) *Tensor { return w.op("var.dim", x, []int{1}, n == 1) }},
	{"mse", func(w *w, x, y *Tensor, n float64) *Tensor { return w.op("mse_loss", x, y) }},
	{"stack", func(w *w, x, y *Tensor, n float64) *Tensor { return w.op("stack", []op.Tensor{y, x}, 0) }},
	{"one operand twice", func(w *w, x, y *Tensor, n float64) *Tensor {
		if n > 1 {
			return w.op("stack", []op.Tensor{x, x}, 0)
		}
		return w.op("stack", []op.Tensor{x, y}, 0)
	}},
	{"a decomposition of one operand twice", func(w *w, x, y *Tensor, n float64) *Tensor {
		x, y = w.op("contiguous", x), w.op("contiguous", y)
		if n > 1 {
			y = x
		}
		return w.op("mse_loss", x, y)
	}},
	{"in place", func(w *w, x, y *Tensor, n float64) *Tensor {
		t := w.op("clone", x)
		r, err := w.ApplyInPlace(op.Lookup("add"), []op.Arg{op.T(t), op.T(y), op.Num(tensor.Float(n))})
		w.must(err)
		return r
	}},
	{"in place, overlapping", func(w *w, x, y *Tensor, n float64) *Tensor {
		t := w.op("clone", w.op("detach", x))
		r, err := w.ApplyInPlace(op.Lookup("mul"), []op.Arg{op.T(t), op.T(t)})
		w.must(err)
		return r
	}},
}

// TestPlans compares a Context that has plans with one that has none yet, over
// operands that share plans: views at other offsets, other numbers, other layouts,
// with and without the tape.
func TestPlans(t *testing.T) {
	kept := newW(t)
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range planCases {
		t.Run(c.name, func(t *testing.T) {
			for range 60 {
				data := make([]float64, 64)
				for i := range data {
					data[i] = float64(r.IntN(1000)) / 100
				}
				lo, rows, grad, turn, n := r.IntN(4), 2+r.IntN(2), r.IntN(2) == 0, r.IntN(2) == 0, float64(1+r.IntN(3))
				run := func(w *w) (string, string) {
					base := w.shaped([]int64{8, 8}, data...)
					if grad {
						w.must(base.SetRequiresGrad(true))
					}
					x := w.op("slice.Tensor", base, 0, lo, lo+rows)
					y := w.op("slice.Tensor", base, 0, lo+1, lo+1+rows)
					if turn {
						x, y = w.op("slice.Tensor", base, 1, lo, lo+rows), w.op("slice.Tensor", base, 1, lo+1, lo+1+rows)
					}
					z := c.f(w, x, y, n)
					out := w.show(z)
					if !grad || !z.RequiresGrad() {
						return out, ""
					}
					w.must(w.backward(w.op("sum", w.op("mul", z, z)), BackwardOptions{}))
					return out, w.show(base.Grad())
				}
				a, ga := run(kept)
				b, gb := run(newW(t))
				if a != b || ga != gb {
					t.Fatalf("with plans %s %s, without %s %s", a, ga, b, gb)
				}
			}
		})
	}
}
