from enum import Enum
class C(Enum): R = 1; G = 2
print(C.R, repr(C.R), C.R.name, C.R.value, C(2), C['G'], list(C), len(C), C.R is C(1), C.R == 1, C.R in C)

from enum import Enum, auto
class C(Enum): A = auto(); B = auto(); Z = 10; D = auto()
print([c.value for c in C], C.__members__, C.A.__class__.__name__)

from enum import IntEnum
class I(IntEnum): A = 1; B = 2
print(I.A < I.B, I.A + 1, I.A == 1, repr(I.A), str(I.A), f'{I.A}', sorted([I.B, I.A]), [10, 20][I.A], isinstance(I.A, int))

from enum import Flag, auto
class F(Flag): R = auto(); W = auto(); X = auto()
print(F.R | F.W, repr(F.R | F.X), F.R in (F.R | F.W), F.R & F.W, bool(F.R & F.W), ~F.R, (F.R | F.W).value, list(F.R | F.W))

from enum import IntFlag
class F(IntFlag): A = 1; B = 2
print(F.A | F.B, F.A | 4, F(3), F.A + 1, int(F.A | F.B), repr(F.A))

from enum import Enum
class C(Enum): A = 1
C(5)

from enum import Enum
class C(Enum): A = 1
C['Z']

from enum import Enum
class C(Enum): A = 1
C.A = 2

from enum import Enum
class C(Enum): A = 1
class D(C): B = 2

from enum import Enum
class C(Enum): A = 1; B = 1; D = 2
print(list(C), C.B is C.A, C.B.name, C.__members__)

from enum import Enum, unique
@unique
class C(Enum): A = 1; B = 1

from enum import Enum
class P(Enum):
    E = (1, 2); M = (3, 4)
    def __init__(self, a, b): self.a, self.b = a, b
    @property
    def sum(self): return self.a + self.b
    def m(self): return self.name.lower()
print(P.E.a, P.M.sum, P.E.m(), P.E.value)

from enum import Enum
class S(str, Enum): A = 'a'; B = 'b'
print(S.A == 'a', S.A.upper(), S('b'), S.A, f'{S.A}', repr(S.A), isinstance(S.A, str), {'a': 1}[S.A])

from enum import Enum
class C(Enum):
    A = 1
    def __str__(self): return 'str ' + self.name
    @classmethod
    def default(cls): return cls.A
    @staticmethod
    def s(): return 's'
print(C.A, C.default(), C.s(), f'{C.A}')

from enum import Enum
C = Enum('C', 'A B C'); D = Enum('D', {'X': 5, 'Y': 6}); print(list(C), D.X.value, C.A.name)

from enum import Enum
class C(Enum):
    A = 'x'
    @classmethod
    def _missing_(cls, v): return cls.A
print(C('nope'))

from enum import Enum
class C(Enum): A = 1; B = 2
print({C.A: 'a'}[C.A], hash(C.A) == hash(C.A), C.A != C.B, C.A is not C.B, [c.name for c in C if c is not C.A], dict((c.name, c.value) for c in C))
C.A < C.B

from enum import Enum
class C(Enum):
    def _generate_next_value_(name, start, count, last): return name.lower()
    A = __import__('enum').auto()
    B = __import__('enum').auto()
print([c.value for c in C])

from enum import StrEnum, auto
class S(StrEnum): FOO = auto(); BAR = 'b'
print(S.FOO, S.BAR, S.FOO == 'foo', repr(S.FOO), S('b'))

from enum import Enum
class C(Enum): A = 1
match C.A:
    case C.A: print('matched')
print(type(C.A), isinstance(C.A, C), C.__name__, C.__doc__, 'A' in C.__members__, hasattr(C, 'A'))

from enum import Enum, EnumMeta
class M(EnumMeta):
    def __call__(cls, *a, **k): return super().__call__(*a, **k)
class C(Enum, metaclass=M): A = 1
print(C(1), isinstance(C, EnumMeta))

from enum import Enum
class C(Enum): A = [1]; B = {'k': 2}
print(C.A.value, C([1]), C.B, reversed(C).__class__.__name__ != '', list(reversed(C)))
