def g():
    try:
        x = yield 1
        print('got', x)
        y = yield 2
        print('got', y)
        return 'ret'
    finally: print('fin')
a = g(); print(next(a), a.send('hi'))
try: a.send('yo')
except StopIteration as e: print('stop', e.value, e.args)
print(list(a))
try: next(a)
except StopIteration as e: print(repr(e))
b = g()
try: b.send(1)
except TypeError as e: print(e)
b.close(); print('closed unstarted')
try: next(b)
except StopIteration: print('done')
c = g(); next(c); c.close(); c.close()
d = g(); next(d)
try: d.throw(ValueError('inj'))
except ValueError as e: print('out', e)
e = g()
try: e.throw(KeyError, 'k')
except KeyError as x: print('out', x)
def catches():
    while True:
        try: v = yield
        except ValueError as e: print('caught', e); v = None
        print('v', v)
        if v == 'stop': return
f = catches(); next(f); f.send(1); f.throw(ValueError('q')); f.send(2)
try: f.send('stop')
except StopIteration as s: print(s.value)
def si(): 
    yield 1
    raise StopIteration(5)
s = si(); next(s)
try: next(s)
except RuntimeError as e: print(e, repr(e.__cause__))
def reent():
    yield next(r)
r = reent()
try: next(r)
except ValueError as e: print(e)
def fin():
    try: yield 1
    finally:
        yield 'from finally'
h = fin(); next(h); print(h.throw(ValueError('z')))
try: next(h)
except ValueError as e: print('after', e)
print(g.__name__, g().__name__, type(g()).__name__, g().gi_running)
def deco_gen(n):
    for i in range(n):
        if (yield i): break
print(list(deco_gen(3)))
k = deco_gen(5); next(k)
try: k.send(True)
except StopIteration: print('stopped')
print([*deco_gen(2)], dict(zip(deco_gen(2), 'ab')), max(deco_gen(4)), sum(deco_gen(4)), 2 in deco_gen(3), sorted(deco_gen(3), reverse=True))
z, *w = deco_gen(4); print(z, w)
def noyield():
    return 5
    yield
print(list(noyield()))
def inf():
    n = 0
    while 1: yield n; n += 1
print([x for x, _ in zip(inf(), range(4))])
