for i in range(5):
    if i == 1: continue
    if i == 3: break
    print(i)
else:
    print("no")
for i in []: pass
else: print("empty else")
n = 0
while n < 3:
    n += 1
    if n == 2: continue
else: print("done", n)
while True:
    n -= 1
    if n < 0: break
print(n)
---
def f(x):
    if x < 0: return "neg"
    elif x == 0: return "zero"
    elif x < 10: return "small"
    else: return "big"
print([f(v) for v in (-1, 0, 5, 50)])
---
a = b = c = []
a.append(1)
print(b, c)
x, y = 1, 2
x, y = y, x
print(x, y)
(p, (q, *r)), s = (1, (2, 3, 4)), 5
print(p, q, r, s)
*h, t = "abc"
print(h, t)
[m, n] = {1: 0, 2: 0}
print(m, n)
first, *_, last = range(10)
print(first, last)
---
a, b = 1
---
a, b = [1]
---
a, b = (1, 2, 3)
---
a, *b, c = [1]
---
a, b = "xyz"
---
d = {"k": [1, 2]}
d["k"][0] += 5
d["k"] += [3]
print(d)
class O: pass
o = O()
o.v = 1
o.v -= 3
o.l = [1]
o.l *= 2
print(o.v, o.l)
x = 7
x //= 2; x **= 3; x %= 10; x <<= 3; x |= 1; x &= 0xff; x ^= 2; x >>= 1
print(x)
x = 5; x /= 2
print(x)
---
print(1 < 2 < 3, 1 < 3 < 2, 1 == 1.0 == True, not 1 < 2, 1 in [1] in [[1]])
def side(v):
    print("side", v)
    return v
print(side(1) < side(2) < side(3))
print(side(3) < side(2) < side(1))
print(side(0) or side(2) and side(3), side(1) and side(0) or side(5))
print(None is None, 1 is not None, "a" not in "abc", [] == [], () == ())
---
x = 5
y = x if x > 3 else -x
print(y, (lambda: 1 if y else 2)())
print([i if i % 2 else -i for i in range(5)])
if (n := len("hello")) > 3: print(n)
print([z := 1, z + 1], z)
while (n := n - 1) > 2: print(n, end=" ")
print()
def f():
    x = 1
    return x + (x := 10) + x
print(f())
print([last := i for i in range(3)], last)
---
l = list(range(10))
print(l[2:5], l[:3], l[-3:], l[::2], l[::-1], l[8:2:-2])
l[1:3] = ["a", "b", "c"]
del l[0], l[-1]
l[::2] = [0] * len(l[::2])
print(l)
del l[2:5]
print(l, "hello"[1:-1], (1, 2, 3)[::-1])
class S:
    def __getitem__(self, k): return k
print(S()[1:2], S()[1:2, ..., None], S()[::3], S()[...])
---
s = 0
for i in range(10, 0, -3): s += i
print(s, list(range(5, -5, -4)), len(range(0, 10, 3)), 7 in range(1, 10, 2))
for i, (a, b) in enumerate([(1, 2), (3, 4)]): print(i, a, b)
for k, v in {"x": 1, "y": 2}.items(): print(k, v)
for c in "héy": print(c, end="|")
print()
for x in (1, 2): pass
print(x)
l = [0, 0]
for l[1] in range(3): print(l)
for (p, *q), r in [((1, 2, 3), 4)]: print(p, q, r)
---
l = [1, 2, 3]
for x in l:
    if x < 3 and len(l) < 6: l.append(x + 10)
print(l)
d = {1: 1, 2: 2}
try:
    for k in d: d[k + 10] = 1
except RuntimeError as e: print(e)
---
assert True, "no"
assert 1 == 2, "msg %d" % 5
---
assert []
---
pass
...
"string statement"
x: int = 5
y: "undefined_name"
print(x, __annotations__)
class C:
    a: int
    b: str = "s"
    print(sorted(__annotations__))
print(C.__annotations__)
def f():
    z: undefined = 4
    return z
print(f())
---
from __future__ import annotations
x: List[int] = 1
def f(a: Foo | None = None, *b: 'q') -> Bar[1]: pass
print(__annotations__, f.__annotations__)
class C:
    v: Undefined = 3
print(C.__annotations__)
---
print(undefined_thing)
---
x = [1, 2, 3]
x[10]
---
{}["k"]
---
1 / 0
---
"a" + 1
---
print(f"{1 + 1} {'q'!r} {3.14159:.2f} {10:>5}|{10:<5}|{10:^5} {{}} {'a' 'b'}")
w, p, v = 10, 3, 2.71828
print(f"{v:{w}.{p}f} {v!s:.4} {v=} {v = :.1f} {w!r:>{w}}")
name = "n"
print(f"{name}" f"{name!a}" "plain" f'{"nested"}', f"", f"{'ü'!a}")
print(f"{[1, 2][0]} {dict(a=1)['a']} {(lambda x: x * 2)(4)}")
---
x = 10 ** 20
print(x, x + 1, -x, x // 3, x % 7, 2 ** 100, 1 << 70, (1 << 70) >> 68, x == 10 ** 20)
print(9223372036854775807 + 1, -9223372036854775808 - 1, 4611686018427387904 * 2, 3037000500 * 3037000500)
print(7 // 2, -7 // 2, 7 // -2, -7 % 3, 7 % -3, 7.5 // 2, -7.5 % 2, 2 ** -1, 0.1 + 0.2, 1e16, 1e-5, float("inf"))
print(True + True, 3 & 5, 3 | 5, 3 ^ 5, ~3, 1 << 3, 255 >> 4, -1 >> 1, 5 and 0, 1.5 * 2, 3 / 2, 6 / 3)
i = 0
while i < 100000: i += 7
print(i)
f = 1.0
for _ in range(10): f = f * 1.5 + 1 - 0.25
print(f, f < 100, f >= 1, f != f, int(f), f - 1, f * 2, 2 * f, 1 / f, -f)
print(5 < 5.5, 5.0 == 5, 2.5 > 2, 3 <= 2.9, float("nan") == float("nan"), float("nan") < 1)
---
def f():
    for i in range(3):
        for j in range(3):
            if j == 1: break
            yield_ = (i, j)
            print(yield_)
        else: print("never")
        if i == 1: return "out"
print(f())
---
x = 1
def f():
    return x
x = 2
print(f())
del x
f()
---
if 0: print("dead")
if not 1: print("dead")
elif None: print("dead")
else: print("live")
while 0: print("dead")
print("a" if "" else "b", 1 if 1.5 else 0, 1 if 0.0 else 0, 1 if [0] else 0, 1 if {} else 0)
