from functools import reduce; print(reduce(lambda a, b: a + b, [1, 2, 3]), reduce(lambda a, b: a * b, [], 5), reduce(max, [3, 9, 2]))

from functools import reduce; reduce(lambda a, b: a, [])

from functools import partial; p = partial(int, base=2); print(p('101'), p.func, p.args, p.keywords, partial(print, 1, sep='-')(2, 3))

from functools import partial
def f(a, b, c=3): return a, b, c
p = partial(f, 1); print(p(2), p(2, c=9), partial(p, 5)(), repr(partial(f, 1, c=2))[:24])

from functools import lru_cache
@lru_cache(maxsize=2)
def f(x): print('call', x); return x * 2
f(1); f(1); f(2); f(3); f(1); print(f.cache_info()); f.cache_clear(); print(f.cache_info(), f.__name__)

from functools import lru_cache
@lru_cache
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(80), fib.cache_info().hits)

from functools import cache
@cache
def f(*a, **k): print('run'); return a
f(1, x=2); f(1, x=2); f(1)

from functools import lru_cache
@lru_cache(None)
def f(x): return x
f([1])

from functools import wraps
def deco(f):
    @wraps(f)
    def w(*a): 'wdoc'; return f(*a)
    return w
@deco
def g(x): 'gdoc'; return x
print(g.__name__, g.__doc__, g.__wrapped__(3), g(4))

from functools import singledispatch
@singledispatch
def f(x): return 'base'
@f.register
def _(x: int): return 'int'
@f.register(list)
def _(x): return 'list'
print(f(1), f([]), f('a'), f(True), f.dispatch(int)(0))

from functools import singledispatchmethod
class A:
    @singledispatchmethod
    def f(self, x): return 'base'
    @f.register
    def _(self, x: str): return 'str'
print(A().f(1), A().f('a'))

from functools import total_ordering
@total_ordering
class A:
    def __init__(s, v): s.v = v
    def __eq__(s, o): return s.v == o.v
    def __gt__(s, o): return s.v > o.v
print(A(1) < A(2), A(1) <= A(1), A(2) >= A(1))

from functools import cached_property
class A:
    n = 0
    @cached_property
    def v(self): A.n += 1; return A.n
a = A(); print(a.v, a.v); del a.v; print(a.v)

from functools import cmp_to_key; print(sorted([3, 1, 2], key=cmp_to_key(lambda a, b: b - a)))

from functools import partialmethod
class A:
    def f(self, a, b): return a, b
    g = partialmethod(f, 1)
print(A().g(2))

from functools import update_wrapper
def a(): 'A'
def b(): 'B'
print(update_wrapper(b, a).__name__, b.__doc__, b.__wrapped__ is a)

from functools import reduce; print(reduce(lambda d, k: d[k], ['a', 'b'], {'a': {'b': 5}}), reduce(lambda f, g: lambda x: g(f(x)), [str, len])(12345))

from functools import partial; print(partial(lambda **k: k, a=1)(b=2), list(map(partial(pow, 2), range(4))), sorted(['b', 'A'], key=partial(str.lower)))

from functools import partial
partial(5)

import functools; print(callable(functools.partial(len)), functools.WRAPPER_ASSIGNMENTS, hasattr(functools, 'cache'))

from functools import lru_cache
class A:
    @lru_cache(maxsize=None)
    def m(self, x): print('m', x); return x
a = A(); a.m(1); a.m(1); A().m(1)

from functools import wraps, partial
def retry(n=2):
    def d(f):
        @wraps(f)
        def w(*a, **k):
            for i in range(n):
                try: return f(*a, **k)
                except ValueError as e: print('retry', e)
            raise RuntimeError('gave up')
        return w
    return d
@retry(n=2)
def f(): raise ValueError('x')
f()
