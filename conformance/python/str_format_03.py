def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: '{:010,}'.format(1234),
    lambda: '{:.2f} {:.0f} {:#.0f} {:e} {:.3e} {:E} {:g} {:G} {:%} {:.1%}'.format(3.14159, 2.5, 2.5, 12345.678, 0.00012, 1e10, 1e-5, 1e20, 0.25, 0.255),
    lambda: '{:10.3f}|{:<10.3f}|{:+.1f}|{:010.2f}|{:,.2f}'.format(3.14159, 3.14159, 2.0, -3.5, 1234567.891),
    lambda: '{:g} {:g} {:g} {:g}'.format(100000, 1000000, 1e16, 0.0001),
    lambda: '{} {} {} {}'.format(1e16, 1e15, 123456789.123456789, 1e-5),
    lambda: '{:.3} {:.10} {:5.1}'.format(1234.5, 1.0, 2.55),
    lambda: '{:f} {:F} {} {:.2f}'.format(float('inf'), float('nan'), -float('inf'), float('nan')),
    lambda: '{:s} {:.2s} {:>5.2s}'.format('abc', 'abc', 'abc'),
    lambda: '{:s}'.format(5),
    lambda: '{:,}'.format('a'),
    lambda: '{:+}'.format('a'),
    lambda: '{:c}'.format(-1),
]:
    t(f)
