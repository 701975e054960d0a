package larkspur_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur"
	"github.com/larkspur-ml/larkspur/inductor/ptx/sim"
)

// gpuProgram trains a layer on both devices, and asks torch.cuda what it is asked for.
const gpuProgram = `
import torch
import torch.nn as nn
import torch.nn.functional as F

assert torch.cuda.is_available() and torch.cuda.device_count() == 1
assert torch.cuda.get_device_capability() == (8, 0)
torch.manual_seed(0)
X, Y = torch.randn(24, 12), torch.randint(0, 4, (24,))

def train(dev):
    torch.manual_seed(1)
    m = nn.Sequential(nn.Linear(12, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4)).to(dev)
    opt = torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)
    x, y = X.to(dev), Y.to(dev)
    losses = []
    for i in range(6):
        opt.zero_grad()
        loss = F.cross_entropy(m(x), y)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    assert m[0].weight.device == torch.device(dev, 0) if dev == "cuda" else True
    return losses

a, b = train("cpu"), train("cuda")
for p, q in zip(a, b):
    assert abs(p - q) <= 1e-4 * abs(p), (a, b)

def f(x):
    return (x * 2 + 1).relu().sum(1)

for i in range(6):
    x = torch.randn(5, 7)
    y = f(x.to("cuda"))
    assert y.is_cuda and torch.allclose(y.cpu(), f(x)), (y, f(x))

# PyTorch's first numbers of this seed on a GPU
torch.manual_seed(0)
u = torch.rand(5, device="cuda").cpu()
assert torch.allclose(u, torch.tensor([0.3990, 0.5167, 0.0249, 0.9401, 0.9459]), atol=6e-5), u
torch.manual_seed(0)
u = torch.randn(5, device="cuda").cpu()
assert torch.allclose(u, torch.tensor([-0.9247, -0.4253, -2.6438, 0.1452, -0.1209]), atol=6e-5), u

x = torch.arange(6, device="cuda").reshape(2, 3)
print(x)
x[1] = 9
assert x.tolist() == [[0, 1, 2], [9, 9, 9]]
try:
    x + torch.ones(3)
except RuntimeError as e:
    print(e)
try:
    y = torch.zeros(3, device="cuda")[torch.tensor([7], device="cuda")]
    torch.cuda.synchronize()
except IndexError as e:
    print(e)
s = torch.cuda.Stream()
with torch.cuda.stream(s):
    z = torch.ones(4, device="cuda") * 3
e0, e1 = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
e0.record()
z = z + 1
e1.record()
torch.cuda.synchronize()
assert e0.elapsed_time(e1) >= 0 and z.sum().item() == 16
`

const gpuPrints = `tensor([[0, 1, 2],
        [3, 4, 5]], device='cuda:0')
Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
index 7 is out of bounds for dimension 0 with size 3
`

func TestGPU(t *testing.T) {
	for _, mode := range []larkspur.JITMode{larkspur.JITOff, larkspur.JITSync} {
		var out bytes.Buffer
		rt, err := larkspur.New(larkspur.Options{Stdout: &out, Devices: sim.NewDriver(4), JIT: mode})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rt.RunString(context.Background(), "gpu.py", gpuProgram); err != nil {
			t.Fatalf("mode %v: %v", mode, err)
		}
		if out.String() != gpuPrints {
			t.Errorf("mode %v: printed\n%s", mode, out.String())
		}
		if mode == larkspur.JITSync {
			if s := rt.Explain(""); strings.Contains(s, "several devices") {
				t.Logf("%s", s)
			}
		}
	}
}

// TestNoGPU is what a program sees without a driver.
func TestNoGPU(t *testing.T) {
	rt, err := larkspur.New(larkspur.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = rt.RunString(context.Background(), "gpu.py", "import torch\nassert not torch.cuda.is_available()\ntorch.ones(2).cuda()\n")
	if err == nil || !strings.Contains(err.Error(), "Torch not compiled with CUDA enabled") {
		t.Errorf("%v", err)
	}
}

// TestGPUCompile: torch.compile makes code for the device of its graph, with every backend.
func TestGPUCompile(t *testing.T) {
	const program = `
import torch
x = torch.arange(8.0, device="cuda")
for name in ["inductor", "eager", "aot_eager"]:
    f = torch.compile(lambda v: (v * 2 + 1).relu().sum(), backend=name, fullgraph=True)
    print(name, [f(x).item() for _ in range(4)], f(x.cpu()).item())
`
	var out, errs bytes.Buffer
	rt, err := larkspur.New(larkspur.Options{Stdout: &out, Stderr: &errs, Devices: sim.NewDriver(4)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rt.RunString(context.Background(), "compile.py", program); err != nil {
		t.Fatal(err)
	}
	want := ""
	for _, name := range []string{"inductor", "eager", "aot_eager"} {
		want += name + " [64.0, 64.0, 64.0, 64.0] 64.0\n"
	}
	if out.String() != want || errs.Len() > 0 {
		t.Errorf("printed\n%swarned %s", out.String(), errs.String())
	}
	if s := rt.JITStats(); s.Replays < 9 || s.Failures > 0 {
		t.Errorf("%+v", s)
	}
}
