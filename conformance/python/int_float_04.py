def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: -(2**70) | 1,
    lambda: (2**70) ^ -1,
    lambda: True + True,
    lambda: True & 1,
    lambda: True & False,
    lambda: True | False,
    lambda: ~True,
    lambda: -True,
    lambda: 1.5 & 1,
    lambda: 1 & 'a',
    lambda: 3.0 == 3,
    lambda: 1e400,
]:
    t(f)
