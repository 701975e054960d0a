def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
s = 'Hello, World'
for f in [
    lambda: s.find('o', 5),
    lambda: s.find('o', 5, 8),
    lambda: s.rfind('o'),
    lambda: s.index('z'),
    lambda: s.rindex('z'),
    lambda: s.find(''),
    lambda: s.rfind(''),
    lambda: ''.find('', 1),
    lambda: s.count('l'),
    lambda: s.count(''),
    lambda: s.count('l', 4),
    lambda: s.startswith(('a', 'He')),
]:
    t(f)
