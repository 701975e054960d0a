for i in range(3): print(i, end=' ')
else: print('else')

for i in range(5):
    if i == 3: break
else: print('no')
print(i)

for i in []: pass
else: print('empty')

i = 0
while i < 3:
    i += 1
    if i == 2: continue
    print(i)
else: print('end')

for a, (b, c) in [(1, (2, 3)), (4, (5, 6))]: print(a, b, c)

for i, x in enumerate('abc', 5): print(i, x)

for a, b in zip([1, 2, 3], 'ab'): print(a, b)

for a, b in zip([1, 2], 'abc', strict=True): print(a, b)

for x in reversed([1, 2, 3]): print(x)

for k in {'a': 1, 'b': 2}: print(k)

for k, v in {'a': 1}.items(): print(k, v)

d = {1: 2}
for k in d: d[k + 1] = 1

s = [1, 2, 3]
for x in s:
    if x < 5: s.append(x + 3)
print(s)

for i in range(10, 0, -3): print(i)

for x in 5: pass

for i in range(3):
    for j in range(3):
        if j == 1: break
    else: print('never')
    print(i, j)

for i in range(2):
    try: continue
    finally: print('f', i)

def f():
    for i in range(5):
        try:
            if i == 2: return i
        finally: print('f', i)
print(f())

while 1:
    try: break
    finally: print('out')

for i in range(3):
    i = 10
print(i)

it = iter([1, 2, 3, 4])
for x in it: print(x, next(it))

for x in iter([3, 2, 1, 0, 5].pop, 1): print(x)

for *a, b in [(1, 2, 3), (4,)]: print(a, b)

n = 0
for i in range(1000):
    if i % 2: n += i
    else: n -= 1
print(n)

break

def f(): continue

def f():
    for x in (1, 2, 3): yield x
for y in f(): print(y)

d = {'a': 1}
for k in d: del d['a']
print(d)

for i in range(2, 20, 5): pass
print(i, list(range(2, 20, 5)), len(range(2, 20, 5)))

x = 100
while x: x //= 3; print(x)
