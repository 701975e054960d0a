from enum import Enum, IntEnum, Flag, auto, unique
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
class C(Enum):
    RED = 1; GREEN = 2; ALIAS = 1
    @property
    def low(self): return self.name.lower()
print(C.RED, repr(C.RED), C.RED.name, C.RED.value, C(2), C['GREEN'], C.ALIAS is C.RED, list(C), len(C), C.RED.low, C.RED in C, C.RED == 1, hash(C.RED) == hash('RED'), isinstance(C.RED, C), type(C.RED))
t(lambda: C(5)); t(lambda: C['X']); t(lambda: C.NOPE)
def setit(): C.RED = 5
t(setit); t(lambda: C.RED < C.GREEN)
class I(IntEnum): A = 1; B = 2
print(I.A + 1, I.A < I.B, I.A == 1, I(2), f'{I.A}', str(I.B), repr(I.A), [10, 20, 30][I.B], sorted([I.B, I.A]))
class Au(Enum): X = auto(); Y = auto()
print(list(Au), [m.value for m in Au], Au.__members__)
class Fl(Flag): R = 1; W = 2; X = 4
print(Fl.R | Fl.W, (Fl.R | Fl.W) & Fl.W, Fl.R in (Fl.R | Fl.X), bool(Fl.R & Fl.W), (Fl.R | Fl.W).value)
class S(str, Enum): A = 'a'; B = 'b'
print(S.A == 'a', S('b'), S.A.upper(), f'{S.A.value}', {S.A: 1}['a'])
def u():
    @unique
    class U(Enum): A = 1; B = 1
t(u)
class M(Enum):
    A = (1, 'x'); B = (2, 'y')
    def __init__(self, n, s): self.n = n; self.s = s
print(M.A.n, M.B.s, M((1, 'x')))
