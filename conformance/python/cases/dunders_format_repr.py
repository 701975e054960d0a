class A:
    def __repr__(self): return 'R'
print(A(), str(A()), [A()], {A(): 1}.__class__.__name__, f'{A()}', f'{A()!r:>3}', '%s %r' % (A(), A()))

class A:
    def __str__(self): return 'S'
print(A(), f'{A()}', f'{A():>4}' if False else 'x', repr(A()).startswith('<__main__.A object at'))

class A:
    def __repr__(self): return 5
repr(A())

class A:
    def __str__(self): return None
str(A())

class A:
    def __format__(self, s): return f'<{s}>'
print(f'{A():abc}', f'{A()}', format(A(), 'q'), '{:{}}'.format(A(), 'w'), format(A()))

class A:
    def __format__(self, s): return 3
f'{A()}'

class A: pass
f'{A():>10}'

class A:
    def __hash__(self): return 7
    def __eq__(self, o): return isinstance(o, A)
print(hash(A()), {A(): 1}[A()], len({A(), A()}), A() == A(), A() != A())

class A:
    def __eq__(self, o): return True
try: hash(A())
except TypeError as e: print(e)
{A()}

class A:
    def __hash__(self): return 'x'
hash(A())

class A:
    def __hash__(self): return -1
class B:
    def __hash__(self): return 2 ** 70
print(hash(A()), hash(B()))

class A:
    def __bool__(self): return False
print(bool(A()), not A(), 1 if A() else 2, [x for x in [A()] if x])

class A:
    def __bool__(self): return 1
bool(A())

class A:
    def __len__(self): return 0
print(bool(A()), not A(), len(A()))

class A:
    def __len__(self): return -1
len(A())

class A:
    def __len__(self): return 'x'
len(A())

class A:
    def __int__(self): return 3
    def __float__(self): return 2.5
    def __index__(self): return 4
    def __complex__(self): return 1j
print(int(A()), float(A()), complex(A()), [0, 1, 2, 3, 4][A()], hex(A()), range(A()), 'a' * A(), bin(A()))

class A:
    def __int__(self): return 'x'
int(A())

class A:
    def __round__(self, n=None): return ('r', n)
    def __trunc__(self): return 't'
    def __floor__(self): return 'f'
    def __ceil__(self): return 'c'
    def __abs__(self): return 'a'
import math; print(round(A()), round(A(), 2), math.trunc(A()), math.floor(A()), math.ceil(A()), abs(A()))

class A:
    def __bytes__(self): return b'bb'
    def __fspath__(self): return 'p'
import os; print(bytes(A()), os.fspath(A()))

class A:
    def __dir__(self): return ['z', 'a']
    def __sizeof__(self): return 10
print(dir(A()))

class A:
    x = 1
    def __getattr__(self, n): return f'got {n}'
print(A().x, A().yy, getattr(A(), 'zz'), hasattr(A(), 'q'), A().__dict__)

class P:
    def __init__(self, x, y): self.x, self.y = x, y
    def __repr__(self): return f'{type(self).__name__}({self.x!r}, {self.y!r})'
    def __format__(self, spec): return f'({self.x:{spec}}, {self.y:{spec}})' if spec else repr(self)
class Q(P): pass
print(P(1, 'a'), [Q(1.5, 2)], f'{P(1.234, 5.678):.1f}', f'{Q(1, 2)}', '{:>4}'.format(P(1, 2)))

class A(str):
    def __str__(self): return 'custom'
a = A('raw'); print(a, f'{a}', repr(a), '%s' % a, a + '!', ''.join([a]), [a])

class A(int):
    def __repr__(self): return 'int!'
    def __format__(self, s): return 'fmt' + s
print(A(5), str(A(5)), f'{A(5):d}', [A(5)], A(5) + 1, '%d' % A(5), '{}'.format(A(5)))
