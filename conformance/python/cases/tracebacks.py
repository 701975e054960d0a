def f(x):
    return x + 'a'
f(1)

x = {'a': {'b': None}}
print(x['a']['b']['c'])

class A:
    def m(self):
        return self.missing
A().m()

(1 +
 2 + None)

print(1, 2, (lambda: 1 / 0)(), 3)

[int(s) for s in ['1', 'x']][0]

def f(a,
      b):
    return (a
            .b)
f(1, 2)

x = [1, 2, 3]
y = x[1] + x[
    10]

class A:
    def __init__(self): self.x = 1 / 0
A()

import math
math.sqrt(-1)

def f(): raise ValueError('é ü')
f()

def g():
    yield 1
    1 / 0
list(g())

f = lambda x: x.y
f(3)

sorted([1, 'a'])

import json
try: json.loads('{')
except json.JSONDecodeError as e: print(e)

class A:
    @property
    def p(self): return self._q
A().p

x = 'aaa'; x.foo.bar

a = 1; b = 0
c = (a * 2) / (b * 3) + 1

"%d" % 'x'

f"{1 / 0}"

{}[[1]]

def f(n):
    if n == 0: raise ValueError('bottom')
    f(n - 1)
f(5)

def f(n): return f(n - 1) if n else 1 / 0
f(8)

with open('nonexistent') as f: pass

class M(type):
    def __call__(cls): return cls.nope
class A(metaclass=M): pass
A()

@1
def f(): pass

assert 1 + 1 == 3, f'sum is {1 + 1}'

from math import nothing

import os.nothing

x: int = 'a' - 1

del [1, 2][5]

for a, b in [1]: pass

def f(*, a): pass
f(b=1)

print('before'); raise SystemExit

try: 1 / 0
except ZeroDivisionError as e:
    import traceback; traceback.print_exc()

import traceback
try: [][0]
except IndexError: print(traceback.format_exc())

if True:
    x = (1,
      2
    )[7]
