import json
import io
from collections import OrderedDict, namedtuple


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


data = {"a": [1, 2.5, -3e-10, 1e100, True, False, None], "é": "ü\n\t\"\\/\u2028😀\x01\x7f", "n": {"x": {}, "y": [], "z": [[], {}]}, "big": 10**30}
print(json.dumps(data))
print(json.dumps(data, ensure_ascii=False))
print(json.dumps(data, indent=2))
print(json.dumps(data, indent="\t", sort_keys=True))
print(json.dumps(data, separators=(",", ":")), json.dumps([], indent=2), json.dumps({}, indent=1))
print(json.dumps({1: "a", None: 2, True: 3, 1.5: 4}), json.dumps((1, (2,))), json.dumps("x"), json.dumps(None), json.dumps(1.0), json.dumps(0.1 + 0.2))
print(json.dumps(float("nan")), json.dumps([float("inf"), -float("inf")]))
print(json.dumps(OrderedDict(b=1, a=2)), json.dumps(namedtuple("P", "x y")(1, 2)))
print(json.loads(json.dumps(data)) == data)
print(json.loads('  {"a" : [1, 2 , -0.5e3, 1E2, "\\u00e9\\ud83d\\ude00", true, null]}  '))
print(json.loads("NaN"), json.loads("-Infinity"), json.loads("12345678901234567890123"), json.loads(b'{"k": "\xc3\xa9"}'), json.loads("0.1"), json.loads("-0"), json.loads("-0.0"))
for text in ('', '{', '[1,]', '{"a":1,}', '{"a" 1}', '{a:1}', '[1 2]', '"abc', '"\\x"', '"\\u12"', 'tru', '1 2', '{"a":1}}', '[1,\n2,\n x]', '"a\nb"', '01', '-', '1.', "'a'"):
    attempt(lambda: json.loads(text))
attempt(lambda: json.loads(5))
attempt(lambda: json.dumps({1, 2}))
attempt(lambda: json.dumps({(1, 2): 3}))
attempt(lambda: json.dumps(float("nan"), allow_nan=False))
loop = []
loop.append(loop)
attempt(lambda: json.dumps(loop))
print(json.dumps({(1, 2): 3, "a": 1}, skipkeys=True))
try:
    json.loads("[1,\n  oops]")
except json.JSONDecodeError as e:
    print(e.msg, e.lineno, e.colno, e.pos, e.doc == "[1,\n  oops]", isinstance(e, ValueError))
print(json.loads('{"a": {"b": 1}}', object_hook=lambda d: sorted(d.items())))
print(json.loads('{"a": 1, "b": [2, {"c": 3}]}', object_pairs_hook=OrderedDict))
print(json.loads('[1, 2.5, NaN]', parse_float=lambda s: "f" + s, parse_int=lambda s: "i" + s, parse_constant=lambda s: "c" + s))


class Enc(json.JSONEncoder):
    def default(self, o):
        if isinstance(o, complex if False else set):
            return sorted(o)
        return super().default(o)


print(json.dumps({"s": {3, 1, 2}, "t": [{5}]}, cls=Enc))
attempt(lambda: json.dumps(object, cls=Enc))
print(json.dumps([{1}, 2], default=lambda o: list(o)))
f = io.StringIO()
json.dump({"x": [1]}, f, indent=1)
print(f.getvalue())
f.seek(0)
print(json.load(f))
print(json.JSONDecoder().raw_decode('{"a": 1} tail'), json.JSONEncoder(sort_keys=True).encode({"b": 1, "a": 2}))


class S(str):
    pass


class I(int):
    def __repr__(self):
        return "no"


print(json.dumps([S("sub"), I(5), {S("k"): I(1)}]))
