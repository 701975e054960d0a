def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: str(2**100),
    lambda: 0xdeadbeef,
    lambda: 1e3,
    lambda: 100000000000000000000.0,
    lambda: 3.0e-10,
    lambda: 12345678.9,
    lambda: 1.0,
    lambda: 1e2,
    lambda: 0.00001234,
    lambda: float(2**63),
    lambda: int(2.0**63),
    lambda: 2**64 % 10**9,
]:
    t(f)
