def main():
    parts = []
    for i in range(300000):
        parts.append(str(i))
    s = ",".join(parts)
    t = ""
    for i in range(300000):
        t = t + "xy"
    return len(s) + len(t)
