"""Writes expressions.jsonl: random expressions and what CPython 3.11 makes of them.

    /usr/bin/python3 expressions.py > expressions.jsonl

Each line is [expression, result]: the repr of its value with the type's name in front, or the exception's type and
message. Expressions that take long or make much are left out, and so are results that depend on addresses or on the
order of sets.
"""

import json
import random
import re
import signal
import sys
import warnings

ATOMS = {
    "int": ["0", "1", "2", "3", "-1", "7", "10", "255", "-13", "2**31", "2**63 - 1", "-2**63", "2**64", "10**20", "-(10**18)", "0x7fff"],
    "float": ["0.0", "1.0", "-0.0", "0.5", "-2.5", "3.75", "1e16", "1e-5", "1e308", "float('inf')", "float('nan')", "0.1", "123456.789"],
    "bool": ["True", "False"],
    "none": ["None"],
    "str": ["''", "'a'", "'abc'", "'Hello World'", "'ünïcödé'", "'1,2,3'", "'  pad '", "'x' * 3", "'%s-%d'", "'日本語'", "'-42'", "'3.5'"],
    "bytes": ["b''", "b'ab'", "b'\\x00\\xff'", "b'a,b'"],
    "list": ["[]", "[1]", "[1, 2, 3]", "[3, 1, 2]", "['b', 'a']", "[[1], [2]]", "list(range(5))", "[None, 0]"],
    "tuple": ["()", "(1,)", "(1, 2)", "('a', 1)", "(1, (2, 3))"],
    "dict": ["{}", "{'a': 1}", "{1: 'x', 2: 'y'}", "{'b': [1], 'a': None}", "dict(k=2)"],
    "set": ["set()", "{1}", "frozenset([2])"],
    "complex": ["1j", "(2+3j)", "-1.5j"],
    "range": ["range(4)", "range(10, 0, -3)", "range(0)"],
}
BINARY = "+ - * / // % ** << >> & | ^ == != < <= > >= is in and or".split() + ["not in", "is not"]
UNARY = ["-", "+", "~", "not "]
CALLS = ["len", "str", "repr", "int", "float", "bool", "list", "tuple", "sorted", "sum", "min", "max", "abs", "hash", "set", "dict", "bytes",
         "reversed", "enumerate", "any", "all", "ord", "chr", "hex", "bin", "round", "complex", "ascii", "iter", "type", "frozenset", "divmod",
         "pow", "zip", "isinstance", "range", "format", "oct"]
METHODS = {
    "str": ["upper()", "lower()", "strip()", "split()", "split(',')", "title()", "capitalize()", "swapcase()", "isdigit()", "isalpha()",
            "startswith('a')", "endswith({0})", "find({0})", "count('a')", "replace('a', {0})", "join({0})", "zfill(6)", "center(9, '*')",
            "ljust(5)", "partition(',')", "rsplit(None, 1)", "encode()", "splitlines()", "index('b')", "format({0})", "format({0}, {1})",
            "casefold()", "isidentifier()", "removeprefix('a')", "expandtabs(4)", "isspace()", "rjust({0})", "rpartition({0})", "translate({{97: 'b'}})"],
    "list": ["index({0})", "count({0})", "copy()", "pop()", "pop({0})", "append({0})", "extend({0})", "insert(0, {0})", "sort()", "reverse()", "remove({0})"],
    "dict": ["get({0})", "get({0}, {1})", "keys()", "items()", "values()", "pop({0})", "setdefault({0}, {1})", "update({0})", "copy()", "popitem()"],
    "bytes": ["decode()", "hex()", "split(b',')", "find(b'b')", "upper()", "join([b'x', b'y'])", "replace(b'a', {0})", "startswith({0})"],
    "int": ["bit_length()", "to_bytes(8, 'big')", "conjugate()", "bit_count()", "as_integer_ratio()", "__add__({0})", "real"],
    "float": ["is_integer()", "hex()", "as_integer_ratio()", "imag", "__floordiv__({0})"],
    "tuple": ["index({0})", "count({0})"],
    "set": ["union({0})", "isdisjoint({0})", "issubset({0})", "pop()"],
    "complex": ["real", "imag", "conjugate()"],
    "range": ["index({0})", "count({0})", "start", "step"],
}
SPECS = ["", "5", "<6", ">6", "^7", "05d", "x", "#x", "b", "o", ",", "_", ".2f", "8.3e", "g", "+", " ", "%", "s", "c", "*^9", "n", ".3", "=+6", "08.2f"]
PERCENTS = ["%s", "%r", "%d", "%5.2f", "%x", "%-6s|", "%+d", "%e", "%g", "%c", "%%", "%05d", "%a", "%(a)s", "%s %s", "%.3s", "%o", "%i"]


