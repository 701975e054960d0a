def p(n, v): print(n, end=' '); return v
print(p(1, 0) or p(2, '') or p(3, 'x')); print(p(1, 1) and p(2, 0) and p(3, 5)); print(not p(1, [])); print(p(1, 1) < p(2, 2) < p(3, 3)); print(p(1, 3) < p(2, 2) < p(3, 3)); print(p(1, 1) == p(2, 1) != p(3, 2) in [p(4, 2)])
print(1 if p('c', 0) else 2, (1, 2)[True], [] or {} or 'e', None or 0, 0 and 1, 'a' and '', not None, not not 'a', True and False or True, not (1 > 2), 1 is not None, 1 not in [2], not 1 in [1])
x = 5; print(0 < x < 10, 0 < x > 3, x == 5 == 5.0, 1 < 3 > 2, (1 < 2) == True, 1 < 2 == True, not x == 5, x in (5,) and x, -x ** 2, (-x) ** 2, 2 ** 3 ** 2, -2 ** -1, ~x & 0xf, x << 1 + 1, x & 3 == 3, (x & 3) == 1, 7 // 2 * 2 + 7 % 2, not True == False, 1 + 2 if 0 else 3 * 4, lambda: 5 if False else 0) if False else print('skip')
print(0 < x < 10, 0 < x > 3, x == 5 == 5.0, (1 < 2) == True, 1 < 2 == True, not x == 5, -x ** 2, (-x) ** 2, 2 ** 3 ** 2, -2 ** -1, ~x & 0xf, x << 1 + 1, x & 3 == 3, (x & 3) == 1, 7 // 2 * 2 + 7 % 2)
a = [1]; b = a; a = a + [2]; print(a, b, a is b); a = b; a += [3]; print(a, b, a is b); print(a is not b, a == b)
class B:
    def __bool__(s): print('bool', end=' '); return False
print(B() or 'r', not B(), 1 if B() else 2, all([B()]), any([B(), 1]), [1 for _ in [0] if B()], bool(B()))
while B(): pass
assert not B()
i = 0
while True:
    i += 1
    if i < 3: continue
    if i > 5: break
else: print('never')
print(i)
