def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: (3).conjugate(),
    lambda: (3.5).is_integer(),
    lambda: (4.0).is_integer(),
    lambda: (0.75).as_integer_ratio(),
    lambda: (5).as_integer_ratio(),
    lambda: (1.5).hex(),
    lambda: float.fromhex('0x1.8p0'),
    lambda: float('inf').as_integer_ratio(),
    lambda: hash(1) == hash(1.0) == hash(True),
    lambda: hash(2**61 - 1),
    lambda: hash(-1),
    lambda: hash(0.5),
]:
    t(f)
