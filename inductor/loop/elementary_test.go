package loop

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"unsafe"

	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// applyOp runs one primitive, or its expansion, over contiguous operands.
func applyOp(t testing.TB, op Op, d tensor.DType, expand bool, n int, x, y, out unsafe.Pointer) {
	b := NewBuilder(op.String())
	b.AddBuf(d, In, "x")
	b.AddBuf(d, In, "y")
	b.AddBuf(d, Out, "z")
	size, one := sym.Ints(int64(n)), sym.Ints(1)
	at := func(buf int, a Axis) *Access { return b.Access(buf, size, one, sym.C(0), []Ix{At(a)}, 0) }
	b.Loop(Vector, sym.C(int64(n)), func(a Axis) {
		u := b.Load(at(0, a))
		var v, r V
		if op.Arity() == 2 {
			v = b.Load(at(1, a))
		}
		switch {
		case expand:
			r = Expansions[op](b, TypeOf(d), u, v)
		case v != 0:
			r = b.bin(op, u, v)
		default:
			r = b.un(op, u)
		}
		b.Store(at(2, a), r)
	})
	if err := Verify(b.Kernel()); err != nil {
		t.Fatalf("%s: %v", op, err)
	}
	p, err := Portable().Compile(b.Kernel())
	if err != nil {
		t.Fatal(err)
	}
	m := func(p unsafe.Pointer) Mem { return Mem{p, int64(n)} }
	if err := p.Run(&Args{Bufs: []Mem{m(x), m(y), m(out)}}, 0, int64(n)); err != nil {
		t.Fatal(err)
	}
}

func apply32(t testing.TB, op Op, expand bool, x, y []float32) []float32 {
	z := make([]float32, len(x))
	if y == nil {
		y = x
	}
	applyOp(t, op, tensor.Float32, expand, len(x), unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0]), unsafe.Pointer(&z[0]))
	return z
}

func apply64(t testing.TB, op Op, expand bool, x, y []float64) []float64 {
	z := make([]float64, len(x))
	if y == nil {
		y = x
	}
	applyOp(t, op, tensor.Float64, expand, len(x), unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0]), unsafe.Pointer(&z[0]))
	return z
}

// ulps32 is the error of got in units in the last place of a float32 near want.
func ulps32(got float32, want float64) float64 {
	g := float64(got)
	if g == want || g != g && want != want {
		return 0
	}
	if f := float32(want); f == got { // infinities and correct rounding
		return min(0.5, math.Abs(g-want)/ulpOf(want, 24, -149))
	}
	if math.Abs(want) > math.MaxFloat32 {
		want = math.Copysign(0x1p128, want)
		if math.IsInf(g, 0) {
			g = math.Copysign(0x1p128, g)
		}
	}
	return math.Abs(g-want) / ulpOf(want, 24, -149)
}

func ulps64(got, want float64) float64 {
	if got == want || got != got && want != want {
		return 0
	}
	return math.Abs(got-want) / ulpOf(want, 53, -1074)
}

func ulpOf(x float64, digits, least int) float64 {
	_, e := math.Frexp(x)
	if x == 0 {
		e = -2000
	}
	return math.Ldexp(1, max(e-digits, least))
}

// oracles in float64 for float32 sweeps: package math where it is good to a few
// float64 ulps, which is exact for the purpose.
var oracle32 = map[Op]func(float64) float64{
	OpExp: expF64, OpExp2: math.Exp2, OpExpm1: math.Expm1, OpLog: logF64, OpLog2: log2F64, OpLog10: log10F64, OpLog1p: math.Log1p,
	OpSin: math.Sin, OpCos: math.Cos, OpTan: math.Tan, OpAsin: math.Asin, OpAcos: acosF64, OpAtan: math.Atan,
	OpSinh: sinhF64, OpCosh: coshF64, OpTanh: tanhF64, OpErf: math.Erf, OpErfc: math.Erfc, OpErfinv: erfinvF64,
	OpGelu: geluF64, OpLgamma: lgammaF64, OpDigamma: digammaF64,
}

