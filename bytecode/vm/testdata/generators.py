def count(n):
    i = 0
    while i < n:
        yield i
        i += 1
print(list(count(4)), sum(count(5)), [x for x in count(3)], tuple(count(0)))
g = count(2)
print(next(g), next(g), next(g, "end"), next(g, "end"))
next(g)
---
def echo():
    got = None
    while True:
        got = yield got
        if got == "stop": return "result"
g = echo()
print(next(g), g.send(1), g.send("two"))
try:
    g.send("stop")
except StopIteration as e:
    print(e.value, e.args)
g = echo()
g.send(5)
---
def inner():
    x = yield 1
    print("inner got", x)
    y = yield 2
    print("inner got", y)
    return "inner result"
def outer():
    r = yield from inner()
    print("r =", r)
    yield from [10, 20]
    yield from range(2)
    yield from (i for i in "ab")
    return 5
g = outer()
print(next(g), g.send("a"), g.send("b"), list(g))
---
def inner():
    try:
        yield 1
    except ValueError as e:
        print("inner caught", e)
        yield "recovered"
    yield "more"
def outer():
    yield from inner()
    yield "outer"
g = outer()
print(next(g), g.throw(ValueError("x")), next(g), next(g))
---
def inner():
    try:
        yield 1
    finally:
        print("inner closed")
def outer():
    try:
        yield from inner()
    finally:
        print("outer closed")
g = outer()
next(g)
g.close()
print(list(g))
g = outer()
g.close()
def stubborn():
    try: yield 1
    except GeneratorExit: yield 2
g = stubborn()
next(g)
try: g.close()
except RuntimeError as e: print(e)
---
def f():
    try:
        yield 1
    except GeneratorExit:
        print("exit")
        raise
g = f(); next(g); g.close()
def h():
    yield 1
    raise StopIteration
try: list(h())
except RuntimeError as e: print(e, repr(e.__cause__))
---
def gen():
    return
    yield
print(list(gen()))
def one(): yield
print(list(one()))
def args(a, *b, c=3, **d): yield (a, b, c, d)
print(next(args(1, 2, x=4)))
print(type(gen()).__name__, gen().__name__, iter(g := one()) is g)
---
def primes():
    found = []
    n = 2
    while True:
        if all(n % p for p in found):
            found.append(n)
            yield n
        n += 1
def take(n, it):
    for _, x in zip(range(n), it): yield x
print(list(take(8, primes())))
---
def tree(t):
    if t:
        l, v, r = t
        yield from tree(l)
        yield v
        yield from tree(r)
print(list(tree(((None, 1, None), 2, ((None, 3, None), 4, None)))))
---
print(sum(i * i for i in range(10)), list(x for x in (y + 1 for y in range(3)) if x != 2))
g = (print("eval", i) or i for i in range(3))
print("made")
print(next(g))
gen = (a + b for a in range(2) for b in range(2))
print(list(gen))
(x for x in 5)
---
def f():
    g = (yield)
    print("self", g)
    yield from ()
    h = yield 5
    return h
g = f(); next(g)
print(g.send(3))
try: g.send(9)
except StopIteration as e: print(e.value)
---
def bad():
    yield 1
    1 / 0
g = bad()
print(next(g))
try: next(g)
except ZeroDivisionError as e: print(e)
print(list(g))
def selfref():
    yield next(me)
me = selfref()
try: next(me)
except ValueError as e: print(e)
---
def ctx():
    try:
        raise KeyError("outer")
    except KeyError:
        yield 1
        try: raise ValueError("in gen")
        except ValueError as e: print(repr(e.__context__))
        yield 2
g = ctx()
next(g)
try:
    raise IndexError("main")
except IndexError:
    next(g)
    try: raise TypeError("t")
    except TypeError as e: print(repr(e.__context__))
try: raise TypeError("u")
except TypeError as e: print(repr(e.__context__))
---
class C:
    def __iter__(self):
        yield 1
        yield 2
    @property
    def items(self): return (x * 2 for x in self)
print(list(C()), list(C().items), [*C(), *C()], {**{"a": 1}}, max(C()))
a, b = C()
print(a, b, dict((k, v) for k, v in zip("ab", C())), sorted(C(), key=lambda v: -v), list(map(str, C())), any(x > 1 for x in C()))
---
def d():
    for i in range(3):
        try:
            yield i
        finally:
            print("f", i)
g = d()  # kept: CPython would close it at once when the last reference goes
for x in g:
    print("x", x)
    if x == 1: break
print("after")
g.close()
---
def c():
    total = 0
    while True:
        v = yield total
        if v is None: break
        total += v
    return total
def driver():
    r = []
    while True:
        try:
            t = yield from c()
        except ValueError: t = "err"
        r.append(t)
        if len(r) > 1: return r
g = driver()
next(g); g.send(1); g.send(2)
print(g.send(None))
try:
    print(g.send(4)); g.throw(ValueError)
except StopIteration as e: print(e.value)
