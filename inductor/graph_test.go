package inductor_test

import (
	"context"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/inductor"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// program: several nodes on symbolic sizes, a temporary, a transposed operand,
// and a write of a column through its geometry.
const program = `graph {
  symbol n = 3
  symbol m = 4
  %0 = input float32 len n*m
  %1 = input float32 len m
  %2 = add(%0 float32[n, m]:[m, 1]@0, %1 float32[n, m]:[0, 1]@0, alpha=number 0.5) in float32 -> float32[n, m]:[m, 1]@0 len n*m
  %3 = _softmax(%2 float32[n, m]:[m, 1]@0, dim=1) in float32 -> float32[n, m]:[m, 1]@0 len n*m
  %4 = sum(%3 float32[m, n]:[1, m]@0, dim=[1], keepdim=False, dtype=none) in float32 -> float32[m]:[1]@0 len m
  %5 = put(%0 float32[n*m]:[1]@0, %1 float32[n]:[0]@1) in float32 through float32[n]:[m]@(m + -1) -> float32[n*m]:[1]@0 len n*m
  return %4, %5
}
`

func TestProgram(t *testing.T) {
	g, err := graph.Parse(program)
	if err != nil {
		t.Fatal(err)
	}
	if s := g.String(); s != program {
		t.Fatalf("printed\n%s", s)
	}
	exe, err := inductor.New(inductor.Options{Target: loop.Portable()}).Compile(context.Background(), g)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]int64{{3, 4}, {1, 2}, {7, 5}, {2, 700}, {0, 3}, {600, 2}} {
		n, m := c[0], c[1]
		f := func(k int64) []byte { return make([]byte, 4*k) }
		x, b, sum, put := f(n*m), f(m), f(m), f(n*m)
		at := func(p []byte, i int64) float64 { return get(p, tensor.Float32, i) }
		for i := range n * m {
			set(x, tensor.Float32, i, math.Sin(float64(i)))
		}
		for i := range m {
			set(b, tensor.Float32, i, math.Cos(float64(i)))
		}
		err := exe.Run(context.Background(), &graph.RunArgs{
			In: []tensor.Buffer{tensor.HostBuffer(x), tensor.HostBuffer(b)}, Out: []tensor.Buffer{tensor.HostBuffer(sum), tensor.HostBuffer(put)},
			Bind: []int64{n, m}, Nums: []tensor.Number{tensor.Float(0.5)}})
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, m)
		for i := range n {
			s := 0.0
			for j := range m {
				s += math.Exp(at(x, i*m+j) + 0.5*at(b, j))
			}
			for j := range m {
				want[j] += math.Exp(at(x, i*m+j)+0.5*at(b, j)) / s
				w := at(x, i*m+j)
				if j == m-1 {
					w = at(b, 1)
				}
				if got := at(put, i*m+j); got != w {
					t.Fatalf("%v: put[%d,%d] = %g, want %g", c, i, j, got, w)
				}
			}
		}
		for j := range m {
			if d := math.Abs(at(sum, j) - want[j]); d > 1e-5*(1+want[j]) {
				t.Fatalf("%v: sum[%d] = %g, want %g", c, j, at(sum, j), want[j])
			}
		}
	}
	// sizes that do not fit the buffers never reach memory
	b := tensor.HostBuffer(make([]byte, 16))
	err = exe.Run(context.Background(), &graph.RunArgs{In: []tensor.Buffer{b, b}, Out: []tensor.Buffer{b, b}, Bind: []int64{3, 4}, Nums: []tensor.Number{tensor.Float(1)}})
	if err == nil || !strings.Contains(err.Error(), "leave its buffers") {
		t.Errorf("a kernel ran outside its buffers: %v", err)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range [][2]string{
		{"%3 = _softmax(%2", "%9 = _softmax(%2"},
		{"%3 = _softmax(%2", "%3 = _softmax(%7"},
		{"_softmax", "softmax"},
		{"_softmax", "nosuchop"},
		{"dim=1)", "dim=q)"},
		{"return %4", "return %8"},
		{"%3 float32[m, n]", "%3 float64[m, n]"},
	} {
		if _, err := graph.Parse(strings.Replace(program, c[0], c[1], 1)); err == nil {
			t.Errorf("%s for %s: no error", c[1], c[0])
		}
	}
}

var update = flag.Bool("update", false, "rewrite golden files")

