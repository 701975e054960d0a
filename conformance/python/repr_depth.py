x = []
for i in range(50): x = [x]
print(repr(x)); d = {}
for i in range(20): d = {i: d}
print(d); a = []; b = [a]; a.append(b); print(a, b);
class N:
    def __init__(s, c): s.c = c
    def __repr__(s): return f'N({s.c!r})'
n = None
for i in range(30): n = N(n)
print(n); s = {1: [1]}; s[1].append(s); print(s, str(s), f'{s}'); print([[1] * 2] * 2, {(): {}})
