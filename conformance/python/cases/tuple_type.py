t = (1, 2, 3); print(t, t[0], t[-1], t[1:], len(t), 2 in t, t + (4,), t * 2, t.index(2), t.count(1))

print((), (1,), (1, 2), ((1, 2), 3), 1, tuple('ab'), tuple([1]), tuple(), tuple(range(3)))

(1, 2)[5]

t = (1, 2)
t[0] = 1

(1, 2).index(9)

(1,) + [2]

print((1, 2) < (1, 3), (1,) < (1, 0), (1, 2) == (1, 2), () < (1,), (2,) > (1, 5))

print(hash((1, 2)) == hash((1, 2)), {(1, 2): 'a'}[(1, 2)], hash(()) == hash(()))

hash((1, [2]))

a, b = (1, 2); print(a, b); x = 1, 2; print(x); x, = (5,); print(x)

print(sorted((3, 1, 2)), max((1, 2)), sum((1, 2)), list(reversed((1, 2))), tuple(sorted('ba')))

class T(tuple):
    def __new__(cls, *a): return super().__new__(cls, a)
    @property
    def x(self): return self[0]
t = T(1, 2); print(t, t.x, t == (1, 2), type(t + (3,)).__name__, isinstance(t, tuple), len(t))

from collections import namedtuple
P = namedtuple('P', 'x y', defaults=[5]); p = P(1); print(p, p.x, p.y, p[1], p._asdict(), p._replace(x=9), P._fields, P._field_defaults, p == (1, 5))

from typing import NamedTuple
class N(NamedTuple):
    a: int
    b: str = 'd'
    def m(self): return self.a * 2
n = N(3); print(n, n.b, n.m(), n._fields, N.__annotations__, N(*'xy'))

from collections import namedtuple
P = namedtuple('P', 'x y')
try: P(1)
except TypeError as e: print(e)

from collections import namedtuple
P = namedtuple('P', ['x'])
P(1).x = 2

print((1, (2, (3, [4]))), repr((1.5, 'a', None)), str((1,)), f'{(1, 2)}')

t = ([],); t[0].append(1); print(t, t[::-1], (1, 2, 3)[::2], (1, 2)[5:])

print(tuple(x for x in range(3)), *(1, 2), (1, 2) is (1, 2), () is ())

for i, (a, b) in enumerate(((1, 2), (3, 4))): print(i, a, b)

(1, 2).foo

tuple(5)

(1, 2)['a']

print(divmod(7, 2), 'a b'.partition(' '), [].__class__, (1,).__class__.__name__, (1, 2).__len__(), (3,).__add__((4,)), (1,).__eq__(1))
