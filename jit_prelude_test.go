package larkspur

import "strings"

// fuzzPrelude is what random programs stand on: classes with what a class can
// have, closures, generators, tensors and their views, a model and its optimiser.
// Numbers stay small: what multiplies takes a remainder.
const fuzzPrelude = `
import torch
torch.set_default_dtype(torch.float32)
torch.manual_seed(3)

def alias(p, q, l, m, x, y):
    a = p + q
    p.add_(q)
    p.mul_(q)
    l.append(len(m))
    m[0] = m[-1] + l[0]
    x.n = y.n + 1
    y.n = x.n * 2 % 1009
    q.add_(1)
    print(l, m, x is y, l is m, p is q)
    return a + p

class A:
    k = 2
    def __init__(self):
        self.n = 1
        self.t = torch.tensor([1.0, 2.0])
        self.l = [1, 2]
        self.sub = None
    def m(self, z):
        return z + self.n
    def tm(self, z):
        return z * self.t

class B(A):
    def m(self, z):
        return super().m(z) * self.k % 1009

class C(A):
    made = 0
    def __init__(self, n=2, *rest, **kw):
        super().__init__()
        C.made += 1
        self.n = n
        self.rest = rest
        self.kw = kw
    @property
    def p(self):
        return self.n + 1
    @p.setter
    def p(self, v):
        self.n = v - 1
    @classmethod
    def make(cls, z):
        return cls(z, 5, w=z)
    @staticmethod
    def st(z):
        return z * 2 % 1009
    def __call__(self, z):
        return self.m(z) + 1
    def __len__(self):
        return len(self.l)
    def __getitem__(self, i):
        return self.l[i]
    def __setitem__(self, i, v):
        self.l[i] = v
    def __iter__(self):
        for e in self.l[:4]:
            yield e
    def __contains__(self, z):
        return z in self.l
    def __eq__(self, o):
        return isinstance(o, C) and self.n == o.n
    def __hash__(self):
        return 7
    def __enter__(self):
        self.n = self.n + 1
        return self
    def __exit__(self, t, v, tb):
        self.n = self.n - 1
        return t is KeyError
    def __getattr__(self, name):
        if name == 'yy':
            return 11
        raise AttributeError(name)
    def __add__(self, o):
        return self.n + (o.n if isinstance(o, A) else o)
    def __radd__(self, o):
        return o - self.n
    def __bool__(self):
        return self.n != 3
    def __lt__(self, o):
        return self.n < o.n
    def __str__(self):
        return f"C<{self.n}>"

o1 = A()
o2 = B()
o3 = A()
c1 = C(4)
o1.sub = o2
o2.sub = o1
o3.sub = c1
G = 1
S = "q"
N = None
K = None
L = [1, 2, 3]
L2 = [o1, o2]
D = {"a": 1, "b": 2}
E = {1, 2}
T3 = (1, 5)
ta = torch.tensor([1.0, 2.0])
tb = torch.tensor([3.0, -1.0])
tv = ta.view(2)
tw = torch.tensor([0.5, 1.5], requires_grad=True)
tn = torch.tensor([1, 2])
tape = (tw * tw).sum()
M = torch.tensor([[1.0, 2.0], [0.5, -1.0]])

def look(t):
    return int(round(t.sum().clamp(-999, 999).item(), 2))

def first(l):
    r = []
    for e in l:
        r.append(e)
        if len(r) > 3:
            return r
    return r

def key1(z):
    return z

def series(t, n):
    q = 0
    while q < n:
        yield t * q
        q += 1
        if q == 2:
            t = t + look(t) % 3

def talk(n):
    got = 0
    try:
        while n > 0:
            x = yield got + n
            if x is not None:
                got = x
            n -= 1
    finally:
        print('done', got)
    return got

def chain(n):
    r = yield from talk(n)
    yield r

def make(c):
    def inner(z):
        nonlocal c
        c = c + 1
        return z + c
    return inner

def defaults(a, b=3, *, c=[1]):
    return a + b + len(c)

def star(*a, **kw):
    return len(a) * 10 + len(kw) + sum(a)

def lastly(z):
    global G
    try:
        if z % 3 == 0:
            raise KeyError(z)
        if z % 3 == 1:
            return z
    except KeyError as e:
        z = z + 1
    else:
        z = z + 2
    finally:
        G = G + 1
        if G > 900:
            G = 0
    return z

@torch.no_grad()
def quiet(t):
    return t * 2

def pickone(a, b):
    if a > b:
        return a - b + G
    return b * o1.n % 1009

def mix(t, i):
    u = t * 2
    if i % 2 == 0:
        u = u + o2.t
    else:
        u.add_(i)
    return u

def deep(t):
    q = [t]
    for z in range(2):
        q.append(7 + look(t) % 4 + z)
    return q[1] + q[2]

count = make(1)
inner = make(2)
git = iter([5, 6, 7, 8, 9])
gg = series(ta, 3)
gt = talk(5)
`

