def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: 'a' - 1,
    lambda: [] - [],
    lambda: {} + {},
    lambda: 1 @ 2,
    lambda: [1] * [2],
    lambda: 1 in 5,
    lambda: 3 % 'a',
    lambda: 2 ** 'a',
    lambda: 1 // 'a',
    lambda: 1 << 1.5,
]:
    t(f)
