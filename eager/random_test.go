package eager

import (
	"testing"

	"github.com/larkspur-ml/larkspur/inductor/random"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// TestRandomOps draws through the op table and compares with the streams themselves, which have PyTorch's vectors.
func TestRandomOps(t *testing.T) {
	w := newW(t)
	g := w.Generator(tensor.Device{})
	check := func(label string, got *Tensor, want []float32) {
		t.Helper()
		i := 0
		w.Values(got, func(n tensor.Number) {
			if float32(n.F) != want[i] {
				t.Errorf("%s: element %d is %v, want %v", label, i, n.F, want[i])
			}
			i++
		})
	}
	ManualSeed(g, 5)
	s := random.New(5)
	d := make([]float32, 7)
	s.Uniform32(d, 0, 1)
	check("rand", w.op("rand", []int{7}), d)
	d = make([]float32, 20)
	s.Normal32(d, 0, 1, true)
	check("randn", w.op("randn", []int{4, 5}), d)

	// A transposed destination is filled in memory order, by the element-wise sampler, and nothing around it is touched.
	z := w.shaped([]int64{6, 4}, make([]float64, 24)...)
	v := w.op("t", w.op("slice.Tensor", z, 0, 1, 5))
	if _, err := w.ApplyInPlace(op.Lookup("normal_functional"), []op.Arg{op.T(v)}); err != nil {
		t.Fatal(err)
	}
	d = make([]float32, 24)
	s.Normal32(d[4:20], 0, 1, false)
	check("normal_", z, d)
	if string(g.State.Bytes()) != string(s.Bytes()) {
		t.Error("the states differ")
	}

	// A generator of one's own does not touch the default one.
	own := NewGenerator(tensor.Device{}, 5)
	before := string(g.State.Bytes())
	d = make([]float32, 3)
	random.New(5).Uniform32(d, 0, 1)
	check("own generator", w.op("rand", []int{3}, op.KW{Name: "generator", V: own}), d)
	if string(g.State.Bytes()) != before {
		t.Error("the default generator moved")
	}
	if err := SetState(g, own.State.Bytes()); err != nil {
		t.Fatal(err)
	}
	if string(g.State.Bytes()) != string(own.State.Bytes()) {
		t.Error("set_rng_state")
	}
	w.fails("bad state", SetState(g, []byte{1}), tensor.RuntimeError, "RNG state is wrong size")
}
