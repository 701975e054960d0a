from dataclasses import dataclass
@dataclass
class P:
    x: int
    y: int = 0
p = P(1); print(p, p == P(1, 0), p != P(2), P(x=3, y=4).y, P.__match_args__); p.x = 9; print(p)

from dataclasses import dataclass, field
@dataclass
class A:
    l: list = field(default_factory=list)
    n: int = field(default=5, repr=False)
    k: int = field(init=False, default=7)
a = A(); a.l.append(1); print(a, A(), a.n, a.k)

from dataclasses import dataclass
@dataclass(frozen=True)
class F: x: int
f = F(1); print(hash(f) == hash(F(1)), {f: 2}[F(1)]); f.x = 2

from dataclasses import dataclass
@dataclass(order=True)
class O: a: int; b: str
print(O(1, 'b') < O(2, 'a'), sorted([O(2, 'x'), O(1, 'y')]), O(1, 'a') >= O(1, 'a'))

from dataclasses import dataclass, fields, asdict, astuple, replace
@dataclass
class A: x: int; y: list
a = A(1, [A(2, [])]); print([f.name for f in fields(A)], asdict(a), astuple(a), replace(a, x=5).x, fields(a)[0].type)

from dataclasses import dataclass, field
@dataclass
class A:
    w: float
    area: float = field(init=False)
    def __post_init__(self): self.area = self.w ** 2
print(A(3.0))

from dataclasses import dataclass, InitVar
@dataclass
class A:
    x: int
    s: InitVar[int] = 2
    def __post_init__(self, s): self.x *= s
print(A(3), A(3, 5))

from dataclasses import dataclass
@dataclass
class A: x: int = 1
@dataclass
class B(A): y: int = 2
print(B(), B(5, 6), B.__mro__[1].__name__, B(1) == A(1))

from dataclasses import dataclass
@dataclass
class A: x: int
A()

from dataclasses import dataclass
@dataclass
class A:
    x: int = 1
    y: str

from dataclasses import dataclass
@dataclass
class A: x: list = []

from dataclasses import dataclass
@dataclass(kw_only=True)
class A: x: int; y: int = 2
print(A(x=1)); A(1)

from dataclasses import dataclass, field, KW_ONLY
@dataclass
class A:
    a: int
    _: KW_ONLY
    b: int = 2
print(A(1, b=5))

from dataclasses import dataclass
@dataclass(slots=True)
class A: x: int = 1
a = A(); print(a, hasattr(a, '__dict__')); a.y = 1

from dataclasses import dataclass
@dataclass(repr=False, eq=False)
class A: x: int
print(A(1) == A(1), repr(A(1)).startswith('<__main__.A object'))

from dataclasses import dataclass
@dataclass
class A:
    x: int
    def __eq__(self, o): return True
    def __repr__(self): return 'mine'
print(A(1), A(1) == 5)

from dataclasses import dataclass, is_dataclass, make_dataclass, field
print(make_dataclass('M', [('x', int), 'y', ('z', int, field(default=3))])(1, 2), is_dataclass(5))

from dataclasses import dataclass
@dataclass
class A: x: int
hash(A(1))

from dataclasses import dataclass
@dataclass(unsafe_hash=True)
class A: x: int
print(hash(A(1)) == hash(A(1)), len({A(1), A(1)}))

from dataclasses import dataclass, field
from typing import ClassVar, Optional, List
@dataclass
class C:
    n: ClassVar[int] = 5
    o: Optional[str] = None
    l: List[int] = field(default_factory=lambda: [1], compare=False, metadata={'k': 1})
print(C(), C.n, C(l=[2]) == C(), C.__dataclass_fields__['l'].metadata['k'])

from dataclasses import dataclass, FrozenInstanceError
@dataclass(frozen=True)
class A: x: int
try: A(1).x = 5
except FrozenInstanceError as e: print(type(e).__name__, e, isinstance(e, AttributeError))
try: del A(1).x
except FrozenInstanceError as e: print(e)

from dataclasses import dataclass
@dataclass
class A: x: int; y: int = 3
match A(1, 2):
    case A(x, y): print(x, y)
print(A.__annotations__, A.y, A.__doc__, A.__init__.__annotations__['x'])

from dataclasses import asdict
asdict(5)
