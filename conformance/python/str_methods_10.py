def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
s = 'Hello, World'
for f in [
    lambda: 'é'.encode('latin-1'),
    lambda: '€'.encode('latin-1', 'replace'),
    lambda: '€'.encode('ascii', 'xmlcharrefreplace'),
    lambda: '€'.encode('ascii', 'backslashreplace'),
    lambda: '€x'.encode('ascii', 'ignore'),
    lambda: len('é€😀'),
    lambda: 'é€😀'[1:],
    lambda: 'é€😀'[::-1],
    lambda: list('é😀'),
    lambda: '😀'.find('😀'),
    lambda: 'a😀b'.index('b'),
    lambda: 'x'.format_map({}),
]:
    t(f)
