"""Runs the .star files of stdlib/nn, stdlib/optim and stdlib/utils under CPython, on the real torch's primitives.

The model dialect is Python, so the files load as they are. Their imports are redirected:

    torch.nn, torch.optim, torch.utils   the .star files
    torch._C.Parameter                   torch.nn.Parameter
    torch._C._nn                         torch.nn.functional, with what 1.13 lacks added here
    torch                                the real one, but for torch.nn, torch.optim and torch.utils

so no file can lean on PyTorch's own Python layer. names_used records every primitive that was looked up.
"""

import builtins
import functools
import math
import os
import types

import torch as real

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "stdlib")
PACKAGES = {"torch.nn": "nn", "torch.optim": "optim", "torch.utils": "utils"}

names_used = set()
modules = {}


def _sdpa(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None):
    scale = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    scores = query @ key.transpose(-2, -1) * scale
    if is_causal:
        mask = real.ones(scores.shape[-2:], dtype=real.bool).tril()
        scores = scores.masked_fill(~mask, -math.inf)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -math.inf) if attn_mask.dtype == real.bool else scores + attn_mask
    return real.dropout(scores.softmax(-1), dropout_p, dropout_p > 0) @ value


def _pick(x, *args):
    """The value of the first bound that x does not exceed, else the last."""
    for end, value in zip(args[:-1:2], args[1::2]):
        if x <= end:
            return float(value)
    return float(args[-1])


class _Functional(types.ModuleType):
    extra = {
        "scaled_dot_product_attention": _sdpa,
        "max_pool2d_with_indices": real._C._nn.max_pool2d_with_indices,
        "max_pool3d_with_indices": real._C._nn.max_pool3d_with_indices,
    }

    def __getattr__(self, name):
        names_used.add("torch._C._nn." + name)
        if name in self.extra:
            return self.extra[name]
        if name.endswith("_") and not hasattr(real.nn.functional, name):
            return functools.partial(getattr(real.nn.functional, name[:-1]), inplace=True)
        return getattr(real.nn.functional, name)


class _Torch(types.ModuleType):
    def __getattr__(self, name):
        if name in ("nn", "optim", "utils"):
            return load("torch." + name)
        if name == "_C":
            return _c
        names_used.add("torch." + name)
        return getattr(real, name)


torch = _Torch("torch")
_nn = _Functional("torch._C._nn")
_c = types.ModuleType("torch._C")
_c.Parameter = real.nn.Parameter
_c._nn = _nn
_c._pick = _pick
# torch's own C code imports torch.storage through the import function of the running frame.
modules.update({"torch": torch, "torch._C": _c, "torch._C._nn": _nn, "torch.storage": real.storage})


def load(name):
    """The module of a dotted name."""
    if name in modules:
        return modules[name]
    for package, folder in PACKAGES.items():
        if name == package or name.startswith(package + "."):
            parts = [folder] + name[len(package):].strip(".").split(".")
            base = os.path.join(ROOT, *[p for p in parts if p])
            break
    else:
        raise ModuleNotFoundError(f"No module named '{name}'")
    is_package = os.path.isdir(base)
    path = os.path.join(base, "__init__.star") if is_package else base + ".star"
    if not os.path.exists(path):
        raise ModuleNotFoundError(f"No module named '{name}'")
    parent, _, last = name.rpartition(".")
    if parent != "torch":
        load(parent)
        if name in modules:
            return modules[name]
    module = types.ModuleType(name)
    module.__file__ = path
    module.__package__ = name if is_package else parent
    module.__builtins__ = dict(vars(builtins), __import__=_import)
    modules[name] = module
    with open(path) as f:
        exec(compile(f.read(), path, "exec"), module.__dict__)
    if parent != "torch":
        setattr(modules[parent], last, module)
    return module


def _import(name, globals=None, locals=None, fromlist=(), level=0):
    if level > 0:
        base = globals["__package__"].split(".")
        base = ".".join(base[: len(base) - (level - 1)])
        name = base + "." + name if name else base
    if name.split(".")[0] != "torch":
        return builtins.__import__(name, globals, locals, fromlist, 0)
    module = load(name)
    if not fromlist:
        return torch
    for item in fromlist:
        if not hasattr(module, item):
            load(name + "." + item)
    return module


def run(path, **names):
    """The globals of a .star file that is no part of the library, run with the redirected imports."""
    scope = {"__name__": "__main__", "__file__": path, "__builtins__": dict(vars(builtins), __import__=_import)}
    scope.update(names)
    with open(path) as f:
        exec(compile(f.read(), path, "exec"), scope)
    return scope


nn = load("torch.nn")
optim = load("torch.optim")
utils = load("torch.utils")
