def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: '{} {}'.format(1, 2),
    lambda: '{1} {0}'.format(1, 2),
    lambda: '{a} {b}'.format(a=1, b=2),
    lambda: '{0} {}'.format(1),
    lambda: '{} {0}'.format(1),
    lambda: '{}'.format(),
    lambda: '{x}'.format(),
    lambda: '{0[1]} {0[k]}'.format({'k': 1, 1: 2}),
    lambda: '{0.real}'.format(5),
    lambda: '{0[0]}'.format('ab'),
    lambda: '{!r} {!s} {!a}'.format('é', 'é', 'é'),
    lambda: '{!x}'.format(1),
]:
    t(f)
