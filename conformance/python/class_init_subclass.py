class Base:
    reg = {}
    def __init_subclass__(cls, /, key=None, **kw):
        super().__init_subclass__(**kw)
        Base.reg[key] = cls.__name__
class A(Base, key='a'): pass
class B(A, key='b'): pass
print(Base.reg)
try:
    class C(Base, key='c', other=1): pass
except TypeError as e: print(e)
try:
    class C(foo=1): pass
except TypeError as e: print(e)
class G:
    def __class_getitem__(cls, k): return f'{cls.__name__}[{k}]'
print(G[int], G[1, 2])
try: A[1]
except TypeError as e: print(e)
def deco(n):
    def d(c): c.n = n; print('deco', n, c.__name__); return c
    return d
@deco(1)
@deco(2)
class H: pass
print(H.n)
print(list[int], dict[str, int], tuple[int, ...], type[int])
