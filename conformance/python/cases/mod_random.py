import random; random.seed(1); print(random.random(), random.randint(1, 100), random.uniform(0, 5), random.choice('abc'))

import random; random.seed(42); l = list(range(10)); random.shuffle(l); print(l, random.sample(range(100), 5), random.choices([1, 2, 3], k=4))

import random; random.seed('abc'); print(random.random(), random.getrandbits(64), random.randrange(10), random.randrange(5, 50, 5))

import random; random.seed(0); print(random.gauss(0, 1), random.normalvariate(5, 2), random.expovariate(1.5), random.betavariate(1, 2))

import random; random.seed(3); print(random.triangular(0, 1, 0.5), random.lognormvariate(0, 1), random.vonmisesvariate(0, 1), random.paretovariate(2), random.weibullvariate(1, 2), random.gammavariate(2, 1))

import random; r = random.Random(7); print(r.random(), r.randint(0, 9), r.choice([1, 2]))

import random; random.seed(1); s = random.getstate(); a = random.random(); random.setstate(s); print(a == random.random())

import random; random.seed(2**70); print(random.random()); random.seed(-5); print(random.random())

import random; random.seed(1.5); print(random.random()); random.seed(b'x'); print(random.random())

import random; random.seed(1); print(random.choices('ab', weights=[1, 3], k=6), random.choices('ab', cum_weights=[1, 4], k=3))

import random; random.seed(1); print(random.sample([1, 2, 3], 3), random.sample('abc', 2), random.sample([1, 2], counts=[3, 1], k=2))

import random; random.choice([])

import random; random.randint(5, 1)

import random; random.sample([1], 2)

import random; random.randrange(0)

import random; random.seed(1); print(random.randbytes(4), random.getrandbits(1), random.getrandbits(100))

import random; random.seed(5); print([random.randint(0, 10**20) for _ in range(2)], random.uniform(-1, -2))

import random; a = random.Random(1); b = random.Random(1); print([a.random() for _ in range(3)] == [b.random() for _ in range(3)])

import random; random.seed(9); print(sorted(random.sample(range(10**9), 3)), random.randrange(10**12))

import random
class R(random.Random): pass
print(R(1).random() == random.Random(1).random())

import random; random.seed(1); x = [random.gauss(0, 1) for _ in range(3)]; print(x)
