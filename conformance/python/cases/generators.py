def g(): yield 1; yield 2; return 3
print(list(g())); i = g(); next(i); next(i)
try: next(i)
except StopIteration as e: print(e.value)

def g():
    x = yield 1
    print('got', x)
    y = yield x * 2
    return y
i = g(); print(next(i), i.send(5))
try: i.send(7)
except StopIteration as e: print(e.value)

def g():
    try: yield 1
    except ValueError as e: print('caught', e); yield 2
    finally: print('fin')
i = g(); next(i); print(i.throw(ValueError('x'))); i.close(); print('closed')

def a(): r = yield from b(); print('r', r); yield 9
def b(): yield 1; yield 2; return 'res'
print(list(a()))

def g(): yield from [1, 2]; yield from 'ab'; yield from range(2)
print(list(g()))

def g():
    yield
i = g(); print(next(i), next(i, 'default'))

def g(): yield 1
i = g(); i.send(3)

def g():
    while True:
        try: yield 1
        except GeneratorExit: print('exit'); raise
i = g(); next(i); i.close(); print(list(i))

def g():
    try: yield
    except GeneratorExit: yield 2
i = g(); next(i); i.close()

def g(): raise StopIteration('x'); yield
next(g())

def g(): yield 1; raise KeyError('k')
for x in g(): print(x)

def fib():
    a, b = 0, 1
    while True: yield a; a, b = b, a + b
from itertools import islice
print(list(islice(fib(), 10)))

def g(n):
    if n: yield n; yield from g(n - 1)
print(list(g(5)))

i = (x for x in range(3)); print(next(i), i.__next__(), list(i), i.__name__)

def g(): yield
i = g(); print(i.gi_running, i.gi_frame is not None, g.__name__, i.__name__, i.__qualname__, iter(i) is i)

def g():
    i.send(1)
    yield
i = g(); next(i)

def g():
    with_value = yield from h()
    yield with_value
def h():
    try:
        x = yield 1
        return x
    finally: print('h done')
i = g(); print(next(i)); print(i.send('v'))

def g(): return (yield 1), (yield 2)
i = g(); next(i); i.send('a')
try: i.send('b')
except StopIteration as e: print(e.value)

def count(n):
    for i in range(n):
        r = yield i
        if r: print('r', r)
i = count(3); print(next(i), i.send(None), i.send('s'))

def g():
    yield from h()
def h():
    yield 1
    raise ValueError('inner')
list(g())

import types
def g(): yield
print(isinstance(g(), types.GeneratorType), type(g()))

def g():
    try: yield 1
    finally: print('cleanup')
i = g(); next(i); i.close()
i = g(); next(i); i.close(); print('after')

yield 1

class A: yield 1

def g():
    x = lambda: (yield)
    return x
print(list(g()()))

def tree(t):
    if isinstance(t, list):
        for x in t: yield from tree(x)
    else: yield t
print(list(tree([1, [2, [3, 4]], 5])))

def g(): yield 1
i = g(); i.throw(TypeError, 'msg')

def g():
    try: yield 1
    except TypeError: return 'r'
i = g(); next(i)
try: i.throw(TypeError)
except StopIteration as e: print(e.value)
