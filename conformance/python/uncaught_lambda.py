f = lambda x: x.missing
print(f(5))
