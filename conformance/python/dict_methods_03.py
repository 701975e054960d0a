def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
d = {'a': 1, 'b': 2, 'c': 3}
del d['a']; d['a'] = 9; print(d, list(d), d.popitem(), d)
for f in [
    lambda: 'x' in d.keys(),
    lambda: ('x', 1) in d.items(),
    lambda: 1 in d.values(),
    lambda: len(d.values()),
    lambda: d.keys(),
    lambda: d.values(),
    lambda: d.items(),
    lambda: d.keys().isdisjoint([5]),
    lambda: {1: 'a', 1.0: 'b', True: 'c'},
    lambda: {0: 1, False: 2, 0.0: 3},
    lambda: d['no'],
    lambda: d[[]],
]:
    t(f)
