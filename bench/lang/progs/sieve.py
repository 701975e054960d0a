def main():
    n = 2000000
    s = [1] * (n + 1)
    i = 2
    while i * i <= n:
        if s[i] == 1:
            j = i * i
            while j <= n:
                s[j] = 0
                j = j + i
        i = i + 1
    c = 0
    for k in range(2, n + 1):
        c = c + s[k]
    return c
