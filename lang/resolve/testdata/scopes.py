import a.b, c as d
from e import f as g
x = y = 1

def params(a, /, b, *args, c, d=x, **kw):
    e = a
    return lambda: (a, c, kw, e)

def cells():
    n = 0
    def inc(by):
        nonlocal n
        n += by
        def again():
            nonlocal n
            n += 1
            return inc
        return again
    return inc

def globals_():
    global x, z
    x = 1
    z = 2
    def inner():
        return x, z
    def own():
        x = 3
        return lambda: x

class A(dict):
    """doc"""
    x = x
    __private = 1
    y: int = 2
    def m(self):
        self.__private = __private
        return super().m() + x
    def n(self):
        def inner():
            return __class__
        return inner
    def p(self):
        return [super().q() for _ in range(3)]
    def q(self, __a, *, __b):
        return lambda: (__a, __b, self.__c, __dunder__)
    z = [x for i in x if y]
    class Inner(d):
        def m(self): return super
    del y

def outer(v, w):
    class C:
        v = v
        u = v
        def get(self):
            return v
        nonlocal w
        w = 2
        global x
        x = 1
    return C

def comps(seq):
    a = [i for i in seq]
    b = {i: j for i in seq for j in i if a}
    c = (lambda: i for i in seq)
    d = [[j for j in i] for i in seq]
    e = [last := i for i in seq]
    f = [(k := i) for i in seq if [k for _ in seq]]
    return last, lambda: k

top = [last := i for i in x]

def gen():
    x = yield
    try:
        pass
    except ValueError as err:
        print(err)
    with x as (a, b.c), y as d[0]:
        pass
    for i, *j in x: pass
    import p.q
    from r import s
    del a
    match x:
        case [m, *n] | {"a": m, **n}: pass
        case A(o, q=t) as u: pass
    return lambda: (yield)

def annotated():
    a: int
    b: A = 1
    (c): int
    (d): int = 2
    return lambda: a

def unused_inner():
    def f(): return f
    def g(): return h
    h = 1

def shadow():
    super = 1
    return super

def deep():
    v = 1
    class C:
        def m(self):
            class D:
                def n(self):
                    return v, __class__
            return D
    return C

class _:
    def f(self): return __x
class B:
    def __f(self):
        import __m
        global __g
        __g = 1
        def __h(): pass
        class __K: 
            def f(self): self.__y
        return __h, __K
