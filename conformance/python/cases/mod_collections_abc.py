from collections.abc import *; print([isinstance([], c) for c in (Container, Iterable, Sized, Sequence, MutableSequence, Hashable, Collection, Reversible)])

from collections.abc import *; print([isinstance({}, c) for c in (Mapping, MutableMapping, Set, Hashable, Sequence, Reversible)], [isinstance(set(), c) for c in (Set, MutableSet, Mapping, Collection)])

from collections.abc import *; print(isinstance((), Sequence), isinstance('', Sequence), isinstance(b'', Sequence), isinstance(range(1), Sequence), isinstance(bytearray(), MutableSequence), isinstance(frozenset(), Set), isinstance(frozenset(), MutableSet))

from collections.abc import *; print(isinstance(iter([]), Iterator), isinstance((i for i in []), Generator), isinstance([], Iterator), isinstance({}.keys(), KeysView), isinstance({}.items(), ItemsView), isinstance({}.values(), ValuesView), isinstance({}.keys(), Set))

from collections.abc import Callable; print(isinstance(len, Callable), isinstance(lambda: 0, Callable), isinstance(int, Callable), isinstance(5, Callable))

from collections.abc import Sequence
class S(Sequence):
    def __init__(self, d): self.d = d
    def __len__(self): return len(self.d)
    def __getitem__(self, i): return self.d[i]
s = S([1, 2, 3, 2]); print(list(s), 2 in s, s.index(2), s.count(2), list(reversed(s)), s.index(2, 2))

from collections.abc import Sequence
class S(Sequence):
    def __len__(self): return 0
S()

from collections.abc import Mapping
class M(Mapping):
    def __init__(self, d): self.d = d
    def __getitem__(self, k): return self.d[k]
    def __iter__(self): return iter(self.d)
    def __len__(self): return len(self.d)
m = M({'a': 1}); print(m.get('a'), m.get('z', 9), 'a' in m, list(m.keys()), list(m.items()), list(m.values()), m == {'a': 1}, dict(m), m != M({}))

from collections.abc import MutableMapping
class M(MutableMapping):
    def __init__(self): self.d = {}
    def __getitem__(self, k): return self.d[k]
    def __setitem__(self, k, v): self.d[k] = v
    def __delitem__(self, k): del self.d[k]
    def __iter__(self): return iter(self.d)
    def __len__(self): return len(self.d)
m = M(); m.update(a=1, b=2); m.update({'c': 3}); print(m.pop('a'), m.setdefault('z', 0), m.popitem(), len(m), dict(**m)); m.clear(); print(len(m)); m.pop('q')

from collections.abc import MutableSequence
class L(MutableSequence):
    def __init__(self): self.l = []
    def __getitem__(self, i): return self.l[i]
    def __setitem__(self, i, v): self.l[i] = v
    def __delitem__(self, i): del self.l[i]
    def __len__(self): return len(self.l)
    def insert(self, i, v): self.l.insert(i, v)
l = L(); l.append(1); l.extend([2, 3]); l += [4]; l.reverse(); print(list(l), l.pop(), l.pop(0)); l.remove(3); print(list(l)); l.clear(); print(len(l))

from collections.abc import Set
class S(Set):
    def __init__(self, it): self.s = list(dict.fromkeys(it))
    def __contains__(self, x): return x in self.s
    def __iter__(self): return iter(self.s)
    def __len__(self): return len(self.s)
a, b = S([1, 2, 3]), S([2, 3, 4]); print(list(a & b), list(a | b), list(a - b), list(a ^ b), a <= b, a == S([3, 2, 1]), a.isdisjoint(S([9])), S([1]) < a)

from collections.abc import MutableSet
class S(MutableSet):
    def __init__(self): self.s = []
    def __contains__(self, x): return x in self.s
    def __iter__(self): return iter(self.s)
    def __len__(self): return len(self.s)
    def add(self, x): self.s.append(x) if x not in self.s else None
    def discard(self, x): self.s.remove(x) if x in self.s else None
s = S(); s.add(1); s |= {2, 3}; s -= {1}; s.remove(2); print(list(s), s.pop(), len(s)); s.remove(7)

from collections.abc import Iterator
class C(Iterator):
    def __init__(self): self.n = 0
    def __next__(self):
        self.n += 1
        if self.n > 3: raise StopIteration
        return self.n
print(list(C()), iter(C()).__class__.__name__, isinstance(C(), Iterator))

from collections.abc import Iterable, Iterator
class I:
    def __iter__(self): return iter([])
class G:
    def __getitem__(self, i): return i
print(isinstance(I(), Iterable), isinstance(I(), Iterator), isinstance(G(), Iterable))

from collections.abc import Hashable
class H:
    __hash__ = None
class E:
    def __eq__(self, o): return True
print(isinstance(H(), Hashable), isinstance(E(), Hashable), isinstance(1, Hashable), isinstance([], Hashable), isinstance((), Hashable))

from collections.abc import Generator
class G(Generator):
    def send(self, v): return v
    def throw(self, t, v=None, tb=None): raise StopIteration
g = G(); print(next(g), g.send(5), g.close())

import collections.abc as c; print(issubclass(list, c.Sequence), issubclass(dict, c.Mapping), issubclass(c.Sequence, c.Collection), issubclass(str, c.Sequence), issubclass(int, c.Sized), c.Sequence.__mro__[-1])

from collections.abc import Sized, Container
class A:
    def __len__(self): return 1
class B:
    def __contains__(self, x): return True
print(isinstance(A(), Sized), isinstance(B(), Container), issubclass(A, Sized), issubclass(B, Sized))

from collections.abc import Callable, Sequence, Mapping; print(Sequence[int], Mapping[str, int], Callable[[int], str], Callable[..., int], Sequence[int].__origin__, Sequence[int].__args__)

from collections.abc import Awaitable, Coroutine, AsyncIterator, ByteString, MappingView; print(isinstance(b'', ByteString), isinstance({}.keys(), MappingView), isinstance(5, Awaitable))

from collections.abc import Sequence
class My:
    def __len__(self): return 2
    def __getitem__(self, i): return 'ab'[i]
Sequence.register(My); print(isinstance(My(), Sequence), issubclass(My, Sequence))

from collections.abc import Mapping
def flat(d, p=''):
    for k, v in d.items():
        if isinstance(v, Mapping): yield from flat(v, p + k + '.')
        else: yield p + k, v
print(dict(flat({'a': {'b': 1, 'c': {'d': 2}}, 'e': 3})))
