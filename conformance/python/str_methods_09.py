def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
s = 'Hello, World'
for f in [
    lambda: '' in '',
    lambda: 5 in 'a',
    lambda: 'a' * -1,
    lambda: 'a' + 5,
    lambda: 5 + 'a',
    lambda: 'a' * 'b',
    lambda: 'a' * 2.0,
    lambda: 'abc' > 'abd',
    lambda: 'a' < 5,
    lambda: 'a'.foo,
    lambda: 'é€😀'.encode(),
]:
    t(f)
