def f(a, b=[], *, c={}, d=None): b.append(a); c[a] = 1; return b, c, d
print(f(1), f(2), f(3, [], c={}), f.__defaults__, f.__kwdefaults__)
i = 5
def g(x=i): return x
i = 6; print(g())
def h(x=(lambda: i)()): return x
i = 7; print(h(), (lambda y=i: y)())
class C:
    v = 1
    def m(self, w=v): return w
    v = 2
print(C().m(), C.v)
g.__defaults__ = (99,); print(g())
def k(a, /, b, *, c): return a, b, c
print(k(1, 2, c=3), k(1, b=2, c=3))
try: k(a=1, b=2, c=3)
except TypeError as e: print(e)
def va(*args, **kwargs): return args, kwargs
print(va(*(1, 2), *[3], x=1, **{'y': 2}), va(**{'a b': 1}), va(*'ab', **dict(z=1)))
a, k = va(1, b=2); k['new'] = 1; print(a, k, va())
