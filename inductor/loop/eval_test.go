package loop

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

func compile(t testing.TB, k *Kernel) *evalProgram {
	t.Helper()
	if err := Verify(k); err != nil {
		t.Fatalf("%v\n%s", err, k)
	}
	p, err := Portable().Compile(k)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*evalProgram)
}

// scatterKernel adds rows of x into y at rows given by index: y[index[i], j] op= x[i, j].
func scatterKernel(d tensor.DType, op Combine, n, cols, rows int64, kinds ...LoopKind) *Kernel {
	b := NewBuilder("scatter")
	b.AddBuf(tensor.Int64, In, "index")
	b.AddBuf(d, In, "x")
	b.AddBuf(d, InOut, "y")
	b.Loop(kinds[0], sym.C(n), func(i Axis) {
		at := b.Load(b.Access(0, sym.Ints(n), sym.Ints(1), sym.C(0), []Ix{At(i)}, 0))
		b.Loop(kinds[1], sym.C(cols), func(j Axis) {
			x := b.Load(b.Access(1, sym.Ints(n, cols), sym.Ints(cols, 1), sym.C(0), []Ix{At(i), At(j)}, 0))
			b.Atomic(op, b.Access(2, sym.Ints(rows, cols), sym.Ints(cols, 1), sym.C(0), []Ix{IxData(at, nil), At(j)}, 0), x)
		})
	})
	return b.Kernel()
}

func TestAtomics(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for _, d := range tensor.DTypes() {
		for op := CombineAdd; op <= CombineSet; op++ {
			for _, cols := range []int64{1, 5, 700} {
				for _, kinds := range [][]LoopKind{{Grid, Vector}, {Serial, Serial}, {Serial, Vector}} {
					k := scatterKernel(d, op, 40, cols, 7, kinds...)
					if d == tensor.Bool && k.Bufs[1].DType == d && op == CombineMul {
						continue
					}
					p := compile(t, k)
					data := [][]byte{make([]byte, 40*8), randomData(r, d, 40*cols), randomData(r, d, 7*cols)}
					for i := range int64(40) {
						refStore(unsafe.Pointer(&data[0][0]), tensor.Int64, i, uint64(r.IntN(7)))
					}
					run := func(f func(a *Args) error) []byte {
						y := append([]byte(nil), data[2]...)
						a := &Args{Bufs: []Mem{MemOf(data[0], tensor.Int64), MemOf(data[1], d), MemOf(y, d)}}
						if err := f(a); err != nil {
							t.Fatal(err)
						}
						return y
					}
					got, want := run(func(a *Args) error { return p.Run(a, 0, 1) }), run(func(a *Args) error { return refExec(k, a) })
					for i := int64(0); i < 7*cols; i++ {
						x, y := refLoad(unsafe.Pointer(&got[0]), d, i), refLoad(unsafe.Pointer(&want[0]), d, i)
						if ty := TypeOf(d); x != y && !(ty.IsFloat() && (refFloat(ty, x) == refFloat(ty, y) || refFloat(ty, x) != refFloat(ty, x) && refFloat(ty, y) != refFloat(ty, y))) {
							t.Fatalf("%s op %d %v, %d columns: element %d is %x, want %x", d, op, kinds, cols, i, x, y)
						}
					}
				}
			}
		}
	}
}

func wantError(t *testing.T, err error, kind tensor.ErrKind, msg string) {
	t.Helper()
	var e *tensor.Error
	if !errors.As(err, &e) || e.Kind != kind || e.Msg != msg {
		t.Errorf("error is %v, want %s: %s", err, kind, msg)
	}
}

