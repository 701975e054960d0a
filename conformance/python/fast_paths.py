# What the machine has short cuts for, in loops that run often enough to take them
# and then change what they relied on.
import math
import traceback

# Slices of lists.
x = [1, 2, 3, 4, 5, 6]
for a in (None, 0, 1, -1, -9, 3, 9, True, 2**70):
    for b in (None, 0, 2, -2, -9, 6, 8, -2**70):
        print(x[a:b], x[a:b:1], x[a:b:-1], end=' ')
print()


class Two:
    def __index__(self):
        return 2


print(x[Two():], x[:Two()], x[-1], x[-6])
try:
    x[-7]
except IndexError as e:
    print(e)
part = x[:2]
part += [7, 8, 9]
print(part, x)

# Loops with two targets.
for i, (a, b) in enumerate([(1, 2)]):
    print(i, a, b)
for a, b in zip([1, 2, 3], (4, 5)):
    print(a, b)
for a, b in zip(range(3), (4, 5, 6)):
    print(a, b)
z = zip([1, 2], [3])
for a, b in z:
    print(a, b)
print(list(z))
e = enumerate([5, 6, 7])
for a, b in e:
    print(a, b)
    break
print(list(e))
d = {1: 2, 3: 4}
for a, b in d.items():
    print(a, b)
try:
    for a, b in d.items():
        d[a + 100] = 1
except RuntimeError as e:
    print(e)
try:
    for a, b in [(1, 2, 3)]:
        pass
except ValueError as e:
    print(e)
print([a + b for a, b in enumerate([3, 4])], {a: b for a, b in zip([1], [2])})

# range, and what is called so.
for n in (3, 0, -2, 2**40):
    total = 0
    for i in range(n):
        total += i
        if i > 4:
            break
    for i in range(n, n + 3):
        total += i
    for i in range(n, n - 3):
        total += 1000
    for i in range(n, n - 3, -1):
        total += i
    print(n, total)
try:
    for i in range(1.5):
        pass
except TypeError as e:
    print(e)
for i in range(True, 3):
    print(i)
it = range(2)
for i in it:
    for j in it:
        print(i, j)


def own():
    range = lambda n: "abc"[:n]
    for c in range(2):
        print(c)


own()


# One site, instances of many shapes.
class Base:
    kind = "base"

    def name(self):
        return "Base", self.kind


classes = [type("C%d" % i, (Base,), {"kind": i}) for i in range(40)]
objects = [c() for c in classes]
for i, o in enumerate(objects):
    for j in range(i % 5):
        setattr(o, "a%d" % ((i + j) % 7), j)
    o.value = i
for turn in range(4):
    total, names = 0, []
    for o in objects:
        total += o.value
        names.append(o.name()[1])
    print(total, names[:3], names[-3:])
    if turn == 0:
        Base.name = lambda self: ("new", -self.value)
    elif turn == 1:
        objects[1].name = lambda: ("own", "own")
        classes[2].name = property(lambda self: lambda: ("property", "property"))
    elif turn == 2:
        del objects[1].name
        del classes[2].name


# Properties, and what may stand in their place.
class P:
    @property
    def p(self):
        return self.q

    @property
    def bad(self):
        raise AttributeError("no")

    @p.setter
    def p(self, v):
        self.q = v


class Q(P):
    def __getattr__(self, name):
        return "missing " + name


for o in (P(), Q()):
    o.p = 4
    for i in range(3):
        print(o.p, end=" ")
        o.p = i
        try:
            print(o.bad)
        except AttributeError as e:
            print(e)
P.p = property(lambda self: 99)
print(P().p, Q().p)


# Modules' names.
def root(v):
    return math.sqrt(v)


print(root(4.0))
saved = math.sqrt
math.sqrt = lambda v: "mine"
print(root(4.0))
math.sqrt = saved
print(root(9.0))
del math.sqrt
try:
    root(1.0)
except AttributeError as e:
    print(e)
math.sqrt = saved
print(root(16.0))

