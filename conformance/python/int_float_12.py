def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: hash(10**50),
    lambda: hash(float('inf')),
    lambda: 1 if 0.0 else 2,
    lambda: 3 < 3.5 < 4,
    lambda: 10**20 < 1e20,
    lambda: 2**53 + 1 == 2.0**53,
    lambda: max(1, 1.0),
    lambda: min(True, 1),
    lambda: sum([0.1] * 10),
    lambda: sum([1, 2.5, True]),
    lambda: 1_000 + 0x_ff,
    lambda: 0b1010 + 0o17,
]:
    t(f)
