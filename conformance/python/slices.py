s = list(range(10)); z = 'abcdefghij'; y = tuple(s); b = bytes(range(5))
for sl in [slice(None), slice(2, 5), slice(-3, None), slice(None, -3), slice(None, None, -1), slice(8, 2, -2), slice(2, 8, -1), slice(100), slice(-100, 3), slice(5, -100, -1), slice(None, None, 3), slice(-1, None, -3), slice(3, 3), slice(20, 5), slice(0, 10, 100)]:
    print(s[sl], z[sl], y[sl], list(b[sl]), range(10)[sl], sl.indices(10))
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
t(lambda: s[::0]); t(lambda: z['a':]); t(lambda: y[1.5]); t(lambda: s['a']); t(lambda: s[10]); t(lambda: z[-11]); t(lambda: y[99]); t(lambda: b[9]); t(lambda: range(3)[3]); t(lambda: {}[1:2]); t(lambda: s[1, 2]); t(lambda: z[None]); t(lambda: (1)[0]); t(lambda: s[True]); t(lambda: {1: 2}[2]); t(lambda: {}['a']); t(lambda: {}[(1, 'x')])
l = list(range(6)); l[1:3] = 'xyz'; print(l); l[::2] = [0] * 4; print(l); l[5:2] = [9]; print(l); del l[::3]; print(l); l[:] = []; print(l)
l = [1, 2, 3]
def a1(): l[::2] = [1]
def a2(): l[0:1] = 5
def a3(): l[5] = 1
def a4(): del l[7]
def a5(): (1,)[0] = 1
def a6(): 'a'[0] = 'b'
def a7(): del 'a'[0]
def a8(): del (1,)[0]
def a9(): l['x'] = 1
def a10(): del l['x']
def a11(): {}[[]] = 1
def a12(): del {}[1]
def a13(): range(3)[0] = 1
def a14(): b'a'[0] = 1
def a15(): None[0] = 1
def a16(): del None[0]
def a17(): l[1.5] = 2
for f in (a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17): t(f)
l = [1, 2, 3, 4, 5]; l[1:4] = []; print(l); l[1:1] = [7, 8]; print(l); l[-1:] = (x for x in 'ab'); print(l); l *= 2; print(l); l[2:2] = l; print(l)
l = [1, 2, 3, 4, 5, 6, 7]; del l[-1:0:-2]; print(l); del l[10:]; del l[1:2]; print(l)
print(slice(1, 2) == slice(1, 2), slice(1, 2, 3), slice(1).stop, slice(None).indices(5), repr(slice('a', None)))
