class V:
    def __init__(s, x): s.x = x
    def __lt__(s, o): print('lt', s.x, o.x); return s.x < o.x
    def __repr__(s): return f'V{s.x}'
print(V(1) < V(2), V(1) > V(2))
try: V(1) <= V(2)
except TypeError as e: print(e)
class R:
    def __lt__(s, o): return 'lt'
    def __le__(s, o): return 'le'
    def __gt__(s, o): return 'gt'
    def __ge__(s, o): return 'ge'
    def __eq__(s, o): return 'eq'
    def __ne__(s, o): return 'ne'
    def __hash__(s): return 1
r = R()
print(r < 1, 1 < r, r <= 1, 1 <= r, r == 1, 1 == r, r != 1, 1 != r)
print(1 < r < 2, 3 > 2 > 1, 1 < 2 > 1 == 1)
class S(R):
    def __eq__(s, o): return 'S.eq'
    def __gt__(s, o): return 'S.gt'
    __hash__ = None
print(R() == S(), R() < S(), S() == R())
nan = float('nan')
print(nan == nan, nan in [nan], [nan] == [nan], (nan,) == (nan,), {1: nan} == {1: nan}, nan < 1, nan != nan, [nan] < [nan], (nan,) <= (nan,))
for a, b in [(1, 'a'), ([], ()), (None, 1), ({}, {}), ('a', b'a'), ([1], [None]), ((1, 'a'), (1, 2)), ({1}, [1]), (range(2), range(3)), (len, print), (int, str)]:
    for op in ('<', '>='):
        try: print(a < b if op == '<' else a >= b)
        except TypeError as e: print(e)
print(1 == 1.0, True == 1, 'a' == b'a', [1] == (1,), 0.0 == -0.0, 2**53 == float(2**53), 2**53 + 1 == float(2**53), 2**53 + 1 > float(2**53), 10**400 > float('inf'), -10**400 < float('-inf'), 10**400 < float('inf'), {1, 2} == frozenset([2, 1]), range(0) == range(2, 1), range(0, 3, 2) == range(0, 4, 2))
print({1, 2} < {1, 2, 3}, {1} <= {1}, {1} < {1}, {3} > {1}, {1: 2}.keys() == {1}, {1: 2}.items() == {(1, 2)}, [1, 2] < [1, 2, 3], [2] > [1, 5], 'a' < 'B', '' < 'a', b'a' < b'b')
class NB:
    def __bool__(s): raise ValueError('nb')
class EqNB:
    def __eq__(s, o): return NB()
try: EqNB() in [1]
except ValueError as e: print(e)
try: [EqNB()] == [1]
except ValueError as e: print(e)
try: print(EqNB() != 1)
except ValueError as e: print(e)
