package eager

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/larkspur-ml/larkspur/device/cpu"
	"github.com/larkspur-ml/larkspur/inductor"
	"github.com/larkspur-ml/larkspur/inductor/amd64"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// targets are the targets of this machine.
func targets() map[string]loop.Target {
	l := map[string]loop.Target{"portable": loop.Portable()}
	for _, avx2 := range []bool{true, false} {
		o := amd64.Options{Load: func(b []byte) (amd64.Func, error) { return cpu.LoadCode(b) }, Fallback: loop.Portable(), AVX2: avx2}
		if t, err := amd64.New(o); err == nil {
			l[t.Name()] = t
		}
	}
	return l
}

func newOn(t testing.TB, tg loop.Target, par func(dev *cpu.CPU) loop.Parallel) *w {
	dev := cpu.New(0)
	k := NewKernels(inductor.New(inductor.Options{Target: tg, Parallel: par(dev), Alloc: dev}))
	x := NewContext(k, func(tensor.Device) (tensor.Allocator, error) { return dev, nil })
	x.Threads = dev
	return &w{x, t, dev}
}

func (w *w) bits(r *Tensor) (l []uint64) {
	w.Values(r, func(n tensor.Number) { l = append(l, math.Float64bits(n.Float64())) })
	return l
}

// TestLongReductions compares reductions in stages with sums made here, in which every term and partial sum is
// exact, and asks for the same bits whatever the ranges: whole, scattered, of the pool.
func TestLongReductions(t *testing.T) {
	const rows, cols = 3, 700_003
	b := make([]byte, 4*rows*cols)
	x := make([]float64, rows*cols)
	sum, sq, most, least, at := 0.0, 0.0, math.Inf(-1), math.Inf(1), 0
	perRow, perCol := make([]float64, rows), make([]float64, rows)
	for i := range x {
		v := float64(i*7919%1013-506) / 8
		if i == 1_500_000 || i == 2_000_000 {
			v = 100 // the first of equals, in another piece than the second
		}
		x[i] = v
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(float32(v)))
		sum, sq, least = sum+v, sq+v*v, min(least, v)
		if v > most {
			most, at = v, i
		}
		perRow[i/cols] += v
		perCol[i%rows] += v
	}
	for name, tg := range targets() {
		cut := 0
		scatter := func(*cpu.CPU) loop.Parallel {
			return func(n, grain int64, f func(lo, hi int64) error) error {
				if n > 3 {
					cut++
				}
				for _, i := range rand.Perm(int(n)) {
					if err := f(int64(i), int64(i)+1); err != nil {
						return err
					}
				}
				return nil
			}
		}
		var first [][]uint64
		for k, par := range []func(*cpu.CPU) loop.Parallel{func(*cpu.CPU) loop.Parallel { return loop.Inline }, scatter, func(d *cpu.CPU) loop.Parallel { return d.Parallel }} {
			w := newOn(t, tg, par)
			small := w.shaped([]int64{2, 3}, 1, 2, 3, 4, 5, 6)
			m, err := w.FromBytes(tensor.Float32, []int64{rows, cols}, b)
			w.must(err)
			tall, err := w.FromBytes(tensor.Float32, []int64{cols, rows}, b)
			w.must(err)
			for i, c := range []struct {
				op   string
				x    *Tensor
				args []any
				want []float64
			}{
				{"sum", small, nil, []float64{21}},
				{"sum", m, nil, []float64{sum}},
				{"mean", m, nil, []float64{sum / (rows * cols)}},
				{"amax", m, []any{[]int{0, 1}}, []float64{most}},
				{"max", m, nil, []float64{most}},
				{"min", m, nil, []float64{least}},
				{"argmax", m, nil, []float64{float64(at)}},
				{"sum", m, []any{[]int{1}}, perRow},
				{"sum", tall, []any{[]int{0}}, perCol},
				{"sum", w.op("square", m), nil, []float64{sq}},
				{"sum", small, nil, []float64{21}},
			} {
				got := w.bits(w.op(c.op, append([]any{c.x}, c.args...)...))
				for j, u := range got {
					if f := float32(math.Float64frombits(u)); f != float32(c.want[j]) {
						t.Errorf("%s: %d %s: element %d is %v, want %v", name, i, c.op, j, f, c.want[j])
					}
				}
				if k == 0 {
					first = append(first, got)
				}
				for j := range got {
					if got[j] != first[i][j] {
						t.Errorf("%s: %d %s: other bits with other ranges", name, i, c.op)
					}
				}
			}
			if k == 1 && cut < 8 {
				t.Errorf("%s: only %d reductions were in pieces", name, cut)
			}
		}
	}
}

// TestReductionPauses: the collector stops the world while long reductions run; it waits for a piece, not for the
// whole. As one call no pause of 21 was under 17 ms. On a busy machine the system takes the processor from a piece,
// so that a pause is longer than its piece: it is enough that a fifth of a round's pauses is under 5 ms.
func TestReductionPauses(t *testing.T) {
	if testing.Short() {
		t.Skip("timing")
	}
	for name, tg := range targets() {
		w := newOn(t, tg, func(d *cpu.CPU) loop.Parallel { return d.Parallel })
		x := w.op("zeros", []int{1 << 25})
		stop, done := make(chan bool), make(chan error)
		go func() {
			for {
				select {
				case <-stop:
					done <- nil
					return
				default:
				}
				if _, err := w.Op("sum", x); err != nil {
					<-stop
					done <- err
					return
				}
			}
		}()
		var l []time.Duration
		short := 0
		for round := 0; round < 3 && short < 5; round++ {
			for range 21 {
				time.Sleep(time.Millisecond)
				runtime.GC()
			}
			var s debug.GCStats
			debug.ReadGCStats(&s)
			l, short = s.Pause[:min(21, len(s.Pause))], 0
			for _, p := range l {
				if p < 5*time.Millisecond {
					short++
				}
			}
		}
		close(stop)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: pauses %v", name, l)
		if short < 5 {
			t.Errorf("%s: pauses of %v", name, l)
		}
	}
}

// TestReductionsUnderGC runs reductions in stages under a collector that never rests.
func TestReductionsUnderGC(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	for name, tg := range targets() {
		w := newOn(t, tg, func(d *cpu.CPU) loop.Parallel { return d.Parallel })
		for i := range 8 {
			n := 600_000 + 1000*i
			r := w.op("sum", w.op("exp", w.op("zeros", []int{n})))
			if got := math.Float64frombits(w.bits(r)[0]); got != float64(n) {
				t.Errorf("%s: %v, want %d", name, got, n)
			}
		}
	}
}
