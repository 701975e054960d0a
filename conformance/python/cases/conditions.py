for x in [0, 1, '', 'a', [], [0], None, 0.0, 0.1, (), {}, set(), range(0), b'']:
    print(repr(x), bool(x), not x)

x = 5
if x > 3: print('a')
elif x > 4: print('b')
else: print('c')

print(1 if [] else 2, 'y' if 1 else 'n')

print(1 < 2 < 3, 1 < 3 < 2, 1 == 1.0 == True, 3 > 2 != 1)

def f(x): print('f', x); return x
print(f(1) < f(2) > f(0) < f(9))

def f(x): print('f', x); return x
print(f(0) and f(1), f(0) or f(2), f(3) or f(4))

print([] or {} or 'z', 1 and [] and 3, not not 'a')

print(None is None, [] is [], () is (), 1 is not None)

print(3 in [1, 2, 3], 'b' in 'abc', 'x' not in {'y': 1}, (1,) in [(1,)])

class A:
    def __bool__(self): return False
print(bool(A()), 1 if A() else 0)

class A:
    def __len__(self): return 0
print(not A())

class A:
    def __bool__(self): return 1
if A(): pass

class A:
    def __len__(self): return -1
bool(A())

x = 3
print(x if x % 2 else -x, (lambda: 1 if x else 2)())

print(1 == '1', None == 0, [] == (), 1 != 2 != 1)

print('a' < 1)

print(float('nan') == float('nan'))

print(not 1 == 2, (not 1) == False)

while True:
    break
else: print('no')
print('done')

if (y := 3) and y > 2: print(y)

print(all([]), any([]), all([1, 0]), any([0, 2]))

print(True + True, True * 3, False == 0, isinstance(True, int), ~True)

a = [1, 2]; b = a; print(a is b, a == [1, 2], a is [1, 2])
