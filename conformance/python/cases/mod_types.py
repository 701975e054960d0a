import types; n = types.SimpleNamespace(a=1); n.b = [2]; print(n, n == types.SimpleNamespace(a=1, b=[2]), vars(n), n.__dict__)

import types; n = types.SimpleNamespace(**{'lr': 0.1, 'name': 'x'}); print(n.lr, hasattr(n, 'zz'), getattr(n, 'zz', 5)); print(n)

import types; types.SimpleNamespace(1)

import types
def f(): pass
print(type(f) is types.FunctionType, isinstance(lambda: 0, types.LambdaType), type(print) is types.BuiltinFunctionType, isinstance([].append, types.BuiltinMethodType), types.FunctionType is types.LambdaType)

import types
class A:
    def m(self): pass
print(type(A().m) is types.MethodType, type(A.m) is types.FunctionType, isinstance(types, types.ModuleType), types.MethodType.__name__)

import types
def g(): yield 1
print(isinstance(g(), types.GeneratorType), type(g()) is types.GeneratorType, isinstance((i for i in []), types.GeneratorType), isinstance(g, types.GeneratorType))

import types
def add(self, n): return self.v + n
class A: v = 10
a = A(); a.add = types.MethodType(add, a); print(a.add(5), a.add.__self__ is a, a.add.__func__ is add)

import types; m = types.MappingProxyType({'a': 1, 'b': 2}); print(m['a'], len(m), list(m), m.get('z'), dict(m), m == {'a': 1, 'b': 2}, 'a' in m, m); m['c'] = 3

import types; d = {'a': 1}; m = types.MappingProxyType(d); d['b'] = 2; print(m, m | {'c': 3}, m.copy()); del m['a']

import types; m = types.ModuleType('mymod', 'docs'); m.x = 1; print(m.__name__, m.__doc__, m.x, type(m).__name__)

import types; print(types.NoneType is type(None), types.EllipsisType is type(...), types.NotImplementedType is type(NotImplemented), isinstance(None, types.NoneType))

import types; print(type(int | str) is types.UnionType, isinstance(int | None, types.UnionType), type(list[int]) is types.GenericAlias, list[int].__origin__, list[int].__args__, (int | str).__args__)

import types
def f(a, b=2): return a + b
c = f.__code__; print(type(c) is types.CodeType, c.co_name, c.co_argcount, c.co_varnames[:2])

import types
class P:
    @property
    def x(self): return 1
print(type(P.__dict__['x']).__name__, isinstance(P.__dict__, types.MappingProxyType), type(P.__dict__).__name__)

import types
try: 1 / 0
except ZeroDivisionError as e: print(isinstance(e.__traceback__, types.TracebackType), isinstance(e.__traceback__.tb_frame, types.FrameType))

import types
C = types.new_class('C', (int,), {}, lambda ns: ns.update(x=5)); print(C.__name__, C.x, C(3) + 1, C.__bases__)

import types
C = types.new_class('D'); print(C, C.__mro__[-1], types.resolve_bases((int,)))

import types
class E:
    @types.DynamicClassAttribute
    def v(self): return 'inst'
print(E().v)

import types; print(isinstance(len, types.FunctionType), isinstance(len, (types.BuiltinFunctionType, types.FunctionType)), callable(types.MethodType), isinstance(int, type))

import types
def outer():
    x = 1
    def inner(): return x
    return inner
print(type(outer().__closure__[0]) is types.CellType, outer().__closure__[0].cell_contents)

import types; print(sorted(n for n in ('CoroutineType', 'AsyncGeneratorType', 'MethodWrapperType', 'WrapperDescriptorType', 'MethodDescriptorType', 'GetSetDescriptorType', 'MemberDescriptorType', 'ClassMethodDescriptorType') if hasattr(types, n)))

import types; n = types.SimpleNamespace(x=types.SimpleNamespace(y=1)); print(n, n.x.y); del n.x; print(n, n != types.SimpleNamespace())
