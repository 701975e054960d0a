package inductor_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/inductor"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

// program of a differentiable function of float inputs.
type diffCase struct {
	name  string
	sizes [][]int64
	f     func(g *op.G, in []op.Tensor) op.Tensor
}

var diffCases = []diffCase{
	{"chain", [][]int64{{3, 4}}, func(g *op.G, in []op.Tensor) op.Tensor {
		return g.Op("tanh", g.Mul(g.Op("exp", in[0]), 0.5))
	}},
	{"broadcast", [][]int64{{3, 4}, {4}, {3, 1}}, func(g *op.G, in []op.Tensor) op.Tensor {
		return g.Mul(g.Add(in[0], in[1]), in[2])
	}},
	{"mlp", [][]int64{{5, 4}, {6, 4}, {6}, {3, 6}, {3}}, func(g *op.G, in []op.Tensor) op.Tensor {
		h := g.Op("relu", g.Op("linear", in[0], in[1], in[2]))
		return g.Op("mean", g.Op("square", g.Op("linear", h, in[3], in[4])))
	}},
	{"views", [][]int64{{4, 6}}, func(g *op.G, in []op.Tensor) op.Tensor {
		x := g.Op("exp", in[0])
		a := g.Op("transpose.int", x, 0, 1)
		b := g.Op("narrow", x, 1, 2, 4)
		c := g.Op("select.int", x, 0, 1)
		d := g.Op("reshape", x, []int{3, 8})
		return g.Add(g.Add(g.Op("sum", g.Op("square", a), []int{1}), g.Op("sum", b)), g.Add(g.Mul(c, g.Op("sum", c)), g.Op("mean", g.Mul(d, d))))
	}},
	{"expand", [][]int64{{4, 1}}, func(g *op.G, in []op.Tensor) op.Tensor {
		e := g.Op("expand", g.Op("tanh", in[0]), []int{4, 3})
		return g.Mul(e, e)
	}},
	{"softmax", [][]int64{{4, 6}, {4, 6}}, func(g *op.G, in []op.Tensor) op.Tensor {
		return g.Mul(g.Op("_softmax", in[0], 1), g.Op("_log_softmax", g.Mul(in[1], 2.0), 0))
	}},
	{"by hand", [][]int64{{4, 6}}, func(g *op.G, in []op.Tensor) op.Tensor {
		e := g.Op("exp", g.Sub(in[0], g.Op("amax", in[0], []int{1}, true)))
		return g.Op("square", g.Div(e, g.Op("sum", e, []int{1}, true)))
	}},
	{"layer_norm", [][]int64{{4, 6}, {6}, {6}}, func(g *op.G, in []op.Tensor) op.Tensor {
		return g.Op("gelu", g.Op("layer_norm", in[0], []int{6}, in[1], in[2]))
	}},
	{"attention", [][]int64{{2, 5, 4}, {2, 5, 4}, {2, 5, 4}}, func(g *op.G, in []op.Tensor) op.Tensor {
		s := g.Op("_softmax", g.Mul(g.Op("bmm", in[0], g.Op("transpose.int", in[1], 1, 2)), 0.5), 2)
		return g.Op("bmm", s, in[2])
	}},
	{"writes", [][]int64{{4, 6}, {4, 2}, {6}}, func(g *op.G, in []op.Tensor) op.Tensor {
		x := g.Op("clone", g.Op("tanh", in[0]))
		g.Put(g.Op("narrow", x, 1, 1, 2), g.Op("exp", in[1]))
		g.Put(g.Op("select.int", x, 0, 2), in[2])
		g.Put(g.Op("select.int", x, 1, 5), g.Op("select.int", g.Op("square", x), 1, 0))
		return g.Op("square", x)
	}},
	{"cat", [][]int64{{4, 6}, {4, 2}}, func(g *op.G, in []op.Tensor) op.Tensor {
		return g.Op("cumsum", g.Op("cat", []op.Tensor{in[0], g.Op("exp", in[1])}, 1), 1)
	}},
	{"extremes", [][]int64{{4, 6}, {4, 6}}, func(g *op.G, in []op.Tensor) op.Tensor {
		return g.Mul(g.Ops("max.dim", in[0], 1)[0], g.Op("sum", g.Op("maximum", in[0], in[1]), []int{1}))
	}},
	{"conv", [][]int64{{2, 3, 8}, {4, 3, 3}, {4}}, func(g *op.G, in []op.Tensor) op.Tensor {
		return g.Op("tanh", g.Op("conv1d", in[0], in[1], in[2]))
	}},
	{"where", [][]int64{{4, 6}, {4, 6}}, func(g *op.G, in []op.Tensor) op.Tensor {
		return g.Op("where", g.Op("gt", in[0], in[1]), g.Mul(in[0], in[1]), g.Op("neg", in[1]))
	}},
}

