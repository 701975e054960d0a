x = torch.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
print(torch.sort(x, dim=1))
print(x.sort(descending=True)[1], torch.topk(x, 2).values, x.topk(1, dim=0).indices)
print(x.argmax(), x.argmax(1), x.argsort(), x.median(), x.cumsum(1), torch.cummax(x, 1).values)
print(torch.unique(torch.tensor([3, 1, 3, 2])), torch.unique(torch.tensor([3, 1, 3, 2]), return_inverse=True, return_counts=True))
print(torch.equal(x, x.clone()), torch.allclose(x, x + 1e-7), torch.allclose(x, x + 1), torch.isclose(x, x).all())
print(torch.einsum("ij,kj->ik", x, x), torch.einsum("ij->j", [x]))
print(torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij")[1], torch.broadcast_tensors(torch.ones(1, 2), torch.ones(2, 1))[0].shape)
print(torch.stack((x, x), -1).shape, torch.hstack([x, x]).shape, torch.vstack((x, x)).shape, torch.cat([x, x], -1).shape)
print(torch.linspace(0, 1, 5), torch.arange(0, 1, 0.25), torch.eye(2), torch.full((2, 2), 7), torch.zeros((2,)), torch.ones([1, 2]))
print(torch.clamp(x, 2, 5), x.clip(max=3), torch.where(x > 2, x, torch.zeros_like(x)), x.masked_fill(x > 2, 0))
print(round(x.softmax(-1).sum().item(), 4), torch.log_softmax(x, dim=0)[0], x.norm(), torch.norm(x, 2, dim=1), x.std(), x.var(0, unbiased=False), x.mean((0, 1)))
print(x.gather(1, torch.tensor([[0], [2]])), x.scatter(1, torch.tensor([[0], [2]]), 9.0), x.index_select(1, torch.tensor([2, 0])), x.flip(0), x.flip((0, 1)), x.roll(1, 1))
print(x.repeat(2, 1).shape, x.repeat_interleave(2, dim=0).shape, x.expand(3, 2, 3).shape, x.unsqueeze(0).expand(-1, -1, 3).shape, x.tile((2,)).shape)
print(torch.relu_(x - 3), torch.nn.functional is not None if hasattr(torch, "nothing") else "-")
print(torch.max_pool2d(x[None, None], 2, 1, 0, 1, False), torch.conv1d(x[None], torch.ones(1, 2, 2)))
print(torch.matmul(x, x.t()), torch.mm(x, x.T), torch.bmm(x[None], x[None].transpose(1, 2)), torch.dot(x[0], x[1]), torch.outer(x[0], x[1]))
print(x.any(), x.all(), (x > 2).any(1), (x > 2).sum(), x.prod(), x.min(), x.amax(0), torch.logical_and(x > 1, x < 5))
print(torch.tril(torch.ones(3, 3)), torch.triu(torch.ones(2, 2), 1), x.triu_(1) is x, x.diag())
print(torch.cat([torch.zeros(0), torch.ones(2)]), torch.nan_to_num(torch.tensor([float("nan"), float("inf")])), torch.round(torch.tensor([0.5, 1.5, 2.5])))
print([t.tolist() for t in torch.split(torch.arange(5), [2, 3])], [t.tolist() for t in torch.tensor_split(torch.arange(5), 2)], torch.arange(4).unflatten(0, (2, 2)))
---
print(isinstance(torch.ones(1), torch.FloatTensor), isinstance(torch.ones(1), torch.LongTensor), isinstance(torch.float32, torch.dtype), isinstance(torch.device("cpu"), torch.device))
class Named(torch.Tensor):
    def twice(self):
        return self * 2
n = Named([1.0, 2.0])
print(n, type(n + 1).__name__, n.twice(), type(n.sum()).__name__, isinstance(n, torch.Tensor))
t = torch.ones(2)
t.note = "kept"
print(t.note, hasattr(t, "other"), hasattr(t, "shape"), getattr(t, "nope", 5))
d = {t: 1}
print(d[t], t in d, torch.ones(2) in d)
s = {torch.float32, torch.float, torch.int64}
print(len(s), {torch.device("cpu"): 1}[torch.device("cpu")])
def bad():
    t.shape = 3
try:
    bad()
except AttributeError:
    print("AttributeError")
print(torch.Tensor.add(t, 1), torch.Tensor.shape is not None, t.__class__ is torch.Tensor, torch.Tensor.__name__, torch.Tensor)
print(t.__add__(1), t.__len__(), t.__getitem__(0), t.__eq__(1), t.__bool__ is not None, t.size().numel())
print(sum([torch.ones(1), torch.ones(1)]), max(torch.tensor([3, 1])), sorted([torch.tensor(2), torch.tensor(1)]), min(torch.tensor(1), torch.tensor(0)))
print(round(float(torch.tensor(1.26)), 1), torch.tensor(3) + True, [1, 2, 3][: torch.tensor(2)], torch.ones(torch.tensor(2)), range(torch.tensor(3)))
print(type(torch.tensor(1.0).item()), type(torch.tensor(1).item()), type(torch.tensor(True).item()), torch.tensor([1, 2]).tolist(), torch.tensor(5).tolist())
---
x = torch.arange(4.0, requires_grad=True)
y = x.view(2, 2)[0]
y.mul(2).sum().backward()
print(x.grad, y.grad_fn is not None, x.detach().requires_grad, x.data.requires_grad, y._base is x, x._version)
a = torch.zeros(2)
b = a[:1]
b += 5
print(a, a._version, b._version, b._is_view(), a.storage_offset(), a[1:].storage_offset())
c = torch.empty(0)
c.set_(a)
print(c, c.data_ptr() == a.data_ptr(), torch.zeros(2).data_ptr() != a.data_ptr())
e = torch.zeros(2, 3).T
print(e.is_contiguous(), e.contiguous().stride(), e.clone().stride(), torch.zeros(1, 2, 3, 4).to(memory_format=torch.channels_last).stride(), torch.zeros(1, 2, 3, 4).contiguous(memory_format=torch.channels_last).is_contiguous(memory_format=torch.channels_last))
print(a.resize_(4).shape, a.new_empty((2, 2)).shape, torch.zeros_like(a, dtype=torch.int32).dtype)
f = torch.tensor([1.7, -1.7])
print(f.int(), f.long(), f.to(torch.uint8)[0], f.bool(), torch.tensor([300]).to(torch.uint8), torch.tensor([2.5]).half() + 1)
print(torch.result_type(f, torch.tensor(1, dtype=torch.float64)), (f + torch.tensor(1.0, dtype=torch.float64)).dtype, (torch.tensor([1]) + 1.5).dtype, (torch.tensor([1]) / 2).dtype, (torch.tensor([True]) + torch.tensor([True])).dtype)
g = torch.ones(3)
torch.add(g, 1, out=g)
print(g, torch.mul(g, 2, out=torch.empty(0)))
shows(lambda: torch.add(torch.ones(2, requires_grad=True), 1, out=torch.ones(2)))
shows(lambda: torch.ones(2).expand(3, 2).add_(1))
shows(lambda: torch.ones(2).view(3))
shows(lambda: torch.zeros(2, 3).squeeze(4))
shows(lambda: torch.randint(5, 2, (3,)))
shows(lambda: torch.zeros(-1))
shows(lambda: torch.tensor([1, 2]).mean())
shows(lambda: torch.ones(2, dtype=torch.int64).softmax(0))
shows(lambda: torch.nonexistent(1))
shows(lambda: torch.ones(2).nonexistent())
