def fannkuch(n):
    perm1 = list(range(n))
    count = [0] * n
    most = 0
    checksum = 0
    permutations = 0
    r = n
    while True:
        while r != 1:
            count[r - 1] = r
            r -= 1
        if perm1[0] != 0:
            perm = perm1[:]
            flips = 0
            k = perm[0]
            while k != 0:
                i, j = 0, k
                while i < j:
                    perm[i], perm[j] = perm[j], perm[i]
                    i += 1
                    j -= 1
                flips += 1
                k = perm[0]
            most = max(most, flips)
            checksum += flips if permutations % 2 == 0 else -flips
        permutations += 1
        while True:
            if r == n:
                return checksum, most
            first = perm1[0]
            for i in range(r):
                perm1[i] = perm1[i + 1]
            perm1[r] = first
            count[r] -= 1
            if count[r] > 0:
                break
            r += 1


def main():
    return fannkuch(8)
