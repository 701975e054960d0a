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
	loop.OpGelu:    func(x float64) float64 { return 0.5 * x * math.Erfc(-x*(math.Sqrt2/2)) },
	loop.OpLgamma:  func(x float64) float64 { return portable64(loop.OpLgamma, x) },
	loop.OpDigamma: func(x float64) float64 { return portable64(loop.OpDigamma, x) },
}

// portable64 is the portable target's float64 function, which 60-digit values hold to
// 2 ulps (4 for lgamma) in package loop.
func portable64(op loop.Op, x float64) float64 {
	return portableAll(op, []float64{x})[0]
}

func portableAll(op loop.Op, x ...[]float64) []float64 {
	var in [][]byte
	for _, v := range x {
		in = append(in, bytesOf(v))
	}
	y := apply(loop.Portable(), tensor.Float64, func(b *loop.Builder, x []loop.V) loop.V { return elementary(b, op, x) }, in...)
	return unsafe.Slice((*float64)(unsafe.Pointer(&y[0])), len(x[0]))
}

func elementary(b *loop.Builder, op loop.Op, x []loop.V) loop.V {
	switch op {
	case loop.OpPow:
		return b.Pow(x[0], x[1])
	case loop.OpAtan2:
		return b.Atan2(x[0], x[1])
	}
	return b.Unary(op, x[0])
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

func apply(tg loop.Target, d tensor.DType, f func(b *loop.Builder, x []loop.V) loop.V, in ...[]byte) []byte {
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
		panic(err)
	}
	y := make([]byte, len(in[0]))
	a := &loop.Args{}
	for _, x := range in {
		a.Bufs = append(a.Bufs, loop.MemOf(x, d))
	}
	a.Bufs = append(a.Bufs, loop.MemOf(y, d))
	if err := p.Run(a, 0, n); err != nil {
		panic(err)
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
		y := apply(tg, tensor.Float32, func(b *loop.Builder, v []loop.V) loop.V { return b.Sin(v[0]) }, bytesOf(x))
		for i, z := range unsafe.Slice((*float32)(unsafe.Pointer(&y[0])), len(x)) {
			if e := ulps32(z, math.Sin(float64(x[i]))); e > 2 {
				t.Errorf("sin(%v) = %v", x[i], z)
			}
		}
	})
}

func TestElementaryFloat32(t *testing.T) {
	each(t, func(t *testing.T, tg *amd64.Target, st *stats) {
		for op := loop.OpSqrt; op <= loop.OpDigamma; op++ {
			want := oracle[op]
			if want == nil {
				if op.IsElementary() && op.Arity() == 1 {
					t.Errorf("%s has no oracle", op)
				}
				continue
			}
			x := inRange(op, samples())
			f := make([]float32, len(x))
			w := make([]float64, len(x))
			for i := range x {
				f[i] = float32(x[i])
				w[i] = float64(f[i])
			}
			if op == loop.OpLgamma || op == loop.OpDigamma {
				w = portableAll(op, w)
			} else {
				for i := range w {
					w[i] = want(w[i])
				}
			}
			b := apply(tg, tensor.Float32, func(b *loop.Builder, x []loop.V) loop.V { return b.Unary(op, x[0]) }, bytesOf(f))
			y := unsafe.Slice((*float32)(unsafe.Pointer(&b[0])), len(f))
			worst, at := 0.0, 0
			for i := range f {
				if e := ulps32(y[i], w[i]); e > worst && !(op == loop.OpLgamma && math.Abs(float64(y[i])-w[i]) < 1e-6) &&
					!(op == loop.OpGelu && (e <= 4 || math.Abs(float64(y[i])-w[i]) <= 0x1p-23*math.Abs(float64(f[i])))) {
					worst, at = e, i
				}
			}
			if worst > 2 {
				t.Errorf("%s(%v): %.3g ulp, got %v", op, f[at], worst, y[at])
			}
			t.Logf("%-6s %.3f ulp at %v", op, worst, f[at])
		}
		if len(st.why) > 0 {
			t.Errorf("left to the fallback: %v", st.why)
		}
	})
}

// samples64 are samples, and pairs of them for functions of two numbers.
func samples64(op loop.Op) (x, y []float64) {
	x = inRange(op, samples())
	if op != loop.OpPow && op != loop.OpAtan2 {
		return x, nil
	}
	r := rand.New(rand.NewPCG(9, 9))
	s := []float64{0, math.Copysign(0, -1), 1, -1, 2, -2, 0.5, -0.5, 3, -3, math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, 1e-310, math.MaxFloat64, -1e300}
	for _, a := range s {
		for _, b := range s {
			x, y = append(x, a), append(y, b)
		}
	}
	y = append(make([]float64, len(x)-len(y)), y...)
	for i := range len(x) - len(s)*len(s) {
		y[i] = r.NormFloat64() * 5
		if i%3 == 0 {
			y[i] = float64(r.IntN(40) - 20)
		}
	}
	return x, y
}

