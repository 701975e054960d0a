class M(type):
    def __new__(m, n, b, ns, **kw): print('new', n, kw); return super().__new__(m, n, b, ns)
    def __init__(c, n, b, ns, **kw): print('init', n); super().__init__(n, b, ns)
class A(metaclass=M, k=1): pass
print(type(A).__name__)

class M(type):
    def __call__(c, *a): print('call', a); return super().__call__(*a)
class A(metaclass=M):
    def __init__(self, x): self.x = x
print(A(3).x)

class M(type):
    @classmethod
    def __prepare__(m, n, b): return {'injected': 5}
class A(metaclass=M): y = injected + 1
print(A.injected, A.y)

class M(type):
    def __getattr__(c, n): return 'meta ' + n
    def __len__(c): return 7
    def __iter__(c): return iter('xy')
    def __contains__(c, x): return x == 1
    def __getitem__(c, k): return k
class A(metaclass=M): pass
print(A.foo, len(A), list(A), 1 in A, A[3])

from abc import ABC, abstractmethod
class A(ABC):
    @abstractmethod
    def f(self): pass
    @abstractmethod
    def g(self): pass
A()

from abc import ABC, abstractmethod
class A(ABC):
    @abstractmethod
    def f(self): return 'base'
class B(A):
    def f(self): return super().f() + '!'
print(B().f(), isinstance(B(), A), A.__abstractmethods__)

from abc import ABCMeta, abstractmethod
class A(metaclass=ABCMeta):
    @property
    @abstractmethod
    def p(self): pass
try: A()
except TypeError as e: print(e)
class B(A):
    p = 1
print(B().p)

from abc import ABC
class A(ABC): pass
class B: pass
A.register(B); print(isinstance(B(), A), issubclass(B, A), B.__mro__)

from abc import ABC
class A(ABC):
    @classmethod
    def __subclasshook__(cls, c): return hasattr(c, 'quack')
class D:
    quack = 1
print(issubclass(D, A), isinstance(3, A))

class M(type):
    def __instancecheck__(c, x): return x == 42
    def __subclasscheck__(c, x): return x is int
class A(metaclass=M): pass
print(isinstance(42, A), isinstance(1, A), issubclass(int, A), issubclass(str, A))

class M1(type): pass
class M2(type): pass
class A(metaclass=M1): pass
class B(metaclass=M2): pass
class C(A, B): pass

class M(type):
    def __repr__(c): return f'<M {c.__name__}>'
class A(metaclass=M): pass
print(A, [A])

class M(type):
    reg = []
    def __init__(c, *a): super().__init__(*a); M.reg.append(c.__name__)
class A(metaclass=M): pass
class B(A): pass
print(M.reg)

A = type('A', (dict,), {'x': 1}); a = A(q=1); print(a, a.x, A.__name__, isinstance(a, dict))

type('A', (), {}, 5, 6)

type(1, 2, 3)

class M(type):
    def mro(cls): return [cls, object]
    def __eq__(c, o): return True
    def __hash__(c): return 1
class A(metaclass=M): pass
print(A == 5, {A: 1}[A])

class M(type):
    def __setattr__(c, n, v): print('set', n); super().__setattr__(n, v)
class A(metaclass=M): pass
A.x = 1; print(A.x)

class M(type):
    def __dir__(c): return ['a', 'b']
class A(metaclass=M): pass
print(dir(A))

print(type(type('X', (), {})), type.__call__(int, '5'), type.__mro__, isinstance(int, type), type.__name__)

def meta(name, bases, ns): ns['made'] = name; return type(name, bases, ns)
class A(metaclass=meta): pass
print(A.made)

class A:
    def __init_subclass__(cls): cls.sub = cls.__name__
B = type('B', (A,), {}); print(B.sub, A.__subclasses__() == [B])
