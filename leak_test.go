package larkspur_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/larkspur-ml/larkspur"
)

// TestRuntimesEnd: a Runtime that nobody holds goes, with its modules, graphs and code.
func TestRuntimesEnd(t *testing.T) {
	for _, c := range []struct {
		name, src string
		jit       larkspur.JITMode
	}{
		{"plain", "x = 1", larkspur.JITOff},
		{"eager", "import torch\nimport torch.nn as nn\nx = torch.ones(3, requires_grad=True)\n(x * x).sum().backward()", larkspur.JITOff},
		{"recorded", "import torch\nimport torch.nn as nn\nl = nn.Linear(3, 3)\ndef f(x):\n    return l(x)\nx = torch.ones(3, requires_grad=True)\nfor i in range(20):\n    f(x).sum().backward()\n", larkspur.JITSync},
		{"auto", "import torch\nimport torch.nn as nn\nl = nn.Linear(3, 3)\ndef f(x):\n    return l(x)\nx = torch.ones(3)\nfor i in range(300):\n    f(x)\n", larkspur.JITAuto},
	} {
		t.Run(c.name, func(t *testing.T) {
			live := func(n int) int64 {
				for range n {
					rt, err := larkspur.New(larkspur.Options{JIT: c.jit})
					if err != nil {
						t.Fatal(err)
					}
					if _, err := rt.RunString(context.Background(), "end.py", c.src); err != nil {
						t.Fatal(err)
					}
				}
				var m runtime.MemStats
				for range 4 {
					runtime.GC()
				}
				runtime.ReadMemStats(&m)
				return int64(m.HeapAlloc)
			}
			first := live(3)
			if more := live(10) - first; more > 8<<20 {
				t.Errorf("10 Runtimes left %d KiB behind", more>>10)
			}
		})
	}
}
