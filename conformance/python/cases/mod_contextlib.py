from contextlib import contextmanager
@contextmanager
def c(x): print('in'); yield x; print('out')
with c(3) as v: print(v)

from contextlib import contextmanager
@contextmanager
def c():
    try: yield
    except KeyError as e: print('caught', e)
with c(): raise KeyError('k')
print('after')

from contextlib import contextmanager
@contextmanager
def c(): yield
with c(): raise ValueError('through')

from contextlib import contextmanager
@contextmanager
def c(): return; yield
with c(): pass

from contextlib import contextmanager
@contextmanager
def c(): yield 1; yield 2
with c(): pass

from contextlib import contextmanager
@contextmanager
def deco(): print('a'); yield; print('b')
@deco()
def f(): print('f'); return 5
print(f(), f())

from contextlib import suppress
with suppress(ValueError, KeyError): raise KeyError
print('ok')
with suppress(ValueError): raise TypeError('t')

from contextlib import closing
class R:
    def close(self): print('closed')
with closing(R()) as r: print('body')

from contextlib import ExitStack, contextmanager
@contextmanager
def c(n): print('in', n); yield n; print('out', n)
with ExitStack() as s: print([s.enter_context(c(i)) for i in range(2)]); s.callback(print, 'cb')

from contextlib import ExitStack
with ExitStack() as s:
    s.callback(print, 1); s.callback(print, 2)
    s.push(lambda t, e, tb: print(t.__name__) or True)
    raise ValueError

from contextlib import nullcontext
with nullcontext() as a, nullcontext(5) as b: print(a, b)

from contextlib import redirect_stdout; import io
f = io.StringIO()
with redirect_stdout(f): print('hidden')
print(repr(f.getvalue()))

from contextlib import redirect_stderr; import io, sys
f = io.StringIO()
with redirect_stderr(f): print('err', file=sys.stderr)
print(f.getvalue())

from contextlib import ContextDecorator
class C(ContextDecorator):
    def __enter__(self): print('e'); return self
    def __exit__(self, *a): print('x')
@C()
def f(): print('f')
f()

from contextlib import contextmanager
@contextmanager
def c():
    try: yield
    finally: print('fin')
try:
    with c(): raise RuntimeError('r')
except RuntimeError as e: print('outer', e)

from contextlib import contextmanager
class A:
    @contextmanager
    def m(self, x): yield self, x
with A().m(4) as (s, x): print(type(s).__name__, x)

from contextlib import contextmanager
@contextmanager
def c():
    try: yield
    except ValueError: raise TypeError('new')
with c(): raise ValueError('old')

from contextlib import ExitStack
s = ExitStack(); s.callback(print, 'later'); t = s.pop_all(); s.close(); print('s closed'); t.close()

from contextlib import AbstractContextManager
class A(AbstractContextManager):
    def __exit__(self, *a): print('exit')
with A() as a: print(type(a).__name__)

from contextlib import contextmanager
@contextmanager
def c(): yield
def g():
    with c():
        yield 1
        yield 2
print(list(g()), c.__name__)

from contextlib import contextmanager, suppress
def f():
    with suppress(ZeroDivisionError):
        return 1 / 0
    return 'default'
print(f())
