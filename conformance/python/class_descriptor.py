class D:
    def __set_name__(self, owner, name): self.n = name; print('set_name', owner.__name__, name)
    def __get__(self, obj, owner=None):
        if obj is None: return self
        return ('get', obj.__dict__.get('_' + self.n), owner.__name__)
    def __set__(self, obj, v): obj.__dict__['_' + self.n] = v
    def __delete__(self, obj): print('delete'); del obj.__dict__['_' + self.n]
class ND:
    def __get__(self, obj, owner): return 'nd'
class A:
    d = D()
    nd = ND()
a = A(); a.d = 3; print(a.d, type(A.d).__name__); del a.d; print(a.d)
a.__dict__['d'] = 'shadow'; a.__dict__['nd'] = 'shadow'
print(a.d, a.nd, A.nd)
class Only:
    def __get__(self, o, t): return 1
    def __set__(self, o, v): raise AttributeError('cannot')
class B: x = Only()
b = B()
try: b.x = 2
except AttributeError as e: print(e)
try: del b.x
except AttributeError as e: print(e)
class cached:
    def __init__(self, f): self.f = f; self.__doc__ = f.__doc__
    def __set_name__(self, o, n): self.name = n
    def __get__(self, o, t=None):
        if o is None: return self
        v = o.__dict__[self.name] = self.f(o)
        return v
class C:
    @cached
    def val(self):
        print('compute'); return 42
c = C(); print(c.val, c.val)
def f(self): return self
print(f.__get__(5)(), type(f.__get__(5)).__name__)
print(A.__dict__['d'].__class__.__name__, classmethod(f).__func__ is f)
m = c.__init__
print(m.__name__, a.__class__.d.n)
class M:
    def meth(self): pass
x = M()
print(x.meth == x.meth, x.meth is x.meth, x.meth.__self__ is x, x.meth.__func__ is M.meth, hash(x.meth) == hash(x.meth))
try: x.meth.foo = 1
except AttributeError as e: print(e)
M.meth.foo = 1; print(x.meth.foo)
try:
    class Bad:
        class S:
            def __set_name__(self, o, n): raise ValueError('no')
        s = S()
except Exception as e: print(type(e).__name__, e, repr(e.__cause__))
