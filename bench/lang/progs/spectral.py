def a(i, j):
    return 1.0 / ((i + j) * (i + j + 1) // 2 + i + 1)

def times(v, n, flip):
    out = []
    for i in range(n):
        s = 0.0
        for j in range(n):
            if flip:
                s = s + a(j, i) * v[j]
            else:
                s = s + a(i, j) * v[j]
        out.append(s)
    return out

def main():
    n = 130
    u = [1.0] * n
    v = u
    for _ in range(10):
        v = times(times(u, n, False), n, True)
        u = times(times(v, n, False), n, True)
    top = 0.0
    low = 0.0
    for i in range(n):
        top = top + u[i] * v[i]
        low = low + v[i] * v[i]
    return round((top / low) ** 0.5, 9)
