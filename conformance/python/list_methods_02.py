def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
l = [3, 1, 2]
for f in [
    lambda: l.pop(100),
    lambda: l.pop(-100),
    lambda: l.pop('a'),
    lambda: [].pop(),
    lambda: l.remove('a'),
    lambda: l.remove('nope'),
    lambda: l.index(1),
    lambda: l.index('q'),
    lambda: l.index(1, 3),
    lambda: l.index(2, -5, -1),
    lambda: l.count(1),
    lambda: l.reverse(),
]:
    t(f)
