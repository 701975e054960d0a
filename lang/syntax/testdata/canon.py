"""Prints CPython 3.11's tree of each file named, in the form that canon_test.go
gives ours. With -errors, reads sources separated by lines of "----" instead and
prints the SyntaxError of each.

    python3.11 canon.py a.py b.py > ast.golden
    python3.11 canon.py -errors errors.txt > errors.golden
"""

import ast
import struct
import sys
import warnings

warnings.simplefilter("ignore")
FLAT = (ast.arguments, ast.comprehension, ast.withitem, ast.match_case)
KEEP = (ast.expr, ast.stmt, ast.pattern, ast.arg, ast.keyword, ast.alias, ast.ExceptHandler)


def detail(n):
    if isinstance(n, ast.Constant):
        v = n.value
        if isinstance(v, (bool, type(None), type(...))):
            return {None: "None", True: "True", False: "False"}.get(v, "...")
        if isinstance(v, int):
            return "int %x" % v
        if isinstance(v, float):
            return "float " + struct.pack(">d", v).hex()
        if isinstance(v, complex):
            return "imag " + struct.pack(">d", v.imag).hex()
        if isinstance(v, str):
            return "str " + v.encode("utf-8", "surrogatepass").hex()
        return "bytes " + v.hex()
    if isinstance(n, ast.MatchSingleton):
        return str(n.value)
    out = []
    for f, v in ast.iter_fields(n):
        if f in ("type_comment", "kind", "is_async", "lineno"):
            continue
        if isinstance(v, str):
            out.append(v)
        elif isinstance(v, (ast.operator, ast.unaryop, ast.boolop)):
            out.append(type(v).__name__)
        elif f == "ops":
            out += [type(o).__name__ for o in v]
        elif f in ("names", "kwd_attrs") and v and isinstance(v[0], str):
            out += v
        elif f in ("level", "simple", "conversion") and v not in (0, -1, None):
            out.append(f + "=" + str(v))
    return " ".join(out)


def children(n):
    out = []
    for c in ast.iter_child_nodes(n):
        if isinstance(c, KEEP):
            out.append(c)
        elif isinstance(c, FLAT):
            out += children(c)
    if isinstance(n, (ast.JoinedStr, ast.FormattedValue)):  # their parts have no positions of their own
        return out
    return sorted(out, key=lambda c: (c.lineno, c.col_offset))


def canon(n, lines, depth, opaque, out):
    def col(line, byte):
        return len(lines[line - 1][:byte].decode()) + 1

    pos = ""
    if not opaque:
        pos = " %d:%d-%d:%d" % (n.lineno, col(n.lineno, n.col_offset), n.end_lineno, col(n.end_lineno, n.end_col_offset))
    out.append(("%s%s%s %s" % ("  " * depth, type(n).__name__, pos, detail(n))).rstrip())
    opaque = opaque or isinstance(n, ast.JoinedStr)
    for c in children(n):
        canon(c, lines, depth + 1, opaque, out)


def main():
    sys.setrecursionlimit(10000)
    if sys.argv[1] == "-errors":
        for src in open(sys.argv[2]).read().split("\n----\n"):
            try:
                compile(src, "<test>", "exec")
                print("ok")
            except SyntaxError as e:
                print("%s %s:%s-%s:%s %s" % (type(e).__name__, e.lineno, e.offset, e.end_lineno, e.end_offset, e.msg))
        return
    for name in sys.argv[1:]:
        data = open(name, "rb").read().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        print("# " + name)
        try:
            tree = ast.parse(data)
        except SyntaxError as e:
            print("error", e.msg)
            continue
        out = []
        for c in tree.body:
            canon(c, data.split(b"\n"), 0, False, out)
        print("\n".join(out))


main()
