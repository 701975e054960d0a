package inductor_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/device/cpu"
	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/inductor"
	"github.com/larkspur-ml/larkspur/inductor/amd64"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

func init() { graph.VerifyPasses = true }

var graphs = flag.Int("graphs", 600, "random graphs to compare fused with unfused")

// randomGraph is a graph of random ops over views of a few inputs, and writes.
type randomGraph struct {
	b      *graph.Builder
	bind   *graph.Binder
	inputs []tensor.Geometry
	pool   []*graph.Tensor
	metas  []tensor.Meta // of outputs
	trace  []string
	nums   []tensor.Number
}

// try runs f; what raises leaves no trace.
func try(f func()) (ok bool) {
	defer func() {
		if e := recover(); e != nil {
			if _, user := e.(*tensor.Error); !user {
				panic(e)
			}
			ok = false
		}
	}()
	f()
	return true
}

// grow makes a random graph of about n steps. Equal sizes are frequent, so that
// ops meet.
func grow(r *rand.Rand, n int, symbolic bool) *randomGraph {
	x := &randomGraph{bind: graph.NewBinder()}
	x.b = graph.NewBuilder(x.bind.Ctx)
	if !symbolic {
		x.b = graph.NewBuilder(nil)
	}
	g := &op.G{Graph: x.b}
	dims := []int64{int64(1 + r.IntN(9)), int64(2 + r.IntN(70))}
	types := []tensor.DType{tensor.Float32, tensor.Float32, tensor.Float32, tensor.Float64, tensor.BFloat16, tensor.Int64}
	lays := []op.Lay{op.LayContig, op.LayContig, op.LayTrans, op.LayOffset, op.LayStep}
	for range 2 + r.IntN(3) {
		size := make([]int64, 1+r.IntN(2))
		for d := range size {
			size[d] = dims[(d+r.IntN(4)/3)%2]
		}
		if len(size) == 1 {
			size[0] = dims[1]
		}
		s := op.NewSample(types[r.IntN(len(types))], lays[r.IntN(len(lays))], 1, op.Fill{}, size...)
		m := s.Geometry.Meta(tensor.Device{})
		length := sym.C(s.Len)
		if symbolic {
			m = x.bind.Input(&s.Geometry, tensor.Device{})
			length = m.Off.Add(sym.C(1))
			for d := range m.Size {
				length = length.Add(m.Size[d].Sub(sym.C(1)).Mul(m.Stride[d]))
			}
		}
		x.inputs = append(x.inputs, s.Geometry)
		x.pool = append(x.pool, x.b.Input(*m, length))
	}
	pick := func() *graph.Tensor {
		if r.IntN(3) > 0 { // prefer recent ones: longer chains
			return x.pool[len(x.pool)-1-r.IntN(min(4, len(x.pool)))]
		}
		return x.pool[r.IntN(len(x.pool))]
	}
	keep := func(what string, ts ...op.Tensor) {
		for _, t := range ts {
			x.pool = append(x.pool, t.(*graph.Tensor))
		}
		x.trace = append(x.trace, what)
	}
	unary := []string{"neg", "abs", "relu", "tanh", "sigmoid", "clone", "square", "exp"}
	binary := []string{"add", "sub", "mul", "maximum", "lt", "where"}
	folds := []string{"sum", "mean", "amax", "max.dim", "var.dim", "argmax", "_softmax", "_log_softmax", "cumsum"}
	for range n {
		before := len(x.b.G.Nodes)
		what := ""
		ok := try(func() {
			t := pick()
			rank := t.M.Rank()
			switch k := r.IntN(29); {
			case k < 5:
				what = unary[r.IntN(len(unary))]
				if what == "exp" {
					keep(what, g.Op("exp", g.Op("tanh", t)))
					return
				}
				keep(what, g.Op(what, t))
			case k < 10:
				what = binary[r.IntN(len(binary))]
				o := pick()
				if what == "where" {
					keep(what, g.Op("where", g.Op("gt", t, 0), t, o))
					return
				}
				keep(what, g.Op(what, t, o))
			case k < 11:
				what = "number"
				keep(what, g.Op([]string{"add", "mul", "div"}[r.IntN(3)], t, []float64{1, 0.5, 3}[r.IntN(3)]))
			case k < 14:
				if rank == 0 {
					return
				}
				what = folds[r.IntN(len(folds))]
				d := r.IntN(rank)
				switch what {
				case "sum", "mean", "amax":
					if what == "mean" && !t.M.DType.IsFloat() {
						return
					}
					l := []int{d}
					if r.IntN(4) == 0 {
						l = nil
						for i := range rank {
							l = append(l, i)
						}
					}
					keep(what, g.Op(what, t, l, r.IntN(2) == 0))
				case "max.dim":
					keep(what, g.Ops(what, t, d, r.IntN(2) == 0)...)
				case "var.dim":
					if t.M.DType.IsFloat() {
						keep(what, g.Op("var.dim", t, []int{d}))
					}
				case "argmax":
					keep(what, g.Op(what, t, d))
				case "cumsum":
					if t.M.DType.Size() >= 4 {
						keep(what, g.Op(what, t, d))
					}
				default:
					if t.M.DType.IsFloat() {
						keep(what, g.Op(what, t, d))
					}
				}
			case k < 17: // views
				if rank == 0 {
					return
				}
				d := r.IntN(rank)
				switch r.IntN(6) {
				case 0:
					if rank == 2 {
						keep("t", g.Op("transpose.int", t, 0, 1))
					}
				case 1:
					if rank == 1 {
						keep("unsqueeze", g.Op("unsqueeze", t, d))
					}
				case 2:
					keep("select", g.Op("select.int", t, d, 0))
				case 3:
					keep("narrow", g.Op("narrow", t, d, 0, sym.C(1)))
				case 4:
					if !symbolic || t.M.Size[d].Hint() > 2 {
						keep("slice", g.Op("slice.Tensor", t, d, sym.C(1), nil, sym.C(1)))
					}
				case 5:
					keep("flatten", g.Op("reshape", t, []int{-1}))
				}
			case k < 18:
				what = "cat"
				o := pick()
				if o.M.DType == t.M.DType && o.M.Rank() == rank && rank > 0 {
					keep(what, g.Op("cat", []op.Tensor{t, o}, r.IntN(rank)))
				}
			case k < 19: // a write into memory of the graph
				what = "write"
				dst := pick()
				for _, i := range x.pool[:len(x.inputs)] {
					if i.Store == dst.Store && r.IntN(2) == 0 {
						return
					}
				}
				if st := t.M; dst.M.DType.IsFloat() == st.DType.IsFloat() && graph.Injective(&dst.M) {
					if s := op.Broadcast(st.Size, dst.M.Size); sym.AllEq(s, dst.M.Size) {
						g.Put(dst, t)
						x.trace = append(x.trace, what)
					}
				}
			case k < 21: // neighbours of one producer
				if rank > 0 {
					d := r.IntN(rank)
					n := t.M.Size[d].Sub(sym.C(1))
					if n.Gt(sym.C(0)) {
						keep("diff", g.Sub(g.Op("narrow", t, d, 1, n), g.Op("narrow", t, d, 0, n)))
					}
				}
			case k < 22:
				if rank == 2 {
					keep("contiguous", g.Op("_contiguous", g.Op("transpose.int", t, 0, 1)))
				}
			case k < 25: // writes into views of fresh memory, from views of it
				if rank > 0 && t.M.DType.IsFloat() {
					c := t
					if r.IntN(2) == 0 {
						c = g.Op("clone", t).(*graph.Tensor)
					} else if t.Store.Value.Node == nil || !graph.Injective(&t.M) {
						return
					}
					keep("base", c)
					for range 1 + r.IntN(3) {
						d := r.IntN(rank)
						n := c.M.Size[d].Sub(sym.C(1))
						if !n.Gt(sym.C(0)) {
							return
						}
						from, to := int64(r.IntN(2)), int64(r.IntN(2))
						dst, src := g.Op("narrow", c, d, to, n), g.Op("narrow", c, d, from, n)
						switch r.IntN(4) {
						case 0:
							dst, src = g.Op("select.int", c, d, to), g.Op("sum", src, []int{d})
						case 1:
							dst, src = g.Op("select.int", c, d, to), g.Op("select.int", c, d, from)
						case 2:
							src = g.Op("tanh", src)
						}
						g.Put(dst, src)
						if r.IntN(3) == 0 {
							keep("part", g.Op("neg", src))
						}
						if r.IntN(3) == 0 {
							keep("whole", g.Op("abs", c))
						}
					}
				}
			case k < 28: // a product, which what reads it may follow
				o := pick()
				if rank != 2 || o.M.Rank() != 2 || !t.M.DType.IsFloat() || t.M.DType != o.M.DType {
					return
				}
				what = "matmul"
				switch {
				case t.M.Size[1].Eq(o.M.Size[0]):
				case t.M.Size[1].Eq(o.M.Size[1]):
					o = g.Op("transpose.int", o, 0, 1).(*graph.Tensor)
				default:
					return
				}
				p := g.Op("matmul", t, o)
				if r.IntN(3) == 0 { // batches, and an addend that they share
					p = g.Op("add", g.Op("matmul", g.Op("stack", []op.Tensor{t, g.Op("neg", t), t}, 0), g.Op("expand", o, append([]sym.Int{sym.C(3)}, o.M.Size...))), p)
				}
				if r.IntN(3) > 0 {
					switch p = g.Op(unary[r.IntN(6)], p); r.IntN(4) {
					case 0:
						p = g.Op("_softmax", p, -1)
					case 1:
						p = g.Op("add", p, g.Op("neg", p))
					}
				}
				keep(what, g.Mul(g.Op("tanh", p), 0.5)) // no overflow by products of products
			default:
				what = "to"
				keep(what, g.Cast(t, []tensor.DType{tensor.Float32, tensor.Float64, tensor.BFloat16}[r.IntN(3)]))
			}
		})
		_ = ok
		_ = before
	}
	// some values, among them always the last, are results
	seen := map[*graph.Value]bool{}
	for i := len(x.pool) - 1; i >= 0; i-- {
		t := x.pool[i]
		if again := t.Store.Value.Node == nil || seen[t.Store.Value]; again && r.IntN(20) > 0 || i != len(x.pool)-1 && r.IntN(4) > 0 {
			continue // an input, or a value once more, is a result now and then
		}
		seen[t.Store.Value] = true
		x.metas = append(x.metas, x.b.Return(t)...)
	}
	// numbers are constants or run-time operands
	for _, n := range x.b.G.Nodes {
		if l := n.Call.Numbers(nil); n.Target == nil && len(l) > 0 && r.IntN(2) == 0 {
			n.Fixed, n.Num = false, x.b.G.Nums
			x.b.G.Nums += len(l)
			x.nums = append(x.nums, l...)
		}
	}
	if symbolic {
		x.bind.Ctx.Freeze()
	}
	return x
}

