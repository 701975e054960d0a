import torch
import torch.nn as nn


def t(f):
    try:
        return f()
    except Exception as e:
        return type(e).__name__ + ": " + str(e).split("\n")[0]


i8, u8, i32, i64 = (torch.tensor([100, 50], dtype=d) for d in (torch.int8, torch.uint8, torch.int32, torch.int64))
h, bf, f, d, b = torch.tensor([1.5, 2.5]).half(), torch.tensor([1.5, 2.5]).bfloat16(), torch.tensor([1.5, 2.5]), torch.tensor([1.5, 2.5]).double(), torch.tensor([True, False])
all_ = [i8, u8, i32, i64, h, bf, f, d, b]
for x in all_:
    print([str((x + y).dtype)[6:] for y in all_], str((x + 1).dtype)[6:], str((x + 1.5).dtype)[6:], str((x * True).dtype)[6:], str((x / 2).dtype)[6:], str((x * torch.tensor(2.5)).dtype)[6:], str((x + torch.tensor(2)).dtype)[6:])
print(i8 + i8, u8 * 3, u8 - 60, -i8, ~i8, i32 // 3, i32 % 7, -i32 // 3, i64 / 3, i64 ** 2, 2 ** i64 if False else "", i64 << 2, i64 >> 1, i64 & 3, i64 | 1, i64 ^ 5, ~b, b & b, b | ~b, b ^ b, b + b, b.sum(), b.float().mean(), b * 2)
print(t(lambda: b - b), t(lambda: -b), t(lambda: i64.mean()), t(lambda: f.long() @ f), t(lambda: torch.tensor([1, 2]) + "a"), t(lambda: ~f), t(lambda: f & f), t(lambda: b.add_(1)), t(lambda: i64.mul_(2.5)), t(lambda: i64.sqrt()), t(lambda: i64.exp_()), t(lambda: torch.ones(2).half() @ torch.ones(2)))
print(i64.sum().dtype, i32.sum().dtype, b.sum().dtype, u8.sum().dtype, i32.cumsum(0).dtype, i32.prod().dtype, h.sum().dtype, i64.float().mean(dtype=torch.float64), f.sum(dtype=torch.float64), i64.max().dtype, b.any().dtype, i64.sqrt().dtype, i64.sigmoid(), b.exp().dtype)
print(h * h, bf * 3, h.float() / 3, (bf / 3), (h / 3), h.sum(), bf.softmax(0), h.float().exp(), bf.sqrt(), torch.tensor(65504.).half() * 2, torch.tensor(1e-8).half(), torch.tensor([1.0009765625]).bfloat16(), torch.tensor(3.0e38).bfloat16() * 2)
print(f.to(torch.int8), torch.tensor([-1.7, 2.9]).long(), torch.tensor([300]).to(torch.uint8), torch.tensor([-1]).to(torch.uint8), torch.tensor([2.5]).bool(), torch.tensor([0.0, 0.1]).bool(), torch.tensor(True).int(), f.double().float().equal(f), torch.tensor([1 << 40]).int(), torch.tensor([1e10]).to(torch.int64))
print(torch.tensor([1, 2.5]), torch.tensor([True, 2]), torch.tensor([True, 2.5]), torch.tensor(1, dtype=torch.float16), torch.tensor([[1], [2]], dtype=torch.float64), torch.tensor((1, 2)), torch.tensor(range(3)), torch.tensor([torch.tensor(1), torch.tensor(2)]), torch.tensor([[]]).shape, torch.tensor(f).equal(f), torch.as_tensor(f) is f, torch.tensor([2 ** 40]), torch.tensor(2 ** 31).dtype)
print(torch.ones(2, dtype=torch.int) / 2, torch.zeros(2, dtype=torch.bool), torch.full((2,), 1, dtype=torch.float16), torch.arange(0, 3, dtype=torch.half), torch.arange(3.).dtype, torch.arange(0, 1.5, 0.5), torch.linspace(0, 1, 3, dtype=torch.float64))
torch.set_default_dtype(torch.float64)
print(torch.tensor([1.5]), torch.zeros(1).dtype, nn.Linear(2, 2).weight.dtype, torch.tensor([1.5], dtype=torch.float32), torch.arange(2.).dtype, torch.get_default_dtype(), (torch.tensor([1]) / 2).dtype)
torch.set_default_dtype(torch.float32)
lin = nn.Linear(4, 2).to(torch.bfloat16)
print(lin(torch.ones(3, 4, dtype=torch.bfloat16)).dtype, t(lambda: lin(torch.ones(3, 4))), lin.half().weight.dtype)
with torch.autocast("cpu", dtype=torch.bfloat16):
    m = nn.Linear(4, 2)
    o = m(torch.ones(1, 4))
    print(o.dtype, torch.ones(2, 2).mm(torch.ones(2, 2)).dtype, (o + torch.ones(1)).dtype, nn.functional.softmax(o, -1).dtype, torch.ones(2).exp().dtype)
    with torch.autocast("cpu", enabled=False):
        print(m(torch.ones(1, 4)).dtype)
w = torch.ones(2, requires_grad=True)
(w.half() * 3).float().sum().backward()
print(w.grad, w.grad.dtype, (w.double() ** 2).sum().dtype)
x = torch.tensor([1., 2.])
x.data = torch.tensor([3.])
print(x, x.data.dtype, torch.float32.is_floating_point, torch.int8.is_signed, torch.float16.itemsize if hasattr(torch.float16, "itemsize") else 2, torch.float == torch.float32, torch.float is torch.float32, {torch.float32: 1}[torch.float], isinstance(torch.float, torch.dtype), str(torch.bfloat16).split(".")[-1])
print(torch.FloatTensor([1, 2]), torch.LongTensor([[1, 2]]), torch.FloatTensor(2, 3).shape, torch.BoolTensor([True]), torch.Tensor([1, 2]), torch.Tensor(2, 3).shape, torch.Tensor(), isinstance(x, torch.FloatTensor), isinstance(torch.ones(1).long(), torch.LongTensor), torch.IntTensor([3]).type(), x.type("torch.DoubleTensor"), torch.HalfTensor([1.5]))
if torch.tensor(1.0) > 0.5 and torch.tensor([2]) != 3 and not torch.tensor(False):
    print("yes", 1 if torch.tensor([0]) else 0, torch.tensor(3) == 3, (torch.tensor(3) == 3).item(), torch.tensor(2) in [1, 2], torch.tensor(2.) < torch.tensor(3), 1 < torch.tensor(2), 5 - torch.tensor(2), 1 / torch.tensor(4.), 7 // torch.tensor(2), 7 % torch.tensor(4), torch.tensor(1) is None, torch.tensor(1) == None, None != torch.tensor(1))
