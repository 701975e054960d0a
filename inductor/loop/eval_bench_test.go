package loop

import (
	"math"
	"testing"
	"time"
	"unsafe"

	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

func mem32(x []float32) Mem { return Mem{unsafe.Pointer(unsafe.SliceData(x)), int64(len(x))} }

// pointwise builds a kernel of one Vector loop over contiguous float32 buffers.
func pointwise(n int64, inputs int, f func(b *Builder, x []V) V) *Kernel {
	b := NewBuilder("pointwise")
	for range inputs {
		b.AddBuf(tensor.Float32, In, "x")
	}
	b.AddBuf(tensor.Float32, Out, "y")
	size, one := sym.Ints(n), sym.Ints(1)
	b.Loop(Vector, sym.C(n), func(a Axis) {
		var x []V
		for i := range inputs {
			x = append(x, b.Load(b.Access(i, size, one, sym.C(0), []Ix{At(a)}, 0)))
		}
		b.Store(b.Access(inputs, size, one, sym.C(0), []Ix{At(a)}, 0), f(b, x))
	})
	return b.Kernel()
}

func benchKernel(b *testing.B, k *Kernel, n int64, elements int64, bufs ...[]float32) {
	p, err := Portable().Compile(k)
	if err != nil {
		b.Fatal(err)
	}
	a := &Args{}
	for _, x := range bufs {
		a.Bufs = append(a.Bufs, mem32(x))
	}
	least(b, elements, func() {
		if err := p.Run(a, 0, n); err != nil {
			b.Fatal(err)
		}
	})
}

// least reports the shortest time of f beside the mean: on a shared machine the
// mean measures the neighbours.
func least(b *testing.B, elements int64, f func()) {
	best := time.Hour
	for b.Loop() {
		t := time.Now()
		f()
		best = min(best, time.Since(t))
	}
	b.ReportMetric(float64(best.Nanoseconds())/float64(elements), "least-ns/elem")
}

func ramp(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i%97)*0.1 - 4
	}
	return x
}

func BenchmarkAdd8(b *testing.B) {
	k := pointwise(8, 2, func(b *Builder, x []V) V { return b.Add(x[0], x[1]) })
	benchKernel(b, k, 8, 8, ramp(8), ramp(8), make([]float32, 8))
}

func BenchmarkAdd64k(b *testing.B) {
	const n = 1 << 16
	k := pointwise(n, 2, func(b *Builder, x []V) V { return b.Add(x[0], x[1]) })
	benchKernel(b, k, n, n, ramp(n), ramp(n), make([]float32, n))
}

func BenchmarkAdd64kPlainGo(b *testing.B) {
	const n = 1 << 16
	x, y, z := ramp(n), ramp(n), make([]float32, n)
	least(b, n, func() {
		for i := range z {
			z[i] = x[i] + y[i]
		}
	})
}

// Chains of cheap primitives against the loop written by hand (Go 1.26, one core of
// a shared Xeon, ns an element, best of many interleaved runs; in brackets before
// chains were computed in one pass):
//
//	Chain  2.25 (3.0)  by hand 1.56   1.44 times
//	Sums   1.72        by hand 1.12   1.54
//	Clamp  2.47        by hand 1.92   1.29
//	Lerp   0.99        by hand 0.89   1.11

func BenchmarkChain64k(b *testing.B) {
	const n = 1 << 16
	k := pointwise(n, 3, func(b *Builder, x []V) V {
		t := b.Add(b.Mul(x[0], x[1]), x[2])
		return b.Div(b.Max(b.Sub(t, b.Like(t, 0.5)), b.Like(t, 0)), b.Add(b.Mul(t, t), b.Like(t, 1)))
	})
	benchKernel(b, k, n, n, ramp(n), ramp(n), ramp(n), make([]float32, n))
}

func BenchmarkChain64kPlainGo(b *testing.B) {
	const n = 1 << 16
	x, y, w, z := ramp(n), ramp(n), ramp(n), make([]float32, n)
	least(b, n, func() {
		for i := range z {
			t := x[i]*y[i] + w[i]
			z[i] = max(t-0.5, 0) / (t*t + 1)
		}
	})
}

// Eight sums and products, none of which costs more than the passes over memory.
func BenchmarkSums64k(b *testing.B) {
	const n = 1 << 16
	k := pointwise(n, 3, func(b *Builder, x []V) V {
		t := b.Mul(b.Sub(b.Add(b.Mul(x[0], x[1]), x[2]), b.Like(x[0], 0.5)), x[0])
		return b.Mul(b.Sub(b.Mul(b.Add(t, b.Like(t, 1)), x[1]), x[2]), b.Like(t, 2))
	})
	benchKernel(b, k, n, n, ramp(n), ramp(n), ramp(n), make([]float32, n))
}

