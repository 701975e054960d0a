print(7 // 2, -7 // 2, 7 % 3, -7 % 3, 7 % -3, divmod(-7, 2), divmod(7, -2), 2 ** 10, 2 ** -1, (-2) ** 3, 0 ** 0)

print(1 / 3, 10 / 5, -1 / 3, 10 ** 20 / 10 ** 18, 5 // 0.3)

print(2 ** 64, 2 ** 100 - 1, -2 ** 63, 10 ** 30 // 7, 10 ** 30 % 7, -(10 ** 30) // 7, 3 ** 50)

print(5 & 3, 5 | 3, 5 ^ 3, ~5, 1 << 70, (1 << 70) >> 68, -5 >> 1, -1 & 0xff, (1 << 65) | 1, -(1 << 65) & 0xffff)

print(0xff, 0o17, 0b101, 1_000, hex(255), oct(8), bin(5), hex(-255), bin(-5))

print(int('42'), int(' -7 '), int('ff', 16), int('0xff', 16), int('0b1', 0), int('1_000'), int(3.9), int(-3.9), int(True), int(), int('z', 36))

int('abc')

int('')

int('1.5')

int('9', 8)

int(None)

int(float('inf'))

int(float('nan'))

1 // 0

1 % 0

pow(2, -1, 4)

print(pow(2, 10, 1000), pow(3, -1, 7), pow(2, 0.5), pow(-8, 1 / 3) if False else pow(-2, 2))

print(abs(-5), round(5), round(15, -1), round(25, -1), round(1234, -2), (5).bit_length(), (255).bit_count(), (6).as_integer_ratio(), (3).real, (3).imag, (3).numerator, (3).conjugate())

print(1 < 2.5, 2 ** 53 == float(2 ** 53), 2 ** 53 + 1 == float(2 ** 53), 10 ** 400 > 1e300, 10 ** 400 > float('inf'), 1 == True)

print(hash(1) == hash(1.0) == hash(True), hash(2 ** 61 - 1), hash(-1), hash(2 ** 61), hash(10 ** 20) == hash(1e20))

print(10 ** 400 * 1.0)

print(str(2 ** 200), repr(-10 ** 25), f'{2 ** 70:,}', '%d' % 2 ** 65, '{:x}'.format(2 ** 70))

class I(int):
    def __add__(self, o): return I(int(self) + o + 100)
i = I(5); print(i, i + 1, 1 + i, type(i + 1).__name__, i * 2, I('7'), isinstance(i, int), i == 5)

print(isinstance(5, int), type(5), type(5).__name__, (5).__add__(3), (5).__radd__(3), int.__mul__(2, 3), (1).__eq__('a'), (5).__bool__())

print(sum([1, 2, 3]), sum([1, 2], 10), sum([0.1] * 10), max(1, 2, 3), min([3, 1, 2]))

sum(['a', 'b'])

print(9223372036854775807 + 1, -9223372036854775808 - 1, 9223372036854775807 * 2, 4611686018427387904 * 4, -9223372036854775808 // -1, abs(-9223372036854775808))

1 + None

'a' * 1.5

1 << -1

[1, 2][1.0]

range(1.5)

print((1).__class__, (-5) % 3, -5 // 3, 5 .real, 0 == -0, 1_0.5)

print(int.from_bytes(b'\x10', 'big'), (1000).to_bytes(2, 'big'), 1000 .to_bytes(4, 'little'))

print(3 if 3 > 2 > 1 else 4, not 3, 3 and 4, 0 or 5, 10 ** 3, 7.0 // 2, 7.5 % 2, -7.5 // 2)

x = 10; x //= 3; x **= 3; x <<= 2; x ^= 5; print(x, ~x, -x, +x)

print(*(n for n in range(2, 30) if all(n % d for d in range(2, n))))
