package eager

import (
	"sync"
	"testing"

	"github.com/larkspur-ml/larkspur/tensor"
)

// TestShared runs many contexts at once over tensors that all of them read, each with a tape of its own: as a frozen model is served.
func TestShared(t *testing.T) {
	w0 := newW(t)
	k := w0.shaped([]int64{8, 8}, make([]float64, 64)...)
	one := w0.op("add", k, 1.0)
	var wg sync.WaitGroup
	for g := range 6 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			w := &w{w0.Fork(), t, w0.dev}
			for i := range 60 {
				x := w.leaf(1, 2, 3, 4, 5, 6, 7, 8)
				y := w.op("mul", w.op("add", w.op("t", one), x), float64(g+1))
				s := w.op("sum", w.op("mul", y, y))
				if err := w.backward(s, BackwardOptions{}); err != nil {
					t.Error(err)
					return
				}
				// d/dx of Σ (c (1 + x))² over 8 rows is 16 c² (1 + x).
				want, at := float64(16*(g+1)*(g+1)), 2.0
				w.Values(x.Grad(), func(n tensor.Number) {
					if n.F != want*at {
						t.Errorf("goroutine %d, step %d: %v, want %v", g, i, n.F, want*at)
					}
					at++
				})
				w.op("rand", []int{3})
			}
		}()
	}
	wg.Wait()
}
