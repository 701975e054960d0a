import typing
from typing import *
from typing import List, Dict, Tuple, Optional, Union, Callable, Any, TypeVar, Generic, NamedTuple, TypedDict, Literal, Protocol, ClassVar
import collections.abc as cabc
import types


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


print(List[int], Dict[str, List[int]], Tuple[int, ...], Optional[int], Union[int, str], Union[int, None], Callable[[int, str], bool], Callable[..., Any], Type[int], Sequence[int], Iterable[str])
print(List, Any, Optional, Union[int], Union[int, Union[str, int]], Literal["a", 1], ClassVar[int], Final[str], Set[int], FrozenSet[int], Tuple[()], Tuple[int, str], Mapping[str, int], Iterator[int], Generator[int, None, str])
T = TypeVar("T")
K = TypeVar("K", bound=int)
print(T, List[T], Dict[K, T], List[T][int], Dict[K, T][int, str], get_origin(List[int]), get_args(Dict[str, int]), get_origin(Union[int, str]), get_args(Callable[[int], str]), get_origin(int), get_args(int), get_origin(list[int]), get_args(int | str))
print(list[int], dict[str, int], int | None, int | str | None, List[int] == List[int], Union[int, str] == Union[str, int], hash(List[int]) == hash(List[int]), Optional[List[int]], list[int] | None)


class Stack(Generic[T]):
    def __init__(self) -> None:
        self.items: List[T] = []

    def push(self, item: T) -> None:
        self.items.append(item)


s = Stack[int]()
s.push(1)
print(s.items, type(s).__name__, isinstance(s, Stack), Stack[int].__origin__ is Stack)


class IntStack(Stack[int]):
    pass


print(IntStack.__mro__[1].__name__, IntStack().items)


class P(NamedTuple):
    x: int
    y: str = "d"

    def both(self):
        return (self.x, self.y)


print(P(1), P(1, "a").both(), P._fields, P(2)._replace(x=5), isinstance(P(1), tuple), P.__annotations__ == {"x": int, "y": str}, NamedTuple("Q", [("a", int)])(3))


class TD(TypedDict, total=False):
    a: int
    b: str


print(TD(a=1, b="x"), TD.__annotations__ == {"a": int, "b": str}, TD.__total__, type(TD(a=1)).__name__)


@runtime_checkable
class HasLen(Protocol):
    def __len__(self) -> int: ...


print(isinstance([], HasLen), isinstance(3, HasLen))


class Impl(Protocol):
    def f(self): ...


class Real(Impl):
    def f(self):
        return 1


print(Real().f())
UserId = NewType("UserId", int)
print(UserId(5), cast(int, "x"), TYPE_CHECKING)


def f(a: int, b: Optional[str] = None, *args: Any, **kw: Dict[str, Any]) -> List[int]:
    return [a]


print(get_type_hints(f)["a"], f.__annotations__["return"], f(1))


@overload
def g(x: int) -> int: ...


@overload
def g(x: str) -> str: ...


def g(x):
    return x


print(g(3))


class L(List[int]):
    pass


print(L([1, 2]), isinstance(L(), list))
attempt(lambda: Optional[int, str])
attempt(lambda: List[int, str])
attempt(lambda: Any())
attempt(lambda: Union[()])
attempt(lambda: isinstance(3, Real) or isinstance(3, Impl))
print(Annotated[int, "meta"], Annotated[int, "m"].__metadata__)

for obj in ([], (), {}, set(), frozenset(), "s", b"b", range(3), iter([]), (x for x in []), 3, len, int, {}.keys(), {}.items(), lambda: 0, None, bytearray()):
    print(type(obj).__name__, [n for n in ("Hashable", "Iterable", "Iterator", "Generator", "Sized", "Container", "Collection", "Callable", "Sequence", "MutableSequence", "Mapping", "MutableMapping", "Set", "MutableSet", "KeysView", "ItemsView") if isinstance(obj, getattr(cabc, n))])


class Seq(cabc.Sequence):
    def __init__(self, *v):
        self.v = v

    def __len__(self):
        return len(self.v)

    def __getitem__(self, i):
        return self.v[i]


q = Seq(3, 1, 3)
print(list(q), 1 in q, q.index(3), q.count(3), list(reversed(q)), isinstance(q, cabc.Iterable), isinstance(q, cabc.Sequence))
attempt(lambda: q.index(9))


class Map(cabc.MutableMapping):
    def __init__(self):
        self.d = {}

    def __getitem__(self, k):
        return self.d[k]

    def __setitem__(self, k, v):
        self.d[k] = v

    def __delitem__(self, k):
        del self.d[k]

    def __iter__(self):
        return iter(self.d)

    def __len__(self):
        return len(self.d)


m = Map()
m["a"] = 1
m.update({"b": 2}, c=3)
print(dict(m), m.get("z", 0), m.pop("a"), list(m.keys()), list(m.items()), m.setdefault("q", 7), "b" in m, len(m), m == {"b": 2, "c": 3, "q": 7}, list(m.values()))
attempt(lambda: cabc.Sequence())
attempt(lambda: m.pop("zz"))


class Walk:
    def __iter__(self):
        return iter([1])


print(isinstance(Walk(), cabc.Iterable), isinstance(Walk(), cabc.Iterator), issubclass(dict, cabc.Mapping), cabc.Iterable[int] if False else "", isinstance(types.SimpleNamespace(a=1), object))
print(types.SimpleNamespace(a=1, b="x"), types.SimpleNamespace(a=1) == types.SimpleNamespace(a=1), isinstance(f, types.FunctionType), isinstance(len, types.BuiltinFunctionType), isinstance((x for x in []), types.GeneratorType), isinstance(q.count, types.MethodType), types.MethodType(lambda self, y: (self, y), 3)(4))
