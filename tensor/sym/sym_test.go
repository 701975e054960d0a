package sym

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestNormalForm(t *testing.T) {
	c := NewCtx()
	s, n, k := c.New("s", 6, 0), c.New("n", 4, 0), c.New("k", 2, 1)
	for _, x := range []struct {
		got  Int
		want string
	}{
		{s.Add(n).Sub(s), "n"},
		{s.Mul(n).Sub(n.Mul(s)), "0"},
		{s.Add(C(2)).Mul(s.Sub(C(2))), "(s*s + -4)"},
		{s.Mul(C(4)).Div(C(2)), "2*s"},
		{s.Mul(n).Div(n), "s"},
		{s.Mul(s).Sub(n.Mul(n)).Div(s.Sub(n)), "(s + n)"},
		{s.Mul(C(2)).Add(C(5)).Div(C(2)), "(s + 2)"},
		{s.Div(k).Mul(k).Add(s.Mod(k)), "s"},
		{s.Mul(k).Add(n).Div(k), "(s + (n//k))"},
		{s.Max(s.Add(C(1))), "(s + 1)"},
		{s.Max(n), "max(s, n)"},
		{s.Max(C(0)), "s"},
		{s.Min(s.Add(n)), "s"},
		{s.Add(C(0)).Mul(C(1)), "s"},
	} {
		if x.got.String() != x.want {
			t.Errorf("got %s, want %s", x.got, x.want)
		}
	}
	if s.Add(n) != n.Add(s) || s.Mul(n).Add(C(1)) != C(1).Add(n.Mul(s)) {
		t.Error("equal expressions are not the same node")
	}
	if _, ok := s.DivExact(C(2)); ok {
		t.Error("s/2 is not exact")
	}
	if len(c.Guards()) != 0 {
		t.Error("algebra took guards")
	}
}

// TestAlgebra holds random expressions against the same arithmetic on integers.
func TestAlgebra(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		c := NewCtx()
		var vals []int64
		type pair struct {
			e Int
			f func(v []int64) (int64, bool)
		}
		var pool []pair
		for i, name := range []string{"a", "b", "d"} {
			v := int64(r.IntN(7))
			vals = append(vals, v)
			pool = append(pool, pair{c.New(name, v, 0), func(v []int64) (int64, bool) { return v[i], true }})
		}
		k := int64(r.IntN(5)) - 1
		pool = append(pool, pair{C(k), func([]int64) (int64, bool) { return k, true }})
		for range 6 {
			p, q := pool[r.IntN(len(pool))], pool[r.IntN(len(pool))]
			var e Int
			op := r.IntN(6)
			if op == 4 || op == 5 {
				if v, ok := q.f(vals); !ok || v == 0 {
					continue
				}
				if v, ok := q.e.Const(); ok && v == 0 {
					continue
				}
			}
			switch op {
			case 0:
				e = p.e.Add(q.e)
			case 1:
				e = p.e.Sub(q.e)
			case 2:
				e = p.e.Mul(q.e)
			case 3:
				e = p.e.Max(q.e)
			case 4:
				e = p.e.Div(q.e)
			case 5:
				e = p.e.Mod(q.e)
			}
			pool = append(pool, pair{e, func(v []int64) (int64, bool) {
				x, ok1 := p.f(v)
				y, ok2 := q.f(v)
				if !ok1 || !ok2 {
					return 0, false
				}
				switch op {
				case 0:
					return x + y, true
				case 1:
					return x - y, true
				case 2:
					return x * y, true
				case 3:
					return max(x, y), true
				}
				if y == 0 {
					return 0, false
				}
				if op == 4 {
					return FloorDiv(x, y), true
				}
				return x - y*FloorDiv(x, y), true
			}})
		}
		for trial := range 5 {
			v := append([]int64(nil), vals...)
			if trial > 0 {
				for i := range v {
					v[i] = int64(r.IntN(9))
				}
			}
			for _, p := range pool {
				want, ok := p.f(v)
				got, gok := p.e.Eval(v)
				if ok && (!gok || got != want) {
					t.Fatalf("%s at %v: got %d %v, want %d", p.e, v, got, gok, want)
				}
			}
		}
		for _, p := range pool {
			if p.e.KnownGe0() {
				for range 5 {
					v := []int64{int64(r.IntN(9)), int64(r.IntN(9)), int64(r.IntN(9))}
					if x, ok := p.e.Eval(v); ok && x < 0 {
						t.Fatalf("%s said to be >= 0 is %d at %v", p.e, x, v)
					}
				}
			}
		}
	}
}

