import os.path; print(os.path.join('a', 'b'), os.name)

import math as m, json; from math import pi as p, sqrt; print(m.pi == p, sqrt(4), json.dumps(1))

from math import *; print(floor(2.5), 'pi' in globals())

import nope_module

from math import nope

import os.nope

try: from json import nope_a, dumps
except ImportError as e: print(str(e).split(' (')[0], e.name)

from collections import abc; import collections.abc as c; print(abc is c, c.Mapping.__name__)

try: import torch_xla_nope as x
except ImportError as e: x = None; print(type(e).__name__, e.name, e)
print(x)

from . import sibling

from .pkg import y

def f():
    import math
    return math.sqrt(9)
print(f()); math

open('mymod.py', 'w').write('X = 1\ndef f(): return X + 1\nprint("loaded", __name__)\n'); import sys; sys.path.insert(0, '.'); import mymod, mymod as again; print(mymod.X, mymod.f(), again is mymod, mymod.__name__)

import os; os.mkdir('pk'); open('pk/__init__.py', 'w').write('from .a import A\n__all__ = ["A", "b"]\n'); open('pk/a.py', 'w').write('class A: pass\nfrom . import b\n'); open('pk/b.py', 'w').write('from .a import *\nZ = 3\n'); import sys; sys.path.insert(0, '.')
import pk; from pk import *; from pk.b import Z; print(A.__module__, Z, b.Z, pk.b is b, pk.__name__, pk.a.__package__)

open('bad.py', 'w').write('def f(:\n'); import sys; sys.path.insert(0, '.'); import bad

open('boom.py', 'w').write('x = 1\nraise ValueError("at import")\n'); import sys; sys.path.insert(0, '.')
try: import boom
except ValueError as e: print(e, 'boom' in sys.modules)

print(__name__, __doc__, __file__.endswith('case.py'))

"""Module docs."""
print(__doc__)

from __future__ import annotations
def f(x: Undefined) -> AlsoUndefined: return x
print(f(1), f.__annotations__)

x = 1
from __future__ import division

from __future__ import braces

import importlib; m = importlib.import_module('math'); print(m.pi, importlib.import_module('.abc', 'collections').__name__, importlib.util.find_spec('math') is not None if hasattr(importlib, 'util') else True)

import importlib.util; print(importlib.util.find_spec('json') is not None, importlib.util.find_spec('surely_missing_pkg'))

from typing import TYPE_CHECKING
if TYPE_CHECKING: from nope import Nothing
def f(x: 'Nothing'): return 1
print(f(0), TYPE_CHECKING)

open('lazy.py', 'w').write('def __getattr__(name):\n    if name == "late": return 42\n    raise AttributeError(f"module lazy has no {name}")\n'); import sys; sys.path.insert(0, '.'); import lazy; print(lazy.late); from lazy import late; print(late); lazy.other

open('c1.py', 'w').write('import c2\nA = 1\n'); open('c2.py', 'w').write('import c1\nB = getattr(c1, "A", "partial")\n'); import sys; sys.path.insert(0, '.'); import c1, c2; print(c1.A, c2.B)

open('c3.py', 'w').write('from c4 import B\nA = 1\n'); open('c4.py', 'w').write('from c3 import A\nB = 2\n'); import sys; sys.path.insert(0, '.')
try: import c3
except ImportError as e: print(str(e).split(' (/')[0])

import sys, os; print(sys.modules['os'] is __import__('os'), __import__('os.path').__name__)

import importlib; m = importlib.import_module('collections.abc'); print(m.__name__, __import__('collections.abc', fromlist=['Mapping']).__name__, __import__('json', globals(), locals(), [], 0).__name__)

open('c5.py', 'w').write('import c6\nA = 1\n'); open('c6.py', 'w').write('import c5\nc5.A\n'); import sys; sys.path.insert(0, '.')
try: import c5
except AttributeError as e: print(e)
