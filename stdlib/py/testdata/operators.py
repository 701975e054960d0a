import operator
from operator import itemgetter, attrgetter, methodcaller
import bisect, heapq

for name in "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift".split():
    a, b = 13, 4
    print(name, getattr(operator, name)(a, b))
for name in "lt le eq ne gt ge".split():
    print(name, getattr(operator, name)(1, 2), getattr(operator, name)("b", "a"))
print(operator.neg(3), operator.pos(-3), operator.invert(5), operator.not_([]), operator.truth([0]), operator.abs(-2.5), operator.index(True))
print(operator.contains([1, 2], 2), operator.countOf([1, 2, 1], 1), operator.indexOf([1, 2], 2), operator.concat([1], [2]), operator.getitem({"a": 1}, "a"))
l = [1, 2, 3]
operator.setitem(l, 0, 9)
operator.delitem(l, 1)
print(l, operator.iadd(l, [4]), l, operator.is_(None, None), operator.is_not(1, None), operator.length_hint([1, 2]))
print(itemgetter(1)("abc"), itemgetter(1, 0)("abc"), itemgetter("k")({"k": 5}), itemgetter(slice(1, 3))([1, 2, 3, 4]))


class A:
    def __init__(self):
        self.x = 1
        self.child = type("B", (), {"y": 2})()

    def go(self, a, b=0):
        return a, b

    def __add__(self, o):
        return "added", o

    def __lt__(self, o):
        return "less"

    def __index__(self):
        return 7


a = A()
print(attrgetter("x")(a), attrgetter("child.y", "x")(a), methodcaller("go", 1, b=2)(a), operator.add(a, 3), operator.lt(a, 0), operator.index(a), operator.lshift(1, a.__index__()))
print(itemgetter(1, 2), attrgetter("a.b"), methodcaller("go", 1, b=2))
for f in (lambda: itemgetter(5)("abc"), lambda: attrgetter("nope")(a), lambda: attrgetter(5), lambda: operator.add(1, "a"), lambda: operator.index(1.5), lambda: operator.indexOf([1], 2)):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
print(sorted([("b", 2), ("a", 3)], key=itemgetter(1)), sorted([("b", 2), ("a", 3)], key=itemgetter(0)))

xs = [1, 3, 3, 5, 8]
print([bisect.bisect_left(xs, v) for v in range(10)], [bisect.bisect_right(xs, v) for v in range(10)], bisect.bisect(xs, 3, 0, 2))
bisect.insort(xs, 4)
bisect.insort_left(xs, 3)
print(xs, bisect.bisect_left([{"k": 1}, {"k": 5}], 3, key=lambda d: d["k"]))
try:
    bisect.bisect([1], 1, -1)
except ValueError as e:
    print(e)

h = []
for v in [5, 2, 8, 1, 9, 3, 7, 2]:
    heapq.heappush(h, v)
print(h, [heapq.heappop(h) for _ in range(len(h))])
h = [9, 4, 7, 1, 0, 3]
heapq.heapify(h)
print(h, heapq.heappushpop(h, 2), heapq.heapreplace(h, 10), h)
print(heapq.nlargest(3, [1, 5, 2, 9]), heapq.nsmallest(2, [(2, "b"), (1, "z"), (1, "a")]), heapq.nlargest(2, ["aa", "b", "cccc"], key=len))
print(list(heapq.merge([1, 4, 7], [2, 5], [3, 9])), list(heapq.merge([7, 4, 1], [5, 2], reverse=True)))
try:
    heapq.heappop([])
except IndexError as e:
    print("IndexError", e)
