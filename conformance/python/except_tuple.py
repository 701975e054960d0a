def f(x, sel):
    try: raise x
    except sel as e: return type(e).__name__
for x, sel in [(ValueError(), (KeyError, ValueError)), (KeyError(), LookupError), (IndexError(), (ArithmeticError, LookupError)), (OSError(2, 'x'), FileNotFoundError), (OSError(17, 'x'), FileExistsError), (OSError(13, 'x'), PermissionError)]: print(f(x, sel))
for sel in [5, (ValueError, 5), (5,), 'a', None, int, ((ValueError,),)]:
    try: print(f(ValueError(), sel))
    except TypeError as e: print(e)
print(f(ValueError(), ()) if False else 'skip')
try: f(ValueError('through'), ())
except ValueError as e: print(e)
try: f(ValueError('through'), KeyError)
except ValueError as e: print(e)
