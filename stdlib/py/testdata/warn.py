import warnings
import sys
import abc
from abc import ABC, abstractmethod

with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    warnings.warn("one")
    warnings.warn("two", DeprecationWarning, stacklevel=2)
    warnings.warn(RuntimeWarning("three"))
    print([(str(x.message), x.category.__name__) for x in w])
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("default")
    for _ in range(3):
        warnings.warn("same")
    print(len(w))
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        warnings.warn("boom", FutureWarning)
    except FutureWarning as e:
        print("raised", e)
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    warnings.filterwarnings("ignore", message="quiet", category=UserWarning)
    warnings.warn("loud")
    warnings.warn("other", FutureWarning)
    print([str(x.message) for x in w])
try:
    warnings.warn("x", int)
except TypeError as e:
    print(e)


class Shape(ABC):
    @abstractmethod
    def area(self):
        pass

    @property
    @abstractmethod
    def name(self):
        pass

    def twice(self):
        return 2 * self.area()


class Square(Shape):
    def __init__(self, s):
        self.s = s

    def area(self):
        return self.s ** 2

    @property
    def name(self):
        return "square"


class Half(Shape):
    def area(self):
        return 1


for cls in (Shape, Half):
    try:
        cls()
    except TypeError as e:
        print(e)
print(Square(3).twice(), Square(2).name, isinstance(Square(1), Shape), issubclass(Square, ABC), type(Shape).__name__)


class Other:
    pass


Shape.register(Other)
print(isinstance(Other(), Shape), issubclass(Other, Shape), isinstance(3, Shape), isinstance(Square(1), Shape), isinstance(Half, type))


class M(metaclass=abc.ABCMeta):
    @classmethod
    @abstractmethod
    def make(cls):
        ...


try:
    M()
except TypeError as e:
    print(e)
