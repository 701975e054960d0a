def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: round(5, 2),
    lambda: round(float('inf')),
    lambda: round(float('nan')),
    lambda: round(True),
    lambda: int(1e20),
    lambda: int(-1.9),
    lambda: int(float('inf')),
    lambda: int(float('nan')),
    lambda: int('0x1f', 16),
    lambda: int('0b11', 0),
    lambda: int('0o17', 0),
    lambda: int('017', 0),
]:
    t(f)
