def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: 1 << 70,
    lambda: -1 >> 70,
    lambda: 5 >> 1,
    lambda: -5 >> 1,
    lambda: 1 << -1,
    lambda: 1 << 64 >> 64,
    lambda: ~5,
    lambda: -5 & 3,
    lambda: -5 | 3,
    lambda: -5 ^ 3,
    lambda: 2**100 & (2**65 - 1),
    lambda: -(2**70) & 0xff,
]:
    t(f)
