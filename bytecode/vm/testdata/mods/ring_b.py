import ring_a
seen = [n for n in ("before", "after") if hasattr(ring_a, n)]
def g():
    return ring_a.after
