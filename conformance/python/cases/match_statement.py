def f(x):
    match x:
        case 0: return 'zero'
        case 1 | 2: return 'small'
        case str(): return 'str'
        case _: return 'other'
print([f(x) for x in (0, 1, 2, 'a', None, 0.0, True)])

match [1, 2, 3]:
    case [a, *rest]: print(a, rest)

match (1, (2, 3)):
    case (a, (b, c)) if b > c: print('no')
    case (a, (b, c)): print(a, b, c)

match {'k': 1, 'z': 2}:
    case {'k': v, **rest}: print(v, rest)

class P:
    __match_args__ = ('x', 'y')
    def __init__(self, x, y): self.x, self.y = x, y
match P(1, 2):
    case P(1, y=z): print(z)

match P := 5:
    case int(n): print('int', n)

match 'abc':
    case 'a' | 'abc' as w: print(w)

import math
match 3.14:
    case math.pi: print('pi')
    case float(f): print(f)

class E:
    A = 1
match 1:
    case E.A: print('A')

match [1, 2]:
    case [_, _, _]: print(3)
    case [_, _]: print(2)

match -1:
    case -1: print('neg')

match None:
    case None: print('None')

match True:
    case 1: print('one')
    case True: print('True')

match 'ab':
    case [a, b]: print('seq')
    case _: print('str is no sequence')

match {}:
    case {}: print('any mapping')

match (1, 2, 3, 4):
    case (first, *_, last): print(first, last)

match [1, [2, [3, 4]]]:
    case [a, [b, [*c]]]: print(a, b, c)

match 7:
    case x if x > 10: print('big')
    case x: print('x', x)

class A: pass
match A():
    case A(x=1): print('no')
    case A(): print('A')

class A: pass
match A():
    case A(1): pass

match {'a': {'b': [1, 2]}}:
    case {'a': {'b': [x, y]}}: print(x, y)

from dataclasses import dataclass
@dataclass
class Pt:
    x: int
    y: int
def where(p):
    match p:
        case Pt(0, 0): return 'origin'
        case Pt(x, 0): return f'x={x}'
        case Pt(0, y): return f'y={y}'
        case Pt(): return 'else'
print([where(Pt(*t)) for t in [(0, 0), (3, 0), (0, 4), (1, 1)]])

match 1, 2:
    case a, b: print(a + b)

match range(3):
    case [a, b, c]: print(a, b, c)

match 5:
    case 6: pass
print('fell through')

match = 3; case = 4; print(match + case)
match[0:1] if False else None

match 2 + 3j:
    case 2 + 3j: print('complex')

match b'x':
    case b'x': print('bytes')

match [1, 2, 3]:
    case [1, 2] | [1, 2, 3]: print('or')

match {'x': None}:
    case {'x': None, 'y': _}: print('no')
    case {'x': None}: print('yes')
