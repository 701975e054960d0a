class M(type):
    def __instancecheck__(c, o): return o == 'magic'
    def __subclasscheck__(c, o): return o is int
class A(metaclass=M): pass
print(isinstance('magic', A), isinstance(A(), A), isinstance(5, A), issubclass(int, A), issubclass(str, A), isinstance('magic', (int, A)))
from abc import ABC, abstractmethod
class Base(ABC):
    @abstractmethod
    def run(self): ...
    @property
    @abstractmethod
    def p(self): ...
class Half(Base):
    def run(self): return 1
class Full(Half):
    p = 5
for c in (Base, Half, Full):
    try: print(c().p)
    except TypeError as e: print(e)
print(isinstance(Full(), Base), issubclass(Half, Base), isinstance(1, int | str), isinstance('a', int | None), int | str, isinstance(None, int | None))
from collections.abc import Iterable, Mapping, Sequence, Callable, Hashable
print(isinstance([], Iterable), isinstance({}, Mapping), isinstance('a', Sequence), isinstance(len, Callable), isinstance([], Hashable), isinstance(5, Iterable), issubclass(dict, Mapping))
