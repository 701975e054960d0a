def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
b = b'Hello\x00\xff'
for f in [
    lambda: b[0],
    lambda: b[1:3],
    lambda: b[::-1],
    lambda: list(b),
    lambda: len(b),
    lambda: b + b'x',
    lambda: b'a' * 3,
    lambda: b'l' in b,
    lambda: 108 in b,
    lambda: b.hex(),
    lambda: bytes.fromhex('00ff 10'),
    lambda: bytes(3),
]:
    t(f)
