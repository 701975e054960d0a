package loop

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/larkspur-ml/larkspur/tensor"
)

// scattered runs ranges on goroutines, w at a time, cut at odd places.
func scattered(w int) Parallel {
	return func(n, grain int64, f func(lo, hi int64) error) error {
		var wg sync.WaitGroup
		errs := make([]error, w)
		for i := range int64(w) {
			lo, hi := n*i/int64(w), n*(i+1)/int64(w)
			if lo < hi {
				wg.Add(1)
				go func() {
					defer wg.Done()
					errs[i] = f(lo, hi)
				}()
			}
		}
		wg.Wait()
		for _, e := range errs {
			if e != nil {
				return e
			}
		}
		return nil
	}
}

// newOperand makes an operand with random strides: dims in random order, gaps,
// an offset, sometimes reversed.
func newOperand(r *rand.Rand, d tensor.DType, data bool, size ...int64) Operand {
	o := Operand{DType: d, Size: size, Stride: make([]int64, len(size))}
	order := make([]int, len(size))
	for i := range order {
		order[i] = len(size) - 1 - i
	}
	gap := int64(1)
	if r.IntN(2) == 0 {
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		gap = 1 + int64(r.IntN(2))
	}
	s := gap
	for _, i := range order {
		o.Stride[i] = s
		s *= max(1, size[i])
		if r.IntN(6) == 0 {
			s += int64(r.IntN(3))
		}
	}
	o.Off = int64(r.IntN(3))
	if len(size) > 0 && r.IntN(8) == 0 {
		i := r.IntN(len(size))
		o.Off += max(0, size[i]-1) * o.Stride[i]
		o.Stride[i] = -o.Stride[i]
	}
	n := o.Off + s + 1
	buf := make([]uint64, (n*int64(d.Size()))/8+1)
	o.Mem = Mem{unsafe.Pointer(&buf[0]), n}
	for i := range n {
		x := int64(r.IntN(5) - 2)
		if !data {
			x = 77 // outputs start as something else
		}
		if d == tensor.Bool {
			x &= 1
		}
		o.set(i, float64(x))
	}
	return o
}

func (o *Operand) set(at int64, f float64) {
	t := TypeOf(o.DType)
	switch {
	case t.IsFloat():
		refStore(o.Mem.Ptr, o.DType, at, floatBits(t, f))
	default:
		refStore(o.Mem.Ptr, o.DType, at, uint64(int64(f)))
	}
}

func (o *Operand) get(at int64) float64 {
	t := TypeOf(o.DType)
	x := refLoad(o.Mem.Ptr, o.DType, at)
	if t.IsFloat() {
		return refFloat(t, x)
	}
	return float64(int64(x))
}

func (o *Operand) pos(idx ...int64) int64 {
	at := o.Off
	for i, x := range idx {
		at += x * o.Stride[i]
	}
	return at
}

func (o *Operand) bytes() []byte {
	return unsafe.Slice((*byte)(o.Mem.Ptr), o.Mem.Len*int64(o.DType.Size()))
}

// round is what storing f as the operand's dtype leaves.
func (o *Operand) round(f float64) float64 {
	var b [8]byte
	p := Operand{Mem: Mem{unsafe.Pointer(&b), 1}, DType: o.DType}
	p.set(0, f)
	return p.get(0)
}

// cases is the number of random cases; a short run does a fifth.
func cases(n int) int {
	if testing.Short() {
		return n / 5
	}
	return n
}

var matmulDTypes = []tensor.DType{tensor.Float32, tensor.Float64, tensor.Float16, tensor.BFloat16, tensor.Int64, tensor.Int32, tensor.Uint8, tensor.Int8, tensor.Int16}

func runAll(t *testing.T, name string, a *TemplateArgs, verify func() error) {
	t.Helper()
	f := Portable().Template(name)
	if f == nil {
		t.Fatalf("no template %s", name)
	}
	var first [][]byte
	for i, p := range []Parallel{Inline, scattered(2), scattered(7)} {
		a.Parallel = p
		if err := f(a); err != nil {
			t.Fatal(err)
		}
		for k := range a.Out {
			if i == 0 {
				first = append(first, slices.Clone(a.Out[k].bytes()))
			} else if !bytes.Equal(first[k], a.Out[k].bytes()) {
				t.Fatalf("%s: output %d depends on the number of workers", name, k)
			}
		}
		if i == 0 {
			if err := verify(); err != nil {
				t.Fatalf("%s %v %v: %v", name, a.In, a.Ints, err)
			}
		}
	}
}

