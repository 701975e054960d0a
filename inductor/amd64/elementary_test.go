package amd64_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/larkspur-ml/larkspur/inductor/amd64"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// The elementary functions against package math, whose own errors are below a
// unit in the last place of a float64.
var oracle = map[loop.Op]func(float64) float64{
	loop.OpExp: math.Exp, loop.OpExp2: math.Exp2, loop.OpExpm1: math.Expm1, loop.OpLog: math.Log, loop.OpLog2: math.Log2,
	loop.OpLog10: math.Log10, loop.OpLog1p: math.Log1p, loop.OpSin: math.Sin, loop.OpCos: math.Cos, loop.OpTan: math.Tan,
	loop.OpAsin: math.Asin, loop.OpAcos: math.Acos, loop.OpAtan: math.Atan, loop.OpSinh: math.Sinh, loop.OpCosh: math.Cosh,
	loop.OpTanh: math.Tanh, loop.OpErf: math.Erf, loop.OpErfc: math.Erfc, loop.OpErfinv: math.Erfinv, loop.OpSqrt: math.Sqrt,
}

// ulps32 is |x - want| in units of want's last place as a float32.
func ulps32(x float32, want float64) float64 {
	w := float32(want)
	switch {
	case want != want:
		if x != x {
			return 0
		}
		return math.Inf(1)
	case math.IsInf(float64(w), 0) || math.IsInf(float64(x), 0):
		if x == w {
			return 0
		}
		if math.Abs(want) > math.MaxFloat32 && math.Abs(float64(x)) == math.MaxFloat32 {
			return 0.5
		}
		return math.Inf(1)
	case x != x:
		return math.Inf(1)
	}
	unit := float64(math.Nextafter32(float32(math.Abs(want)), float32(math.Inf(1)))) - math.Abs(float64(float32(math.Abs(want))))
	if unit == 0 || math.IsInf(unit, 0) {
		unit = 0x1p104
	}
	return math.Abs(float64(x)-want) / unit
}

func apply(t *testing.T, tg loop.Target, d tensor.DType, f func(b *loop.Builder, x []loop.V) loop.V, in ...[]byte) []byte {
	t.Helper()
	n := int64(len(in[0]) / d.Size())
	b := loop.NewBuilder("apply")
	var bufs []int
	for i := range in {
		bufs = append(bufs, b.AddBuf(d, loop.In, fmt.Sprintf("x%d", i)))
	}
	out := b.AddBuf(d, loop.Out, "y")
	one := []sym.Int{sym.C(1)}
	size := []sym.Int{sym.C(n)}
	b.Loop(loop.Vector, sym.C(n), func(a loop.Axis) {
		var x []loop.V
		for _, k := range bufs {
			x = append(x, b.Load(b.Access(k, size, one, sym.C(0), []loop.Ix{loop.At(a)}, 0)))
		}
		b.Store(b.Access(out, size, one, sym.C(0), []loop.Ix{loop.At(a)}, 0), f(b, x))
	})
	p, err := tg.Compile(b.Kernel())
	if err != nil {
		t.Fatal(err)
	}
	y := make([]byte, len(in[0]))
	a := &loop.Args{}
	for _, x := range in {
		a.Bufs = append(a.Bufs, loop.MemOf(x, d))
	}
	a.Bufs = append(a.Bufs, loop.MemOf(y, d))
	if err := p.Run(a, 0, n); err != nil {
		t.Fatal(err)
	}
	return y
}

func bytesOf[T any](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(x[0])))
}

func samples() []float64 {
	x := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32, -math.MaxFloat32,
		1e-45, -1e-45, 1e-40, 1e-38, 88.5, 89, -87, -103, -104, 127.5, -149.4, math.Pi, math.Pi / 2, 1e6, 1 << 20, 1 << 21, 1e10, 0.99999994, 4.1, 0.6, 10}
	r := rand.New(rand.NewPCG(3, 4))
	n := 60000
	if testing.Short() {
		n = 6000
	}
	for range n {
		x = append(x, (r.Float64()*2-1)*math.Pow(2, float64(r.IntN(14)-6)), math.Ldexp(r.Float64()*2-1, r.IntN(250)-125), r.Float64()*2-1, r.NormFloat64()*5)
	}
	return x
}

// inRange leaves out the angles for which a range goes to the fallback.
func inRange(op loop.Op, x []float64) []float64 {
	if op != loop.OpSin && op != loop.OpCos && op != loop.OpTan {
		return x
	}
	var y []float64
	for _, v := range x {
		if a := math.Abs(v); a < 1<<18 || a > math.MaxFloat64 || v != v {
			y = append(y, v)
		}
	}
	return y
}

