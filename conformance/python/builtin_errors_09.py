def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: getattr(1, 'x'),
    lambda: getattr(1),
    lambda: setattr(1, 'x'),
    lambda: vars(1),
    lambda: dict(5),
    lambda: dict([1]),
    lambda: dict([(1, 2, 3)]),
    lambda: dict(['ab', 'cd']),
    lambda: dict(a=1, **{'b': 2}),
    lambda: dict([(1, 2)], a=1),
    lambda: set(5),
    lambda: set([[]]),
]:
    t(f)
