try: 1 / 0
except ZeroDivisionError as e: print(type(e).__name__, e, e.args)

try: raise ValueError
except ValueError as e: print(repr(e), str(e) == '')

try: raise ValueError('a', 1)
except (TypeError, ValueError) as e: print(e, repr(e))

try: pass
except: print('no')
else: print('else')
finally: print('fin')

def f():
    try: return 1
    finally: print('f')
print(f())

def f():
    try: 1 / 0
    finally: return 2
print(f())

try:
    try: 1 / 0
    except ZeroDivisionError: raise KeyError('k')
except KeyError as e: print(repr(e.__context__), e.__cause__, e.__suppress_context__)

try:
    try: 1 / 0
    except ZeroDivisionError as z: raise KeyError('k') from z
except KeyError as e: print(repr(e.__cause__), e.__suppress_context__)

try: 1 / 0
except ZeroDivisionError as z: raise KeyError('k') from z

try: 1 / 0
except ZeroDivisionError: raise KeyError('k')

try: 1 / 0
except ZeroDivisionError: raise KeyError('k') from None

try: int('x')
except ValueError as e: e2 = e
print(e2); print(e)

class E(Exception):
    def __init__(self, a, b): super().__init__(a); self.b = b
    def __str__(self): return f'E({self.args}, {self.b})'
raise E(1, 2)

class E(Exception): pass
class F(E): pass
try: raise F('x')
except E as e: print(type(e), e, isinstance(e, Exception), F.__mro__[1:3])

raise 5

raise ValueError from 3

try: raise 'x'
except TypeError as e: print(e)

try: {}['k']
except LookupError as e: print(repr(e), str(e))

try: [][1]
except IndexError as e: print(e)

try: None.foo
except AttributeError as e: print(e, e.name, e.obj)

try: undefined_thing
except NameError as e: print(e, e.name)

try: import no_such_mod
except ImportError as e: print(type(e).__name__, e, e.name)

try: 'a' + 1
except TypeError as e: print(e)

try: next(iter([]))
except StopIteration as e: print(repr(e), e.value)

def f():
    try: raise ValueError(1)
    except ValueError: 
        try: raise KeyError(2)
        except KeyError: pass
        raise
f()

raise

try:
    try: raise ValueError(1)
    finally: raise KeyError(2)
except KeyError as e: print(repr(e.__context__))

try: raise ValueError('x').with_traceback(None)
except ValueError as e: print(e.__traceback__ is not None, e.__traceback__.tb_lineno)

e = ValueError('a'); e.add_note('n1'); e.add_note('n2'); print(e.__notes__); raise e

try: assert 1 == 2, 'msg'
except AssertionError as e: print(repr(e))

assert (lambda: 0)(), [1, 2]

try: raise OSError(2, 'No such', 'f')
except FileNotFoundError as e: print(e, e.errno, e.strerror, e.filename)

try: raise SystemExit(3)
except SystemExit as e: print(e.code, isinstance(e, Exception))

try: raise KeyboardInterrupt
except BaseException as e: print(repr(e))

print(ValueError('a') == ValueError('a'), issubclass(IndexError, LookupError), issubclass(ModuleNotFoundError, ImportError), issubclass(RecursionError, RuntimeError))

def f(): f()
try: f()
except RecursionError as e: print(e)

try:
    raise UnicodeDecodeError('utf-8', b'\xff', 0, 1, 'bad')
except UnicodeDecodeError as e: print(e, e.start, e.reason)

try: b'\xff'.decode()
except UnicodeDecodeError as e: print(e)

try: 'é'.encode('ascii')
except UnicodeEncodeError as e: print(e)

for x in range(3):
    try:
        if x == 1: continue
        print(x)
    finally: print('f', x)

try: x = 1
except undefined_error: pass
print('fine')

try: 1 / 0
except 5: pass

try: 1 / 0
except (ValueError, 'x'): pass

import sys
try: 1 / 0
except ZeroDivisionError: print(sys.exc_info()[0], sys.exc_info()[1])
print(sys.exc_info())

class C:
    def __getattr__(self, n): raise AttributeError('no ' + n)
C().zip

def a(): b()
def b(): c()
def c(): raise RuntimeError('deep\nlines')
a()

try: int([])
except TypeError as e: print(e)
try: float('abc')
except ValueError as e: print(e)
try: [1, 2].index(3)
except ValueError as e: print(e)
try: (1, 2).index(3)
except ValueError as e: print(e)
