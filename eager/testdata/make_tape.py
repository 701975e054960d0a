#!/usr/bin/python3
"""Writes tape.json: random programs of views, in-place ops and tape modes, and what torch makes of them.

An instruction is [kind, result, operands…]; registers are numbered by creation. After each instruction the program's state is noted:
an error's text, or requires_grad, is_leaf, grad_fn's name and _version of the register that the instruction made or wrote. At the end the
weighted sum of all registers is differentiated: the leaves' gradients, or the error.
"""
import json
import os
import random
import sys

import torch

N = int(sys.argv[1]) if len(sys.argv) > 1 else 400


def gen(r):
    prog, shapes, leaves = [], [], 0

    def new(ins, shape):
        prog.append(ins)
        shapes.append(shape)

    for i in range(r.randint(1, 3)):
        shape = r.choice([(2, 3), (3,), (2, 2), (4,)])
        n = 1
        for s in shape:
            n *= s
        new(["leaf" if r.random() < 0.7 else "const", [round(r.uniform(0.5, 2), 2) for _ in range(n)], list(shape)], shape)
    for _ in range(r.randint(3, 10)):
        a = r.randrange(len(shapes))
        sh = shapes[a]
        no = r.random() < 0.12
        kind = r.choice(["mul", "add", "exp", "slice", "select", "t", "unsqueeze", "expand", "clone", "detach", "mul_", "add_", "exp_", "copy_", "zero_", "mulc_", "data_mul_", "mul", "mul_"])
        fit = [j for j in range(len(shapes)) if shapes[j] == sh or len(shapes[j]) <= len(sh) and tuple(sh[len(sh) - len(shapes[j]):]) == shapes[j]]
        b = r.choice(fit)
        if kind in ("mul", "add"):
            new([kind, a, b, no], sh)
        elif kind in ("exp", "clone", "detach"):
            new([kind, a, no], sh)
        elif kind == "slice" and sh:
            d = r.randrange(len(sh))
            lo = r.randrange(sh[d]) if sh[d] else 0
            hi = r.randint(lo, sh[d])
            new([kind, a, d, lo, hi, no], sh[:d] + (hi - lo,) + sh[d + 1:])
        elif kind == "select" and sh:
            d = r.randrange(len(sh))
            if sh[d]:
                new([kind, a, d, r.randrange(sh[d]), no], sh[:d] + sh[d + 1:])
        elif kind == "t" and len(sh) == 2:
            new([kind, a, no], sh[::-1])
        elif kind == "unsqueeze" and len(sh) < 3:
            new([kind, a, 0, no], (1,) + sh)
        elif kind == "expand" and len(sh) < 3:
            new([kind, a, [2] + list(sh), no], (2,) + sh)
        elif kind in ("mul_", "add_", "copy_"):
            prog.append([kind, a, b, no])
        elif kind in ("exp_", "zero_"):
            prog.append([kind, a, no])
        elif kind in ("mulc_", "data_mul_"):
            prog.append([kind, a, 2.0, no])
    return prog


def state(t):
    return [t.requires_grad, t.is_leaf, type(t.grad_fn).__name__ if t.grad_fn is not None else None, t._version]


def window(t):
    return t.shape, t.stride(), t.storage_offset()


def run(prog):
    regs, notes = [], []
    for ins in prog:
        kind = ins[0]
        made = not kind.endswith("_")
        try:
            if kind in ("leaf", "const"):
                x = torch.tensor(ins[1], dtype=torch.float64).reshape(ins[2]).clone()
                x.requires_grad_(kind == "leaf")
            else:
                a = regs[ins[1]]
                if a is None or kind in ("mul", "add", "mul_", "add_", "copy_") and regs[ins[2]] is None:
                    raise KeyError("skipped")
                with torch.set_grad_enabled(not ins[-1]):
                    if kind in ("mul", "add", "mul_", "add_", "copy_"):
                        b = regs[ins[2]]
                        x = getattr(a, kind)(b)
                        if not made and a.storage().data_ptr() == b.storage().data_ptr() and window(a) != window(b):
                            return None  # overlap that torch does not look into: its result depends on its loop order
                    elif kind in ("exp", "clone", "detach", "t", "exp_", "zero_"):
                        x = getattr(a, kind)()
                    elif kind == "slice":
                        x = torch.ops.aten.slice(a, ins[2], ins[3], ins[4])
                    elif kind == "select":
                        x = a.select(ins[2], ins[3])
                    elif kind == "unsqueeze":
                        x = a.unsqueeze(ins[2])
                    elif kind == "expand":
                        x = a.expand(ins[2])
                    elif kind == "mulc_":
                        x = a.mul_(ins[2])
                    elif kind == "data_mul_":
                        a.data.mul_(ins[2])
                        x = a
            notes.append(state(x))
        except KeyError:
            x = None
            notes.append("skipped")
        except RuntimeError as e:
            x = None
            notes.append("error: " + str(e).split("\n")[0])
        if made:
            regs.append(x)
    values = [None if x is None else x.detach().reshape(-1).tolist() for x in regs]
    root, grads = None, None
    try:
        for i, x in enumerate(regs):
            if x is not None and x.requires_grad:
                s = (x * (i + 1.0)).sum()
                root = s if root is None else root + s
        if root is not None:
            root.backward()
            grads = [x.grad.reshape(-1).tolist() if p[0] == "leaf" and x.grad is not None else None
                     for p, x in zip([p for p in prog if not p[0].endswith("_")], regs)]
    except RuntimeError as e:
        grads = "error: " + str(e).split("\n")[0]
    return dict(prog=prog, notes=notes, values=values, grads=grads)


def main():
    torch.set_num_threads(1)
    r = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 7)
    out = []
    while len(out) < N:
        c = run(gen(r))
        text = json.dumps(c)
        if c is not None and not any(s in text for s in ("Infinity", "NaN", "INTERNAL ASSERT")):
            out.append(c)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tape.json")
    rnd = lambda o: float("%.9g" % o) if isinstance(o, float) else [rnd(x) for x in o] if isinstance(o, list) else {k: rnd(v) for k, v in o.items()} if isinstance(o, dict) else o
    with open(path, "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(rnd(c), separators=(",", ":")) for c in out) + "\n]\n")
    print(sum(isinstance(c["grads"], list) for c in out), "differentiated,", sum(isinstance(c["grads"], str) for c in out), "failed")


main()
