def t(f):
    try:
        r = f()
        print(repr(sorted(r, key=str)) if isinstance(r, (set, frozenset)) else repr(r))
    except Exception as e: print(type(e).__name__, e)
s = {3, 1, 2}
for f in [
    lambda: s <= {1, 2, 3},
    lambda: s < {1, 2, 3},
    lambda: s > {1},
    lambda: s == frozenset([1, 2, 3]),
    lambda: s.remove(9),
    lambda: s.discard(9),
    lambda: s.add([]),
    lambda: s.add(4),
    lambda: s.pop() in (1, 2, 3, 4),
    lambda: set().pop(),
    lambda: len(s),
    lambda: hash(s),
]:
    t(f)
