print('{} {}'.format(1, 2), '{1} {0}'.format('a', 'b'), '{a} {b}'.format(a=1, b=2))

print('{:>10}|{:<10}|{:^10}|{:*^10}'.format('a', 'b', 'c', 'd'))

print('{:5d}|{:05d}|{:+d}|{:x}|{:#b}|{:,}'.format(42, 42, 42, 42, 42, 1234567))

print('{:.3f} {:10.2f} {:e} {:g} {:%} {:.1%}'.format(3.14159, 2.5, 12345.678, 0.0001, 0.5, 0.123))

print('{0[0]} {0[1]} {1[k]} {2.real}'.format([1, 2], {'k': 3}, 5))

print('{!r} {!s} {!a}'.format('é', 'é', 'é'))

print('{:{}} {:{w}.{p}f}'.format('a', 5, 3.14159, w=8, p=2))

print('{{}} {{{}}}'.format(1))

'{} {}'.format(1)

'{a}'.format(b=1)

'{'.format(1)

'}'.format(1)

'{0} {}'.format(1, 2)

'{:d}'.format('a')

'{0.nope}'.format(1)

'{0[5]}'.format([1])

print('%s %d %r %f' % ('a', 1, 'b', 2.5), '%%' % ())

print('%5d|%-5d|%05d|%+d|% d|%x|%X|%#x|%o' % (42, 42, 42, 42, 42, 255, 255, 255, 8))

print('%.2f|%8.3f|%-8.2f|%e|%g|%G' % (3.14159, 3.14159, 2.5, 12345.678, 1e-5, 1e20))

print('%s' % [1, 2], '%s %s' % (1, (2, 3)), '%s' % {'a': 1})

print('%(a)s %(b)05.1f' % {'a': 1, 'b': 2})

print('%c%c' % (65, 'b'), '%5s|%-5s|%.2s' % ('a', 'b', 'cde'), '%*d|%.*f' % (5, 1, 2, 3.14159))

'%d' % 'a'

'%s %s' % 1

'%s' % (1, 2)

'%(a)s' % {}

'%z' % 1

'%c' % 'ab'

print('%i %u' % (3.9, 4), '%x' % 255, '%r' % ('a',), '%a' % 'é')

print(format(3.14, '.1f'), format(255, '#06x'), format('a', '>3'), format(True, 'd'), format([1]))

class A:
    def __format__(self, s): return s[::-1]
print(format(A(), 'abc'), '{:xyz}'.format(A()))

print('{:<5}{:>5}'.format(True, None) if False else '{:<5}'.format(True))

print('{0:>{1}}'.format('x', 4), '{:=+8}'.format(-3), '{:_}'.format(10**6), '{:_x}'.format(2**20))

print('a{0}b{0!r}'.format('z'), '{0:}'.format(1), '{0!s:>3}'.format(1))

print('{:08.3f}|{:+.2e}|{:.0f}|{:#.0f}'.format(-3.14159, 12345.6789, 2.5, 2.5))

print('{a[b]} {c.__class__.__name__}'.format(a={'b': 1}, c=[]))

print('abc{}'.format_map({}) if False else '{x}{y}'.format_map({'x': 1, 'y': 2}))

class D(dict):
    def __missing__(self, k): return '<' + k + '>'
print('{foo} {bar}'.format_map(D(foo=1)))
