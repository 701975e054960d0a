package tensor

import (
	"math"
	"os"
	"strings"
	"testing"
)

// TestPromotion holds promotion against testdata/promote.txt, which promote.py
// beside it made with PyTorch.
func TestPromotion(t *testing.T) {
	text, err := os.ReadFile("testdata/promote.txt")
	if err != nil {
		t.Fatal(err)
	}
	dt := func(s string) DType {
		d, ok := ParseDType(s)
		if !ok {
			t.Fatalf("no dtype %s", s)
		}
		return d
	}
	kind := map[string]NumKind{"True": NumBool, "2": NumInt, "1.5": NumFloat}
	n := 0
	for _, l := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		w := strings.Fields(l)
		a := dt(w[1])
		var p Promoter
		var got DType
		switch w[0] {
		case "promote":
			got = Promote(a, dt(w[2]))
		case "dim-zero":
			p.Tensor(a, 1)
			p.Tensor(dt(w[2]), 0)
			got = p.Result()
		case "dim-number", "zero-number":
			if w[0] == "dim-number" {
				p.Tensor(a, 1)
			} else {
				p.Tensor(a, 0)
			}
			p.Number(kind[w[2]], Float32)
			got = p.Result()
		case "cast":
			if CanCast(a, dt(w[2])) != (w[3] == "1") {
				t.Errorf("%s: got %v", l, CanCast(a, dt(w[2])))
			}
			n++
			continue
		}
		n++
		if got != dt(w[3]) {
			t.Errorf("%s: got %s", l, got)
		}
	}
	if n < 350 {
		t.Errorf("only %d cases", n)
	}
}

// nearest is the value of a 16-bit format closest to x, ties to the even code,
// found by search.
func nearest(x float64, widen func(uint16) float32, top uint16) uint16 {
	lo, hi := uint16(0), top // widen(lo) <= x < widen(hi), top is infinity
	for hi-lo > 1 {
		if m := lo + (hi-lo)/2; float64(widen(m)) <= x {
			lo = m
		} else {
			hi = m
		}
	}
	a, b := float64(widen(lo)), float64(widen(hi))
	if hi == top {
		b = 2*a - float64(widen(lo-1)) // what infinity stands for in rounding
	}
	switch da, db := x-a, b-x; {
	case da < db:
		return lo
	case db < da:
		return hi
	}
	return lo + lo&1
}

func TestHalf(t *testing.T) {
	for _, f := range []struct {
		name   string
		widen  func(uint16) float32
		narrow func(float32) uint16
		inf    uint16
	}{{"float16", F16ToF32, F32ToF16, 0x7c00}, {"bfloat16", BF16ToF32, F32ToBF16, 0x7f80}} {
		for i := range 1 << 16 {
			h := uint16(i)
			x := f.widen(h)
			if x != x {
				if y := f.widen(f.narrow(x)); y == y {
					t.Fatalf("%s: NaN %#x is lost", f.name, h)
				}
				continue
			}
			if f.narrow(x) != h {
				t.Fatalf("%s: %#x -> %g -> %#x", f.name, h, x, f.narrow(x))
			}
			if h&0x7fff >= f.inf {
				continue
			}
			// between neighbours: just below, at and just above the middle
			y := f.widen(h + 1)
			if math.IsInf(float64(y), 0) {
				y = 2*x - f.widen(h-1)
			}
			mid := float32((float64(x) + float64(y)) / 2)
			for _, v := range []float32{math.Nextafter32(mid, 0), mid, math.Nextafter32(mid, float32(math.Inf(1)))} {
				v = float32(math.Abs(float64(v)))
				if math.IsInf(float64(v), 0) {
					continue
				}
				want := nearest(float64(v), f.widen, f.inf)
				if got := f.narrow(v); got != want {
					t.Fatalf("%s: %g -> %#x, nearest is %#x", f.name, v, got, want)
				}
			}
		}
		if f.narrow(math.MaxFloat32) != f.inf || f.narrow(float32(math.Inf(-1))) != f.inf|0x8000 {
			t.Errorf("%s: overflow", f.name)
		}
	}
}

func TestGeometry(t *testing.T) {
	g := func(off int64, l ...int64) *Geometry { // sizes then strides
		n := len(l) / 2
		return &Geometry{DType: Float32, Size: l[:n], Stride: l[n:], Off: off}
	}
	for _, c := range []struct {
		g                   *Geometry
		contig, dense, self bool
		lo, hi              int64
	}{
		{g(0, 3, 4, 4, 1), true, true, false, 0, 12},
		{g(2, 3, 4, 1, 3), false, true, false, 2, 14},
		{g(0, 3, 4, 8, 2), false, false, false, 0, 23},
		{g(0, 3, 4, 0, 1), false, false, true, 0, 4},
		{g(0, 1, 4, 99, 1), true, true, false, 0, 4},
		{g(5, 0, 4, 4, 1), true, true, false, 5, 5},
		{g(0), true, true, false, 0, 1},
		{g(0, 3, 0, 0, 1), true, true, false, 0, 0},
		{g(7, 4, -2), false, false, false, 1, 8},
	} {
		lo, hi := c.g.Span()
		if c.g.Contiguous() != c.contig || c.g.Dense() != c.dense || c.g.SelfOverlap() != c.self || lo != c.lo || hi != c.hi {
			t.Errorf("%v: contiguous %v dense %v self-overlap %v span %d-%d", c.g, c.g.Contiguous(), c.g.Dense(), c.g.SelfOverlap(), lo, hi)
		}
	}
	for _, c := range []struct {
		a, b *Geometry
		want Overlap
	}{
		{g(0, 4, 1), g(0, 4, 1), OverlapFull},
		{g(0, 4, 1), g(4, 4, 1), OverlapNone},
		{g(0, 4, 1), g(2, 4, 1), OverlapPartial},
		{g(0, 4, 2), g(1, 4, 2), OverlapUnknown},
		{g(0, 1, 4, 9, 1), g(0, 1, 4, 4, 1), OverlapFull},
		{g(0, 0, 1), g(0, 4, 1), OverlapNone},
		{g(0, 2, 2, 2, 1), g(0, 2, 2, 1, 2), OverlapPartial},
	} {
		if got := c.a.Overlaps(c.b); got != c.want {
			t.Errorf("%v and %v: %d, want %d", c.a, c.b, got, c.want)
		}
	}
	if s := Strides([]int64{2, 0, 3}); s[0] != 3 || s[1] != 3 || s[2] != 1 {
		t.Errorf("strides %v", s)
	}
}

func TestParse(t *testing.T) {
	for _, d := range DTypes() {
		if e, ok := ParseDType("torch." + d.String()); !ok || e != d {
			t.Errorf("%s does not parse back", d)
		}
	}
	for s, want := range map[string]Device{"cpu": {}, "cuda": {Type: CUDA}, "cuda:1": {Type: CUDA, Index: 1}, "meta": {Type: MetaDevice}} {
		if d, err := ParseDevice(s); err != nil || d != want {
			t.Errorf("%s: %v %v", s, d, err)
		}
	}
	for _, s := range []string{"gpu", "cuda:x", "cuda:-1", ""} {
		if _, err := ParseDevice(s); err == nil {
			t.Errorf("device %q parses", s)
		}
	}
	for s, n := range map[string]Number{"True": Truth(true), "3": Int(3), "0.5": Float(0.5), "2.0": Float(2), "1e+20": Float(1e20)} {
		if n.String() != s {
			t.Errorf("%s prints %s", s, n)
		}
	}
}
