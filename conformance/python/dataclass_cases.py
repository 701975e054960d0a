from dataclasses import dataclass, field, fields, replace, asdict, astuple, FrozenInstanceError
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
@dataclass
class P:
    x: int
    y: int = 2
    z: list = field(default_factory=list)
    w: str = field(default='w', repr=False, compare=False)
p = P(1); print(p, P(1) == p, P(1, 3) == p, P(1, w='q') == p, p.z is P(1).z, [f.name for f in fields(P)])
t(lambda: P()); t(lambda: P(1, 2, 3, 4, 5)); t(lambda: P(1, q=2)); t(lambda: hash(p)); t(lambda: p < p)
@dataclass(frozen=True, order=True)
class F:
    a: int
    b: str = 'b'
t(lambda: F(1) < F(2)); t(lambda: sorted([F(3), F(1)])); t(lambda: hash(F(1)) == hash(F(1))); t(lambda: {F(1): 1}[F(1)]); t(lambda: F(1) < 5)
def fr(): F(1).a = 2
def fd(): del F(1).a
t(fr); t(fd); t(lambda: replace(F(1), a=5)); t(lambda: asdict(P(1, z=[F(2)]))); t(lambda: astuple(F(1)))
@dataclass
class B(P):
    k: int = 9
    def __post_init__(self): self.sum = self.x + self.k
print(B(1), B(1).sum, B.__mro__[1].__name__)
def bad():
    @dataclass
    class X:
        a: int = 1
        b: str
def bad2():
    @dataclass
    class X: a: list = []
t(bad); t(bad2)
@dataclass(kw_only=True)
class K: a: int; b: int = 2
t(lambda: K(a=1)); t(lambda: K(1))
@dataclass(eq=False, repr=False)
class N: a: int
print(N(1) == N(1), N(1).a)
@dataclass(slots=True)
class S: a: int = 1
def sl(): S().zz = 1
t(sl); print(S())
from dataclasses import InitVar
@dataclass
class V:
    a: int
    init: InitVar[int] = 5
    def __post_init__(self, init): self.a += init
print(V(1), V(1, 10)); print(P.__match_args__)
