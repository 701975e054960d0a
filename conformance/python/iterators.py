class Count:
    def __init__(s, n): s.n = n; s.i = 0
    def __iter__(s): return s
    def __next__(s):
        if s.i >= s.n: raise StopIteration
        s.i += 1; return s.i
c = Count(3); print(list(c), list(c), 2 in Count(3), sum(Count(4)), max(Count(3)), tuple(Count(2)), dict(zip('abc', Count(3))), sorted(Count(3), reverse=True), [*Count(2)], set(Count(2)))
a, *b = Count(4); print(a, b)
it = iter([1, 2, 3]); print(next(it), list(it), next(it, 'end'))
print(list(iter(iter([5, 0, 6]).__next__, 0)), list(map(lambda a, b: a + b, [1, 2], [10, 20, 30])), list(filter(None, [0, 1, '', 'a'])), list(zip()), list(zip('ab', [1, 2, 3])), list(enumerate('ab', 1)))
z = zip([1, 2], [3, 4]); print(next(z), list(z)); m = map(str, [1, 2]); print(iter(m) is m, next(m), list(m))
import itertools as I
print(list(I.chain('ab', [1])), list(I.islice(I.count(5, 2), 3)), list(I.islice('abcdef', 1, None, 2)), list(I.accumulate([1, 2, 3])), list(I.combinations('abc', 2)), list(I.permutations('ab')), list(I.product('ab', [1, 2])), list(I.takewhile(lambda x: x < 3, [1, 2, 3, 1])), list(I.dropwhile(lambda x: x < 2, [1, 2, 1])), [(k, list(g)) for k, g in I.groupby('aabba')], list(I.zip_longest('ab', 'c', fillvalue='-')), list(I.starmap(pow, [(2, 3)])), list(I.repeat(1, 2)), list(I.compress('abc', [1, 0, 1])), [list(x) for x in I.tee([1, 2])], list(I.chain.from_iterable(['ab', 'c'])), list(I.pairwise('abc')), list(I.filterfalse(None, [0, 1])), list(I.islice(I.cycle('ab'), 5)), list(I.combinations_with_replacement('ab', 2)))
class Bad:
    def __iter__(s): raise ValueError('iter!')
class Bad2:
    def __iter__(s): return s
    def __next__(s): raise KeyError('next!')
for f in (lambda: list(Bad()), lambda: list(Bad2()), lambda: [x for x in Bad2()], lambda: sum(Bad2()), lambda: 1 in Bad2(), lambda: dict(Bad2()), lambda: ','.join(Bad2()), lambda: sorted(Bad2()), lambda: (lambda *a: a)(*Bad2()), lambda: any(Bad2()), lambda: list(map(lambda x: 1 / x, [1, 0])), lambda: next(Bad2()), lambda: max(Bad()), lambda: set(Bad2()), lambda: list(zip([1], Bad2())), lambda: list(enumerate(Bad2()))):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
l = [1, 2, 3]; i = iter(l); next(i); l.append(4); print(list(i)); l.append(5); print(list(i))
r = reversed([1, 2, 3]); print(next(r), list(r)); print(list(reversed(range(5))), list(reversed('abc')), list(reversed((1, 2))))
print(type(iter([])).__name__, type(iter(())).__name__, type(iter({})).__name__, type(iter(set())).__name__, type(iter(range(1))).__name__, type(iter({}.items())).__name__, type(iter({}.values())).__name__, type(reversed([])).__name__, type(map(int, [])).__name__)
print([].__iter__().__length_hint__() if False else '', range(3).__iter__().__next__(), 'ab'.__iter__().__next__(), {1: 2}.__iter__().__next__())
print(all([]), any([]), all([1, 0]), any([0, 1]), all(x > 0 for x in [1, 2]), sum([[1], [2]], []), min('b', 'a'), max([1, 2], [1, 3]), max('ab', key=lambda c: -ord(c)), sum((i for i in range(5)), 10), min({3: 1, 2: 5}))
for i, (a, b) in enumerate({'x': 1}.items()): print(i, a, b)
def flat(l):
    for e in l:
        if isinstance(e, list): yield from flat(e)
        else: yield e
print(list(flat([1, [2, [3, [4]], 5]])), sum(1 for _ in flat([[], [1]])))
