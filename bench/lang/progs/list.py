def main():
    tot = 0
    for r in range(5):
        l = []
        for i in range(300000):
            l.append(i)
        s = 0
        for i in range(len(l)):
            s = s + l[i] % 10
        for x in l:
            s = s + (x & 1)
        tot = tot + s
    return tot
