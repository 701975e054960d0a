a = b = [1]; b.append(2); print(a)

a, b = 1, 2; a, b = b, a; print(a, b)

a, *b = [1, 2, 3]; print(a, b)

*a, b = 'xyz'; print(a, b)

a, (b, *c), d = 1, (2, 3, 4), 5; print(a, b, c, d)

[a, b] = {1: 2, 3: 4}; print(a, b)

x = [0, 1, 2]; i = 0; i, x[i] = 1, 9; print(i, x)

a, b = [1]

a, b = 1, 2, 3

a, *b, c = [1]

a, b = 5

x = [1, 2, 3, 4]; x[1:3] = 'ab'; print(x)

x = list(range(6)); x[::2] = [9, 9, 9]; print(x)

x = list(range(6)); x[::2] = [1]

x = 5; x += 2; x -= 1; x *= 3; x //= 2; x **= 2; x %= 50; x <<= 2; x >>= 1; x |= 1; x &= 0xff; x ^= 3; print(x)

x = y = [1]; x += (2, 3); print(y)

t = ([1],)
try: t[0] += [2]
except TypeError as e: print(e, t)

x: int = 3; y: 'no such name' = 4; print(__annotations__, x, y)

class A:
    x: int
    y: str = 'a'
print(A.__annotations__, hasattr(A, 'x'), A.y)

def f():
    z: undefined_name
    z = 1
    return z
print(f())

for a[0] in [1]: pass

l = [0]
for l[0] in range(3): pass
print(l)

class P: pass
p = P(); p.x, p.y = 1, 2
for p.z in 'ab': pass
print(p.__dict__)

(a) = 1; (a, b), c = 'xy', 3; print(a, b, c)

print((n := 10), n); print([y := 1, y**2])

a = [*range(3), *'ab']; b = {**{'x': 1}, 'y': 2, **{'x': 3}}; print(a, b)

x = 1
def f():
    print(x)
    x = 2
f()

del undefined

d = {'a': 1}; d['a'] += 1; d['b'] = d.get('b', 0) + 1; print(d)

x = 'abc'
x[0] = 'z'

a = 1; del a
print(a)

1 = x

f() = 1

x + 1 = 2

None = 1

a, b += 1

(a, b): int = 1

print(*[1, 2], sep='-'); a = *[1], 2; print(a)
