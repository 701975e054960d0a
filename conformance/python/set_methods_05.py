def t(f):
    try:
        r = f()
        print(repr(sorted(r, key=str)) if isinstance(r, (set, frozenset)) else repr(r))
    except Exception as e: print(type(e).__name__, e)
s = {3, 1, 2}
for f in [
    lambda: [1] in {1},
    lambda: {1} in {frozenset([1])},
    lambda: set('hello') == set('olleh'),
    lambda: set([1, 2]).union(),
    lambda: set.union({1}, {2}),
    lambda: {1}.update(5),
    lambda: {1}.issubset(5),
    lambda: {1} and 2,
    lambda: not set(),
]:
    t(f)
