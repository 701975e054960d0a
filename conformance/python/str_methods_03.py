def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
s = 'Hello, World'
for f in [
    lambda: s.startswith('lo', 3),
    lambda: s.endswith('d', 0, -1),
    lambda: s.startswith(5),
    lambda: s.startswith(('a', 5)),
    lambda: s.split(),
    lambda: s.split(','),
    lambda: s.split('l', 1),
    lambda: s.rsplit('l', 1),
    lambda: s.split(''),
    lambda: ' a  b '.split(),
    lambda: ' a  b '.split(' '),
    lambda: ' a  b c'.split(None, 1),
]:
    t(f)
