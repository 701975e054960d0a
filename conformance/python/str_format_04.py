def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: '{:+c}'.format(65),
    lambda: '{:.2d}'.format(5),
    lambda: '{:,x}'.format(5),
    lambda: '{:,_}'.format(5),
    lambda: '{:=5}'.format('a'),
    lambda: '{:z}'.format(5),
    lambda: '{:5z}'.format('a'),
    lambda: '{}'.format(True),
    lambda: '{:d} {:5} {}'.format(True, True, None),
    lambda: '{:5}'.format(None),
    lambda: '{:>10}'.format([1]),
    lambda: '%d %i %s %r %a' % (1, 2.9, 'a', 'é', 'é'),
]:
    t(f)