func TestMatmul(t *testing.T) {
	dims := []int64{0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 33, 130, 300}
	for seed := range cases(700) {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		d := matmulDTypes[r.IntN(len(matmulDTypes))]
		if r.IntN(2) == 0 {
			d = tensor.Float32
		}
		pick := func() int64 { return dims[r.IntN(len(dims))] }
		m, n, k := pick(), pick(), pick()
		if m*n*k > 1000000 {
			m = 3
		}
		var batch []int64
		if m*n*k < 100000 {
			for range r.IntN(3) {
				batch = append(batch, int64(r.IntN(4)))
			}
		}
		if m*n*k > 20000 && r.IntN(2) == 0 {
			batch = []int64{2}
		}
		with := func(x, y int64) []int64 { return append(slices.Clone(batch), x, y) }
		x, y, z := newOperand(r, d, true, with(m, k)...), newOperand(r, d, true, with(k, n)...), newOperand(r, d, false, with(m, n)...)
		if len(batch) > 0 && r.IntN(2) == 0 {
			y.Stride[0] = 0
		}
		a := &TemplateArgs{In: []Operand{x, y}, Out: []Operand{z}}
		bias := Operand{}
		switch r.IntN(4) {
		case 0:
			bias = newOperand(r, d, true, n)
		case 1:
			bias = newOperand(r, d, true, with(m, n)...)
			bias.Stride[len(batch)] = 0
		case 2:
			bias = newOperand(r, d, true, m, 1)
		}
		a.In = append(a.In, bias)
		runAll(t, "matmul", a, func() error {
			total := int64(1)
			for _, b := range batch {
				total *= b
			}
			idx := make([]int64, len(batch)+2)
			for b := range total {
				for i, q := len(batch)-1, b; i >= 0; i-- {
					idx[i] = q % batch[i]
					q /= batch[i]
				}
				for i := range m {
					for j := range n {
						s := 0.0
						for l := range k {
							idx[len(batch)], idx[len(batch)+1] = i, l
							u := x.get(x.pos(idx...))
							idx[len(batch)], idx[len(batch)+1] = l, j
							s += u * y.get(y.pos(idx...))
						}
						idx[len(batch)], idx[len(batch)+1] = i, j
						switch {
						case bias.DType == tensor.Invalid:
						case len(bias.Size) == 1:
							s += bias.get(bias.pos(j))
						case bias.Size[len(bias.Size)-1] == 1 && len(bias.Size) == 2 && n != 1:
							s += bias.get(bias.pos(i))
						case len(bias.Size) == 2 && len(batch) > 0:
							s += bias.get(bias.pos(i, 0))
						case len(bias.Size) == 2:
							s += bias.get(bias.pos(min(i, bias.Size[0]-1), min(j, bias.Size[1]-1)))
						default:
							s += bias.get(bias.pos(idx...))
						}
						if got, want := z.get(z.pos(idx...)), z.round(s); got != want {
							return fmt.Errorf("seed %d %s [%v %d %d %d]: element %v is %v, want %v", seed, d, batch, m, n, k, idx, got, want)
						}
					}
				}
			}
			return nil
		})
	}
}

// convCase is one random convolution geometry with its operands.
type convCase struct {
	d       int
	x, w, y Operand
	ints    []int64
}

func randomConv(r *rand.Rand, dt tensor.DType, out string) *convCase {
	d := 1 + r.IntN(3)
	g := []int64{1, 1, 2, 3}[r.IntN(4)]
	cg, og := 1+int64(r.IntN(4)), 1+int64(r.IntN(5))
	if r.IntN(5) == 0 {
		og = 1 + int64(r.IntN(140))
		cg = 1 + int64(r.IntN(30))
	}
	xs, ws, ys := []int64{int64(r.IntN(4)), cg * g}, []int64{og * g, cg}, []int64{0, og * g}
	if r.IntN(8) > 0 {
		xs[0] = max(1, xs[0])
	}
	ys[0] = xs[0]
	var st, pd, dl []int64
	for range d {
		k, s, p, l := 1+int64(r.IntN(3)), 1+int64(r.IntN(2)), int64(r.IntN(3)), 1+int64(r.IntN(2))
		n := (k-1)*l + 1 + int64(r.IntN(7))
		xs, ws, ys = append(xs, n), append(ws, k), append(ys, (n+2*p-(k-1)*l-1)/s+1)
		st, pd, dl = append(st, s), append(pd, p), append(dl, l)
	}
	c := &convCase{d: d}
	c.ints = append(append(append(append(c.ints, st...), pd...), dl...), g)
	c.x, c.w, c.y = newOperand(r, dt, out != "x", xs...), newOperand(r, dt, out != "w", ws...), newOperand(r, dt, out != "y", ys...)
	return c
}

