def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
class Ix:
    def __init__(s, l, n): s.l, s.n = l, n
    def __index__(s): s.l.clear(); return s.n
def a(): l = [1, 2, 3]; return l[Ix(l, 0)]
def b(): l = [1, 2, 3]; l[Ix(l, 1)] = 5; return l
def c(): l = [1, 2, 3]; del l[Ix(l, 1):]; return l
def d(): l = [1, 2, 3]; l[Ix(l, 1):] = [7]; return l
def e(): l = [1, 2, 3]; return l.pop(Ix(l, 0))
def f(): l = [1, 2, 3]; l.insert(Ix(l, 2), 9); return l
def g(): l = [1, 2, 3]; return l[::Ix(l, 1)]
for k in (a, b, c, d, e, f, g): t(k)
class E:
    def __init__(s, f): s.f = f
    def __eq__(s, o): s.f(); return False
    def __hash__(s): return 1
def h(): l = [1, 2, 3]; return E(l.clear) in l, l
def i(): l = [1, 2, 3]; return l.count(E(l.clear)), l
def j():
    m = {}
    for n in range(5): m[E(m.clear)] = n
    return len(m)
def k():
    m = {}
    for n in range(5): m[E(lambda: m.update({len(m) + 100: 1}))] = n
    return len(m) > 5
def l_():
    s = {1, 2}
    return E(s.clear) in s, len(s)
for q in (h, i, k, l_): t(q)
def m():
    z = [3, 1, 2]; z.sort(key=lambda v: z.append(v) or v)
def n():
    z = [3, 1, 2]; z.sort(key=lambda v: z.clear() or v)
t(m)
x = [0] * 4; x[2:] = x; x.extend(x); x += x; x[1:2] = (v for v in x); print(len(x))
x = [1]; x[:] = x; x[0] = x; print(x, x == x)
