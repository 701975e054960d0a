def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: '%5d|%-5d|%05d|%+d|% d' % (1, 2, 3, 4, 5),
    lambda: '%x %X %o %#x %#o %c %c' % (255, 255, 8, 255, 8, 65, 'z'),
    lambda: '%f %.2f %e %g %G %5.1f|%-8.2f|' % (1.5, 1.555, 1234.5, 0.0001, 1e-10, 2.25, 3.0),
    lambda: '%%' % (),
    lambda: '%(a)s %(b)d' % {'a': 1, 'b': 2},
    lambda: '%s' % (1,),
    lambda: '%s %s' % (1,),
    lambda: '%s' % (1, 2),
    lambda: 'a' % 1,
    lambda: '%d' % 'a',
    lambda: '%z' % 1,
    lambda: '%' % 1,
]:
    t(f)
