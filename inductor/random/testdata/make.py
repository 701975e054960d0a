#!/usr/bin/python3
"""Writes golden.json: what torch's CPU generator draws (run with Debian's python3-torch 1.13.1).

A case is [name, dtype, seed, [arguments], [n or shape], layout, warm]: warm scalar normals are drawn first (so that one may be
cached), then the call is made, then the generator's state is hashed. "head" has the first elements' bits, "hash" is FNV-1a of all of them
in logical order, "state" the FNV-1a of get_rng_state().
"""
import json
import os
import sys

import numpy as np
import torch

D = {"float32": torch.float32, "float64": torch.float64, "float16": torch.float16, "bfloat16": torch.bfloat16,
     "int64": torch.int64, "int32": torch.int32, "int16": torch.int16, "int8": torch.int8, "uint8": torch.uint8, "bool": torch.bool}


def fnv(data):
    h = 0xcbf29ce484222325
    for b in data:
        h = ((h ^ b) * 0x100000001b3) & (2**64 - 1)
    return "%016x" % h


def raw(t):
    t = t.contiguous()
    if t.dtype == torch.bfloat16:
        t = t.view(torch.int16)
    return t.numpy().tobytes(), t.element_size()


def weights(n, dtype):
    return (torch.arange(n, dtype=torch.float64) * 7 % 11 + 1).to(dtype) / 64


def target(shape, layout, dtype):
    if layout == "t":
        return torch.zeros(tuple(reversed(shape)), dtype=dtype).t()
    if layout == "skip":
        return torch.zeros(tuple(shape[:-1]) + (2 * shape[-1],), dtype=dtype)[..., ::2]
    if layout == "021":
        a, b, c = shape
        return torch.zeros((a, c, b), dtype=dtype).permute(0, 2, 1)
    return torch.zeros(tuple(shape), dtype=dtype)


def run(name, dtype, seed, args, shape, layout, warm):
    torch.manual_seed(seed)
    for _ in range(warm):
        torch.empty(1).normal_()
    dt = D[dtype]
    x = target(shape, layout, dt)
    n = x.numel()
    if name == "randperm":
        x = torch.randperm(n, dtype=dt)
    elif name == "bernoulli_p":
        x = torch.bernoulli(weights(n, dt).reshape(shape))
    elif name == "multinomial":
        x = torch.multinomial(weights(args[0], dt), n, replacement=bool(args[1]))
    elif name == "dropout":
        x = torch.nn.functional.dropout(torch.ones(shape, dtype=dt), args[0])
    elif name == "poisson":
        x = torch.poisson(torch.full(shape, args[0], dtype=dt))
    else:
        getattr(x, name + "_")(*args)
    b, size = raw(x)
    head = [b[i * size:(i + 1) * size][::-1].hex() for i in range(min(n, 5))]
    return dict(name=name, dtype=dtype, seed=seed, args=args, shape=list(shape), layout=layout, warm=warm, head=head, hash=fnv(b),
                state=fnv(torch.get_rng_state().numpy().tobytes()))


def cases():
    sizes = [0, 1, 2, 7, 15, 16, 17, 31, 32, 33, 100, 1000]
    seeds = [0, 1, 42, 2**31 + 5, 2**63 - 1]
    seed = lambda k: seeds[k % len(seeds)]
    k = 0
    for f in ["float32", "float64", "float16", "bfloat16"]:
        for n in sizes:
            for args in ([0.0, 1.0], [-1.3, 2.7]):
                k += 1
                yield "uniform", f, seed(k), args, (n,), "", 0
            for args in ([0.0, 1.0], [0.5, 0.02]):
                k += 1
                yield "normal", f, seed(k), args, (n,), "", k % 3
        for name, args in (("exponential", [1.5]), ("cauchy", [0.3, 1.7]), ("log_normal", [0.1, 0.4]), ("geometric", [0.3])):
            for n in (1, 17, 100):
                k += 1
                yield name, f, seed(k), args, (n,), "", 0
        for layout, shape in (("t", (5, 7)), ("skip", (4, 9)), ("021", (2, 3, 5))):
            k += 1
            yield "uniform", f, seed(k), [0.0, 1.0], shape, layout, 0
            yield "normal", f, seed(k), [0.0, 1.0], shape, layout, 1
            yield "bernoulli", f if f != "float16" else "float32", seed(k), [0.3], shape, layout, 0
    for n in sizes[1:]:
        for dt in ("float32", "float64", "bool", "int64", "uint8"):
            k += 1
            yield "bernoulli", dt, seed(k), [0.37], (n,), "", 0
        for dt in ("float32", "float64"):
            k += 1
            yield "bernoulli_p", dt, seed(k), [], (n,), "", 0
            yield "dropout", dt, seed(k), [0.25], (n,), "", 0
        for dt in ("int64", "int32", "int16", "float32", "float64"):
            k += 1
            yield "randperm", dt, seed(k), [], (n,), "", 0
        for dt in D:
            k += 1
            if dt != "bool":
                yield "random", dt, seed(k), [3, 100], (n,), "", 0
            yield "random", dt, seed(k), [], (n,), "", 0
        for dt in ("int64", "float64", "float32"):
            k += 1
            yield "random", dt, seed(k), [-5, 2**33], (n,), "", 0
            yield "random", dt, seed(k), [-5, 2**32 - 5], (n,), "", 0
        yield "random", "int64", seed(k), [-2**63, None], (n,), "", 0
        yield "random", "int64", seed(k), [-2**62, 2**62 + 7], (n,), "", 0
        for dt in ("float32", "float64"):
            for cat, repl in ((10, 1), (1000, 1), (1000, 0)):
                k += 1
                yield "multinomial", dt, seed(k), [cat, repl], (n,), "", 0
        for lam in (0.0, 2.5, 40.0):
            yield "poisson", "float32", seed(k), [lam], (n,), "", 0


def main():
    torch.set_num_threads(1)
    out = [run(*c) for c in cases()]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.json")
    with open(path, "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(c) for c in out) + "\n]\n")
    print(len(out), "cases")


main()
