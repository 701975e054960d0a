def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: hex(1.5),
    lambda: bin('a'),
    lambda: oct(None),
    lambda: range(1.5),
    lambda: range(),
    lambda: range(1, 2, 0),
    lambda: range(1, 2, 3, 4),
    lambda: round('a'),
    lambda: round(1.5, 'a'),
    lambda: sum(['a']),
    lambda: sum(['a'], ''),
    lambda: sum([[1], [2]], []),
]:
    t(f)
