def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: (-2**64) % 7,
    lambda: (-2**64) // 7,
    lambda: 5 .real,
    lambda: 1.5.__add__(2),
    lambda: (1).__add__(2.5),
    lambda: (1).__truediv__(2),
    lambda: int.__floordiv__(7, 2),
    lambda: 1 + None,
    lambda: 1 < None,
    lambda: -None,
    lambda: +'a',
    lambda: ~1.5,
]:
    t(f)
