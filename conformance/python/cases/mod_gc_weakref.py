import gc; print(gc.isenabled(), gc.disable(), gc.isenabled(), gc.enable(), gc.isenabled())

import gc; print(isinstance(gc.collect(), int), isinstance(gc.collect(0), int), gc.collect(generation=2) >= 0)

import gc; gc.collect(5)

import gc; print(len(gc.get_threshold()), len(gc.get_count()), gc.set_threshold(100, 5, 5), type(gc.get_stats()).__name__)

import gc; print(gc.freeze(), gc.unfreeze(), gc.get_freeze_count() >= 0, gc.garbage, gc.is_tracked(1), gc.is_tracked([]))

import gc; gc.collect('x')

import weakref
class A: pass
a = A(); r = weakref.ref(a); print(r() is a, r == weakref.ref(a), hash(r) == hash(weakref.ref(a)), weakref.getweakrefcount(a) >= 0)

import weakref; weakref.ref(5)

import weakref; weakref.ref([])

import weakref
class A:
    def __init__(self): self.x = 5
    def m(self): return self.x + 1
a = A(); p = weakref.proxy(a); print(p.x, p.m()); p.x = 7; print(a.x, isinstance(p, A))

import weakref
class A: pass
a, b = A(), A(); d = weakref.WeakValueDictionary(x=a); d['y'] = b; print(sorted(d), len(d), d.get('z'), 'x' in d, d['y'] is b, sorted(d.keys()), len(list(d.values()))); del d['x']; print(list(d.items())[0][0])

import weakref
class A: pass
a = A(); d = weakref.WeakKeyDictionary(); d[a] = 1; print(d[a], a in d, len(d), list(d.values()), d.get(A()), d.pop(a), len(d))

import weakref
class A: pass
a, b = A(), A(); s = weakref.WeakSet(); s.add(a); s.add(a); s.add(b); print(len(s), a in s, A() in s); s.discard(b); s.remove(a); print(len(s))

import weakref
class A:
    def m(self): return 'called'
a = A(); w = weakref.WeakMethod(a.m); print(w()(), w() == a.m)

import weakref
def f(): return 3
r = weakref.ref(f); print(r()(), type(r).__name__, isinstance(r, weakref.ReferenceType), weakref.ref is weakref.ReferenceType)

import weakref
class A:
    __slots__ = ('x', '__weakref__')
a = A(); print(weakref.ref(a)() is a)

import weakref
class A:
    __slots__ = ('x',)
weakref.ref(A())

import weakref
class A: pass
a = A(); f = weakref.finalize(a, print, 'bye'); print(f.alive); f(); print(f.alive, f())

import weakref
class Node:
    def __init__(self, parent=None):
        self.parent = weakref.ref(parent) if parent else None; self.children = []
        if parent: parent.children.append(self)
root = Node(); kid = Node(root); print(kid.parent() is root, len(root.children), root.parent)

import weakref
cache = weakref.WeakValueDictionary()
class Img:
    def __init__(self, n): self.n = n
def get(n):
    r = cache.get(n)
    if r is None: r = cache[n] = Img(n)
    return r
a = get('x'); print(get('x') is a, len(cache), get('y') is not a)

import weakref
d = weakref.WeakKeyDictionary(); d[5] = 1

import weakref
class A: pass
a = A(); s = weakref.WeakSet([a]); print([x is a for x in s], len(s | {a}), a in s.union([a]), s == weakref.WeakSet([a]))
