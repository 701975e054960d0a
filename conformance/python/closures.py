def counter():
    n = 0
    def inc(k=1):
        nonlocal n
        n += k
        return n
    def get(): return n
    return inc, get
i, g = counter(); i(); i(5); print(g(), i.__closure__[0].cell_contents, i.__code__.co_freevars)
fs = [lambda: x for x in range(3)]
print([f() for f in fs])
fs = [lambda x=x: x for x in range(3)]
print([f() for f in fs])
def f():
    def g(): return later
    try: g()
    except NameError as e: print(type(e).__name__, e)
    later = 5
    return g()
print(f())
def h():
    x = 1
    del x
    try: return x
    except UnboundLocalError as e: return str(e)
print(h())
def k():
    x = 1
    def inner(): return x
    del x
    try: return inner()
    except NameError as e: return str(e)
print(k())
def outer():
    x = 'outer'
    class C:
        x = 'class'
        y = [x for _ in range(1)]
        z = [q for q in x]
        def m(self): return x
    return C.y, C.z, C().m()
print(outer())
x = 'global'
class G:
    print(x); x = 'in class'; print(x)
    def m(self): return x
print(G().m())
def dflt(a, l=[]): l.append(a); return l
print(dflt(1), dflt(2), dflt.__defaults__)
def mk():
    a = 1
    def in1():
        b = 2
        def in2():
            nonlocal a, b
            a += 1; b += 1
            return a, b
        return in2
    return in1()
q = mk(); q(); print(q())
def gl():
    global newglob
    newglob = 10
gl(); print(newglob)
try: print(undefined_thing)
except NameError as e: print(e, e.name)
def ub():
    print(zz)
    zz = 1
try: ub()
except UnboundLocalError as e: print(e)
def ub2():
    for i in []: pass
    return i
try: ub2()
except UnboundLocalError as e: print(e)
def ex():
    try: 1 / 0
    except ZeroDivisionError as e: pass
    return e
try: ex()
except UnboundLocalError as e2: print(e2)
e = 'old'
try: raise ValueError
except ValueError as e: pass
try: e
except NameError as n: print(n)
print((lambda *a, **k: (a, k))(1, b=2), (lambda: (yield))().__class__.__name__)
def rec(n): return 1 if n == 0 else n * rec(n - 1)
print(rec(30))
del i
try: i
except NameError as e: print(e)
