class A:
    def __enter__(self): print('in'); return 'v'
    def __exit__(self, t, v, tb): print('out', t, v, tb)
with A() as a: print(a)

class A:
    def __enter__(self): return self
    def __exit__(self, t, v, tb): print(t.__name__, v, tb is not None); return True
with A(): raise ValueError('x')
print('after')

class A:
    def __enter__(self): return self
    def __exit__(self, *a): return False
with A(): raise KeyError('k')

class A:
    def __enter__(self): raise RuntimeError('enter')
    def __exit__(self, *a): print('not called')
with A(): pass

class A:
    def __enter__(self): return 1
    def __exit__(self, *a): raise TypeError('exit')
with A(): raise ValueError('body')

class A:
    def __exit__(self, *a): pass
with A(): pass

class A:
    def __enter__(self): pass
with A(): pass

with 5: pass

class A:
    def __init__(self, n): self.n = n
    def __enter__(self): print('+', self.n); return self.n
    def __exit__(self, *a): print('-', self.n)
with A(1) as x, A(2) as y: print(x, y)
with (A(3) as x, A(4),): print(x)

class A:
    def __enter__(self): return (1, [2, 3])
    def __exit__(self, *a): pass
with A() as (a, [b, c]): print(a, b, c)
d = {}
with A() as d['k']: print(d)

class A:
    def __enter__(self): return self
    def __exit__(self, *a): print('exit')
def f():
    with A(): return 'ret'
print(f())
for i in range(2):
    with A(): continue

class A:
    def __enter__(self): return self
    def __exit__(self, *a): print('closed', a[0])
def g():
    with A(): yield 1; yield 2
for x in g(): print(x)
h = g(); next(h); h.close()

class A:
    def __call__(self, *a, **k): return a, k
print(A()(1, *[2], x=3, **{'y': 4}), callable(A()), callable(A))

class A: pass
A()()

class A: pass
a = A(); a.__call__ = lambda: 5; a()

class A:
    def __call__(self, x): return x + 1
print(list(map(A(), [1, 2])), sorted([3, 1], key=A()), A().__call__(4), A.__call__(A(), 5))

class A:
    __call__ = None
print(callable(A())); A()()

class M(type):
    def __call__(cls, *a): print('meta call', a); return super().__call__(*a)
class A(metaclass=M):
    def __init__(self, x): self.x = x
print(A(5).x)

class A:
    @staticmethod
    def __call__(x): return x * 2
print(A()(4))

class A:
    def __call__(self): return self
print(A()()()().__class__.__name__)

import contextlib
class Timer(contextlib.ContextDecorator):
    def __enter__(self): print('start'); return self
    def __exit__(self, *a): print('stop')
@Timer()
def f(x): print('run', x); return x
print(f(3))

class A:
    depth = 0
    def __enter__(self): A.depth += 1; return A.depth
    def __exit__(self, *a): A.depth -= 1
m = A()
with m as a:
    with m as b: print(a, b)
print(A.depth)

class Suppress:
    def __init__(self, *t): self.t = t
    def __enter__(self): return self
    def __exit__(self, t, v, tb): return t is not None and issubclass(t, self.t)
with Suppress(KeyError, ValueError): {}['x']
with Suppress(KeyError): int('q')
