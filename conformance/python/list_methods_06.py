def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
l = [3, 1, 2]
for f in [
    lambda: (1,) * 2,
    lambda: (),
    lambda: (1,),
    lambda: ((1,), 2),
    lambda: tuple([1, 2]) == (1, 2),
    lambda: (1, 2) < (1, 2, 0),
    lambda: (1, 2)[::-1],
    lambda: hash((1, 2)) == hash((1, 2.0)),
]:
    t(f)
