class C:
    def __len__(s): return 3
    def __getitem__(s, i):
        if isinstance(i, slice): return ('slice', i.start, i.stop, i.step)
        if i == 'k' or isinstance(i, tuple): return i
        if i >= 3: raise IndexError('end')
        return i * 10
    def __setitem__(s, i, v): print('set', i, v)
    def __delitem__(s, i): print('del', i)
    def __contains__(s, x): return x == 'yes'
    def __reversed__(s): return iter('rev')
    def __length_hint__(s): return 5
c = C()
print(list(c), c[1:2], c[::2], c[1, 2], c[1:2, ...], c['k'], 'yes' in c, 'no' in c, list(reversed(c)), bool(c))
c[1] = 2; c[1:2] = 3; del c[0]; del c[:]; c[0] += 5
class OldIter:
    def __getitem__(s, i):
        if i > 2: raise IndexError
        return i
print(list(OldIter()), 1 in OldIter(), 7 in OldIter(), [*OldIter()], max(OldIter()), sum(OldIter()), tuple(zip(OldIter(), 'ab')))
a, b, cc = OldIter(); print(a, b, cc)
class L:
    def __init__(s, n): s.n = n
    def __len__(s): return s.n
for n in (0, 1, -1, 'a', 1.5, 10**30):
    try: print(len(L(n)), bool(L(n)))
    except Exception as e: print(type(e).__name__, e)
class B:
    def __init__(s, v): s.v = v
    def __bool__(s): return s.v
print(bool(B(True)), not B(False))
try: bool(B(1))
except TypeError as e: print(e)
class It:
    def __iter__(s): return 5
try: iter(It())
except TypeError as e: print(e)
class Ix:
    def __index__(s): return 2
print([1, 2, 3][Ix()], 'abc'[Ix()], range(Ix()), hex(Ix()), [0] * Ix(), 'ab' * Ix(), list(range(5))[Ix():], int(Ix()), bin(Ix()))
class Bx:
    def __index__(s): return 'a'
try: [1][Bx()]
except TypeError as e: print(e)
class H:
    def __hash__(s): return 'a'
try: hash(H())
except TypeError as e: print(e)
class R:
    def __repr__(s): return 5
    __str__ = lambda s: 6
for f in (repr, str, lambda r: f'{r}', lambda r: '%r' % r, lambda r: '%s' % (r,), lambda r: '{!r}'.format(r), ascii, print):
    try: print(f(R()))
    except TypeError as e: print(e)
class EqOnly:
    def __eq__(s, o): return True
try: {EqOnly()}
except TypeError as e: print(e)
print(EqOnly.__hash__, EqOnly() != 1, [EqOnly()].index(4), 4 in [EqOnly()], [1, 2].count(EqOnly()))
class Call:
    def __call__(s, *a, **k): return a, k
print(Call()(1, *[2], x=3, **{'y': 4}), callable(Call()), callable(C))
class Fmt:
    def __format__(s, spec): return f'<{spec}>'
print(f'{Fmt()}', f'{Fmt():abc}', format(Fmt(), 'x'), '{:q}'.format(Fmt()), f'{Fmt()!r:>3}'[:1])
try: f'{object():x}'
except TypeError as e: print(e)
class Cx:
    def __int__(s): return 3
    def __float__(s): return 2.5
    def __bytes__(s): return b'by'
    def __str__(s): return 'str'
print(int(Cx()), float(Cx()), bytes(Cx()), str(Cx()))
class BI:
    def __int__(s): return 'a'
    def __float__(s): return 1
for f in (int, float):
    try: f(BI())
    except TypeError as e: print(e)
class D:
    def __dir__(s): return ['b', 'a']
print(dir(D()))
