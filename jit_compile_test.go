package larkspur

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// printed runs a program in a mode and returns what it prints.
func printed(t *testing.T, mode JITMode, src string) string {
	t.Helper()
	var out bytes.Buffer
	rt, err := New(Options{Stdout: &out, Stderr: &out, JIT: mode})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rt.RunString(context.Background(), "m.py", src); err != nil {
		return out.String() + err.(*Error).Traceback()
	}
	return out.String()
}

// TestTorchCompile: what torch.compile gives is the same whatever else is compiled.
func TestTorchCompile(t *testing.T) {
	const counter = `
import torch
from torch._dynamo.testing import CompileCounter
c = CompileCounter()
x = torch.arange(6.)
def counts(): return (c.frame_count, c.op_count)
`
	for _, c := range []struct{ name, src, want string }{
		{"function", counter + `
def f(x, y):
    return (x * y + 1).relu()
g = torch.compile(f, backend=c, fullgraph=True)
for i in range(5):
    r = g(x, x)
print(torch.equal(r, f(x, x)), counts(), g is f, g.__name__, g.__wrapped__ is f)
r = g(torch.ones(2, 3), torch.ones(2, 3))
print(counts())
c.clear()
print(counts())
`, "True (1, 3) False f True\n(2, 6)\n(0, 0)\n"},
		{"decorator", counter + `
@torch.compile(backend=c, fullgraph=True)
def f(x, scale=2.0, *, bias):
    "doc"
    return x * scale + bias
for i in range(4):
    r = f(x, bias=1.0)
print(r.tolist(), counts(), f.__doc__)
@torch.compile
def g(x): return x + 1
print(g(x).tolist())
`, "[1.0, 3.0, 5.0, 7.0, 9.0, 11.0] (1, 2) doc\n[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]\n"},
		{"method", counter + `
class M:
    def __init__(self, k): self.k = k
    @torch.compile(backend=c, fullgraph=True)
    def f(self, x): return x * self.k
    def g(self, x): return x - self.k
m = M(3)
for i in range(3):
    r = m.f(x)
print(r.tolist(), counts())
h = torch.compile(m.g, backend=c, fullgraph=True)
for i in range(3):
    r = h(x)
print(r.tolist(), counts())
`, "[0.0, 3.0, 6.0, 9.0, 12.0, 15.0] (1, 1)\n[-3.0, -2.0, -1.0, 0.0, 1.0, 2.0] (2, 2)\n"},
		{"module", counter + `
torch.manual_seed(0)
m = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.ReLU())
o = torch.compile(m, backend=c, fullgraph=True)
with torch.no_grad():
    for i in range(3):
        r = o(x)
    print(torch.equal(r, m(x)), counts())
print(list(o.state_dict()), [n for n, _ in o.named_parameters()], o._orig_mod is m, isinstance(o, torch.nn.Module))
o.eval()
print(m.training, o.training)
o.extra = 5
print(m.extra, o.extra, o[0] is m[0] if hasattr(type(o), "__getitem__") else "no items")
print(o)
o.load_state_dict(o.state_dict())
try:
    o.absent
except AttributeError as e:
    print(e)
import copy
d = copy.deepcopy(o)
with torch.no_grad():
    d._orig_mod[0].weight.zero_()
    print(type(d).__name__, d._orig_mod is m, torch.equal(o(x), m(x)), torch.equal(d(x), o(x)), torch.equal(d(x), m[0].bias.relu()))
`, `True (1, 3)
['_orig_mod.0.weight', '_orig_mod.0.bias'] ['_orig_mod.0.weight', '_orig_mod.0.bias'] True True
False False
5 5 no items
OptimizedModule(
  (_orig_mod): Sequential(
    (0): Linear(in_features=6, out_features=4, bias=True)
    (1): ReLU()
  )
)
'Sequential' object has no attribute 'absent'
OptimizedModule False True False True
`},
		{"module in place", counter + `
m = torch.nn.Linear(6, 2)
m.compile(backend=c)
with torch.no_grad():
    for i in range(3):
        r = m(x)
    print(torch.equal(r, m.forward(x)), counts(), list(m.state_dict()))
m.register_forward_hook(lambda mod, args, out: torch.ones(2))
with torch.no_grad():
    print(m(x).tolist())
`, "True (1, 2) ['weight', 'bias']\n[1.0, 1.0]\n"},
		{"disable", counter + `
@torch.compiler.disable
def off(x):
    assert not torch.compiler.is_compiling()
    return x.cos()
@torch.compile(backend=c)
def f(x):
    y = x + 1
    assert torch.compiler.is_compiling()
    y = off(y)
    return y * 2
for i in range(4):
    r = f(x)
print(counts(), torch.allclose(r, (x + 1).cos() * 2), torch.compiler.is_compiling())
`, "(2, 2) True False\n"},
		{"fullgraph", counter + `
def inner(x):
    y = x + 1
    print("inner", y.sum().item())
    return y
@torch.compile(fullgraph=True)
def f(x):
    return inner(x) * 2
for i in range(2):
    try:
        f(x)
    except torch._dynamo.exc.Unsupported as e:
        print(e)
print(issubclass(torch._dynamo.exc.Unsupported, RuntimeError))
`, strings.Repeat(`builtin Tensor.item

from user code:
  File "m.py", line 14, in f
    return inner(x) * 2
           ^^^^^^^^
  File "m.py", line 10, in inner
    print("inner", y.sum().item())
                   ^^^^^^^^^^^^^^
`, 2) + "True\n"},
		{"fullgraph and graph_break", counter + `
@torch.compile(fullgraph=True)
def f(x):
    x = x + 1
    torch._dynamo.graph_break()
    return x
try:
    f(x)
except torch._dynamo.exc.Unsupported as e:
    print(e)
`, `torch._dynamo.graph_break()

from user code:
  File "m.py", line 11, in f
    torch._dynamo.graph_break()
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^
`},
		{"an exception of the program", counter + `
@torch.compile(fullgraph=True)
def f(x):
    y = x + 1
    raise ValueError("mine")
for i in range(5):
    try:
        f(x)
    except ValueError as e:
        print(e)
`, strings.Repeat("mine\n", 5)},
		{"explain", counter + `
def f(x):
    y = x * 2
    torch._dynamo.graph_break()
    return y + 1
e = torch._dynamo.explain(f)(x)
print(e.graph_count, e.graph_break_count, e.op_count, e.ops_per_graph)
for b in e.break_reasons:
    print(b.reason, b.user_stack, b.user_stack[-1].line, sep="\n")
print([g.name for g in e.out_guards if g.create_fn == "tensor"])
print(str(e).split("Out Guards")[0])
`, `2 1 2 [['mul'], ['add']]
torch._dynamo.graph_break()
[<FrameSummary file m.py, line 10 in f>]
torch._dynamo.graph_break()
^^^^^^^^^^^^^^^^^^^^^^^^^^^
['frame 0 local x', 'frame 0 local y']
Graph Count: 2
Graph Break Count: 1
Op Count: 2
Break Reasons:
  Break Reason 1:
    Reason: torch._dynamo.graph_break()
    User Stack:
      <FrameSummary file m.py, line 10 in f>
        torch._dynamo.graph_break()
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^
Ops per Graph:
  Ops 1:
    mul
  Ops 2:
    add

`},
		{"errors", counter + `
for bad in ({"backend": "fast"}, {"mode": "fast"}, {"mode": "default", "options": {}}):
    try:
        torch.compile(lambda x: x, **bad)
    except RuntimeError as e:
        print(type(e).__name__, e)
try:
    torch.compile(3)
except RuntimeError as e:
    print(e)
print(torch._dynamo.list_backends(), torch.compiler.list_backends())
`, "InvalidBackend Invalid backend: 'fast', see `torch._dynamo.list_backends()` for available backends: aot_eager, eager, inductor\n" +
			"RuntimeError Unrecognized mode=fast, should be one of: default, reduce-overhead, max-autotune, max-autotune-no-cudagraphs\n" +
			"RuntimeError Either mode or options can be specified, but both can't be specified at the same time.\n" +
			"torch.compile: a function or a Module is expected, not int\n" +
			"['aot_eager', 'eager', 'inductor'] ['aot_eager', 'eager', 'inductor']\n"},
		{"other callables", counter + `
import functools
class C:
    def __call__(self, x): return x + 1
def f(x, k): return x * k
for fn in (C(), functools.partial(f, k=3), torch.sin):
    g = torch.compile(fn, backend=c)
    print(torch.allclose(g(x), fn(x)), torch.allclose(g(x), fn(x)))
print(torch.compile(f, disable=True) is f)
`, "True True\nTrue True\nTrue True\nTrue\n"},
		{"reset", counter + `
f = torch.compile(lambda x: x + 1, backend=c, fullgraph=True)
f(x); f(x)
torch._dynamo.reset()
f(x); f(x)
print(counts())
`, "(2, 2)\n"},
		{"nested", counter + `
d = CompileCounter()
@torch.compile(backend=d, fullgraph=True)
def inner(x): return x * 2
@torch.compile(backend=c)
def outer(x):
    y = x + 1
    y = inner(y)
    return y - 1
for i in range(5):
    r = outer(x)
print(r.tolist(), counts(), (d.frame_count, d.op_count))
`, "[1.0, 3.0, 5.0, 7.0, 9.0, 11.0] (2, 2) (1, 1)\n"},
		{"rows with a dimension of one", counter + `
def standardized(w):
    m = w.mean((1, 2, 3), keepdim=True)
    v = torch.var(w, (1, 2, 3), correction=0, keepdim=True)
    return (w - m) * torch.rsqrt(v + 1e-5)
torch.manual_seed(0)
for shape in ((4, 1, 3, 3), (4, 2, 3, 3), (1, 1, 3, 3), (4, 1, 1, 3), (3, 1, 2, 1), (1, 1, 1, 1)):
    w = torch.randn(*shape)
    g = torch.compile(standardized, fullgraph=True)
    g(w)
    assert torch.allclose(g(w), standardized(w), atol=1e-5), shape
print("same")
`, "same\n"},
		{"mark_dynamic", counter + `
f = torch.compile(lambda x: x * 2 + 1, backend=c, fullgraph=True)
for n in range(3, 8):
    x = torch.ones(n, 4)
    torch._dynamo.mark_dynamic(x, 0)
    r = f(x)
print(counts(), r.shape)
c.clear()
g = torch.compile(lambda x: x * 2 + 1, backend=c, fullgraph=True)
for n in range(3, 8):
    x = torch.ones(n, 4)
    torch._dynamo.mark_static(x, 0)
    r = g(x)
print(counts())
try:
    torch._dynamo.mark_dynamic(x, 2)
except IndexError as e:
    print(e)
`, "(1, 2) torch.Size([7, 4])\n(5, 10)\nDimension out of range (expected to be in range of [-2, 1], but got 2)\n"},
		{"dynamic sizes", counter + `
def f(x): return (x * 2).sum()
for dynamic in (True, False, None):
    c.clear()
    g = torch.compile(f, backend=c, fullgraph=True, dynamic=dynamic)
    for n in range(3, 9):
        g(torch.ones(n, 2))
    print(dynamic, counts()[0])
`, "True 1\nFalse 6\nNone 2\n"},
		{"dynamic", counter + `
def f(x, n): return x + n
for dynamic in (True, False, None):
    c.clear()
    g = torch.compile(f, backend=c, fullgraph=True, dynamic=dynamic)
    for n in range(4):
        g(x, n)
    print(dynamic, counts()[0])
`, "True 1\nFalse 4\nNone 2\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for mode, name := range map[JITMode]string{JITOff: "off", JITSync: "sync", JITAuto: "auto"} {
				if got := printed(t, mode, c.src); got != c.want {
					t.Errorf("%s prints\n%s\nnot\n%s", name, got, c.want)
				}
			}
		})
	}
}
