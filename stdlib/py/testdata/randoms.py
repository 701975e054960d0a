import random

for s in (0, 1, 42, -7, 2**40, 2**100 + 3, "seed", b"bytes", 1.5, -0.25, True, ""):
    random.seed(s)
    print(repr(s), random.random(), random.random(), random.getrandbits(32), random.getrandbits(1), random.getrandbits(100))
r = random.Random(5)
print([r.randint(1, 6) for _ in range(10)], r.randrange(10), r.randrange(5, 10), r.randrange(0, 100, 7), r.randrange(10, 0, -3), r.randrange(2**70))
print([r.choice("abcdef") for _ in range(5)], r.sample(range(1000), 5), r.sample([1, 2, 3, 4], 3), r.sample(range(10**6), 30), r.sample(["a", "b"], 3, counts=[2, 2]))
x = list(range(20))
r.shuffle(x)
print(x)
print(r.choices("abc", k=5), r.choices("abc", [1, 5, 10], k=5), r.choices([1, 2], cum_weights=[1, 4], k=4))
print(r.uniform(2, 5), r.triangular(), r.triangular(1, 5, 2), r.normalvariate(0, 1), r.normalvariate(10, 2))
print([r.gauss(0, 1) for _ in range(7)], r.expovariate(2.0), r.lognormvariate(0, 0.5), r.vonmisesvariate(1, 2), r.paretovariate(3), r.weibullvariate(1, 2))
print(r.gammavariate(2.5, 1), r.gammavariate(1, 2), r.gammavariate(0.5, 1), r.betavariate(2, 3), r.randbytes(7))
state = r.getstate()
a = [r.random() for _ in range(3)]
r.setstate(state)
print(a == [r.random() for _ in range(3)], state[0], len(state[1]))
random.seed(123)
print([random.gauss(0, 1) for _ in range(3)], random.random(), random.randint(0, 10**12), random.choice([1, 2, 3]))
for f in (lambda: random.choice([]), lambda: random.randrange(0), lambda: random.randint(5, 4), lambda: random.sample([1], 2), lambda: random.randrange(1, 5, 0), lambda: random.sample({1, 2}, 1), lambda: random.choices([1], [0]), lambda: random.choices([1, 2], [1])):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
print(0 <= random.SystemRandom().random() < 1, 0 <= random.Random().random() < 1)


class Mine(random.Random):
    def random(self):
        return 0.5


print(Mine().uniform(0, 10), Mine(3).random())
