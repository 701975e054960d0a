import torch
import torch.nn as nn
import torch.nn.functional as F


def t(f):
    try:
        return f()
    except Exception as e:
        return type(e).__name__ + ": " + str(e).split("\n")[0]


x = torch.tensor([1., 2., 3.], requires_grad=True)
y = (x ** 2).sum()
print(torch.autograd.grad(y, x, retain_graph=True), torch.autograd.grad(y, [x]))
print(t(lambda: torch.autograd.grad(y, x)))
z = x * 2
print(t(lambda: z.backward()), z.backward(torch.ones(3)), x.grad, z.backward(gradient=torch.tensor([1., 0, 0])) if False else "")
x.grad = None
(x * x).mean().backward(retain_graph=True)
print(x.grad)
x.grad.zero_()
print(x.grad, x.grad.requires_grad, x.requires_grad, x.is_leaf, (x + 1).is_leaf, x.detach().is_leaf)
with torch.no_grad():
    a = x * 2
    print(a.requires_grad, torch.is_grad_enabled())
    with torch.enable_grad():
        print((x * 2).requires_grad)
with torch.set_grad_enabled(False):
    print((x * 2).requires_grad)
torch.set_grad_enabled(False)
print((x * 2).requires_grad)
torch.set_grad_enabled(True)
with torch.inference_mode():
    b = x * 2
print(b.requires_grad, b.is_inference(), t(lambda: b * x), t(lambda: (b * x).sum().backward()))


@torch.no_grad()
def f(v):
    return v * 2


@torch.enable_grad()
def g(v):
    return v * 2


@torch.inference_mode()
def h(v):
    return v * 2


print(f(x).requires_grad, g(x).requires_grad, h(x).requires_grad, f.__name__)
w = torch.randn(2, generator=torch.Generator().manual_seed(1)).requires_grad_()
l = (w ** 3).sum()
g1, = torch.autograd.grad(l, w, create_graph=True)
g2, = torch.autograd.grad(g1.sum(), w, create_graph=True)
g3, = torch.autograd.grad(g2.sum(), w)
print(g1.detach(), g2.detach(), g3)
print(t(lambda: torch.autograd.grad(l, x)), torch.autograd.grad((w ** 2).sum(), [w, x], allow_unused=True))
o = torch.autograd.grad([w.sum(), (w * 2).sum()], w, grad_outputs=[torch.tensor(1.), torch.tensor(10.)])
print(o)
jac = torch.stack([torch.autograd.grad(v, x, retain_graph=True)[0] for v in (x ** 2)])
print(jac)
from torch.autograd import Variable
v = Variable(torch.ones(2), requires_grad=True)
(v * 3).sum().backward()
print(v.grad.data, v.data)
p = nn.Parameter(torch.ones(2))
q = p.detach()
q.mul_(5)
print(p, p.data, p.data.requires_grad, p.requires_grad_(False), nn.Parameter(torch.ones(1)) + 1)
m = nn.Linear(2, 1)
opt = torch.optim.SGD(m.parameters(), lr=0.1)
acc = 0
for i in range(4):
    loss = m(torch.ones(3, 2) * i).pow(2).mean() / 2
    loss.backward()
    acc += loss.detach()
    if (i + 1) % 2 == 0:
        nn.utils.clip_grad_norm_(m.parameters(), 1.0, norm_type=2.0)
        opt.step()
        opt.zero_grad()
print(acc.requires_grad, m.weight.grad)
e = torch.ones(2, requires_grad=True)
s = e.expand(3, 2).sum() + e.repeat(2).sum() + e[None].squeeze(0).sum() + torch.cat([e, e]).sum() + torch.stack([e, e]).max() + e.view(2, 1).t().sum()
s.backward()
print(e.grad)
e.grad = None
i = torch.tensor([0, 0, 1])
(e[i] * torch.tensor([1., 2., 3.])).sum().backward()
F.embedding(i, e.view(2, 1)).sum().backward()
e.gather(0, i).sum().backward()
e.index_select(0, i).sum().backward()
torch.where(e > 0, e, e * 2).sum().backward()
e.masked_fill(torch.tensor([True, False]), 0.).sum().backward()
e.clamp(0, 1).sum().backward()
e.sort(descending=True)[0][0].backward()
e.topk(1)[0].sum().backward()
e.cumsum(0).sum().backward()
e.norm().backward()
e.prod().backward()
e.std().backward() if False else None
torch.einsum("i,i->", e, e).backward()
e.unsqueeze(0).matmul(e.unsqueeze(1)).sum().backward()
print(e.grad)
k = torch.zeros(3, requires_grad=True)
k.abs().sum().backward(); print(k.grad); k.grad = None
k.relu().sum().backward(); print(k.grad); k.grad = None
k.max().backward(); print(k.grad); k.grad = None
k.norm().backward(); print(k.grad); k.grad = None
k.sign().sum().backward(); print(k.grad); k.grad = None
k.clamp(min=0).sum().backward(); print(k.grad); k.grad = None
torch.maximum(k, torch.zeros(3)).sum().backward(); print(k.grad); k.grad = None
k.amax().backward(); print(k.grad); k.grad = None
k.sqrt().sum().backward(); print(k.grad); k.grad = None
k.pow(2).sqrt().sum().backward(); print(k.grad); k.grad = None
print(t(lambda: k.long().requires_grad_()), t(lambda: (k > 0).sum().backward()), t(lambda: k.argmax().backward()), (k > 0).requires_grad, k.long().requires_grad, k.round().requires_grad, t(lambda: setattr(k, "grad", torch.ones(2))), t(lambda: setattr(k * 2, "requires_grad", False)), t(lambda: k.sum().backward(torch.ones(2))))
hooks = []
k.grad = None
hd = k.register_hook(lambda g: hooks.append(g.clone()))
(k * 2).sum().backward()
hd.remove()
(k * 2).sum().backward()
print(hooks, k.grad)
r = torch.ones(2, requires_grad=True)
u = r * 2
u.retain_grad()
(u * 3).sum().backward()
print(u.grad, r.grad, (u * 1).grad)
mod = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
seen = []
mod[1].register_full_backward_hook(lambda m, gi, go: seen.append([tuple(a.shape) for a in gi + go]))
mod[0].register_full_backward_hook(lambda m, gi, go: (gi[0] * 2,) if gi[0] is not None else None)
xx = torch.ones(1, 2, requires_grad=True)
mod(xx).sum().backward()
print(seen, xx.grad.shape)
with torch.autograd.set_detect_anomaly(True):
    print(t(lambda: (torch.zeros(1, requires_grad=True) / 0).sum().backward()))
