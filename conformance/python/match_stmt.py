def m(x):
    match x:
        case 0: return 'zero'
        case -1 | -2: return 'neg'
        case 1.5: return 'float'
        case 'a' | 'b': return 'ab'
        case None: return 'none'
        case True: return 'true'
        case []: return 'empty'
        case [1, 2]: return 'one two'
        case [1, *rest]: return f'one then {rest}'
        case [_, _, *_, last] if last == 'L': return 'L'
        case (a, b): return f'pair {a} {b}'
        case {'k': v, **rest}: return f'k={v} {rest}'
        case {'t': {'u': [x, y]}}: return f'deep {x} {y}'
        case {}: return 'dict'
        case str() as s: return f'str {s}'
        case int(n) if n > 100: return f'big {n}'
        case int() | float(): return 'num'
        case bytes(b): return f'bytes {b}'
        case Point(x=0, y=0): return 'origin'
        case Point(x, y): return f'P {x} {y}'
        case [[a]]: return f'nested {a}'
        case _: return 'other'
class Point:
    __match_args__ = ('x', 'y')
    def __init__(s, x, y): s.x, s.y = x, y
class Color: RED = 'red'
for v in [0, -2, 1.5, 'b', None, True, 1, [], [1, 2], [1, 5, 6], (3, 4, 'L'), (7, 8), {'k': 1, 'z': 2}, {'t': {'u': (1, 2)}}, {'q': 1}, 'hey', 500, 50, 2.5, b'x', Point(0, 0), Point(1, 2), [[5]], object(), {1}, range(2), 'ab', iter([1, 2])]: print(m(v))
def c(x):
    match x:
        case Color.RED: return 'red!'
        case [Color.RED, y]: return y
        case Point(y=1): return 'y1'
        case (1 | 2) as n, *_: return f'n{n}'
        case {'a': int() as i, 'b': None}: return i
        case [{'z': z}, *_]: return z
    return 'nothing'
print(c('red'), c(['red', 3]), c(Point(0, 1)), c([2, 9]), c({'a': 5, 'b': None}), c([{'z': 8}]), c(9))
try:
    match Point(1, 2):
        case Point(1, 2, 3): pass
except TypeError as e: print(e)
class NoArgs: pass
try:
    match NoArgs():
        case NoArgs(1): pass
except TypeError as e: print(e)
try:
    match 1:
        case len(): pass
except TypeError as e: print(e)
match = 5; case = 6; print(match + case)
match [1, (2, 3)]:
    case [a, (b, c)]: print(a, b, c)
match {'x': 1}:
    case {'x': 1, **kw}: print(kw)
match 'x', 5:
    case 'x', y: print(y)
match -0.0:
    case 0: print('z')
def bind(x):
    match x:
        case [a, b] if a > b: pass
        case _: return a, b
print(bind([1, 2]))
