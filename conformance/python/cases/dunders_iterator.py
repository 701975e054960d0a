class A:
    def __init__(self): self.n = 0
    def __iter__(self): return self
    def __next__(self):
        self.n += 1
        if self.n > 3: raise StopIteration
        return self.n
print(list(A()), sum(A()), max(A()), [*A()], tuple(A()), 2 in A(), dict(zip('abc', A())))

class A:
    def __getitem__(self, i):
        if i > 2: raise IndexError
        return i * 10
print(list(A()), 20 in A(), [x for x in A()], list(enumerate(A())), list(reversed([*A()])))

class A:
    def __iter__(self): yield 1; yield 2
a = A(); print(list(a), list(a), next(iter(a)), dict(enumerate(a)))

class A:
    def __iter__(self): return 5
iter(A())

class A: pass
iter(A())

class A:
    def __next__(self): return 1
for x in A(): pass

class A:
    __iter__ = None
list(A())

class A:
    def __iter__(self): return self
for x in A(): pass

class A:
    def __len__(self): return 3
    def __getitem__(self, i): return 'abc'[i]
print(list(reversed(A())), len(A()))

class A:
    def __reversed__(self): return iter('zyx')
print(list(reversed(A())))

class A:
    __reversed__ = None
reversed(A())

class A: pass
reversed(A())

it = iter([1, 2]); print(next(it), next(it), next(it, 'end')); next(it)

n = [0]
def f(): n[0] += 1; return n[0]
print(list(iter(f, 4)), n)

class A:
    def __call__(self): return 'stop'
print(list(iter(A(), 'stop'))); iter(5, 1)

class A:
    def __length_hint__(self): return 10
    def __iter__(self): return iter([1])
import operator; print(operator.length_hint(A()), operator.length_hint([1, 2]), operator.length_hint(5, 7), list(A()))

class A:
    def __init__(self): self.i = iter('ab')
    def __iter__(self): return self.i
a = A(); print(next(iter(a)), list(a), list(a))

class Tree:
    def __init__(self, v, *kids): self.v, self.kids = v, kids
    def __iter__(self):
        yield self.v
        for k in self.kids: yield from k
print(list(Tree(1, Tree(2, Tree(3)), Tree(4))), 3 in Tree(1, Tree(3)))

class A:
    def __contains__(self, x): print('contains', x); return x == 1
print(1 in A(), 2 in A(), 3 not in A())

class A:
    def __contains__(self, x): return 'truthy'
print(1 in A(), 1 not in A())

class A:
    __contains__ = None
    def __iter__(self): return iter([1])
1 in A()

class A:
    def __iter__(self): raise ValueError('no iteration')
try: list(A())
except ValueError as e: print(e)
a, b = A()

class A:
    def __iter__(self): return iter([1, 2, 3])
a, *b = A(); print(a, b); x, y = A()

class D(dict):
    def __iter__(self): return iter(sorted(dict.keys(self), reverse=True))
d = D(a=1, b=2); print(list(d), [k for k in d], list(d.items()), {**d}, sorted(d))

class A:
    def __next__(self): raise StopIteration(5)
    def __iter__(self): return self
def g(): r = yield from A(); yield ('ret', r)
print(list(g()))
