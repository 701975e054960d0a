class A(Exception):
    def __init__(self, msg, code=5):
        super().__init__(msg); self.code = code
class B(A): pass
class C(A):
    def __str__(self): return f'[{self.code}] {self.args[0]}'
for cls in (A, B, C):
    try: raise cls('m', code=7)
    except A as e: print(type(e).__name__, e, e.code, e.args, repr(e), isinstance(e, Exception))
try:
    try: raise A('inner')
    except A as e: raise C('outer') from e
except C as e: print(e, e.__cause__, e.__context__ is e.__cause__)
def f():
    try: raise ValueError('v')
    except ValueError as e: saved = e
    try: e
    except UnboundLocalError as u: print(u)
    return saved
e = f(); print(e, e.__traceback__ is not None, e.__context__)
try: raise e
except ValueError as z: print(z is e)
class Ctx:
    def __enter__(s): return s
    def __exit__(s, t, v, tb): print(t.__name__, v, v.args); return t is KeyError
with Ctx(): raise KeyError('k', 2)
try:
    with Ctx(): raise IndexError
except IndexError as x: print(repr(x))
def nested():
    try:
        try: 1 / 0
        except ZeroDivisionError: raise KeyError('a')
        finally: print('f1')
    except KeyError as k:
        print(repr(k.__context__)); raise RuntimeError('r') from None
try: nested()
except RuntimeError as r: print(r.__cause__, repr(r.__context__), r.__suppress_context__)
try: raise A
except TypeError as t: print(t)
try: raise A('x') from A('y')
except A as a: print(a.__cause__)
for ex in (StopIteration(3), SystemExit(2), KeyError('q'), OSError(2, 'No', 'f'), UnicodeDecodeError('utf-8', b'\xff', 0, 1, 'bad'), ImportError('i', name='n'), AttributeError('a'), NameError('n'), KeyboardInterrupt(), GeneratorExit(), ZeroDivisionError('z'), AssertionError('as'), NotImplementedError(), RecursionError('rec')): print(type(ex).__name__, '|', ex, '|', repr(ex), '|', [c.__name__ for c in type(ex).__mro__[1:-1]])
