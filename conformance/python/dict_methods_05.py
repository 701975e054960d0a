def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
d = {'a': 1, 'b': 2, 'c': 3}
del d['a']; d['a'] = 9; print(d, list(d), d.popitem(), d)
for f in [
    lambda: dict(zip('ab', [1])),
    lambda: dict(d, k=1)['k'],
    lambda: d.clear(),
    lambda: d,
]:
    t(f)
