package eager

import (
	"testing"

	"github.com/larkspur-ml/larkspur/op"
)

func BenchmarkApply(b *testing.B) {
	w := newW(b)
	x, y := w.f(1, 2, 3), w.f(4, 5, 6)
	d := op.Lookup("add")
	for b.Loop() {
		if _, err := w.Apply(d, []op.Arg{op.T(x), op.T(y)}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkApplyRecorded(b *testing.B) {
	w := newW(b)
	x, y := w.leaf(1, 2, 3), w.f(4, 5, 6)
	d := op.Lookup("mul")
	for b.Loop() {
		if _, err := w.Apply(d, []op.Arg{op.T(x), op.T(y)}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkView(b *testing.B) {
	w := newW(b)
	x := w.shaped([]int64{2, 2}, 1, 2, 3, 4)
	d := op.Lookup("transpose.int")
	for b.Loop() {
		if _, err := w.Apply(d, []op.Arg{op.T(x), op.IntArg(op.C(0)), op.IntArg(op.C(1))}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBackward(b *testing.B) {
	w := newW(b)
	x, y := w.leaf(1, 2, 3), w.f(4, 5, 6)
	for b.Loop() {
		s := w.op("sum", w.op("mul", x, y))
		w.must(w.backward(s, BackwardOptions{}))
	}
}
