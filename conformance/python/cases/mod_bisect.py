import bisect; print(bisect.bisect([1, 2, 3], 2), bisect.bisect_left([1, 2, 3], 2), bisect.bisect_right([1, 2, 3], 2))

import bisect; print(bisect.bisect_left([], 1), bisect.bisect_right([], 1), bisect.bisect_left([1], 0), bisect.bisect_left([1], 2))

import bisect; print([bisect.bisect_left([1, 1, 1, 2], x) for x in range(4)], [bisect.bisect_right([1, 1, 1, 2], x) for x in range(4)])

import bisect
def grade(s, breakpoints=(60, 70, 80, 90), grades='FDCBA'): return grades[bisect.bisect(breakpoints, s)]
print([grade(s) for s in [33, 99, 77, 70, 89, 90, 100]])

import bisect; l = [3, 5]; bisect.insort(l, 4); bisect.insort(l, 1); bisect.insort(l, 9); print(l)

import bisect; l = []; [bisect.insort(l, x) for x in [5, 3, 8, 1]]; print(l)

import bisect; print(bisect.bisect('abcd', 'c'), bisect.bisect_left(('a', 'b'), 'b'))

import bisect; print(bisect.bisect_left([1, 2, 3, 4, 5], 3, 3), bisect.bisect_left([1, 2, 3, 4, 5], 3, 0, 2), bisect.bisect_left([1, 2, 3, 4], 4, hi=3))

import bisect; bisect.bisect_left([1, 2], 1, -1)

import bisect; bisect.insort([1, 2], 1, -1)

import bisect; d = [('r', 1), ('g', 5), ('b', 8)]; print(bisect.bisect_left(d, 5, key=lambda r: r[1]), bisect.bisect_right(d, 5, key=lambda r: r[1]))

import bisect; d = [('r', 1), ('b', 8)]; bisect.insort(d, ('g', 5), key=lambda r: r[1]); print(d); bisect.insort_left(d, ('z', 5), key=lambda r: r[1]); print(d)

import bisect; print(bisect.bisect([1.5, 2.5], 2), bisect.bisect([1, 2], 1.5))

import bisect; bisect.bisect([1, 2], 'a')

import bisect
class K:
    def __init__(self, v): self.v = v
    def __lt__(self, o): return self.v < o.v
l = [K(1), K(3)]; print(bisect.bisect(l, K(2)), bisect.bisect_left(l, K(3)))

import bisect
class S:
    def __len__(self): return 10
    def __getitem__(self, i): return i * i
print(bisect.bisect_left(S(), 50))

import bisect; print(bisect.bisect is bisect.bisect_right, bisect.insort is bisect.insort_right)

import bisect; l = [1, 2, 3]; print(bisect.insort(l, 2), l, bisect.insort_right(l, 0), l)

import bisect; cum = [0.1, 0.4, 1.0]; print([bisect.bisect(cum, p) for p in (0.05, 0.1, 0.3, 0.99)])

from bisect import bisect_left
def index(a, x):
    i = bisect_left(a, x)
    if i != len(a) and a[i] == x: return i
    raise ValueError
print(index([1, 4, 6], 4)); index([1, 4, 6], 5)

import bisect; print(bisect.bisect(a=[1, 2, 3], x=2), bisect.bisect_left(a=[1], x=1, lo=0, hi=1))
