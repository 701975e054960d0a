package inductor_test

import (
	"testing"

	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
)

// BenchmarkEager is the cost of one op from Call to result, the compile cache warm.
func BenchmarkEager(b *testing.B) {
	f32 := func(seed uint64, size ...int64) *op.SampleTensor {
		return op.NewSample(tensor.Float32, op.LayContig, seed, op.Fill{}, size...)
	}
	for _, c := range []struct {
		name, op string
		args     []op.Arg
	}{
		{"add8", "add", []op.Arg{op.T(f32(1, 8)), op.T(f32(2, 8))}},
		{"add64k", "add", []op.Arg{op.T(f32(1, 256, 256)), op.T(f32(2, 256, 256))}},
		{"bias64k", "add", []op.Arg{op.T(f32(1, 256, 256)), op.T(f32(2, 256))}},
		{"softmax", "_softmax", []op.Arg{op.T(f32(1, 256, 256)), op.IntArg(op.C(1))}},
		{"softmax10", "_softmax", []op.Arg{op.T(f32(1, 6400, 10)), op.IntArg(op.C(1))}},
		{"sum0", "sum", []op.Arg{op.T(f32(1, 256, 256)), op.IntList([]op.SymInt{op.C(0)})}},
		{"sum1", "sum", []op.Arg{op.T(f32(1, 256, 256)), op.IntList([]op.SymInt{op.C(1)})}},
		{"gelu", "gelu", []op.Arg{op.T(f32(1, 256, 256))}},
		{"cross_entropy", "cross_entropy", []op.Arg{op.T(f32(1, 64, 10)), op.T(op.NewSample(tensor.Int64, op.LayContig, 3, op.Fill{Kind: op.FillInt, Hi: 10}, 64))}},
	} {
		b.Run(c.name, func(b *testing.B) {
			m := newMachine(b)
			m.off = 1
			d := op.Lookup(c.op)
			args, _ := m.arguments(d, op.Sample{Args: c.args})
			for len(args) < len(d.Params) {
				args = append(args, op.Arg{})
				if p := d.Params[len(args)-1].Default; p != nil {
					args[len(args)-1] = *p
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.Apply(d, args); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
