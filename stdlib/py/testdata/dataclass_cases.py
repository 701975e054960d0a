from dataclasses import dataclass, field, fields, asdict, astuple, replace, make_dataclass, is_dataclass, FrozenInstanceError, InitVar, KW_ONLY, MISSING
from typing import List, Optional, ClassVar, Dict, Any


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


@dataclass
class P:
    x: int
    y: int = 2
    tags: List[str] = field(default_factory=list)
    kind: ClassVar[str] = "p"

    def total(self):
        return self.x + self.y


p = P(1)
q = P(1, 2, [])
print(p, p == q, p != P(2), p.total(), p.tags is q.tags, P.kind, P(x=5, y=6, tags=["a"]), P.__match_args__, p == (1, 2, []))
for f in (lambda: P(), lambda: P(1, 2, [], 4), lambda: P(1, x=1), lambda: P(1, z=1), lambda: hash(p), lambda: p < q):
    attempt(f)
print([(f.name, f.default is MISSING, f.init) for f in fields(P)], is_dataclass(P), is_dataclass(p), is_dataclass(int), asdict(P(1, 2, ["t"])), astuple(P(1)), replace(p, y=9))
p.x = 10
print(p.x, P.__doc__, P.__init__.__annotations__["x"])


@dataclass(frozen=True, order=True)
class F:
    a: int
    b: str = "z"


f = F(1)
print(f, hash(f) == hash(F(1)), F(1) < F(2), F(1, "a") < F(1, "b"), sorted([F(3), F(1)]), {f: 1}[F(1)], F(2) >= F(2), F(1) > F(0))
attempt(lambda: setattr(f, "a", 5))
attempt(lambda: delattr(f, "a"))
attempt(lambda: F(1) < 3)


@dataclass
class Base:
    a: int = 1
    b: int = 2


@dataclass
class Derived(Base):
    c: int = 3
    a: int = 10

    def __post_init__(self):
        self.sum = self.a + self.b + self.c


d = Derived()
print(d, d.sum, [x.name for x in fields(Derived)], Derived(1, 2, 3) == Derived(1, 2, 3), Base() == Derived())


@dataclass
class Init:
    a: int
    scale: InitVar[int] = 2
    b: int = field(init=False)
    hidden: int = field(default=0, repr=False, compare=False)

    def __post_init__(self, scale):
        self.b = self.a * scale


print(Init(3), Init(3, 5), Init(3) == Init(3, hidden=9), Init(3, hidden=9).hidden)


@dataclass(kw_only=True)
class K:
    a: int
    b: int = 1


@dataclass
class K2:
    a: int
    _: KW_ONLY
    b: int = 1
    c: int = field(kw_only=True)


print(K(a=1), K2(1, c=2), K2.__match_args__)
attempt(lambda: K(1))
attempt(lambda: K2(1))


def bad_order():
    @dataclass
    class B:
        a: int = 1
        b: int


def bad_default():
    @dataclass
    class B:
        a: list = []


attempt(bad_order)
attempt(bad_default)
attempt(lambda: fields(3))
attempt(lambda: asdict(3))


@dataclass
class Node:
    v: int
    kids: List["Node"] = field(default_factory=list)
    meta: Dict[str, Any] = field(default_factory=dict)


tree = Node(1, [Node(2), Node(3, [Node(4)])], {"k": (1, Node(5))})
print(tree)
print(asdict(tree))
print(astuple(tree))
M = make_dataclass("M", ["x", ("y", int), ("z", int, 5)])
print(M(1, 2), M.__name__)


@dataclass(repr=False, eq=False)
class Plain:
    x: int


print(Plain(1) == Plain(1), "Plain object" in repr(Plain(1)))


@dataclass(slots=True)
class Sl:
    x: int
    y: int = 3


s = Sl(1)
print(s, s.y, Sl.__slots__)
attempt(lambda: setattr(s, "nope", 1))


@dataclass
class Custom:
    x: int

    def __repr__(self):
        return "custom"

    def __eq__(self, o):
        return True


print(Custom(1), Custom(1) == 5)


@dataclass(unsafe_hash=True)
class UH:
    a: int
    b: int = field(hash=False, default=0)


print(hash(UH(1, 2)) == hash(UH(1, 3)))
match P(1, 5):
    case P(x, y):
        print("matched", x, y)


@dataclass
class Config:
    n_layer: int = 12
    dropout: float = 0.0
    bias: bool = True
    name: Optional[str] = None


print(Config(), Config(**dict(n_layer=2, name="m")), Config(bias=False).__dict__)


class NotData:
    pass


@dataclass
class Mix(NotData):
    a: int = 0

    @property
    def twice(self):
        return self.a * 2

    @classmethod
    def make(cls, n):
        return cls(n)

    @staticmethod
    def s():
        return "s"


print(Mix.make(4).twice, Mix.s())


@dataclass
class WithDefaultProp:
    a: int = field(default=3, metadata={"help": "an int"})


print(fields(WithDefaultProp)[0].metadata["help"], WithDefaultProp.a)
