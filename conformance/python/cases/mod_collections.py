from collections import Counter; c = Counter('abracadabra'); print(c, c['a'], c['z'], c.most_common(2), sum(c.values()), c.total(), sorted(c.elements())[:3])

from collections import Counter; a, b = Counter(a=3, b=1), Counter(a=1, b=2); print(a + b, a - b, a & b, a | b, -a, +a, a == Counter(a=3, b=1)); a.update('aab'); print(a); a.subtract('a'); print(a)

from collections import defaultdict; d = defaultdict(list); d['a'].append(1); d['b']; print(d, d.get('z'), dict(d), d.default_factory, 'q' in d)

from collections import defaultdict; d = defaultdict(lambda: 5, x=1); print(d['y'], d['x'], len(d)); defaultdict(None)['q']

from collections import OrderedDict; d = OrderedDict(a=1, b=2); d.move_to_end('a'); print(d, list(d), d.popitem(last=False), d, OrderedDict([(1, 2)]) == {1: 2}, OrderedDict(a=1, b=2) == OrderedDict(b=2, a=1))

from collections import deque; d = deque([1, 2, 3], maxlen=3); d.append(4); d.appendleft(0); print(d, d.maxlen, d[0], d[-1], len(d)); d.rotate(1); print(d); d.extend([7]); print(d.pop(), d.popleft(), d)

from collections import deque; d = deque('abc'); d.extendleft('xy'); print(d, d.index('a'), d.count('x'), 'b' in d, list(reversed(d))); d.remove('a'); d.insert(1, 'q'); del d[0]; print(d); d.clear(); print(d)

from collections import deque; deque().pop()

from collections import deque; deque([1])[5]

from collections import namedtuple; P = namedtuple('Point', ['x', 'y']); p = P(1, y=2); print(p, p._asdict(), P._make([3, 4]), p._replace(y=5), P._fields, p.__doc__, tuple(p), p[0], *p)

from collections import namedtuple; print(namedtuple('A', 'x, y z')(1, 2, 3), namedtuple('B', 'a def', rename=True)._fields, namedtuple('C', 'a b', defaults=(1,))(0))

from collections import namedtuple; namedtuple('A', 'x x')

from collections import namedtuple; namedtuple('A', 'def')

from collections import ChainMap; m = ChainMap({'a': 1}, {'a': 2, 'b': 3}); print(m['a'], m['b'], dict(m), len(m), list(m), m.maps, m.new_child({'c': 5})['c']); m['z'] = 9; print(m.maps[0])

from collections import UserDict, UserList, UserString
class D(UserDict):
    def __setitem__(s, k, v): super().__setitem__(k, v * 2)
d = D(a=1); d['b'] = 2; print(d, d.data, UserList([1, 2]) + [3], UserString('ab').upper())

from collections.abc import Iterable, Mapping, Sequence, Callable, Hashable, Sized, Iterator, MutableMapping, Set; print(isinstance([], Iterable), isinstance({}, Mapping), isinstance((), Sequence), isinstance(len, Callable), isinstance([], Hashable), isinstance('', Sized), isinstance(iter([]), Iterator), isinstance(set(), Set), isinstance(5, Iterable))

from collections.abc import MutableMapping
class M(MutableMapping):
    def __init__(s): s.d = {}
    def __getitem__(s, k): return s.d[k]
    def __setitem__(s, k, v): s.d[k] = v
    def __delitem__(s, k): del s.d[k]
    def __iter__(s): return iter(s.d)
    def __len__(s): return len(s.d)
m = M(); m['a'] = 1; m.update(b=2); print(dict(m), m.get('z'), 'a' in m, m.pop('a'), list(m.items()), m.setdefault('c', 3), m == {'b': 2, 'c': 3})

from collections.abc import Sequence
class S(Sequence):
    def __getitem__(s, i): return [1, 2, 3][i]
    def __len__(s): return 3
s = S(); print(list(s), 2 in s, s.index(3), s.count(1), list(reversed(s)))

from collections.abc import Sequence
class S(Sequence): pass
S()

from collections import Counter; c = Counter([1, 1, 2]); del c[1]; print(c, Counter(), Counter({'a': 0}), bool(Counter()), Counter(a=2) <= Counter(a=3), c.most_common())

from collections import deque; d = deque(range(5)); print(d == deque(range(5)), d + deque([9]), d * 2 if False else '', deque('ab', 1), deque([3, 1]) > deque([2]), d.copy() is d); d.reverse(); print(d)

from collections import OrderedDict, defaultdict; print(repr(defaultdict(int, a=1)), OrderedDict(), repr(OrderedDict([('x', [1])])), isinstance(OrderedDict(), dict))
