def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: reversed({1}),
    lambda: list(reversed({1: 2, 3: 4})),
    lambda: iter(5),
    lambda: iter(5, 6),
    lambda: next(5),
    lambda: next(iter([])),
    lambda: next(iter([]), 'd'),
    lambda: isinstance(1, 1),
    lambda: isinstance(1, (int, 5)),
    lambda: isinstance('a', (1, int)),
    lambda: issubclass(1, int),
    lambda: issubclass(int, 1),
]:
    t(f)
