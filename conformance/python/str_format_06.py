def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: '%(a)s' % 1,
    lambda: '%(b)s' % {'a': 1},
    lambda: '%*d %.*f' % (5, 1, 2, 3.14159),
    lambda: '%s' % [1],
    lambda: '%s' % {'a': 1},
    lambda: '%.3s' % 'abcdef',
    lambda: '%c' % 'ab',
    lambda: '%x' % 1.5,
    lambda: '%d' % 10**20,
    lambda: '%.50f' % 0.1,
    lambda: '%.0e' % 12345,
    lambda: '%#.3g' % 1,
]:
    t(f)
