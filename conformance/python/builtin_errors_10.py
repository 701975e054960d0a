def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: frozenset(1, 2),
    lambda: list(5),
    lambda: list(1, 2),
    lambda: tuple(5),
    lambda: bool(1, 2),
    lambda: all(5),
    lambda: any(),
    lambda: callable(),
    lambda: id(),
    lambda: repr(),
    lambda: slice(),
    lambda: complex('a') if False else 0,
]:
    t(f)