// fuzzTraining is the part of the prelude for programs that train.
const fuzzTraining = `
W = torch.tensor([[0.5, -0.5], [0.25, 0.1]], requires_grad=True)
bias = torch.zeros(2, requires_grad=True)
params = [W, bias]
steps = 0

def train(n):
    global steps
    for s in range(n):
        for p in params:
            p.grad = None
        o = (torch.stack([ta.detach() * 0.1, tb.detach() * 0.1]) @ W + bias).tanh() - 1
        loss = (o * o).mean()
        loss.backward()
        with torch.no_grad():
            for p in params:
                p.add_(p.grad, alpha=-0.01)
        steps += 1
        if steps % 3 == 0:
            print("step", steps)
`

// fuzzModule is the part for programs with torch.nn and torch.optim.
const fuzzModule = `
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(2, 2)
        self.drop = torch.nn.Dropout(0.5)
        self.seq = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(2, 2))
    def forward(self, x):
        return self.seq(self.drop(self.fc(x)))

net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)

def learn(x):
    opt.zero_grad()
    loss = (net(x) - 1).pow(2).sum()
    loss.backward()
    opt.step()
    return loss.detach()
`

// mutations change the outside between two calls.
var mutations = strings.Split(strings.TrimSpace(`
o1.n = 5
o1.n = 2.5
o1.n = 1
o2 = A()
L.append(4)
L[0] = 9
L = [7]
L = [1, 2, 3]
L = D
D['c'] = 3
del D['b']
D = {'b': 1, 'a': 2}
D['a'] = 10
E.add(5)
E = {2}
ta.add_(1)
ta = torch.tensor([4.0, 5.0])
tb = ta
tv = ta.view(1, 2)
tv = ta[0:1]
tv = ta
ta = ta.double()
ta = torch.ones(3)
ta.requires_grad_()
ta = ta.detach().clone()
tn = tn + 1
tn = torch.tensor([0, 1])
tw.grad = None
tw = torch.tensor([2.0, 1.0], requires_grad=True)
M = torch.eye(2)
M = M.t()
A.k = 7
B.m = A.m
C.k = 3
c1.n = 3
c1.n = 8
c1 = C(6)
c1 = C(1, 2, 3, a=4)
C.__len__ = lambda self: 1
C.p = 5
c1.zz = 1
o1.zz = 1
o1.zz = 'z'
o1.l = L
o2.l = o1.l
o1.t = tb
o3 = o1
o3 = c1
L2 = [o2, o1]
G = 0
G = 3
G = 2.0
G = True
S = 'r'
S = 'a long text'
N = o1
K = None
T3 = (2, 5)
T3 = (1, 5, 6)
count = make(4)
inner = count
git = iter([1, 2])
git = iter(L)
gg = series(tb, 2)
gt = talk(3)
gt = chain(2)
o1.sub = o3
o1.sub = None
o1.m = count
torch.manual_seed(5)
torch.set_grad_enabled(False)
torch.set_grad_enabled(True)
torch.rand(1)
steps = 7
params = [W]
params = [bias, W]
params = [W, bias]
W.data.mul_(0.5)
net.train()
net.eval()
net.fc.weight.data.mul_(2)
net.fc = torch.nn.Linear(2, 2)
net.fc.weight.requires_grad_(False)
opt.param_groups[0]['lr'] = 0.1
defaults.__defaults__ = (5,)
defaults.__kwdefaults__ = {'c': [1, 2, 3]}
uu = 3
tape.backward()
`), "\n")

var mutationDefs = []string{
	"def pickone(a, b):\n    return a",
	"def first(l):\n    return [e for e in l][:2]",
	"class A2(A):\n    def m(self, z):\n        return z - 1\no1 = A2()",
	"B.m = lambda self, z: z + 3",
	"def key1(z):\n    return -z",
}
