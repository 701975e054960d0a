class L(list):
    def __getitem__(s, i): return 'L' + str(super().__getitem__(i))
    def append(s, x): super().append(x * 2)
l = L([1, 2]); l.append(3); print(l, l[0], len(l), list(l), [x for x in l], l + [1], l * 2, sorted(l, reverse=True), isinstance(l, list), l == [1, 2, 6], L() == [], bool(L()))
class D(dict):
    def __getattr__(s, n):
        try: return s[n]
        except KeyError: raise AttributeError(n)
    __setattr__ = dict.__setitem__
d = D(a=1); d.b = 2; print(d.a, d.b, d, hasattr(d, 'zz'), {**d}, dict(d), list(d), d | {'c': 1}, 'a' in d, len(d), d.get('q'), D.fromkeys('ab', 1))
class S(str):
    def __new__(cls, v): return super().__new__(cls, v.upper())
    def __len__(s): return 99
s = S('abc'); print(s, len(s), s.lower(), s + 'x', type(s + 'x').__name__, s == 'ABC', hash(s) == hash('ABC'), s[0], f'{s:>5}', s.join(['a', 'b']), 'B' in s, isinstance(s, str), repr(s), {s: 1}['ABC'], s.__class__.__name__)
class I(int):
    def __add__(s, o): return I(int.__add__(s, o))
    def __repr__(s): return f'I<{int(s)}>'
    def __eq__(s, o): return int(s) == o
    def __hash__(s): return int.__hash__(s)
i = I(5); print(i + 1, i - 1, i * 2, repr(i), str(i), i == 5, 5 == i, {5: 'a'}[i], {i: 'b'}[5], -i, i > 3, [0] * i, range(i), f'{i:03d}', int(i), float(i), bool(I(0)), hash(i))
class F(float): pass
print(F(1.5) + 1, type(F(1) + 1).__name__, F(2) == 2, repr(F(2.5)), F('3'), round(F(2.567), 1))
class T(tuple):
    def __new__(cls, *a): return super().__new__(cls, a)
    x = property(lambda s: s[0])
t = T(1, 2, 3); print(t, t.x, t[1:], t + (4,), len(t), t == (1, 2, 3), hash(t) == hash((1, 2, 3)), {t: 1}[(1, 2, 3)], [*t], isinstance(t, tuple))
class Se(set):
    def add(s, x): super().add(str(x))
q = Se(); q.add(5); print('5' in q, len(q), q | {'a'} == {'5', 'a'}, isinstance(q, set))
class Ex(KeyError):
    def __str__(s): return 'custom ' + repr(s.args)
try: raise Ex('k')
except LookupError as e: print(e, repr(e), e.args)
class B(bytes): pass
print(B(b'ab'), B(b'ab') == b'ab', len(B(b'xyz')))
class M(D):
    def __missing__(s, k): return 'missing ' + k
print(M()['q'], M(a=1)['a'])
