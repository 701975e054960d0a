def f1():
    try: return 'try'
    finally: print('fin')
def f2():
    try: return 'try'
    finally: return 'fin'
def f3():
    for i in range(3):
        try: continue
        finally:
            print('f', i)
            if i == 1: break
    return i
def f4():
    try: raise ValueError
    except ValueError: return 'exc'
    else: return 'else'
    finally: print('f4')
def f5():
    try: pass
    except: return 1
    else: return 'else'
    finally: print('f5')
def f6():
    while True:
        try:
            try: raise KeyError('a')
            finally: break
        except KeyError: print('no')
    return 'f6'
def f7():
    x = 1
    try: return x
    finally: x = 2
def f8():
    try:
        try: raise ValueError(1)
        except KeyError: print('no')
        finally: print('inner')
    except (TypeError, ValueError) as e: return repr(e)
def f9():
    try: 1 / 0
    except ZeroDivisionError:
        try: [][0]
        except IndexError as e: return repr(e.__context__)
def f10():
    r = []
    for i in range(5):
        try:
            if i == 1: continue
            if i == 3: break
            r.append(i)
        except Exception: pass
        else: r.append('e')
        finally: r.append('f')
    else: r.append('noelse')
    return r
for f in (f1, f2, f3, f4, f5, f6, f7, f8, f9, f10): print(f())

def sel(x):
    try: raise x
    except (KeyError, IndexError): return 'lookup pair'
    except ArithmeticError: return 'arith'
    except Exception as e: return type(e).__name__
    except BaseException: return 'base'
for x in (KeyError(), IndexError, OverflowError(), ValueError, KeyboardInterrupt(), SystemExit, GeneratorExit, StopIteration): print(sel(x))
try:
    try: raise ValueError
    except 5: pass
except TypeError as e: print(e)
try:
    try: raise ValueError
    except (ValueError, 5): print('matched first')
except TypeError as e: print(e)
try:
    try: raise ValueError
    except (5, ValueError): print('matched first')
except TypeError as e: print(e)
class E(Exception):
    def __init__(self, a, b): super().__init__(a); self.b = b
    def __str__(self): return f'E:{self.b}'
try: raise E(1, 2)
except E as e: print(e, repr(e), e.args)
try: raise E
except TypeError as e: print(e)
print(repr(ValueError()), repr(ValueError('a')), repr(ValueError('a', 1)), str(ValueError('a', 1)), str(ValueError()), str(KeyError('k')), str(KeyError('a', 'b')), repr(OSError(2, 'nf', 'file')), str(OSError(2, 'nf', 'file')), str(OSError(2, 'nf')), type(OSError(2, 'x')).__name__, str(SystemExit(3)), SystemExit(3).code)
print(StopIteration(4).value, ImportError('m', name='n', path='p').name, AttributeError('a', name='z', obj=1).name, issubclass(FileNotFoundError, OSError), IOError is OSError, EnvironmentError is OSError)
print(ValueError('x').with_traceback(None), Exception(1) == Exception(1), UnicodeDecodeError('utf8', b'a', 0, 1, 'why'))
try: assert 1 == 2
except AssertionError as e: print(repr(e))
try: assert False, ('msg', 1)
except AssertionError as e: print(repr(e))