// randomDiff is a random differentiable program.
func randomDiff(seed uint64) diffCase {
	return diffCase{fmt.Sprint("random ", seed), [][]int64{{4, 6}, {6}, {4, 6}}, func(g *op.G, in []op.Tensor) op.Tensor {
		r := rand.New(rand.NewPCG(seed, 3))
		pool := append([]op.Tensor{}, in...)
		pick := func() op.Tensor { return pool[len(pool)-1-r.IntN(min(4, len(pool)))] }
		for range 4 + r.IntN(9) {
			t := pick()
			rank := t.Meta().Rank()
			try(func() {
				switch r.IntN(10) {
				case 0, 1:
					t = g.Op([]string{"tanh", "sigmoid", "neg", "square", "sin"}[r.IntN(5)], t)
				case 2, 3:
					t = g.Op([]string{"add", "sub", "mul"}[r.IntN(3)], t, pick())
				case 4:
					if rank > 0 {
						t = g.Op([]string{"sum", "mean", "amax"}[r.IntN(3)], t, []int{r.IntN(rank)}, r.IntN(2) == 0)
					}
				case 5:
					if rank == 2 {
						t = g.Op("transpose.int", t, 0, 1)
					}
				case 6:
					if rank > 0 {
						d := r.IntN(rank)
						t = g.Op("narrow", t, d, 0, t.Meta().Size[d].Sub(sym.C(1)))
					}
				case 7:
					if rank > 0 {
						t = g.Op("_softmax", t, r.IntN(rank))
					}
				case 8:
					t = g.Op("reshape", t, []int{-1})
				case 9:
					if rank > 0 {
						c := g.Op("clone", t)
						d := r.IntN(rank)
						g.Put(g.Op("select.int", c, d, 0), g.Op("tanh", g.Op("select.int", t, d, 0)))
						t = c
					}
				}
			})
			pool = append(pool, t)
		}
		sum := g.Op("sum", pool[len(pool)-1])
		for _, t := range pool[max(0, len(pool)-3):] {
			sum = g.Add(sum, g.Op("sum", g.Op("square", t)))
		}
		return sum
	}}
}

