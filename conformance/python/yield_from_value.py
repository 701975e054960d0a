class It:
    def __init__(s, n): s.n = n
    def __iter__(s): return s
    def __next__(s):
        if not s.n: raise StopIteration('value')
        s.n -= 1; return s.n
def g(): 
    r = yield from It(2); yield ('result', r)
    r = yield from iter([7]); yield ('list', r)
    r = yield from (x for x in [8]); yield ('gen', r)
    def inner(): yield 1; return 'inner'
    r = yield from inner(); yield ('inner', r)
print(list(g()))
def h():
    try: yield from It(1)
    finally: print('cleanup')
it = h(); print(next(it)); it.close()
def f(): yield from range(2)
it = f(); next(it)
try: it.send(1)
except AttributeError as e: print(e)
def l(): yield from [1, 2]
it = l(); next(it)
try: it.send(1)
except AttributeError as e: print(e)
