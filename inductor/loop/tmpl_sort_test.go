package loop

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/larkspur-ml/larkspur/tensor"
)

// less is torch's order: NaN greatest.
func less(x, y float64) bool { return x < y || y != y && x == x }

func TestSortTopk(t *testing.T) {
	for seed := range cases(300) {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		d := genDTypes[r.IntN(len(genDTypes))]
		var size []int64
		for range r.IntN(4) {
			size = append(size, int64(r.IntN(9)))
		}
		dim := 0
		if len(size) > 0 {
			dim = r.IntN(len(size))
			if r.IntN(3) == 0 {
				size[dim] = int64(200 + r.IntN(200))
			}
		}
		x := newOperand(r, d, true, size...)
		if d.IsFloat() {
			forEach(&x, func(at int64, _ []int64) {
				switch r.IntN(12) {
				case 0:
					x.set(at, math.NaN())
				case 1:
					x.set(at, math.Copysign(0, -1))
				case 2:
					x.set(at, math.Inf(r.IntN(2)*2-1))
				}
			})
		}
		n := int64(1)
		if len(size) > 0 {
			n = size[dim]
		}
		k, name := n, "sort"
		outSize := append([]int64(nil), size...)
		a := &TemplateArgs{In: []Operand{x}, Ints: []int64{int64(dim)}, Flags: []bool{r.IntN(2) == 0, true}}
		if r.IntN(2) == 0 && len(size) > 0 {
			name, k = "topk", r.Int64N(n+1)
			outSize[dim] = k
			a.Ints = append(a.Ints, k)
		}
		desc := a.Flags[0]
		a.Out = []Operand{newOperand(r, d, false, outSize...), newOperand(r, tensor.Int64, false, outSize...)}
		runAll(t, name, a, func() error {
			row := map[string][]float64{}
			key := func(idx []int64) string {
				c := append([]int64(nil), idx...)
				if len(c) > 0 {
					c[dim] = 0
				}
				return fmt.Sprint(c)
			}
			forEach(&x, func(at int64, idx []int64) { row[key(idx)] = append(row[key(idx)], x.get(at)) })
			order := map[string][]int{}
			for s, v := range row {
				o := make([]int, len(v))
				for i := range o {
					o[i] = i
				}
				sort.SliceStable(o, func(i, j int) bool {
					if desc {
						i, j = j, i
					}
					return less(v[o[i]], v[o[j]])
				})
				order[s] = o
			}
			var err error
			forEach(&a.Out[1], func(at int64, idx []int64) {
				i := 0
				if len(idx) > 0 {
					i = int(idx[dim])
				}
				want := order[key(idx)][i]
				v := row[key(idx)][want]
				gotV := a.Out[0].get(a.Out[0].pos(idx...))
				if got := a.Out[1].get(at); err == nil && (got != float64(want) || gotV != v && !(v != v && gotV != gotV)) {
					err = fmt.Errorf("seed %d %s %v dim %d: %v is %v at %v, want %v at %d", seed, d, size, dim, idx, gotV, got, v, want)
				}
			})
			return err
		})
	}
}

func TestDataDependentSizes(t *testing.T) {
	run := func(name string, a *TemplateArgs) {
		t.Helper()
		a.Parallel = Inline
		if err := Portable().Template(name)(a); err != nil {
			t.Fatal(err)
		}
	}
	for seed := range cases(200) {
		r := rand.New(rand.NewPCG(uint64(seed), 4))
		d := genDTypes[r.IntN(len(genDTypes))]
		var size []int64
		for range r.IntN(4) {
			size = append(size, int64(r.IntN(7)))
		}
		if len(size) == 1 && r.IntN(2) == 0 {
			size[0] = 500
		}
		x := newOperand(r, d, true, size...)
		if d.IsFloat() {
			forEach(&x, func(at int64, _ []int64) {
				if r.IntN(9) == 0 {
					x.set(at, math.NaN())
				}
			})
		}
		count := newOperand(r, tensor.Int64, false)
		var want [][]int64
		forEach(&x, func(at int64, idx []int64) {
			if x.get(at) != 0 {
				want = append(want, append([]int64(nil), idx...))
			}
		})
		run("nonzero_count", &TemplateArgs{In: []Operand{x}, Out: []Operand{count}})
		n := int64(count.get(count.Off))
		if n != int64(len(want)) {
			t.Fatalf("seed %d: %d nonzero, want %d", seed, n, len(want))
		}
		nz := newOperand(r, tensor.Int64, false, n, int64(len(size)))
		run("nonzero", &TemplateArgs{In: []Operand{x}, Out: []Operand{nz}})
		forEach(&nz, func(at int64, idx []int64) {
			if got := nz.get(at); got != float64(want[idx[0]][idx[1]]) {
				t.Fatalf("seed %d: nonzero %v is %v", seed, idx, got)
			}
		})

		mask := newOperand(r, tensor.Bool, true, size...)
		var sel []float64
		forEach(&x, func(at int64, idx []int64) {
			if mask.get(mask.pos(idx...)) != 0 {
				sel = append(sel, x.get(at))
			}
		})
		out := newOperand(r, d, false, int64(len(sel)))
		run("masked_select", &TemplateArgs{In: []Operand{x, mask}, Out: []Operand{out}})
		for i, v := range sel {
			if got := out.get(out.pos(int64(i))); got != v && v == v {
				t.Fatalf("seed %d: masked_select %d is %v, want %v", seed, i, got, v)
			}
		}

		counts := map[float64]int64{}
		nans := int64(0)
		forEach(&x, func(at int64, _ []int64) {
			if v := x.get(at); v == v {
				counts[v]++
			} else {
				nans++
			}
		})
		run("unique_count", &TemplateArgs{In: []Operand{x}, Out: []Operand{count}})
		u := int64(count.get(count.Off))
		if u != int64(len(counts))+nans {
			t.Fatalf("seed %d: %d unique, want %d and %d NaN", seed, u, len(counts), nans)
		}
		val, inv, cnt := newOperand(r, d, false, u), newOperand(r, tensor.Int64, false, size...), newOperand(r, tensor.Int64, false, u)
		run("unique", &TemplateArgs{In: []Operand{x}, Out: []Operand{val, inv, cnt}})
		for i := int64(1); i < u; i++ {
			if p, q := val.get(val.pos(i-1)), val.get(val.pos(i)); !less(p, q) && !(p != p && q != q) {
				t.Fatalf("seed %d: unique not ascending: %v, %v", seed, p, q)
			}
		}
		forEach(&inv, func(at int64, idx []int64) {
			i := int64(inv.get(at))
			v, w := x.get(x.pos(idx...)), val.get(val.pos(i))
			c := cnt.get(cnt.pos(i))
			if v != w && !(v != v && w != w) || v == v && c != float64(counts[v]) || v != v && c != 1 {
				t.Fatalf("seed %d: inverse of %v is %v, counted %v", seed, v, w, c)
			}
		})
	}
}
