def t(f):
    try:
        r = f()
        print(repr(sorted(r, key=str)) if isinstance(r, (set, frozenset)) else repr(r))
    except Exception as e: print(type(e).__name__, e)
s = {3, 1, 2}
def m():
    z = {1, 2}
    for k in z: z.add(k + 10)
t(m)
z = {1}; z |= {2}; z &= {2, 3}; z -= {9}; z ^= {5}; print(sorted(z))
def n(): 
    z = {1}
    z |= [2]
t(n)
