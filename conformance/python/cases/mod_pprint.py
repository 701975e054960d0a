import pprint; pprint.pprint({'b': 1, 'a': 2}); pprint.pprint([1, 2, 3]); pprint.pprint('s'); pprint.pprint(None)

import pprint; pprint.pprint({'b': 1, 'a': 2}, sort_dicts=False); pprint.pp({'b': 1, 'a': 2})

import pprint; pprint.pprint(list(range(50)))

import pprint; pprint.pprint({'key%d' % i: list(range(i)) for i in range(8)})

import pprint; pprint.pprint({'name': 'x' * 50, 'other': 'y' * 50})

import pprint; pprint.pprint([['aaaaaaaaaaaaaaaaaaaa'] * 3] * 2, width=40)

import pprint; pprint.pprint({1: {2: {3: {4: 5}}}}, depth=2); pprint.pprint([1, [2, [3, [4]]]], depth=3)

import pprint; pprint.pprint((1,)); pprint.pprint(()); pprint.pprint({}); pprint.pprint(set()); pprint.pprint([[], {}, ()])

import pprint; pprint.pprint({1, 2, 3}); pprint.pprint({'c' * 30, 'a' * 30, 'b' * 30})

import pprint; pprint.pprint('word ' * 30); pprint.pprint(['word ' * 30])

import pprint; print(pprint.pformat({'a': [1, 2]})); print(repr(pprint.pformat(list(range(30)), width=30)))

import pprint; pprint.pprint([1, [2, 3], {'a': 4}], indent=4); pprint.pprint({'a': list(range(30))}, indent=2)

import pprint; pprint.pprint(list(range(40)), compact=True); pprint.pprint(list(range(40)), compact=True, width=30)

import pprint, collections; pprint.pprint(collections.OrderedDict([('b', 1), ('a', 2)])); pprint.pprint(collections.defaultdict(list, a=[1])); pprint.pprint(collections.Counter('aab')); pprint.pprint(collections.deque([1, 2]))

import pprint, dataclasses
@dataclasses.dataclass
class D:
    name: str
    values: list
pprint.pprint(D('n', [1, 2])); pprint.pprint(D('n' * 40, list(range(20)))); pprint.pprint([D('a', [])])

import pprint, types; pprint.pprint(types.SimpleNamespace(a=1, b='x' * 30, c='y' * 40))

import pprint
class R:
    def __repr__(self): return '<R>'
pprint.pprint([R(), R()]); pprint.pprint({'r': R()})

import pprint; print(pprint.isreadable([1, 2]), pprint.isrecursive([1])); l = [1]; l.append(l); print(pprint.isrecursive(l)); print(pprint.saferepr([1, 'a']))

import pprint, io; s = io.StringIO(); pprint.pprint({'a': 1}, stream=s); print(repr(s.getvalue())); p = pprint.PrettyPrinter(indent=1, width=20); p.pprint([1111111, 2222222, 3333333]); print(p.pformat({'a': 1}))

import pprint; pprint.pprint({'a': b'bytes' * 20, 'n': 1.5, 't': (1, 2)}); pprint.pprint(b'x' * 100)

import pprint; pprint.pprint({'config': {'model': {'layers': [64, 128, 256], 'dropout': 0.1, 'activation': 'relu'}, 'optimizer': {'name': 'adam', 'lr': 0.001, 'betas': (0.9, 0.999)}}})

import pprint; pprint.pprint([{'id': i, 'name': 'item number %d' % i, 'tags': ['a', 'b']} for i in range(3)], width=50); pprint.pprint(1000000, underscore_numbers=True)
