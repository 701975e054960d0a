def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
l = [3, 1, 2]
a = [(i % 3, i) for i in range(9)]; a.sort(key=lambda p: p[0]); print(a); a.sort(key=lambda p: p[0], reverse=True); print(a)
x = [1, 2]; y = x; y += [3]; print(x, x is y); y = y + [4]; print(x, y)
x = [1, 2, 3, 4, 5, 6]
for v in x: 
    if v % 2: x.remove(v)
print(x)
r = []; r.append(r); print(r, [r], (r,))
t(lambda: [[]] * 2); z = [[]] * 2; z[0].append(1); print(z)
print([1, 2, 3].__contains__(2), [*reversed([1, 2, 3])], [1] and [], [] or 'e', not [], bool([0]))
def srt():
    q = [3, 1, 2]
    def k(v): q.append(1); return v
    q.sort(key=k)
t(srt)
class C:
    def __init__(s, v): s.v = v
    def __lt__(s, o): return s.v < o.v
    def __repr__(s): return f'C{s.v}'
print(sorted([C(3), C(1), C(2)]), max([C(1), C(5)]), min(C(1), C(0)))
from functools import cmp_to_key
print(sorted([3, 1, 2], key=cmp_to_key(lambda a, b: b - a)))