// each calls f for every product of the convolution.
func (c *convCase) each(f func(x, w, y int64)) {
	g := c.ints[3*c.d]
	og, cg := c.w.Size[0]/g, c.w.Size[1]
	var walk func(dim int, x, w, y int64)
	walk = func(dim int, x, w, y int64) {
		if dim == c.d {
			f(x, w, y)
			return
		}
		for l := range c.y.Size[2+dim] {
			for k := range c.w.Size[2+dim] {
				i := l*c.ints[dim] - c.ints[c.d+dim] + k*c.ints[2*c.d+dim]
				if i >= 0 && i < c.x.Size[2+dim] {
					walk(dim+1, x+i*c.x.Stride[2+dim], w+k*c.w.Stride[2+dim], y+l*c.y.Stride[2+dim])
				}
			}
		}
	}
	for n := range c.x.Size[0] {
		for o := range c.w.Size[0] {
			for ch := range cg {
				walk(0, c.x.pos(n, o/og*cg+ch), c.w.pos(o, ch), c.y.pos(n, o))
			}
		}
	}
}

func testConv(t *testing.T, name, out string) {
	for seed := range cases(250) {
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		dt := []tensor.DType{tensor.Float32, tensor.Float32, tensor.Float64, tensor.BFloat16, tensor.Float16, tensor.Int64, tensor.Int32}[r.IntN(7)]
		c := randomConv(r, dt, out)
		a := &TemplateArgs{Ints: c.ints}
		want := map[int64]float64{}
		var dst *Operand
		switch out {
		case "y":
			bias := Operand{}
			if r.IntN(2) == 0 {
				bias = newOperand(r, dt, true, c.w.Size[0])
			}
			a.In, a.Out = []Operand{c.x, c.w, bias}, []Operand{c.y}
			dst = &c.y
			c.each(func(x, w, y int64) { want[y] += c.x.get(x) * c.w.get(w) })
			if bias.DType != tensor.Invalid {
				forEach(&c.y, func(at int64, idx []int64) { want[at] += bias.get(bias.pos(idx[1])) })
			}
		case "x":
			a.In, a.Out = []Operand{c.y, c.w}, []Operand{c.x}
			dst = &c.x
			c.each(func(x, w, y int64) { want[x] += c.y.get(y) * c.w.get(w) })
		case "w":
			a.In, a.Out = []Operand{c.x, c.y}, []Operand{c.w}
			dst = &c.w
			c.each(func(x, w, y int64) { want[w] += c.x.get(x) * c.y.get(y) })
		}
		runAll(t, name, a, func() (err error) {
			forEach(dst, func(at int64, idx []int64) {
				if got := dst.get(at); got != dst.round(want[at]) && err == nil {
					err = fmt.Errorf("seed %d %s x%v w%v y%v: element %v is %v, want %v", seed, dt, c.x.Size, c.w.Size, c.y.Size, idx, got, want[at])
				}
			})
			return
		})
	}
}

// forEach visits every element of an operand.
func forEach(o *Operand, f func(at int64, idx []int64)) {
	idx := make([]int64, len(o.Size))
	for n := o.Numel(); n > 0; n-- {
		f(o.pos(idx...), idx)
		for d := len(idx) - 1; d >= 0; d-- {
			if idx[d]++; idx[d] < o.Size[d] {
				break
			}
			idx[d] = 0
		}
	}
}

func TestConv(t *testing.T)       { testConv(t, "conv", "y") }
func TestConvInput(t *testing.T)  { testConv(t, "conv_input", "x") }
func TestConvWeight(t *testing.T) { testConv(t, "conv_weight", "w") }