// TestLowering holds the loops of some ops against testdata/lower.txt: a section
// "-- op and inputs --" for each.
func TestLowering(t *testing.T) {
	f := func(l op.Lay, size ...int64) op.Arg {
		return op.T(op.NewSample(tensor.Float32, l, 1, op.Fill{}, size...))
	}
	one := op.IntArg(op.C(1))
	var sb strings.Builder
	for _, c := range []struct {
		name, op string
		args     []op.Arg
	}{
		{"add, two contiguous matrices: one axis", "add", []op.Arg{f(op.LayContig, 40, 50), f(op.LayContig, 40, 50)}},
		{"add, matrix and row", "add", []op.Arg{f(op.LayContig, 40, 50), f(op.LayContig, 50)}},
		{"add, matrix and its transpose", "add", []op.Arg{f(op.LayContig, 40, 40), f(op.LayTrans, 40, 40)}},
		{"add, tensor and number", "add", []op.Arg{f(op.LayContig, 40), op.Num(tensor.Int(2))}},
		{"sum over the inner dimension", "sum", []op.Arg{f(op.LayContig, 40, 50), op.IntList([]op.SymInt{op.C(1)})}},
		{"sum over the outer dimension", "sum", []op.Arg{f(op.LayContig, 40, 50), op.IntList([]op.SymInt{op.C(0)})}},
		{"max with indices", "max.dim", []op.Arg{f(op.LayContig, 40, 50), one}},
		{"softmax of long rows", "_softmax", []op.Arg{f(op.LayContig, 40, 50), one}},
		{"softmax of short rows: across", "_softmax", []op.Arg{f(op.LayContig, 400, 10), one}},
		{"cumsum", "cumsum", []op.Arg{f(op.LayContig, 40, 50), one}},
		{"cross_entropy", "_cross_entropy", []op.Arg{f(op.LayContig, 64, 10), op.T(op.NewSample(tensor.Int64, op.LayContig, 1, op.Fill{}, 64)), {}, op.IntArg(op.C(-100)), op.Str("mean"), op.Bool(false), op.Num(tensor.Float(0))}},
		{"index_select", "index_select", []op.Arg{f(op.LayContig, 40, 50), op.IntArg(op.C(0)), op.T(op.NewSample(tensor.Int64, op.LayContig, 1, op.Fill{}, 7))}},
		{"scatter_add", "scatter_add", []op.Arg{f(op.LayContig, 40, 50), one, op.T(op.NewSample(tensor.Int64, op.LayContig, 1, op.Fill{}, 40, 7)), f(op.LayContig, 40, 7)}},
	} {
		d := op.Lookup(c.op)
		if d.Decomp != nil {
			t.Fatalf("%s is a decomposition", c.op)
		}
		call, err := op.NewCall(d, c.args, tensor.Float32)
		if err == nil {
			err = call.Infer()
		}
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		g := graph.NewSpec(call).Graph()
		if err := graph.Verify(g); err != nil {
			t.Fatal(err)
		}
		exe, err := inductor.New(inductor.Options{Target: loop.Portable()}).Compile(context.Background(), g)
		if err != nil {
			t.Fatal(err)
		}
		sb.WriteString("-- " + c.name + " --\n" + exe.Dump("loops"))
	}
	path := filepath.Join("testdata", "lower.txt")
	if *update {
		os.MkdirAll("testdata", 0o755)
		if err := os.WriteFile(path, []byte(sb.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := sb.String(); got != string(want) {
		g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
		for i := range g {
			if i >= len(w) || g[i] != w[i] {
				t.Fatalf("%s:%d: got %q (run with -update to accept)", path, i+1, g[i])
			}
		}
		t.Fatalf("%s: the file is longer", path)
	}
}

// TestDocExample keeps the package doc of graph true.
func TestDocExample(t *testing.T) {
	text, err := os.ReadFile("../graph/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var sb strings.Builder
	for _, l := range strings.Split(string(text), "\n") {
		if l, ok := strings.CutPrefix(l, "//\t"); ok && (sb.Len() > 0 || l == "graph {") {
			sb.WriteString(l + "\n")
		}
		if l == "//\t}" {
			break
		}
	}
	g, err := graph.Parse(sb.String())
	if err != nil {
		t.Fatalf("%v in\n%s", err, sb.String())
	}
	if g.String() != sb.String() {
		t.Errorf("prints\n%s", g.String())
	}
}
