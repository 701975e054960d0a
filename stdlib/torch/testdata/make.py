#!/usr/bin/python3
"""Writes lang/NAME.out for each lang/NAME.py: what PyTorch prints there.

A file is a row of chunks, separated by lines of ---. Each runs as a module of its own in which torch is imported and
`shows(f)` prints f(), or the exception that it raises. Run with a Python that has torch 1.13.
"""
import contextlib, glob, io, os
import torch

here = os.path.dirname(os.path.abspath(__file__))
prelude = open(os.path.join(here, "prelude.py")).read()

for path in sorted(glob.glob(os.path.join(here, "lang", "*.py"))):
    outs = []
    for chunk in open(path).read().split("\n---\n"):
        out = io.StringIO()
        torch.set_printoptions(profile="default")
        torch.set_default_dtype(torch.float32)
        with contextlib.redirect_stdout(out):
            env = {"__name__": "chunk"}
            try:
                exec(compile(prelude + chunk, os.path.basename(path), "exec"), env)
            except BaseException as e:
                print("raised", type(e).__name__ + ":", e)
        outs.append(out.getvalue())
    with open(path[:-3] + ".out", "w") as f:
        f.write("---\n".join(outs))
