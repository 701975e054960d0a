def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: -1e400,
    lambda: float('nan') != float('nan'),
    lambda: 0.1 + 0.2,
    lambda: 1e22,
    lambda: 1e23,
    lambda: 123456789012345678.0,
    lambda: 1e16,
    lambda: 1e-4,
    lambda: 1e-5,
    lambda: 5e-324,
    lambda: 1.7976931348623157e308,
    lambda: 1e308 * 10,
]:
    t(f)
