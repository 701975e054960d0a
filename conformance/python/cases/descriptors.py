class D:
    def __get__(self, o, t): return (o is None, t.__name__)
class A: d = D()
print(A.d, A().d)

class D:
    def __set_name__(self, owner, name): self.n = '_' + name; print(owner.__name__, name)
    def __get__(self, o, t=None): return self if o is None else getattr(o, self.n, 'unset')
    def __set__(self, o, v): setattr(o, self.n, v * 2)
class A: x = D(); y = D()
a = A(); print(a.x); a.x = 3; print(a.x, a.__dict__, type(A.x).__name__)

class D:
    def __get__(self, o, t): return 'get'
class A: x = D()
a = A(); a.x = 'inst'; print(a.x, a.__dict__)

class D:
    def __get__(self, o, t): return 'get'
    def __set__(self, o, v): print('set', v)
class A: x = D()
a = A(); a.x = 1; a.__dict__['x'] = 'inst'; print(a.x)

class D:
    def __delete__(self, o): print('delete')
class A: x = D()
a = A(); del a.x

class D:
    def __set__(self, o, v): raise AttributeError('ro')
class A: x = D()
A().x = 1

class Typed:
    def __init__(self, t): self.t = t
    def __set_name__(self, o, n): self.n = n
    def __get__(self, o, t): return o.__dict__[self.n]
    def __set__(self, o, v):
        if not isinstance(v, self.t): raise TypeError(f'{self.n} must be {self.t.__name__}')
        o.__dict__[self.n] = v
class P: age = Typed(int)
p = P(); p.age = 3; print(p.age); p.age = 'x'

class lazy:
    def __init__(self, f): self.f = f
    def __get__(self, o, t): v = self.f(o); o.__dict__[self.f.__name__] = v; return v
class A:
    @lazy
    def v(self): print('computed'); return 42
a = A(); print(a.v, a.v)

class A:
    def f(self): return 1
print(A.f.__get__(A(), A)(), A.__dict__['f'].__get__(None, A) is A.f)

class D:
    def __get__(self, o, t): raise AttributeError('nope')
class A:
    x = D()
    def __getattr__(self, n): return 'ga ' + n
print(A().x)

class A:
    @classmethod
    @property
    def p(cls): return cls.__name__
print(A.p)

class cm:
    def __init__(self, f): self.f = f
    def __get__(self, o, t): return lambda *a: self.f(t, *a)
class A:
    @cm
    def m(cls, x): return cls.__name__, x
print(A.m(1), A().m(2))

class D:
    def __get__(self, o, t): return lambda: 'called'
class A: m = D()
print(A().m())

class A:
    x = staticmethod(lambda v: v + 1)
    y = classmethod(lambda c, v: (c.__name__, v))
print(A.x(1), A().y(2), A.__dict__['x'].__func__(5))

class D:
    def __set_name__(self, o, n): raise ValueError('bad')
class A: x = D()

class A: pass
class D:
    def __get__(self, o, t): return 'd'
a = A(); a.x = D(); print(type(a.x).__name__); A.y = D(); print(a.y)

class Meta(type):
    @property
    def p(cls): return cls.__name__ + '!'
class A(metaclass=Meta): pass
print(A.p, hasattr(A(), 'p'))

class P(property): pass
class A:
    @P
    def x(self): return 7
print(A().x, isinstance(A.__dict__['x'], property))

from functools import cached_property
class A:
    @cached_property
    def x(self): print('once'); return 1
a = A(); print(a.x, a.x, a.__dict__)

class A:
    def __init__(self): self.items = []
    def add(self, x): self.items.append(x); return self
print(A().add(1).add(2).items, (f := A().add)(5).items)
