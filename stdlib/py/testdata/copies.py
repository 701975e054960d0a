import copy
from collections import OrderedDict, namedtuple, deque, defaultdict, Counter


class Node:
    count = 0

    def __init__(self, v, *kids):
        self.v = v
        self.kids = list(kids)


shared = Node("s")
tree = Node("root", shared, Node("k", shared))
a = copy.copy(tree)
b = copy.deepcopy(tree)
print(a is tree, a.kids is tree.kids, b.kids is tree.kids, b.kids[0] is shared, b.kids[0] is b.kids[1].kids[0], b.v, type(b).__name__)
tree.kids.append(tree)
c = copy.deepcopy(tree)
print(c.kids[-1] is c, len(c.kids))

l = [1, [2, 3], (4, [5]), {"k": [6]}, {7}, "s", None, 1.5, b"x", frozenset([1])]
m = copy.copy(l)
n = copy.deepcopy(l)
print(m == l, m is l, m[1] is l[1], n == l, n[1] is l[1], n[2][1] is l[2][1], n[3]["k"] is l[3]["k"])
t = (1, 2, "x")
print(copy.copy(t) is t, copy.deepcopy(t) is t)
loop = []
loop.append(loop)
k = copy.deepcopy(loop)
print(k[0] is k, k is loop)
inner = ([],)
inner[0].append(inner)
z = copy.deepcopy(inner)
print(z[0][0] is z, z is inner)


class Hooked:
    def __init__(self, x):
        self.x = x

    def __copy__(self):
        return Hooked(("copied", self.x))

    def __deepcopy__(self, memo):
        return Hooked(("deep", copy.deepcopy(self.x, memo)))


print(copy.copy(Hooked(1)).x, copy.deepcopy([Hooked([2])])[0].x)


class State:
    def __init__(self):
        self.a = [1]
        self.secret = "s"

    def __getstate__(self):
        d = self.__dict__.copy()
        del d["secret"]
        return d

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.restored = True


s = copy.deepcopy(State())
print(s.a, hasattr(s, "secret"), s.restored)


class Sub(list):
    pass


class SubD(dict):
    def __init__(self, *args, **kw):
        super().__init__(*args, **kw)
        self.note = "n"


x = Sub([1, [2]])
x.tag = ["t"]
y = copy.copy(x)
w = copy.deepcopy(x)
print(y, type(y).__name__, y.tag is x.tag, w, w.tag == x.tag, w.tag is x.tag, w[1] is x[1])
sd = SubD(a=[1])
e = copy.deepcopy(sd)
print(e, type(e).__name__, e.note, e["a"] is sd["a"])
od = OrderedDict(a=[1], b=2)
od._metadata = OrderedDict(v=1)
o2 = copy.deepcopy(od)
print(o2, o2._metadata, o2["a"] is od["a"], copy.copy(od))
P = namedtuple("P", "x y")
p = P([1], 2)
p2 = copy.deepcopy(p)
print(p2, p2.x is p.x, type(p2) is P, copy.copy(p) == p)
print(copy.deepcopy(deque([[1], 2], maxlen=5)), copy.copy(deque([1])), copy.deepcopy(defaultdict(list, a=[1])), copy.deepcopy(Counter("aab")))


class Slotted:
    __slots__ = ("p", "q")

    def __init__(self):
        self.p = [1]


sl = copy.deepcopy(Slotted())
print(sl.p, hasattr(sl, "q"))


def fn():
    pass


print(copy.deepcopy(fn) is fn, copy.copy(len) is len, copy.deepcopy(Node) is Node, copy.copy(int) is int)
memo = {}
u = Node(1)
v = copy.deepcopy([u, u], memo)
print(v[0] is v[1], memo[id(u)] is v[0])


class Attr:
    def __getattr__(self, name):
        if name == "data":
            raise AttributeError(name)
        raise AttributeError("no " + name)


print(type(copy.deepcopy(Attr())).__name__, type(copy.copy(Attr())).__name__)


class Meth:
    def __init__(self):
        self.f = self.go
        self.n = [1]

    def go(self):
        return self.n


q = Meth()
q2 = copy.deepcopy(q)
print(q2.f() is q2.n, q2.n is q.n)
err = ValueError("a", 1)
print(repr(copy.copy(err)), repr(copy.deepcopy(err)))


class Red:
    def __init__(self, a):
        self.a = a

    def __reduce__(self):
        return (Red, (self.a + 1,))


print(copy.copy(Red(1)).a, copy.deepcopy(Red(5)).a)
