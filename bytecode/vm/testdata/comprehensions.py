print([x * y for x in range(3) for y in range(x)], {x % 3 for x in range(10)}, {k: v for k, v in zip("abc", range(3))})
print([[i * j for j in range(3)] for i in range(2)], [x for x in range(20) if x % 2 if x % 3])
x = "outer"
l = [x for x in range(3)]
print(x, l)
def f(n):
    k = 10
    a = [i + k + n for i in range(3)]
    b = [lambda: i + k for i in range(3)]
    c = {i: (lambda j=i: j * k) for i in range(2)}
    return a, [g() for g in b], [c[q]() for q in c]
print(f(1))
print([(a, b) for a, b in [(1, 2), (3, 4)]], [a for a, *b in [(1, 2, 3)]])
print([y for x in [[1, 2], [3]] for y in x], [i for i in range(5) if (j := i * 2) > 4], j)
class C:
    v = 3
    l = [i for i in range(v)]
    m = [i for i in range(2)]
print(C.l, C.m)
print([i for i in (lambda: range(3))()], [[k for k in range(i)] for i in range(3)], {i: {j for j in range(i)} for i in range(3)})
---
def f():
    return [undefined_name for i in range(2)]
f()
---
def f():
    r = [i for i in range(3)]
    try:
        i
    except NameError as e:
        return r, "unbound"
print(f())
---
print([1 / i for i in range(2)])
---
def f():
    x = [1, 2, 3]
    x = [x for x in x if x > 1]
    x = [i for i in x] + [x[0] for i in x]
    return x
print(f())
def g(d): return {k: d[k] for k in sorted(d)}
print(g({"b": 1, "a": 2}))
def h():
    s = 0
    for r in ([i, i + 1] for i in range(3)):
        s += sum(e for e in r if e)
    return s
print(h())
def big():
    return [i for i in range(1000)][-1], len({i for i in range(500)}), len([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69])
print(big())
print([*range(3), *"ab"], (*[1], 2, *(3,)), {*[1, 2], 3}, {"a": 1, **{"b": 2}, "c": 3, **{"a": 9}})
