s = {1, 2, 3}; s.add(4); s.discard(9); s.remove(1); print(sorted(s), len(s), 2 in s, 9 not in s)

print({1, 2} | {3}, {1, 2} & {2, 3}, {1, 2} - {2}, {1, 2} ^ {2, 3}, {1} < {1, 2}, {1} <= {1}, {1, 2} > {1}, {1} == {1.0})

{1}.remove(5)

set().pop()

s = {1}; s |= {2}; s &= {2, 3}; s -= {3}; s ^= {5}; print(sorted(s)); s.update([7], (8,)); print(sorted(s))

print(sorted({3, 1}.union([2], (4,))), {1, 2}.intersection([2]), {1, 2}.difference([1]), sorted({1, 2}.symmetric_difference([2, 3])), {1}.issubset([1, 2]), {1, 2}.issuperset([1]), {1}.isdisjoint([2]))

{1} | [2]

{1} < [1]

{[1]}

set(5)

print(set(), {1}, set([1, 1]), set('a'), frozenset(), frozenset([1]), {*[1], *(1,)}, repr(frozenset({'a'})))

s = {1, 2}; t = s.copy(); t.add(3); print(sorted(s), sorted(t), s == t, s is t)

hash({1})

f = frozenset([1, 2]); print(f == {1, 2}, hash(f) == hash(frozenset([2, 1])), {f: 1}[frozenset([1, 2])], f | {3} == frozenset([1, 2, 3]), type(f | {3}).__name__, type({3} | f).__name__)

frozenset([1]).add(2)

print({x % 3 for x in range(10)} == {0, 1, 2}, sorted(set('hello')), len(set('hello')), min({3, 1}), sum({1, 2}), max({'a', 'b'}))

s = {1, 2, 3}
for x in s: s.add(x + 10)

class S(set):
    def plus(self): return len(self) + 1
s = S([1]); s.add(2); print(s.plus(), s, isinstance(s, set), type(s | {3}).__name__, s == {1, 2})

s = {1}; s.clear(); print(s, bool(s), not s); s.intersection_update([1]); print(s); s.symmetric_difference_update([1, 2]); print(sorted(s)); s.difference_update([1]); print(s)

print({1, 2}.__contains__(1), {1}.__len__(), {1}.__or__({2}), {1}.__or__([2]), set.union({1}, {2}) == {1, 2})

print({0, 1} == {False, True}, {1, 1.0, True}, {'a'} - {'a'})

print(sorted({(1, 2), (0, 1)}), {frozenset([1]), frozenset([1])}, {None}, {()})

{1, 2}[0]

{1}.foo

print({1, 2, 3}, set(range(8)), {0, 8, 16})
