def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
s = 'Hello, World'
for f in [
    lambda: 'A b'.istitle(),
    lambda: 'Ab'.istitle(),
    lambda: 'AB1'.isupper(),
    lambda: '1'.isupper(),
    lambda: 'ab'.islower(),
    lambda: 'a_1'.isidentifier(),
    lambda: '1a'.isidentifier(),
    lambda: 'class'.isidentifier(),
    lambda: 'é'.isascii(),
    lambda: ''.isascii(),
    lambda: 'a\n'.isprintable(),
    lambda: 'a' in 'cat',
]:
    t(f)
