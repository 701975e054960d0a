#!/usr/bin/env python3
"""Writes cpython.jsonl.gz: operations on built-in values and what CPython 3.11 says.

Run with CPython 3.11:  python3 gen_cases.py | gzip -9n > cpython.jsonl.gz
One case a line: [kind, name, operands, keywords, result]. Operands are encoded
by enc below; the result is the repr of the value (sets as "set:" and the repr of
their sorted elements), or "ExceptionName: message".
"""
import itertools, json, operator, random, sys

random.seed(7)


def enc(x):
    if x is None or isinstance(x, bool):
        return x
    if isinstance(x, int):
        return {"i": str(x)}
    if isinstance(x, float):
        return {"f": x.hex() if x == x and abs(x) != float("inf") else repr(x)}
    if isinstance(x, str):
        return {"s": x}
    if isinstance(x, bytes):
        return {"b": x.hex()}
    if isinstance(x, list):
        return {"l": [enc(e) for e in x]}
    if isinstance(x, tuple):
        return {"t": [enc(e) for e in x]}
    if isinstance(x, dict):
        return {"d": [[enc(k), enc(v)] for k, v in x.items()]}
    if isinstance(x, frozenset):
        return {"fs": [enc(e) for e in sorted(x)]}
    if isinstance(x, set):
        return {"set": [enc(e) for e in sorted(x)]}
    if isinstance(x, slice):
        return {"sl": [enc(x.start), enc(x.stop), enc(x.step)]}
    if isinstance(x, range):
        return {"r": [x.start, x.stop, x.step]}
    raise TypeError(x)


def show(v):
    if isinstance(v, (set, frozenset)):
        try:
            return "set:" + repr(sorted(v))
        except TypeError:
            return "set:" + repr(len(v))
    if type(v).__name__ in ("dict_keys", "dict_values", "dict_items", "zip", "map", "enumerate", "list_reverseiterator", "dict_reversekeyiterator", "reversed", "range_iterator"):
        return "iter:" + repr(list(v))
    return repr(v)


seen = set()


def case(kind, name, args, kw, f):
    try:
        coded = [enc(a) for a in args]
        kcoded = {k: enc(v) for k, v in kw.items()}
    except TypeError:
        return
    key = json.dumps([kind, name, coded, kcoded])
    if key in seen:
        return
    seen.add(key)
    try:
        r = f(*args, **kw)
        if isinstance(r, complex):
            return
        out = show(r)
    except Exception as e:
        out = type(e).__name__ + ": " + str(e)
    if len(out) > 3000:
        return
    print(json.dumps([kind, name, coded, kcoded, out]))


nums = [0, 1, -1, 2, 3, 7, -7, 10, 63, 64, 255, 2**31, -2**31, 2**53, 2**53 + 1, 2**62, 2**63 - 1, -2**63, 2**63, 2**64, -2**64 - 3, 10**30,
        True, False, 0.0, -0.0, 1.0, -1.0, 0.5, 1.5, -2.5, 3.7, 1e10, 1e16, 1e22, 1.5e300, 5e-324, float("inf"), float("-inf"), float("nan"), 2.0**63, 2.0**70]
others = ["", "a", "abc", "héllo", "日本", [], [1], [1, 2.0, "x"], (), (1,), (1, 2), {}, {"a": 1}, {1: 2, "b": None}, {1, 2}, set(), frozenset({1, 2}), b"", b"ab", None, range(3), range(0, 10, 2)]

