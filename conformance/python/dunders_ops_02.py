class N:
    def __init__(s, v): s.v = v
    def __repr__(s): return f'N({s.v})'
def mk(op, r=True):
    def f(s, o): 
        return f'{op}({s!r},{o!r})'
    return f
for n in 'add sub mul truediv floordiv mod pow matmul lshift rshift and or xor'.split():
    setattr(N, f'__{n}__', mk(n)); setattr(N, f'__r{n}__', mk('r' + n))
a = N(1)
print(a + 1, 1 + a, a - 1, 1 - a, a * 2, 2 * a, a / 2, 2 / a, a // 2, 2 // a, a % 2, 2 % a, a ** 2, 2 ** a, a @ 2, 2 @ a, a << 1, 1 << a, a >> 1, 1 >> a, a & 1, 1 & a, a | 1, 1 | a, a ^ 1, 1 ^ a)
print('x' % a if False else 'x' + '', [1] + [2])
try: print('abc' + a)
except TypeError as e: print(e)
try: print([1] + a)
except TypeError as e: print(e)
class Sub(N):
    def __radd__(s, o): return 'Sub.radd'
print(N(1) + Sub(2), Sub(1) + N(2))
class I:
    def __init__(s): s.l = []
    def __iadd__(s, o): s.l.append(o); return s
    def __imul__(s, o): return NotImplemented
    def __mul__(s, o): return 'mul'
i = I(); j = i; i += 4; print(i is j, i.l); i *= 3; print(i)
class U:
    def __neg__(s): return 'neg'
    def __pos__(s): return 'pos'
    def __invert__(s): return 'inv'
    def __abs__(s): return 'abs'
    def __round__(s, n=None): return ('round', n)
    def __trunc__(s): return 7
    def __floor__(s): return 8
    def __ceil__(s): return 9
    def __divmod__(s, o): return ('dm', o)
    def __rdivmod__(s, o): return ('rdm', o)
    def __pow__(s, e, m=None): return ('pow', e, m)
u = U(); print(-u, +u, ~u, abs(u), round(u), round(u, 2), divmod(u, 1), divmod(1, u), pow(u, 2), pow(u, 2, 3))
import math; print(math.floor(u), math.ceil(u), math.trunc(u), int(u) if hasattr(u, '__int__') else '-')
class NI:
    def __add__(s, o): return NotImplemented
    def __eq__(s, o): return NotImplemented
    def __lt__(s, o): return NotImplemented
for f in [
    lambda: NI() << 1,
    lambda: round(NI()),
    lambda: NI()[0],
    lambda: NI()(),
    lambda: len(NI()),
    lambda: iter(NI()),
    lambda: next(NI()),
    lambda: 1 in NI(),
    lambda: hash(NI()),
]:
    t(f)
