class C:
    def __init__(self, n, swallow=False): self.n, self.s = n, swallow
    def __enter__(self): print('enter', self.n); return self.n
    def __exit__(self, t, v, tb): print('exit', self.n, t and t.__name__, v); return self.s
with C(1) as a, C(2) as b: print(a, b)

class C:
    def __enter__(self): return self
    def __exit__(self, *a): print(a[0]); return True
with C(): 1 / 0
print('after')

class C:
    def __enter__(self): return self
    def __exit__(self, *a): print(a[0].__name__)
with C(): raise KeyError('k')

class C:
    def __enter__(self): return (1, [2, 3])
    def __exit__(self, *a): pass
with C() as (a, [b, c]): print(a, b, c)

with (open('f', 'w')) as f: f.write('a'); print(f.closed)
print(f.closed)

class C:
    def __enter__(self): return 1
    def __exit__(self, *a): pass
with (C() as a, C() as b,): print(a, b)

with 5: pass

class C:
    def __enter__(self): pass
with C(): pass

class C:
    def __exit__(self, *a): pass
with C(): pass

from contextlib import contextmanager
@contextmanager
def m():
    print('in')
    try: yield 5
    finally: print('out')
with m() as x: print(x)

from contextlib import contextmanager
@contextmanager
def m():
    try: yield
    except ValueError as e: print('caught', e)
with m(): raise ValueError('v')

def f():
    class C:
        def __enter__(self): return self
        def __exit__(self, *a): print('exit')
    with C(): return 'r'
print(f())

class C:
    def __enter__(self): return self
    def __exit__(self, *a): print('x')
for i in range(3):
    with C():
        if i == 1: break
        continue

class C:
    def __enter__(self): raise ValueError('e')
    def __exit__(self, *a): print('never')
with C(): print('no')

class C:
    def __enter__(self): return self
    def __exit__(self, *a): raise KeyError('from exit')
with C(): raise ValueError('v')

class C:
    def __enter__(self): return self
    def __exit__(self, t, v, tb): print(tb is not None, v.args); return True
with C(): raise ValueError(1, 2)

class D: pass
d = D()
class C:
    def __enter__(self): return 'val'
    def __exit__(self, *a): pass
with C() as d.x: print(d.x)
l = [0]
with C() as l[0]: pass
print(l)

class C:
    def __enter__(self): return self
    def __exit__(self, *a): print('inner exit'); return False
try:
    with C(): raise IndexError
except IndexError: print('outer')

c = type('C', (), {'__enter__': lambda s: 7, '__exit__': lambda s, *a: True})
with c() as v: print(v); raise Exception
print('ok')

class C:
    __enter__ = None
    def __exit__(self, *a): pass
i = C(); i.__enter__ = lambda: 1
with i: pass

from contextlib import nullcontext, suppress, closing
with nullcontext(3) as n, suppress(KeyError): print(n); {}[1]
print('end')
