import pickle; d = {'a': [1, 2.5, None, True], 'b': ('x', b'y'), 'c': {1, 2}}; print(pickle.loads(pickle.dumps(d)) == d)

import pickle; print(pickle.loads(pickle.dumps(10 ** 30)), pickle.loads(pickle.dumps(-5)), pickle.loads(pickle.dumps(1j)), pickle.loads(pickle.dumps(float('inf'))))

import pickle; l = [1]; l.append(l); m = pickle.loads(pickle.dumps(l)); print(m[0], m[1] is m)

import pickle; a = [1]; b = pickle.loads(pickle.dumps([a, a])); print(b[0] is b[1], b[0] is a)

import pickle
class P:
    def __init__(self, x): self.x = x
p = pickle.loads(pickle.dumps(P(5))); print(type(p).__name__, p.x)

import pickle
class P:
    def __getstate__(self): return {'only': 1}
    def __setstate__(self, s): self.got = s
print(pickle.loads(pickle.dumps(P())).got)

import pickle
class P:
    def __init__(self, a): self.a = a
    def __reduce__(self): return (P, (self.a * 2,))
print(pickle.loads(pickle.dumps(P(4))).a)

import pickle
def f(): pass
print(pickle.loads(pickle.dumps(f)) is f, pickle.loads(pickle.dumps(len)) is len, pickle.loads(pickle.dumps(int)) is int)

import pickle, io; b = io.BytesIO(); pickle.dump({'k': 1}, b); pickle.dump([2], b); b.seek(0); print(pickle.load(b), pickle.load(b)); pickle.load(b)

import pickle
with open('t.pkl', 'wb') as f: pickle.dump({'w': [1, 2]}, f)
with open('t.pkl', 'rb') as f: print(pickle.load(f))

import pickle; print(pickle.HIGHEST_PROTOCOL, pickle.DEFAULT_PROTOCOL, pickle.dumps(1, protocol=2))

import pickle; print(pickle.loads(b'\x80\x04K\x05.'), pickle.loads(b'I5\n.'), pickle.loads(b'(lp0\nI1\na.'))

import pickle; pickle.loads(b'garbage')

import pickle; pickle.loads(b'')

import pickle, collections; print(pickle.loads(pickle.dumps(collections.OrderedDict(a=1))), pickle.loads(pickle.dumps(collections.Counter('aab'))), pickle.loads(pickle.dumps(collections.deque([1, 2], maxlen=3))), pickle.loads(pickle.dumps(collections.defaultdict(list, a=[1]))))

import pickle, enum
class C(enum.Enum):
    R = 1
print(pickle.loads(pickle.dumps(C.R)) is C.R)

import pickle, dataclasses
@dataclasses.dataclass
class D:
    a: int
    b: list
print(pickle.loads(pickle.dumps(D(1, [2]))))

import pickle, collections
N = collections.namedtuple('N', 'a b')
print(pickle.loads(pickle.dumps(N(1, 2))))

import pickle, datetime; print(pickle.loads(pickle.dumps(datetime.date(2020, 1, 2))), pickle.loads(pickle.dumps(datetime.timedelta(1, 2))), pickle.loads(pickle.dumps(range(3))), pickle.loads(pickle.dumps(slice(1, 2))), pickle.loads(pickle.dumps(frozenset([1]))), pickle.loads(pickle.dumps(bytearray(b'x'))))

import pickle
class S:
    __slots__ = ('a', 'b')
s = S(); s.a = 1; t = pickle.loads(pickle.dumps(s)); print(t.a, hasattr(t, 'b'))

import pickle
class L(list): pass
l = L([1, 2]); l.tag = 't'; m = pickle.loads(pickle.dumps(l)); print(type(m).__name__, m, m.tag)

import pickle
def outer():
    class Local: pass
    return Local()
pickle.dumps(outer())

import pickle; print(issubclass(pickle.PicklingError, pickle.PickleError), pickle.loads(pickle.dumps('é\n\0')), pickle.loads(pickle.dumps(ValueError('x', 1))).args, pickle.loads(pickle.dumps(...)), pickle.loads(pickle.dumps(NotImplemented)))

import pickle
class P:
    def __new__(cls, *a): o = super().__new__(cls); o.made = a; return o
    def __getnewargs__(self): return (7, 8)
print(pickle.loads(pickle.dumps(P())).made)

import pickle; pickle.dumps((i for i in []))

import pickle; print(pickle.dumps({'a': [1, 2.5, None], 'b': ('x', b'y', True)}), pickle.dumps([1]), pickle.dumps((1, 2, 3, 4)))

import pickle; print(pickle.dumps({'a': 1}, 2), pickle.dumps(['a', 'a', (1, 2)], 3), pickle.dumps(300, 5), pickle.dumps(-1), pickle.dumps(2 ** 40), pickle.dumps(bytearray(b'z'), 5))

import pickle, collections; print(pickle.dumps(collections.OrderedDict(a=1)), pickle.dumps(int), pickle.dumps(range(3)), pickle.dumps(1j))

import pickle
class P:
    def __init__(self): self.x = 1; self.y = [1, 2]
print(pickle.dumps(P()), pickle.dumps(P))

import pickle; pickle.dumps(1, 9)

import pickle, io
class U(pickle.Unpickler):
    def find_class(self, m, n):
        if n != 'OrderedDict': raise pickle.UnpicklingError('no ' + n)
        return super().find_class(m, n)
import collections; print(U(io.BytesIO(pickle.dumps(collections.OrderedDict(k=2)))).load()); U(io.BytesIO(pickle.dumps(print))).load()

import pickle, io
class P(pickle.Pickler):
    def persistent_id(self, o): return ('big', o.n) if isinstance(o, B) else None
class U(pickle.Unpickler):
    def persistent_load(self, pid): return pid
class B:
    def __init__(self, n): self.n = n
f = io.BytesIO(); P(f).dump([1, B(5), {'k': B(6)}]); f.seek(0); print(U(f).load())

import pickle, copyreg
class C:
    def __init__(self, v): self.v = v
copyreg.pickle(C, lambda c: (C, (c.v + 1,))); print(pickle.loads(pickle.dumps(C(1))).v)

import pickle; pickle.loads('text')
