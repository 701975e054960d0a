for r in (range(5), range(2, 8), range(10, 0, -3), range(0), range(5, 2), range(-3, 3, 2)):
    print(r, list(r), len(r), r[1:], r[::-1], r == range(r.start, r.stop, r.step), bool(r), 2 in r, 2.0 in r, 'a' in r, r.count(2), hash(r) == hash(range(r.start, r.stop, r.step)))
print(range(0, 3, 2) == range(0, 4, 2), range(0) == range(5, 1), range(10)[2:8:-1], range(10)[-3:], range(10)[::3], range(3).index(2), max(range(3)), sum(range(101)), sorted(range(3), reverse=True), list(reversed(range(4))), [*range(3)], range(2**40)[2**39], len(range(2**40)), 2**39 in range(2**40))
for f in (lambda: range(3)[5], lambda: range(3).index(7), lambda: range(1, 2, 0), lambda: range('a'), lambda: range(1.0), lambda: range(), lambda: range(3) + range(2), lambda: range(3) < range(4), lambda: iter(range(3))[0]):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
