package amd64_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"

	"github.com/larkspur-ml/larkspur/inductor/amd64"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// operand is a random matrix batch in any layout; data are small integers, so that
// products are exact.
func operand(r *rand.Rand, d tensor.DType, size ...int64) loop.Operand {
	o := loop.Operand{DType: d, Size: size, Stride: make([]int64, len(size)), Off: int64(r.IntN(3))}
	order := r.Perm(len(size))
	if r.IntN(2) == 0 {
		for i := range order {
			order[i] = i
		}
	}
	n := int64(1)
	for i := len(order) - 1; i >= 0; i-- {
		o.Stride[order[i]] = n
		n *= size[order[i]]
		if r.IntN(4) == 0 {
			n += int64(r.IntN(3))
		}
	}
	n += o.Off
	words := make([]uint64, (n*int64(d.Size())+7)/8+1)
	o.Mem = loop.Mem{Ptr: unsafe.Pointer(&words[0]), Len: n}
	for i := range n {
		put(&o, i, float32(r.IntN(9)-4))
	}
	return o
}

func put(o *loop.Operand, at int64, v float32) {
	p := unsafe.Add(o.Mem.Ptr, at*int64(o.DType.Size()))
	switch o.DType {
	case tensor.Float16:
		*(*uint16)(p) = tensor.F32ToF16(v)
	case tensor.BFloat16:
		*(*uint16)(p) = tensor.F32ToBF16(v)
	default:
		*(*float32)(p) = v
	}
}

func copyOf(o loop.Operand) loop.Operand {
	n := o.Mem.Len * int64(o.DType.Size())
	words := make([]uint64, n/8+1)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n), unsafe.Slice((*byte)(o.Mem.Ptr), n))
	o.Mem.Ptr = unsafe.Pointer(&words[0])
	return o
}

// goroutines runs ranges at the same time.
func goroutines(n, grain int64, f func(lo, hi int64) error) error {
	var wg sync.WaitGroup
	errs := make([]error, (n+grain-1)/grain)
	for i := range errs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[i] = f(int64(i)*grain, min(n, int64(i+1)*grain))
		}()
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestMatmul compares with the portable template, to the bit: shapes around the
// tile's, every transpose, batches, biases, 16-bit storage.
func TestMatmul(t *testing.T) {
	each(t, func(t *testing.T, tg *amd64.Target, _ *stats) {
		r := rand.New(rand.NewPCG(1, 9))
		n := 400
		if testing.Short() {
			n = 40
		}
		dts := []tensor.DType{tensor.Float32, tensor.Float32, tensor.Float32, tensor.Float16, tensor.BFloat16}
		for i := range n {
			dim := func() int64 { return []int64{4, 6, 14, 15, 16, 28, 31, 32, 33, 48, 64, 100, 7, 141, 145}[r.IntN(15)] }
			m, k, c := dim(), dim(), dim()
			switch r.IntN(8) {
			case 0:
				m = 1 + int64(r.IntN(3))
				k += 60
			case 1:
				c = 1 + int64(r.IntN(3))
				k += 60
			}
			if r.IntN(8) == 0 {
				k = 384 + int64(r.IntN(20))
			}
			d := dts[r.IntN(len(dts))]
			size := func(a, b int64) []int64 { return []int64{a, b} }
			if r.IntN(3) == 0 {
				b := int64(1 + r.IntN(4))
				size = func(x, y int64) []int64 { return []int64{b, x, y} }
			}
			a := &loop.TemplateArgs{In: []loop.Operand{operand(r, d, size(m, k)...), operand(r, d, size(k, c)...)}, Parallel: goroutines}
			switch r.IntN(3) {
			case 0:
				a.In = append(a.In, operand(r, d, c))
			case 1:
				a.In = append(a.In, loop.Operand{})
			}
			out := operand(r, d, size(m, c)...)
			run := func(f loop.TemplateFunc) loop.Operand {
				b := *a
				b.Out = []loop.Operand{copyOf(out)}
				if err := f(&b); err != nil {
					t.Fatal(err)
				}
				return b.Out[0]
			}
			got, want := run(tg.Template("matmul")), run(loop.Portable().Template("matmul"))
			g, w := unsafe.Slice((*byte)(got.Mem.Ptr), got.Mem.Len*int64(d.Size())), unsafe.Slice((*byte)(want.Mem.Ptr), got.Mem.Len*int64(d.Size()))
			for j := range int(got.Mem.Len) {
				if !equal(g, w, d, j) {
					x, _ := number(g, d, j)
					y, _ := number(w, d, j)
					t.Fatalf("case %d: %s %v x %v -> strides %v: element %d is %v, portable %v", i, d, a.In[0].Stride, a.In[1].Stride, out.Stride, j, x, y)
				}
			}
		}
	})
}

