class V:
    def __init__(s, x): s.x = x
    def __repr__(s): return f'V({s.x})'
    def __add__(s, o): return V(s.x + (o.x if isinstance(o, V) else o))
    __radd__ = __add__
    def __iadd__(s, o): s.x += 100; return s
a = V(1); print(a + V(2), a + 5, 5 + a, sum([V(1), V(2)], V(0))); a += 1; print(a)

class N:
    def __sub__(s, o): return ('sub', o)
    def __rsub__(s, o): return ('rsub', o)
    def __mul__(s, o): return ('mul', o)
    def __rmul__(s, o): return ('rmul', o)
    def __truediv__(s, o): return ('div', o)
    def __rtruediv__(s, o): return ('rdiv', o)
n = N(); print(n - 1, 1 - n, n * 2, 2 * n, n / 3, 3 / n, [1] * n if False else 'a' * n if False else 0)

class N:
    def __floordiv__(s, o): return ('fd', o)
    def __rfloordiv__(s, o): return ('rfd', o)
    def __mod__(s, o): return ('mod', o)
    def __rmod__(s, o): return ('rmod', o)
    def __pow__(s, o, m=None): return ('pow', o, m)
    def __rpow__(s, o): return ('rpow', o)
    def __divmod__(s, o): return ('dm', o)
    def __rdivmod__(s, o): return ('rdm', o)
n = N(); print(n // 1, 1 // n, n % 2, 2 % n, n ** 3, 3 ** n, pow(n, 2, 5), divmod(n, 2), divmod(2, n))

class N:
    def __and__(s, o): return 'and'
    def __or__(s, o): return 'or'
    def __xor__(s, o): return 'xor'
    def __lshift__(s, o): return 'ls'
    def __rshift__(s, o): return 'rs'
    def __rand__(s, o): return 'rand'
    def __ror__(s, o): return 'ror'
    def __rxor__(s, o): return 'rxor'
    def __rlshift__(s, o): return 'rls'
    def __rrshift__(s, o): return 'rrs'
n = N(); print(n & 1, n | 1, n ^ 1, n << 1, n >> 1, 1 & n, 1 | n, 1 ^ n, 1 << n, 1 >> n)

class N:
    def __matmul__(s, o): return 'mm'
    def __rmatmul__(s, o): return 'rmm'
    def __imatmul__(s, o): return 'imm'
n = N(); print(n @ 1, 1 @ n); n @= 2; print(n)

class N:
    def __neg__(s): return 'neg'
    def __pos__(s): return 'pos'
    def __invert__(s): return 'inv'
    def __abs__(s): return 'abs'
print(-N(), +N(), ~N(), abs(N()))

class N:
    def __int__(s): return 5
    def __float__(s): return 2.5
    def __index__(s): return 3
    def __complex__(s): return 1j
print(int(N()), float(N()), hex(N()), [1, 2, 3, 4][N()], complex(N()), range(N()), bin(N()))

class N:
    def __round__(s, n=None): return ('round', n)
    def __trunc__(s): return 'trunc'
    def __floor__(s): return 'floor'
    def __ceil__(s): return 'ceil'
import math; print(round(N()), round(N(), 2), math.trunc(N()), math.floor(N()), math.ceil(N()))

class A:
    def __add__(s, o): return NotImplemented
class B:
    def __radd__(s, o): return 'B.radd'
print(A() + B()); A() + 1

class A:
    def __add__(s, o): return 'A'
class B(A):
    def __radd__(s, o): return 'B'
print(A() + B(), B() + A())

class N:
    def __isub__(s, o): return 'isub'
    def __imul__(s, o): return 'imul'
    def __itruediv__(s, o): return 'idiv'
    def __ifloordiv__(s, o): return 'ifd'
    def __imod__(s, o): return 'imod'
    def __ipow__(s, o): return 'ipow'
for op in ['-', '*', '/', '//', '%', '**']: pass
n = N(); n -= 1; print(n); n = N(); n *= 1; print(n); n = N(); n /= 1; print(n); n = N(); n //= 1; print(n); n = N(); n %= 1; print(n); n = N(); n **= 1; print(n)

class N:
    def __iand__(s, o): return 'iand'
    def __ior__(s, o): return 'ior'
    def __ixor__(s, o): return 'ixor'
    def __ilshift__(s, o): return 'ils'
    def __irshift__(s, o): return 'irs'
n = N(); n &= 1; print(n); n = N(); n |= 1; print(n); n = N(); n ^= 1; print(n); n = N(); n <<= 1; print(n); n = N(); n >>= 1; print(n)

class A: pass
A() + A()

class A: pass
-A()

class A: pass
a = A(); a += 1

class A: pass
A() @ 2

class A: pass
a = A(); a.__add__ = lambda o: 1
a + 1

class A: pass
2 ** A()

class A:
    def __index__(self): return 'x'
[1][A()]

class A:
    def __int__(self): return 'x'
int(A())

class A:
    def __float__(self): return 1
float(A())

class P:
    def __init__(s, x, y): s.x, s.y = x, y
    def __mul__(s, k): return P(s.x * k, s.y * k) if not isinstance(k, P) else s.x * k.x + s.y * k.y
    __rmul__ = __mul__
    def __repr__(s): return f'P{s.x, s.y}'
print(P(1, 2) * 3, 3 * P(1, 2), P(1, 2) * P(3, 4))

class L(list):
    def __add__(s, o): return 'L+'
    def __radd__(s, o): return 'L.radd'
    def __iadd__(s, o): return 'L+='
l = L(); print(l + [1], [1] + l); l += [1]; print(l)
