b = bytearray(b'abc'); b[0] = 65; b.append(100); print(b, len(b), b[0], bytes(b))

b = bytearray(3); b[1] = 7; print(b, list(b))

b = bytearray(b'abcdef'); b[1:3] = b'XYZ'; del b[0]; print(b)

b = bytearray([1, 2]); b.extend([3, 4]); b += b'\x05'; b.insert(0, 9); print(b, b.pop(), b.pop(0))

b = bytearray(b'abc'); b.reverse(); print(b, b.hex(), b.decode(), b.upper())

print(bytearray(b'a') == b'a', bytearray(b'a') + b'b', b'a' + bytearray(b'b'), bytearray(b'ab') * 2, type(b'a' + bytearray(b'b')).__name__)

b = bytearray(b'abcabc'); print(b.find(b'c'), b.count(b'a'), b.replace(b'a', b'x'), b.split(b'b'), b.startswith(b'ab'), b.index(99))

b = bytearray(); b[0] = 1

bytearray(b'a')[0] = 300

bytearray(b'a').append('x')

b = bytearray(b'xyz'); b.clear(); print(b, not b); b.extend(b'12'); b.remove(49); print(b)

hash(bytearray(b'a'))

b = bytearray(b'abc'); c = b.copy(); c[0] = 0; print(b, c, b is c, b[::-1], b[1:], 98 in b, b'bc' in b)

print(bytearray('é', 'utf-8'), bytearray.fromhex('01ff'), isinstance(bytearray(), bytes), bytearray(b'a').ljust(3, b'-'))

b = bytearray(b'a,b'); print(b.partition(b','), b.strip(b'a'), b.join([b'x', b'y']), b.title(), b.isalpha())

b = bytearray(range(5)); del b[::2]; print(list(b)); b *= 3; print(list(b))

b = bytearray(b'abc'); b[::2] = b'XY'; print(b, sorted(b), max(b))

bytearray(b'abc')[::2] = b'X'

for x in bytearray(b'ab'): print(x)

print(repr(bytearray(b'\x00\xff"\'')), str(bytearray(b'a')), bytearray(b'a') < b'b', bool(bytearray()))

b = bytearray(b'abc'); b.remove(120)

bytearray().pop()

def f(b=bytearray()): b.append(1); return len(b)
f(); print(f())

print(int.from_bytes(bytearray(b'\x01\x00'), 'big'), bytes(bytearray(b'q')), list(reversed(bytearray(b'ab'))))
