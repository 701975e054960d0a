def t(f):
    try:
        r = f()
        print(repr(sorted(r, key=str)) if isinstance(r, (set, frozenset)) else repr(r))
    except Exception as e: print(type(e).__name__, e)
s = {3, 1, 2}
for f in [
    lambda: s < 5,
    lambda: s + s,
    lambda: s[0],
    lambda: {x % 3 for x in range(10)},
    lambda: s.update('ab', [1]),
    lambda: 'a' in s,
    lambda: s.intersection_update([1, 'a']),
    lambda: s.difference_update(['a']),
    lambda: s.symmetric_difference_update([55]),
    lambda: 55 in s,
    lambda: s.clear(),
    lambda: s,
]:
    t(f)
