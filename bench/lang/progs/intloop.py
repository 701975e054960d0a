def main():
    i = 0
    s = 0
    while i < 10000000:
        if i % 3 == 0:
            s = s + 2
        else:
            s = s - 1
        i = i + 1
    return s