class Maker:
    def __init__(self, r):
        self.r = r
        self.names = []

    def atom(self, kind=None):
        if kind is None and self.names and self.r.random() < 0.4:
            return self.r.choice(self.names)
        return self.r.choice(ATOMS[kind or self.r.choice(list(ATOMS))])

    def expr(self, depth, kind=None):
        r = self.r
        if depth <= 0 or r.random() < 0.08:
            return self.atom(kind)
        sub = lambda k=None: self.expr(depth - 1, k)
        if kind is not None and r.random() < 0.7:
            return self.atom(kind)
        k = r.random()
        if k < 0.30:
            t = r.choice(list(ATOMS))
            same = t if r.random() < 0.6 else None
            return f"({sub(t)} {r.choice(BINARY)} {sub(same)})"
        if k < 0.36:
            return f"({r.choice(UNARY)}{sub()})"
        if k < 0.40:
            return f"({sub()} {r.choice(['<', '<=', '==', '!=', '>'])} {sub()} {r.choice(['<', '>=', 'in', 'is'])} {sub()})"
        if k < 0.54:
            f = r.choice(CALLS)
            n = {"divmod": 2, "pow": 2, "zip": 2, "isinstance": 1}.get(f, 1 if r.random() < 0.85 else 2)
            args = [sub() for _ in range(n)]
            if f == "isinstance":
                args.append(r.choice(["int", "str", "(int, float)", "list | tuple", "bool", "object"]))
            if f in ("sorted", "min", "max") and r.random() < 0.3:
                args.append("key=" + r.choice(["str", "abs", "len", "lambda v: -v"]))
            return f"{f}({', '.join(args)})"
        if k < 0.70:
            t = r.choice(list(METHODS))
            m = r.choice(METHODS[t]).format(sub(), sub())
            return f"({sub(t)}).{m}"
        if k < 0.78:
            c = sub(r.choice(["str", "list", "tuple", "dict", "bytes", "range"]))
            i = r.choice([sub("int"), "-1", "0", "1:", ":-1", "::-1", "::2", f"{sub('int')}:{sub('int')}", "1:3", "None:None:None", sub()])
            return f"({c})[{i}]"
        if k < 0.82:
            return f"({sub()} if {sub()} else {sub()})"
        if k < 0.87:
            src = sub(r.choice(["list", "str", "range", "tuple", "dict", "list"]))
            self.names.append("v")
            body, test = sub(), sub()
            self.names.pop()
            o, c = r.choice(["[]", "()", "{}"])
            if o == "(":
                o, c = "tuple(", ")"
            if o == "{":
                return f"{{v: {body} for v in {src}}}"
            return f"{o}{body} for v in {src}{' if ' + test if r.random() < 0.4 else ''}{c}"
        if k < 0.90:
            return "format(" + sub() + ", " + repr(r.choice(SPECS)) + ")"
        if k < 0.93:
            return f"({r.choice(PERCENTS)!r} % {r.choice([sub(), '(' + sub() + ',)', '(' + sub() + ', ' + sub() + ')', '{' + repr('a') + ': ' + sub() + '}'])})"
        if k < 0.95:
            self.names.append("v")
            body = sub()
            self.names.pop()
            return f"(lambda v={sub()}: {body})({r.choice(['', sub()])})"
        if k < 0.97:
            return f"[{sub()}, *{sub(r.choice(['list', 'tuple', 'str']))}, {sub()}]"
        if k < 0.985:
            return f"({{**{sub('dict')}, {sub('str')}: {sub()}}})"
        self.names.append("w")
        body = sub()
        self.names.pop()
        return f"[(w := {sub()}), {body}][1]"


class Slow(BaseException):
    pass


def alarm(*_):
    raise Slow


def main():
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, alarm)
    r = random.Random(2026)
    seen = set()
    count = {}
    while len(seen) < 6000:
        m = Maker(r)
        text = m.expr(r.choice([1, 2, 2, 3, 3, 4]))
        if text in seen or len(text) > 160 or "10**20)" in text and "**" in text.replace("10**20", ""):
            continue
        try:
            code = compile(text, "e", "eval")
        except SyntaxError:
            continue
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            try:
                v = eval(code, {})
                result = type(v).__name__ + " " + repr(v)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except Slow:
            continue
        except (MemoryError, RecursionError):
            continue
        except Exception as e:
            result = type(e).__name__ + ": " + str(e)
            # Every fault that a type has is worded alike: not too many of one kind.
            key = result[:40]
            count[key] = count.get(key, 0) + 1
            if count[key] > 40:
                continue
        if len(result) > 300 or " at 0x" in result or "hash(" in text and "'" in text or "set" in result and "," in result:
            continue
        if "hash(" in text or "id(" in text or re.search(r"\bis (not )?(?!None\)|True\)|False\))", text):
            continue  # whether equal values are one object is each implementation's affair
        seen.add(text)
        print(json.dumps([text, result], ensure_ascii=False))


main()
