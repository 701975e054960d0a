class Dot(dict):
    __getattr__ = dict.get
    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__
d = Dot(a=1); d.b = 2; print(d.a, d.b, d.nope, d, sorted(d)); del d.a; print(d, 'a' in d)
try: del d.zz
except KeyError as e: print('KeyError', e)
class Attr:
    def __init__(self, **k): self.__dict__.update(k)
    def __repr__(self): return f'Attr({self.__dict__})'
a = Attr(x=1, y=[2]); print(a, a.x, vars(a)); a.__dict__['z'] = 3; print(a.z, hasattr(a, 'q'))
