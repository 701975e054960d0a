print(0.1 + 0.2, 1e16, 1e15, 1e-4, 1e-5, 123456789.123456789, 1.0, -0.0, 1e300 * 1e10, 5e-324, 1.7976931348623157e308, 2.5e-10)

print(float('1.5'), float('  -2e3 '), float('inf'), float('-Infinity'), float('nan'), float('1_000.5'), float(3), float(True), float())

float('abc')

float([])

float('')

print(round(2.5), round(3.5), round(-2.5), round(2.675, 2), round(1234.5678, -2), round(0.5), round(1.5), type(round(1.5)).__name__, type(round(1.5, 0)).__name__)

round(float('nan'))

round(float('inf'))

print(1.5 // 0.4, 1.5 % 0.4, -1.5 // 0.4, -1.5 % 0.4, divmod(7.5, 2), 2.0 ** 0.5, 0.0 ** 0, (-8.0) ** 2)

1.0 / 0

1.0 // 0

1.0 % 0

0.0 ** -1

2.0 ** 10000

print(float('nan') == float('nan'), float('inf') > 1e308, float('inf') - float('inf'), -float('inf'), float('inf') * 0)

print((1.5).is_integer(), (2.0).is_integer(), (0.5).as_integer_ratio(), (3.75).hex(), float.fromhex('0x1.8p1'), (1.0).hex(), (-0.1).hex())

print(1.5 < 2, 1.5 == 1.5, 0.1 + 0.2 == 0.3, 1e400 if False else 1e308, 3.0 == 3, hash(1.5), hash(float('inf')), hash(0.1), hash(-2.5e10), hash(1e300))

print(str(1.0), repr(0.1), f'{1/3:.20f}', '%.15g' % 0.1, '%.17g' % 0.1, format(1e22, 'f'), format(1.5, 'e'))

print(int(1e20), int(-1.5), 1.5.__class__.__name__, (1.5).real, (1.5).imag, (1.5).conjugate(), abs(-1.5), -1.5, +1.5)

print(max(1.5, 2), min(1, 0.5), sum([0.1, 0.2, 0.3]), sorted([1.5, 1, 0.5]))

class F(float):
    def __repr__(self): return 'F!'
print(F(1.5), [F(2)], F(1.5) + 1, type(F(1) + 1).__name__, F('3'))

1.5 + 'a'

1.5 << 2

[1][1.5]

print(1.5 .__add__(2), (1.5).__eq__('x'), (2.0).__rsub__(5), float.__mul__(2.0, 3), (7.0).__floordiv__(2), (1.5).__trunc__())

print(1e1, 1.e2, .5, 1E3, 1_0.0_1, 00.5, 1e+5)

print(float.__name__, isinstance(1.0, float), isinstance(1, float), issubclass(float, object), float('1e-320'), 4.9e-324)

print(100000000000000000000.0, 1e21, 123456.789e3, 1.10, 1.0e-7, 12345678901234567.0)

import sys; print(sys.float_info.max, sys.float_info.epsilon, sys.float_info.min)

print(1.1 * 3, 3.3 / 3, 0.1 * 3, 1 - 0.9, 1e-17 + 1, 2 ** 0.5 * 2 ** 0.5)
