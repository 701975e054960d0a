d = {'a': 1, 'b': 2}; print(d, d['a'], d.get('z'), d.get('z', 0), len(d), 'a' in d, 1 in d, list(d))

{'a': 1}['z']

d = {1: 2}; d[3] = 4; d.update({5: 6}, x=7); d.setdefault('y', []).append(1); print(d, d.pop(1), d.pop('n', None), d)

{}.pop('a')

{}.popitem()

d = dict(a=1, b=2); print(d.popitem(), d, d.items(), d.keys(), d.values())

print(dict([(1, 2), (3, 4)]), dict({'a': 1}, b=2), dict(zip('ab', [1, 2])), dict.fromkeys('ab'), dict.fromkeys([1, 2], 0), {**{'a': 1}, 'b': 2})

dict([1, 2])

dict([(1, 2, 3)])

dict(5)

{[]: 1}

d = {'a': 1}; e = d.copy(); e['a'] = 2; print(d, e, d == {'a': 1}, d != e, {1: 2, 3: 4} == {3: 4, 1: 2})

print({1: 'a'} | {2: 'b'}, {1: 2} | {1: 3}); d = {1: 1}; d |= {2: 2}; d |= [(3, 3)]; print(d)

{} | [1]

{} < {}

d = {1: 'int'}; d[1.0] = 'float'; d[True] = 'bool'; print(d, len(d))

d = {'a': 1, 'b': 2, 'c': 3}; del d['b']; d['b'] = 4; print(d, list(d.items()), list(reversed(d)))

del {}['x']

d = {'a': 1}; k = d.keys(); d['b'] = 2; print(k, len(k), 'b' in k, k & {'a'}, sorted(k | {'z': 0}.keys()), k - {'a'}, d.items() & {('a', 1)})

print({1: 2}.keys() == {1}, {1: 2}.items() == {(1, 2)}, {1: 2}.keys() <= {1, 2}, list({'x': 1}.values()), {'a': 1}.keys().isdisjoint({'b'}))

class D(dict):
    def __missing__(self, k): return k * 2
d = D(a=1); print(d['a'], d['zz'], d.get('q'), d, type(d.copy()).__name__, isinstance(d, dict))

class AD(dict):
    def __getattr__(self, n): return self[n]
    def __setattr__(self, n, v): self[n] = v
d = AD(x=1); d.y = 2; print(d.x, d.y, d)

print({k: v for k, v in sorted({'b': 1, 'a': 2}.items(), key=lambda kv: kv[1])}, sorted({'b': 1, 'a': 2}), max({'b': 1, 'a': 2}, key={'b': 1, 'a': 2}.get))

d = {}; d['self'] = d; print(d, str({'a': 'é', 1: None}), repr({}))

for k, v in {'a': 1, 'b': 2}.items(): print(k, v)

d = {}; d[(1, 2)] = 'tuple'; d[None] = 0; d[frozenset([1])] = 1; print(d)

hash({})

{'a': 1}.foo

{}.update(5)

d = {}; d.setdefault('a'); print(d, d.__contains__('a'), d.__len__(), {}.__class__, dict.get({'a': 1}, 'a'))

def f(**kw): return kw
print(f(**{'a': 1}, b=2), {**f(x=1)})

d = {i: i * i for i in range(5)}; print(d, sum(d.values()), {v: k for k, v in d.items()}[16]); d.clear(); print(d, bool(d))

d = dict(a=1); d.update([('b', 2)]); d.update(c=3); print(d, d | {'a': 9}, {'z': 0} | d)

print(next(iter({'k': 1})), list({'a': 1, 'b': 2}.values())[::-1], len({}.items()), repr({1: 2}.items()), {'a': 1}.items().__class__.__name__)

print(list(d.items()) if (d := {'x': 1}) else None, {'a': {'b': {'c': 1}}}['a']['b']['c'])
