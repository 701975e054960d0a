package loop

import (
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// codeOf tells the block functions of a variant apart.
func codeOf(f blockFn) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

func functionsOf(code []*inst, to []uintptr) []uintptr {
	for _, in := range code {
		to = append(to, codeOf(in.fn))
		if in.loop != nil {
			to = functionsOf(in.loop.body, to)
		}
	}
	return to
}

var edges = []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.1, -3.3, 1e30, -1e30, 1e-42, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 0.5, 7}

func refLink(l link, x, y float32) float32 {
	switch l {
	case linkAdd:
		return x + y
	case linkSub:
		return x - y
	case linkRsub:
		return y - x
	case linkMul:
		return x * y
	case linkDiv:
		return x / y
	case linkRdiv:
		return y / x
	case linkMin:
		return min(x, y)
	case linkMax, linkMaxC:
		return max(x, y)
	}
	return -x
}

func buildLink(b *Builder, l link, x, y V) V {
	switch l {
	case linkAdd:
		return b.Add(x, y)
	case linkSub:
		return b.Sub(x, y)
	case linkRsub:
		return b.Sub(y, x)
	case linkMul:
		return b.Mul(x, y)
	case linkDiv:
		return b.Div(x, y)
	case linkRdiv:
		return b.Div(y, x)
	case linkMin:
		return b.Min(x, y)
	case linkMax, linkMaxC:
		return b.Max(x, y)
	}
	return b.Neg(x)
}

// column is the edges in an order that drifts from one column to the next, so that
// every pair of them meets.
func column(i, n int) []float32 {
	x := make([]float32, n)
	for j := range x {
		x[j] = edges[(j+j/len(edges)*i+i)%len(edges)]
	}
	return x
}

func sameFloat(x, y float32) bool {
	return math.Float32bits(x) == math.Float32bits(y) || x != x && y != y
}

// Every chain with every choice of lanes, single values and constants as its
// operands, to the bit.
func TestChains(t *testing.T) {
	const n = 229 // whole eights and a rest
	var all [][]link
	for p := range numLinks {
		all = append(all, []link{p})
		for q := range numLinks {
			all = append(all, []link{p, q})
			for r := range numLinks {
				if chainFn(F32, []link{p, q, r}) != nil {
					all = append(all, []link{p, q, r})
				}
			}
		}
	}
	if len(all) < 10+100+160 {
		t.Fatalf("%d chains", len(all))
	}
	for i, ops := range all {
		for form := range 1 << len(ops) {
			k := float32(0.75)
			if i%7 == 0 {
				k = edges[i/7%len(edges)]
			}
			var cols [][]float32
			kernel := pointwise(n, 1+len(ops), func(b *Builder, x []V) V {
				v := x[0]
				for j, l := range ops {
					y := x[1+j]
					if form>>j&1 != 0 || l == linkMaxC {
						y = b.Const(F32, float64(k))
					} else if l == linkMax && j%2 == 1 {
						y = x[1]
					}
					v = buildLink(b, l, v, y)
				}
				return v
			})
			for j := range 1 + len(ops) {
				cols = append(cols, column(j, n))
			}
			p, err := Portable().Compile(kernel)
			if err != nil {
				t.Fatal(err)
			}
			want := slices.Clone(ops)
			for j, l := range want {
				if l == linkMax && form>>j&1 != 0 {
					want[j] = linkMaxC
				}
			}
			if form&1 == 0 { // both sides have lanes, so the left one comes first
				switch want[0] {
				case linkRsub:
					want[0] = linkSub
				case linkRdiv:
					want[0] = linkDiv
				}
			}
			if fn := chainFn(F32, want); len(want) > 1 || want[0] >= linkMin {
				if !slices.Contains(functionsOf(p.(*evalProgram).variants[0].v.body, nil), codeOf(fn)) {
					t.Errorf("links %d, form %b: not one pass\n%s", ops, form, kernel)
				}
			}
			got := make([]float32, n)
			a := &Args{}
			for _, c := range cols {
				a.Bufs = append(a.Bufs, mem32(c))
			}
			a.Bufs = append(a.Bufs, mem32(got))
			if err := p.Run(a, 0, n); err != nil {
				t.Fatal(err)
			}
			for j := range got {
				v := cols[0][j]
				for m, l := range ops {
					y := cols[1+m][j]
					if form>>m&1 != 0 || l == linkMaxC {
						y = k
					} else if l == linkMax && m%2 == 1 {
						y = cols[1][j]
					}
					v = refLink(l, v, y)
				}
				if !sameFloat(got[j], v) {
					t.Fatalf("links %d, form %b, constant %v: y[%d] is %v, want %v\n%s", ops, form, k, j, got[j], v, kernel)
				}
			}
		}
	}
}

