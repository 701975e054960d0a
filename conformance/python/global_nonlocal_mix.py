x = 0
def a():
    x = 1
    def b():
        nonlocal x; x += 1
        def c():
            global x; x += 10; return x
        return c(), x
    return b(), x
print(a(), x)
class C:
    x = 5
    def f(self): return x
    def g(self): return self.x, C.x
    y = x + 1
    l = [x for x in range(2)]
    d = {k: v for k, v in zip('ab', l)}
print(C().f(), C().g(), C.y, C.l, C.d)
def counter():
    c = 0
    def inc(): nonlocal c; c += 1; return c
    def reset(): nonlocal c; c = 0
    return inc, reset
i, r = counter(); i(); i(); r(); print(i())
fs = []
for k in range(3):
    def fn(k=k): return k
    fs.append(fn)
print([q() for q in fs], [(lambda: k)() for k in range(3)])
def outer():
    def set_it(): nonlocal v; v = 'set'
    v = 'init'; set_it(); return v
print(outer())
def deleted():
    z = 1
    def inner(): return z
    del z
    try: inner()
    except NameError as e: return str(e)
print(deleted())
exec_like = [lambda n=n: n * x for n in range(3)]; x = 100; print([f() for f in exec_like])