// run executes the graph on inputs of the given geometry and returns the outputs.
func (x *randomGraph) run(exe graph.Executable, in []tensor.Geometry, bind []int64) ([][]float64, error) {
	a := &graph.RunArgs{Bind: bind, Nums: x.nums}
	for i := range in {
		g := &in[i]
		_, hi := g.Span()
		for d, s := range g.Size {
			_ = d
			if s == 0 {
				hi = g.Off
			}
		}
		n := max(hi, g.Off+1)
		buf := make([]byte, n*int64(g.DType.Size()))
		for j := range n {
			v := math.Sin(float64(j*7+int64(i)*3)) * 2
			if !g.DType.IsFloat() {
				v = math.Round(v * 3)
			}
			set(buf, g.DType, j, v)
		}
		a.In = append(a.In, tensor.HostBuffer(buf))
	}
	var lens []int64
	for _, v := range x.b.G.Outputs {
		n, ok := v.Len.Eval(bind)
		if !ok {
			return nil, fmt.Errorf("length %s", v.Len)
		}
		lens = append(lens, n)
		a.Out = append(a.Out, tensor.HostBuffer(make([]byte, n*int64(v.DType.Size()))))
	}
	if err := exe.Run(context.Background(), a); err != nil {
		return nil, err
	}
	var out [][]float64
	for j, v := range x.b.G.Outputs {
		l := make([]float64, lens[j])
		for i := range l {
			l[i] = get(a.Out[j].Bytes(), v.DType, int64(i))
		}
		out = append(out, l)
	}
	return out, nil
}

