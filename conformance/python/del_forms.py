x = [0, 1, 2, 3, 4]; del x[0], x[-1]; print(x); del x[:]; print(x)
d = {'a': {'b': 1}}; del d['a']['b']; print(d)
class A: 
    y = 1
    def __delattr__(s, n): print('del', n)
    def __delitem__(s, k): print('delitem', k)
a = A(); del a.anything, a[1], a[1:2], a['k', 2]
z = w = 1; del (z, w)
for n in ('z', 'w'):
    try: print(eval_ := globals()[n])
    except KeyError as e: print('gone', e)
del A.y; print(hasattr(A, 'y'))
def f(p): 
    del p
    try: p
    except UnboundLocalError as e: return str(e)
print(f(1))
l = list(range(10)); del l[::2]; print(l); del l[3:1:-1]; print(l); del l[5:]; print(l)
try: del l[99]
except IndexError as e: print(e)
try: del d['zz']
except KeyError as e: print(e)
try: del a_name_not_there
except NameError as e: print(e)