func BenchmarkMatmul(b *testing.B) {
	for _, n := range []int64{32, 128, 256, 512, 1024} {
		for _, trans := range []bool{false, true} {
			for _, how := range []string{"avx512", "avx2"} {
				b.Run(fmt.Sprintf("%d/%v/%s", n, trans, how), func(b *testing.B) {
					tg, _ := target(b, how == "avx2")
					mk := func() loop.Operand {
						x := make([]float32, n*n)
						return loop.Operand{DType: tensor.Float32, Size: []int64{n, n}, Stride: []int64{n, 1}, Mem: loop.MemOf(bytesOf(x), tensor.Float32)}
					}
					a := &loop.TemplateArgs{In: []loop.Operand{mk(), mk()}, Out: []loop.Operand{mk()}, Parallel: loop.Inline}
					if trans {
						a.In[1].Stride = []int64{1, n}
					}
					f := tg.Template("matmul")
					for b.Loop() {
						if err := f(a); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(2*math.Pow(float64(n), 3)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
				})
			}
		}
	}
}

func dense(r *rand.Rand, size ...int64) loop.Operand {
	o := loop.Operand{DType: tensor.Float32, Size: size, Stride: make([]int64, len(size))}
	n := int64(1)
	for d := len(size) - 1; d >= 0; d-- {
		o.Stride[d] = n
		n *= size[d]
	}
	x := make([]float32, n+1)
	o.Mem = loop.Mem{Ptr: unsafe.Pointer(&x[0]), Len: n}
	for i := range n {
		put(&o, i, float32(r.IntN(9)-4))
	}
	return o
}

// TestConv compares the three convolutions with the portable ones, to the bit.
func TestConv(t *testing.T) {
	each(t, func(t *testing.T, tg *amd64.Target, _ *stats) {
		r := rand.New(rand.NewPCG(2, 7))
		n := 120
		if testing.Short() {
			n = 40
		}
		for i := range n {
			d := 1 + r.IntN(3)
			groups := int64(1 + r.IntN(2)*r.IntN(3))
			cg, og, batch := int64(1+r.IntN(9)), int64(1+r.IntN(40)), int64(1+r.IntN(5))
			few := i%4 == 0 // positions
			if i%4 == 1 {   // images side by side
				batch = []int64{12, 16, 26, 30, 32, 56, 64}[r.IntN(7)]
			}
			if few {
				cg, og, batch = int64(20+r.IntN(60)), int64(1+r.IntN(150)), int64(1+r.IntN(2))
			}
			xs, ws, ys := []int64{batch, groups * cg}, []int64{groups * og, cg}, []int64{batch, groups * og}
			var stride, pad, dil []int64
			for range d {
				k, s, p, dl := int64(1+r.IntN(4)), int64(1+r.IntN(2)), int64(r.IntN(3)), int64(1+r.IntN(2))
				in := (k-1)*dl + 1 + int64(r.IntN(20/d))
				if few {
					p, in = 0, (k-1)*dl+1+int64(r.IntN(2))
				}
				out := (in+2*p-(k-1)*dl-1)/s + 1
				xs, ws, ys = append(xs, in), append(ws, k), append(ys, out)
				stride, pad, dil = append(stride, s), append(pad, p), append(dil, dl)
			}
			ints := append(append(append(stride, pad...), dil...), groups)
			x, w, y := dense(r, xs...), dense(r, ws...), dense(r, ys...)
			for _, c := range []struct {
				name string
				in   []loop.Operand
				out  loop.Operand
			}{
				{"conv", []loop.Operand{x, w, dense(r, groups*og)}, y},
				{"conv", []loop.Operand{x, w, {}}, y},
				{"conv_input", []loop.Operand{y, w}, x},
				{"conv_weight", []loop.Operand{x, y}, w},
			} {
				run := func(f loop.TemplateFunc) loop.Operand {
					a := &loop.TemplateArgs{In: c.in, Out: []loop.Operand{copyOf(c.out)}, Ints: ints, Parallel: goroutines}
					if err := f(a); err != nil {
						t.Fatal(err)
					}
					return a.Out[0]
				}
				got, want := run(tg.Template(c.name)), run(loop.Portable().Template(c.name))
				g, p := unsafe.Slice((*float32)(got.Mem.Ptr), got.Mem.Len), unsafe.Slice((*float32)(want.Mem.Ptr), got.Mem.Len)
				for j := range g {
					if g[j] != p[j] {
						t.Fatalf("case %d: %s x %v w %v ints %v: element %d is %v, portable %v", i, c.name, xs, ws, ints, j, g[j], p[j])
					}
				}
			}
		}
	})
}
