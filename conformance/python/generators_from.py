def inner():
    try:
        x = yield 1; print('inner got', x)
        y = yield 2; print('inner got', y)
    except ValueError as e:
        print('inner caught', e); yield 'recovered'
    finally: print('inner fin')
    return 'R'
def outer():
    r = yield from inner(); print('r', r)
    r = yield from [10, 20]; print('r', r)
    return (yield from iter('z'))
o = outer(); print(next(o), o.send('A'), o.send('B'), next(o), next(o))
try: next(o)
except StopIteration as e: print('end', e.value)
o = outer(); next(o); print(o.throw(ValueError('V')), next(o)); o.close()
o = outer(); next(o); o.close()
class It:
    def __iter__(s): return s
    def __init__(s): s.n = 0
    def __next__(s):
        s.n += 1
        if s.n > 2: raise StopIteration('itv')
        return s.n
    def send(s, v): print('send', v); return next(s)
    def throw(s, t, v=None, tb=None): print('throw', t if isinstance(t, type) else type(t)); return 'thrown'
    def close(s): print('close')
def d(): return (yield from It())
g = d(); print(next(g), g.send('q'))
try: next(g)
except StopIteration as e: print(e.value)
g = d(); next(g); print(g.throw(ValueError)); g.close()
def e(): yield from range(3)
g = e(); next(g)
try: g.send(3)
except AttributeError as x: print(x)
def bad(): yield from 5
try: list(bad())
except TypeError as x: print(x)
def tree(t):
    if isinstance(t, list):
        for x in t: yield from tree(x)
    else: yield t
print(list(tree([1, [2, [3, [4, []]], 5]])))
def rec(n):
    if n: yield n; yield from rec(n - 1)
print(sum(rec(300)))
def ge():
    try: yield
    except GeneratorExit: print('GE'); raise
def wrap(): yield from ge()
w = wrap(); next(w); w.close()
def ret_in_fin():
    try: yield 1
    finally: return 7
r = ret_in_fin(); next(r); r.close()
r = ret_in_fin(); next(r)
try: r.throw(KeyError)
except StopIteration as x: print('swallowed', x.value)
def self_yf():
    yield from sy
sy = self_yf()
try: next(sy)
except ValueError as x: print(x)