# Builtins that are called often.
nan = float("nan")
for a, b in ((1, 2), (2, 1), (1.5, 1.5), (0.0, -0.0), (-0.0, 0.0), (nan, 1.0), (1.0, nan), (1, 1.0), (True, 1), ("a", "b"), (2**70, 1)):
    print(max(a, b), min(a, b), end=" ")
print()
for v in (3, -3, -2**63, 2.5, -0.0, True, 3j):
    print(abs(v), end=" ")
print()
for v in ([], (1,), {1: 2}, "äö", range(5), {1}, b"ab"):
    print(len(v), end=" ")
print()
for bad in (lambda: len(3), lambda: len(), lambda: abs("a"), lambda: max(1, "a"), lambda: max(3), lambda: isinstance(1, 2)):
    try:
        bad()
    except TypeError as e:
        print(e)
print(isinstance(P(), P), isinstance(Q(), P), isinstance(P(), Q), isinstance(P(), (Q, P)), isinstance(3, P))


# Exceptions: arguments, classes of their own, contexts, tracebacks of what was caught and raised again.
class Own(ValueError):
    extra = 1


class WithInit(Exception):
    def __init__(self, a, b=2):
        super().__init__(a)
        self.b = b


def thrower(i):
    if i % 4 == 0:
        raise ValueError("four", i)
    if i % 4 == 1:
        raise Own
    if i % 4 == 2:
        raise WithInit(i)
    return {}[i]


for i in range(8):
    try:
        try:
            thrower(i)
        except ValueError as e:
            print(type(e).__name__, e.args, getattr(e, "extra", None), e.__context__)
            e.note = i
            raise
        except (KeyError, WithInit) as e:
            print(repr(e), e.__context__, getattr(e, "b", None))
            raise RuntimeError("outer", i) from e
    except Exception as e:
        lines = [(s.lineno > 0, s.name) for s in traceback.extract_tb(e.__traceback__)]
        print(lines, e.args, type(e.__cause__).__name__, type(e.__context__).__name__, getattr(e, "note", None))
kept = []
for i in range(3):
    try:
        thrower(0)
    except ValueError as e:
        kept.append(e)
print([len(traceback.extract_tb(e.__traceback__)) for e in kept], kept[0] is not kept[1])
for i in range(2):
    try:
        raise kept[0]
    except ValueError as e:
        print(len(traceback.extract_tb(e.__traceback__)))
try:
    raise kept[0].with_traceback(None)
except ValueError as e:
    print(len(traceback.extract_tb(e.__traceback__)))
e = OSError(2, "gone", "file")
print(type(e).__name__, e.args, e.filename, e)
print(ValueError().args, ValueError(1).args, ValueError(1, 2).args)


# Defaults.
def opt(a, b=2, c=[]):
    c.append(a)
    return a, b, list(c)


class Opt:
    def __init__(self, a, b=opt, *, k=3):
        self.a = a, b is opt, k

    def m(self, a=1, b=2):
        return a, b


class Opt2(Opt):
    def __init__(self, a, b="b"):
        super().__init__(a)
        self.b = b


for i in range(3):
    print(opt(i), opt(i, 5), opt(i, 5, []), Opt(i).a, Opt(i, 1).a, Opt2(i).b, Opt2(i, 3).b, Opt(0).m(), Opt(0).m(7), Opt(0).m(7, 8))
    for call in (lambda: opt(), lambda: opt(1, 2, 3, 4), lambda: Opt2(), lambda: Opt2(1, 2, 3), lambda: Opt(1).m(1, 2, 3)):
        try:
            call()
        except TypeError as e:
            print(e)
    if i == 0:
        opt.__defaults__ = (6, [7])
    elif i == 1:
        opt.__defaults__ = (9, [8])


def gen():
    yield opt(1, 2), Opt2(3).b
    yield opt(1, 2), Opt2(3).b


print(list(gen()))
deep = lambda n, acc=0: acc if n == 0 else deep(n - 1) + 1
print(deep(400))
opt.__defaults__ = ([8],)
try:
    opt(1)
except TypeError as e:
    print(e)
print(opt(1, 2))
