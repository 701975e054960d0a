def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: divmod(-10**30, 10**15 + 1),
    lambda: abs(-2**63),
    lambda: abs(-0.0),
    lambda: (5).bit_length(),
    lambda: (-256).bit_length(),
    lambda: (5).bit_count(),
    lambda: (1024).to_bytes(2, 'big'),
    lambda: (1024).to_bytes(1, 'big'),
    lambda: (-1).to_bytes(2, 'big'),
    lambda: (-1).to_bytes(2, 'little', signed=True),
    lambda: int.from_bytes(b'\xff\x00', 'big'),
    lambda: int.from_bytes(b'\xff\xff', 'big', signed=True),
]:
    t(f)
