def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
b = b'Hello\x00\xff'
for f in [
    lambda: b'%d' % 5 if False else 1,
    lambda: int.from_bytes(b'\x01\x00', 'little'),
    lambda: (258).to_bytes(2, 'big'),
    lambda: b'ab'.foo,
    lambda: bytearray(b'ab'),
    lambda: bytearray(3),
    lambda: bytearray(b'ab') + b'c',
    lambda: bytearray(b'ab') == b'ab',
    lambda: b''.join([]),
    lambda: b'x'.join([1]),
    lambda: b'x'.join(['a']),
]:
    t(f)
