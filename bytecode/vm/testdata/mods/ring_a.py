before = 1
import ring_b
after = 2
def f():
    return ring_b.g()
