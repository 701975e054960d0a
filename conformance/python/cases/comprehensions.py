print([x * y for x in range(3) for y in range(2)], {x for x in [1]}, {x: x * x for x in range(3)})

print([x for x in range(20) if x % 2 if x % 3])

print([[i * j for j in range(3)] for i in range(3)])

x = 'outer'; print([x for x in range(2)], x)

print([y := x for x in range(3)], y)

print(sum(x for x in range(10)), list(x for x in 'ab'))

g = (print(x) for x in range(2)); print('made'); next(g); list(g)

class A:
    n = 3
    l = [i for i in range(n)]
    try: m = [n for i in range(2)]
    except NameError as e: print(e)
print(A.l)

fs = [lambda: i for i in range(3)]; print([f() for f in fs])

print({k: v for k, v in zip('abc', range(3))}, {v: k for k, v in {'a': 1}.items()})

print([a for a, *b in [(1, 2, 3), (4,)]], [b for a, *b in [(1, 2, 3), (4,)]])

print([x if x > 1 else -x for x in range(4)], [(x, y) for x in range(3) for y in range(x)])

print(type(x for x in []).__name__, type([x for x in []]).__name__)

def f(n): return [n * i for i in range(n)]
print(f(4))

[x for x in 5]

(1 / x for x in range(2))
print(list(1 / x for x in range(1, 3)))

print([z for z in (i for i in range(3))], *(c for c in 'xy'))

print({(i, j): i + j for i in range(2) for j in range(2)})

l = [1, 2, 3]; print([l.pop() for _ in range(2)], l)

print(dict((k, len(k)) for k in ['a', 'bb']), set(c for c in 'aa'), tuple(i for i in range(3)), sorted(-x for x in range(3)))

matrix = [[1, 2], [3, 4]]; print([[r[i] for r in matrix] for i in range(2)], [v for r in matrix for v in r])

print([i for i in range(3) if (lambda: i)()], any(x > 2 for x in range(4)))


f(x for x in y, 1)

[x, y for x in z]

{**a for a in b}

print([*(1, 2), *[x for x in range(2)]])

[x := 1 for x in range(3)]
