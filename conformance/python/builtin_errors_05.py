def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: sorted([2, 1], None),
    lambda: zip(1),
    lambda: list(zip([1], [1, 2], strict=True)),
    lambda: list(zip([1, 2], [1], strict=True)),
    lambda: map(1),
    lambda: list(map(5, [1])),
    lambda: map(),
    lambda: filter(1),
    lambda: enumerate(),
    lambda: enumerate(5),
    lambda: list(enumerate('ab', 5)),
    lambda: reversed(5),
]:
    t(f)