func TestElementaryFloat64(t *testing.T) {
	each(t, func(t *testing.T, tg *amd64.Target, st *stats) {
		for op := loop.OpExp; op <= loop.OpPow; op++ {
			x, y2 := samples64(op)
			in, all := [][]byte{bytesOf(x)}, [][]float64{x}
			if y2 != nil {
				in, all = append(in, bytesOf(y2)), append(all, y2)
			}
			b := apply(tg, tensor.Float64, func(b *loop.Builder, x []loop.V) loop.V { return elementary(b, op, x) }, in...)
			y, want := unsafe.Slice((*float64)(unsafe.Pointer(&b[0])), len(x)), portableAll(op, all...)
			worst, at := 0.0, 0
			for i := range x {
				var e float64
				switch w := want[i]; {
				case w != w || math.IsInf(w, 0) || math.IsInf(y[i], 0):
					if y[i] != w && !(w != w && y[i] != y[i]) {
						e = math.Inf(1)
					}
				default:
					e = math.Abs(y[i]-w) / (math.Nextafter(math.Abs(w), math.Inf(1)) - math.Abs(w))
					// at its zeros package math's sine is good to 1e-31 only; gamma
					// functions are held absolutely next to theirs, and where the two
					// parts of the reflection cancel
					least := map[loop.Op]float64{loop.OpSin: 1e-30, loop.OpCos: 1e-30, loop.OpTan: 1e-30, loop.OpLgamma: 1e-14, loop.OpDigamma: 1e-14, loop.OpGelu: 0x1p-48}[op]
					if d := math.Abs(y[i] - w); d <= least || (op == loop.OpLgamma || op == loop.OpDigamma) && x[i] < 0 && d < 1e-11*max(1, math.Abs(x[i])) {
						e = 0
					}
					if op == loop.OpTan && math.Abs(w) > 1e9 {
						e /= 4 // next to its poles the portable target's reduction is coarser
					}
				}
				if !(e <= worst) {
					worst, at = e, i
				}
			}
			// both are within 2 units of the truth, pow and lgamma within 4
			if !(worst <= 4) {
				t.Errorf("%s(%v) = %v, portable %v, %g ulps", op, x[at], y[at], want[at], worst)
			}
			t.Logf("%-6s %.3f ulp from portable at %v", op, worst, x[at])
		}
		if len(st.why) > 0 {
			t.Errorf("left to the fallback: %v", st.why)
		}
	})
}

// TestIntegerPow: wrapping squares and products, negative powers, all widths.
func TestIntegerPow(t *testing.T) {
	each(t, func(t *testing.T, tg *amd64.Target, st *stats) {
		var x, y []int64
		for _, a := range []int64{0, 1, -1, 2, -2, 3, -7, 10, 1 << 40, -1 << 63, 255} {
			for _, b := range []int64{0, 1, 2, 3, 5, 31, 32, 62, 63, 64, -1, -2, -3, 1 << 33, 1<<33 + 1, -1 << 63} {
				x, y = append(x, a), append(y, b)
			}
		}
		for _, d := range []tensor.DType{tensor.Int64, tensor.Int32, tensor.Int16, tensor.Int8, tensor.Uint8} {
			in := [2][]byte{}
			for i := range x {
				for k, v := range [2]int64{x[i], y[i]} {
					for s := range d.Size() {
						in[k] = append(in[k], byte(v>>(8*s)))
					}
				}
			}
			f := func(b *loop.Builder, v []loop.V) loop.V { return b.Round(b.Pow(v[0], v[1]), d) }
			got, want := apply(tg, d, f, in[0], in[1]), apply(loop.Portable(), d, f, in[0], in[1])
			for i := range got {
				if got[i] != want[i] {
					k := i / d.Size()
					t.Fatalf("%s: %d ** %d differs from portable", d, x[k], y[k])
				}
			}
		}
		if len(st.why) > 0 || st.code == 0 {
			t.Errorf("left to the fallback: %v", st.why)
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
		b := apply(tg, tensor.Float32, func(b *loop.Builder, v []loop.V) loop.V { return b.Pow(v[0], v[1]) }, bytesOf(x), bytesOf(y))
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

// TestDeepFrame: more values alive than registers and 4 KiB of frame hold.
func TestDeepFrame(t *testing.T) {
	each(t, func(t *testing.T, tg *amd64.Target, st *stats) {
		x := make([]float32, 100)
		for i := range x {
			x[i] = float32(i)
		}
		f := func(b *loop.Builder, in []loop.V) loop.V {
			var v []loop.V
			for k := range 300 {
				v = append(v, b.Add(b.Mul(in[0], b.Like(in[0], float64(k%7))), b.Like(in[0], float64(k%5))))
			}
			s := v[0]
			for k := range v {
				s = b.Add(s, b.Abs(b.Sub(v[k], v[len(v)-1-k])))
			}
			return s
		}
		got, want := apply(tg, tensor.Float32, f, bytesOf(x)), apply(loop.Portable(), tensor.Float32, f, bytesOf(x))
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("element %d differs", i/4)
			}
		}
		if len(st.why) > 0 || st.code != 1 {
			t.Errorf("%d compiled, left to the fallback: %v", st.code, st.why)
		}
	})
}
