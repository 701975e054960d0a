"""Prints what CPython 3.11 makes of the names of each file: a line for each code
object, sorted, as names_test.go prints ours.

    python3.11 names.py scopes.py > names.golden
    python3.11 ../../syntax/testdata/canon.py -errors errors.txt > errors.golden
"""

import sys
import types
import warnings

warnings.simplefilter("ignore")


def lines(code, out):
    n = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    out.add("%s %d/%d/%d %s%s%s params=%s locals=%s cells=%s free=%s" % (
        code.co_qualname, code.co_posonlyargcount, code.co_argcount, code.co_kwonlyargcount,
        "*" if code.co_flags & 4 else "-", "k" if code.co_flags & 8 else "-", "g" if code.co_flags & 0x20 else "-",
        ",".join(code.co_varnames[:n]), ",".join(sorted(code.co_varnames[n:])),
        ",".join(sorted(code.co_cellvars)), ",".join(sorted(code.co_freevars))))
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            lines(c, out)


for name in sys.argv[1:]:
    print("# " + name)
    try:
        code = compile(open(name, "rb").read(), name, "exec")
    except SyntaxError as e:
        print("error", e.msg)
        continue
    out = set()
    lines(code, out)
    print("\n".join(sorted(out)))
