def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
d = {'a': 1, 'b': 2, 'c': 3}
del d['a']; d['a'] = 9; print(d, list(d), d.popitem(), d)
for f in [
    lambda: d.get('z'),
    lambda: d.get('z', 5),
    lambda: d.pop('z'),
    lambda: d.pop('z', None),
    lambda: d.pop('b'),
    lambda: d.setdefault('q', []).append(1),
    lambda: d,
    lambda: d.update({'x': 1}, y=2),
    lambda: d,
    lambda: d.update([('z', 1)]),
    lambda: d.update(5),
    lambda: d.update([1]),
]:
    t(f)
