def f(a, b=2, *c, d, e=5, **g): return a, b, c, d, e, g
print(f(1, d=4)); print(f(1, 2, 3, 4, d=5, z=6))

def f(a, /, b, *, c): return a, b, c
print(f(1, b=2, c=3), f(1, 2, c=3))

def f(a, /): return a
f(a=1)

def f(a, *, b): pass
f(1, 2)

def f(a, b): pass
f(1)

def f(a, b, c): pass
f()

def f(a, b): pass
f(1, 2, 3)

def f(a): pass
f(1, a=2)

def f(a): pass
f(1, zeta=2)

def f(*, a, b): pass
f()

def f(*, value): pass
f(valeu=1)

def f(a=[]): a.append(1); return a
f(); print(f(), f.__defaults__)

def f(x, *args, **kw): return x, args, kw
print(f(*[1, 2], *'ab', **{'k': 1}, **{'m': 2}))

def f(**kw): pass
f(**{'a': 1}, **{'a': 2})

def f(*a): pass
f(*5)

def f(**k): pass
f(**[1])

def f(**k): pass
f(**{1: 2})

print((lambda x, y=2, *z, **w: (x, y, z, w))(1, 3, 4, k=5))

def outer():
    x = 1
    def inner():
        nonlocal x
        x += 1
        return x
    return inner
g = outer(); print(g(), g(), outer()())

fs = [lambda: i for i in range(3)]; print([f() for f in fs])
fs = [lambda i=i: i for i in range(3)]; print([f() for f in fs])

def f():
    """Doc."""
    def g(): return g
    return g
print(f.__name__, f.__doc__, f.__qualname__, f().__qualname__, f().__name__)

def f(a: int, b: str = 'x') -> list: return []
print(f.__annotations__, f.__defaults__, f.__kwdefaults__)

def f(): return
print(f(), f.__module__)

def deco(n):
    def wrap(f):
        def g(*a): return n * f(*a)
        return g
    return wrap
@deco(2)
@deco(3)
def f(x): return x + 1
print(f(1))

def f(): f.count = getattr(f, 'count', 0) + 1
f(); f(); print(f.count, f.__dict__)

def fact(n): return 1 if n < 2 else n * fact(n - 1)
print(fact(30))

def f(x): x += 1; return x
a = 1; b = [1]
def g(x): x += [2]; return x
f(a); g(b); print(a, b)

x = 1
def f():
    global x, y
    x = 2; y = 3
f(); print(x, y)

def f(a, b=1, a=2): pass

def f(a=1, b): pass

def f(): nonlocal q

def f(*): pass

return 1

f(a=1, 2)

f(**a, *b)

f(x=1, x=2)

def f(a, b, c=3, *, d): pass
f(1, d=2)

def f(): pass
print(callable(f), callable(3), f == f, f.__class__.__name__)
f.x.y

print(max(3, 1), max([1, 5, 2], key=lambda v: -v), min('abc'), max([], default=0), max(1, 2, key=None))

len(1, 2)

len()

abs('x')

print(print.__name__, (lambda: 0).__name__)
