b = b'abc'; print(b, b[0], b[1:], b + b'd', b * 2, len(b), list(b), b'b' in b, 98 in b)

print(bytes(3), bytes([1, 2]), bytes('é', 'utf-8'), bytes(b'x'), bytes(), bytes(range(3)), bytes.fromhex('01ff 20'), b'\x01\xff'.hex(), b'\x01\xff'.hex('-'))

print(b'a,b'.split(b','), b' a '.strip(), b'abc'.find(b'c'), b'abc'.replace(b'b', b'x'), b'-'.join([b'a', b'b']), b'abc'.upper(), b'abc'.startswith(b'a'))

print(b'\x00\n\t\\\'"\x80', repr(b"it's"), b'a"b', b'''x
y''')

print(b'abc' == 'abc', b'a' < b'b', b'abc' == b'abc', hash(b'a') == hash(b'a'))

print(b'abc'.decode(), b'\xc3\xa9'.decode('utf-8'), b'\xe9'.decode('latin-1'), b'\xff'.decode('utf-8', 'replace'), b'\xffa'.decode('ascii', 'ignore'), b'\xff'.decode('utf-8', 'backslashreplace'))

b'\xff\xfe'.decode('utf-8')

b'\xe9'.decode('ascii')

b = b'abc'
b[0] = 1

b'abc' + 'd'

bytes([256])

bytes('a')

bytes(-1)

print(int.from_bytes(b'\x01\x02', 'big'), int.from_bytes(b'\x01\x02', 'little'), int.from_bytes(b'\xff', 'big', signed=True), (258).to_bytes(2, 'big'), (-1).to_bytes(2, 'little', signed=True))

(256).to_bytes(1, 'big')

print(b'abc'.center(7, b'*'), b'a'.zfill(3), b'a\tb'.expandtabs(4), b'Hello'.swapcase(), b'hello world'.title(), b'a\nb'.splitlines())

print(b'%s %d %x' % (b'a', 5, 255), b'%c' % 65)

print(b'abcabc'.count(b'b'), b'abc'.index(b'c'), b'abc'.partition(b'b'), b'aXbX'.rsplit(b'X', 1), b'abc'.endswith((b'c', b'd')), b'abc'.isalpha(), b'12'.isdigit())

print(b'abc'.translate(bytes.maketrans(b'ab', b'xy')), b'abc'.translate(None, b'b'), b'xabc'.removeprefix(b'x'))

print(sorted(b'cab'), max(b'abc'), sum(b'\x01\x02'), [hex(x) for x in b'\x0a'], tuple(b'ab'), b'abc'[::-1])

for x in b'ab': print(x, type(x).__name__)

print({b'a': 1}[b'a'], isinstance(b'', bytes), bytes.__name__, b'' or 'empty')

class B(bytes): pass
print(B(b'x'), type(B(b'x')).__name__, B(b'x') == b'x', B([65]))

b'a'.join(['x'])

b'abc'.find('a')

print(b'a'.ljust(3), b'a'.rjust(3, b'.'), b'abc'.hex(), bytes.fromhex('616263'))

bytes.fromhex('zz')
