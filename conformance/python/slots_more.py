class A:
    __slots__ = ('x', 'y')
    z = 5
a = A(); a.x = 1; print(a.x, a.z, hasattr(a, 'y'), hasattr(a, '__dict__'))
try: a.q = 1
except AttributeError as e: print(e)
try: a.z = 1
except AttributeError as e: print(e)
class B(A): pass
b = B(); b.q = 2; b.x = 3; print(b.q, b.x)
class C(A): __slots__ = ('w',)
c = C(); c.w = c.y = 4; print(c.w, c.y, type(C.w).__name__, C.w.__name__)
for bad in ("('a', 1)", "('1x',)"):
    try: type('T', (), {'__slots__': ('a', 1) if '1)' in bad else ('1x',)})
    except TypeError as e: print(e)
try:
    class T:
        __slots__ = ('k',)
        k = 1
except ValueError as e: print(e)
