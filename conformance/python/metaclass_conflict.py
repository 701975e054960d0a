class M1(type): pass
class M2(type): pass
class M3(M1, M2): pass
class A(metaclass=M1): pass
class B(metaclass=M2): pass
try:
    class C(A, B): pass
except TypeError as e: print(e)
class C(A, B, metaclass=M3): pass
print(type(C).__name__, type(A()).__name__)
class D(A): pass
print(type(D).__name__)
try:
    class E(B, metaclass=M1): pass
except TypeError as e: print(e)
try:
    class F(A, metaclass=M3): pass
    print(type(F).__name__)
except TypeError as e: print(e)
