def main():
    words = []
    for i in range(1000):
        words.append("key" + str(i * 7))
    d = {}
    e = {}
    for i in range(1000000):
        k = words[i % 1000]
        if k in d:
            d[k] = d[k] + 1
        else:
            d[k] = 1
        j = i % 5000
        e[j] = e.get(j, 0) + 1
    return len(d) + len(e) + d["key7"] + e[7]
