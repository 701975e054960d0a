a, b, c = 1, 2, 3; a, b, c = c, a, b; print(a, b, c); l = [1, 2, 3]; l[0], l[l[0]] = 2, 9; print(l)
i = 0; l = [0, 0]; i, l[i] = 1, 5; print(i, l); x = y = [1]; x += [2]; print(y); x = y = 5; x += 1; print(y)
def f(): print('f'); return [0, 0]
def g(): print('g'); return 0
def h(): print('h'); return 7
f()[g()] = h(); f()[g()] += h()
class P:
    def __setattr__(s, n, v): print('set', n, v)
    def __getattr__(s, n): print('get', n); return 1
p = P(); p.a = p.b = 3; p.c += 1
d = {}; d['x'] = d['y'] = []; d['x'].append(1); print(d)
(a, b), [c, *d] = [1, 2], 'xyz'; print(a, b, c, d)
a = [1, 2, 3]; a[0:2], b = [9], a; print(a, b)
*a, b = range(3); print(a, b); a, *b = 'x'; print(a, b)
k = (yield_ := 5) + yield_; print(k)
x: int = 5; y: 'str'; print(x, __annotations__)
