def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
s = 'Hello, World'
for f in [
    lambda: 'abc'.center(6, '*'),
    lambda: 'a'.ljust(3, '-'),
    lambda: 'a'.rjust(3),
    lambda: 'a'.center(3, 'xx'),
    lambda: '-5'.zfill(5),
    lambda: '+x'.zfill(4),
    lambda: ''.zfill(2),
    lambda: 'a\tbc\td'.expandtabs(4),
    lambda: '\t'.expandtabs(),
    lambda: 'abc'.translate({97: 'X', 98: None, 99: 120}),
    lambda: 'abc'.translate(str.maketrans('ab', 'xy', 'c')),
    lambda: str.maketrans('ab', 'x'),
]:
    t(f)