// differs compares outputs up to the order of sums.
func (x *randomGraph) differs(a, b [][]float64) string {
	for j := range a {
		tol := 2e-5
		switch x.b.G.Outputs[j].DType {
		case tensor.BFloat16:
			tol = 2e-2
		case tensor.Float64:
			tol = 2e-5 // sums of float32 may be behind it
		case tensor.Int64, tensor.Bool:
			tol = 0
		}
		for i := range a[j] {
			p, q := a[j][i], b[j][i]
			if p == q || math.IsNaN(p) && math.IsNaN(q) {
				continue
			}
			if d := math.Abs(p - q); !(d <= tol*(1+math.Abs(p))) {
				return fmt.Sprintf("output %d element %d: %g unfused, %g fused", j, i, p, q)
			}
		}
	}
	return ""
}

// fuseTargets are the portable target and those of machine code that there are.
func fuseTargets(t *testing.T) []loop.Target {
	l := []loop.Target{loop.Portable()}
	for _, avx2 := range []bool{true, false} {
		load := func(b []byte) (amd64.Func, error) { return cpu.LoadCode(b) }
		tg, err := amd64.New(amd64.Options{Load: load, Fallback: loop.Portable(), AVX2: avx2})
		if err != nil {
			t.Log(err)
			break
		}
		l = append(l, tg)
	}
	return l
}

