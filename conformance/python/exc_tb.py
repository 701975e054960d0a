def inner(x):
    return x['a']['b'] + \
        1
def outer(d):
    y = 1; return (inner(d)
            * 2)
class K:
    def __init__(self, v):
        self.v = self.compute(v)
    def compute(self, v): return v / 0
    @property
    def p(self): return self.nope
import traceback
def show(f):
    try: f()
    except Exception: print(traceback.format_exc())
show(lambda: outer({'a': {}}))
show(lambda: outer({'a': None}))
show(lambda: K(1))
show(lambda: K.__new__(K).p)
show(lambda: sorted([3, 'a']))
show(lambda: max(map(lambda q: 1 / q, [0])))
def gen():
    yield 1
    raise ValueError('in gen')
def multi():
    return foo(1,
               2,
               bar=3)
show(multi)
def kw(): inner(x=1, y=2)
show(kw)
def s():
    a = 'é' * 3 + 'ü' + (1 + '日本')
show(s)
def st():
    a, b = (1, 2,
            3)
show(st)
def asr():
    assert 1 > 2, 'no' + \
        ' way'
show(asr)
def deep(n):
    if n == 0: raise KeyError('bottom')
    deep(n - 1)
show(lambda: deep(6))
def imp():
    import no_such_module_x
show(imp)
def imp2(): from math import nothing_here
show(imp2)
def dl():
    del q.x.y
show(dl)
def au():
    z = [1]; z[3] += 1
show(au)
def cmpc(): return 1 < 2 < 'a'
show(cmpc)
def fs(): return f'a {1/0} b'
show(fs)
def ra():
    raise ValueError('x' * 3)
show(ra)
def dec():
    @undefined_deco
    def f(): pass
show(dec)
def cl():
    class A(undefined_base): pass
show(cl)
def defa():
    def f(a=1/0): pass
show(defa)
def ca(): (lambda: 1)(2)
show(ca)
def sub(): [1, 2][5]
show(sub)
def at(): None.foo.bar
show(at)
def op(): 1 + 2 * 'a' - 3
show(op)
def un(): -'a'
show(un)
def sl(): 'abc'['x':2]
show(sl)
def se(): (1, 2)[0] = 5
show(se)
def di(): {}['missing key']
show(di)
K(0)
