package torch_test

import (
	"context"
	"fmt"
	"testing"
)

// BenchmarkCalls measures an operation of the language on a tensor of four
// elements, the kernel included.
func BenchmarkCalls(b *testing.B) {
	for _, c := range []struct{ name, expr string }{
		{"add", "x + x"}, {"relu", "torch.relu(x)"}, {"view", "x.view(2, 2)"}, {"index", "x[1]"}, {"shape", "x.shape"}, {"item", "s.item()"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			out := newWorld().run(context.Background(), "bench", fmt.Sprintf(
				"import torch\nx = torch.ones(4)\ns = x.sum()\ndef f(n):\n    for i in range(n):\n        y = %s\nf(%d)\n", c.expr, b.N))
			if out != "" {
				b.Fatal(out)
			}
		})
	}
}

// BenchmarkNew measures what a program pays for torch before it uses any of it.
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		newWorld()
	}
}
