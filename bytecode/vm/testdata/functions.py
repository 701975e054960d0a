def f(a, b=2, *args, c, d=4, **kw):
    return (a, b, args, c, d, kw)
print(f(1, c=3))
print(f(1, 2, 3, 4, c=5, d=6, e=7))
print(f(*[1, 2, 3], c=4, **{"x": 1, "y": 2}))
print(f(c=1, a=2))
print(f(1, *(), *[5, 6], c=0, **{}, **{"z": 3}))
---
def f(a, b, /, c, *, d): return a, b, c, d
print(f(1, 2, 3, d=4), f(1, 2, c=3, d=4))
f(1, b=2, c=3, d=4)
---
def f(a, b): pass
f(1)
---
def f(a, b, c): pass
f()
---
def f(a, b=1): pass
f(1, 2, 3)
---
def f(): pass
f(1)
---
def f(a): pass
f(1, a=2)
---
def f(a): pass
f(b=2)
---
def f(*, k): pass
f()
---
def f(*, k, l): pass
f()
---
def f(a, *, k=1): pass
f(1, 2, k=3)
---
class C:
    def m(self, x): pass
C().m()
---
def f(x=[]):
    x.append(1)
    return x
print(f(), f(), f([0]))
---
def outer():
    n = 0
    def inc(k=1):
        nonlocal n
        n += k
        return n
    def get(): return n
    return inc, get
i, g = outer()
print(i(), i(5), g())
---
fs = [lambda: i for i in range(3)]
print([f() for f in fs])
fs = [lambda i=i: i for i in range(3)]
print([f() for f in fs])
---
def f():
    global G
    G = 5
f()
print(G)
del G
try:
    print(G)
except NameError as e:
    print(e)
---
def f():
    print(x)
    x = 1
f()
---
def f():
    def g(): return y
    print(g())
    y = 1
f()
---
def f(n):
    if n > 0:
        v = 1
    return v
print(f(1))
f(0)
---
def f():
    x = 1
    del x
    return x
f()
---
def f():
    x = 1
    def g(): return x
    del x
    return g()
f()
---
def f(a, b=1, *, c=2) -> int:
    "doc of f"
    def inner(): pass
    return inner
print(f.__name__, f.__qualname__, f.__doc__, f.__defaults__, f.__kwdefaults__, f.__module__)
print(f(1).__qualname__)
f.attr = 3
print(f.attr, f.__dict__)
f.__name__ = "g"
print(f.__name__)
def h(x: int, y: "str" = 0, *a: 3, **k: 4) -> None: pass
print(h.__annotations__)
---
def deco(tag):
    def d(f):
        def w(*a, **k):
            return (tag, f(*a, **k))
        w.__wrapped__ = f
        return w
    return d
@deco("a")
@deco("b")
def f(x): return x
print(f(1), f.__wrapped__.__wrapped__(2))
---
def fact(n): return 1 if n < 2 else n * fact(n - 1)
print(fact(20), fact(25))
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(18))
---
def f(n): return f(n + 1)
try:
    f(0)
except RecursionError as e:
    print(e)
---
print((lambda *a, **k: (a, k))(1, 2, x=3))
print((lambda x, y=2, /, z=3, *, w=4: (x, y, z, w))(1, w=5))
---
def f(*args): return args
print(f(*range(3), *"ab", *{"k": 1}, *(i * i for i in range(3))))
try:
    f(*5)
except TypeError as e:
    print(e)
try:
    f(**5)
except TypeError as e:
    print(type(e).__name__)
def g(**k): return k
try:
    g(a=1, **{"a": 2})
except TypeError as e:
    print(e)
---
x = 10
def f():
    x = 20
    class C:
        y = x
        def get(self): return x
    return C.y, C().get()
print(f())
---
5()
---
x = 3
x.foo
---
def f(a, b):
    return [a, b][0]
print(f(b=1, a=2), f(*(1,), **{"b": 3}))
print(sorted([3, 1, 2], key=lambda v: -v), max([1, 5, 2], key=lambda v: v % 5))
print(list(map(lambda a, b: a + b, [1, 2], [3, 4])), list(filter(lambda v: v % 2, range(6))))
l = [3, 1, 2]
l.sort(key=lambda v: -v, reverse=True)
print(l)
---
def many(a,b,c,d,e,f,g,h,i,j): return a+b+c+d+e+f+g+h+i+j
print(many(1,2,3,4,5,6,7,8,9,10))
def deep(n):
    if n == 0: return 0
    a, b, c, d = n, n+1, n+2, n+3
    return deep(n-1) + a*b - c*d + a
print(deep(300))
---
x = 1
def f(a, b=2):
    c = 3
    def g(): return c
    return sorted(locals().items(), key=lambda kv: kv[0])[:3]
print(f(1))
globals()["y"] = 5
print(y, globals()["x"], "x" in globals(), "nope" in globals(), locals()["x"])
class K:
    q = 1
    print(sorted(k for k in locals() if not k.startswith("__")))
