def check(n):
    assert n > 0, f'n is {n}'
    return n
print(check(1))
check(-1)
