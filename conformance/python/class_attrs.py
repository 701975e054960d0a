class A:
    """doc"""
    x = 1
    y: int = 2
    z: str
    def __init__(self): self.a = 5
    def __getattr__(self, n):
        if n.startswith('dyn_'): return n[4:]
        raise AttributeError(f'no {n}!')
a = A()
print(a.dyn_foo, A.__annotations__, A.__doc__, a.__doc__, a.__dict__, vars(a))
try: a.bar
except AttributeError as e: print(e, e.args)
print(hasattr(a, 'bar'), hasattr(a, 'dyn_x'), getattr(a, 'bar', 9), getattr(a, 'x'))
del a.a
try: del a.a
except AttributeError as e: print(e)
try: del a.x
except AttributeError as e: print(e)
try: A.nope
except AttributeError as e: print(e)
try: del A.nope
except AttributeError as e: print(e)
class B:
    def __setattr__(self, n, v):
        print('set', n, v); object.__setattr__(self, n, v)
    def __delattr__(self, n):
        print('del', n); super().__delattr__(n)
    def __getattribute__(self, n):
        if n == 'secret': return 'S'
        return object.__getattribute__(self, n)
b = B(); b.q = 3; print(b.q, b.secret); del b.q
try: del b.q
except AttributeError as e: print(e)
for v in (1, 'a', None, [], len, print, a):
    try: v.foo = 1; print('ok')
    except AttributeError as e: print(str(e).replace(hex(id(v)), ''))
try: object().x = 1
except AttributeError as e: print(e)
try: (5).real = 3
except AttributeError as e: print(e)
try: int.foo = 1
except TypeError as e: print(e)
a.__class__ = B
print(type(a).__name__)
a.__dict__['new'] = 7
print(a.new)
a.__dict__ = {'r': 1}
print(a.r)
try: setattr(a, 1, 2)
except TypeError as e: print(e)
try: getattr(a, 1)
except TypeError as e: print(e)
try: hasattr(a, 1)
except TypeError as e: print(e)
class P:
    __priv = 3
    def get(self): return self.__priv
    def f(self, __x): return __x
print(P().get(), P._P__priv, [k for k in P.__dict__ if 'priv' in k])
