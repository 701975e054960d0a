def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: 10**400 / 10**399,
    lambda: 10**400 / 3,
    lambda: 10**400 * 1.0,
    lambda: 10**400 + 0.5,
    lambda: 2**1023 * 2.0,
    lambda: 3 * 1.0,
    lambda: 5 / 2,
    lambda: 4 / 2,
    lambda: divmod(-7, 2),
    lambda: divmod(7, -2),
    lambda: divmod(-7.5, 2),
    lambda: divmod(10**30, 7),
]:
    t(f)
