class A:
    def __getitem__(s, k): return ('get', k)
    def __setitem__(s, k, v): print('set', k, v)
    def __delitem__(s, k): print('del', k)
    def __len__(s): return 4
a = A(); print(a[1], a['x'], a[1:2], a[1, 2]); a[0] = 5; a['k'] += 1 if False else (); del a[3]; print(len(a))

class A:
    def __getitem__(s, i):
        if i > 2: raise IndexError
        return i * 10
print(list(A()), 20 in A(), 99 in A(), [x for x in A()], max(A()), tuple(A()), *A())

class A:
    def __iter__(s): return iter([1, 2, 3])
print(list(A()), sum(A()), 2 in A(), dict(zip(A(), 'abc')), sorted(A(), reverse=True), [*A()], {*A()} == {1, 2, 3})

class A:
    def __init__(s): s.n = 0
    def __iter__(s): return s
    def __next__(s):
        s.n += 1
        if s.n > 3: raise StopIteration
        return s.n
print(list(A()), next(A()), list(zip(A(), A())), list(map(str, A())), list(enumerate(A())))

class A:
    def __iter__(s): yield 1; yield from (2, 3)
a, b, c = A(); print(a, b, c, list(A()), ' '.join(map(str, A())))

class A:
    def __iter__(s): return 5
for x in A(): pass

class A: __iter__ = None
list(A())

class A: pass
for x in A(): pass

class A: pass
A()[0]

class A: pass
A()[0] = 1

class A: pass
del A()[0]

class A: pass
len(A())

class A: pass
1 in A()

class A:
    def __reversed__(s): return 'rev'
    def __length_hint__(s): return 5
import operator; print(reversed(A()), operator.length_hint(A()))

class A:
    def __len__(s): return 3
    def __getitem__(s, i): return i
print(list(reversed(A())))

class A:
    def __missing__(s, k): return 'm'
A()['x']

class A:
    def __next__(s): return 1
next(A())

next(5)

class A:
    def __next__(s): return 1
print(next(A()))
iter(A())

class M:
    def keys(s): return ['a', 'b']
    def __getitem__(s, k): return k * 2
print(dict(M()), {**M()}, (lambda **k: k)(**M()))

class A:
    def __call__(s, *a, **k): return a, k
print(A()(1, x=2), callable(A()), list(map(A(), [1])))

class A: pass
A()()

class A:
    def __enter__(s): return s
    def __exit__(s, *e): return True
    def __call__(s): return 'c'
with A() as a: print(a())

class Seq:
    def __init__(s, d): s.d = d
    def __getitem__(s, k): return Seq(s.d[k]) if isinstance(k, slice) else s.d[k]
    def __len__(s): return len(s.d)
    def __contains__(s, x): return x in s.d
    def __repr__(s): return f'Seq({s.d})'
q = Seq([1, 2, 3]); print(q[0], q[1:], len(q), 2 in q, list(q), q[-1], bool(Seq([])))

class A:
    def __class_getitem__(cls, i): return f'{cls.__name__}[{i}]'
print(A[int], A['x'])

class A:
    def __getattr__(s, n):
        if n.startswith('__'): raise AttributeError(n)
        return lambda *a: (n, a)
print(A().foo(1), A().bar())
len(A())
