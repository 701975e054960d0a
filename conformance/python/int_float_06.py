def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: -0.0,
    lambda: 0.0 * -1,
    lambda: round(0.5),
    lambda: round(1.5),
    lambda: round(2.5),
    lambda: round(-1.5),
    lambda: round(2.675, 2),
    lambda: round(1234, -2),
    lambda: round(1250, -2),
    lambda: round(1350, -2),
    lambda: round(1e300, 2),
    lambda: round(1.5, 0),
]:
    t(f)
