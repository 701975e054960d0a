class A:
    def who(self): return ['A']
class B(A):
    def who(self): return ['B'] + super().who()
class C(A):
    def who(self): return ['C'] + super().who()
class D(B, C):
    def who(self): return ['D'] + super().who()
print(D().who(), [k.__name__ for k in D.__mro__], D.mro() == list(D.__mro__))
try:
    class X(A, B): pass
except TypeError as e: print(e)
try:
    class Y(A, A): pass
except TypeError as e: print(e)
try:
    class Z(bool): pass
except TypeError as e: print(e)
print(super(B, D()).who(), super(D, D()).who())
print(D.__bases__, D.__base__, A.__bases__, A.__subclasses__())
print(issubclass(D, (int, A)), isinstance(D(), C), isinstance(3, (str, (float, int))))
class E(A):
    def who(self):
        f = lambda: super(E, self).who()
        return f()
    @classmethod
    def make(cls): return super().__new__(cls)
    @staticmethod
    def st(x): return x * 2
print(E().who(), type(E.make()).__name__, E.st(4), E().st(5))
class F:
    def f(self): return 1
try: print(F().f())
except Exception as e: print(type(e).__name__, e)
def g(): super().x
try: g()
except RuntimeError as e: print(e)
try: super(int, 'a')
except TypeError as e: print(e)
try: print(super(B, D()).nothing)
except AttributeError as e: print(e)
print(super(B, D())) if False else None
print(D.__name__, D.__qualname__, D.__module__, D.__doc__, D.__dict__.keys() >= {'who'})
