class A:
    inst = None
    def __new__(cls, *a):
        if cls.inst is None: cls.inst = super().__new__(cls)
        return cls.inst
    def __init__(self, *a): print('init', a)
print(A(1) is A(2))
class B:
    def __new__(cls): return 5
    def __init__(self): print('never')
print(B())
class I(int):
    def __new__(cls, v, unit='m'):
        o = super().__new__(cls, v); o.unit = unit; return o
    def __add__(self, o): return I(int(self) + o, self.unit)
    def __repr__(self): return f'I({int(self)}{self.unit})'
print(I(3, 'k') + 4, I(5) * 2, I('12'), I(3) == 3, hash(I(3)) == hash(3), {I(3): 1}[3], isinstance(I(1), int), [10, 20, 30][I(1)])
class S(str):
    def up(self): return S(self.upper())
print(S('a').up().up(), type(S('a').up()).__name__, type(S('a') + 'b').__name__, S('x') == 'x', {'x': 1}[S('x')], len(S('abc')), S('abc')[1], f"{S('q'):>3}")
class L(list):
    def first(self): return self[0]
l = L([3, 1, 2]); l.sort(); l.append(9); print(l, l.first(), type(l[:]).__name__, l == [1, 2, 3, 9], type(l + [1]).__name__)
class D(dict):
    def __missing__(self, k): return k * 2
d = D(a=1); print(d['a'], d['zz'], d.get('q'), d, 'zz' in d)
class T(tuple):
    def __new__(cls, a, b): return super().__new__(cls, (a, b))
    @property
    def a(self): return self[0]
print(T(1, 2), T(1, 2).a, T(1, 2) == (1, 2), T(3, 4) + (5,))
class F(float):
    def __str__(self): return 'F'
print(F(1.5), repr(F(1.5)), F(2) + 1, f'{F(3)}', '%s' % F(1), '%.1f' % F(1))
for f in [lambda: object(1), lambda: len(1)]:
    try: print(f())
    except TypeError as e: print(e)
class NoInit: pass
for f in [lambda: NoInit(1), lambda: NoInit(a=1)]:
    try: f()
    except TypeError as e: print(e)
class BadInit:
    def __init__(self): return 5
try: BadInit()
except TypeError as e: print(e)
