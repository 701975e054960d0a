"""Model code's other habits: meta-programming, configs, registries, saving, text."""
import copy
import enum
import functools
import json
import math
import os
import re
import sys
import time
import types
import typing as tp
from abc import ABC, abstractmethod
from collections import Counter, OrderedDict, defaultdict, deque
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, asdict, replace
from functools import partial, reduce, wraps, lru_cache
from itertools import chain, product, repeat, islice, zip_longest
from operator import itemgetter, mul
from pathlib import Path
from typing import Any, Callable, Dict, Generic, Iterable, List, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union, TYPE_CHECKING, Literal

import torch
import torch.nn as nn
from torch import Tensor, nn, einsum
from torch.nn import Module, Parameter

if TYPE_CHECKING:
    from somewhere import Thing

T = TypeVar("T")


def exists(v):
    return v is not None


def default(v, d):
    return v if exists(v) else d() if callable(d) else d


def cast_tuple(v, n=1):
    return v if isinstance(v, tuple) else ((v,) * n)


class Activation(enum.Enum):
    RELU = "relu"
    GELU = "gelu"

    @property
    def module(self):
        return {"relu": nn.ReLU, "gelu": nn.GELU}[self.value]


@dataclass(frozen=True)
class Cfg:
    dim: int
    depth: int = 2
    act: Activation = Activation.GELU
    mults: Tuple[int, ...] = (1, 2)
    extra: Dict[str, Any] = field(default_factory=dict)

    @property
    def dims(self):
        return [self.dim, *map(lambda m: self.dim * m, self.mults)]


REGISTRY: Dict[str, Callable] = {}


def register(name):
    def deco(cls):
        REGISTRY[name] = cls
        return cls
    return deco


class Base(Module, ABC):
    @abstractmethod
    def forward(self, x: Tensor) -> Tensor:
        ...


class Residual(Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, *args, **kwargs):
        return self.fn(x, *args, **kwargs) + x


@register("mlp")
class Mlp(Base):
    def __init__(self, cfg: Cfg, *, dropout: float = 0.0, **kw):
        super().__init__()
        ins_outs = list(zip(cfg.dims[:-1], cfg.dims[1:]))
        self.net = nn.Sequential(*chain.from_iterable((nn.Linear(i, o), cfg.act.module(), nn.Dropout(dropout)) for i, o in ins_outs))
        self.kw = kw

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x)


@register("res")
class Res(Base):
    def __init__(self, cfg, **kw):
        super().__init__()
        self.layers = nn.ModuleList([])
        for ind in range(cfg.depth):
            is_last = ind == (cfg.depth - 1)
            self.layers.append(nn.ModuleList([Residual(nn.Linear(cfg.dim, cfg.dim)), nn.Identity() if is_last else nn.LayerNorm(cfg.dim)]))

    def forward(self, x):
        for lin, norm in self.layers:
            x = norm(lin(x))
        return x


torch.manual_seed(0)
cfg = Cfg(4, extra={"a": 1})
print(cfg, cfg.dims, asdict(cfg), replace(cfg, dim=8).dims, cfg == Cfg(4, extra={"a": 1}))
for name, cls in REGISTRY.items():
    m = cls(cfg, dropout=0.1, foo=1) if name == "mlp" else cls(cfg=cfg)
    print(name, m, m.eval()(torch.ones(2, 4)).shape, cls.__name__, cls.__mro__[1].__name__, isinstance(m, Base))
try:
    Base()
except TypeError as e:
    print(str(e)[:60])
try:
    cfg.dim = 3
except Exception as e:
    print(type(e).__name__, e)


class AverageMeter(object):
    """Computes and stores the average and current value"""

    def __init__(self, name, fmt=":f"):
        self.name, self.fmt = name, fmt
        self.reset()

    def reset(self):
        self.val = self.avg = self.sum = self.count = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count

    def __str__(self):
        fmtstr = "{name} {val" + self.fmt + "} ({avg" + self.fmt + "})"
        return fmtstr.format(**self.__dict__)


losses = AverageMeter("Loss", ":.4e")
losses.update(torch.tensor(0.5).item(), 3)
losses.update(0.25)
print(losses)


