def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: len(),
    lambda: len(1, 2),
    lambda: len(5),
    lambda: abs(),
    lambda: abs('a'),
    lambda: int('x'),
    lambda: int('12', 3),
    lambda: int('9', 8),
    lambda: int(1.5, 2),
    lambda: int([]),
    lambda: int('1', 1),
    lambda: int('', 10),
]:
    t(f)