func TestErrors(t *testing.T) {
	// an index out of range, and the same under a mask that is off there
	for _, masked := range []bool{false, true} {
		b := NewBuilder("gather")
		b.AddBuf(tensor.Int64, In, "index")
		b.AddBuf(tensor.Float32, In, "x")
		b.AddBuf(tensor.Float32, Out, "y")
		one := sym.Ints(1)
		b.Loop(Vector, sym.C(1000), func(a Axis) {
			i := b.Load(b.Access(0, sym.Ints(1000), one, sym.C(0), []Ix{At(a)}, 0))
			mask := V(0)
			if masked {
				mask = b.Lt(i, b.ConstI(I64, 9))
			}
			v := b.Load(b.Access(1, sym.Ints(9), one, sym.C(0), []Ix{IxData(i, nil)}, mask))
			b.Store(b.Access(2, sym.Ints(1000), one, sym.C(0), []Ix{At(a)}, 0), v)
		})
		p := compile(t, b.Kernel())
		index := make([]int64, 1000)
		index[900] = 42
		x, y := ramp(9), make([]float32, 1000)
		a := &Args{Bufs: []Mem{{unsafe.Pointer(&index[0]), 1000}, mem32(x), mem32(y)}}
		err := p.Run(a, 0, 1000)
		if !masked {
			wantError(t, err, tensor.IndexError, "index 42 is out of bounds for dimension 0 with size 9")
		} else if err != nil || y[900] != 0 || y[1] != x[0] {
			t.Errorf("masked: %v, %v", err, y[900])
		}
		// a failed run leaves nothing behind
		index[900] = 3
		if err := p.Run(a, 0, 1000); err != nil {
			t.Error(err)
		}
	}

	b := NewBuilder("assert")
	b.AddBuf(tensor.Float32, In, "x")
	b.Loop(Vector, sym.C(5), func(a Axis) {
		x := b.Load(b.Access(0, sym.Ints(5), sym.Ints(1), sym.C(0), []Ix{At(a)}, 0))
		b.Assert(b.Lt(x, b.Like(x, 2)), x, 0, Check{tensor.ValueError, "%i is too much"})
	})
	x := []float32{1, 0, 2.5, 7, 1}
	wantError(t, compile(t, b.Kernel()).Run(&Args{Bufs: []Mem{mem32(x)}}, 0, 5), tensor.ValueError, "2.5 is too much")
	x[2], x[3] = 0, 0
	if err := compile(t, b.Kernel()).Run(&Args{Bufs: []Mem{mem32(x)}}, 0, 5); err != nil {
		t.Error(err)
	}

	for _, op := range []Op{OpDiv, OpMod} {
		b := NewBuilder("divide")
		b.AddBuf(tensor.Int32, In, "x")
		b.AddBuf(tensor.Int32, Out, "y")
		b.Loop(Vector, sym.C(3), func(a Axis) {
			at := func(n int) *Access { return b.Access(n, sym.Ints(3), sym.Ints(1), sym.C(0), []Ix{At(a)}, 0) }
			b.Store(at(1), b.bin(op, b.ConstI(I32, 7), b.Load(at(0))))
		})
		z := []int32{1, 2, 0}
		m := Mem{unsafe.Pointer(&z[0]), 3}
		wantError(t, compile(t, b.Kernel()).Run(&Args{Bufs: []Mem{m, m}}, 0, 3), tensor.RuntimeError, "ZeroDivisionError")
	}
}

