"""Every statement of the model dialect, in the forms its grammar has."""
import os, sys as system, os.path as path
from . import a
from .. import b as c
from ...pkg.sub import (d, e as f,)
from math import *
x = y = 1; z: int = 2
w: "str"
(v): int = 3
x.y: float = 1.0
x[0]: float
a, *b = 1, 2, 3
[a, [b, *c]] = d
*a, = x
x += 1; x -= 1; x *= 2; x /= 2; x //= 2; x %= 2; x @= y; x **= 2; x <<= 1; x >>= 1; x &= 1; x |= 1; x ^= 1
x[0] += yield_
del x, y.z, (a, b), [c], d[0]
del (x)
del (x,)
assert x, "message"
assert (x, y)
global_ = None
pass
if x: pass
elif y: pass
elif z:
    pass
else: pass
while x:
    break
else:
    continue_ = 1
for i in range(3): continue
for i, (j, *k) in x, y:
    pass
else:
    pass
for x[0], y.z in *a, b: pass
try:
    raise
except: pass
try:
    raise ValueError("x") from None
except (A, B) as e:
    pass
except C:
    raise E
else:
    pass
finally:
    pass
try: pass
finally: pass
try:
    pass
except* ValueError as e:
    pass
except* (A, B):
    pass
with a: pass
with a as b, c as (d, e), f() as g.h: pass
with (a as b, c): pass
with (a, b,): pass
with (a): pass
with (a) as b: pass
with (a, b) as c: pass
with (a).b as c, (d): pass
with (yield_ := f()) as g: pass
def f(): pass
def f(a, /, b: int = 1, *args: tuple, c, d=2, **kw: dict) -> "int":
    """doc"""
    global g, h
    return a, *args
def f(a, b=1, /, *, c): return
def f(*args: *Ts): yield
def f(
    a,
    b,
):
    def g():
        nonlocal a, b
        a = yield
        b = yield a, b
        yield from g()
        return (yield)
    x = lambda: (yield)
@decorator
@a.b(c)[d]
@(lambda f: f)
def f(self): ...
@dataclass
class C: x: int = 0
class D(A, B, metaclass=M, *args, **kw):
    def m(self): return super().m()
class E(): pass
match x:
    case 1 | -1 | 1.5 | 3 + 4j | -3 - 4j: pass
    case "a" "b" | b"c" | None | True | False: pass
    case a.b.c: pass
    case (1): pass
    case (1,) | [1] | [] | (): pass
    case [a, *rest, b] if a: pass
    case 1, *_: pass
    case *a, b: pass
    case {"k": v, 1: 2, a.b: c, None: _, **rest}: pass
    case {}: pass
    case C(): pass
    case a.C(1, b, x=2, y=C()): pass
    case [1, 2] as pair: pass
    case (1 | 2) as n: pass
    case {"a": [1, {"b": c}]}: pass
    case _: pass
match x, y:
    case a, b: pass
match (x): 
    case _: pass
match *a, b:
    case _: pass
match [x]:
    case _: pass
match = {}
match[x] = case
match.y = 1
match(x, y)
match * x
match, case = 1, 2
match -x:
    case _ : pass
print(match)
if 1:
        x = 1
        # comment
    # less indented comment
        y = 2

if 1:
	tab = 1
	if 2:
		x
x = 1 + \
    2
if x: \
    y
class F:
    x = 1

    def f(self):

        return 1
# the end
