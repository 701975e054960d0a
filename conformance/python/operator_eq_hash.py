class P:
    def __init__(s, x): s.x = x
    def __eq__(s, o): return isinstance(o, P) and s.x == o.x
    def __hash__(s): return hash(s.x)
    def __repr__(s): return f'P{s.x}'
d = {P(1): 'a', 1: 'b'}; print(d[P(1)], d[1], len(d), P(1) in d, P(2) in d, {P(1), P(1), P(2)} == {P(2), P(1)}, [P(1)].index(P(1)), [P(1), P(1)].count(P(1)), P(1) != P(1), P(1) != 1)
class I(int): pass
print({I(3): 'x'}[3], {3: 'y'}[I(3)], {True: 't'}[1], {1.0: 'f'}[1], {(1, 2): 'tt'}[(1.0, I(2))], I(3) in {3}, 3 in {I(3)}, {'s': 1}.get('s'))
d = {I(1): 'a'}; d[1] = 'b'; d[1.0] = 'c'; d[True] = 'd'; print(d, len(d), d.pop(1), d)
class Any:
    def __eq__(s, o): return True
    __hash__ = lambda s: 5
print(Any() == 1, 1 == Any(), 1 != Any(), Any() in [1, 2], [1, 2] == [Any(), Any()], (1, 2) == (Any(), Any()), {5: 'z'}.get(Any()), {Any(): 1}.get(5))
