class S:
    __slots__ = ('x', 'y')
    def __init__(self, x): self.x = x
s = S(1); print(s.x)
try: s.y
except AttributeError as e: print(e)
try: s.z = 1
except AttributeError as e: print(e)
try: s.__dict__
except AttributeError as e: print(e)
del s.x
try: s.x
except AttributeError as e: print(e)
print(type(S.x).__name__, S.__slots__)
class T(S):
    __slots__ = ['w']
t = T(3); t.w = 1; t.y = 2; print(t.x, t.y, t.w)
try: t.q = 1
except AttributeError as e: print(e)
class U(S): pass
u = U(2); u.any = 3; print(u.any)
try:
    class V:
        __slots__ = ('x',)
        x = 1
except ValueError as e: print(e)
class W:
    __slots__ = 'single'
w = W(); w.single = 1; print(w.single)
class X:
    __slots__ = ('__dict__', 'a')
x = X(); x.b = 1; x.a = 2; print(x.b, x.a)
class Y:
    __slots__ = ()
try: Y().a = 1
except AttributeError as e: print(e)
try:
    class Z:
        __slots__ = ('1a',)
except TypeError as e: print(e)
try:
    class Z:
        __slots__ = (1,)
except TypeError as e: print(e)
