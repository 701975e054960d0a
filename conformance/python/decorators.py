import functools
def log(f):
    @functools.wraps(f)
    def w(*a, **k):
        print('call', f.__name__, a, k); return f(*a, **k)
    return w
def rep(n):
    def d(f): return lambda *a: [f(*a) for _ in range(n)]
    return d
@log
def add(a, b=2): "doc"; return a + b
print(add(1), add(1, b=5), add.__name__, add.__doc__, add.__wrapped__(1, 1))
@rep(2)
@log
def sq(x): return x * x
print(sq(3))
class Deco:
    def __init__(s, f): s.f = f; s.n = 0
    def __call__(s, *a): s.n += 1; return s.f(*a)
    def __get__(s, o, t): return functools.partial(s, o)
@Deco
def h(x): return x + 1
print(h(1), h(2), h.n)
class K:
    @Deco
    def m(self, x): return (type(self).__name__, x)
    @log
    def l(self): return 'l'
    @staticmethod
    @log
    def s(x): return x
    @classmethod
    @log
    def c(cls): return cls.__name__
    @property
    @functools.lru_cache
    def p(self): print('once'); return 5
k = K(); print(k.m(4), k.s(1), K.s(2), k.c(), k.p, k.p)
@functools.lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(80), fib.cache_info())
@functools.singledispatch
def sd(x): return 'base'
@sd.register
def _(x: int): return 'int'
@sd.register(list)
def _(x): return 'list'
print(sd(1), sd([]), sd('a'), sd(True))
@functools.total_ordering
class T:
    def __init__(s, v): s.v = v
    def __eq__(s, o): return s.v == o.v
    def __lt__(s, o): return s.v < o.v
print(T(1) <= T(1), T(2) > T(1), T(1) >= T(2))
p = functools.partial(add, 10, b=1); print(p(), p.func.__name__, p.args, p.keywords)
print(functools.reduce(lambda a, b: a * b, [1, 2, 3, 4]), functools.reduce(lambda a, b: a + b, [], 'init'))
try: functools.reduce(lambda a, b: a, [])
except TypeError as e: print(e)
class CP:
    @functools.cached_property
    def v(self): print('calc'); return 9
c = CP(); print(c.v, c.v, c.__dict__)
def order(n):
    print('eval', n)
    def d(f): print('apply', n); return f
    return d
@order(1)
@order(2)
def z(a: print('ann') = print('default')): pass
print(z.__annotations__, z.__defaults__)
d = {'k': lambda f: 'replaced'}
@d['k']
def y(): pass
print(y)
@(lambda f: f.__name__)
def nm(): pass
print(nm)
