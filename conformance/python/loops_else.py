for n in range(2, 12):
    for d in range(2, n):
        if n % d == 0: print(n, '=', d, '*', n // d); break
    else: print(n, 'prime')
def f():
    for i in range(3):
        try:
            if i == 1: return 'ret'
        finally: print('f', i)
    else: print('else')
print(f())
for i in range(3):
    for j in range(3):
        if j == 1: continue
        if i == 1: break
        print(i, j)
n = 5
while n: n -= 1; print(n, end=' ')
else: print('done')
for x in (y for y in range(3)): print(x, end=' ')
for k, v in {'a': 1}.items(): print(k, v)
for c in 'añ😀': print(c, end=' ')
for a, (b, *c) in [(1, 'xyz')]: print(a, b, c)
l = [1, 2, 3]
for i in l:
    if i == 1: l.append(9)
    print(i, end=' ')
for i in range(3): i = 10; print(i, end=' ')
print(i)
for i in range(0): pass
for i in range(5, 0, -2): print(i, end=' ')
for _ in iter(lambda: l.pop(), 1): print('p', end=' ')
print(l)
it = iter('abcd')
for a in it: print(a, next(it))
