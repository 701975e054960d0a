def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
b = b'Hello\x00\xff'
for f in [
    lambda: bytes([1, 2]),
    lambda: b'a,b'.split(b','),
    lambda: b' x '.strip(),
    lambda: b'abc'.replace(b'b', b'XX'),
    lambda: b','.join([b'a', b'b']),
    lambda: b'abc'.find(b'c'),
    lambda: b'abc'.startswith(b'ab'),
    lambda: b'abc'.upper(),
    lambda: b'abc'.decode(),
    lambda: b'\xff'.decode('latin-1'),
    lambda: b'\xff'.decode('utf-8', 'replace'),
    lambda: b'\xff'.decode('utf-8', 'ignore'),
]:
    t(f)
