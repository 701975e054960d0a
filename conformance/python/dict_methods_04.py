def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
d = {'a': 1, 'b': 2, 'c': 3}
del d['a']; d['a'] = 9; print(d, list(d), d.popitem(), d)
for f in [
    lambda: d.get([]),
    lambda: [] in d,
    lambda: d.foo,
    lambda: d < {},
    lambda: {1: [2]} == {1: [2]},
    lambda: {1: 2, 3: 4} == {3: 4, 1: 2},
    lambda: d.keys()[0],
    lambda: d.values() == d.values(),
    lambda: next(iter(d)),
    lambda: sorted(d.items(), key=lambda kv: str(kv[1])),
    lambda: max(d, key=len),
    lambda: {**d, **{'x': 0}},
]:
    t(f)
