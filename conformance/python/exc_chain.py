import traceback
def a():
    try: 1 / 0
    except ZeroDivisionError as e: raise ValueError('v') from e
def b():
    try: a()
    except ValueError: raise KeyError('k')
def c():
    try: b()
    except KeyError: raise RuntimeError('r') from None
for f in (a, b, c):
    try: f()
    except Exception as e: print(traceback.format_exc()); print(repr(e.__cause__), repr(e.__context__), e.__suppress_context__)
try:
    try: raise TypeError('in')
    finally: raise OSError('fin')
except OSError as e: print(repr(e.__context__))
try: raise ValueError from KeyError
except ValueError as e: print(repr(e), repr(e.__cause__))
try: raise ValueError('a') from 5
except TypeError as e: print(e)
try: raise 5
except TypeError as e: print(e)
try: raise int
except TypeError as e: print(e)
try: raise
except RuntimeError as e: print(e)
def rer():
    try: raise IndexError('x')
    except IndexError:
        try: raise KeyError('y')
        except KeyError: pass
        raise
try: rer()
except IndexError as e: print('reraised', e, e.__context__)
e1 = ValueError('one'); e1.add_note('a note'); e1.add_note('b\nc')
try: raise e1
except ValueError as e: print(traceback.format_exc(), e.__notes__)
try: e1.add_note(5)
except TypeError as e: print(e)
b()
