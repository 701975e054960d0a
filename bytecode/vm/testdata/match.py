class P:
    __match_args__ = ("x", "y")
    def __init__(self, x, y): self.x, self.y = x, y
class Q:
    def __init__(self): self.z = 7
def f(v):
    match v:
        case 0: return "zero"
        case -1 | 1.5: return "num"
        case "s": return "str"
        case None: return "none"
        case True: return "true"
        case []: return "empty"
        case [x]: return f"one {x}"
        case [1, 2, *rest]: return f"12 {rest}"
        case (a, b) if a == b: return f"same {a}"
        case [a, [b, *c], *_]: return f"nest {a} {b} {c}"
        case {"k": val, "n": {"m": mm}}: return f"map2 {val} {mm}"
        case {"k": val, **rest}: return f"map {val} {rest}"
        case {}: return "any map"
        case P(0, y): return f"P0 {y}"
        case P(x=xx, y=P(_, inner)): return f"PP {xx} {inner}"
        case P() as p: return f"P {p.x}"
        case Q(z=7): return "Q7"
        case int(n): return f"int {n}"
        case str() | bytes() as sb: return f"text {sb}"
        case float(): return "float"
        case _: return "other"
for v in [0, -1, 1.5, "s", None, True, [], [9], [1, 2], (1, 2, 3, 4), (5, 5), [1, [2, 3, 4], 5], {"k": 1}, {"k": 1, "o": 2}, {"k": 1, "n": {"m": 2}}, {"z": 1},
          P(0, 3), P(1, P(2, 4)), P(5, 6), Q(), 77, "txt", b"by", 2.5, {1, 2}, range(1)]:
    print(f(v))
---
class Color:
    RED = 1
    BLUE = 2
def g(c):
    match c:
        case Color.RED: return "red"
        case Color.BLUE: return "blue"
        case [Color.RED, *others]: return others
print(g(1), g(2), g(3), g([1, 5]))
match (1, 2):
    case (a, 3): print("no")
    case (a, b): print(a, b)
match {"x": [1, {"y": 2}]}:
    case {"x": [_, {"y": q}]}: print(q)
match "abc":
    case [*_]: print("seq?")
    case str(s): print("str", s)
match 5:
    case int() | float() as n if n > 10: print("big")
    case int() as n: print("small", n)
match [1, 2, 3, 4, 5]:
    case [first, *mid, last]: print(first, mid, last)
match (1, "a"):
    case (int(i), str(s)) | (str(s), int(i)): print(i, s)
match ("b", 2):
    case (int(i), str(s)) | (str(s), int(i)): print(i, s)
---
class A:
    __match_args__ = ("a",)
match A():
    case A(1): print("no")
    case _: print("no attr")
match A():
    case A(1, 2): print("no")
---
match 3:
    case str(): print("s")
print("through")
def h(x):
    match x:
        case [1, y]: pass
        case _: y = 9
    return y
print(h([1, 2]), h(0))