func contiguous(d tensor.DType, size ...int64) Operand {
	o := Operand{DType: d, Size: size, Stride: make([]int64, len(size))}
	s := int64(1)
	for i := len(size) - 1; i >= 0; i-- {
		o.Stride[i] = s
		s *= size[i]
	}
	buf := make([]uint64, s*int64(d.Size())/8+1)
	o.Mem = Mem{unsafe.Pointer(&buf[0]), s}
	for i := range s {
		o.set(i, float64(i%7)*0.25-0.75)
	}
	return o
}

func benchTemplate(b *testing.B, name string, flops float64, a *TemplateArgs) {
	f := Portable().Template(name)
	a.Parallel = Inline
	best := time.Hour
	for b.Loop() {
		t := time.Now()
		if err := f(a); err != nil {
			b.Fatal(err)
		}
		best = min(best, time.Since(t))
	}
	b.ReportMetric(flops/float64(best.Nanoseconds()), "best-GFLOP/s")
}

func BenchmarkMatmul(b *testing.B) {
	for _, s := range [][4]int64{{1, 4, 4, 4}, {1, 16, 16, 16}, {1, 64, 64, 64}, {1, 256, 256, 256}, {1, 512, 512, 512}, {64, 32, 32, 32}, {1, 1, 1024, 1024}, {1, 64, 784, 128}} {
		b.Run(fmt.Sprintf("%dx%dx%dx%d", s[0], s[1], s[2], s[3]), func(b *testing.B) {
			d := tensor.Float32
			benchTemplate(b, "matmul", float64(2*s[0]*s[1]*s[2]*s[3]), &TemplateArgs{
				In: []Operand{contiguous(d, s[0], s[1], s[2]), contiguous(d, s[0], s[2], s[3])}, Out: []Operand{contiguous(d, s[0], s[1], s[3])}})
		})
	}
	b.Run("1x1024x1024_transposed", func(b *testing.B) {
		d := tensor.Float32
		y := contiguous(d, 1024, 1024)
		y.Stride[0], y.Stride[1] = 1, 1024
		benchTemplate(b, "matmul", 2<<20, &TemplateArgs{In: []Operand{contiguous(d, 1, 1024), y}, Out: []Operand{contiguous(d, 1, 1024)}})
	})
}

func BenchmarkConv(b *testing.B) {
	d := tensor.Float32
	for _, s := range []struct{ n, c, o, l, st int64 }{{64, 16, 32, 8, 1}, {64, 32, 32, 8, 1}, {64, 1, 16, 8, 1}, {8, 64, 64, 28, 1}, {8, 32, 64, 28, 2}} {
		x, w := contiguous(d, s.n, s.c, s.l, s.l), contiguous(d, s.o, s.c, 3, 3)
		out := (s.l-1)/s.st + 1
		y := contiguous(d, s.n, s.o, out, out)
		ints := []int64{s.st, s.st, 1, 1, 1, 1, 1}
		flops := float64(2 * s.n * s.o * s.c * 9 * out * out)
		name := fmt.Sprintf("%dx%dto%dx%dx%d/", s.n, s.c, s.o, s.l, s.st)
		b.Run(name+"forward", func(b *testing.B) {
			benchTemplate(b, "conv", flops, &TemplateArgs{In: []Operand{x, w}, Out: []Operand{y}, Ints: ints})
		})
		b.Run(name+"input", func(b *testing.B) {
			benchTemplate(b, "conv_input", flops, &TemplateArgs{In: []Operand{y, w}, Out: []Operand{x}, Ints: ints})
		})
		b.Run(name+"weight", func(b *testing.B) {
			benchTemplate(b, "conv_weight", flops, &TemplateArgs{In: []Operand{x, y}, Out: []Operand{w}, Ints: ints})
		})
	}
	x, w, y := contiguous(d, 8, 64, 28, 28), contiguous(d, 64, 1, 3, 3), contiguous(d, 8, 64, 28, 28)
	b.Run("depthwise", func(b *testing.B) {
		benchTemplate(b, "conv", 2*8*64*9*28*28, &TemplateArgs{In: []Operand{x, w}, Out: []Operand{y}, Ints: []int64{1, 1, 1, 1, 1, 1, 64}})
	})
}
