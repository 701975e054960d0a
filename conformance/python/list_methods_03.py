def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
l = [3, 1, 2]
for f in [
    lambda: l,
    lambda: l.sort(),
    lambda: l.copy(),
    lambda: l.clear(),
    lambda: l,
    lambda: [1, 2] + [3],
    lambda: [1] + (2,),
    lambda: [0] * 3,
    lambda: 2 * [1],
    lambda: [1] * -1,
    lambda: [1, 2] == [1, 2.0],
    lambda: [1, [2]] < [1, [3]],
]:
    t(f)
