def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
s = 'Hello, World'
for f in [
    lambda: 'prefix-x'.removeprefix('prefix-'),
    lambda: 'a.py'.removesuffix('.py'),
    lambda: 'a'.removesuffix(''),
    lambda: 'abc' 'def',
    lambda: 'é'.isalpha(),
    lambda: '²'.isdigit(),
    lambda: '²'.isdecimal(),
    lambda: '½'.isnumeric(),
    lambda: '٣'.isdecimal(),
    lambda: 'aB1'.isalnum(),
    lambda: ''.isalpha(),
    lambda: ' \t'.isspace(),
]:
    t(f)
