import functools
import itertools
from functools import partial, wraps, lru_cache, cache, cached_property, reduce, total_ordering, singledispatch, cmp_to_key, partialmethod
from itertools import *


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


def show(a, b=2, *c, d=4, **e):
    return (a, b, c, d, e)


p = partial(show, 1, d=9)
print(p(), p(5, 6, z=1), p.func is show, p.args, p.keywords, partial(p, 3, d=1)(), partial(p, 3).args)
print(repr(partial(int, base=2)), partial(int, base=2)("101"))
attempt(lambda: partial(5))


def deco(f):
    @wraps(f)
    def inner(*args, **kw):
        "inner doc"
        return "wrapped", f(*args, **kw)
    return inner


@deco
def named(x: int) -> str:
    "named doc"
    return x


named.extra = 1
print(named(3), named.__name__, named.__doc__, named.__wrapped__(4), named.__qualname__, named.__annotations__)
calls = []


@lru_cache(maxsize=2)
def square(x):
    calls.append(x)
    return x * x


print(square(2), square(2), square(3), square(4), square(2), calls, square.cache_info(), square.__name__)
square.cache_clear()
print(square.cache_info(), square.cache_parameters())


@cache
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@lru_cache
def plain(a, b=1):
    return a + b


print(fib(80), fib.cache_info(), plain(1), plain(1, b=2), plain.cache_info())
attempt(lambda: fib([1]))


class Lazy:
    def __init__(self):
        self.n = 0

    @cached_property
    def value(self):
        "doc"
        self.n += 1
        return self.n * 10

    @lru_cache(None)
    def method(self, k):
        self.n += 1
        return k

    half = partialmethod(lambda self, a, b: (a, b), 5)


z = Lazy()
print(z.value, z.value, z.n, "value" in z.__dict__, Lazy.value.__doc__, z.method(3), z.method(3), z.n, z.half(6))
del z.value
print(z.value)
print(reduce(lambda a, b: a * b, [1, 2, 3, 4]), reduce(lambda a, b: a + b, [], "init"), reduce(max, iter([3, 9, 2])))
attempt(lambda: reduce(lambda a, b: a, []))


@total_ordering
class V:
    def __init__(self, v):
        self.v = v

    def __eq__(self, o):
        return self.v == o.v

    def __lt__(self, o):
        return self.v < o.v


print(V(1) < V(2), V(1) <= V(1), V(2) > V(1), V(2) >= V(3), V(1) >= V(1), V(1) > V(1), sorted([V(3), V(1)])[0].v, max([V(3), V(9)]).v)
for op in ("__le__", "__gt__", "__ge__"):
    C = total_ordering(type("C", (), {"__init__": lambda self, v: setattr(self, "v", v), "__eq__": lambda a, b: a.v == b.v, op: {"__le__": lambda a, b: a.v <= b.v, "__gt__": lambda a, b: a.v > b.v, "__ge__": lambda a, b: a.v >= b.v}[op]}))
    print(op, [(C(a) < C(b), C(a) <= C(b), C(a) > C(b), C(a) >= C(b)) for a, b in ((1, 2), (2, 2), (3, 2))])
attempt(lambda: total_ordering(type("D", (), {})))


@singledispatch
def kind(x):
    return "other"


@kind.register
def _(x: int):
    return "int"


@kind.register(list)
def _(x):
    return "list"


kind.register(str, lambda x: "str")
print(kind(1), kind([]), kind("s"), kind(1.5), kind(True), kind.dispatch(int)(0))
print(sorted(["bb", "a", "ccc"], key=cmp_to_key(lambda a, b: len(b) - len(a))))

print(list(islice(count(5, 2), 4)), list(islice("abcdefg", 2, None, 2)), list(islice("abc", 0)), list(islice(cycle("ab"), 5)), list(repeat("x", 3)), repeat(1, 2), list(map(pow, range(4), repeat(2))))
print(list(accumulate([1, 2, 3])), list(accumulate([1, 2, 3], lambda a, b: a * b, initial=10)), list(chain("ab", [1])), list(chain.from_iterable([[1], (2, 3)])), list(compress("abcd", [1, 0, 1])))
print(list(dropwhile(lambda x: x < 3, [1, 4, 2])), list(takewhile(lambda x: x < 3, [1, 2, 4, 1])), list(filterfalse(lambda x: x % 2, range(5))), list(filterfalse(None, [0, 1])), list(pairwise("abcd")), list(starmap(pow, [(2, 3), (3, 2)])))
print([(k, list(g)) for k, g in groupby("aabbbc")], [(k, len(list(g))) for k, g in groupby([1, 3, 2, 4, 5], key=lambda x: x % 2)], [k for k, g in groupby("aab")])
a, b = tee([1, 2, 3])
print(next(a), list(b), list(a), list(zip_longest("ab", [1], fillvalue="-")), list(product("ab", [1, 2])), list(product([0, 1], repeat=2)), list(product()))
print(list(permutations([1, 2, 3])), list(permutations("abc", 2)), list(combinations("abcd", 2)), list(combinations_with_replacement("ab", 2)), list(combinations([1], 2)), list(combinations([1, 2], 0)))
print(len(list(permutations(range(5)))), len(list(combinations(range(8), 3))), sum(1 for _ in product(range(3), repeat=4)))
attempt(lambda: islice([1], -1))
it = iter(range(10))
print(list(islice(it, 3)), next(it), list(islice(it, 1, 3)), list(it))
c = count()
print(next(c), next(c))
import contextlib, io, string


@contextlib.contextmanager
def tag(name):
    print("<" + name + ">")
    try:
        yield name.upper()
    except ValueError as e:
        print("caught", e)
    finally:
        print("</" + name + ">")


with tag("a") as t:
    print(t)
with tag("b"):
    raise ValueError("inside")
try:
    with tag("c"):
        raise KeyError("k")
except KeyError as e:
    print("out", e)


@tag("d")
def decorated(x):
    return x


print(decorated(1), decorated(2))


@contextlib.contextmanager
def broken():
    if False:
        yield


attempt(lambda: broken().__enter__())
with contextlib.suppress(KeyError, IndexError):
    {}["x"]
with contextlib.nullcontext(5) as v:
    print(v)
buf = io.StringIO()
with contextlib.redirect_stdout(buf):
    print("hidden")
print(repr(buf.getvalue()))
with contextlib.ExitStack() as stack:
    stack.callback(print, "callback")
    print(stack.enter_context(tag("e")))
    stack.push(lambda *info: print("exit", info[0]))


class Closer:
    def close(self):
        print("closed")


with contextlib.closing(Closer()):
    pass
print(string.ascii_letters, string.digits, string.punctuation, string.hexdigits, repr(string.whitespace), string.capwords("hello big world"))
print(string.Template("$who likes ${what}, $$5").substitute(who="tim", what="x"), string.Template("$a $b").safe_substitute(a=1))
attempt(lambda: string.Template("$a").substitute())
attempt(lambda: string.Template("a $ b").substitute())
