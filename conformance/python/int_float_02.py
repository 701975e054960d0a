def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: 0 ** 0,
    lambda: 0.0 ** -1,
    lambda: 1 // 0,
    lambda: 1 % 0,
    lambda: 1.0 / 0,
    lambda: 1.0 // 0,
    lambda: 1.0 % 0,
    lambda: 10 ** 20,
    lambda: -2 ** 63,
    lambda: 2 ** 63 - 1 + 1,
    lambda: -(2 ** 63) // -1,
    lambda: 9223372036854775807 * 3,
]:
    t(f)
