import abc
class A(abc.ABC):
    @abc.abstractmethod
    def f(self): pass
A()

import abc
class A(abc.ABC):
    @abc.abstractmethod
    def f(self): pass
    @abc.abstractmethod
    def g(self): pass
class B(A):
    def f(self): return 1
try: B()
except TypeError as e: print(e)
try: A()
except TypeError as e: print(e)

import abc
class A(abc.ABC):
    @abc.abstractmethod
    def f(self): return 'base'
class B(A):
    def f(self): return super().f() + '+'
print(B().f(), A.__abstractmethods__, B.__abstractmethods__)

from abc import ABC, abstractmethod
class A(ABC):
    @property
    @abstractmethod
    def p(self): ...
class B(A):
    @property
    def p(self): return 5
print(B().p, sorted(A.__abstractmethods__))
A()

from abc import ABC, abstractmethod
class A(ABC):
    @classmethod
    @abstractmethod
    def make(cls): ...
    @staticmethod
    @abstractmethod
    def help(): ...
print(sorted(A.__abstractmethods__)); A()

import abc
class A(metaclass=abc.ABCMeta):
    @abc.abstractmethod
    def f(self): ...
print(type(A), type(A) is abc.ABCMeta, isinstance(A, type)); A()

import abc
class A(abc.ABC): pass
class X: pass
A.register(X)
print(issubclass(X, A), isinstance(X(), A), X.__mro__, A in X.__mro__)

import abc
class A(abc.ABC): pass
@A.register
class X: pass
print(X.__name__, issubclass(X, A), issubclass(int, A))

import abc
class A(abc.ABC):
    @classmethod
    def __subclasshook__(cls, c):
        return hasattr(c, 'run')
class R:
    def run(self): pass
print(issubclass(R, A), issubclass(int, A), isinstance(R(), A))

import abc
class A(abc.ABC):
    @classmethod
    def __subclasshook__(cls, c):
        if cls is A and any('go' in b.__dict__ for b in c.__mro__): return True
        return NotImplemented
class G:
    def go(self): pass
class H(A): pass
print(issubclass(G, A), issubclass(H, A), issubclass(str, A), issubclass(G, H))

import abc
class A(abc.ABC):
    def __init__(self, x): self.x = x
    @abc.abstractmethod
    def f(self): ...
    def g(self): return self.f() * self.x
class B(A):
    def f(self): return 3
print(B(4).g())

import abc
class A(abc.ABC):
    @abc.abstractmethod
    def f(self): ...
B = type('B', (A,), {'f': lambda self: 1})
print(B().f(), type(B)); type('C', (A,), {})()

import abc
class A(abc.ABC):
    x = abc.abstractproperty()
print(A.__abstractmethods__)

import abc
class A(abc.ABC):
    @abc.abstractmethod
    def __call__(self, x): ...
class B(A):
    def __call__(self, x): return x + 1
print(B()(1), callable(B()))

import abc
class P(abc.ABC):
    registry = {}
    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw); P.registry[cls.__name__] = cls
    @abc.abstractmethod
    def f(self): ...
class Q(P):
    def f(self): return 'q'
print(list(P.registry), P.registry['Q']().f())

import abc
class A(abc.ABC):
    @abc.abstractmethod
    def f(self): ...
class M:
    def f(self): return 'mixin'
class B(M, A): pass
class C(A, M): pass
print(B().f()); C()

import abc
class A(abc.ABC): pass
print(A.__abstractmethods__, A().__class__.__name__, abc.ABC.__abstractmethods__)

import abc, inspect
class A(abc.ABC):
    @abc.abstractmethod
    def f(self): ...
class B(A):
    def f(self): ...
print(inspect.isabstract(A), inspect.isabstract(B), A.f.__isabstractmethod__, getattr(B.f, '__isabstractmethod__', False))

import abc
class A(abc.ABC):
    @abc.abstractmethod
    def f(self): ...
def impl(self): return 9
class B(A): pass
B.f = impl
try: B()
except TypeError as e: print(e)
abc.update_abstractmethods(B); print(B().f())

import abc
class Meta(abc.ABCMeta):
    def __new__(m, name, bases, ns, **kw):
        c = super().__new__(m, name, bases, ns); c.tag = kw.get('tag'); return c
class A(metaclass=Meta, tag='t'):
    @abc.abstractmethod
    def f(self): ...
print(A.tag, A.__abstractmethods__, type(A).__mro__[1].__name__)

from collections.abc import Sized, Iterable, Callable, Hashable, Container
class A:
    def __len__(self): return 0
    def __iter__(self): return iter(())
    def __contains__(self, x): return False
print(isinstance(A(), Sized), isinstance(A(), Iterable), isinstance(A(), Container), isinstance(A(), Callable), isinstance([], Hashable), isinstance((), Hashable))

import abc
class A(abc.ABC):
    @abc.abstractmethod
    def f(self): ...
    @property
    def name(self): return type(self).__name__
    @name.setter
    @abc.abstractmethod
    def name(self, v): ...
print(sorted(A.__abstractmethods__))
