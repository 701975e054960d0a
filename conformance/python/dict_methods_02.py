def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
d = {'a': 1, 'b': 2, 'c': 3}
del d['a']; d['a'] = 9; print(d, list(d), d.popitem(), d)
for f in [
    lambda: d.update([(1, 2, 3)]),
    lambda: d.copy() is d,
    lambda: {}.popitem(),
    lambda: dict.fromkeys('ab', 0),
    lambda: dict.fromkeys([1, 1]),
    lambda: d | {'c': 0},
    lambda: {1: 2} | [(1, 3)],
    lambda: d.keys() & {'x', 'w'},
    lambda: sorted(d.keys() | {'w'}),
    lambda: d.keys() == {'c', 'q', 'x', 'y', 'z'},
    lambda: list(reversed(d)),
    lambda: list(reversed(d.items())),
]:
    t(f)
