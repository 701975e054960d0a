import math, os.path as p, sys
from math import sqrt as s, pi
from collections import *
from collections import OrderedDict as OD, Counter, defaultdict, namedtuple, deque, ChainMap
print(__name__, s(4), round(pi, 3), p.join('a', 'b'), OD, math.__name__, type(math).__name__, __file__[-14:], __doc__)
try: import nope
except ImportError as e: print(type(e).__name__, e, e.name)
try: from math import nope
except ImportError as e: print(e.msg.split(' (')[0])
try: import math.foo
except ImportError as e: print(e)
try: from nope.sub import x
except ModuleNotFoundError as e: print(e)
try: from . import x
except ImportError as e: print(e)
def f():
    import string
    return string.digits
print(f(), 'string' in globals())
if __name__ == '__main__': print('main')
print(isinstance(sys.path, list), sys.maxsize, sys.version_info >= (3, 8), sys.version_info[0])
try: math.nope
except AttributeError as e: print(e)
math.custom = 5; print(math.custom)
c = Counter('abca'); print(c, c.most_common(1), c['zz'], c + Counter('a'), c - Counter('ab'), sorted(c.elements()), Counter(a=1) | Counter(a=3), sum(c.values()))
d = defaultdict(list); d['a'].append(1); print(d, d.get('q'), d['q'], dict(d))
try: defaultdict(5)
except TypeError as e: print(e)
try: defaultdict()['x']
except KeyError as e: print(e)
N = namedtuple('N', 'a b', defaults=[5]); n = N(1); print(n, n.a, n[1], n._replace(a=9), n._asdict(), N._fields, N._make([7, 8]), n == (1, 5), *n)
try: N()
except TypeError as e: print(e)
try: n.a = 3
except AttributeError as e: print(e)
try: N(1, 2, 3)
except TypeError as e: print(e)
q = deque([1, 2, 3], maxlen=3); q.append(4); q.appendleft(0); q.rotate(1); print(q, q[0], len(q), list(q), q.pop(), q.popleft(), q)
try: deque().pop()
except IndexError as e: print(e)
o = OD([('a', 1), ('b', 2)]); o.move_to_end('a'); print(o, o.popitem(last=False), OD(a=1) == {'a': 1})
cm = ChainMap({'a': 1}, {'a': 2, 'b': 3}); print(cm['a'], cm['b'], dict(cm))
