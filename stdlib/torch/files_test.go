package torch_test

import (
	"context"
	"testing"
)

// TestFiles runs what the .star files define and PyTorch 1.13 cannot be asked
// for, or answers with its build's particulars.
func TestFiles(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"jit", `
import torch
@torch.jit.script
def f(x): return x
@torch.jit.ignore
def g(x): return x
@torch.jit.ignore(drop=True)
def h(x): return x
@torch.jit.unused
def u(x): return x
print(f(1), g(2), h(3), u(4), torch.jit.is_scripting(), torch.jit.trace(f, 1) is f, torch.jit.annotate(int, 5))
try:
    torch.jit.load("x")
except NotImplementedError as e:
    print(e)
`, "1 2 3 4 False True 5\ntorch.jit.load exists in PyTorch, but not in Larkspur\n"},
		{"amp", `
import torch
from torch.cuda.amp import GradScaler, autocast
a = torch.ones(2, 2)
with torch.autocast("cpu", dtype=torch.bfloat16):
    print((a @ a).dtype, torch.is_autocast_cpu_enabled())
print((a @ a).dtype)
with autocast():
    print((a @ a).dtype)
s = GradScaler()
x = torch.ones(1, requires_grad=True)
s.scale(x * 2).backward()
print(x.grad, s.get_scale(), s.is_enabled())
`, "torch.bfloat16 True\ntorch.float32\ntorch.float32\ntensor([2.]) 1.0 False\n"},
		{"missing names", `
import torch
from torch import stft, cholesky_solve
from torch.fft import rfft
for f in (stft, cholesky_solve, rfft, torch.linalg.svd, torch.from_numpy, torch.onnx.export, torch.distributed.init_process_group):
    try:
        f(torch.ones(1))
        print("no error")
    except NotImplementedError as e:
        print(e)
try:
    torch.cuda.synchronize()
except AssertionError as e:
    print(e)
try:
    torch.ones(1).cholesky_solve
except AttributeError as e:
    print(e)
print(torch.backends.cudnn.benchmark, torch.backends.mps.is_available(), torch.version.cuda)
import torch.backends.cudnn as cudnn
cudnn.benchmark = True
print(torch.backends.cudnn.benchmark)
`, "torch.stft exists in PyTorch, but not in Larkspur\n" +
			"torch.cholesky_solve exists in PyTorch, but not in Larkspur\n" +
			"torch.fft.rfft exists in PyTorch, but not in Larkspur\n" +
			"torch.linalg.svd exists in PyTorch, but not in Larkspur\n" +
			"torch.from_numpy exists in PyTorch, but not in Larkspur\n" +
			"torch.onnx.export exists in PyTorch, but not in Larkspur\n" +
			"torch.distributed.init_process_group exists in PyTorch, but not in Larkspur\n" +
			"Torch not compiled with CUDA enabled\n" +
			"'Tensor' object has no attribute 'cholesky_solve' (Tensor.cholesky_solve exists in PyTorch, but not in Larkspur)\n" +
			"False False None\nTrue\n"},
		{"safetensors", `
import torch
from safetensors.torch import load_file, save_file, load, save
from safetensors import safe_open
save_file({"w": torch.arange(6.0).view(2, 3).t(), "b": torch.tensor(3)}, "m.safetensors", metadata={"k": "v"})
d = load_file("m.safetensors")
print(d)
with safe_open("m.safetensors", framework="pt", device="cpu") as f:
    print(f.keys(), f.metadata(), f.get_tensor("b"), f.get_slice("w")[1:, 0], f.get_slice("w").get_shape())
print(load(save({"x": torch.tensor([True])})))
for name in ("none", "bad"):
    try:
        load_file(name)
    except Exception as e:
        print(type(e).__name__, e)
`, "{'b': tensor(3), 'w': tensor([[0., 3.],\n        [1., 4.],\n        [2., 5.]])}\n" +
			"['b', 'w'] {'k': 'v'} tensor(3) tensor([1., 2.]) [3, 2]\n" +
			"{'x': tensor([True])}\n" +
			"FileNotFoundError No such file or directory: 'none'\n" +
			"SafetensorError Error while deserializing header of 'bad': header too small: the file has 3 bytes, 8 are needed for the header's length\n"},
		{"save and load", `
import torch
torch.save({"a": torch.ones(2), "l": [1, "x"]}, "f.pt")
print(torch.load("f.pt", map_location="cpu"))
try:
    torch.save(print, "g.pt")
except TypeError as e:
    print(str(e)[:46])
`, "{'a': tensor([1., 1.]), 'l': [1, 'x']}\ncannot pickle 'builtin_function_or_method' obj\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld()
			w.files["bad"] = []byte("abc")
			compare(t, c.name, w.run(context.Background(), c.name, c.src), c.want)
		})
	}
}