// A comparison and its selection, every operand with lanes or without.
func TestComparedSelection(t *testing.T) {
	const n = 229
	ops := []Op{OpLt, OpLe, OpEq, OpNe}
	for _, op := range ops {
		for form := range 15 {
			cols := [][]float32{column(0, n), column(1, n), column(2, n), column(3, n)}
			kernel := pointwise(n, 4, func(b *Builder, x []V) V {
				v := slices.Clone(x)
				for i := range v {
					if form>>i&1 != 0 {
						v[i] = b.Const(F32, float64(edges[i+2]))
						for j := range cols[i] {
							cols[i][j] = edges[i+2]
						}
					}
				}
				c := map[Op]func(x, y V) V{OpLt: b.Lt, OpLe: b.Le, OpEq: b.Eq, OpNe: b.Ne}[op](v[0], v[1])
				return b.Select(c, v[2], v[3])
			})
			p, err := Portable().Compile(kernel)
			if err != nil {
				t.Fatal(err)
			}
			// with one value for all lanes on both sides the comparison is single
			if form&3 != 3 && !slices.Contains(functionsOf(p.(*evalProgram).variants[0].v.body, nil), codeOf(comparedFns[op])) {
				t.Errorf("%s, form %b: not one pass\n%s", op, form, kernel)
			}
			got := make([]float32, n)
			a := &Args{}
			for _, c := range cols {
				a.Bufs = append(a.Bufs, mem32(c))
			}
			a.Bufs = append(a.Bufs, mem32(got))
			if err := p.Run(a, 0, n); err != nil {
				t.Fatal(err)
			}
			for j := range got {
				x, y, w := cols[0][j], cols[1][j], cols[3][j]
				if op == OpLt && x < y || op == OpLe && x <= y || op == OpEq && x == y || op == OpNe && x != y {
					w = cols[2][j]
				}
				if !sameFloat(got[j], w) {
					t.Fatalf("%s, form %b: y[%d] is %v, want %v", op, form, j, got[j], w)
				}
			}
		}
	}
}

// Sums of products in float64 and the multiply-add, alone and as a link.
func TestWideChains(t *testing.T) {
	const n = 21
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = float64(i)/7 - 1
	}
	forms := []struct {
		l  link
		op func(b *Builder, x V) V
		f  func(x float64) float64
	}{
		{linkAdd, func(b *Builder, x V) V { return b.Add(b.Mul(x, x), x) }, func(x float64) float64 { return float64(x*x) + x }},
		{linkSub, func(b *Builder, x V) V { return b.Sub(b.Mul(x, b.Like(x, 3)), x) }, func(x float64) float64 { return float64(x*3) - x }},
		{linkRsub, func(b *Builder, x V) V { return b.Sub(b.Like(x, 1), b.Mul(x, x)) }, func(x float64) float64 { return 1 - float64(x*x) }},
		{linkAdd, func(b *Builder, x V) V { return b.FMA(x, b.Like(x, 2), x) }, func(x float64) float64 { return float64(x*2) + x }},
	}
	for _, f := range forms {
		b := NewBuilder("wide")
		b.AddBuf(tensor.Float64, In, "x")
		b.AddBuf(tensor.Float64, Out, "y")
		b.Loop(Vector, sym.C(n), func(a Axis) {
			at := func(i int) *Access { return b.Access(i, sym.Ints(n), sym.Ints(1), sym.C(0), []Ix{At(a)}, 0) }
			b.Store(at(1), f.op(b, b.Load(at(0))))
		})
		p, err := Portable().Compile(b.Kernel())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(functionsOf(p.(*evalProgram).variants[0].v.body, nil), codeOf(wideChains[linkMul][f.l])) {
			t.Errorf("link %d: not one pass", f.l)
		}
		a := &Args{Bufs: []Mem{{unsafe.Pointer(&x[0]), n}, {unsafe.Pointer(&y[0]), n}}}
		if err := p.Run(a, 0, n); err != nil {
			t.Fatal(err)
		}
		for i := range x {
			if y[i] != f.f(x[i]) {
				t.Errorf("link %d: y[%d] is %v, want %v", f.l, i, y[i], f.f(x[i]))
			}
		}
	}
}
