"""Writes expected.txt: cases.star run by PyTorch itself. With --check it writes nothing, but runs cases.star twice, by
PyTorch and with the library's .star files on PyTorch's primitives, and compares both with expected.txt.
"""

import contextlib
import io
import os
import re
import sys
import warnings

import torch

warnings.simplefilter("ignore")
torch.set_num_threads(1)

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "cases.star")
EXPECTED = os.path.join(HERE, "expected.txt")
TOLERANCE = 5e-5
NUMBER = re.compile(r"-?\d+\.\d+")


def by_torch():
    scope = {"__name__": "__main__"}
    with open(CASES) as f:
        exec(compile(f.read(), CASES, "exec"), scope)


def by_library():
    import starimport

    starimport.run(CASES)


def printed(f):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        f()
    return out.getvalue()


def difference(got, want):
    """The first line that differs by more than the tolerance, or None."""
    a, b = got.split("\n"), want.split("\n")
    for i in range(max(len(a), len(b))):
        x = a[i] if i < len(a) else "(end)"
        y = b[i] if i < len(b) else "(end)"
        same_text = NUMBER.sub("#", x) == NUMBER.sub("#", y)
        pairs = zip(NUMBER.findall(x), NUMBER.findall(y))
        if not same_text or any(abs(float(p) - float(q)) > TOLERANCE for p, q in pairs):
            return f"line {i + 1}:\n  got  {x}\n  want {y}"
    return None


if __name__ == "__main__":
    if "--check" not in sys.argv:
        with open(EXPECTED, "w") as f:
            f.write(printed(by_torch))
        sys.exit(0)
    with open(EXPECTED) as f:
        want = f.read()
    bad = 0
    for f in (by_torch, by_library):
        diff = difference(printed(f), want)
        if diff is not None:
            print(f.__name__, diff)
            bad = 1
    sys.exit(bad)
