from itertools import *; print(list(islice(count(5, 2), 3)), list(islice(cycle('ab'), 5)), list(repeat(1, 3)), list(islice(count(0.5), 2)))

from itertools import *; print(list(chain([1], 'ab', (2,))), list(chain.from_iterable([[1, 2], [3]])))

from itertools import *; print(list(accumulate([1, 2, 3])), list(accumulate([1, 2, 3], lambda a, b: a * b)), list(accumulate([1, 2], initial=10)), list(accumulate([])))

from itertools import *; print(list(combinations('abc', 2)), list(permutations([1, 2, 3], 2)), list(combinations_with_replacement('ab', 2)), list(permutations('ab')))

from itertools import *; print(list(product([1, 2], 'ab')), list(product('ab', repeat=2)), list(product()), list(product([], [1])))

from itertools import *; print(list(takewhile(lambda x: x < 3, [1, 2, 3, 1])), list(dropwhile(lambda x: x < 3, [1, 3, 1])), list(filterfalse(lambda x: x % 2, range(5))))

from itertools import *; print([(k, list(g)) for k, g in groupby('aabbbc')], [(k, len(list(g))) for k, g in groupby([1, 3, 2, 4], lambda x: x % 2)])

from itertools import *; print(list(islice('abcdef', 2)), list(islice('abcdef', 1, 4)), list(islice('abcdef', 0, None, 2)), list(islice('ab', 5)))

from itertools import *; print(list(zip_longest([1, 2, 3], 'a', fillvalue='-')), list(zip_longest()), list(starmap(pow, [(2, 3), (3, 2)])))

from itertools import *; a, b = tee([1, 2, 3]); next(a); print(list(a), list(b)); print(len(tee([], 3)))

from itertools import *; print(list(compress('abcd', [1, 0, 1, 0])), list(pairwise([1, 2, 3, 4])), list(pairwise([1])))

from itertools import *; islice([1], -1)

from itertools import *; list(combinations('ab', -1))

from itertools import *; list(starmap(pow, [(1,)]))

from itertools import *; g = groupby([1, 1, 2]); k1, g1 = next(g); k2, g2 = next(g); print(k1, list(g1), k2, list(g2))

from itertools import *; print(next(count()), list(zip(count(), 'ab')), sum(islice(count(1), 100)), repeat('x', 2))

from itertools import *; it = iter(range(10)); print(list(islice(it, 3)), list(islice(it, 2, 4)), list(it))

from itertools import *; print(''.join(chain.from_iterable(repeat('ab', 2))), list(map(lambda a, b: a + b, count(), [1, 2])))

from itertools import *; list(chain(5))

from itertools import *; print(max(accumulate([3, -1, 4])), list(accumulate([5, 1, 3], min)), list(accumulate('abc')))

from itertools import *; print(sum(1 for _ in combinations(range(10), 3)), len(list(product(range(3), repeat=3))), list(islice(permutations(range(4)), 3)))

from itertools import *; c = count(); next(c); print(next(c), list(dropwhile(lambda x: x < 2, islice(c, 4))))

from itertools import *
def grouper(it, n): return zip_longest(*[iter(it)] * n)
print(list(grouper('abcde', 2)), list(map(''.join, zip(*[iter('abcdef')] * 3))))
