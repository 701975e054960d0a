def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: int('-0x1F', 0),
    lambda: int('zz', 36),
    lambda: int(True),
    lambda: int(b'12'),
    lambda: int('१२'),
    lambda: float('1e5'),
    lambda: float(' 1.5 '),
    lambda: float('1e400'),
    lambda: float('.5'),
    lambda: float('5.'),
    lambda: float('0x1'),
    lambda: float(10**400),
]:
    t(f)