def accuracy(output, target, topk=(1,)):
    with torch.no_grad():
        maxk = max(topk)
        batch_size = target.size(0)
        _, pred = output.topk(maxk, 1, True, True)
        pred = pred.t()
        correct = pred.eq(target.view(1, -1).expand_as(pred))
        res = []
        for k in topk:
            correct_k = correct[:k].reshape(-1).float().sum(0, keepdim=True)
            res.append(correct_k.mul_(100.0 / batch_size))
        return res


print(accuracy(torch.tensor([[0.1, 0.9, 0.3], [0.8, 0.1, 0.5]]), torch.tensor([2, 0]), topk=(1, 2)))


@contextmanager
def evaluating(model):
    was = model.training
    model.eval()
    try:
        yield model
    finally:
        model.train(was)


with evaluating(m.train()) as e:
    print(e.training)
print(m.training)


def timer(fn):
    @wraps(fn)
    def wrapper(*a, **k):
        start = time.perf_counter()
        r = fn(*a, **k)
        assert time.perf_counter() >= start
        return r
    return wrapper


@timer
@torch.no_grad()
def infer(model, x):
    """Doc."""
    return model(x)


print(infer.__name__, infer.__doc__, infer(m, torch.ones(1, 4)).requires_grad)
ema = copy.deepcopy(m)
for p in ema.parameters():
    p.requires_grad_(False)
with torch.no_grad():
    for ema_p, p in zip(ema.parameters(), m.parameters()):
        ema_p.mul_(0.9).add_(p.data, alpha=0.1)
        ema_p.lerp_(p, 0.1)
        ema_p.copy_(0.5 * ema_p + 0.5 * p)
print(all(torch.allclose(a, b) for a, b in zip(ema.parameters(), m.parameters())), any(p.requires_grad for p in ema.parameters()))
counts = defaultdict(int)
for mod in m.modules():
    counts[type(mod).__name__] += 1
print(dict(counts), Counter(type(c).__name__ for c in m.children()), reduce(mul, [2, 3, 4], 1), sorted({"b": 2, "a": 1}.items(), key=itemgetter(1)))
sd = {re.sub(r"^layers\.(\d+)\.0\.fn", r"blk.\1", k): v.shape for k, v in m.state_dict().items()}
print(sd)
print({k.replace("module.", ""): tuple(v.shape) for k, v in OrderedDict([("module.w", torch.ones(1))]).items()})
print(json.dumps({"loss": round(0.123456, 3), "steps": [1, 2], "shape": list(torch.ones(2, 3).shape)}, indent=2))
print(f"{'name':<10}|{3.14159:>8.3f}|{1234567:,}|{0.256:.1%}|{torch.ones(2).sum().item():05.1f}|{cfg.dim=}|{'x' * 3!r:^9}|{1e-5:.2e}|{255:#x}")
total = sum(p.numel() for p in m.parameters() if p.requires_grad)
print(f"{total:,} params, {total * 4 / 1024:.2f} KB", "%-8s|%5.2f|%03d" % ("abc", 2.5, 7))
print(hasattr(m, "layers"), getattr(m, "nope", None), callable(m), isinstance(m, (nn.Linear, Res)), issubclass(Res, Module), type(m) is Res, m.__class__.__name__)
fn = {"relu": torch.relu, "tanh": torch.tanh}["tanh"]
print(fn(torch.tensor([0.5])), list(map(int, torch.tensor([1, 2]))), [*zip(torch.arange(2), "ab")], dict(zip("ab", torch.tensor([1., 2.]).unbind())))
a, *rest, b = torch.arange(5)
print(a, rest, b, (n := len(rest)), [y for x in torch.eye(2).tolist() for y in x if y])
match tuple(torch.ones(2, 3).shape):
    case (2, n):
        print("two by", n)
    case _:
        print("other")
xs = torch.linspace(-1, 1, 5)
print(torch.stack([x.clamp(min=0) if i % 2 else -x for i, x in enumerate(xs)]), max(xs, key=lambda v: v.item() ** 2), sum(x.item() for x in xs))
print(torch.__version__.split(".")[0] in ("1", "2"), torch.cuda.is_available(), torch.get_num_threads() > 0, torch.backends.cudnn.enabled is not None, hasattr(torch, "compile") or True)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(m.to(device=device, dtype=torch.float64)(torch.ones(1, 4, device=device).double()).dtype, next(m.parameters()).device, next(iter(m.parameters())).is_cuda, {p.device for p in m.parameters()})
