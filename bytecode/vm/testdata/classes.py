class A:
    "doc of A"
    x = 1
    def __init__(self, v): self.v = v
    def get(self): return self.v
    @property
    def twice(self): return self.v * 2
    @twice.setter
    def twice(self, t): self.v = t // 2
    @classmethod
    def make(cls, v=7): return cls(v)
    @staticmethod
    def stat(a): return a + 1
a = A(3)
print(a.get(), a.twice, A.make().v, A.stat(1), a.x, A.__doc__, A.__name__, A.__qualname__, A.__module__)
a.twice = 10
print(a.v)
A.x = 5
print(a.x)
a.x = 6
print(a.x, A.x, sorted(a.__dict__))
---
class B:
    def __init__(self): self.log = ["B"]
    def m(self): return "B.m"
class C(B):
    def __init__(self):
        super().__init__()
        self.log.append("C")
    def m(self): return "C." + super().m()
class D(B):
    def __init__(self):
        super().__init__()
        self.log.append("D")
    def m(self): return "D." + super().m()
class E(C, D):
    def __init__(self):
        super().__init__()
        self.log.append("E")
    def m(self): return "E." + super().m()
e = E()
print(e.log, e.m(), [k.__name__ for k in E.__mro__])
print(isinstance(e, B), issubclass(E, D), isinstance(3, E))
---
class V:
    def __init__(self, x, y): self.x, self.y = x, y
    def __add__(self, o): return V(self.x + o.x, self.y + o.y)
    def __radd__(self, o): return V(self.x + o, self.y + o)
    def __mul__(self, k): return V(self.x * k, self.y * k)
    __rmul__ = __mul__
    def __iadd__(self, o):
        self.x += o.x; self.y += o.y
        return self
    def __neg__(self): return V(-self.x, -self.y)
    def __eq__(self, o): return isinstance(o, V) and (self.x, self.y) == (o.x, o.y)
    def __lt__(self, o): return self.x < o.x
    def __hash__(self): return hash((self.x, self.y))
    def __repr__(self): return f"V({self.x}, {self.y})"
    def __bool__(self): return self.x != 0
    def __len__(self): return 2
    def __getitem__(self, i): return (self.x, self.y)[i]
    def __setitem__(self, i, v):
        if i == 0: self.x = v
        else: self.y = v
    def __contains__(self, v): return v in (self.x, self.y)
    def __call__(self, *a, **k): return (self.x, a, k)
    def __iter__(self): return iter((self.x, self.y))
    def __matmul__(self, o): return self.x * o.x + self.y * o.y
v = V(1, 2)
w = V(3, 4)
print(v + w, 1 + v, v * 2, 2 * v, -v, v == V(1, 2), v != w, v < w, v > w, v @ w)
old = v
v += w
print(v, v is old, v[0], v[1], len(v), 4 in v, 9 in v, bool(v), bool(V(0, 0)), v(1, k=2))
v[0] = 9
print(v, list(v), {V(1, 1): "k"}[V(1, 1)], sorted([V(3, 0), V(1, 0)]))
x, y = v
print(x, y, not v, 1 if V(0, 1) else 2)
while V(0, 0): break
else: print("else")
print(not V(0, 0), V(0, 0) or "or", V(1, 1) and "and")
---
class G:
    def __getattr__(self, n):
        if n.startswith("dyn_"): return n[4:]
        raise AttributeError(n)
g = G()
print(g.dyn_x, getattr(g, "nope", "default"), hasattr(g, "dyn_y"), hasattr(g, "zip"))
print(g.dyn_call.upper())
g.other
---
class S:
    def __setattr__(self, n, v):
        object.__setattr__(self, n, v * 2)
    def __delattr__(self, n):
        print("del", n)
        object.__delattr__(self, n)
s = S()
s.a = 2
print(s.a)
s.a += 1
print(s.a)
del s.a
print(hasattr(s, "a"))
---
class Desc:
    def __set_name__(self, owner, name): self.name = name
    def __get__(self, obj, owner):
        if obj is None: return self
        return obj.__dict__.get(self.name, "unset")
    def __set__(self, obj, v): obj.__dict__[self.name] = v + 1
class H:
    d = Desc()
h = H()
print(h.d)
h.d = 4
print(h.d, h.__dict__, type(H.d).__name__)
---
class Meta(type):
    def __new__(mcs, name, bases, ns, **kw):
        ns["tag"] = kw.get("tag")
        return super().__new__(mcs, name, bases, ns)
    def __init__(cls, name, bases, ns, **kw):
        super().__init__(name, bases, ns)
    def __call__(cls, *a):
        obj = super().__call__(*a)
        obj.made = True
        return obj
    def __len__(cls): return 99
class M(metaclass=Meta, tag="t"):
    def __init__(self, v): self.v = v
