def check(i):
    if i % 10 == 0:
        raise ValueError("bad")
    return 1

def main():
    s = 0
    e = 0
    for i in range(1000000):
        try:
            s = s + check(i)
        except ValueError:
            e = e + 1
    return s * 10 + e
