def t(f):
    try: print(f())
    except TypeError as e: print(e)
def a(): pass
def b(x): pass
def c(x, y): pass
def d(x, y, z=1): pass
def e(*, k): pass
def f(*, k, m): pass
def g(x, /, y): pass
def h(x, *a, k, **kw): return x, a, k, kw
def i(x, y=2, *, k=3): return x, y, k
def j(a, b, c, d): pass
class K:
    def m(self, x): return x
    @classmethod
    def cm(cls, x): return x
    @staticmethod
    def sm(x): return x
    def __init__(self, q): pass
    def __call__(self, z): return z
k = K(1)
for fn in [lambda: a(1), lambda: a(1, 2), lambda: a(x=1), lambda: b(), lambda: b(1, 2), lambda: b(1, x=2), lambda: b(y=1), lambda: c(), lambda: c(1), lambda: c(1, 2, 3), lambda: d(), lambda: d(1), lambda: d(1, 2, 3, 4), lambda: e(), lambda: e(1), lambda: e(1, k=2), lambda: e(k=1, z=2), lambda: f(), lambda: f(m=1), lambda: g(x=1, y=2), lambda: g(1, 2, 3), lambda: g(), lambda: h(), lambda: h(1), lambda: h(1, 2, 3, k=4, q=5), lambda: h(k=1), lambda: h(1, k=1, x=2), lambda: i(), lambda: i(1, 2, 3), lambda: i(1, 2, 3, k=5), lambda: i(1, z=3), lambda: i(1, y=3, k=9), lambda: j(), lambda: j(1), lambda: j(1, d=2), lambda: k.m(), lambda: k.m(1, 2), lambda: k.m(x=1, y=2), lambda: K.m(), lambda: K.m(k), lambda: k.cm(), lambda: K.cm(1, 2), lambda: k.sm(), lambda: K.sm(1, 2), lambda: K(), lambda: K(1, 2), lambda: K(z=1), lambda: k(), lambda: k(1, 2)]: t(fn)
t(lambda: b(**{'x': 1, 'y': 2})); t(lambda: b(1, **{'x': 1})); t(lambda: b(*[1, 2])); t(lambda: b(*5)); t(lambda: b(**5)); t(lambda: b(**{1: 2})); t(lambda: h(1, **{'k': 1}, **{'k': 2})); t(lambda: h(1, k=1, **{'k': 2})); t(lambda: h(*(1, 2), *[3], k=0, **{'z': 1}, **{'w': 2}))
t(lambda: 5()); t(lambda: 'a'()); t(lambda: None()); t(lambda: [](1)); t(lambda: k.nothing_here if False else {}())
t(lambda: (lambda x, y=1: (x, y))()); t(lambda: (lambda *a: a)(x=1)); t(lambda: (lambda **k: k)(1))
def outer():
    def inner(p): pass
    inner()
t(outer)
print(i.__name__, i.__qualname__, outer.__qualname__, (lambda: 0).__name__, K.m.__qualname__, k.m.__qualname__)
