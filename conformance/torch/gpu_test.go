package torch

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// Shapes at which the GPU's code takes other ways than at the sweep's few elements:
// rows kept in registers, points shared by blocks, columns, tiles of products. The
// CPU's portable target is the measure.

type gpuCase struct {
	name string
	op   string
	args func() []op.Arg
	tol  float64
}

func gpuCases() []gpuCase {
	sample := func(d tensor.DType, l op.Lay, seed uint64, size ...int64) op.Arg {
		return op.T(op.NewSample(d, l, seed, op.Fill{Kind: op.FillNormal}, size...))
	}
	f := func(size ...int64) op.Arg { return sample(tensor.Float32, op.LayContig, 1, size...) }
	h := func(seed uint64, size ...int64) op.Arg { return sample(tensor.BFloat16, op.LayContig, seed, size...) }
	ints := func(v ...int64) op.Arg {
		l := make([]op.SymInt, len(v))
		for i := range v {
			l[i] = op.C(v[i])
		}
		return op.IntList(l)
	}
	one := op.IntArg(op.C(1))
	cases := []gpuCase{
		{"softmax of a warp's rows", "_softmax", func() []op.Arg { return []op.Arg{f(6, 800), one} }, 1e-5},
		{"softmax of a block's rows, in registers", "_softmax", func() []op.Arg { return []op.Arg{h(1, 3, 4096), one} }, 1e-2},
		{"softmax of long rows", "_softmax", func() []op.Arg { return []op.Arg{h(1, 2, 50304), one} }, 1e-2},
		{"softmax of ragged rows", "_softmax", func() []op.Arg { return []op.Arg{f(3, 4099), one} }, 1e-5},
		{"softmax of columns", "_softmax", func() []op.Arg { return []op.Arg{f(700, 37), op.IntArg(op.C(0))} }, 1e-5},
		{"sum of everything", "sum", func() []op.Arg { return []op.Arg{f(100, 3000)} }, 1e-5},
		{"sum of ragged everything", "sum", func() []op.Arg { return []op.Arg{sample(tensor.Float32, op.LayStep, 1, 40001)} }, 1e-5},
		{"sum of columns", "sum", func() []op.Arg { return []op.Arg{f(3000, 70), ints(0)} }, 1e-5},
		{"sum of four columns a lane", "sum", func() []op.Arg { return []op.Arg{f(3001, 256), ints(0)} }, 1e-5},
		{"sum of columns of 16 bits", "mean", func() []op.Arg { return []op.Arg{h(1, 517, 132), ints(0)} }, 1e-2},
		{"sum of columns in batches", "sum", func() []op.Arg { return []op.Arg{f(3, 700, 128), ints(1)} }, 1e-5},
		{"products of columns", "amax", func() []op.Arg { return []op.Arg{f(900, 192), ints(0)} }, 0},
		{"sum of a middle dimension", "sum", func() []op.Arg { return []op.Arg{f(5, 600, 33), ints(1)} }, 1e-5},
		{"variance of everything", "var", func() []op.Arg { return []op.Arg{f(50000)} }, 1e-5},
		{"argmax of everything", "argmax", func() []op.Arg { return []op.Arg{f(70000)} }, 0},
		{"argmax of rows", "argmax", func() []op.Arg { return []op.Arg{h(1, 5, 5000), one} }, 0},
		{"max of columns", "max.dim", func() []op.Arg { return []op.Arg{f(900, 40), op.IntArg(op.C(0))} }, 0},
		{"cumsum", "cumsum", func() []op.Arg { return []op.Arg{f(7, 500), one} }, 1e-5},
		{"any", "any", func() []op.Arg { return []op.Arg{sample(tensor.Bool, op.LayContig, 1, 30000)} }, 0},
		{"misaligned rows", "add", func() []op.Arg { return []op.Arg{sample(tensor.BFloat16, op.LayOffset, 1, 33, 129), h(2, 33, 129)} }, 0},
		{"transposed", "_contiguous", func() []op.Arg { return []op.Arg{sample(tensor.BFloat16, op.LayTrans, 1, 130, 257)} }, 0},
		{"cross entropy", "_cross_entropy", nil, 1e-5},
	}
	cases = cases[:len(cases)-1]
	for _, d := range []tensor.DType{tensor.BFloat16, tensor.Float16, tensor.Float32, tensor.Float64, tensor.Int64} {
		for _, z := range [][3]int64{{1, 64, 100}, {3, 256, 72}, {128, 64, 128}, {130, 72, 136}, {257, 40, 264}, {65, 33, 67}} {
			for _, l := range [][2]op.Lay{{op.LayContig, op.LayContig}, {op.LayTrans, op.LayContig}, {op.LayContig, op.LayTrans}, {op.LayTrans, op.LayTrans}} {
				tol := map[tensor.DType]float64{tensor.BFloat16: 1e-2, tensor.Float16: 2e-3, tensor.Float32: 1e-5, tensor.Float64: 1e-12}[d]
				if d.Size() == 8 && z[0] > 130 || d == tensor.Float32 && z[0] > 130 {
					continue
				}
				cases = append(cases, gpuCase{fmt.Sprintf("product %s %v %v", d, z, l), "mm", func() []op.Arg {
					fill := op.Fill{Kind: op.FillNormal}
					if !d.IsFloat() {
						fill = op.Fill{Kind: op.FillInt, Lo: -9, Hi: 9}
					}
					return []op.Arg{op.T(op.NewSample(d, l[0], 3, fill, z[0], z[1])), op.T(op.NewSample(d, l[1], 4, fill, z[1], z[2]))}
				}, tol})
			}
		}
	}
	cases = append(cases,
		gpuCase{"batched product", "bmm", func() []op.Arg { return []op.Arg{h(1, 3, 40, 64), h(2, 3, 64, 48)} }, 1e-2},
		gpuCase{"product and bias", "addmm", func() []op.Arg { return []op.Arg{h(3, 72), h(1, 40, 64), h(2, 64, 72)} }, 1e-2},
		gpuCase{"bias, few rows", "addmm", func() []op.Arg { return []op.Arg{f(72), f(2, 64), sample(tensor.Float32, op.LayTrans, 2, 64, 72)} }, 1e-5})
	return append(append(cases, attentionCases()...), convolutionCases()...)
}

