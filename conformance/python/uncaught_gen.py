def g():
    yield 1
    yield 1 / 0
it = g(); next(it); next(it)
