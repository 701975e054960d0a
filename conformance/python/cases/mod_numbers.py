import numbers; print([isinstance(v, numbers.Number) for v in (1, 1.5, 1j, True, 'a', None, [])])

import numbers; print([isinstance(v, numbers.Integral) for v in (1, 1.5, 1j, True, 10 ** 30)])

import numbers; print([isinstance(v, numbers.Real) for v in (1, 1.5, 1j, True, float('nan'))])

import numbers; print([isinstance(v, numbers.Rational) for v in (1, 1.5, True)], [isinstance(v, numbers.Complex) for v in (1, 1.5, 1j)])

import numbers; print(issubclass(int, numbers.Integral), issubclass(float, numbers.Real), issubclass(complex, numbers.Complex), issubclass(bool, numbers.Integral), issubclass(str, numbers.Number))

import numbers; print(issubclass(numbers.Integral, numbers.Rational), issubclass(numbers.Rational, numbers.Real), issubclass(numbers.Real, numbers.Complex), issubclass(numbers.Complex, numbers.Number))

import numbers; numbers.Number.register(str); print(isinstance('a', numbers.Number))

import numbers
class N(numbers.Number):
    __hash__ = None
print(isinstance(N(), numbers.Number), isinstance(N(), numbers.Real))

import numbers; numbers.Integral()

import numbers
class MyInt(int): pass
print(isinstance(MyInt(3), numbers.Integral), isinstance(MyInt(3), numbers.Number))

import numbers
def kind(x):
    match x:
        case bool(): return 'bool'
        case numbers.Integral(): return 'int'
        case numbers.Real(): return 'real'
        case _: return 'other'
print([kind(v) for v in (True, 1, 2.5, 'x')])

import numbers
def pair(x): return (x, x) if isinstance(x, numbers.Number) else tuple(x)
print(pair(3), pair((1, 2)), pair([4, 5]))

import numbers, functools
@functools.singledispatch
def f(x): return 'obj'
@f.register(numbers.Integral)
def _(x): return 'integral'
@f.register(numbers.Real)
def _(x): return 'real'
print(f(1), f(1.0), f('a'), f(True))

from numbers import Number, Real, Integral; print(Number.__name__, Real.__module__, isinstance(3, (Real, str)), Integral.__mro__[-1])

import numbers; print(numbers.Number.__mro__, [c.__name__ for c in numbers.Integral.__mro__])

import numbers; print((5).numerator, (5).denominator, (5).real, (5).imag, (5).conjugate(), (2.5).real, (2.5).imag, (2.5).conjugate(), (2.5).is_integer(), (2.5).as_integer_ratio(), (3).as_integer_ratio())

import numbers
class Q(numbers.Real):
    def __init__(self, v): self.v = v
    def __float__(self): return self.v
for n in numbers.Real.__abstractmethods__: 
    if n not in Q.__dict__: setattr(Q, n, lambda self, *a: NotImplemented)
Q.__abstractmethods__ = frozenset(); q = Q(2.5); print(float(q), isinstance(q, numbers.Real), q.real.v if hasattr(q.real, 'v') else q.real, complex(q))

import numbers; print(sorted(numbers.Integral.__abstractmethods__)[:5], len(numbers.Complex.__abstractmethods__))

import numbers; print(type(numbers.Number), isinstance(numbers.Number, type), numbers.__name__, numbers.__all__)

import numbers; print(isinstance(1, numbers.Number) and not isinstance(1, bool), isinstance(True, numbers.Number), all(isinstance(x, numbers.Number) for x in [1, 2.0]))