// backwards is a Parallel whose ranges are small and run in reverse order.
func backwards(n, grain int64, f func(lo, hi int64) error) error {
	for hi := n; hi > 0; {
		lo := max(0, hi-max(1, min(grain, n/3)))
		if err := f(lo, hi); err != nil {
			return err
		}
		hi = lo
	}
	return nil
}

// TestFusedEqualsUnfused grows random graphs, on constant and on symbolic sizes,
// and compares fused with unfused, symbolic ones also at other sizes.
func TestFusedEqualsUnfused(t *testing.T) {
	n := *graphs
	if testing.Short() {
		n = min(n, 60)
	}
	type compilers struct{ fused, single, plain *inductor.Compiler }
	var all []compilers
	for _, tg := range fuseTargets(t) {
		all = append(all, compilers{inductor.New(inductor.Options{Target: tg, Parallel: backwards}),
			inductor.New(inductor.Options{Target: tg, Parallel: backwards, NoBundle: true}), inductor.New(inductor.Options{Target: tg, NoFuse: true})})
	}
	ctx := context.Background()
	replays, kernels, nodes, bad := 0, 0, 0, 0
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		x := grow(r, 4+r.IntN(20), seed%2 == 1)
		g := x.b.G
		if len(g.Nodes) == 0 || len(g.Outputs) == 0 {
			continue
		}
		fail := func(format string, a ...any) {
			t.Errorf("seed %d: %s\n%s", seed, fmt.Sprintf(format, a...), g)
			bad++
		}
		if err := graph.Verify(g); err != nil {
			fail("%v", err)
			continue
		}
		before := g.String()
		cs := all[seed/4%len(all)]
		comp := cs.fused
		if seed%4 >= 2 {
			comp = cs.single
		}
		e1, err1 := comp.Compile(ctx, g)
		e2, err2 := cs.plain.Compile(ctx, g)
		if err1 != nil || err2 != nil {
			fail("%v, %v", err1, err2)
			continue
		}
		if g.String() != before {
			fail("compiling changed the graph")
		}
		nodes += len(g.Nodes)
		kernels += strings.Count(e1.Dump("plan"), "step ")
		sizes := [][]tensor.Geometry{x.inputs}
		if g.Ctx != nil {
			for range 4 {
				sizes = append(sizes, resize(r, x.inputs))
			}
		}
		for i, in := range sizes {
			var bind []int64
			if g.Ctx != nil {
				var ptr []*tensor.Geometry
				for k := range in {
					ptr = append(ptr, &in[k])
				}
				v, ok := x.bind.Values(ptr)
				if !ok || g.Ctx.Check(v) >= 0 {
					continue
				}
				bind = v
				if i > 0 {
					replays++
				}
			}
			want, err2 := x.run(e2, in, bind)
			got, err1 := x.run(e1, in, bind)
			if err1 != nil || err2 != nil {
				if err1 == nil || err2 == nil || err1.Error() != err2.Error() {
					fail("at %v: unfused %v, fused %v", bind, err2, err1)
				}
				break
			}
			if d := x.differs(want, got); d != "" {
				fail("at %v: %s\n%s\n%s", bind, d, e1.Dump("plan"), e1.Dump("loops"))
				break
			}
		}
		if bad > 2 {
			break
		}
	}
	t.Logf("%d nodes in %d steps, %d replays at other sizes", nodes, kernels, replays)
	if replays < n/8 {
		t.Errorf("only %d replays", replays)
	}
	if kernels*2 > nodes {
		t.Errorf("%d kernels for %d nodes", kernels, nodes)
	}
}

