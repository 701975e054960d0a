def t(f):
    try:
        r = f()
        print(repr(sorted(r, key=str)) if isinstance(r, (set, frozenset)) else repr(r))
    except Exception as e: print(type(e).__name__, e)
s = {3, 1, 2}
for f in [
    lambda: s | {4},
    lambda: s & {1, 9},
    lambda: s - {1},
    lambda: s ^ {1, 7},
    lambda: s | [4],
    lambda: s.union([4], (5,)),
    lambda: s.intersection([1, 2], {2}),
    lambda: s.difference([1], [2]),
    lambda: s.symmetric_difference([1, 8]),
    lambda: s.issubset(range(5)),
    lambda: s.issuperset([1]),
    lambda: s.isdisjoint([7]),
]:
    t(f)
