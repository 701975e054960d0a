package amd64_test

import (
	"errors"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/larkspur-ml/larkspur/inductor/amd64"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// TestStress compiles, runs and drops kernels on many goroutines with the
// collector always at work.
func TestStress(t *testing.T) {
	each(t, func(t *testing.T, _ *amd64.Target, _ *stats) {
		tg := quiet(t)
		defer debug.SetGCPercent(debug.SetGCPercent(1))
		deadline := time.Now().Add(time.Second)
		var wg sync.WaitGroup
		for g := range 300 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				r := rand.New(rand.NewPCG(uint64(g), 1))
				for i := 0; i < 2 || time.Now().Before(deadline); i++ {
					n := int64(1 + r.IntN(3000))
					b := loop.NewBuilder("stress")
					in, out := b.AddBuf(tensor.Float32, loop.In, "x"), b.AddBuf(tensor.Float32, loop.Out, "y")
					one, size := []sym.Int{sym.C(1)}, []sym.Int{sym.C(n)}
					b.Loop(loop.Vector, sym.C(n), func(a loop.Axis) {
						x := b.Load(b.Access(in, size, one, sym.C(0), []loop.Ix{loop.At(a)}, 0))
						b.Store(b.Access(out, size, one, sym.C(0), []loop.Ix{loop.At(a)}, 0), b.FMA(x, b.Like(x, 2), b.Like(x, float64(g))))
					})
					p, err := tg.Compile(b.Kernel())
					if err != nil {
						t.Error(err)
						return
					}
					x, y := make([]float32, n), make([]float32, n)
					for j := range x {
						x[j] = float32(j)
					}
					a := &loop.Args{Bufs: []loop.Mem{loop.MemOf(bytesOf(x), tensor.Float32), loop.MemOf(bytesOf(y), tensor.Float32)}}
					if err := p.Run(a, 0, n); err != nil {
						t.Error(err)
						return
					}
					for j := range y {
						if y[j] != float32(2*j+g) {
							t.Errorf("y[%d] = %v", j, y[j])
							return
						}
					}
				}
			}()
		}
		wg.Wait()
	})
}

// TestFault: a kernel that is given memory which is not there fails with an error.
func TestFault(t *testing.T) {
	each(t, func(t *testing.T, tg *amd64.Target, _ *stats) {
		k, a, n := benchKernels()["add4k"]()
		p, err := tg.Compile(k)
		if err != nil {
			t.Fatal(err)
		}
		good := a.Bufs[1]
		a.Bufs[1].Ptr = unsafe.Add(unsafe.Pointer(nil), 4096)
		if err := p.Run(a, 0, n); err == nil || !strings.HasPrefix(err.Error(), "BUG: a kernel") {
			t.Error("no error:", err)
		}
		a.Bufs[1] = good
		if err := p.Run(a, 0, n); err != nil {
			t.Error(err)
		}
	})
}

// TestErrors: what a check reports is what the portable target reports.
func TestErrors(t *testing.T) {
	each(t, func(t *testing.T, tg *amd64.Target, _ *stats) {
		for name, c := range map[string]struct {
			idx  []int64
			want string
		}{
			"low":  {[]int64{0, 1, 2, 3, 4, 5, 6, 7, 8, -1, 3}, "index -1 is out of bounds for dimension 0 with size 10"},
			"high": {[]int64{1, 10}, "index 10 is out of bounds for dimension 0 with size 10"},
			"fine": {[]int64{9, 8, 0}, ""},
		} {
			n := int64(len(c.idx))
			b := loop.NewBuilder("pick")
			ix, in, out := b.AddBuf(tensor.Int64, loop.In, "i"), b.AddBuf(tensor.Float32, loop.In, "x"), b.AddBuf(tensor.Float32, loop.Out, "y")
			one := []sym.Int{sym.C(1)}
			b.Loop(loop.Vector, sym.C(n), func(a loop.Axis) {
				at := []loop.Ix{loop.At(a)}
				i := b.Load(b.Access(ix, []sym.Int{sym.C(n)}, one, sym.C(0), at, 0))
				x := b.Load(b.Access(in, []sym.Int{sym.C(10)}, one, sym.C(0), []loop.Ix{loop.IxData(i, nil)}, 0))
				b.Store(b.Access(out, []sym.Int{sym.C(n)}, one, sym.C(0), at, 0), x)
			})
			x, y := []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, make([]float32, n)
			a := &loop.Args{Bufs: []loop.Mem{loop.MemOf(bytesOf(c.idx), tensor.Int64), loop.MemOf(bytesOf(x), tensor.Float32), loop.MemOf(bytesOf(y), tensor.Float32)}}
			p, err := tg.Compile(b.Kernel())
			if err != nil {
				t.Fatal(err)
			}
			err = p.Run(a, 0, n)
			var e *tensor.Error
			switch {
			case c.want == "" && err != nil:
				t.Errorf("%s: %v", name, err)
			case c.want != "" && (!errors.As(err, &e) || e.Kind != tensor.IndexError || e.Msg != c.want):
				t.Errorf("%s: %v, want %s", name, err, c.want)
			}
			if c.want == "" {
				for j, i := range c.idx {
					if y[j] != float32(i) {
						t.Errorf("y[%d] = %v", j, y[j])
					}
				}
			}
		}
	})
}

