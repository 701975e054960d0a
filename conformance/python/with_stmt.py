class C:
    def __init__(s, n, sup=False, fe=False): s.n, s.sup, s.fe = n, sup, fe
    def __enter__(s):
        print('enter', s.n)
        if s.fe: raise RuntimeError('enter fail')
        return s.n
    def __exit__(s, t, v, tb): print('exit', s.n, t and t.__name__, v, tb is not None); return s.sup
with C('a') as a, C('b') as b: print(a, b)
with C('s', True): raise ValueError('hidden')
print('after')
try:
    with C('x'), C('y', fe=True): print('no')
except RuntimeError as e: print(e)
def f():
    with C('r'): return 5
print(f())
def g():
    for i in range(3):
        with C(i):
            if i == 0: continue
            if i == 1: break
    return i
print(g())
with (C('p') as p, C('q') as q,): print(p, q)
with C('t') as (x), C('l') as d: print(x, d)
class T:
    def __enter__(s): return (1, (2, 3))
    def __exit__(s, *a): pass
with T() as (a, (b, c)): print(a, b, c)
o = {}
with C('k') as o['z']: print(o)
try:
    with 5: pass
except Exception as e: print(type(e).__name__, e)
class NoExit:
    def __enter__(s): pass
try:
    with NoExit(): pass
except Exception as e: print(type(e).__name__, e)
class BadExit:
    def __enter__(s): return 1
    def __exit__(s, *a): raise KeyError('in exit')
try:
    with BadExit(): raise ValueError('body')
except KeyError as e: print(repr(e), repr(e.__context__))
def gen():
    with C('gen'): yield 1; yield 2
k = gen(); next(k); k.close()
from contextlib import contextmanager, suppress, ExitStack, nullcontext, closing, redirect_stdout
@contextmanager
def cm(n):
    print('cm in', n)
    try: yield n
    except ValueError as e: print('cm caught', e)
    finally: print('cm out', n)
with cm(1) as v: print(v)
with cm(2): raise ValueError('z')
try:
    with cm(3): raise KeyError('z')
except KeyError as e: print(repr(e))
with suppress(KeyError, IndexError): {}['a']
with ExitStack() as st:
    st.enter_context(C('e1')); st.callback(print, 'cb', 1); st.enter_context(cm('e2'))
with nullcontext(7) as n7: print(n7)
@cm('deco')
def fd(): print('in fd')
fd()
inst = C('i'); inst.__exit__ = lambda *a: print('instance exit ignored')
with inst: pass
