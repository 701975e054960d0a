def f(self, x=1): return (self, x)
class A: pass
a = A(); a.m = f.__get__(a, A); print(a.m()[0] is a, f.__get__(5)(2), f.__get__(None, A) is f, type(f.__get__(1)).__name__)
class P:
    @property
    def v(self): return 'v'
    @classmethod
    def c(cls): return cls.__name__
    @staticmethod
    def s(): return 's'
print(P.__dict__['v'].__get__(P(), P), P.__dict__['c'].__get__(None, P)(), P.__dict__['s'].__get__(None, P)())
import types
a.t = types.MethodType(f, a); print(a.t(5)[1])
print(f.__code__.co_freevars, (lambda: a).__code__.co_freevars)
def out():
    z = 1
    def inner(): return z
    return inner
print(out().__code__.co_freevars, out.__code__.co_cellvars, out().__closure__[0].cell_contents)
