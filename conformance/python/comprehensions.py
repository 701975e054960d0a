x = 99
print([x for x in range(3)], x, {x: x * x for x in range(3)}, {x % 2 for x in range(5)}, x)
print([(i, j) for i in range(3) if i for j in range(i) if j or i == 1])
print(list(x for x in 'abc' if x != 'b'))
print([y := 5, y ** 2], y)
print([last := i for i in range(4)], last)
def f(): 
    [z := k for k in 'ab']
    return z
print(f())
g = (i for i in [1, 2, 3])
print(next(g), list(g), list(g))
def order():
    def p(n): print('ev', n); return range(n)
    g = (a for a in p(1) for b in p(2))
    print('made'); print(list(g))
order()
print({**{'a': 1}, 'b': 2, **{'a': 3}}, [*range(3), *'ab'], (*[], 1), {*'aa'})
print([[j for j in range(i)] for i in range(4)])
print(sum(i * i for i in range(10)), max((len(w), w) for w in ['a', 'bbb', 'cc']), dict((k, v) for k, v in zip('ab', [1, 2])))
class C:
    n = 3
    l = [i for i in range(n)]
    try: m = [n for i in range(2)]
    except NameError as e: print(e)
print(C.l)
print([i for i in range(5) if i % 2 if i > 1], [a if a else -1 for a in (0, 1)], [lambda: i for i in range(2)][0]())
try: [1 / k for k in (1, 0)]
except ZeroDivisionError as e: print(e)
try: [a for a, b in [(1, 2, 3)]]
except ValueError as e: print(e)
try: {[]: 1 for _ in range(1)}
except TypeError as e: print(e)
try: print([q for q in 5])
except TypeError as e: print(e)
gg = (1 / k for k in (1, 0, 2)); print(next(gg))
try: next(gg)
except ZeroDivisionError: print(list(gg))
print([x for x, in [(1,), (2,)]], [a for a, *b in ['abc', 'd']], [(a, b) for a, *b in ['abc', 'd']])
