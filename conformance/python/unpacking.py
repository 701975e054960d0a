def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
def u(s):
    def f():
        exec_ns = {}
        a, b = s
        return a, b
    return f
for s in ([1, 2], (1,), (1, 2, 3), 'ab', 'abc', 5, {1: 2, 3: 4}, {}, iter([1]), range(2), (x for x in range(5)), None): t(u(s))
def st(s):
    def f():
        a, *b, c = s
        return a, b, c
    return f
for s in ([1, 2], [1, 2, 3, 4], [1], 'xyz', iter(range(4)), 7): t(st(s))
(a, b), c = (1, 2), 3; print(a, b, c)
[a, [b, *c]] = 1, (2, 3, 4); print(a, b, c)
a, = [5]; print(a)
*a, = 'hey'; print(a)
a = b = c = []; a.append(1); print(b, c is a)
x = [0, 1, 2]; i = 0
i, x[i] = 1, 9; print(i, x)
x[0], x[1], x[2] = x[2], x[0], x[1]; print(x)
d = {}; d['a'], d['b'] = 1, 2; print(d)
class O: pass
o = O(); o.p, (o.q, *o.r) = 1, 'abc'; print(o.__dict__)
for a, (b, c) in [(1, (2, 3)), (4, 'xy')]: print(a, b, c)
for i, *r in [(1, 2, 3), (4,)]: print(i, r)
for x[0] in range(3): pass
print(x)
a, b = b, a = 1, 2; print(a, b)
def f(): return 1, *[2, 3], *(), 4
print(f())
print([*'ab', *range(2)], {**{1: 2}, 3: 4}, {*[1], *[2]}, (*'a',), *[7, 8])
t(lambda: [*5]); t(lambda: {**5}); t(lambda: {**[1]}); t(lambda: {*5})
a, b = {'k': 1, 'v': 2}; print(a, b)
a, b = map(int, '12'); print(a + b)
def g(): yield 1; yield 2; raise ValueError('end')
def tt():
    a, b = g()
t(tt)
(x) = 4; print(x)
with_star = [(1, [2, 3])]
for p, [q, r] in with_star: print(p, q, r)