// TestLargeAngles: a range with an angle that the code does not reduce is run by
// the fallback, also where the output is the input's memory.
func TestLargeAngles(t *testing.T) {
	each(t, func(t *testing.T, tg *amd64.Target, st *stats) {
		x := make([]float32, 100)
		for i := range x {
			x[i] = float32(i)
		}
		x[60] = 1e30
		y := apply(t, tg, tensor.Float32, func(b *loop.Builder, v []loop.V) loop.V { return b.Sin(v[0]) }, bytesOf(x))
		for i, z := range unsafe.Slice((*float32)(unsafe.Pointer(&y[0])), len(x)) {
			if e := ulps32(z, math.Sin(float64(x[i]))); e > 2 {
				t.Errorf("sin(%v) = %v", x[i], z)
			}
		}
	})
}

func TestElementaryFloat32(t *testing.T) {
	each(t, func(t *testing.T, tg *amd64.Target, st *stats) {
		for op := loop.OpSqrt; op <= loop.OpErfinv; op++ {
			want := oracle[op]
			if want == nil {
				continue
			}
			x := inRange(op, samples())
			f := make([]float32, len(x))
			for i := range x {
				f[i] = float32(x[i])
			}
			y := apply(t, tg, tensor.Float32, func(b *loop.Builder, x []loop.V) loop.V { return b.Unary(op, x[0]) }, bytesOf(f))
			worst, at := 0.0, 0
			for i := range f {
				if e := ulps32(math.Float32frombits(uint32(y[4*i])|uint32(y[4*i+1])<<8|uint32(y[4*i+2])<<16|uint32(y[4*i+3])<<24), want(float64(f[i]))); e > worst {
					worst, at = e, i
				}
			}
			if worst > 2 {
				t.Errorf("%s(%v): %.3g ulp, got %v", op, f[at], worst, unsafe.Slice((*float32)(unsafe.Pointer(&y[0])), len(f))[at])
			}
			t.Logf("%-6s %.3f ulp at %v", op, worst, f[at])
		}
		t.Logf("fallback: %v", st.why)
	})
}

func TestElementaryFloat64(t *testing.T) {
	each(t, func(t *testing.T, tg *amd64.Target, st *stats) {
		port := func(op loop.Op, x []float64) []float64 {
			y := apply(t, loop.Portable(), tensor.Float64, func(b *loop.Builder, x []loop.V) loop.V { return b.Unary(op, x[0]) }, bytesOf(x))
			return unsafe.Slice((*float64)(unsafe.Pointer(&y[0])), len(x))
		}
		for _, op := range []loop.Op{loop.OpExp, loop.OpExp2, loop.OpExpm1, loop.OpLog, loop.OpLog2, loop.OpLog10, loop.OpLog1p, loop.OpSin, loop.OpCos,
			loop.OpSinh, loop.OpCosh, loop.OpTanh} {
			x := inRange(op, samples())
			b := apply(t, tg, tensor.Float64, func(b *loop.Builder, x []loop.V) loop.V { return b.Unary(op, x[0]) }, bytesOf(x))
			y, want := unsafe.Slice((*float64)(unsafe.Pointer(&b[0])), len(x)), port(op, x)
			worst, at := 0.0, 0
			for i := range x {
				var e float64
				switch w := want[i]; {
				case w != w || math.IsInf(w, 0) || math.IsInf(y[i], 0):
					if y[i] != w && !(w != w && y[i] != y[i]) {
						e = math.Inf(1)
					}
				default:
					unit := math.Nextafter(math.Abs(w), math.Inf(1)) - math.Abs(w)
					// at its zeros package math's sine is good to 1e-31 only
					if d := math.Abs(y[i] - w); d > 1e-30 || op != loop.OpSin && op != loop.OpCos {
						e = d / unit
					}
				}
				if !(e <= worst) {
					worst, at = e, i
				}
			}
			// both are within 2 units of the truth
			if !(worst <= 4) {
				t.Errorf("%s(%v) = %v, portable %v", op, x[at], y[at], want[at])
			}
			t.Logf("%-6s %.3f ulp from portable at %v", op, worst, x[at])
		}
	})
}

func TestPow(t *testing.T) {
	each(t, func(t *testing.T, tg *amd64.Target, st *stats) {
		r := rand.New(rand.NewPCG(5, 6))
		var x, y []float32
		edge := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 2, -2, 0.5, -0.5, 3, -3, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
		for _, a := range edge {
			for _, b := range edge {
				x, y = append(x, a), append(y, b)
			}
		}
		for range 20000 {
			x = append(x, float32(math.Ldexp(r.Float64(), r.IntN(40)-20)), -float32(r.Float64()*10))
			y = append(y, float32(r.NormFloat64()*5), float32(r.IntN(20)-10))
		}
		b := apply(t, tg, tensor.Float32, func(b *loop.Builder, v []loop.V) loop.V { return b.Pow(v[0], v[1]) }, bytesOf(x), bytesOf(y))
		z := unsafe.Slice((*float32)(unsafe.Pointer(&b[0])), len(x))
		for i := range x {
			if e := ulps32(z[i], math.Pow(float64(x[i]), float64(y[i]))); !(e <= 4) {
				t.Fatalf("pow(%v, %v) = %v, %g ulp", x[i], y[i], z[i], e)
			}
		}
		if st.code == 0 {
			t.Error("pow was not compiled")
		}
	})
}
