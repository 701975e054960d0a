def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: 7 // 2,
    lambda: -7 // 2,
    lambda: 7 // -2,
    lambda: -7 % 3,
    lambda: 7 % -3,
    lambda: -7.5 // 2,
    lambda: -7.5 % 2,
    lambda: 7.5 % -2,
    lambda: 1 / 3,
    lambda: 2 ** 0.5,
    lambda: 2 ** -1,
    lambda: (-8) ** (1/3) if False else 0,
]:
    t(f)
