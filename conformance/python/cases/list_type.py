l = [3, 1, 2]; l.append(4); l.extend((5, 6)); l.insert(1, 9); print(l, l.pop(), l.pop(0), l)

l = [1, 2, 3, 2]; l.remove(2); print(l, l.index(2), l.count(2)); l.reverse(); print(l); l.clear(); print(l)

[1].remove(5)

[1, 2].index(9)

[].pop()

[1].pop(5)

l = [3, 1, 2]; l.sort(); print(l); l.sort(reverse=True); print(l); l.sort(key=lambda x: -x); print(l, sorted('bca', key=str.upper))

[1, 'a'].sort()

l = [1, 2, 3]; l[1:2] = [7, 8, 9]; print(l); l[:] = []; print(l); l[5:] = [1]; print(l); del l[0]; print(l)

l = list(range(10)); del l[::3]; print(l, l[-3:], l[::-2], l[100:], l[2:1])

[1, 2, 3][5]

[1, 2][5] = 0

[1]['a']

print([1, 2] + [3], [1] * 3, 2 * [0], [] + [], [1, 2] == [1, 2], [1] < [1, 2], [2] > [1, 9], [1, 2] != [1])

[1] + (2,)

[1] < 'a'

[1] * 'a'

print(list('abc'), list((1, 2)), list({1: 2}), list(range(3)), list(x for x in 'ab'), list())

a = [1]; a.append(a); print(a, a == a, len(a))

l = [1, 2, 3]; m = l.copy(); m[0] = 9; print(l, m, l[:] is l)

print([[]] * 2, [[] for _ in range(2)]); x = [[0] * 2] * 2; x[0][0] = 1; print(x)

print(max([1, 3, 2]), min([]) if [] else 'e', sum([[1], [2]], []), any([0, 1]), all([]), len([1, 2]), 2 in [1, 2], [1] in [[1]])

l = [1, 2]; l += 'ab'; print(l); l *= 2; print(l); l += (i for i in range(2)); print(l)

class L(list):
    def first(self): return self[0]
l = L([1, 2]); l.append(3); print(l, l.first(), type(l + [4]).__name__, isinstance(l, list), L(l) == l, l[1:], len(l))

l = [(1, 'b'), (0, 'b'), (1, 'a')]; print(sorted(l), sorted(l, key=lambda t: t[1]), sorted(l, reverse=True))

hash([1])

print(repr([1, 'a', None, 2.0, [True]]), str(['é']), [1,2,3].__len__(), [1].__contains__(1), list.__add__([1], [2]))

it = iter([1, 2]); print(next(it), list(it), list(it)); print(reversed([1, 2]), type(iter([])).__name__) if False else None

l = [5, 3]; l.sort(key=lambda x: 1 / 0)

print(*[1, 2], *[3]); a, *b = [1, 2]; print(a, b, [*b, *b])

[].foo

list(5)

[].append()

[].insert(1)
