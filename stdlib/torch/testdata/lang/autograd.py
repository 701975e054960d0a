x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = (x * x).sum()
y.backward()
print(x.grad)
(x * 2).sum().backward()
print(x.grad)
x.grad = None
print(x.grad)
x.grad = torch.ones(3)
x.grad.zero_()
print(x.grad)
shows(lambda: (x * 2).backward())
(x * 2).backward(torch.tensor([1.0, 2.0, 3.0]))
print(x.grad)
shows(lambda: torch.ones(1).backward())
z = (x * x).sum()
z.backward()
shows(lambda: z.backward())
print(torch.autograd.grad((x * x).sum(), x), [g.detach() for g in torch.autograd.grad((x ** 3).sum(), [x], create_graph=True)])
shows(lambda: torch.autograd.grad((x * x).sum(), torch.ones(1, requires_grad=True)))
print(torch.autograd.grad((x * x).sum(), [torch.ones(1, requires_grad=True), x], allow_unused=True))
g, = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)
print(torch.autograd.grad(g.sum(), x))
---
x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    y = x * 2
    print(y.requires_grad, torch.is_grad_enabled())
    with torch.enable_grad():
        print((x * 2).requires_grad)
print(torch.is_grad_enabled())
@torch.no_grad()
def f(a):
    return a * 2
print(f(x).requires_grad, f.__name__)
class A:
    @torch.no_grad()
    def g(self, a):
        return (a * 3).requires_grad
print(A().g(x))
with torch.set_grad_enabled(False):
    print((x * 2).requires_grad)
torch.set_grad_enabled(False)
print((x * 2).requires_grad)
torch.set_grad_enabled(True)
with torch.inference_mode():
    y = x * 2
print(y.requires_grad, y.is_inference())
try:
    with torch.no_grad():
        raise ValueError("a")
except ValueError:
    print(torch.is_grad_enabled())
---
x = torch.tensor([1.0, 2.0], requires_grad=True)
seen = []
h = x.register_hook(lambda g: g * 2)
y = x * 3
y.register_hook(lambda g: seen.append(g))
y.retain_grad()
y.sum().backward()
print(x.grad, seen, y.grad)
h.remove()
x.grad = None
(x * 3).sum().backward()
print(x.grad)
shows(lambda: torch.ones(1).register_hook(lambda g: g))
print(y.is_leaf, y.grad_fn.name(), y.grad_fn.next_functions[0][0].name(), x.grad_fn)
d = y.detach()
print(d.requires_grad, d)
shows(lambda: x.add_(1))
shows(lambda: torch.ones(2, dtype=torch.int64).requires_grad_())
def bad():
    y.requires_grad = False
shows(bad)
w = torch.ones(2, requires_grad=True)
v = w * 1
u = v * v
v.add_(1)
shows(lambda: u.sum().backward())
---
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.save_for_backward(x)
        ctx.k = k
        return x * x * k
    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        print("needs", ctx.needs_input_grad)
        return 2 * x * grad * ctx.k, None
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Square.apply(x, 3)
print(y, y.grad_fn.name())
y.sum().backward()
print(x.grad)
shows(lambda: y.sum().backward())
with torch.no_grad():
    print(Square.apply(x, 3).requires_grad)
class Two(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a + b, a - b
    @staticmethod
    def backward(ctx, g, h):
        return g + h, g - h
a = torch.tensor([1.0], requires_grad=True)
b = torch.tensor([2.0], requires_grad=True)
p, q = Two.apply(a, b)
p.sum().backward()
print(a.grad, b.grad)
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2
    @staticmethod
    def backward(ctx, g):
        raise ValueError("in backward")
shows(lambda: Bad.apply(a).sum().backward())
print(torch.is_grad_enabled())
---
x = torch.ones(3, requires_grad=True)
y = x * 2
y[0] = 5
y.sum().backward()
print(x.grad)
base = torch.zeros(2, 2)
w = torch.ones(2, requires_grad=True)
base[0] = w * 3
base.sum().backward()
print(w.grad)
def bad():
    x[0] = 1
shows(bad)
x.data[0] = 7
print(x, x._version)
p = torch.nn.Parameter(torch.ones(2))
print(p, p.requires_grad, isinstance(p, torch.Tensor), type(p * 1), p.is_leaf)
