

def run(n):
    r = None
    for _ in range(n):
        r = step()
    return r


def probe():
    """A few elements of a result, to compare."""
    r = step().detach().double().flatten()
    n = r.shape[0]
    return [r[i * (n - 1) // 15].item() for i in range(16)]
