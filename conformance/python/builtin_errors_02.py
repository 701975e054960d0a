def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: int('1_000'),
    lambda: int('1__0'),
    lambda: int(' 42\n'),
    lambda: float('abc'),
    lambda: float([]),
    lambda: float('1_0.5'),
    lambda: float('inf'),
    lambda: float('-nan'),
    lambda: chr(-1),
    lambda: chr(1114112),
    lambda: ord('ab'),
    lambda: ord(5),
]:
    t(f)
