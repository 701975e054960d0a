package larkspur

import (
	"context"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/lang/value"
)

// BenchmarkCaptured times a captured call: look-up, graph, result.
func BenchmarkCaptured(b *testing.B) {
	for _, c := range []struct{ name, src string }{
		{"10 arguments 5 ops", `
import torch
args = [torch.ones(8) for i in range(10)]
def f(a, b, c, d, e, f, g, h, i, j):
    return a * b + c * d - e
`},
		{"100 ops", `
import torch
args = [torch.ones(8)]
def f(x):
` + strings.Repeat("    x = x * 0.5 + 1\n", 50) + `
    return x
`},
		{"interpreted 100 ops", `
import torch
args = [torch.ones(8)]
def f(x):
` + strings.Repeat("    x = x * 0.5 + 1\n", 50) + `
    return x
`},
	} {
		b.Run(c.name, func(b *testing.B) {
			o := Options{JIT: JITSync}
			if strings.HasPrefix(c.name, "interpreted") {
				o.JIT = JITOff
			}
			rt, err := New(o)
			if err != nil {
				b.Fatal(err)
			}
			ctx := context.Background()
			m, err := rt.LoadString(ctx, "m.py", c.src)
			if err != nil {
				b.Fatal(err)
			}
			f, _ := m.m.Get("f")
			args, _ := m.m.Get("args")
			err = rt.on(ctx, func(th *vm.Thread) error {
				in := append([]value.Value(nil), args.AsList().Elems...)
				for range 8 {
					if _, err := th.Call(f, in, nil); err != nil {
						return err
					}
				}
				b.ReportAllocs()
				b.ResetTimer()
				for range b.N {
					if _, err := th.Call(f, in, nil); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
			if s := rt.tracer.Stats(); o.JIT == JITSync && s.Replays < b.N {
				b.Errorf("%+v", s)
			}
		})
	}
}
