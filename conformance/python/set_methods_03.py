def t(f):
    try:
        r = f()
        print(repr(sorted(r, key=str)) if isinstance(r, (set, frozenset)) else repr(r))
    except Exception as e: print(type(e).__name__, e)
s = {3, 1, 2}
for f in [
    lambda: hash(frozenset([1, 2])) == hash(frozenset([2, 1])),
    lambda: {frozenset([1]): 1}[frozenset([1])],
    lambda: frozenset([1]).add(2),
    lambda: s.copy() is s,
    lambda: frozenset([1]).copy(),
    lambda: set(),
    lambda: frozenset(),
    lambda: {1} | frozenset([2]),
    lambda: frozenset([2]) | {1},
    lambda: type(frozenset([2]) & {1}),
    lambda: sorted({'b', 'a'}),
    lambda: {1, True, 1.0},
]:
    t(f)
