def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
b = b'Hello\x00\xff'
for f in [
    lambda: b'\xff'.decode(),
    lambda: b'a' + 'b',
    lambda: b'a' == 'a',
    lambda: b'a' < b'b',
    lambda: b'a' < 'b',
    lambda: hash(b'a') == hash(b'a'),
    lambda: {b'a': 1}[b'a'],
    lambda: b[99],
    lambda: b['a'],
    lambda: b'abc'.count(b'a'),
    lambda: bytes('é', 'utf8'),
    lambda: str(b'ab', 'ascii'),
]:
    t(f)
