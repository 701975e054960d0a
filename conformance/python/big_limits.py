def t(f):
    try: f(); print('ok')
    except (MemoryError, OverflowError) as e: print('refused')
for f in [lambda: 'a' * 10**17, lambda: [0] * 10**17, lambda: (0,) * 10**17, lambda: b'a' * 10**17, lambda: [0] * 2**62, lambda: 'ab' * 2**63, lambda: 1 << 10**30, lambda: 'a'.ljust(10**18), lambda: list(range(10**18)), lambda: 'x'.zfill(10**18)]: t(f)
for f in [lambda: [1, 2, 3][10**100:], lambda: 'abc'[-10**100:10**100], lambda: [1, 2][::10**50], lambda: 'abc'.find('c', -10**100), lambda: [5].insert(10**100, 1) if False else None, lambda: range(10)[-10**30:2]]: print(f())
for f in [lambda: [0][10**100], lambda: 'a'[-10**100], lambda: (1,)[2**70]]:
    try: f()
    except IndexError as e: print("IndexError")
