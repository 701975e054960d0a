try:
    import numpy_not_here as np
except ImportError: np = None
from typing import TYPE_CHECKING, Optional, List, Dict, Union, Any, Callable, Tuple
if TYPE_CHECKING: from nowhere import Thing
def f(x: Optional[int] = None, *y: 'Thing', z: List[Dict[str, Any]] = ()) -> Union[int, str]: return x
print(np, f(3), sorted(f.__annotations__), TYPE_CHECKING)
import os.path, sys as system, math as m
from math import (floor,
                  ceil as up,)
print(os.path.join('a', 'b'), system is __import__('sys'), m.floor is floor, up(1.2))
def lazy():
    from itertools import chain
    return list(chain([1], [2]))
print(lazy())
