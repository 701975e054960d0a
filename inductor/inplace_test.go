package inductor_test

import (
	"context"
	"testing"

	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/inductor"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

// TestInPlace asks which outputs may lie over inputs, and runs those that may there.
func TestInPlace(t *testing.T) {
	vec := "float32[8]:[1]@0"
	for _, c := range []struct {
		name, nodes, out string
		want             [][2]int // pairs of output and input that may
		not              [][2]int
	}{
		{"elementwise", "  %2 = add(%0 " + vec + ", %1 " + vec + ", alpha=fixed 1) in float32 -> " + vec + " len 8\n", "%2", [][2]int{{0, 0}, {0, 1}, {0, -1}}, nil},
		{"a put", "  %2 = put(%0 " + vec + ", %1 float32[2]:[1]@3) in float32 through float32[2]:[4]@1 -> " + vec + " len 8\n", "%2", [][2]int{{0, 0}}, [][2]int{{0, 1}}},
		{"a put and its input", "  %2 = put(%0 " + vec + ", %1 float32[2]:[1]@3) in float32 through float32[2]:[4]@1 -> " + vec + " len 8\n" +
			"  %3 = cumsum(%0 " + vec + ", dim=0, dtype=none) in float32 -> " + vec + " len 8\n", "%2, %3", nil, [][2]int{{0, 0}}},
		{"a scan", "  %2 = cumsum(%0 " + vec + ", dim=0, dtype=none) in float32 -> " + vec + " len 8\n", "%2", [][2]int{{0, 1}}, [][2]int{{0, 0}}},
		{"before what may fail", "  %2 = add(%0 " + vec + ", %1 " + vec + ", alpha=fixed 1) in float32 -> " + vec + " len 8\n" +
			"  %3 = _to_dtype(%2 " + vec + ", dtype=int64) in float32 -> int64[8]:[1]@0 len 8\n" +
			"  %4 = embedding(%1 float32[4, 2]:[2, 1]@0, %3 int64[4]:[1]@0, padding_idx=-1, scale_grad_by_freq=False, sparse=False) in float32 -> float32[4, 2]:[2, 1]@0 len 8\n",
			"%2, %4", nil, [][2]int{{0, 0}, {0, -1}}},
	} {
		g, err := graph.Parse("graph {\n  %0 = input float32 len 8\n  %1 = input float32 len 8\n" + c.nodes + "  return " + c.out + "\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		exe, err := inductor.New(inductor.Options{Target: loop.Portable()}).Compile(context.Background(), g)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		x := exe.(graph.InPlacer)
		for _, p := range c.not {
			if x.InPlace(p[0], p[1]) {
				t.Errorf("%s: output %d over input %d", c.name, p[0], p[1])
			}
		}
		for _, p := range c.want {
			if !x.InPlace(p[0], p[1]) {
				t.Errorf("%s: output %d not over input %d", c.name, p[0], p[1])
				continue
			}
			run := func(over bool) tensor.HostBuffer {
				a := &graph.RunArgs{InPlace: over}
				for i := range 2 {
					b := tensor.HostBuffer(make([]byte, 32))
					for k := range int64(8) {
						set(b, tensor.Float32, k, float64(10*i)+float64(k*k))
					}
					a.In = append(a.In, b)
				}
				for range g.Outputs {
					a.Out = append(a.Out, tensor.HostBuffer(make([]byte, 32)))
				}
				if over && p[1] >= 0 {
					a.Out[p[0]] = a.In[p[1]]
				}
				if err := exe.Run(context.Background(), a); err != nil {
					t.Fatal(err)
				}
				return a.Out[p[0]].(tensor.HostBuffer)
			}
			if g, w := run(true), run(false); string(g) != string(w) {
				t.Errorf("%s: output %d over input %d: %v, want %v", c.name, p[0], p[1], g, w)
			}
		}
	}
}
