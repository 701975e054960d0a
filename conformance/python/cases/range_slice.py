r = range(2, 10, 3); print(r, list(r), len(r), r[0], r[-1], 5 in r, 6 in r, r.start, r.stop, r.step, r.index(5), r.count(8))

print(list(range(5)), list(range(5, 0, -2)), list(range(0)), list(range(3, 3)), range(0, 10)[2:5], range(10)[::-1], range(10)[::2][1])

range(5)[9]

range(1, 2, 0)

range('a')

range()

range(1, 2, 3, 4)

range(5).index(9)

print(range(3) == range(0, 3), range(0) == range(5, 5), range(0, 3, 2) == range(0, 4, 2), hash(range(3)) == hash(range(0, 3)), range(3) != [0, 1, 2])

print(repr(range(3)), str(range(1, 5, 2)), bool(range(0)), list(reversed(range(3))), sum(range(101)), max(range(5)), len(range(10**10)))

print(10**15 in range(10**16), 1.0 in range(3), 1.5 in range(3), 'a' in range(3))

for i in range(3, 0, -1): print(i, end=' ')

r = range(5); a, *b = r; print(a, b, [*r], tuple(r), set(r) == {0, 1, 2, 3, 4}, sorted(r, reverse=True))

range(5)[0] = 1

range(5).foo

s = slice(1, 5, 2); print(s, s.start, s.stop, s.step, s.indices(10), s.indices(3), slice(3), slice(None, None, -1).indices(5))

print([0, 1, 2, 3, 4, 5][s] if (s := slice(1, 5, 2)) else 0, 'abcdef'[slice(None, None, 2)], (1, 2, 3)[slice(-2, None)])

class A:
    def __getitem__(self, k): return k
a = A(); print(a[1:2], a[::3], a[1:2, 3], a[...], a[:, None], a[1], a[()], a['x':'y'])

[1, 2, 3][::0]

[1, 2][1.5:2]

print([1, 2, 3][True:], [1, 2, 3][-100:100], 'abc'[2:0:-1], 'abc'[::-1][0], [1, 2, 3][None:2])

class I:
    def __index__(self): return 2
print([1, 2, 3, 4][I()], 'abcd'[:I()], range(10)[I()], [0] * I(), list(range(I())))

print(slice(1, 2) == slice(1, 2), slice(1) == slice(2), repr(slice('a', None)))

hash(slice(1))

l = list(range(6)); l[1:5:2] = ['a', 'b']; print(l); del l[-2:]; print(l); l[2:2] = [9, 9]; print(l)
