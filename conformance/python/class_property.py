class T:
    def __init__(self): self._v = 1
    @property
    def v(self):
        "the v"
        return self._v
    @v.setter
    def v(self, x):
        if x < 0: raise ValueError('neg')
        self._v = x
    @v.deleter
    def v(self): self._v = None
    @property
    def ro(self): return 5
    wo = property(None, lambda s, x: print('wo', x))
    @property
    def bad(self): return self.missing
t = T(); t.v = 4; print(t.v)
try: t.v = -1
except ValueError as e: print(e)
del t.v; print(t.v)
for s in ('t.ro = 1', 'del t.ro', 't.wo', 't.bad'):
    try:
        if s == 't.ro = 1': t.ro = 1
        elif s == 'del t.ro': del t.ro
        elif s == 't.wo': t.wo
        else: t.bad
    except AttributeError as e: print(s, e)
t.wo = 9
print(T.v.__doc__, T.v.fget.__name__, T.v.fdel is not None, type(T.v))
class U(T):
    @T.v.getter
    def v(self): return 'U'
print(U().v)
class W(T):
    @property
    def v(self): return super().v + 1
print(W().v)
