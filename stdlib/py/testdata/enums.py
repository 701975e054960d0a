import enum
from enum import Enum, IntEnum, Flag, IntFlag, StrEnum, auto, unique


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


class Color(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3
    CRIMSON = 1

    def shout(self):
        return self.name.upper() + "!"

    @property
    def double(self):
        return self.value * 2

    @classmethod
    def first(cls):
        return cls.RED

    @staticmethod
    def helper():
        return "help"


print(Color.RED, repr(Color.GREEN), Color.RED.name, Color.RED.value, Color(2), Color["BLUE"], list(Color), len(Color), Color.CRIMSON is Color.RED)
print(Color.RED == Color.RED, Color.RED == 1, Color.RED != Color.BLUE, Color.RED in Color, isinstance(Color.RED, Color), Color, type(Color.RED), list(Color.__members__))
print(Color.BLUE.shout(), Color.BLUE.double, Color.first(), Color.helper(), f"{Color.RED} {Color.RED!r}", "%s" % Color.RED, {Color.RED: 1}[Color(1)], hash(Color.RED) == hash("RED"), list(reversed(Color)))
attempt(lambda: Color(9))
attempt(lambda: Color["NOPE"])
attempt(lambda: setattr(Color, "RED", 5))
attempt(lambda: Color.NOPE)
attempt(lambda: Color.RED < Color.BLUE)


def extend():
    class Sub(Color):
        X = 1


attempt(extend)


class Num(IntEnum):
    A = 1
    B = auto()
    C = 10
    D = auto()


print(Num.A, repr(Num.B), Num.D, Num.B + 1, Num.C > Num.A, Num(10), [1, 2, 3][Num.A], f"{Num.C:04d}", isinstance(Num.A, int), sorted([Num.C, Num.A]), {1: "x"}[Num.A], int(Num.B), "%d" % Num.B)


class S(StrEnum):
    ONE = auto()
    TWO = "zwei"


class M(str, Enum):
    X = "x"
    Y = "y"


print(S.ONE, repr(S.TWO), S.TWO == "zwei", S.ONE + "!", S("one"), f"{S.TWO:>6}", M.X, M.X == "x", M("y"), M.Y.value, M.X.upper(), isinstance(M.X, str), repr(M.X), {"x": 1}[M.X])


class Auto(Enum):
    A = auto()
    B = auto()
    C = "c"

    def __str__(self):
        return "auto:" + self.name


print(list(Auto), Auto.A.value, str(Auto.B))


class Planet(Enum):
    EARTH = (5.97e24, 6.37e6)
    MARS = (6.42e23, 3.39e6)

    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius

    @property
    def ratio(self):
        return self.mass / self.radius


print(Planet.EARTH.mass, Planet.MARS.ratio, Planet.EARTH.value, Planet((6.42e23, 3.39e6)))


class Perm(Flag):
    R = 4
    W = 2
    X = 1
    RW = 6


p = Perm.R | Perm.X
print(p, repr(p), p.value, Perm.R in p, Perm.W in p, list(p), ~Perm.R, Perm.RW, repr(Perm.R & Perm.W), bool(Perm.R & Perm.W), Perm.R ^ Perm.RW, Perm(7), len(Perm), list(Perm), Perm(0))
attempt(lambda: Perm(8))


class AF(Flag):
    A = auto()
    B = auto()
    C = auto()


print([x.value for x in AF], AF.A | AF.C, (AF.A | AF.B).name)


class IF(IntFlag):
    A = 1
    B = 2


print(IF.A | IF.B, repr(IF.A | IF.B), IF.A | 8, repr(IF(8)), IF.A + 1, IF.A & 1, int(IF.B))


@unique
class U(Enum):
    A = 1
    B = 2


def dup():
    @unique
    class D(Enum):
        A = 1
        B = 1


attempt(dup)
F = Enum("F", "P Q R")
print(list(F), F.Q.value, F("P") if False else F(1), Enum("G", {"a": 5, "b": 6}).b, Enum("H", ["x", "y"]).y, list(Enum("I", [("k", 1)])))


class Miss(Enum):
    A = 1
    UNKNOWN = 0

    @classmethod
    def _missing_(cls, value):
        return cls.UNKNOWN


print(Miss(99), Miss(1))


class Coord(bytes if False else int, Enum):
    def __new__(cls, value, label):
        obj = int.__new__(cls, value)
        obj._value_ = value
        obj.label = label
        return obj

    PX = (0, "P.X")
    PY = (1, "P.Y")


print(Coord.PY, Coord.PY.label, Coord(1), Coord.PY.value, Coord.PY + 5)


class Fn(Enum):
    def f(self):
        return 1

    K = 3
    _ignored_private = 5 if False else 5


print(Fn.K.f(), [m.name for m in Fn])
match Color.RED:
    case Color.GREEN:
        print("green")
    case Color.RED:
        print("red matched")
import copy, json
print(copy.deepcopy(Color.RED) is Color.RED, copy.copy(Color.RED) is Color.RED, json.dumps({"a": Num.A, "s": S.TWO, "m": M.X}))


class NoAliasValue(Enum):
    LIST = [1, 2]
    DICT = {"a": 1}


print(NoAliasValue([1, 2]), NoAliasValue.DICT.value)