// attentionCases are attention as one kernel, held against its definition, and the op
// that chooses it, against products and a softmax.
func attentionCases() (l []gpuCase) {
	for _, z := range []struct {
		b, h, g, m, n, d int64
		causal           bool
		mask             string
		lay              op.Lay
	}{
		{1, 2, 2, 64, 64, 64, false, "", op.LayContig},
		{2, 2, 2, 70, 130, 32, false, "", op.LayContig},
		{1, 2, 2, 130, 130, 128, true, "", op.LayContig},
		{1, 4, 2, 65, 100, 64, true, "", op.LayContig},
		{2, 4, 1, 1, 150, 128, false, "", op.LayContig}, // one query
		{1, 2, 2, 40, 90, 24, false, "rows", op.LayContig},
		{1, 2, 2, 33, 65, 80, false, "keys", op.LayContig},
		{1, 2, 2, 129, 20, 16, true, "", op.LayContig},
		{6, 2, 2, 130, 64, 64, true, "", op.LayContig}, // two tiles a warp
	} {
		for _, d := range []tensor.DType{tensor.BFloat16, tensor.Float16} {
			l = append(l, gpuCase{fmt.Sprintf("attention %s %v", d, z), "_attention", func() []op.Arg {
				t := func(seed uint64, h, n int64) op.Arg {
					x := op.NewSample(d, z.lay, seed, op.Fill{Kind: op.FillNormal}, z.b, h, n, z.d)
					x.Grad = true
					return op.T(x)
				}
				mask := op.Arg{}
				fill := op.Fill{Kind: op.FillInt, Lo: 0, Hi: 1}
				switch z.mask {
				case "rows":
					mask = op.T(op.NewSample(tensor.Bool, op.LayContig, 9, fill, z.b, z.h, z.m, z.n))
				case "keys":
					mask = op.T(op.NewSample(tensor.Bool, op.LayExpanded, 9, fill, z.b, z.h, z.m, z.n))
				}
				return []op.Arg{t(1, z.h, z.m), t(2, z.g, z.n), t(3, z.g, z.n), mask, op.Num(tensor.Float(0.17)), op.Bool(z.causal)}
			}, 2e-2})
		}
	}
	h := func(seed uint64, size ...int64) op.Arg {
		x := op.NewSample(tensor.BFloat16, op.LayContig, seed, op.Fill{Kind: op.FillNormal}, size...)
		x.Grad = true
		return op.T(x)
	}
	none, zero := op.Arg{}, op.Num(tensor.Float(0))
	return append(l,
		gpuCase{"scaled_dot_product_attention", "scaled_dot_product_attention", func() []op.Arg {
			return []op.Arg{h(1, 2, 2, 20, 32), h(2, 2, 2, 40, 32), h(3, 2, 2, 40, 32), none, zero, op.Bool(true)}
		}, 8e-2},
		gpuCase{"scaled_dot_product_attention of shared heads, no batch", "scaled_dot_product_attention", func() []op.Arg {
			return []op.Arg{h(1, 4, 20, 16), h(2, 2, 40, 16), h(3, 2, 40, 16), none, zero, op.Bool(false), none, op.Bool(true)}
		}, 8e-2},
		gpuCase{"scaled_dot_product_attention of five dimensions under a mask", "scaled_dot_product_attention", func() []op.Arg {
			mask := op.NewSample(tensor.Bool, op.LayContig, 9, op.Fill{Kind: op.FillInt, Lo: 0, Hi: 1}, 20, 40)
			return []op.Arg{h(1, 2, 3, 2, 20, 16), h(2, 2, 3, 2, 40, 16), h(3, 2, 3, 2, 40, 16), op.T(mask), zero, op.Bool(false)}
		}, 8e-2})
}

