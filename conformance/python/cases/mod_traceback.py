import traceback
try: 1 / 0
except ZeroDivisionError: print(traceback.format_exc())

import traceback
def f(): raise ValueError('bad')
try: f()
except ValueError: traceback.print_exc()

import traceback, sys
try: [][1]
except IndexError: traceback.print_exc(file=sys.stdout)

import traceback
try: {}['k']
except KeyError as e: print(traceback.format_exception(e)); print(traceback.format_exception_only(e))

import traceback
try: int('x')
except ValueError as e: print(traceback.format_exception_only(type(e), e), traceback.format_exception(type(e), e, e.__traceback__)[-1])

import traceback
try:
    try: 1 / 0
    except ZeroDivisionError as e: raise RuntimeError('outer') from e
except RuntimeError: print(traceback.format_exc())

import traceback
try:
    try: 1 / 0
    except ZeroDivisionError: raise KeyError('ctx')
except KeyError: print(traceback.format_exc(chain=False))

import traceback
def a(): b()
def b(): raise TypeError('deep')
try: a()
except TypeError as e:
    for fr in traceback.extract_tb(e.__traceback__): print(fr.name, fr.lineno, fr.line, fr.filename)

import traceback
def a(): raise OSError(2, 'gone', 'f.txt')
try: a()
except OSError as e: print(''.join(traceback.format_tb(e.__traceback__)), end=''); print(traceback.format_exc(limit=1))

import traceback
try: raise ValueError
except ValueError: print(traceback.format_exc())

import traceback; print(traceback.format_exc())

import traceback
class E(Exception):
    def __str__(self): return 'custom'
try: raise E()
except E as e: print(traceback.format_exception_only(e))

import traceback
try: raise ValueError('multi\nline')
except ValueError as e: print(traceback.format_exception_only(e))

import traceback
te = None
try: 1 / 0
except ZeroDivisionError as e: te = traceback.TracebackException.from_exception(e)
print(list(te.format())[-1], str(te), te.exc_type.__name__)

import traceback
e = ValueError('no tb'); print(traceback.format_exception(e), traceback.format_tb(None))

import traceback
def f(): return traceback.extract_stack()
s = f(); print(s[-1].name, s[-1].lineno, s[-2].name, type(s).__name__)

import traceback
def f(): traceback.print_stack()
f()

import traceback
try:
    raise ValueError('noted')
except ValueError as e:
    e.add_note('first note'); e.add_note('second'); print(traceback.format_exc())

import traceback
fs = traceback.FrameSummary('file.py', 10, 'func', line='x = 1'); print(fs, list(fs), traceback.format_list([fs]), traceback.format_list([('a.py', 3, 'g', 'code')]))

import traceback
try: compile('x = = 1', 'm.py', 'exec') if False else (_ for _ in ()).throw(StopIteration(5))
except StopIteration as e: print(traceback.format_exception_only(e))
except RuntimeError as e: print(traceback.format_exception_only(e))

import traceback, logging
def risky(n):
    if n == 0: raise ValueError('n is zero')
    return risky(n - 1)
try: risky(3)
except ValueError: print(traceback.format_exc())

import traceback
def r(n): return r(n + 1)
try: r(0)
except RecursionError as e: lines = traceback.format_exc().splitlines(); print(lines[0], lines[-1], any('repeated' in l for l in lines))

import traceback
try: 1 / 0
except Exception as e: tb = e.__traceback__; print(traceback.extract_tb(tb)[0].line, tb.tb_lineno, tb.tb_next, [l for f, l in traceback.walk_tb(tb)])
