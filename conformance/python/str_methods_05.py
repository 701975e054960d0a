def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
s = 'Hello, World'
for f in [
    lambda: 'aaa'.replace('', '-', 2),
    lambda: 'abc'.replace('b', ''),
    lambda: s.join(['a', 'b']),
    lambda: ','.join([1]),
    lambda: ','.join('abc'),
    lambda: ','.join(5),
    lambda: '  x '.strip(),
    lambda: 'xxaxx'.strip('x'),
    lambda: 'xyaxy'.lstrip('yx'),
    lambda: 'abc'.rstrip('cb'),
    lambda: 'a'.strip(5),
    lambda: 'ab'.center(7, '*'),
]:
    t(f)