// convolutionCases are larger than the sweep's: several tiles of positions and channels.
func convolutionCases() (l []gpuCase) {
	for _, z := range []struct {
		n, c, o, size, win      int64
		stride, pad, dil, group int64
	}{
		{2, 16, 24, 9, 3, 1, 1, 1, 1},
		{3, 40, 72, 7, 3, 2, 1, 1, 1},
		{1, 8, 8, 12, 2, 1, 0, 2, 1},
		{2, 24, 32, 6, 3, 2, 2, 1, 2},
		{1, 32, 64, 5, 1, 1, 0, 1, 1},
	} {
		for _, d := range []tensor.DType{tensor.BFloat16, tensor.Float16, tensor.Float32} {
			tol := map[tensor.DType]float64{tensor.BFloat16: 1e-2, tensor.Float16: 2e-3, tensor.Float32: 1e-5}[d]
			l = append(l, gpuCase{fmt.Sprintf("convolution %s %v", d, z), "conv2d", func() []op.Arg {
				t := func(seed uint64, size ...int64) op.Arg {
					x := op.NewSample(d, op.LayContig, seed, op.Fill{Kind: op.FillNormal}, size...)
					x.Grad = true
					return op.T(x)
				}
				two := func(v int64) op.Arg { return op.IntList([]op.SymInt{op.C(v), op.C(v)}) }
				return []op.Arg{t(1, z.n, z.c, z.size, z.size), t(2, z.o, z.c/z.group, z.win, z.win), t(3, z.o), two(z.stride), two(z.pad), two(z.dil), op.IntArg(op.C(z.group))}
			}, tol})
		}
	}
	return l
}

