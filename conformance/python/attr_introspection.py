def f(a, b=1, *c, d, e=2, **g): "doc"; q = 1; return a
print(f.__name__, f.__doc__, f.__defaults__, f.__kwdefaults__, f.__code__.co_argcount, f.__code__.co_kwonlyargcount, f.__code__.co_varnames[:6], f.__module__, f.__annotations__, f.__closure__, f.__dict__)
f.x = 1; print(f.__dict__, vars(f) if False else f.x); del f.x
try: f.x
except AttributeError as e: print(e)
try: del f.__dict__
except TypeError as e: print(e)
f.__doc__ = 'new'; f.__name__ = 'g'; print(f.__doc__, f.__name__)
def bad(n, v):
    try: setattr(f, n, v); print('ok')
    except (TypeError, AttributeError) as e: print(type(e).__name__, n)
for n, v in [('__name__', 5), ('__defaults__', 5), ('__defaults__', (9,)), ('__closure__', ()), ('__globals__', {}), ('__dict__', 5), ('__kwdefaults__', 5)]: bad(n, v)
def h(): return zzz
h.__globals__['zzz'] = 'through globals'; print(h())
globals()['via'] = 3; print(via)
class A:
    "adoc"
    def m(self): pass
print(A.m.__name__, A().m.__func__ is A.m, A.__name__, A.__doc__, type(A), A.__class__, A().__class__, hasattr(A, '__dict__'), callable(A))
for n in ('__name__', '__qualname__'):
    try: setattr(A, n, 5)
    except TypeError as e: print(e)
for n in ('__mro__', '__dict__'):
    try: setattr(A, n, ()); print('set')
    except (AttributeError, TypeError) as e: print(type(e).__name__)
try: A.__dict__['x'] = 1
except TypeError as e: print(e)
for c in (type(f), type(len), type(None), type(...), type((i for i in ()))):
    if c in (type(None), type(...)): print(c()); continue
    try: c(); print('made')
    except TypeError as e: print(c.__name__)
print(len.__name__, len.__module__, [].append.__name__, [].append.__self__, str.upper.__name__, int.__add__(1, 2), (1).__add__(2.5), (1.0).__add__(2))
print(isinstance(f, type(h)), isinstance(len, type(print)), getattr(5, 'real'), (5).imag, (2.5).real, True.real, True.numerator)
print(type(5) is int, type(type), type(A()).__mro__, object.__bases__, bool.__bases__, issubclass(bool, int), isinstance(True, int))
print(id(a := []) == id(a), a is a, [] is [], None is None, () == ())
