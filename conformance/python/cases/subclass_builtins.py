class I(int):
    def double(self): return I(self * 2)
i = I(5); print(i.double(), i + 1, type(i.double()).__name__, i == 5, hash(i) == hash(5), [1, 2, 3, 4, 5, 6][i], f'{i:03d}')

class I(int):
    def __new__(cls, v, tag='t'): o = super().__new__(cls, v); o.tag = tag; return o
i = I(3, 'x'); print(i, i.tag, i + i, isinstance(i, int))

class S(str):
    def __new__(cls, v): return super().__new__(cls, v.upper())
s = S('abc'); print(s, s.lower(), len(s), s[0], s + 'd', s in {'ABC'}, {'ABC': 1}[s], '%s' % s, s.join(['x', 'y']))

class F(float):
    def __add__(self, o): return 'added'
print(F(1) + 2, 2 + F(1), F(2) * 2, F(1.5).is_integer(), round(F(2.567), 1))

class T(tuple): pass
t = T([1, 2]); print(t, t[0], t + (3,), T((1,)) == (1,), hash(t) == hash((1, 2)), len(t), *t)

class L(list):
    def __getitem__(self, i): return super().__getitem__(i) * 10
    def append(self, x): super().append(x); print('app', x)
l = L([1, 2]); l.append(3); print(l[0], list(l), l, len(l), [x for x in l])

class D(dict):
    def __setitem__(self, k, v): super().__setitem__(k, v + 1)
d = D(a=1); d['b'] = 1; d.update(c=1); print(d, d['b'])

class D(dict):
    def __init__(self, *a, **k): super().__init__(*a, **k); self.extra = 1
d = D({'x': 1}, y=2); print(d, d.extra, d.__dict__, list(d), 'x' in d, d == {'x': 1, 'y': 2})

class S(set):
    def add(self, x): super().add(x * 2)
s = S(); s.add(2); print(s, 4 in s)

class B(bytes): pass
b = B(b'ab'); print(b, b + b'c', b[0], b.decode())

class E(Exception):
    def __init__(self, msg, code): super().__init__(msg); self.code = code
try: raise E('m', 5)
except E as e: print(e, e.code, e.args, repr(e))

class OD(dict):
    def __iter__(self): return iter(sorted(super().keys()))
d = OD(b=1, a=2); print(list(d), [k for k in d], dict(d), d.keys())

class I(int): pass
print(I.__mro__, I().real, I(3) + I(4), int.__add__(I(1), 2), isinstance(True, I), I(7) // 2, -I(3), abs(I(-2)), divmod(I(7), 2))

class C(complex): pass
class Fz(frozenset): pass
print(Fz([1]), Fz([1]) == {1}, hash(Fz([1])) == hash(frozenset([1])), C(1))

class I(int):
    def __eq__(self, o): return False
    __hash__ = int.__hash__
print(I(1) == 1, 1 == I(1), I(1) in [1], {1: 'a'}.get(I(1)))

class S(str):
    def __eq__(self, o): return True
print(S('a') == 'b', 'b' == S('a'))
{S('a')}

class L(list): __slots__ = ('tag',)
l = L([1]); l.tag = 'x'; print(l, l.tag)

class I(int):
    def __repr__(self): return f'I({int(self)})'
    def __str__(self): return 'str'
print(I(5), [I(5)], f'{I(5)}', f'{I(5):d}', '%d %s' % (I(5), I(5)), str(I(5)), int(I(5)))

class U(dict):
    def __contains__(self, k): return True
    def get(self, k, d=None): return 'got'
print('x' in U(), U().get('y'), len(U()))

class R(range): pass

class B(bool): pass

class N(type(None)): pass

class F(type(lambda: 0)): pass

class L(list):
    def __len__(self): return 100
print(len(L()), bool(L()), list(L([1])), L([1]) + [2])

import json
class D(dict): pass
class L(list): pass
class S(str): pass
print(json.dumps(D(a=L([S('x'), 1]))), sorted(L([2, 1])), sum(L([1, 2])), ','.join(L(['a'])), max(D(a=1)))
