import leaf
import leaf as l2
print(leaf.answer, l2 is leaf, leaf.double(4), leaf.__name__)
from leaf import double, answer as a
print(double(a))
from leaf import *
print(answer, "_hidden" in globals() if False else "ok")
---
import ring_a
print(ring_a.f(), ring_a.ring_b.seen)
---
from starred import *
print(one, _two)
print(three)
---
import pkg.inner
print(pkg.name, pkg.value, pkg.inner.value, pkg.other.base)
from pkg import other, inner
print(other.base, inner.value)
import pkg.other as o
print(o.base)
---
import nosuch
---
from leaf import nosuch
---
try:
    import nosuch.deeper
except ImportError as e:
    print(type(e).__name__, e)
try:
    from pkg import missing
except ImportError as e:
    print("ImportError")
---
def f():
    from leaf import answer
    return answer
print(f())
---
import broken