ops = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv, "%": operator.mod, "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift, "**": operator.pow, "@": operator.matmul}
cmps = {"<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">": operator.gt, ">=": operator.ge}


def too_big(op, x, y):
    if op in ("<<", "**", "*"):
        for v in (x, y):
            if isinstance(v, int) and abs(v) > 1000:
                if op == "*" and all(isinstance(w, (int, float)) for w in (x, y)):
                    continue
                return True
    return False


for op, f in ops.items():
    for x, y in itertools.product(nums, nums):
        if not too_big(op, x, y) and random.random() < 0.35:
            case("binary", op, [x, y], {}, f)
    for x, y in itertools.product(others + [3, 1.5, True], others + [3, 0, 1.5, True]):
        if op == "%" and isinstance(x, (str, bytes)):
            continue
        if random.random() < 0.4:
            case("binary", op, [x, y], {}, f)
for op, f in cmps.items():
    for x, y in itertools.product(nums, nums):
        if random.random() < 0.3:
            case("compare", op, [x, y], {}, f)
    for x, y in itertools.product(others + [3, 1.5], others + [3, 1.5]):
        if random.random() < 0.5:
            case("compare", op, [x, y], {}, f)
for x in nums + others:
    for name, f in {"-": operator.neg, "+": operator.pos, "~": operator.invert}.items():
        case("unary", name, [x], {}, f)
    for name in ("repr", "str", "bool", "abs", "len", "int", "float", "round", "hash", "sorted", "list", "tuple", "set", "sum", "max", "min", "any", "all", "bin", "hex", "oct", "chr", "ord", "ascii", "enumerate", "reversed", "dict", "bytes", "range", "iter", "callable"):
        if name == "hash" and not isinstance(x, (int, float)) or name == "hash" and x != x:
            continue
        if name in ("iter",) or name in ("bytes", "range") and isinstance(x, int) and abs(x) > 1000:
            continue
        if name in ("list", "tuple", "set") and isinstance(x, (set, frozenset)) and name != "set":
            continue
        if name in ("repr", "str", "ascii", "sorted", "enumerate") and isinstance(x, (set, frozenset)):
            continue
        case("call", name, [x], {}, getattr(__builtins__, name))
    for y in others + [1, 2.0]:
        case("contains", "in", [x, y], {}, lambda c, e: e in c)
    for k in [0, 1, -1, 5, "a", 1.0, None, slice(None), slice(1, None), slice(None, None, -1), slice(0, 5, 2), slice(-2, None), slice(5, 1, -2), slice(1, 2, 0), slice("a", None)]:
        case("getitem", "[]", [x, k], {}, operator.getitem)

for s in ["0", " 12 ", "-7", "+5", "0x1f", "1_000", "1__0", "_1", "", "abc", "1.5", "1e5", "inf", "-Infinity", "nan", "1e400", "0b101", "0o17", "99999999999999999999", "٣", "1e", ".5", "5.", "."]:
    case("call", "int", [s], {}, int)
    case("call", "float", [s], {}, float)
    for b in (0, 2, 8, 10, 16, 36):
        case("call", "int", [s, b], {}, int)
for x in [0.5, 1.5, 2.5, 2.675, -0.5, 1234.5678, 1e300, 1e-5, 12345, -15, 25, 35, 1.005, 5e-324, 0.15, 2.5e15 + 0.5]:
    for n in (None, 0, 1, 2, 3, -1, -2, 10, 400, -400):
        case("call", "round", [x, n], {}, round)
for a, b in itertools.product([7, -7, 0, 5.5, -5.5, 2**70, "a"], [2, -2, 0, 2.5, 2**65]):
    case("call", "divmod", [a, b], {}, divmod)
for a in [(2, 10, 7), (2, -1, 7), (2, -1, 4), (3, 5, -4), (2, 3, 0), (2.0, 3, 4), (5, 3, 1)]:
    case("call", "pow", list(a), {}, pow)
case("call", "max", [3, 1, 2], {}, max)
case("call", "max", [[]], {"default": 5}, max)
case("call", "min", [1, 2], {"default": 5}, min)
case("call", "sum", [[1, 2], 10], {}, sum)
case("call", "sum", [[[1], [2]], []], {}, sum)
case("call", "sum", [["a"], ""], {}, sum)
case("call", "sorted", [[3, 1, 2]], {"reverse": True}, sorted)
case("call", "sorted", [["b", "a", "C"]], {}, sorted)
case("call", "sorted", [[(1, "b"), (1, "a"), (0, "z")]], {}, sorted)
case("call", "zip", [[1, 2, 3], "ab"], {}, zip)
case("call", "zip", [[1, 2, 3], "ab"], {"strict": True}, zip)
case("call", "enumerate", ["ab"], {"start": 5}, enumerate)
case("call", "range", [1, 10, 3], {}, range)
case("call", "range", [10, 1, -3], {}, range)
case("call", "range", [1, 2, 0], {}, range)
case("call", "isinstance", [1, 2], {}, isinstance)
case("call", "dict", [[("a", 1), ("b", 2)]], {"c": 3}, dict)
case("call", "dict", [{"a": 1}], {"a": 2}, dict)
case("call", "dict", [[1]], {}, dict)
case("call", "dict", [[(1, 2, 3)]], {}, dict)
case("call", "str", [b"h\xc3\xa9", "utf-8"], {}, str)
case("call", "str", [b"\xff", "utf-8", "replace"], {}, str)
case("call", "bytes", ["hé", "utf-8"], {}, bytes)
case("call", "bytes", [[1, 2, 300]], {}, bytes)
case("call", "bytes", [[1, 2, 3]], {}, bytes)

texts = ["", "a", "Hello World", "  pad \t", "a,b,,c", "héllo wörld", "日本語テキスト", "aXbXc", "MiXeD cAsE", "123", "3.14", "x\ny\r\nz", "tab\there", "__init__", "ß", "ǆ", "a'b\"c", "\x00\x7f\x80\u2028", "😀 ok", "%d", "it's"]
for s in texts:
    for m in ["upper", "lower", "title", "capitalize", "swapcase", "strip", "lstrip", "rstrip", "split", "rsplit", "splitlines", "isalpha", "isdigit", "isalnum", "isspace", "isupper", "islower", "istitle", "isidentifier", "isdecimal", "isnumeric", "isprintable", "isascii", "encode", "casefold", "expandtabs"]:
        case("method", m, [s], {}, getattr(str, m))
    case("call", "repr", [s], {}, repr)
    case("call", "ascii", [s], {}, ascii)
    for sub in ["", "a", "X", ",", "l", "本", " ", "zz"]:
        for m in ["find", "rfind", "index", "rindex", "count", "startswith", "endswith", "split", "rsplit", "partition", "rpartition", "removeprefix", "removesuffix", "strip", "lstrip", "rstrip"]:
            case("method", m, [s, sub], {}, getattr(str, m))
        case("method", "replace", [s, sub, "--"], {}, str.replace)
        case("method", "replace", [s, sub, "-", 1], {}, str.replace)
        case("method", "split", [s, sub, 1], {}, str.split)
        case("method", "rsplit", [s, sub, 1], {}, str.rsplit)
        for a, b in [(1, None), (0, 3), (-3, None), (2, -1), (100, None), (None, -100)]:
            case("method", "find", [s, sub, a, b], {}, str.find)
            case("method", "count", [s, sub, a, b], {}, str.count)
            case("method", "startswith", [s, sub, a, b], {}, str.startswith)
    for w in (0, 3, 10, 11):
        for m in ("ljust", "rjust", "center", "zfill"):
            case("method", m, [s, w], {}, getattr(str, m))
        case("method", "center", [s, w, "*"], {}, str.center)
    for k in [0, 2, -1, slice(1, 4), slice(None, None, -1), slice(None, None, 2), slice(-4, -1)]:
        case("getitem", "[]", [s, k], {}, operator.getitem)
    case("method", "split", [s], {"maxsplit": 1}, str.split)
    case("method", "rsplit", [s], {"maxsplit": 1}, str.rsplit)
    case("method", "splitlines", [s, True], {}, str.splitlines)
    case("method", "encode", [s, "ascii"], {}, str.encode)
    case("method", "encode", [s, "latin-1", "replace"], {}, str.encode)
case("method", "join", [",", ["a", "b"]], {}, str.join)
case("method", "join", [",", ["a", 1]], {}, str.join)
case("method", "join", [",", 5], {}, str.join)
case("method", "join", ["-", "abc"], {}, str.join)
case("method", "startswith", ["abc", ("x", "ab")], {}, str.startswith)
case("method", "startswith", ["abc", 5], {}, str.startswith)
case("method", "split", ["abc", 5], {}, str.split)
for b in [b"", b"abc", b" a b ", b"\x00\xff\n'", b"a,b"]:
    for m in ["decode", "hex", "upper", "lower", "strip", "split"]:
        case("method", m, [b], {}, getattr(bytes, m))
    case("call", "repr", [b], {}, repr)
    case("method", "find", [b, b","], {}, bytes.find)
    case("method", "replace", [b, b"a", b"zz"], {}, bytes.replace)
    case("method", "startswith", [b, b"a"], {}, bytes.startswith)

for l in [[], [1], [3, 1, 2], [1, 2, 1.0, True]]:
    for v in (1, 2, 9):
        case("method", "index", [l, v], {}, list.index)
        case("method", "count", [l, v], {}, list.count)
        case("method", "remove", [list(l), v], {}, list.remove)
        case("method", "pop", [list(l), v], {}, list.pop)
        case("method", "insert", [list(l), v, "x"], {}, list.insert)
    case("method", "pop", [list(l)], {}, list.pop)
    case("method", "copy", [l], {}, list.copy)
case("method", "append", [[]], {}, list.append)
case("method", "append", [[], 1, 2], {}, list.append)
for d in [{}, {"a": 1}, {1: "x", 2: "y"}]:
    for k in ("a", 1, 1.0, True, "zz"):
        case("method", "get", [d, k], {}, dict.get)
        case("method", "get", [d, k, 9], {}, dict.get)
        case("method", "pop", [dict(d), k], {}, dict.pop)
        case("method", "pop", [dict(d), k, 9], {}, dict.pop)
        case("method", "setdefault", [dict(d), k, 9], {}, dict.setdefault)
    for m in ("keys", "values", "items", "copy", "popitem"):
        case("method", m, [dict(d)], {}, getattr(dict, m))
case("method", "get", [{}, []], {}, dict.get)
for a, b in itertools.product([set(), {1}, {1, 2, 3}, frozenset({2})], [set(), {1}, {2, 4}, [1, 2], "ab"]):
    for m in ("union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint"):
        case("method", m, [a, b], {}, getattr(type(a), m))
for i in [0, 1, -1, 255, 256, -128, 2**70]:
    case("method", "bit_length", [i], {}, int.bit_length)
    case("method", "bit_count", [i], {}, int.bit_count)
    for n, o, sg in [(1, "big", False), (2, "little", True), (16, "big", True), (0, "big", False)]:
        case("method", "to_bytes", [i, n, o], {"signed": sg}, int.to_bytes)
for f in [0.0, -0.0, 1.0, 1.5, 0.1, -3.75, 1e300, 5e-324, float("inf"), float("nan")]:
    case("method", "hex", [f], {}, float.hex)
    case("method", "is_integer", [f], {}, float.is_integer)
    case("method", "as_integer_ratio", [f], {}, float.as_integer_ratio)

specs = ["", "d", "5", "<5", ">5", "^5", "=5", "05", "+", " ", "-", "+d", "#x", "#o", "#b", "x", "X", "o", "b", "c", "n", ",", "_", "08,", "010,d", "_x", "#010x", "*^9", "é<8", ".2", ".2f", ".0f", "#.0f", "e", ".3e", "E", "g", ".3g", "#.3g", "G", "%", ".1%", "10.3f", "<10.3f", "+.2f", "012.3f", "012,.2f", ",.2f", "z.1f", "s", ".3", "5.3s", "10s", "^10s", "q", "10.", "1,000", ",_", ".5g", ".17g", ".0e", ".0g", "F", ",e", "+08.2f", "=+8", "00010", "<010", ".10", "_.3f", ",.10g", "5c", ",b", "zd", "+s", "=s", ",s", "#s", "bb", "é"]
vals = [0, 1, -1, 42, 1234567, -1234567, 2**70, True, False, 0.0, -0.0, 1.0, -1.5, 3.14159, 1234567.891, 1e-5, 1e16, 1e22, 123456789012345678.0, 0.00001234, float("inf"), float("-inf"), float("nan"), 1e100, 2.5, 99.995, -0.0001, "", "abc", "héllo wörld", None, []]
for v in vals:
    for s in specs:
        case("format", s, [v], {}, lambda v, s=s: format(v, s))
pf = ["%d", "%5d", "%-5d|", "%05d", "%+d", "% d", "%x", "%#x", "%o", "%X", "%e", "%.2f", "%g", "%10.3f", "%-10.3f|", "%s", "%r", "%10s", "%-10s|", "%.2s", "%c", "%%", "%5.1f%%", "%i", "%u", "%a", "%.3d", "%#o", "%010.2f", "%+.1e", "%G", "%.0f", "%z", "%", "%(a)s", "a%db%sc"]
for p in pf:
    for v in [0, 5, -42, 3.7, -2.5, "hi", "é", True, None, [1], (1, "x"), (), (1,), {"a": 1}, 2**70, 1e100]:
        if p == "%r" and isinstance(v, (set,)):
            continue
        case("percent", p, [v], {}, lambda v, p=p: p % v)
fmts = [("{}", [1]), ("{} {}", [1, 2]), ("{1} {0}", [1, 2]), ("{a}", []), ("{0} {}", [1, 2]), ("{} {0}", [1, 2]), ("{", [1]), ("}", [1]), ("{{}}", []), ("{0[1]}", [[5, 6]]), ("{0[a]}", [{"a": 3}]), ("{:>{}}", ["x", 5]), ("{:{w}.{p}f}", [3.14159]), ("{!r}", ["x"]), ("{!s:>5}", ["x"]), ("{!a}", ["é"]), ("{!z}", [1]), ("{0.real}", [5]), ("{:d}", ["x"]), ("{:,}", [1234567]), ("{:%}", [0.5]), ("{a:{b}}", []), ("{0!r:>8}|{0}", ["q"]), ("{} {}", [1]), ("{:}", [1.5]), ("{a!r}", []), ("{0:}", [2])]
for f, a in fmts:
    case("method", "format", [f] + a, {"a": 7, "b": ">5", "w": 8, "p": 2}, str.format)
    case("method", "format", [f] + a, {}, str.format)
for n in range(1500):
    k = random.choice([0, 1, 2])
    if k == 0:
        x = random.uniform(-1, 1) * 10.0 ** random.randint(-25, 25)
    elif k == 1:
        x = random.getrandbits(random.choice([8, 40, 64, 90])) * random.choice([1, -1])
    else:
        x = float(random.randint(-10**6, 10**6)) / random.choice([1, 2, 4, 10, 100])
    s = random.choice(["", "*", "0", "é"])
    sp = (s + random.choice("<>^=") if s else "") + random.choice(["", "+", " ", "-"]) + random.choice(["", "#"]) + random.choice(["", "0"]) + random.choice(["", "7", "20"]) + random.choice(["", "", ",", "_"])
    if isinstance(x, float):
        sp += random.choice(["", ".0", ".1", ".5", ".12"]) + random.choice(["", "e", "f", "g", "%", "E", "G"])
    else:
        sp += random.choice(["", "d", "x", "b", "o", "X"])
    case("format", sp, [x], {}, lambda v, s=sp: format(v, s))
    if isinstance(x, float):
        case("call", "repr", [x], {}, repr)
