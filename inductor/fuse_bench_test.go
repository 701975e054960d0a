package inductor_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/inductor"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// benchGraph compiles what f builds over one [n, m] float32 input and runs it.
func benchGraph(b *testing.B, n, m int64, symbolic bool, o inductor.Options, f func(g *op.G, x op.Tensor) []op.Tensor) {
	bind := graph.NewBinder()
	geo := &tensor.Geometry{DType: tensor.Float32, Size: []int64{n, m}, Stride: []int64{m, 1}}
	var bd *graph.Builder
	var x *graph.Tensor
	if symbolic {
		bd = graph.NewBuilder(bind.Ctx)
		meta := bind.Input(geo, tensor.Device{})
		x = bd.Input(*meta, meta.Numel())
	} else {
		bd = graph.NewBuilder(nil)
		x = bd.Input(*geo.Meta(tensor.Device{}), sym.C(n*m))
	}
	out := f(&op.G{Graph: bd}, x)
	bd.Return(out...)
	bind.Ctx.Freeze()
	o.Target = loop.Portable()
	exe, err := inductor.New(o).Compile(context.Background(), bd.G)
	if err != nil {
		b.Fatal(err)
	}
	a := &graph.RunArgs{In: []tensor.Buffer{tensor.HostBuffer(make([]byte, 4*n*m))}}
	if symbolic {
		a.Bind = bind.Ctx.Hints()
	}
	for _, v := range bd.G.Outputs {
		k, _ := v.Len.Eval(a.Bind)
		a.Out = append(a.Out, tensor.HostBuffer(make([]byte, k*int64(v.DType.Size()))))
	}
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if err := exe.Run(ctx, a); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(strings.Count(exe.Dump("plan"), "step ")), "steps")
}

func chain(k int) func(g *op.G, x op.Tensor) []op.Tensor {
	return func(g *op.G, x op.Tensor) []op.Tensor {
		for i := range k {
			if i%2 == 0 {
				x = g.Mul(x, 0.5)
			} else {
				x = g.Op("relu", x)
			}
		}
		return []op.Tensor{x}
	}
}

func softmaxByHand(g *op.G, x op.Tensor) []op.Tensor {
	e := g.Op("exp", g.Sub(x, g.Op("amax", x, []int{1}, true)))
	return []op.Tensor{g.Div(e, g.Op("sum", e, []int{1}, true))}
}

// updates is an optimiser over 12 parameters of 3 shapes.
func updates(g *op.G, x op.Tensor) (out []op.Tensor) {
	for i := range 12 {
		p := g.Op("narrow", x, 0, i, []int{1, 3, 4}[i%3])
		m := g.Add(g.Mul(p, 0.9), g.Op("square", p))
		out = append(out, m, g.Sub(p, g.Mul(m, 0.1)))
	}
	return out
}

// BenchmarkFused, portable target, one thread of the build machine (shared):
//
//	                    fused          one kernel an op
//	100 ops on 8        2.2 µs         28 µs
//	10 ops on 64k       0.43 ms        0.77 ms
//	softmax by hand     0.66 ms        0.71 ms     (256 x 256)
//	12 parameters       5.0 µs         12 µs       (60 ops)
func BenchmarkFused(b *testing.B) {
	for _, fuse := range []bool{true, false} {
		o := inductor.Options{NoFuse: !fuse}
		tag := map[bool]string{true: "fused", false: "unfused"}[fuse]
		for _, symbolic := range []bool{false, true} {
			t := fmt.Sprintf("%s/symbolic=%v", tag, symbolic)
			b.Run("chain100of8/"+t, func(b *testing.B) { benchGraph(b, 1, 8, symbolic, o, chain(100)) })
		}
		b.Run("chain10of64k/"+tag, func(b *testing.B) { benchGraph(b, 256, 256, false, o, chain(10)) })
		b.Run("softmax256/"+tag, func(b *testing.B) { benchGraph(b, 256, 256, true, o, softmaxByHand) })
		b.Run("updates12/"+tag, func(b *testing.B) { benchGraph(b, 16, 64, false, o, updates) })
	}
}

