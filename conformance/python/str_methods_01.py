def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
s = 'Hello, World'
for f in [
    lambda: s.upper(),
    lambda: s.swapcase(),
    lambda: s.title(),
    lambda: 'they\'re bill\'s'.title(),
    lambda: s.capitalize(),
    lambda: 'ß'.upper(),
    lambda: 'ǆ'.title(),
    lambda: 'Straße'.casefold(),
    lambda: s.find('o'),
]:
    t(f)
