def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
l = [3, 1, 2]
for f in [
    lambda: [1] < ['a'],
    lambda: [] < [1],
    lambda: 1 in [1],
    lambda: [1, 2, 3].foo,
    lambda: sorted([3, 1, 2], reverse=True),
    lambda: sorted('bca'),
    lambda: sorted({'b': 1, 'a': 2}),
    lambda: sorted([(1, 'b'), (1, 'a'), (0, 'c')]),
    lambda: sorted(['bb', 'a', 'ccc'], key=len, reverse=True),
    lambda: sorted([1, None]),
    lambda: [3, 1].sort(lambda a: a),
    lambda: [3, 1].sort(key=5),
]:
    t(f)
