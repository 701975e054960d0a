import heapq; h = []; [heapq.heappush(h, x) for x in [5, 2, 8, 1]]; print(h, [heapq.heappop(h) for _ in range(4)], h)

import heapq; h = [9, 4, 7, 1, 8, 2]; heapq.heapify(h); print(h)

import heapq; heapq.heappop([])

import heapq; print(heapq.heappushpop([2, 3], 1), heapq.heappushpop([2, 3], 5), heapq.heappushpop([], 7))

import heapq; h = [2, 3]; print(heapq.heapreplace(h, 1), h); heapq.heapreplace([], 1)

import heapq; print(heapq.nlargest(3, [1, 8, 2, 23, 7]), heapq.nsmallest(3, [1, 8, 2, 23, 7]), heapq.nlargest(0, [1]), heapq.nlargest(10, [1, 2]))

import heapq; d = [{'n': 'a', 'p': 3}, {'n': 'b', 'p': 1}]; print(heapq.nsmallest(1, d, key=lambda s: s['p']), heapq.nlargest(1, d, key=lambda s: s['p']))

import heapq; print(list(heapq.merge([1, 4, 7], [2, 5], [3, 6, 9])))

import heapq; print(list(heapq.merge(['bb', 'a'], ['ccc'], key=len)), list(heapq.merge([5, 3], [4, 1], reverse=True)))

import heapq; print(list(heapq.merge(['dog', 'horse'], ['cat', 'fish', 'kangaroo'], key=len)), list(heapq.merge()), list(heapq.merge([3, 1], [2, 1], key=lambda x: -x)))

import heapq
def sort(it):
    h = []
    for v in it: heapq.heappush(h, v)
    return [heapq.heappop(h) for i in range(len(h))]
print(sort([1, 3, 5, 7, 9, 2, 4, 6, 8, 0]))

import heapq; h = []; heapq.heappush(h, (1, 'write')); heapq.heappush(h, (0, 'plan')); heapq.heappush(h, (1, 'alpha')); print(heapq.heappop(h), heapq.heappop(h), h)

import heapq; h = [(1, {}), (1, {})]; heapq.heapify(h)

import heapq
class T:
    def __init__(self, p): self.p = p
    def __lt__(self, o): return self.p < o.p
    def __repr__(self): return f'T{self.p}'
h = [T(3), T(1), T(2)]; heapq.heapify(h); print(h[0], heapq.nsmallest(2, h))

import heapq; heapq.heapify((1, 2))

import heapq; heapq.heappush((), 1)

import heapq
graph = {'a': {'b': 1, 'c': 4}, 'b': {'c': 2, 'd': 5}, 'c': {'d': 1}, 'd': {}}
dist = {'a': 0}; q = [(0, 'a')]
while q:
    d, u = heapq.heappop(q)
    for v, w in graph[u].items():
        if d + w < dist.get(v, 99): dist[v] = d + w; heapq.heappush(q, (d + w, v))
print(dist)

import heapq; print(heapq.nsmallest(2, 'hello'), heapq.nlargest(2, iter([3, 1, 2])), heapq.nsmallest(1, []), heapq.nsmallest(1, [3, 2]))

import heapq, random; random.seed(1); l = [random.random() for _ in range(200)]; print(heapq.nlargest(5, l) == sorted(l, reverse=True)[:5], heapq.nsmallest(5, l) == sorted(l)[:5])

import heapq; m = heapq.merge([1], [0]); print(next(m), next(m), type(m).__name__); next(m)

import heapq; print(heapq.nlargest(2, [('a', 1), ('b', 2), ('c', 2)], key=lambda t: t[1]), heapq.nsmallest(2, [('a', 2), ('b', 2), ('c', 1)], key=lambda t: t[1]))

import heapq; heapq.heappush([1, 'a'], 2)

import heapq; h = list(range(10, 0, -1)); heapq.heapify(h); print(h); print([heapq.heapreplace(h, x) for x in (5, 0, 20)], h)
