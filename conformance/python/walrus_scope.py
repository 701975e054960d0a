if (n := 10) > 5: print(n)
while (n := n - 3) > 0: print(n)
print((a := 1, b := 2), a, b, [y := 1, y + 1], {(k := 'x'): k})
def f(x=(d := 5)): return x
print(f(), d)
print([z for q in range(3) if (z := q * 2)], z, any((w := v) > 1 for v in [1, 2, 3]), w)
def g():
    def h(): return hh
    hh = 1
    return h() + (lambda: (hh := 5))() + hh
print(g())
x = 1
def glob():
    global x, newg
    x += 1; newg = 'n'
    def inner():
        global x
        x = 100
    inner()
    return x
print(glob(), x, newg)
def nl():
    v = []
    def a():
        nonlocal v
        v = v + [1]
        def b():
            nonlocal v
            v += [2]
        b()
    a(); return v
print(nl())
def dl():
    a = 1; b = [1, 2, 3]; c = {'k': 1}
    del a, b[0], c['k']
    try: a
    except UnboundLocalError as e: print(e)
    return b, c
print(dl())
def cond(p):
    if p: q = 1
    return q
try: cond(0)
except UnboundLocalError as e: print(e)
def aug(): 
    x += 1
try: aug()
except UnboundLocalError as e: print(e)
for i in range(3): pass
print(i)
for i in []: pass
else: print('else', i)
for j in range(5):
    if j == 2: break
else: print('never')
print(j)
while False: pass
else: print('welse')
class A:
    for k in range(3): pass
    w = [k for _ in range(1)] if False else k
    def f(self): return __class__.__name__
print(A.k, A.w, A().f())
def shadow(list): return list
print(shadow(3)); print(len([1]))
print = print
def outer():
    def inner(): return inner.__name__, outer.__name__
    return inner()
print(outer())
lam = lambda x, *y, z=1, **k: (x, y, z, k); print(lam(1, 2, 3, z=4, w=5))
print((lambda: (yield 5))().__next__())
print(*[1, 2], *'ab', sep='-'); print(1, 2, end='!\n'); print(); print('a', None, True, 1.0, [1], sep='')
