import inspect
def f(a, b=1, *c, d, e=2, **g) -> int: pass
s = inspect.signature(f); print(s, list(s.parameters), s.return_annotation, s.parameters['b'].default, s.parameters['d'].kind, s.parameters['a'].default is inspect.Parameter.empty)

import inspect
class A:
    def m(self, x: int = 3): pass
    @staticmethod
    def s(y): pass
    @classmethod
    def c(cls, z): pass
print(inspect.signature(A.m), inspect.signature(A().m), inspect.signature(A.s), inspect.signature(A.c), inspect.signature(lambda x, /, y, *, z: 0))

import inspect
class A:
    def __init__(self, x, *, y=2): pass
print(inspect.signature(A), inspect.signature(int) if False else '')

import inspect
def f(): pass
class A:
    def m(self): pass
print(inspect.isfunction(f), inspect.ismethod(A().m), inspect.isclass(A), inspect.isbuiltin(len), inspect.ismodule(inspect), inspect.isfunction(len), inspect.ismethod(f), inspect.isroutine(len))

import inspect
def g(): yield
print(inspect.isgeneratorfunction(g), inspect.isgenerator(g()), inspect.isgeneratorfunction(len), inspect.iscoroutinefunction(g))

import inspect
class A:
    x = 1
    def m(self): pass
print([n for n, v in inspect.getmembers(A) if not n.startswith('__')], inspect.getmembers(A, inspect.isfunction)[0][0])

import inspect
def f(a, b): return a + b
s = inspect.signature(f); b = s.bind(1, b=2); print(b.args, b.kwargs, b.arguments); s.bind(1)

import inspect
def f(a, b=5): pass
b = inspect.signature(f).bind(1); b.apply_defaults(); print(b.arguments)

import inspect
def f(x):
    """Doc of f.
        indented
    """
print(inspect.getdoc(f), inspect.cleandoc('  a\n    b\n    c'))

import inspect
def f(a, b=1, *args, c, **kw): pass
print(inspect.getfullargspec(f).args, inspect.getfullargspec(f).defaults, inspect.getfullargspec(f).varargs, inspect.getfullargspec(f).kwonlyargs, inspect.getfullargspec(f).varkw)

import inspect
def f(x):
    return x + 1  # comment
print(inspect.getsource(f))

import inspect
class A:
    y = 1
    def m(self):
        if self:
            return 1
        return 2
x = 5
print(inspect.getsource(A), inspect.getsource(A.m))

import inspect
print(inspect.getsourcelines(lambda: 1)[1] if False else 1, inspect.getfile(inspect.signature).endswith('py') or True)

import inspect
def f(): return inspect.currentframe()
print(inspect.getmodule(f) is None or True, inspect.unwrap(f) is f)

import inspect; from functools import wraps, partial
def d(f):
    @wraps(f)
    def w(*a): return f(*a)
    return w
@d
def g(x, y): pass
print(inspect.signature(g), inspect.unwrap(g) is g.__wrapped__, inspect.signature(partial(lambda a, b, c=1: 0, 1)))

import inspect
p = inspect.Parameter('x', inspect.Parameter.KEYWORD_ONLY, default=3, annotation=int); print(p, p.name, p.replace(name='y'), p.kind.name, inspect.Signature([p]))

import inspect
from abc import ABC, abstractmethod
class A(ABC):
    @abstractmethod
    def f(self): pass
print(inspect.isabstract(A), inspect.isabstract(int), inspect.getmro(A)[-1])

import inspect
def f(a: int, *, b: str = 'x') -> None: pass
print(inspect.signature(f), inspect.signature(f).parameters['a'].annotation, str(inspect.signature(f).parameters['b']))

import inspect; inspect.signature(5)

import inspect
class A:
    @property
    def p(self): return 1
print(isinstance(inspect.getattr_static(A, 'p'), property), inspect.isdatadescriptor(A.p), inspect.isdatadescriptor(A.__dict__['p']))

import inspect
def deco(f): return f
@deco
def f(a,
      b):
    return a
print(inspect.getsource(f))
