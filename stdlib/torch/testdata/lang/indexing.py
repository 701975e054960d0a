x = torch.arange(24).view(2, 3, 4)
print(x[0], x[-1, 1], x[1, 2, 3])
print(x[:, 1], x[:, 1:], x[..., 0], x[0, ..., 1], x[:, :, ::2])
print(x[None].shape, x[:, None, 1].shape, x[..., None].shape, x[None, ..., None, 0].shape)
print(x[[0, 1]].shape, x[[0], [1]], x[torch.tensor([0, 1, 0])].shape)
print(x[torch.tensor([0, 1]), torch.tensor([2, 0])])
print(x[:, torch.tensor([0, 2]), 1:3])
print(x[x > 20], x[x[:, 0, 0] > 0].shape)
print(x[True].shape, x[False].shape)
print(x[0, torch.tensor(2)], x[torch.tensor(1)].shape)
print(x[()].shape, x[...].shape)
print(x[-1:].shape, x[5:].shape, x[:, -2:].shape)
print(x[[True, False]].shape, x[0, [True, False, True]])
print(x[(0, 1)], x[[[0, 1], [1, 0]]])
print(x[range(2)].shape)
---
x = torch.arange(6.0).view(2, 3)
shows(lambda: x[2])
shows(lambda: x[0, 3])
shows(lambda: x[0, 0, 0])
shows(lambda: x[::-1])
shows(lambda: x[1.5])
shows(lambda: x["a"])
shows(lambda: x[torch.tensor([5])])
shows(lambda: x[torch.tensor([True, False, True])])
shows(lambda: torch.tensor(1.0)[0])
shows(lambda: x[torch.tensor([1.0])])
shows(lambda: x[::0])
---
x = torch.zeros(3, 4)
x[0] = 1
x[1, 2] = 5.0
x[:, 3] = torch.tensor([7.0, 8.0, 9.0])
x[2, :2] = torch.tensor([[3.0, 4.0]])
print(x)
x[x > 6] = -1
print(x)
x[torch.tensor([0, 2]), torch.tensor([1, 1])] = torch.tensor([10.0, 20.0])
print(x)
x[[1]] = 0
x[..., 0] += 1
print(x)
x[None, 0] = 3
x[:, [0, 1]] = 2
x[x == 2] = torch.tensor(4.0)
print(x)
def bad():
    x[0] = torch.zeros(7)
shows(bad)
def bad():
    x[0] = [1, 2, 3, 4]
shows(bad)
def bad():
    x[0] = "a"
shows(bad)
y = torch.zeros(3, dtype=torch.int64)
y[0] = 3.7
y[1] = True
print(y)
---
x = torch.arange(4)
v = x[1:3]
v[0] = 100
print(x, v.storage_offset(), v.stride(), len(x), [int(i) for i in x])
for row in torch.ones(2, 2):
    print(row)
print(3 in torch.tensor([1, 2, 3]), 5 in torch.tensor([1, 2]))
a, b = torch.tensor([1, 2])
print(a, b)
shows(lambda: len(torch.tensor(1)))
shows(lambda: list(torch.tensor(1)))
print([10, 20, 30][torch.tensor(1)])
