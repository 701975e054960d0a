def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: print(sep=1),
    lambda: print(end=1),
    lambda: print(foo=1),
    lambda: bytes('a'),
    lambda: bytes([256]),
    lambda: bytes(-1),
    lambda: bytes(['a']),
    lambda: str(b'a', 'utf8'),
    lambda: str(1, 'utf8'),
    lambda: str(b'\xff', 'utf8'),
    lambda: 'a'.encode('foo'),
    lambda: 'é'.encode('ascii'),
]:
    t(f)
