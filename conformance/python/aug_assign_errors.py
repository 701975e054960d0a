def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
def mk(op, a, b):
    def f():
        x = a
        if op == '+': x += b
        elif op == '-': x -= b
        elif op == '*': x *= b
        elif op == '&': x &= b
        elif op == '**': x **= b
        elif op == '/': x /= b
        elif op == '|': x |= b
        elif op == '<<': x <<= b
        elif op == '%': x %= b
        return x
    return f
for a, b in [(1, 'a'), (None, 1), (1.5, 'x'), ('a', 1), ([1], 5), ((1,), [2]), (1.5, 1), ('%s', 2), (5, 3), (2, None)]:
    for op in ['+', '-', '*', '&', '**', '/', '|', '<<', '%']: t(mk(op, a, b))
class F(float):
    def __str__(self): return 'F!'
class S(str):
    def __str__(self): return 'S!'
print('%s %s' % (F(1), S('q')), '%s' % F(2), '%s' % S('z'), '%r' % F(2), '%.1f' % F(2), '{} {}'.format(F(1), S('a')), f'{F(1)} {S("a")}', str(S('k')), 'a' + S('b'))
x = [1]; x += 'ab'; print(x)
class E(OSError): pass
print(repr(OSError(2, 'nf', 'f')), repr(OSError(1)), repr(OSError(1, 2, 3)), repr(E(2, 'a', 'b')), E(2, 'a', 'b').filename, OSError('x').errno, OSError(13, 'p').__class__)
class B:
    class S:
        def __set_name__(self, o, n): print(n)
    s = S()
