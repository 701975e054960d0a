class A: x = 1
a = A(); print(getattr(a, 'x'), getattr(a, 'y', 'd'), hasattr(a, 'y')); setattr(a, 'y', 2); print(a.y, vars(a)); delattr(a, 'y'); print(hasattr(a, 'y'))

getattr(5, 'nope')

getattr(5, 1)

print(isinstance(1, (str, int)), isinstance(1, int | str), isinstance(True, int), issubclass(bool, (str, int)), isinstance([], list), isinstance(None, type(None)), isinstance(1, int | None))

isinstance(1, 5)

issubclass(1, int)

isinstance(1, list[int])

print(callable(len), callable(5), callable(int), callable(lambda: 0), id(1) == id(1), type(5) is int)

print(list(map(lambda x, y: x + y, [1, 2], [3, 4])), list(filter(None, [0, 1, '', 'a'])), list(filter(lambda x: x > 1, [1, 2])), list(zip('ab', [1, 2], (3, 4))), list(zip()), list(enumerate('ab', start=5)))

print(list(iter(lambda it=iter([1, 2, 0, 3]): next(it), 0)), next(iter([]), 'dflt'), list(reversed('abc')), sorted('bca', reverse=True))

print(abs(-3), abs(-2.5), round(2.5), round(2.567, 2), divmod(-7, 3), pow(2, 5), pow(2, 5, 7), sum([1, 2], 5), max(1, 2), min([3, 1]), max('ab', 'b', key=len))

print(ord('a'), chr(97), hex(255), oct(8), bin(5), ascii('é'), repr('a'), str(5), bool([]), int('5'), float('1.5'))

ord('ab')

chr(-1)

max()

max([])

sum(5)

print(all([1, 'a']), any([]), len('abc'), sorted([3, 1]), hash('a') == hash('a'), format(3.14159, '.2f'), type(1).__name__)

print(1, 'a', None, sep='-', end='!\n'); print(); print('a', end=''); print('b'); print(*[1, 2], sep=''); print(1, sep=None)

print(1, foo=2)

print(1, sep=5)

import io; f = io.StringIO(); print('to file', file=f); print(repr(f.getvalue()))

def f(): x = 1; y = 2; return locals()
print(f(), 'f' in globals())

class A:
    def __dir__(self): return ['z', 'a']
print(dir(A()), [n for n in dir([]) if not n.startswith('_')])

print(slice(1, 2), range(3), Ellipsis, ..., NotImplemented, __name__, None)

vars(5)

print(list(map(int, '123')), set(map(str.upper, 'ab')) == {'A', 'B'}, dict(map(lambda x: (x, x), [1])), list(map(pow, [2, 3], [3, 2])))

map(1)

list(map(5, [1]))

zip([1], 5)

enumerate(5)

reversed(5)

sorted([1], 5)

sorted(5)

round('a')

len(5)

int([])

print(type(print), type(len).__name__, type(lambda: 0).__name__, type(int.real).__name__ if False else '', print, len, int, max.__name__)

x = 5; print(eval('x + 1') if False else x); print(input.__name__, open.__name__, exit.__class__.__name__ if False else '')

print(bool('False'), bool(0.0), bool([[]]), bool(None), int(True), str(True), [True, False].count(1), True + True)

print(object() == object(), isinstance(object(), object), type(object()).__name__, object.__name__, str(object)[:15])

object().x = 1

object(1)

a = iter([1, 2, 3]); print(list(zip(a, a)), hasattr(a, '__next__'), iter(a) is a)

print(globals()['__name__'], __doc__, 'x' in vars(), [*map(chr, range(97, 100))], sum(map(len, ['a', 'bb'])))

print(type('X', (), {})().__class__.__name__, super.__name__, property.__name__, staticmethod.__name__)

iter(5)

iter(5, 6)

print(frozenset([1]), bytearray(2))

hash([])

print(min(1, 2.5), max(1.5, 1), min('a', 'B', key=str.lower), max([(1, 2), (1, 3)]), min({3: 'a', 1: 'b'}), max(range(5)), sum(range(5)), sum([0.1] * 3), sum([], 0.0))
