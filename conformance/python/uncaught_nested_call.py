def inner(x): return x['a']['b'] + 1
def outer(v): return [inner(v), 1]
print(outer({'a': {'b': 1}}))
print(outer({'a': None}))