// TestConcurrentRuns runs ranges of one program from many goroutines; the race
// detector watches.
func TestConcurrentRuns(t *testing.T) {
	const rows, cols = 96, 40
	p := compile(t, softmaxKernel(rows, cols))
	x := ramp(rows * cols)
	want, got := make([]float32, rows*cols), make([]float32, rows*cols)
	if err := p.Run(&Args{Bufs: []Mem{mem32(x), mem32(want)}}, 0, rows); err != nil {
		t.Fatal(err)
	}
	a := &Args{Bufs: []Mem{mem32(x), mem32(got)}}
	for range 20 {
		clear(got)
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				if err := p.Run(a, int64(g*rows/8), int64((g+1)*rows/8)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for i := range got {
			if d := math.Abs(float64(got[i] - want[i])); d > 1e-6*float64(want[i]) {
				t.Fatalf("element %d is %v, want %v", i, got[i], want[i])
			}
		}
	}
}

// TestInPlace: one memory as input and output.
func TestInPlace(t *testing.T) {
	const n = 3000
	k := pointwise(n, 2, func(b *Builder, x []V) V { return b.Add(b.Mul(x[0], x[0]), x[1]) })
	x := ramp(n)
	if err := compile(t, k).Run(&Args{Bufs: []Mem{mem32(x), mem32(x), mem32(x)}}, 0, n); err != nil {
		t.Fatal(err)
	}
	for i, v := range ramp(n) {
		if x[i] != v*v+v {
			t.Fatalf("element %d is %v, want %v", i, x[i], v*v+v)
		}
	}
}

// TestSumError holds the documented bound: log2(n) ulps of the sum of magnitudes,
// for terms that sum badly one by one, folded over lanes, serially and in lanes.
func TestSumError(t *testing.T) {
	const n = 1 << 17
	for _, d := range []tensor.DType{tensor.Float32, tensor.Float64} {
		for _, kind := range []LoopKind{Serial, Vector} {
			b := NewBuilder("sum")
			b.AddBuf(d, In, "x")
			b.AddBuf(d, Out, "y")
			s := b.Fold(kind, sym.C(n), []FoldOp{FoldAdd}, func(a Axis) []V {
				v := b.Load(b.Access(0, sym.Ints(n), sym.Ints(1), sym.C(0), []Ix{At(a)}, 0))
				if kind == Serial { // keep it serial: two writers
					at := b.Access(1, sym.Ints(1), sym.Ints(1), sym.C(0), []Ix{IxInt(sym.C(0))}, 0)
					b.Store(at, v)
					b.Store(at, v)
				}
				return []V{v}
			})[0]
			b.Store(b.Access(1, sym.Ints(1), sym.Ints(1), sym.C(0), []Ix{IxInt(sym.C(0))}, 0), s)
			mem, out := make([]uint64, n), make([]uint64, 1)
			m, o := Mem{unsafe.Pointer(&mem[0]), n}, Mem{unsafe.Pointer(&out[0]), 1}
			hi, lo, mag := 0.0, 0.0, 0.0
			for i := range int64(n) {
				refStore(m.Ptr, d, i, floatBits(TypeOf(d), 0.1+1/float64(i+3)))
				x := refFloat(TypeOf(d), refLoad(m.Ptr, d, i))
				hi, lo = twoSum(hi, x, lo)
				mag += x
			}
			if err := compile(t, b.Kernel()).Run(&Args{Bufs: []Mem{m, o}}, 0, 1); err != nil {
				t.Fatal(err)
			}
			got := refFloat(TypeOf(d), refLoad(o.Ptr, d, 0))
			ulp := 0x1p-24
			if d == tensor.Float64 {
				ulp = 0x1p-53
			}
			if e := math.Abs(got-(hi+lo)) / (mag * ulp); e > 17 {
				t.Errorf("%s %s sum errs by %.1f ulps of the sum of magnitudes", d, kind, e)
			}
		}
	}
}

// TestTemplateRegistry: unknown names are nil, a second registration is our fault.
func TestTemplateRegistry(t *testing.T) {
	if Portable().Template("no such template") != nil {
		t.Error("a template out of nothing")
	}
	defer func() {
		if e, _ := recover().(string); !strings.HasPrefix(e, "BUG:") {
			t.Errorf("recovered %v", e)
		}
	}()
	RegisterPortable("matmul", matmulTemplate)
}

// TestTemplateDone: a template stops between pieces of work and reports why.
func TestTemplateDone(t *testing.T) {
	stop := errors.New("cancelled")
	d := tensor.Float32
	n := 0
	err := matmulTemplate(&TemplateArgs{In: []Operand{contiguous(d, 200, 300), contiguous(d, 300, 200)}, Out: []Operand{contiguous(d, 200, 200)},
		Parallel: Inline, Done: func() error {
			if n++; n > 3 {
				return stop
			}
			return nil
		}})
	if err != stop || n != 4 {
		t.Errorf("error %v after %d polls", err, n)
	}
}

// TestSmallRunAllocates: a run with pooled scratch allocates nothing.
func TestSmallRunAllocates(t *testing.T) {
	if raceDetector {
		t.Skip("under the race detector pools drop what they are given")
	}
	p := compile(t, pointwise(8, 2, func(b *Builder, x []V) V { return b.Add(x[0], x[1]) }))
	a := &Args{Bufs: []Mem{mem32(ramp(8)), mem32(ramp(8)), mem32(ramp(8))}}
	if n := testing.AllocsPerRun(100, func() { _ = p.Run(a, 0, 8) }); n > 0.5 {
		t.Errorf("%v allocations a run", n)
	}
}