// TestPauses: stopping the world waits for a call of code, which is short.
func TestPauses(t *testing.T) {
	if testing.Short() {
		t.Skip("timing")
	}
	tg := quiet(t)
	k, a, n := benchKernels()["add16M"]()
	p, err := tg.Compile(k)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		var err error
		for range 10 {
			if e := p.Run(a, 0, n); e != nil {
				err = e
			}
		}
		done <- err
	}()
	var before, after debug.GCStats
	debug.ReadGCStats(&before)
	for range 20 {
		debug.FreeOSMemory()
	}
	debug.ReadGCStats(&after)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	t.Logf("%d collections, pauses %v in all", after.NumGC-before.NumGC, after.PauseTotal-before.PauseTotal)
}

// TestAtomics combines into few elements from many iterations, in all dtypes.
func TestAtomics(t *testing.T) {
	each(t, func(t *testing.T, tg *amd64.Target, st *stats) {
		r := rand.New(rand.NewPCG(8, 8))
		for _, d := range tensor.DTypes() {
			for op := loop.CombineAdd; op <= loop.CombineSet; op++ {
				for _, mask := range []bool{false, true} {
					n := int64(37)
					b := loop.NewBuilder("scatter")
					ix, in, out := b.AddBuf(tensor.Int64, loop.In, "i"), b.AddBuf(d, loop.In, "x"), b.AddBuf(d, loop.InOut, "y")
					one, size := []sym.Int{sym.C(1)}, []sym.Int{sym.C(n)}
					b.Loop(loop.Serial, sym.C(n), func(a loop.Axis) {
						at := []loop.Ix{loop.At(a)}
						i := b.Load(b.Access(ix, size, one, sym.C(0), at, 0))
						m := loop.V(0)
						if mask {
							m = b.Lt(i, b.ConstI(loop.I64, 3))
						}
						b.Atomic(op, b.Access(out, []sym.Int{sym.C(5)}, one, sym.C(0), []loop.Ix{loop.IxData(i, nil)}, m), b.Load(b.Access(in, size, one, sym.C(0), at, 0)))
					})
					idx := make([]int64, n)
					for i := range idx {
						idx[i] = int64(r.IntN(5))
					}
					x, y := randomData(r, d, n), randomData(r, d, 5)
					run := func(tg loop.Target) []byte {
						z := append([]byte(nil), y...)
						p, err := tg.Compile(b.Kernel())
						if err != nil {
							t.Fatal(err)
						}
						if err := p.Run(&loop.Args{Bufs: []loop.Mem{loop.MemOf(bytesOf(idx), tensor.Int64), loop.MemOf(x, d), loop.MemOf(z, d)}}, 0, 1); err != nil {
							t.Fatal(err)
						}
						return z
					}
					got, want := run(tg), run(loop.Portable())
					for i := range 5 {
						if !equal(got, want, d, i) {
							t.Errorf("%s op %d mask %v: element %d is %x, portable %x", d, op, mask, i, got, want)
						}
					}
				}
			}
		}
		if len(st.why) > 0 {
			t.Error("left to the fallback:", st.why)
		}
	})
}
