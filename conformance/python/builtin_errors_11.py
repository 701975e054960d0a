def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: object(1),
    lambda: type(1, 2, 3, 4),
    lambda: ascii('é\n\U0001f600'),
    lambda: format(1, 'zz'),
    lambda: format('a', 'd'),
    lambda: format(1.5, 'd'),
    lambda: format(1, '.2'),
    lambda: format('a', '+'),
    lambda: format(1, ','),
    lambda: format([], '5'),
]:
    t(f)
