import copy; a = [1, [2, 3]]; b = copy.copy(a); c = copy.deepcopy(a); a[1].append(4); print(b, c, b[1] is a[1])

import copy; d = {'a': {'b': 1}}; e = copy.deepcopy(d); e['a']['b'] = 2; print(d, e, copy.copy(d)['a'] is d['a'])

import copy
class A:
    def __init__(self): self.x = [1]
a = A(); b = copy.copy(a); c = copy.deepcopy(a); print(b.x is a.x, c.x is a.x, c.x, type(c).__name__)

import copy
class A:
    def __copy__(self): return 'cp'
    def __deepcopy__(self, memo): return 'dc', type(memo).__name__
print(copy.copy(A()), copy.deepcopy(A()))

import copy; a = []; a.append(a); b = copy.deepcopy(a); print(b[0] is b, b is a)

import copy; t = (1, [2]); print(copy.deepcopy(t), copy.copy(t) is t, copy.deepcopy((1, 2)) == (1, 2))

import copy; s = {1, 2}; print(copy.copy(s) == s, copy.copy(s) is s, copy.deepcopy(frozenset([1])), copy.copy('a'), copy.copy(5), copy.deepcopy(None))

import copy
def f(): pass
print(copy.deepcopy(f) is f, copy.copy(len) is len, copy.deepcopy(int) is int, copy.copy(f) is f)

import copy; x = [1]; y = copy.deepcopy([x, x]); print(y[0] is y[1], y)

import copy
class L(list): pass
l = L([1, [2]]); l.tag = 't'; m = copy.deepcopy(l); print(m, m.tag, type(m).__name__, m[1] is l[1])

import copy
class S:
    __slots__ = ('a', 'b')
s = S(); s.a = [1]; t = copy.copy(s); u = copy.deepcopy(s); print(t.a is s.a, u.a is s.a, u.a, hasattr(t, 'b'))

import copy
class A:
    def __reduce__(self): return (A, ())
print(type(copy.copy(A())).__name__)

import copy
class A:
    def __init__(self, x): self.x = x
    def __getstate__(self): return {'x': self.x + 1}
    def __setstate__(self, s): self.x = s['x'] * 10
print(copy.copy(A(1)).x, copy.deepcopy(A(2)).x)

import copy
class D(dict): pass
d = D(a=[1]); d.q = 1; e = copy.deepcopy(d); print(e, e.q, type(e).__name__, copy.copy(d)['a'] is d['a'])

import copy; from collections import OrderedDict, defaultdict, deque, Counter
print(copy.deepcopy(OrderedDict(a=[1])), copy.copy(defaultdict(list, a=1)), copy.deepcopy(deque([1, [2]])), copy.copy(Counter('aab')))

import copy; from dataclasses import dataclass
@dataclass
class P: x: list
p = P([1]); q = copy.deepcopy(p); q.x.append(2); print(p, q)

import copy; from enum import Enum
class C(Enum): A = 1
print(copy.copy(C.A) is C.A, copy.deepcopy([C.A])[0] is C.A)

import copy
class N:
    def __init__(self, v): self.v, self.next = v, None
a = N(1); a.next = N(2); a.next.next = a; b = copy.deepcopy(a); print(b.v, b.next.v, b.next.next is b)

import copy; print(copy.deepcopy(1.5), copy.deepcopy('x'), copy.deepcopy(b'x'), copy.deepcopy(1j), copy.deepcopy(range(3)), copy.deepcopy(True))

import copy; print(issubclass(copy.Error, Exception), copy.error is copy.Error, copy.copy([1, 2]) == [1, 2], copy.copy({}) == {})

import copy
class A:
    def __init__(self): self.f = self.m
    def m(self): return id(self)
a = A(); b = copy.deepcopy(a); print(b.f() == id(b), b.f() == id(a))