func TestGuards(t *testing.T) {
	c := NewCtx()
	a, b, d := c.New("a", 3, 0), c.New("b", 3, 0), c.New("d", 5, 0)
	if !a.Eq(b) {
		t.Fatal("hint says equal")
	}
	if len(c.Guards()) != 1 {
		t.Fatalf("guards %v", c.Guards())
	}
	if !a.Eq(b) || !b.KnownEq(a) || !a.Mul(d).KnownEq(d.Mul(b)) || !a.Add(C(1)).Gt(b) {
		t.Error("a learnt equality is not used")
	}
	if d.Eq(a) || d.Eq(b) || d.Eq(a) {
		t.Error("d is not a")
	}
	if n := len(c.Guards()); n != 2 {
		t.Errorf("asked the same again: %v", c.Guards())
	}
	if !d.Gt(C(2)) || d.Le(C(2)) {
		t.Error("5 > 2")
	}
	if n := len(c.Guards()); n != 3 {
		t.Errorf("order asked twice: %v", c.Guards())
	}
	if i := c.Check([]int64{3, 3, 5}); i != -1 {
		t.Errorf("own guards fail: %d", i)
	}
	if c.Check([]int64{7, 7, 5}) != -1 || c.Check([]int64{3, 4, 5}) != 0 || c.Check([]int64{3, 3, 3}) < 0 || c.Check([]int64{1, 1, 2}) < 0 {
		t.Error("guards do not tell sizes apart")
	}
	if c.Check([]int64{-1, -1, 5}) < 0 {
		t.Error("a size below its bound passes")
	}
	if !d.Gt(C(1)) || d.Eq(C(0)) || d.Ge(C(3)) != true {
		t.Error("what d > 2 implies")
	}
	if a.Ge(C(0)) != true || len(c.Guards()) != 3 {
		t.Error("sizes are not known to be >= 0")
	}
}

func TestCase(t *testing.T) {
	c := NewCtx()
	x, y := c.New("x", 1, 0), c.New("y", 4, 0)
	if i := Case([2]Int{x, y}, [2]Int{x, C(1)}, [2]Int{y, C(1)}); i != 1 {
		t.Fatalf("case %d", i)
	}
	if len(c.Guards()) != 1 {
		t.Errorf("one sufficient condition costs one guard, got %v", c.Guards())
	}
	if Case([2]Int{C(2), C(3)}, [2]Int{C(3), C(3)}) != 1 {
		t.Error("constants")
	}
	p, q := c.New("p", 2, 0), c.New("q", 3, 0)
	if Case([2]Int{p, q}) != -1 || c.Check([]int64{1, 4, 3, 3}) < 0 {
		t.Error("a failed case must be guarded")
	}
}

func TestFreeze(t *testing.T) {
	c := NewCtx()
	x := c.New("x", 1, 0)
	c.Freeze()
	if !x.KnownEq(x) || x.Ge(C(0)) != true {
		t.Error("what algebra knows may be asked")
	}
	defer func() {
		if recover() == nil {
			t.Error("a guard after Freeze must panic")
		}
	}()
	x.Eq(C(1))
}

func TestOverflow(t *testing.T) {
	c := NewCtx()
	x := c.New("x", 2, 0)
	e := x.Mul(x).Mul(x)
	if v, ok := e.Eval([]int64{1 << 20}); !ok || v != 1<<60 {
		t.Error("2^60 fits")
	}
	if _, ok := e.Eval([]int64{1 << 22}); ok {
		t.Error("2^66 does not fit")
	}
	for _, p := range [][2]int64{{math.MaxInt64, 1}, {math.MinInt64, 1}, {-1, math.MaxInt64}, {3037000500, 3037000500}, {-3037000500, 3037000500}, {math.MinInt64, -1}, {1 << 32, -(1 << 31)}} {
		r, ok := mulOK(p[0], p[1])
		exact := float64(p[0]) * float64(p[1])
		if ok != (math.Abs(exact) < 9.2233720368547e18 || r == p[0]*p[1] && r/p[1] == p[0] && p[0] != math.MinInt64) && !(p[0] == math.MinInt64 && p[1] == 1) {
			t.Errorf("%d * %d: %d %v", p[0], p[1], r, ok)
		}
	}
}

func BenchmarkConst(b *testing.B) {
	x, y := C(3), C(5)
	for b.Loop() {
		if x.Mul(y).Add(C(1)).Eq(C(15)) {
			b.Fatal()
		}
	}
}

func BenchmarkSymbolic(b *testing.B) {
	c := NewCtx()
	s, n := c.New("s", 3, 0), c.New("n", 5, 0)
	for b.Loop() {
		if !s.Mul(n).Add(C(1)).KnownEq(C(1).Add(n.Mul(s))) {
			b.Fatal()
		}
	}
}
