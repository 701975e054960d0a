class M:
    def __init__(self, name, swallow=False): self.name, self.swallow = name, swallow
    def __enter__(self):
        print("enter", self.name)
        return self.name.upper()
    def __exit__(self, t, e, tb):
        print("exit", self.name, t.__name__ if t else None, e)
        return self.swallow
with M("a") as a, M("b") as b:
    print(a, b)
with M("c", True):
    raise ValueError("swallowed")
try:
    with M("d"):
        raise ValueError("through")
except ValueError as e:
    print("got", e)
def f():
    with M("e"):
        return "ret"
print(f())
for i in range(3):
    with M(str(i)):
        if i == 0: continue
        if i == 1: break
with (M("p") as p, M("q")):
    print(p)
with M("x", True), M("y"):
    raise KeyError("k")
def g():
    with M("g"):
        yield 1
        yield 2
for v in g():
    print(v)
with M("t") as (x, *y): print(x, y)
---
with 5: pass
---
class Bad:
    def __enter__(self): raise ValueError("in enter")
    def __exit__(self, *a): print("never")
with Bad(): pass
---
class Ex:
    def __enter__(self): return self
    def __exit__(self, *a): raise KeyError("in exit")
try:
    with Ex(): raise ValueError("body")
except KeyError as e:
    print(e, repr(e.__context__))
with Ex(): pass
---
class T:
    def __enter__(self): return self
    def __exit__(self, *a): return True
def f():
    x = 0
    with T():
        x = 1
        raise ValueError
        x = 2
    return x
print(f())
with T() as t, T():
    1 / 0
print("after")