m = M(5)
print(M.tag, m.v, m.made, type(M).__name__, len(M))
---
class Reg:
    subs = []
    def __init_subclass__(cls, /, kind=None, **kw):
        super().__init_subclass__(**kw)
        Reg.subs.append((cls.__name__, kind))
class X(Reg, kind=1): pass
class Y(X): pass
print(Reg.subs)
---
class N:
    class Inner:
        def f(self): return "inner"
    val = [i * 2 for i in range(3)]
    def __private(self): return "p"
    def call(self): return self.__private()
print(N.Inner().f(), N.val, N().call(), N.Inner.__qualname__)
---
class L(list):
    def total(self): return sum(self)
l = L([1, 2, 3])
l.append(4)
print(l.total(), len(l), l[0], l[1:], isinstance(l, list), l == [1, 2, 3, 4])
class Di(dict):
    def __missing__(self, k): return k * 2
d = Di(a=1)
print(d["a"], d["bb"], d)
class T(tuple):
    def __new__(cls, *a): return super().__new__(cls, a)
print(T(1, 2), T(1, 2)[0])
class I(int):
    def __add__(self, o): return I(int(self) * int(o))
print(I(3) + 4, I(3) * 2)
---
class P:
    def __init__(self): return 5
P()
---
class Q: pass
Q(1)
---
class A(int, str): pass
---
class A: pass
class B(A): pass
class C(A, B): pass
---
class W:
    def __enter__(self): return self
with W() as w: pass
---
class It:
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def __next__(self):
        if self.n == 0: raise StopIteration
        self.n -= 1
        return self.n
print(list(It(3)), [x for x in It(2)], sum(It(4)), dict(zip(It(2), "ab")))
for x in It(2): print(x)
a, *b = It(4)
print(a, b, max(It(5)), 2 in It(3), tuple(It(2)), sorted(It(3)))
class Old:
    def __getitem__(self, i):
        if i > 2: raise IndexError
        return i * 10
print(list(Old()), 20 in Old())
---
class E1:
    def __eq__(self, o): return True
print(E1() == 3, 3 == E1(), E1() != 3, [1, 2].index(E1()) if False else "x")
class E2:
    def __lt__(self, o): return "lt"
print(E2() < 1, 1 > E2())
try:
    E2() > 1
except TypeError as e: print(e)
try:
    E2() + 1
except TypeError as e: print(e)
---
class A:
    def f(self): return 1
a = A()
def call(o): return o.f()
r = [call(a), call(a)]
A.f = lambda self: 2
r.append(call(a))
a.f = lambda: 3
r.append(call(a))
del a.f
r.append(call(a))
class B(A): pass
b = B()
r.append(call(b))
A.f = lambda self: 4
r.append(call(b))
B.f = lambda self: 5
r.append(call(b))
print(r)
---
class A:
    x = 1
def get(o): return o.x
a = A()
r = [get(a)]
a.x = 2
r.append(get(a)); r.append(get(a))
A.x = property(lambda self: 3)
r.append(get(a))
del A.x
r.append(get(a))
print(r)
def put(o): o.z = 1
put(a)
class Z:
    def __setattr__(self, n, v): print("set", n, v)
put(Z())
---
print(type("Dyn", (object,), {"x": 1, "f": lambda self: self.x + 1})().f())
print(type(3), type("s").__name__, type(None).__name__, type(print).__name__, type(lambda: 0).__name__)
---
class A:
    def __init__(self, *args, **kw):
        self.args, self.kw = args, kw
    def m(self, a, b=2, *c, **d): return (a, b, c, d)
x = A(1, 2, k=3)
print(x.args, x.kw, x.m(1), x.m(1, b=3), x.m(*[1, 2, 3], z=4), A.m(x, 5))
bound = x.m
print(bound(7), bound.__self__ is x, bound.__func__ is A.m, bound.__name__)
---
class R:
    def __repr__(self): return "<R>"
    def __str__(self): return "str R"
    def __format__(self, spec): return "fmt:" + spec
print(R(), [R()], f"{R()} {R()!r} {R()!s:>8} {R():abc}", str(R()), repr(R()), "%s" % R(), "{}".format(R()))
---
class C:
    __slots__ = ("a",)
    def __init__(self): self.a = 1
c = C()
print(c.a)
try:
    c.b = 2
except AttributeError as e: print("AttributeError")
---
class A:
    n = 0
    def __new__(cls, *a):
        cls.n += 1
        return super().__new__(cls)
    def __init__(self, x=0): self.x = x
print(A(5).x, A().x, A.n)
class B:
    def __new__(cls): return 42
print(B())
---
class A:
    def __class_getitem__(cls, k): return (cls.__name__, k)
print(A[int] if False else A["k"])
---
class C:
    if True:
        a = 1
    for i in range(3): pass
    try:
        b = a + i
    finally:
        c = 9
    del i
    def f(self): return __class__.__name__
print(C.a, C.b, C.c, hasattr(C, "i"), C().f())
