def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
l = [3, 1, 2]
for f in [
    lambda: sorted([1, 2], key=lambda x: 1 / 0),
    lambda: [[1, 2], [3]],
    lambda: [1, 2, 3].__len__(),
    lambda: list.append([], 1),
    lambda: list.__add__([1], [2]),
    lambda: [].__class__,
    lambda: [x for x in [1, 2, 3]][-1],
    lambda: list('abc') + list((1,)),
    lambda: (1, 2).index(3),
    lambda: (1, 2, 1).count(1),
    lambda: (1,) + (2,),
    lambda: (1,) + [2],
]:
    t(f)
