from typing import *; print(List[int], Dict[str, int], Optional[int], Union[int, str], Tuple[int, ...], Callable[[int], str], Any, Type[int], Set[int], Iterable[str])

from typing import *; print(Union[int, int], Union[int, Union[str, None]], Optional[Union[int, str]], Union[int], Literal['a', 1], ClassVar[int], Final[int], Annotated[int, 'x'])

from typing import *; T = TypeVar('T'); print(T, List[T], TypeVar('K', bound=int).__bound__, TypeVar('V', int, str).__constraints__, T.__name__)

from typing import *
T = TypeVar('T')
class Box(Generic[T]):
    def __init__(self, x: T): self.x = x
print(Box[int], Box(5).x, Box[int](3).x, Box.__mro__[1].__name__)

from typing import *; print(get_origin(List[int]), get_args(Dict[str, int]), get_origin(Union[int, str]) is Union, get_args(Optional[int]), get_origin(int), get_args(Callable[[int], str]), get_origin(Literal[1]) is Literal)

from typing import *
def f(a: int, b: str = '') -> Optional[int]: pass
print(get_type_hints(f), f.__annotations__)

from typing import *
class A:
    x: int
    y: List[int] = None
print(get_type_hints(A), A.__annotations__)

from typing import *
class P(Protocol):
    def f(self) -> int: ...
class X:
    def f(self): return 1
print(X().f(), P.__name__)

from typing import *
@runtime_checkable
class P(Protocol):
    def close(self): ...
class X:
    def close(self): pass
print(isinstance(X(), P), isinstance(5, P))

from typing import *
class TD(TypedDict, total=False):
    a: int
    b: str
d = TD(a=1); print(d, type(d), TD.__annotations__, TD.__total__)

from typing import *; N = NewType('N', int); print(N(5), N.__name__, N.__supertype__)

from typing import *; print(cast(int, 'x'), TYPE_CHECKING, overload.__name__, no_type_check.__name__, NoReturn, Text is str)

print(list[int], dict[str, int], tuple[int, ...], int | str, int | None, type[int], list[int].__origin__, list[int].__args__, (int | str).__args__, list[int]([1]))

from typing import *; print(isinstance(1, int | str), isinstance([], List), isinstance({}, Dict), issubclass(list, List), isinstance((), Tuple), isinstance(len, Callable), isinstance([], Sequence))

from typing import *; isinstance([], List[int])

from typing import *; print(List[int] == List[int], hash(List[int]) == hash(List[int]), Optional[int] == Union[int, None], Dict[str, List[int]], List['X'], ForwardRef('X'))

from typing import NamedTuple
class P(NamedTuple):
    x: int
    y: int = 5
print(P(1), P(1)._asdict(), P.__annotations__, P._field_defaults, P(1) == (1, 5))

from __future__ import annotations
def f(x: undefined) -> also_undefined: pass
class A:
    y: nope = 1
print(f.__annotations__, A.__annotations__)

from typing import *
@overload
def f(x: int) -> int: ...
@overload
def f(x: str) -> str: ...
def f(x): return x
print(f(1), f('a')); ParamSpec; Concatenate; print(Self, Never, Required, LiteralString)

from typing import *; print(Mapping[str, int], Sequence[int], Iterator[int], Generator[int, None, str], Deque[int], DefaultDict[str, int], FrozenSet[int], Counter[str], Type['X'], IO[str])

from collections.abc import Callable, Sequence; print(Callable[[int], str], Sequence[int], Callable[..., int])

from typing import *; Optional[int, str]

from typing import *; Any()

from typing import *; print(Tuple, List, Dict, Callable, Union, Optional, Tuple[()], Tuple[int], get_args(Tuple[int, ...]))
