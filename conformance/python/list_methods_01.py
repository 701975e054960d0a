def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
l = [3, 1, 2]
for f in [
    lambda: l.append(4),
    lambda: l.append(),
    lambda: l.extend('ab'),
    lambda: l.extend(5),
    lambda: l,
    lambda: l.insert(0, 'z'),
    lambda: l.insert(-1, 'y'),
    lambda: l.insert(100, 'w'),
    lambda: l.insert('a', 1),
    lambda: l,
    lambda: l.pop(),
    lambda: l.pop(0),
]:
    t(f)
