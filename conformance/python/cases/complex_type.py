print(1j, 1 + 2j, 1 - 2j, -1j, 0j, complex(1, 2), complex('1+2j'), complex(' -3j '), complex(), complex(5))

print((1 + 2j) * (3 - 1j), (1 + 2j) / (3 - 1j), (1 + 2j) + 1, 2.5 - (1 + 2j), (1 + 2j) ** 2, (1 + 2j) ** 0.5, 2 ** 1j, 1j ** -1)

z = 3 + 4j; print(z.real, z.imag, abs(z), z.conjugate(), -z, +z, bool(z), bool(0j))

print(1j == 1j, 1 + 0j == 1, 1j != 1, hash(1 + 0j) == hash(1), hash(1j), {1 + 0j: 'a'}[1])

1j < 2j

1j // 1

1j % 2

1j / 0

0j ** -1

complex('abc')

complex('1', 2)

int(1j)

float(1j)

print(repr(1e20 + 1e-5j), str(0.1j), complex(float('inf'), float('nan')), complex(-0.0, -0.0), 1e16j)

print('{:.2f} {} {:10.1f}|{:>10}'.format(1 + 2j, 3j, 1j, 2j), f'{1.5 + 2j:.3e}')

print(type(1j), isinstance(1j, complex), (1 + 2j).__class__.__name__, 1j.imag, complex(1.5), complex(1j, 1j))

print(sum([1j, 2, 3.5]), (1 + 2j) - 1j, 3 * 2j, 2j * 1.5, 1j * 1j, -(2 - 3j), [1j, 2])

class C:
    def __complex__(self): return 1 + 2j
print(complex(C()))

class C(complex): pass
print(C(1, 2), C(1, 2) + 1, type(C(1) * 2).__name__, C(1, 2) == 1 + 2j)

print(round(1.5) + 1j, pow(2, 1j), pow(1j, 2), divmod(5, 2))

round(1j)

abs('a')

1j + 'a'

x = 1j; x += 1; x *= 2; x -= 1j; x /= 2; x **= 2; print(x)

print(complex(3, -4).conjugate() * (3 - 4j), (0.1 + 0.2j) * 3, (1e308 + 1e308j) * 10, abs(complex(1e300, 1e300)))

print(complex('1e5-2.5e-3j'), complex('j'), complex('+j'), complex('(1+2j)'), complex('nan+infj'), complex('1_0j'))
