class Meta(type):
    def __new__(m, name, bases, ns, **kw):
        print('new', name, [b.__name__ for b in bases], sorted(k for k in ns if not k.startswith('__')), kw)
        c = super().__new__(m, name, bases, ns)
        c.tag = kw.get('tag')
        return c
    def __init__(c, name, bases, ns, **kw):
        print('init', name); super().__init__(name, bases, ns)
    def __call__(c, *a, **k):
        print('call', c.__name__, a, k); return super().__call__(*a, **k)
    @classmethod
    def __prepare__(m, name, bases, **kw): print('prepare', name, kw) if name != "D" else 0; return {'prep': 1}
    def __instancecheck__(c, o): return o == 5
    def __subclasscheck__(c, o): return o is int
    def __len__(c): return 77
    def __iter__(c): return iter([1, 2])
    def __getitem__(c, k): return ('gi', k)
    def __contains__(c, x): return x == 'in'
    def __repr__(c): return f'<M {c.__name__}>'
    @property
    def mp(c): return 'mp' + c.__name__
class A(metaclass=Meta, tag='t'):
    def __init__(self, v): self.v = v
class B(A): y = 2
a = A(1)
print(A.tag, B.tag, A.prep, isinstance(5, A), isinstance(a, A), isinstance(6, A), issubclass(int, A), len(A), list(A), A['k'], 'in' in A, A, B, A.mp)
try: a.mp
except AttributeError as e: print(e)
print(type(A) is Meta, type(a) is A, Meta.__mro__[1])
T = type('T', (object,), {'x': 3, 'f': lambda s: s.x})
print(T().f(), T.__name__, T.__module__, type(T))
class M2(type): pass
class C(metaclass=M2): pass
try:
    class D(A, C): pass
except TypeError as e: print(e)
def fn_meta(name, bases, ns): return (name, bases, sorted(k for k in ns))
class E(metaclass=fn_meta): x = 1
print(E)
for bad in [lambda: type('A'), lambda: type('A', (), []), lambda: type(1, (), {}), lambda: type(), lambda: type('A', 1, {}), lambda: type(1, 2)]:
    try: print(bad())
    except TypeError as e: print(e)
class K(type):
    def __setattr__(c, n, v): print('metaset', n); super().__setattr__(n, v)
    def __getattr__(c, n): return 'meta:' + n
class L(metaclass=K): pass
L.q = 1; print(L.q, L.zzz)
