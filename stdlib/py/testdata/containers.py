from collections import OrderedDict, defaultdict, Counter, namedtuple, deque, ChainMap
import collections


def attempt(f, *args, **kw):
    try:
        print(f(*args, **kw))
    except Exception as e:
        print(type(e).__name__, e)


d = OrderedDict([("a", 1), ("b", 2), ("c", 3)])
print(d, len(d), list(d), d == {"c": 3, "b": 2, "a": 1}, d == OrderedDict([("b", 2), ("a", 1), ("c", 3)]))
d.move_to_end("a")
print(d)
d.move_to_end("c", last=False)
print(d, list(reversed(d)))
print(d.popitem(), d.popitem(last=False), d)
d["x"] = 5
d.update(y=6, z=7)
print(d, d.copy(), OrderedDict(), OrderedDict(d) == d, isinstance(d, dict))
print(OrderedDict.fromkeys("abc", 0), d | {"q": 1})
d._metadata = {"version": 1}
print(d._metadata)
attempt(OrderedDict().popitem)
for k, v in d.items():
    print(k, v)
del d["x"]
print("x" in d, d.get("x"), d.pop("y"), d.setdefault("w", 9), d)

dd = defaultdict(list)
dd["a"].append(1)
dd["a"].append(2)
dd["b"].append(3)
print(dd, dd["c"], sorted(dd), dd.get("zz"), "zz" in dd)
print(defaultdict(int, {"x": 1}, y=2), defaultdict(dict), defaultdict(None, a=1))
attempt(lambda: defaultdict()["k"])
attempt(lambda: defaultdict(5))
nested = defaultdict(lambda: defaultdict(int))
nested["a"]["b"] += 1
print(nested["a"]["b"], dict(nested["a"]))
print(dd.copy() == dd, type(dd.copy()).__name__)

c = Counter("abracadabra")
print(c, c.most_common(2), c["zzz"], sum(c.values()), c.total(), sorted(c.elements()))
print(Counter(a=3, b=1) + Counter(a=1, b=2), Counter(a=3, b=1) - Counter(a=1, b=2), Counter(a=3, b=1) & Counter(a=1, b=2), Counter(a=3, b=1) | Counter(a=1, b=2))
c.update("aaa")
c.subtract({"b": 5})
print(c, +c, -c, Counter(), Counter({"x": 0, "y": 2}))
c["new"] += 1
del c["missing"]
print(c["new"], Counter([1, 2, 2, 3, 3, 3]), sorted(Counter([3, 1, 3])))
print(Counter("ab") == Counter("ba"), Counter("ab") <= Counter("aab"), Counter("aab") < Counter("ab"))

Point = namedtuple("Point", "x y")
p = Point(1, y=2)
print(p, p.x, p[1], p._asdict(), p._replace(x=5), Point._make([7, 8]), Point._fields, Point.__doc__, p == (1, 2), isinstance(p, tuple), len(p))
x, y = p
print(x, y, hash(p) == hash((1, 2)), Point.__name__, sorted([Point(2, 1), Point(1, 5)]), p + (3,), p.index(2))
Q = namedtuple("Q", ["a", "b", "c"], defaults=[2, 3])
print(Q(1), Q(1, c=9), Q._field_defaults)
for f in (lambda: Point(1), lambda: Point(1, 2, 3), lambda: Point(1, z=3), lambda: Point(1, 2, x=1), lambda: Point(), lambda: namedtuple("A", "class"),
          lambda: namedtuple("A", "x x"), lambda: namedtuple("A", "_x"), lambda: p._replace(q=1), lambda: Point._make([1]), lambda: setattr(p, "x", 3),
          lambda: Q(), lambda: Q(1, 2, 3, 4)):
    attempt(f)
print(namedtuple("R", "a class a", rename=True)._fields)


class Keys(namedtuple("Keys", "missing unexpected")):
    __slots__ = ()

    def __repr__(self):
        if not self.missing:
            return "<All keys matched>"
        return super().__repr__()

    __str__ = __repr__

    @property
    def both(self):
        return self.missing + self.unexpected


print(Keys([], []), Keys([1], [2]), Keys([1], [2]).both, hasattr(Keys([], []), "_fields"))

q = deque([1, 2, 3], maxlen=4)
q.append(4)
q.append(5)
q.appendleft(0)
print(q, q.maxlen, q[0], q[-1], len(q), 2 in q, list(q), list(reversed(q)), deque("abc"))
q.rotate(1)
print(q)
q.rotate(-2)
print(q, q.pop(), q.popleft(), q)
q.extend([7, 8, 9])
q.extendleft([1])
print(q, q.count(7), q.index(8), bool(deque()), deque([1]) == deque([1]), deque([1, 2]) < deque([1, 3]))
q[1] = "x"
del q[0]
q.insert(1, "y")
q.remove("x")
print(q, q.copy(), deque([1]) + deque([2]), deque([1, 2]) * 2)
q.reverse()
print(q)
q.clear()
print(q, deque(maxlen=2))
for f in (q.pop, q.popleft, lambda: q[0], lambda: q.remove(3), lambda: deque([1]).index(5), lambda: deque(maxlen=-1), lambda: hash(q)):
    attempt(f)
big = deque(maxlen=3)
for i in range(100):
    big.append(i)
print(big, sum(big))
fifo = deque()
for i in range(50):
    fifo.append(i)
    if i % 3 == 0:
        fifo.popleft()
print(len(fifo), fifo[0], fifo[len(fifo) - 1])


def grow():
    z = deque([1, 2])
    for v in z:
        z.append(v)


attempt(grow)

m = ChainMap({"a": 1}, {"a": 2, "b": 3})
print(m["a"], m["b"], sorted(m), len(m), "b" in m, m.get("z", 0), dict(m.items()) == {"a": 1, "b": 3})
m["c"] = 4
print(m.maps, m.new_child({"d": 5})["d"], m.parents)
attempt(lambda: m["nope"])
attempt(lambda: m.pop("b"))


class Lower(collections.UserDict):
    def __setitem__(self, k, v):
        super().__setitem__(k.lower(), v)


u = Lower(A=1)
u["B"] = 2
print(u, u["a"], len(u), list(u), "b" in u)