// TestDifferentiate holds the gradients of joint graphs and of their two halves,
// compiled, against the tape of the eager machine, on constant and on symbolic sizes.
func TestDifferentiate(t *testing.T) {
	cases := diffCases
	n := uint64(120)
	if testing.Short() {
		n = 20
	}
	for s := range n {
		cases = append(cases, randomDiff(s))
	}
	comp := inductor.New(inductor.Options{Target: loop.Portable()})
	ctx := context.Background()
	for _, c := range cases {
		for _, symbolic := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/symbolic=%v", c.name, symbolic), func(t *testing.T) {
				// the tape
				m := newMachine(t)
				var in []op.Tensor
				var geo []*tensor.Geometry
				var bufs []tensor.Buffer
				for k, size := range c.sizes {
					s := op.NewSample(tensor.Float64, op.LayContig, uint64(k+1), op.Fill{Kind: op.FillNormal}, size...)
					v := m.input(s)
					v.grad = true
					in = append(in, v)
					geo = append(geo, &s.Geometry)
					bufs = append(bufs, tensor.HostBuffer(v.st.b))
				}
				var outM op.Tensor
				hasPut := false
				if ok := try(func() { outM = c.f(&op.G{Graph: putless{m, &hasPut}}, in) }); !ok && !hasPut {
					t.Fatal("the program raises")
				}
				// the graph
				bind := graph.NewBinder()
				b := graph.NewBuilder(bind.Ctx)
				var hs []op.Tensor
				var wrt []graph.Operand
				for _, g := range geo {
					meta := g.Meta(tensor.Device{})
					if symbolic {
						meta = bind.Input(g, tensor.Device{})
					}
					h := b.Input(*meta, meta.Numel())
					hs = append(hs, h)
					wrt = append(wrt, graph.Operand{Value: h.Store.Value, Meta: h.M})
				}
				out := c.f(&op.G{Graph: b}, hs).(*graph.Tensor)
				b.Return(out)
				j, err := graph.Differentiate(b.G, []graph.Operand{{Value: out.Store.Value, Meta: out.M}}, wrt, graph.DiffOptions{})
				if err != nil {
					t.Fatalf("%v\n%s", err, b.G)
				}
				p := j.Cut()
				for _, g := range []*graph.Graph{b.G, j.G, p.Forward, p.Backward} {
					if err := graph.Verify(g); err != nil {
						t.Fatalf("%v\n%s", err, g)
					}
				}
				vals, ok := bind.Values(geo)
				if !symbolic {
					vals = nil
				} else if !ok || bind.Ctx.Check(vals) >= 0 {
					t.Fatalf("own guards fail")
				}
				room := func(vs []*graph.Value) (l []tensor.Buffer) {
					for _, v := range vs {
						n, _ := v.Len.Eval(vals)
						l = append(l, tensor.HostBuffer(make([]byte, n*int64(v.DType.Size()))))
					}
					return
				}
				run := func(g *graph.Graph, in []tensor.Buffer) []tensor.Buffer {
					exe, err := comp.Compile(ctx, g)
					if err != nil {
						t.Fatalf("%v\n%s", err, g)
					}
					o := room(g.Outputs)
					if err := exe.Run(ctx, &graph.RunArgs{In: in, Out: o, Bind: vals}); err != nil {
						t.Fatalf("%v\n%s\n%s", err, g, exe.Dump("loops"))
					}
					return o
				}
				// tangents of uneven values
				tang := room([]*graph.Value{{DType: tensor.Float64, Len: out.M.Numel()}})
				for i := range int64(len(tang[0].Bytes()) / 8) {
					set(tang[0].Bytes(), tensor.Float64, i, 0.5+math.Mod(float64(i)*0.37, 1))
				}
				joint := run(j.G, append(append([]tensor.Buffer{}, bufs...), tang...))
				fwd := run(p.Forward, bufs)
				var bin []tensor.Buffer
				for _, s := range p.Saved {
					if s.Input >= 0 {
						bin = append(bin, bufs[s.Input])
					} else {
						bin = append(bin, fwd[s.Output])
					}
				}
				back := run(p.Backward, append(bin, tang...))
				// the reference: the tape, or differences where the program writes
				var want []op.Tensor
				if !hasPut {
					seed := &val{m: contigMeta(outM.Meta()), st: &store{tang[0].Bytes()}}
					var leaves []*val
					for _, v := range in {
						leaves = append(leaves, v.(*val))
					}
					if want, err = m.backward([]op.Tensor{outM}, []op.Tensor{seed}, leaves); err != nil {
						t.Fatal(err)
					}
				}
				fwdExe, err := comp.Compile(ctx, b.G)
				if err != nil {
					t.Fatal(err)
				}
				loss := func() (s float64) {
					o := room(b.G.Outputs)
					if err := fwdExe.Run(ctx, &graph.RunArgs{In: bufs, Out: o, Bind: vals}); err != nil {
						t.Fatal(err)
					}
					meta := *out.Meta()
					k := int64(0)
					for _, a := range addrs(evalTo(&meta, vals)) {
						s += get(o[0].Bytes(), tensor.Float64, a) * get(tang[0].Bytes(), tensor.Float64, k)
						k++
					}
					return
				}
				at := 0
				for k := range wrt {
					i := j.Grads[k]
					if i < 0 {
						if want != nil && want[k] != nil {
							for _, x := range want[k].(*val).list() {
								if x != 0 {
									t.Fatalf("input %d has no gradient, the tape has one", k)
								}
							}
						}
						continue
					}
					a, bb := joint[i].Bytes(), back[at].Bytes()
					at++
					var ref []float64
					if want != nil && want[k] != nil {
						ref = want[k].(*val).list()
					}
					for e := range int64(len(a) / 8) {
						x, y := get(a, tensor.Float64, e), get(bb, tensor.Float64, e)
						w := x
						switch {
						case ref != nil:
							w = ref[e]
						case want != nil:
							w = 0
						default:
							buf := bufs[k].Bytes()
							v := get(buf, tensor.Float64, e)
							const h = 1e-6
							set(buf, tensor.Float64, e, v+h)
							hi := loss()
							set(buf, tensor.Float64, e, v-h)
							lo := loss()
							set(buf, tensor.Float64, e, v)
							w = (hi - lo) / (2 * h)
						}
						tol := 1e-9
						if hasPut {
							tol = 1e-5
						}
						if math.Abs(x-w) > tol*(1+math.Abs(w)) || math.Abs(y-x) > 1e-9*(1+math.Abs(x)) {
							t.Fatalf("input %d element %d: joint %g, backward %g, want %g\n%s\n%s", k, e, x, y, w, j.G, p.Backward)
						}
					}
				}
			})
		}
	}
}