func BenchmarkSums64kPlainGo(b *testing.B) {
	const n = 1 << 16
	x, y, w, z := ramp(n), ramp(n), ramp(n), make([]float32, n)
	least(b, n, func() {
		for i := range z {
			t := (x[i]*y[i] + w[i] - 0.5) * x[i]
			z[i] = ((t+1)*y[i] - w[i]) * 2
		}
	})
}

// A clamped affine map and a leaky rectifier.
func BenchmarkClamp64k(b *testing.B) {
	const n = 1 << 16
	k := pointwise(n, 2, func(b *Builder, x []V) V {
		t := b.Min(b.Max(b.Add(b.Mul(x[0], b.Like(x[0], 0.2)), b.Like(x[0], 0.5)), b.Like(x[0], 0)), b.Like(x[0], 1))
		return b.Mul(b.Select(b.Lt(b.Like(t, 0), x[1]), x[1], b.Mul(x[1], b.Like(t, 0.01))), t)
	})
	benchKernel(b, k, n, n, ramp(n), ramp(n), make([]float32, n))
}

func BenchmarkClamp64kPlainGo(b *testing.B) {
	const n = 1 << 16
	x, y, z := ramp(n), ramp(n), make([]float32, n)
	least(b, n, func() {
		for i := range z {
			t := min(max(x[i]*0.2+0.5, 0), 1)
			u := y[i]
			if u <= 0 {
				u *= 0.01
			}
			z[i] = u * t
		}
	})
}

// Trees: the second product cannot join the chain of the first.
func BenchmarkLerp64k(b *testing.B) {
	const n = 1 << 16
	k := pointwise(n, 3, func(b *Builder, x []V) V {
		return b.Neg(b.Add(b.Mul(x[0], x[2]), b.Mul(x[1], b.Sub(b.Like(x[0], 1), x[2]))))
	})
	benchKernel(b, k, n, n, ramp(n), ramp(n), ramp(n), make([]float32, n))
}

func BenchmarkLerp64kPlainGo(b *testing.B) {
	const n = 1 << 16
	x, y, w, z := ramp(n), ramp(n), ramp(n), make([]float32, n)
	least(b, n, func() {
		for i := range z {
			z[i] = -(x[i]*w[i] + y[i]*(1-w[i]))
		}
	})
}

func BenchmarkGelu64k(b *testing.B) {
	const n = 1 << 16
	k := pointwise(n, 1, func(b *Builder, x []V) V {
		v := x[0]
		return b.Mul(b.Mul(v, b.Like(v, 0.5)), b.Add(b.Erf(b.Mul(v, b.Like(v, math.Sqrt2/2))), b.Like(v, 1)))
	})
	benchKernel(b, k, n, n, ramp(n), make([]float32, n))
}

func BenchmarkGelu64kPlainGo(b *testing.B) {
	const n = 1 << 16
	x, z := ramp(n), make([]float32, n)
	least(b, n, func() {
		for i, v := range x {
			z[i] = v * 0.5 * (float32(math.Erf(float64(v*(math.Sqrt2/2)))) + 1)
		}
	})
}

func BenchmarkTanh64k(b *testing.B) {
	const n = 1 << 16
	k := pointwise(n, 1, func(b *Builder, x []V) V { return b.Tanh(x[0]) })
	benchKernel(b, k, n, n, ramp(n), make([]float32, n))
}

func BenchmarkExp64k(b *testing.B) {
	const n = 1 << 16
	k := pointwise(n, 1, func(b *Builder, x []V) V { return b.Exp(x[0]) })
	benchKernel(b, k, n, n, ramp(n), make([]float32, n))
}

// softmaxKernel is softmax over rows of a contiguous matrix.
func softmaxKernel(rows, cols int64) *Kernel {
	b := NewBuilder("softmax")
	b.AddBuf(tensor.Float32, In, "x")
	b.AddBuf(tensor.Float32, Out, "y")
	size, stride := sym.Ints(rows, cols), sym.Ints(cols, 1)
	at := func(buf int, i, j Axis) *Access {
		return b.Access(buf, size, stride, sym.C(0), []Ix{At(i), At(j)}, 0)
	}
	b.Loop(Grid, sym.C(rows), func(i Axis) {
		m := b.Fold(Vector, sym.C(cols), []FoldOp{FoldMax}, func(j Axis) []V { return []V{b.Load(at(0, i, j))} })[0]
		s := b.Fold(Vector, sym.C(cols), []FoldOp{FoldAdd}, func(j Axis) []V {
			e := b.Exp(b.Sub(b.Load(at(0, i, j)), m))
			b.Store(at(1, i, j), e)
			return []V{e}
		})[0]
		r := b.Recip(s)
		b.Loop(Vector, sym.C(cols), func(j Axis) { b.Store(at(1, i, j), b.Mul(b.Load(at(1, i, j)), r)) })
	})
	return b.Kernel()
}