// resize gives equal sizes equal new ones and keeps layouts.
func resize(r *rand.Rand, in []tensor.Geometry) []tensor.Geometry {
	to := map[int64]int64{1: 1}
	var out []tensor.Geometry
	for i := range in {
		g := in[i]
		h := tensor.Geometry{DType: g.DType, Off: g.Off, Size: make([]int64, len(g.Size)), Stride: make([]int64, len(g.Size))}
		order := make([]int, len(g.Size))
		for d := range order {
			order[d] = len(order) - 1 - d
		}
		for a := range order {
			for b := a; b > 0 && g.Stride[order[b-1]] > g.Stride[order[b]]; b-- {
				order[b-1], order[b] = order[b], order[b-1]
			}
		}
		z, oz := int64(1), int64(1)
		for _, d := range order {
			n, ok := to[g.Size[d]]
			if !ok {
				n = int64(1 + r.IntN(90))
				to[g.Size[d]] = n
			}
			h.Size[d] = n
			h.Stride[d] = g.Stride[d]
			if g.Stride[d] >= oz && oz > 1 {
				h.Stride[d] = g.Stride[d] / oz * z
			}
			z, oz = h.Stride[d]*n, g.Stride[d]*g.Size[d]
		}
		out = append(out, h)
	}
	return out
}

// TestFusion holds plan and loops of graphs against testdata/fuse/NAME.txt:
// sections graph, plan, loops.
func TestFusion(t *testing.T) {
	files, _ := filepath.Glob("testdata/fuse/*.txt")
	if len(files) < 5 {
		t.Errorf("%d files", len(files))
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			head, rest, _ := strings.Cut(string(b), "graph {")
			text, _, _ := strings.Cut("graph {"+rest, "-- ")
			g, err := graph.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if g.Ctx != nil {
				g.Ctx.Freeze()
			}
			exe, err := inductor.New(inductor.Options{Target: loop.Portable()}).Compile(context.Background(), g)
			if err != nil {
				t.Fatal(err)
			}
			got := head + text + "-- plan --\n" + exe.Dump("plan") + "-- loops --\n" + exe.Dump("loops")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != string(b) {
				t.Errorf("run with -update to accept:\n%s", got)
			}
		})
	}
}

