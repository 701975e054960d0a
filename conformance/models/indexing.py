import torch

x = torch.arange(24).view(2, 3, 4)
print(x[0], x[1, 2], x[-1, -1, -1], x[:, 1], x[..., 0], x[0, ..., 1:3])
print(x[:, None].shape, x[None].shape, x[..., None].shape, x[:, :, ::2], x[1:, :, -2:].shape)
print(x[[0, 1]].shape, x[[0, 1], [1, 2]], x[torch.tensor([1, 0])].shape, x[:, [0, 2]].shape, x[:, torch.tensor([0, 2]), 1])
print(x[x > 20], x[x % 7 == 0].shape, x[torch.tensor([True, False])], x[0, torch.tensor([True, False, True])])
print(x[torch.tensor([[0, 1], [1, 0]]), :, 0].shape, x[:, torch.tensor([0, 1]), torch.tensor([2, 3])])
print(x[torch.tensor([0, 1]), :, torch.tensor([2, 3])])
print(x[0][1][2], x[0][1][2].item(), x.tolist()[0][0])
i = torch.tensor(1)
print(x[i], x[:, i].shape, [10, 20, 30][i], x[i:].shape, list(range(5))[:i + 1])
y = torch.zeros(3, 4)
y[0] = 1
y[:, 1] = torch.arange(3.)
y[1, 2:] = torch.tensor([7., 8.])
y[y == 0] = -1
print(y)
y[[0, 2], [3, 0]] = torch.tensor([50., 60.])
y[torch.tensor([1])] = 9
y[..., -1] += 100
y[0, 0] *= 3
print(y)
y[y > 50] /= 10
y[:2, :2] = torch.eye(2)
y[None, 2] = 0.5
y[-1, [True, False, False, True]] = torch.tensor([1., 2.])
print(y)
z = torch.zeros(2, 3, dtype=torch.long)
z[0, 1] = 3.7
z[1] = torch.tensor([True, False, True])
z[:, 2] -= 1
print(z)
idx = torch.tensor([0, 1, 1, 2])
acc = torch.zeros(3)
acc.index_add_(0, idx, torch.ones(4))
print(acc, acc.index_fill(0, torch.tensor([0]), 5.), acc.index_copy(0, torch.tensor([2]), torch.tensor([9.])))
acc[idx] += 1
print(acc)
acc.index_put_((idx,), torch.ones(4), accumulate=True)
print(acc)
print(torch.arange(10)[2:8:3], torch.arange(10)[-3:], torch.arange(10)[:-7], torch.arange(10)[20:], torch.arange(10)[3:1])
m = torch.tensor([[True, False], [False, True]])
w = torch.ones(2, 2)
w[m] = torch.tensor([5., 6.])
w[~m] = 0
print(w, w[m], w[~m].sum(), m.nonzero(), m.nonzero(as_tuple=True), torch.where(m))
print(torch.gather(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([[0, 0], [1, 0]])))
s = torch.zeros(2, 4).scatter_(1, torch.tensor([[1], [3]]), 1.0)
print(s, s.scatter(1, torch.tensor([[0, 2], [1, 2]]), torch.tensor([[7., 8.], [9., 10.]])))
print(torch.zeros(3).scatter_add_(0, torch.tensor([0, 0, 2]), torch.tensor([1., 2., 3.])))
print(torch.zeros(3).scatter_reduce(0, torch.tensor([0, 0, 2]), torch.tensor([1., 2., 3.]), reduce="amax"))
print(x.take(torch.tensor([0, 23])), torch.take_along_dim(x[0], x[0].argsort(1, descending=True), 1))
print(x.index_select(1, torch.tensor([2, 0]))[:, :, 0], x.select(1, 2).shape, x.narrow(2, 1, 2).shape)
a, b = torch.tensor([[1, 2], [3, 4]])
print(a, b)
for row in torch.tensor([[1, 2], [3, 4]]):
    print(row, [v.item() for v in row])
print(len(x), 5 in x, 99 in x, torch.tensor(5) in x)
g = torch.ones(3, 3, requires_grad=True)
h = g * 2
h[0, 0] = 100.
h[1] = h[2] * 3
h.sum().backward()
print(g.grad)
g.grad = None
(g[:, 1] ** 2).sum().backward()
g[[0, 0, 1]].sum().backward()
print(g.grad)
x = torch.arange(6.).view(2, 3)
v = x[:, 1:]
v += 10
x.t()[0] = -1
print(x, v.is_contiguous(), v.stride(), v.storage_offset(), v._base is x, x.view(-1)[::2])
x[0], x[1] = x[1].clone(), x[0].clone()
print(x)
x[:] = 0
x[1, :] = range(3) if False else torch.arange(3)
print(x)
q = torch.arange(12).reshape(3, 4)
q[:, 0], q[:, 1] = 0, 1
q[1:, 2:] = q[:2, :2].clone()
print(q, q[(q > 1) & (q < 9)], q[(q == 0) | (q == 1)].numel(), q.masked_select(q > 3))
print(torch.tensor([3, 1, 2])[torch.tensor([3, 1, 2]).argsort()])
print(q[slice(0, 2)], q[(slice(None), 0)], q[tuple([0, 1])], q[[0]])