func BenchmarkSoftmax256x1024(b *testing.B) {
	const n = 256 * 1024
	benchKernel(b, softmaxKernel(256, 1024), 256, n, ramp(n), make([]float32, n))
}

func BenchmarkSoftmax65536x4(b *testing.B) {
	const n = 65536 * 4
	benchKernel(b, softmaxKernel(65536, 4), 65536, n, ramp(n), make([]float32, n))
}

// Rows of 4: the lanes are rows, or every row would cost its own dispatch.
func BenchmarkScaleRows100000x4(b *testing.B) {
	const rows, cols = 100000, 4
	k := NewBuilder("scale")
	k.AddBuf(tensor.Float32, In, "x")
	k.AddBuf(tensor.Float32, In, "s")
	k.AddBuf(tensor.Float32, Out, "y")
	k.Loop(Grid, sym.C(rows), func(i Axis) {
		s := k.Load(k.Access(1, sym.Ints(rows), sym.Ints(1), sym.C(0), []Ix{At(i)}, 0))
		k.Loop(Vector, sym.C(cols), func(j Axis) {
			at := func(buf int) *Access {
				return k.Access(buf, sym.Ints(rows, cols), sym.Ints(cols, 1), sym.C(0), []Ix{At(i), At(j)}, 0)
			}
			k.Store(at(2), k.Mul(k.Load(at(0)), s))
		})
	})
	benchKernel(b, k.Kernel(), rows, rows*cols, ramp(rows*cols), ramp(rows), make([]float32, rows*cols))
}

// Sums down columns given as rows of a transposed matrix.
func BenchmarkSumStrided1024x1024(b *testing.B) {
	const n = 1024
	k := NewBuilder("sum")
	k.AddBuf(tensor.Float32, In, "x")
	k.AddBuf(tensor.Float32, Out, "y")
	k.Loop(Grid, sym.C(n), func(i Axis) {
		s := k.Fold(Vector, sym.C(n), []FoldOp{FoldAdd}, func(j Axis) []V {
			return []V{k.Load(k.Access(0, sym.Ints(n, n), sym.Ints(1, n), sym.C(0), []Ix{At(i), At(j)}, 0))}
		})[0]
		k.Store(k.Access(1, sym.Ints(n), sym.Ints(1), sym.C(0), []Ix{At(i)}, 0), s)
	})
	benchKernel(b, k.Kernel(), n, n*n, ramp(n*n), make([]float32, n))
}

func BenchmarkScatterAdd4096x64(b *testing.B) {
	const rows, cols, n = 512, 64, 4096
	p, err := Portable().Compile(scatterKernel(tensor.Float32, CombineAdd, n, cols, rows, Serial, Serial))
	if err != nil {
		b.Fatal(err)
	}
	index := make([]int64, n)
	for i := range index {
		index[i] = int64(i * 7 % rows)
	}
	a := &Args{Bufs: []Mem{{unsafe.Pointer(&index[0]), n}, mem32(ramp(n * cols)), mem32(make([]float32, rows*cols))}}
	least(b, n*cols, func() {
		if err := p.Run(a, 0, 1); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkSoftmaxPlainGo(b *testing.B) {
	const rows, n = 256, 1024
	x, y := ramp(rows*n), make([]float32, rows*n)
	least(b, rows*n, func() {
		for r := range rows {
			x, y := x[r*n:][:n], y[r*n:][:n]
			m := float32(math.Inf(-1))
			for _, v := range x {
				m = max(m, v)
			}
			s := 0.0
			for j, v := range x {
				e := math.Exp(float64(v - m))
				s += e
				y[j] = float32(e)
			}
			q := float32(1 / s)
			for j := range y {
				y[j] *= q
			}
		}
	})
}

func BenchmarkCompileSoftmax(b *testing.B) {
	k := softmaxKernel(256, 1024)
	for b.Loop() {
		if _, err := Portable().Compile(k); err != nil {
			b.Fatal(err)
		}
	}
}