// BenchmarkCompile is the time from graph to executable.
func BenchmarkCompile(b *testing.B) {
	for _, symbolic := range []bool{false, true} {
		b.Run(fmt.Sprintf("chain100/symbolic=%v", symbolic), func(b *testing.B) {
			bind := graph.NewBinder()
			geo := &tensor.Geometry{DType: tensor.Float32, Size: []int64{8, 64}, Stride: []int64{64, 1}}
			bd := graph.NewBuilder(bind.Ctx)
			meta := geo.Meta(tensor.Device{})
			if symbolic {
				meta = bind.Input(geo, tensor.Device{})
			}
			x := bd.Input(*meta, meta.Numel())
			bd.Return(chain(100)(&op.G{Graph: bd}, x)...)
			bind.Ctx.Freeze()
			c := inductor.New(inductor.Options{Target: loop.Portable()})
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Compile(context.Background(), bd.G); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// transformer is the loss of an l-layer transformer and its weights' sizes.
func transformer(l int) (sizes [][]int64, f func(g *op.G, in []op.Tensor) op.Tensor) {
	const t, d, h = 16, 32, 4
	sizes = [][]int64{{t, d}}
	for range l {
		sizes = append(sizes, []int64{d}, []int64{d}, []int64{3 * d, d}, []int64{3 * d}, []int64{d, d}, []int64{d}, []int64{d}, []int64{d}, []int64{4 * d, d}, []int64{4 * d}, []int64{d, 4 * d}, []int64{d})
	}
	return sizes, func(g *op.G, in []op.Tensor) op.Tensor {
		x, w := in[0], in[1:]
		for range l {
			n := g.Op("layer_norm", x, []int{d}, w[0], w[1])
			qkv := g.Ops("chunk", g.Op("linear", n, w[2], w[3]), 3, 1)
			head := func(i int) op.Tensor {
				return g.Op("transpose.int", g.Op("reshape", qkv[i], []int{t, h, d / h}), 0, 1)
			}
			s := g.Mul(g.Op("matmul", head(0), g.Op("transpose.int", head(1), 1, 2)), 0.35)
			a := g.Op("matmul", g.Op("_softmax", s, 2), head(2))
			x = g.Add(x, g.Op("linear", g.Op("reshape", g.Op("transpose.int", a, 0, 1), []int{t, d}), w[4], w[5]))
			n = g.Op("layer_norm", x, []int{d}, w[6], w[7])
			x = g.Add(x, g.Op("linear", g.Op("gelu", g.Op("linear", n, w[8], w[9])), w[10], w[11]))
			w = w[12:]
		}
		return g.Op("mean", g.Op("square", x))
	}
}

// BenchmarkTransformer compiles and runs loss and gradients of 12 layers, and an
// optimiser's updates of all weights, as one graph. Of 1,345 nodes 390 steps are
// left, 216 of them matrix products; compiling takes 48 ms (54 with symbolic
// sizes), differentiating and cutting 7 ms, a run 7 ms.
func BenchmarkTransformer(b *testing.B) {
	sizes, f := transformer(12)
	for _, symbolic := range []bool{false, true} {
		bind := graph.NewBinder()
		bd := graph.NewBuilder(bind.Ctx)
		var hs []op.Tensor
		var wrt []graph.Operand
		for _, s := range sizes {
			g := &tensor.Geometry{DType: tensor.Float32, Size: s, Stride: tensor.Strides(s)}
			m := g.Meta(tensor.Device{})
			if symbolic {
				m = bind.Input(g, tensor.Device{})
			}
			h := bd.Input(*m, m.Numel())
			hs, wrt = append(hs, h), append(wrt, graph.Operand{Value: h.Store.Value, Meta: h.M})
		}
		out := f(&op.G{Graph: bd}, hs).(*graph.Tensor)
		bd.Return(out)
		differentiate := func() *graph.Joint {
			j, err := graph.Differentiate(bd.G, []graph.Operand{{Value: out.Store.Value, Meta: out.M}}, wrt, graph.DiffOptions{})
			if err != nil {
				b.Fatal(err)
			}
			return j
		}
		j := differentiate()
		// p -= 0.1 * (m = 0.9 p + g)
		ub := &graph.Builder{G: j.G, Default: tensor.Float32}
		g := &op.G{Graph: ub}
		for k := range wrt {
			p := &graph.Tensor{Store: &graph.Storage{Value: j.G.Inputs[k]}, M: wrt[k].Meta}
			gr := &graph.Tensor{Store: &graph.Storage{Value: j.G.Outputs[j.Grads[k]]}, M: j.GradMeta[k]}
			m := g.Add(g.Mul(p, 0.9), gr)
			ub.Return(m, g.Sub(p, g.Mul(m, 0.1)))
		}
		graph.VerifyPasses = false
		b.Run(fmt.Sprintf("differentiate/symbolic=%v", symbolic), func(b *testing.B) {
			for b.Loop() {
				differentiate().Cut()
			}
		})
		c := inductor.New(inductor.Options{Target: loop.Portable()})
		var exe graph.Executable
		b.Run(fmt.Sprintf("compile/symbolic=%v", symbolic), func(b *testing.B) {
			for b.Loop() {
				var err error
				if exe, err = c.Compile(context.Background(), j.G); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(j.G.Nodes)), "nodes")
			b.ReportMetric(float64(strings.Count(exe.Dump("plan"), "step ")), "steps")
		})
		b.Run(fmt.Sprintf("run/symbolic=%v", symbolic), func(b *testing.B) {
			a := &graph.RunArgs{Bind: bind.Ctx.Hints()}
			for _, v := range j.G.Inputs {
				n, _ := v.Len.Eval(a.Bind)
				a.In = append(a.In, tensor.HostBuffer(make([]byte, 4*n)))
			}
			for _, v := range j.G.Outputs {
				n, _ := v.Len.Eval(a.Bind)
				a.Out = append(a.Out, tensor.HostBuffer(make([]byte, 4*n)))
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := exe.Run(context.Background(), a); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