// TestSamplesFused runs every op's samples between a pointwise producer and a
// pointwise consumer of its floats, fused and unfused, on symbolic sizes.
func TestSamplesFused(t *testing.T) {
	fused := inductor.New(inductor.Options{Target: loop.Portable(), NoBundle: true})
	plain := inductor.New(inductor.Options{Target: loop.Portable(), NoFuse: true})
	ctx := context.Background()
	ran, kernels, nodes := 0, 0, 0
	each(t, func(t *testing.T, d *op.Def, i int, s op.Sample) {
		if d.State || s.Raises != "" {
			return
		}
		x := &randomGraph{bind: graph.NewBinder()}
		x.b = graph.NewBuilder(x.bind.Ctx)
		g := &op.G{Graph: x.b}
		var bufs [][]byte
		conv := func(p op.Tensor) op.Tensor {
			st, ok := p.(*op.SampleTensor)
			if !ok {
				return p
			}
			m := x.bind.Input(&st.Geometry, tensor.Device{})
			n := m.Off.Add(sym.C(1))
			for d := range m.Size {
				n = n.Add(m.Size[d].Sub(sym.C(1)).Mul(m.Stride[d]))
			}
			h := x.b.Input(*m, n)
			x.inputs = append(x.inputs, st.Geometry)
			b := make([]byte, max(st.Len, 1)*int64(st.DType.Size()))
			for i, v := range st.Values() {
				set(b, st.DType, int64(i), v)
			}
			bufs = append(bufs, b)
			if st.DType.IsFloat() && st.Len < 1000 {
				return g.Op("mul", h, g.Op("full", []sym.Int{}, 0.75, op.KW{Name: "dtype", V: st.DType}))
			}
			return h
		}
		var out []op.Tensor
		ok := try(func() {
			args := append([]op.Arg(nil), s.Args...)
			for i := range args {
				switch p := args[i].P.(type) {
				case op.Tensor:
					args[i].P = conv(p)
				case []op.Tensor:
					l := make([]op.Tensor, len(p))
					for j, t := range p {
						if t != nil {
							l[j] = conv(t)
						}
					}
					args[i].P = l
				}
			}
			o, err := x.b.Apply(d, args)
			if err != nil {
				op.Raise(tensor.RuntimeError, "%s", err)
			}
			for j := range o {
				if o[j].Meta().DType.IsFloat() {
					o[j] = g.Op("sigmoid", g.Op("abs", o[j]))
				}
			}
			out = o
		})
		if !ok || len(out) == 0 {
			return
		}
		for _, n := range x.b.G.Nodes {
			if n.State >= 0 {
				return
			}
		}
		x.b.Return(out...)
		x.bind.Ctx.Freeze()
		gr := x.b.G
		gr.Renumber()
		if err := graph.Verify(gr); err != nil {
			t.Fatalf("sample %d: %v\n%s", i, err, gr)
		}
		var ptr []*tensor.Geometry
		for k := range x.inputs {
			ptr = append(ptr, &x.inputs[k])
		}
		bind, ok := x.bind.Values(ptr)
		if !ok {
			t.Fatalf("sample %d does not bind", i)
		}
		var res [2][][]float64
		var errs [2]error
		for k, comp := range []*inductor.Compiler{plain, fused} {
			exe, err := comp.Compile(ctx, gr)
			if err != nil {
				if strings.Contains(err.Error(), "template") {
					return
				}
				t.Fatalf("sample %d: %v\n%s", i, err, gr)
			}
			if k == 1 {
				kernels += strings.Count(exe.Dump("plan"), "step ")
				nodes += len(gr.Nodes)
			}
			a := &graph.RunArgs{Bind: bind}
			for _, b := range bufs {
				a.In = append(a.In, tensor.HostBuffer(b))
			}
			var l [][]float64
			for _, v := range gr.Outputs {
				n, _ := v.Len.Eval(bind)
				a.Out = append(a.Out, tensor.HostBuffer(make([]byte, max(n, 0)*int64(v.DType.Size()))))
			}
			errs[k] = exe.Run(ctx, a)
			for j, v := range gr.Outputs {
				n, _ := v.Len.Eval(bind)
				o := make([]float64, max(n, 0))
				for i := range o {
					o[i] = get(a.Out[j].Bytes(), v.DType, int64(i))
				}
				l = append(l, o)
			}
			res[k] = l
		}
		if (errs[0] == nil) != (errs[1] == nil) {
			t.Errorf("sample %d: unfused %v, fused %v\n%s", i, errs[0], errs[1], gr)
			return
		}
		if errs[0] != nil {
			return
		}
		ran++
		if diff := x.differs(res[0], res[1]); diff != "" {
			t.Errorf("sample %d: %s\n%s", i, diff, gr)
		}
	})
	t.Logf("%d samples, %d nodes in %d steps", ran, nodes, kernels)
	if ran < 2000 {
		t.Errorf("only %d samples ran", ran)
	}
}

// TestReentrant runs one executable from many goroutines at several sizes.
func TestReentrant(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	for seed := 0; ; seed++ {
		x := grow(rand.New(rand.NewPCG(uint64(seed), 9)), 20, true)
		if len(x.b.G.Nodes) < 12 {
			continue
		}
		exe, err := inductor.New(inductor.Options{Target: loop.Portable()}).Compile(context.Background(), x.b.G)
		if err != nil {
			t.Fatal(err)
		}
		type run struct {
			in   []tensor.Geometry
			bind []int64
			want [][]float64
		}
		var runs []run
		for range 40 {
			in := resize(r, x.inputs)
			var ptr []*tensor.Geometry
			for k := range in {
				ptr = append(ptr, &in[k])
			}
			v, ok := x.bind.Values(ptr)
			if !ok || x.b.G.Ctx.Check(v) >= 0 {
				continue
			}
			want, err := x.run(exe, in, v)
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, run{in, v, want})
		}
		if len(runs) < 10 {
			continue
		}
		errs := make(chan error)
		for g := range 8 {
			go func() {
				for i := range 15 {
					q := &runs[(i*7+g)%len(runs)]
					got, err := x.run(exe, q.in, q.bind)
					if err == nil && fmt.Sprint(got) != fmt.Sprint(q.want) {
						err = fmt.Errorf("another result at %v", q.bind)
					}
					if err != nil {
						errs <- err
						return
					}
				}
				errs <- nil
			}()
		}
		for range 8 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		return
	}
}
