def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: sum(5),
    lambda: max(),
    lambda: max([]),
    lambda: max([], default=3),
    lambda: max(1),
    lambda: max(1, 'a'),
    lambda: min(1, 2, key=lambda x: -x),
    lambda: min([], key=len),
    lambda: max(1, 2, default=3),
    lambda: sorted(5),
    lambda: sorted([1, 'a']),
    lambda: sorted([1], foo=1),
]:
    t(f)
