#!/usr/bin/python3
"""Writes NAME.out for each NAME.py beside it: what CPython 3.11 prints.

A file is a row of chunks, separated by lines of ---. Each chunk runs as a
module of its own; an exception that leaves it becomes a line "raised ...", with
a line for each frame. Frames of comprehensions are left out: Larkspur runs
them in place, as later CPythons do.
"""
import contextlib, glob, io, os, sys, traceback

here = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(here, "mods"))

for path in sorted(glob.glob(os.path.join(here, "*.py"))):
    if os.path.samefile(path, __file__):
        continue
    name = os.path.basename(path)
    outs = []
    for chunk in open(path).read().split("\n---\n"):
        out = io.StringIO()
        for mod in [m for m in sys.modules if hasattr(sys.modules[m], "__file__") and (sys.modules[m].__file__ or "").startswith(here)]:
            del sys.modules[mod]
        with contextlib.redirect_stdout(out):
            env = {"__name__": "chunk"}
            try:
                exec(compile(chunk, name, "exec", dont_inherit=True), env)
            except BaseException as e:
                text = str(e)
                print(f"raised {type(e).__name__}" + (": " + text if text else ""))
                for f in traceback.extract_tb(e.__traceback__)[1:]:
                    if f.filename == name:
                        print(f"  line {f.lineno} in {f.name}")
        outs.append(out.getvalue().replace(here, "testdata"))
    with open(path[:-3] + ".out", "w") as f:
        f.write("---\n".join(outs))
