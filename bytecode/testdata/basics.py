def f(a, b=2, *args, k=3, **kw):
    "doc"
    x = [i * 2 for i in range(a) if i % 2]
    while a < 10 and not b:
        a += 1
    a.total += b
    return x[0], a.m(b, k=1), f(g(x), *args, **kw)
---
def f(x):
    for i in x:
        try:
            if i is None: continue
            return i
        except (KeyError, ValueError) as e:
            print(e)
        else:
            break
        finally:
            print("out")
---
def g(it):
    r = yield from it
    with open(r) as f, lock:
        yield f.read()
---
class C(Base, metaclass=M):
    n: int = 3
    def m(self): return super().m(self.n)
---
match p:
    case {"a": 1, **rest}: print(rest)
    case [x, *y, 1 | 2] if y: print(x)
    case C(a, b=None): pass
---
import a.b, c.d as e
from . import q
from m import *
del e.f, q[1:2]
assert q, f"{q!r:>{w}} {q}"
---
def outer():
    n = 0
    def inner():
        nonlocal n
        n += 1
        return n
    del n
    return inner