// putless notes writes, through which the machine's tape does not go.
type putless struct {
	*machine
	put *bool
}

func (p putless) Write(dst, src op.Tensor) error {
	*p.put = true
	return p.machine.Write(dst, src)
}

func contigMeta(m *tensor.Meta) *tensor.Meta {
	return &tensor.Meta{DType: m.DType, Size: m.Size, Stride: op.Contig(m.Size)}
}

func evalTo(m *tensor.Meta, v []int64) *tensor.Meta {
	r := &tensor.Meta{DType: m.DType}
	for d := range m.Size {
		a, _ := m.Size[d].Eval(v)
		b, _ := m.Stride[d].Eval(v)
		r.Size, r.Stride = append(r.Size, sym.C(a)), append(r.Stride, sym.C(b))
	}
	o, _ := m.Off.Eval(v)
	r.Off = sym.C(o)
	return r
}

// TestRecompute: what is saved between forward and backward.
func TestRecompute(t *testing.T) {
	for _, c := range []struct {
		name  string
		size  [][]int64
		f     func(g *op.G, in []op.Tensor) op.Tensor
		bytes int64 // beside the inputs
	}{
		// all pointwise: computed again from the input
		{"chain", [][]int64{{100, 40}}, func(g *op.G, in []op.Tensor) op.Tensor {
			return g.Op("tanh", g.Op("exp", g.Op("sin", in[0])))
		}, 0},
		// the product is saved once, not relu's and tanh's results as well
		{"after a product", [][]int64{{100, 40}, {40, 30}}, func(g *op.G, in []op.Tensor) op.Tensor {
			return g.Op("tanh", g.Op("relu", g.Op("mm", in[0], in[1])))
		}, 100 * 30 * 8},
		// a sum is smaller than what it summed, and needs nothing but the input
		{"sum", [][]int64{{100, 40}}, func(g *op.G, in []op.Tensor) op.Tensor {
			return g.Op("square", g.Op("sum", g.Op("exp", in[0]), []int{1}))
		}, 100 * 8},
	} {
		b := graph.NewBuilder(nil)
		var hs []op.Tensor
		var wrt []graph.Operand
		for _, s := range c.size {
			g := &tensor.Geometry{DType: tensor.Float64, Size: s, Stride: tensor.Strides(s)}
			m := g.Meta(tensor.Device{})
			h := b.Input(*m, m.Numel())
			hs, wrt = append(hs, h), append(wrt, graph.Operand{Value: h.Store.Value, Meta: h.M})
		}
		out := c.f(&op.G{Graph: b}, hs).(*graph.Tensor)
		b.Return(out)
		j, err := graph.Differentiate(b.G, []graph.Operand{{Value: out.Store.Value, Meta: out.M}}, wrt, graph.DiffOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if p := j.Cut(); p.Bytes != c.bytes {
			t.Errorf("%s: %d bytes saved, want %d\n%s\n%s", c.name, p.Bytes, c.bytes, p.Forward, p.Backward)
		}
	}
}
