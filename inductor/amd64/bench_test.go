package amd64_test

import (
	"testing"

	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

func benchKernels() map[string]func() (*loop.Kernel, *loop.Args, int64) {
	vec := func(n int64, f func(b *loop.Builder, x loop.V) loop.V) func() (*loop.Kernel, *loop.Args, int64) {
		return func() (*loop.Kernel, *loop.Args, int64) {
			b := loop.NewBuilder("point")
			in, out := b.AddBuf(tensor.Float32, loop.In, "x"), b.AddBuf(tensor.Float32, loop.Out, "y")
			one, size := []sym.Int{sym.C(1)}, []sym.Int{sym.C(n)}
			b.Loop(loop.Vector, sym.C(n), func(a loop.Axis) {
				i := []loop.Ix{loop.At(a)}
				b.Store(b.Access(out, size, one, sym.C(0), i, 0), f(b, b.Load(b.Access(in, size, one, sym.C(0), i, 0))))
			})
			x, y := make([]float32, n), make([]float32, n)
			for i := range x {
				x[i] = float32(i%100)/25 - 2
			}
			return b.Kernel(), &loop.Args{Bufs: []loop.Mem{loop.MemOf(bytesOf(x), tensor.Float32), loop.MemOf(bytesOf(y), tensor.Float32)}}, n
		}
	}
	softmax := func(rows, cols int64) func() (*loop.Kernel, *loop.Args, int64) {
		return func() (*loop.Kernel, *loop.Args, int64) {
			b := loop.NewBuilder("softmax")
			in, out := b.AddBuf(tensor.Float32, loop.In, "x"), b.AddBuf(tensor.Float32, loop.Out, "y")
			size, stride := []sym.Int{sym.C(rows), sym.C(cols)}, []sym.Int{sym.C(cols), sym.C(1)}
			b.Loop(loop.Grid, sym.C(rows), func(r loop.Axis) {
				load := func(k int, a loop.Axis) loop.V {
					return b.Load(b.Access(k, size, stride, sym.C(0), []loop.Ix{loop.At(r), loop.At(a)}, 0))
				}
				m := b.Fold(loop.Vector, sym.C(cols), []loop.FoldOp{loop.FoldMax}, func(a loop.Axis) []loop.V { return []loop.V{load(in, a)} })
				s := b.Fold(loop.Vector, sym.C(cols), []loop.FoldOp{loop.FoldAdd}, func(a loop.Axis) []loop.V {
					e := b.Exp(b.Sub(load(in, a), m[0]))
					b.Store(b.Access(out, size, stride, sym.C(0), []loop.Ix{loop.At(r), loop.At(a)}, 0), e)
					return []loop.V{e}
				})
				inv := b.Recip(s[0])
				b.Loop(loop.Vector, sym.C(cols), func(a loop.Axis) {
					b.Store(b.Access(out, size, stride, sym.C(0), []loop.Ix{loop.At(r), loop.At(a)}, 0), b.Mul(load(out, a), inv))
				})
			})
			x, y := make([]float32, rows*cols), make([]float32, rows*cols)
			for i := range x {
				x[i] = float32(i%97) / 20
			}
			return b.Kernel(), &loop.Args{Bufs: []loop.Mem{loop.MemOf(bytesOf(x), tensor.Float32), loop.MemOf(bytesOf(y), tensor.Float32)}}, rows
		}
	}
	return map[string]func() (*loop.Kernel, *loop.Args, int64){
		"add8":            vec(8, func(b *loop.Builder, x loop.V) loop.V { return b.Add(x, b.Like(x, 1)) }),
		"add4k":           vec(4096, func(b *loop.Builder, x loop.V) loop.V { return b.Add(x, b.Like(x, 1)) }),
		"exp4k":           vec(4096, func(b *loop.Builder, x loop.V) loop.V { return b.Exp(x) }),
		"tanh4k":          vec(4096, func(b *loop.Builder, x loop.V) loop.V { return b.Tanh(x) }),
		"gelu4k":          vec(4096, func(b *loop.Builder, x loop.V) loop.V { return b.Gelu(x) }),
		"sin4k":           vec(4096, func(b *loop.Builder, x loop.V) loop.V { return b.Sin(x) }),
		"add16M":          vec(16<<20, func(b *loop.Builder, x loop.V) loop.V { return b.Add(x, b.Like(x, 1)) }),
		"softmax256x1024": softmax(256, 1024),
		"softmax65536x4":  softmax(65536, 4),
	}
}

func BenchmarkKernels(b *testing.B) {
	for _, name := range []string{"add8", "add4k", "exp4k", "tanh4k", "gelu4k", "sin4k", "add16M", "softmax256x1024", "softmax65536x4"} {
		k, a, n := benchKernels()[name]()
		for _, how := range []string{"avx512", "avx2", "portable"} {
			b.Run(name+"/"+how, func(b *testing.B) {
				tg := loop.Portable()
				if how != "portable" {
					tg, _ = target(b, how == "avx2")
				}
				p, err := tg.Compile(k)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(a.Bufs[0].Len * 4)
				for b.Loop() {
					if err := p.Run(a, 0, n); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkCompile is a kernel from description to callable code.
func BenchmarkCompile(b *testing.B) {
	for _, name := range []string{"add4k", "gelu4k", "softmax256x1024"} {
		k, a, n := benchKernels()[name]()
		b.Run(name, func(b *testing.B) {
			tg := quiet(b)
			for b.Loop() {
				p, err := tg.Compile(k)
				if err != nil {
					b.Fatal(err)
				}
				if err := p.Run(a, 0, min(n, 1)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
