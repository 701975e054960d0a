class A:
    def __init__(s, v): s.v = v
    def __eq__(s, o): return s.v == o.v
    def __lt__(s, o): return s.v < o.v
a, b = A(1), A(2); print(a == b, a != b, a < b, a > b, a == A(1), sorted([b, a])[0].v, max(a, b).v, [a] == [A(1)])

class A:
    def __lt__(s, o): return 'lt'
    def __le__(s, o): return 'le'
    def __gt__(s, o): return 'gt'
    def __ge__(s, o): return 'ge'
    def __eq__(s, o): return 'eq'
    def __ne__(s, o): return 'ne'
a = A(); print(a < 1, a <= 1, a > 1, a >= 1, a == 1, a != 1, 1 < a, 1 <= a, 1 > a, 1 >= a, 1 == a, 1 != a)

class A:
    def __eq__(s, o): return True
hash(A())

class A:
    def __eq__(s, o): return True
    def __hash__(s): return 7
print(hash(A()), {A(): 1}, len({A(), A()})) if False else print(hash(A()), len({A(), A()}), A() in [1], [1].index(A()))

class A: pass
a = A(); print(a == a, a == A(), a != A(), a is a, hash(a) == hash(a))

class A: pass
A() < A()

class A:
    def __lt__(s, o): return NotImplemented
A() < 1

class A:
    def __eq__(s, o): return NotImplemented
print(A() == 1, A() != 1, 1 == A())

from functools import total_ordering
@total_ordering
class A:
    def __init__(s, v): s.v = v
    def __eq__(s, o): return s.v == o.v
    def __lt__(s, o): return s.v < o.v
print(A(1) <= A(2), A(1) >= A(2), A(2) > A(1), A(1) >= A(1))

class A:
    def __hash__(s): return 'x'
hash(A())

class A: __hash__ = None
hash(A())

class A:
    def __hash__(s): return 2**70
print(hash(A()) == hash(2**70), hash(True), hash(-1), hash(-2))

class A:
    def __bool__(s): print('bool'); return False
print(bool(A()), not A(), 5 if A() else 6, any([A()]))

class A:
    def __len__(s): return 3
print(len(A()), bool(A()))

class A:
    def __len__(s): return 'x'
len(A())

class A:
    def __len__(s): return -1
len(A())

class A:
    def __eq__(s, o): print('A.eq'); return False
class B(A):
    def __eq__(s, o): print('B.eq'); return True
print(A() == B(), B() == A())

class A:
    def __gt__(s, o): return 'A.gt'
class B: pass
print(B() < A()); print(A() < B())

print([1, 2] < [1, 3], (1, 'a') < (1, 'b'), {1} < {1, 2}, 'a' < 'b', None == None, [] == (), 1 == '1', 0.1 == 0.1)

None < 1

print(sorted([3, 1, 2], key=lambda x: -x), min('b', 'a'), max([1], [2]), sorted([(1, 'b'), (1, 'a')]), sorted(['B', 'a'], key=str.lower))

class A:
    def __init__(s, k): s.k = k
    def __hash__(s): return hash(s.k)
    def __eq__(s, o): return isinstance(o, A) and s.k == o.k
d = {A(1): 'one'}; print(d[A(1)], A(2) in d, A(1) in d, len({A(1), A(1), A(2)}))

class A:
    def __contains__(s, x): return x > 3
print(5 in A(), 1 in A(), 1 not in A())

class A:
    def __eq__(s, o): return []
print(A() == 1, A() != 1, bool(A() == 1))
