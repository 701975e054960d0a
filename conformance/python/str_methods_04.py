def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
s = 'Hello, World'
for f in [
    lambda: ' a b  c '.rsplit(None, 1),
    lambda: ''.split(),
    lambda: ''.split(','),
    lambda: 'a\nb\r\nc\x0bd\x1ce\u2028f'.splitlines(),
    lambda: 'a\n\nb\n'.splitlines(True),
    lambda: s.partition(', '),
    lambda: s.rpartition('o'),
    lambda: s.partition('x'),
    lambda: s.rpartition('x'),
    lambda: s.partition(''),
    lambda: s.replace('l', 'L', 2),
    lambda: 'aaa'.replace('', '-'),
]:
    t(f)
