class A:
    x = 1
    def __init__(self, y): self.y = y
    def m(self): return self.x + self.y
a = A(2); print(a.m(), A.m(a), a.__dict__, A.x, a.x); a.x = 5; print(a.x, A.x); del a.x; print(a.x)

class A: pass
class B(A): pass
class C(A): pass
class D(B, C): pass
print([c.__name__ for c in D.__mro__], D.__bases__, D.__base__.__name__, issubclass(D, A), isinstance(D(), C))

class A(object):
    def f(self): return 'A'
class B(A):
    def f(self): return 'B' + super().f()
class C(A):
    def f(self): return 'C' + super().f()
class D(B, C):
    def f(self): return 'D' + super().f()
print(D().f(), super(B, D()).f(), super(C, D()).f())

class X: pass
class Y(X): pass
class Z(X, Y): pass

class A:
    def __init__(self): print('A')
class B(A):
    def __init__(self): super(B, self).__init__(); print('B')
B()

class A:
    @classmethod
    def make(cls, *a): return cls, a
    @staticmethod
    def s(x): return x
class B(A): pass
print(B.make(1), B().make(2), A.s(3), A().s(4))

class A:
    def __init__(self): self._x = 1
    @property
    def x(self): 'doc'; return self._x
    @x.setter
    def x(self, v): self._x = v * 2
    @x.deleter
    def x(self): print('del'); self._x = 0
a = A(); print(a.x); a.x = 5; print(a.x, A.x.__doc__); del a.x; print(a.x)

class A:
    @property
    def x(self): return 1
A().x = 2

class A:
    @property
    def x(self): return 1
del A().x

class A:
    x = property(lambda s: 3, None, None, 'docs')
print(A().x, A.x.__doc__, A.x.fget(None), A.x.fset)

class A:
    def __getattr__(self, n): return n.upper()
a = A(); a.y = 1; print(a.x, a.y, getattr(a, 'zz'), hasattr(a, 'q'))

class A:
    def __getattribute__(self, n):
        if n == 'secret': raise AttributeError('hidden')
        return object.__getattribute__(self, n)
    def __getattr__(self, n): return 'fallback ' + n
    v = 1
a = A(); print(a.v, a.secret, a.other)

class A:
    def __setattr__(self, n, v): print('set', n, v); object.__setattr__(self, n, v)
    def __delattr__(self, n): print('del', n); super().__delattr__(n)
a = A(); a.x = 1; del a.x; print(a.__dict__)

class A: pass
A().x

class A: pass
del A().x

class A:
    def f(self): pass
A.f()

class A:
    def __init__(self, a): pass
A()

class A: pass
A(1)

class A:
    def __init__(self): return 5
A()

class A:
    """Doc."""
    class Inner: pass
print(A.__doc__, A.__name__, A.__qualname__, A.Inner.__qualname__, A.__module__, A.__class__, type(A()).__name__, A.__dict__['__doc__'])

class A:
    def m(self): pass
a = A(); print(a.m == a.m, a.m is a.m, A.m is A.m, a.m.__self__ is a, a.m.__func__ is A.m, a.m.__name__, A.m.__qualname__)

a = type('A', (), {'x': 1, 'f': lambda self: self.x})(); print(a.f(), type(a).__name__, type(a).__bases__)

class A:
    n = 0
    def __init__(self): A.n += 1; type(self).n += 1
A(); A(); print(A.n)

class A:
    def __private(self): return 'p'
    def call(self): return self.__private()
    __v = 3
a = A(); print(a.call(), a._A__private(), A._A__v)

class A:
    a = 1
    b = a + 1
    def f(self, x=b): return x
    c = [a for _ in range(2)] if False else None
print(A().f(), A.b)

x = 'global'
class A:
    x = 'class'
    def f(self): return x
print(A().f())

def f():
    class L:
        def __repr__(self): return 'L!'
    return L
print(f()(), f().__qualname__)

class A: pass
A.new = lambda self: 'added'; print(A().new()); setattr(A, 'y', 5); print(A.y, vars(A)['y'], 'y' in dir(A()))

try:
    class A(5, x=1): pass
except TypeError: print('TypeError')

class A(undefined): pass

class A:
    def __init_subclass__(cls, tag=None, **kw): super().__init_subclass__(**kw); cls.tag = tag; print('sub', cls.__name__, tag)
class B(A, tag='t'): pass
class C(B): pass
print(B.tag, C.tag)

class A:
    def __class_getitem__(cls, k): return (cls.__name__, k)
print(A[int], A['x', 1])

class A:
    def __new__(cls, *a): print('new', a); o = super().__new__(cls); return o
    def __init__(self, *a): print('init', a)
A(1, 2)

class A:
    def __new__(cls): return 5
print(A())

class S:
    _i = None
    def __new__(cls):
        if cls._i is None: cls._i = super().__new__(cls)
        return cls._i
print(S() is S())

print(A if False else object, type(3), type(type), object().__class__, isinstance(type, type), issubclass(bool, int), type(None).__name__)

class A:
    def __str__(self): return 'S'
    def __repr__(self): return 'R'
print(A(), [A()], str(A()), repr(A()), f'{A()} {A()!r}', '%s %r' % (A(), A()))

class A:
    def __str__(self): return 5
print(A())

class A:
    def __repr__(self): return None
repr(A())

class Base:
    def __init__(self, **kw): self.kw = kw; print(sorted(kw))
class M1(Base):
    def __init__(self, a=1, **kw): super().__init__(**kw); self.a = a
class M2(M1):
    def __init__(self, b=2, **kw): super().__init__(**kw); self.b = b
m = M2(a=5, c=7); print(m.a, m.b, m.kw)

class A:
    __slots__ = ('x', 'y')
    def __init__(self): self.x = 1
a = A(); print(a.x, hasattr(a, 'y'), hasattr(a, '__dict__')); a.z = 1

class A:
    __slots__ = ['x']
A().x

class A:
    __slots__ = ('x',)
class B(A): pass
b = B(); b.x = 1; b.q = 2; print(b.x, b.__dict__, A.x.__class__.__name__)
