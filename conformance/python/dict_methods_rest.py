def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
d = {'a': 1, 'b': 2, 'c': 3}
del d['a']; d['a'] = 9; print(d, list(d), d.popitem(), d)
e = {}; e |= {1: 2}; e |= [(3, 4)]; print(e)
def m1():
    for k in e: e[k + 100] = 1
def m2():
    for k in list(e): del e[k]
def m3():
    g = {1: 1, 2: 2}
    for k in g: del g[k]
def m4():
    g = {1: 1}
    it = iter(g.items()); g[2] = 2; next(it)
def m5():
    g = {1: 1, 2: 2}
    for k in g: g[k] += 1
    return g
for f in (m1, m2, m3, m4, m5): t(f)
x = {}; x['self'] = x; print(x, str([x]))
for i in range(20): x[i] = i
for i in range(0, 20, 2): del x[i]
x['end'] = 1; print(list(x))
class D(dict):
    def __setitem__(s, k, v): super().__setitem__(k, v * 2)
    def __getitem__(s, k): return ('got', super().__getitem__(k))
q = D(a=1); q['b'] = 2; q.update(c=3); print(dict(q), q['b'], q.get('b'), q)
