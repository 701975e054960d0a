import torch


def t(f):
    try:
        return f()
    except Exception as e:
        return type(e).__name__ + ": " + str(e).split("\n")[0]


x = torch.zeros(3, 4)
x[1].fill_(2)
x.select(0, 2).add_(1)
x[:, 1:3].mul_(10)
x.view(-1)[0] = 9
x.t()[3] += 0.5
print(x)
y = x.diagonal()
y.zero_()
print(x, y._base is not None, x._version > 0, x.is_contiguous(), x.t().is_contiguous(), x.t().contiguous().stride())
a, b = x.chunk(2, 1)
a.fill_(1)
b[0] = 7
print(x, [v.shape for v in x.split([1, 3], dim=1)], x.unfold(0, 2, 1).shape, x.expand(2, 3, 4).stride(), x.as_strided((2, 2), (1, 4)))
e = torch.ones(1).expand(3)
print(t(lambda: e.add_(1)), t(lambda: e.fill_(3)), t(lambda: x.unsqueeze_(0).shape), t(lambda: x.squeeze_(0).shape), t(lambda: x.t_().shape), t(lambda: x.transpose_(0, 1).shape), t(lambda: x.resize_(2, 6).shape), t(lambda: torch.ones(2, 2).t().view(4)))
w = torch.ones(3, requires_grad=True)
print(t(lambda: w.mul_(2)), t(lambda: w[0].fill_(1)), t(lambda: w.__setitem__(0, 1.)), t(lambda: w.view(3).add_(1)))
with torch.no_grad():
    w.mul_(2)
    w[0] = 5
print(w, w.is_leaf, w._version)
v = w * 2
v[0] = 0
v.add_(1)
v.sum().backward()
print(w.grad)
w.grad = None
z = w.exp()
z.mul_(2)
print(t(lambda: z.sum().backward()))
z = w.clone()
z[1:] *= w[1:]
z.relu_()
z.sum().backward()
print(w.grad)
s = w.sigmoid()
s += 1
print(t(lambda: s.sum().backward()))
u = (w * 1)
k = u.view(3, 1)
u.mul_(3)
print(k.grad_fn is not None, k.T, u.grad_fn.name())
p = torch.arange(4.)
q = p.detach()
q[0] = 100
r = p.clone()
r[1] = 200
n = p.data
n[2] = 300
print(p, r, q.data_ptr() == p.data_ptr(), r.data_ptr() == p.data_ptr(), p[1:].data_ptr() - p.data_ptr(), p[1:].storage_offset(), p.storage().size() if hasattr(p, "storage") else 4)
m = torch.ones(2, 2)
m += torch.tensor([1, 2])
m -= 1
m *= torch.tensor([[2.], [3.]])
m /= 2
m //= 1
m **= 2
m %= 5
print(m)
bits = torch.tensor([5, 6])
bits &= 4
bits |= 1
bits ^= 3
bits <<= 2
bits >>= 1
print(bits)
out = torch.empty(2)
torch.add(torch.ones(2), torch.ones(2), out=out)
print(out, torch.mul(torch.ones(2), 3, out=out) is out, out)
torch.matmul(torch.ones(2, 2), torch.ones(2), out=out)
torch.cat([torch.ones(1), torch.zeros(1)], out=out)
print(out)
h = torch.tensor([1.5, -2.5, 3.5])
print(h.clamp_(min=0), h.sqrt_(), h.neg_(), h.abs_(), h.exp_(), h.log_(), h.round_(), h.floor_(), h.zero_(), h.fill_(1).div_(4), h.pow_(2), h.sigmoid_(), h.tanh_(), h.reciprocal_(), h.copy_(torch.tensor([1, 2, 3])), h.masked_fill_(h > 2, 0), h.cumsum_(0), h.index_fill_(0, torch.tensor([0]), 9), h.lerp_(torch.zeros(3), 0.5), h.addcmul_(h, h, value=0.1), h.addcdiv_(h, h + 1), h.clip_(0, 1), h.swapaxes(0, 0).shape, h.sub_(1, alpha=2), h.where(h > -2, torch.zeros(3)), h.masked_scatter_(torch.tensor([True, False, True]), torch.tensor([7., 8.])), h.logical_not_(), h.ge_(1), h.triu_() if h.dim() > 1 else "")
print(type((w * 2).grad_fn).__name__, (w * 2).grad_fn.next_functions[0][0].name(), type(w.exp().grad_fn.next_functions[0][0]).__name__)