// allFloats is float32 arguments over the whole range, denser where functions bend.
func allFloats() []float32 {
	var x []float32
	for b := uint64(0); b < 1<<32; b += 48611 {
		x = append(x, math.Float32frombits(uint32(b)))
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 40000 {
		x = append(x, float32(r.NormFloat64()*3), float32(r.Float64()*2-1), float32(r.Float64()*200-100), float32(1+r.NormFloat64()*1e-3))
	}
	inf := float32(math.Inf(1))
	return append(x, 0, float32(math.Copysign(0, -1)), 1, -1, inf, -inf, float32(math.NaN()), math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32)
}

func sweep32(t *testing.T, expand bool, limit func(Op, float32) bool) {
	x := allFloats()
	for op := OpExp; op < numOps; op++ {
		want := oracle32[op]
		if want == nil || expand && Expansions[op] == nil {
			continue
		}
		z := apply32(t, op, expand, x, nil)
		worst, at, bad := 0.0, 0, 0
		for i := range x {
			if limit != nil && !limit(op, x[i]) {
				continue
			}
			w := want(float64(x[i]))
			e := ulps32(z[i], w)
			if op == OpGelu && (e <= 4 || math.Abs(float64(z[i])-w) <= 0x1p-23*math.Abs(float64(x[i]))) {
				e = min(e, 2) // a composite; see expandGelu
			}
			if e > 2 && op == OpLgamma && math.Abs(float64(z[i])-w) < 1e-6 {
				e = 0 // next to a zero the argument's rounding is the error
			}
			if !(e <= 2) && bad < 3 {
				t.Errorf("%s(%v) = %v, want %v: %.3g ulps", op, x[i], z[i], w, e)
				bad++
			}
			if e > worst {
				worst, at = e, i
			}
		}
		t.Logf("%-8s float32 %.3f ulps at %v", op, worst, x[at])
	}
}

func TestElementaryFloat32(t *testing.T) { sweep32(t, false, nil) }

// expands reports an expansion for a type.
func expands(op Op, t Type) bool {
	if Expansions[op] == nil {
		return false
	}
	b := NewBuilder("probe")
	v := b.Const(t, 1)
	return Expansions[op](b, t, v, v) != 0
}

func goldens(t *testing.T) map[string][][]string {
	data, err := os.ReadFile("testdata/elementary.json")
	if err != nil {
		t.Fatal(err)
	}
	var g map[string][][]string
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func fromHex(t *testing.T, s string) float64 {
	b, err := strconv.ParseUint(s, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return math.Float64frombits(b)
}

// golden64 compares with 60-digit values.
func golden64(t *testing.T, expand bool) {
	g := goldens(t)
	for op := OpExp; op < numOps; op++ {
		if expand && !expands(op, F64) {
			continue
		}
		rows := g[op.String()]
		if rows == nil {
			t.Fatalf("no values of %s", op)
		}
		var x, y, want []float64
		for _, r := range rows {
			if u := fromHex(t, r[0]); expand && (op == OpSin || op == OpCos || op == OpTan) && math.Abs(u) > 1<<18 {
				continue
			}
			x, want = append(x, fromHex(t, r[0])), append(want, fromHex(t, r[1]))
			if len(r) > 2 {
				y = append(y, fromHex(t, r[2]))
			}
		}
		z := apply64(t, op, expand, x, y)
		bound := 2.0
		if op == OpPow || op == OpLgamma {
			bound = 4
		}
		worst, at := 0.0, 0
		for i := range x {
			e := ulps64(z[i], want[i])
			if (op == OpLgamma || op == OpDigamma) && math.Abs(z[i]-want[i]) < 1e-15 {
				e = 0 // next to a zero
			}
			if op == OpDigamma && x[i] < 0 {
				e /= 8 // the two parts of the reflection cancel
			}
			if e > worst {
				worst, at = e, i
			}
		}
		if worst > bound {
			t.Errorf("%s(%v) = %v, want %v: %.3g ulps", op, x[at], z[at], want[at], worst)
		}
		t.Logf("%-8s float64 %.3f ulps at %v", op, worst, x[at])
	}
}

func TestElementaryFloat64(t *testing.T) { golden64(t, false) }

// pairs32 are arguments of binary functions, with every special value on each side.
func pairs32() (x, y []float32) {
	inf := float32(math.Inf(1))
	s := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 2, -2, 3, -3, 0.5, -0.5, 2.5, -2.5, inf, -inf, float32(math.NaN()), math.MaxFloat32, math.SmallestNonzeroFloat32, 1e10, -1e10, 16777217, 1 - 0x1p-24, 1 + 0x1p-23}
	for _, a := range s {
		for _, b := range s {
			x, y = append(x, a), append(y, b)
		}
	}
	r := rand.New(rand.NewPCG(2, 2))
	for range 100000 {
		x = append(x, float32(math.Exp2(r.Float64()*60-30)), float32(math.Exp(r.NormFloat64())))
		y = append(y, float32(r.NormFloat64()*10), float32(r.NormFloat64()*30))
	}
	return
}

func binary32(t *testing.T, expand bool) {
	x, y := pairs32()
	for op, want := range map[Op]func(x, y float64) float64{OpPow: math.Pow, OpAtan2: math.Atan2} {
		if expand && Expansions[op] == nil {
			continue
		}
		z := apply32(t, op, expand, x, y)
		worst, at := 0.0, 0
		for i := range x {
			w := want(float64(x[i]), float64(y[i]))
			if e := ulps32(z[i], w); e > worst || e != e {
				worst, at = e, i
			}
			if w == 0 && math.Signbit(w) != math.Signbit(float64(z[i])) {
				t.Errorf("%s(%v, %v) = %v, want %v", op, x[i], y[i], z[i], w)
			}
		}
		if !(worst <= 4) {
			t.Errorf("%s(%v, %v) = %v, want %v: %.3g ulps", op, x[at], y[at], z[at], want(float64(x[at]), float64(y[at])), worst)
		}
		t.Logf("%-8s float32 %.3f ulps at %v, %v", op, worst, x[at], y[at])
	}
}

func TestBinaryFloat32(t *testing.T) { binary32(t, false) }
