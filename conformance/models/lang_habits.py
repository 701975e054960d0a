"""Tensors and the language around them: conversions, containers, iteration, comparison, formatting, errors in user code."""
import torch
import torch.nn as nn
from collections import defaultdict, namedtuple, OrderedDict


def t(f):
    try:
        return f()
    except Exception as e:
        return type(e).__name__ + ": " + str(e).split("\n")[0]


total = 0
for v in torch.tensor([1, 2, 3]):
    total += v
print(total, type(total).__name__, total == 6, total > 5 and "big", bool(total))
loss = 0.
for w in (0.5, 1.5):
    loss = loss + w * torch.tensor(2.0)
    loss -= 0.5
    loss *= 2
print(loss, float(loss), f"{loss:.3f}", f"{loss.item():6.2f}", "%.2f" % loss, str(loss), repr(loss), "{:.1f}".format(loss))
n = 2
n += torch.tensor(3)
n -= torch.tensor(1)
n *= torch.tensor(2)
n = n / torch.tensor(4)
n **= torch.tensor(2)
n //= torch.tensor(1)
n %= torch.tensor(3)
print(n, 2 ** torch.tensor(3), 7 // torch.tensor(2.), -7 % torch.tensor(3), True + torch.tensor(1), 1.5 * torch.tensor([2]), torch.tensor(2) @ torch.tensor(3) if False else "")
d = {}
d["a"] = d.get("a", 0) + torch.tensor(1.)
dd = defaultdict(float)
dd["x"] += torch.tensor(2.)
print(d, dict(dd), {torch.tensor(1): "k"} is not None, torch.tensor(1) in [torch.tensor(2), torch.tensor(1)], [1, 2].index(torch.tensor(2)))
xs = [torch.tensor(3.), torch.tensor(1.), torch.tensor(2.)]
print(sorted(xs), max(xs), min(xs), sum(xs), sum(xs) / len(xs), sorted(xs, reverse=True)[0], any(x > 2 for x in xs), all(xs), list(reversed(torch.arange(3))), list(enumerate(torch.arange(2))))
print(torch.tensor([1, 2, 3]).tolist() == [1, 2, 3], [float(x) for x in torch.tensor([1., 2.])], list(map(lambda x: x.item() * 2, torch.arange(3))), dict(enumerate(torch.arange(2).tolist())), tuple(torch.arange(2)), set(torch.tensor([1, 1, 2]).tolist()), range(torch.tensor(3)), [0] * torch.tensor(2), "ab" * torch.tensor(2), [1, 2, 3][torch.tensor(1)], [1, 2, 3][: torch.tensor(2)])
a, b = torch.ones(2, 3).shape
(h, w), c = torch.ones(4, 5).shape, 3
*lead, last = torch.ones(2, 3, 4).size()
print(a, b, h, w, lead, last, torch.zeros(a, b, *lead).shape, torch.zeros((a, *lead)).shape, torch.zeros(torch.Size([2]) + (3,)).shape, torch.ones(2, 3).view(-1).shape[0], torch.ones(*[2, 3]).shape, torch.ones(size=(2, 3)).shape, torch.randn(*(2, 2), requires_grad=True).shape)
x = torch.ones(2, 3)
B, T = x.shape[0], x.shape[1] // 2
print(x.view(B, -1).shape, x.reshape(B * 3).shape, x.view(x.size(0), x.size(1)).shape, x.view(*x.shape[:-1], 3, 1).shape, x.view((3, 2)).shape, x.permute(*range(x.dim())[::-1]).shape, x.permute([1, 0]).shape, x.expand(*x.shape).shape, x.repeat(*[1] * x.dim()).shape, x.sum(dim=(0, 1)), x.sum(dim=[-1]), x.mean(dim=tuple(range(1, x.ndim))), x.flatten(start_dim=1).shape, x.unflatten(1, (3, 1)).shape, x.squeeze().shape, x[None].squeeze(0).shape, x.unsqueeze(dim=0).shape)
print(t(lambda: x.shape[5]), t(lambda: x.size(7)), t(lambda: x.view(5, -1)), t(lambda: nn.Linear(3, 4)(torch.ones(2, 5))), t(lambda: x + torch.ones(4)), t(lambda: torch.cat([x, torch.ones(3, 4)], dim=0)), t(lambda: [1, 2][torch.tensor(5)]), t(lambda: int("a")), t(lambda: {}["k"]), t(lambda: None.foo), t(lambda: x.undefined_thing), t(lambda: nn.Sequential(nn.Linear(1, 2))(x)), t(lambda: torch.ones(3)[3]), t(lambda: x if x > 0 else 0), t(lambda: while_(1)), t(lambda: len(5)), t(lambda: x.unsqueeze()), t(lambda: torch.stack(x, x)), t(lambda: torch.tensor([1, "a"])))


class Counter:
    def __init__(self):
        self.n = 0

    def __iadd__(self, o):
        self.n += int(o)
        return self

    def __radd__(self, o):
        return ("radd", o if isinstance(o, int) else type(o).__name__)

    def __rmul__(self, o):
        return "rmul"


k = Counter()
k += torch.tensor(4)
print(k.n, torch.ones(1) + Counter(), torch.ones(1) * Counter(), 3 + Counter())
q = torch.ones(1)
q += 1
q = q + True
print(q, q == 3, (q == 3).all(), q.eq(3).item(), not q.eq(2), q is q, q != None, q.equal(torch.tensor([3.])), id(q) == id(q), hash(q) == hash(q), isinstance(q, torch.Tensor), isinstance(q, nn.Parameter), type(q) == torch.Tensor, callable(q), bool(q == 3))
Batch = namedtuple("Batch", "x y")
bt = Batch(torch.ones(1), y=torch.zeros(2))
print(bt, bt._replace(y=None).y, bt._asdict().keys(), [f for f in bt._fields])
try:
    raise ValueError("bad %s" % (torch.Size([1, 2]),))
except ValueError as e:
    print("caught", e, e.args)
try:
    assert x.shape == (2, 4), f"expected (2, 4) but got {tuple(x.shape)} {x.dtype}"
except AssertionError as e:
    print(e)


class NaNError(RuntimeError):
    def __init__(self, step, value):
        super().__init__(f"loss is {value} at {step}")
        self.step = step


try:
    try:
        l = torch.tensor(float("nan"))
        if torch.isnan(l) or not torch.isfinite(l).all():
            raise NaNError(3, l.item())
    finally:
        print("cleanup")
except RuntimeError as e:
    print(type(e).__name__, e, e.step, isinstance(e, NaNError))


def batches(data, size):
    for i in range(0, len(data), size):
        yield data[i:i + size]


print([b.sum().item() for b in batches(torch.arange(7), 3)], next(batches(torch.arange(4), 2)), list(zip(torch.arange(3).split(1), "abc"))[1])
fmt = lambda v: f"{v:.2f}" if isinstance(v, float) else str(v)
print(", ".join(f"{k}={fmt(v)}" for k, v in {"loss": 0.1234, "n": 3, "lr": 1e-3}.items()), f"{torch.tensor([1.5]).item()!r:>6}", f"{x.shape}", f"{x.shape!r:<25}|", f"{tuple(x.shape)}", f"{x.dtype} {x.device}", f"{[p.shape for p in nn.Linear(1, 2).parameters()]}", f"{x.mean():.4f}±{x.std():.2e}", f"{torch.tensor(3)}/{torch.tensor(4.):g}" if False else "", f"{torch.tensor(True)}", f"{torch.tensor(12):03d}", f"{torch.tensor(5)}", f"{x.sum():>10.2f}|")
print(*[torch.tensor(i) for i in range(2)], sep=", ", end="!\n")
print(torch.tensor(0.1) + 0.2, torch.tensor(1) / 3, torch.tensor(10) // 3, torch.tensor(-7) // 2, torch.tensor(2) ** 10, torch.tensor(1e-3), torch.tensor(5) % 3, -torch.tensor(3), abs(torch.tensor(-2.5)), round(torch.tensor(2.5678).item(), 2), torch.tensor(2.7).int(), int(torch.tensor(-2.7)), torch.tensor(3).float() / 2, +torch.tensor(1), ~torch.tensor(5), torch.tensor(True) & False, torch.tensor(6) >> 1)
