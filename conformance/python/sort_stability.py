data = [(c, i) for i, c in enumerate('banana split')]
print(sorted(data, key=lambda p: p[0])); print(sorted(data, key=lambda p: p[0], reverse=True)); print(sorted(data, key=lambda p: (-p[1], p[0]))[:3])
words = 'the quick brown Fox jumps Over'.split(); print(sorted(words), sorted(words, key=str.lower), sorted(words, key=len), sorted(words, key=lambda w: w[-1]))
print(sorted([3, 1.5, True, -2, 0.0]), sorted(['b', 'B', 'a', 'A', '1', '_']), sorted([[2], [1, 5], [1]]), sorted([(1, 'b'), (1, 'a')]), sorted({3: 'c', 1: 'a'}.items()), sorted([float('inf'), -1, float('-inf')]), sorted('hello', reverse=True))
import random
random.seed(1); r = [random.randint(0, 9) for _ in range(50)]; print(sorted(range(50), key=r.__getitem__)[:10]); r.sort(); print(r)
class K:
    def __init__(s, v): s.v = v
    def __lt__(s, o): return s.v < o.v
    def __repr__(s): return str(s.v)
k = [K(i % 4) for i in range(12)]; print(sorted(k)); print([x for x in sorted(k, reverse=True)]); print(max(k), min(k), [x.v for x in sorted(k, key=lambda x: -x.v)])
from operator import itemgetter, attrgetter
print(sorted([{'a': 2}, {'a': 1}], key=itemgetter('a')), sorted(k, key=attrgetter('v'))[:2], sorted([(1, 2), (0, 3)], key=itemgetter(1), reverse=True))
