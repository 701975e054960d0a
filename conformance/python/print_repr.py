class R:
    def __repr__(s): return '<R>'
class S:
    def __str__(s): return 'S!'
class E(Exception): pass
print(R(), [R()], (R(),), {R(): R()}, {'k': R()}, f'{R()}', '%s' % R(), str(R()))
print(str(S()), f'{S()}', '%s' % S(), '{}'.format(S()))
print([1.0, 1e20, 1e-7, 123456.789, -0.0, float('inf'), 1/3], (1,), [()], {}, set(), frozenset(), [[]], {1: {2: {3: 4}}}, {'a': [1, (2, {3})]})
print('a\nb', ['a\nb', "it's", 'q"', '\t', '\\', 'é', '\x00', '\u200b'], b'ab\x00', bytearray(b'x'), range(3), range(1, 10, 2), slice(1), Ellipsis, NotImplemented, None, True)
print(int, str, type, object, ValueError, E, len, E('x'), repr(E('x')), [E('x')], E(), E(1, 2))
print(type(lambda: 0).__name__, (lambda: 0).__qualname__, str(type(R())), R.__name__)
print({1: 'a', 'b': 2}.items(), {1: 2}.keys(), {1: 2}.values(), map, zip, enumerate, dict.fromkeys('ab'))
print(repr('x' * 3), repr(1), repr(1.5), repr(None), ascii('é'), str(b'x'), repr(b'\''), str([1, 'a']), str({'a': 'b'}), str(('a',)))
print(1, 'a', sep='|', end='$\n'); print(*[], sep='x'); print('a', 'b', sep=''); print(sep='-'); print('x', end=''); print(flush=True)
print(10**30, -10**25, 2**64, 0xff, 0b11, 1e300 * 10, 5e-324, 1.7976931348623157e+308, 100000.0, 1000000000000000.0, 1e16, 0.1 + 0.2, 1.10, 3.14e5)