func TestGPUShapes(t *testing.T) {
	gpu := "ptx"
	if *onCUDA {
		gpu = "cuda"
	}
	want, got := newMachine(t, "portable"), newMachine(t, gpu)
	for _, c := range gpuCases() {
		t.Run(c.name, func(t *testing.T) {
			d := op.Lookup(c.op)
			if d == nil {
				t.Fatal("no such op")
			}
			tc := &testCase{ID: c.name, def: d, sample: op.Sample{Args: c.args()}, Op: c.op}
			x, y := want.run(tc), got.run(tc)
			if x.bug != "" || y.bug != "" || x.err != nil || y.err != nil {
				t.Fatal(x.bug, x.err, y.bug, y.err)
			}
			for i := range x.out {
				differ(t, fmt.Sprint("output ", i), x.out[i], y.out[i], c.tol)
			}
			for i := range x.grads {
				if x.grads[i] != nil {
					differ(t, fmt.Sprint("gradient ", i), x.grads[i], y.grads[i], 2*c.tol)
				}
			}
		})
	}
	for k := range got.onHost {
		t.Errorf("a kernel ran on the host: %s", k)
	}
}

func differ(t *testing.T, what string, a, b *eager.Tensor, tol float64) {
	t.Helper()
	cpu := newMachine(t, "portable")
	x, y := must(cpu.Raw(a)), must(cpu.Raw(b))
	if len(x) != len(y) {
		t.Fatalf("%s: %d bytes, want %d", what, len(y), len(x))
	}
	z := a.DType.Size()
	top := 0.0
	for i := 0; i < len(x); i += z {
		if v := math.Abs(element(a.DType, x[i:])); !math.IsInf(v, 0) {
			top = max(top, v)
		}
	}
	for i := 0; i < len(x); i += z {
		v, w := element(a.DType, x[i:]), element(a.DType, y[i:])
		if v == w || math.IsNaN(v) && math.IsNaN(w) {
			continue
		}
		if !(math.Abs(v-w) <= tol*(math.Abs(v)+0.1*top)) {
			t.Fatalf("%s: element %d of %d is %v, want %v", what, i/z, len(x)/z, w, v)
		}
	}
}

// leftToHost is what the sweep's cases still leave to the host on a GPU: kernels and
// templates without code for it. The list only shrinks.
//
// random_*: the sweep draws from the CPU's stream, which the vectors were made with; a
// GPU's own generator has kernels for uniform and normal draws.
var leftToHost = []string{
	"random_any: no code for float32",
	"random_any: no code for float64",
	"random_bernoulli: no code for float32",
	"random_bernoulli: no code for float64",
	"random_cauchy: no code for float32",
	"random_cauchy: no code for float64",
	"random_exponential: no code for float32",
	"random_exponential: no code for float64",
	"random_geometric: no code for float32",
	"random_geometric: no code for float64",
	"random_int: no code for float32",
	"random_int: no code for float64",
	"random_int: no code for int64",
	"random_log_normal: no code for float32",
	"random_log_normal: no code for float64",
	"random_multinomial: no code for float32",
	"random_multinomial: no code for float64",
	"random_normal: no code for bfloat16",
	"random_normal: no code for float16",
	"random_normal: no code for float32",
	"random_normal: no code for float64",
	"random_perm: no code for float32",
	"random_perm: no code for int32",
	"random_perm: no code for int64",
	"random_poisson: no code for float32",
	"random_poisson: no code for float64",
	"random_uniform: no code for bfloat16",
	"random_uniform: no code for float16",
	"random_uniform: no code for float32",
	"random_uniform: no code for float64",
}

// checkHosted holds what was left to the host against the list, when whole sweeps ran.
func checkHosted(t *testing.T, target string, hosted map[string]bool) {
	if target != "ptx" && target != "cuda" || t.Failed() {
		return
	}
	listed := map[string]bool{}
	for _, k := range leftToHost {
		listed[k] = true
		if !hosted[k] {
			t.Errorf("%s has code for the GPU now: take it off the list", k)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(hosted)) {
		if !listed[k] {
			t.Errorf("left to the host: %q", k)
		}
	}
}
