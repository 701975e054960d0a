def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: hash([]),
    lambda: hash({}),
    lambda: hash((1, [])),
    lambda: hash(slice(1)),
    lambda: divmod(1, 0),
    lambda: divmod(1.5, 0),
    lambda: pow(2, -1),
    lambda: pow(0, -1),
    lambda: pow(2, 3, 0),
    lambda: pow(2, -1, 7),
    lambda: pow(2, 1.5, 3),
    lambda: pow(2, -1, 4),
]:
    t(f)
