package larkspur

import (
	"testing"

	"github.com/larkspur-ml/larkspur/tracer"
)

// found are programs that the fuzz found to differ, shrunk.
var found = []struct{ name, src string }{
	{"zip after a loop", `
T3 = (1, 5)
def main():
    l0 = [1, 2]
    w0 = 0
    while True:
        w0 += 1
        if w0 > 2:
            break
    for v0 in zip(l0, T3):
        print(v0)
`},
	{"text of what holds numbers", `
n = 0
def main():
    global n
    n += 1
    print((n, n), [n], {'k': n}, {n}, x)
    s = f'{(n,)} {[n]!r} {[(n, [n])]}' + str([n]) + repr({'k': (n,)}) + '%s' % [n]
    return s, x * 2, [n] == [3], (n, 1) in [(4, 1)], {(n, 1): 2}, sorted([(n, 2), (3, 1)]), [n].index(n), (n,) < (4,)
`},
	{"a print that breaks behind a symbol", `
n = 0
class A: pass
def main():
    global n
    n += 1
    print(n, x, n)
    print(f'{n}', A.__name__, x[1:], f'{n}{n}')
`},
	{"an index out of range for once", `
i = torch.tensor([1, 7])
n = 0
def main():
    global i, n
    n += 1
    r = x * 2
    try:
        r = x[i]
    except IndexError:
        r = r + 1
    i = torch.tensor([0, n % 5])
    return r
`},
	{"values that are taken out", `
n = 0
def main():
    global n
    n += 1
    D = d0
    D['a'], D['z'] = n * 3, n
    a = f(D)
    E.update([n, n + 5])
    L.append(n)
    return a, x + 1
def f(D):
    return D.pop('a', 0), D.popitem(), L.pop(), E.pop()
d0 = {'a': 1}
E = {9}
L = [1]
def g():
    global n
    d0['k'] = d0.get('k', 5) + n
g()
`},
	{"values of the outside that are taken out", `
D = {'a': 1}
def main():
    a = D.pop('a', 0)
    r = a, x + 1
    put(a)
    return r
k = 0
def put(a):
    global k
    k = k * 7 % 5 + 1
    D['a'] = k if k % 2 else float(k)
    return torch.ones(1).item()
`},
	{"a tape beside a new history of the outside", `
ta = torch.tensor([1.0, 2.0])
def series(t, n):
    q = 0
    while q < n:
        yield t * q
        q += 1
def body():
    y.zero_()
    for t0 in series(w, 2):
        ta.copy_(torch.nn.functional.softplus(w)[:2])
        (t0 * w).mean().backward()
def main():
    for round in range(2):
        body()
`},
	{"a view of new memory that gets a history", `
def main():
    p = torch.zeros(2, 3)[0]
    p.add_(w)
    assert not p.is_leaf
    p.mul_(w)
    p.sum().backward()
    return p
`},
	{"item that was noted when there was no symbol", `
it = iter(range(100))
def main():
    a = next(it)
    print([a])
    return x + a
`},
	{"a write of a tensor to itself counts", `
u = torch.tensor([1.0, 2.0])
def body():
    u[0] = u[0]
    return u * 2
def main():
    return body(), u._version
`},
	{"views of an earlier replay stay as they were", `
class C:
    n = 1
    @property
    def p(self):
        return self.n + 1
c = C()
M = torch.tensor([[1.0, 2.0], [0.5, -1.0]])
v, u = torch.tensor([1.0, 2.0]), torch.tensor([3.0, -1.0])
q = torch.tensor([0.5, 1.5], requires_grad=True)
def body():
    t = M @ v
    if u.sum() > c.p:
        pass
    t -= q
    return t
def main():
    return [body() for i in range(3)]
`},
	{"what instances of subclasses of built-in types hold", `
from typing import NamedTuple
class T(tuple): pass
class I(int): pass
class F(float): pass
class S(str): pass
class N(NamedTuple):
    n: int
    def show(self):
        return "%d" % self.n
def see(f, v, r):
    y = x * 2
    print(f(v))
    r.append(y)
def gen(make, f, r):
    for k in range(7):
        see(f, make(k), r)
        yield k
def main():
    r = []
    for make, f in [(lambda k: T([k, (1, k)]), lambda v: v[0] + v[1][1]), (N, N.show), (I, lambda v: v + 1), (F, lambda v: v * 2),
                    (lambda k: S("a" * k), lambda v: v + "b"), (lambda k: (k * 3).bit_length, lambda v: v()),
                    (lambda k: lambda *, a=(k, 1): a, lambda v: v())]:
        list(gen(make, f, r))
    return r
`},
	{"versions in the text of an error", `
def body():
    y = w * c
    c.mul_(1.5)
    y.sum().backward()
def main():
    r = []
    for k in range(3):
        try:
            body()
        except RuntimeError as e:
            r.append(str(e))
    return r, c
c = torch.ones(3)
`},
	{"a pass that fails before it leaves the region", `
def step(m, z):
    a = m * c + c
    c.mul_(1.5)
    return a + c
def body():
    a = step(w, x)
    v.normal_()
    (w * a).sum().backward()
def gen():
    for k in range(5):
        try:
            body()
        except RuntimeError as e:
            yield str(e)
def main():
    return list(gen()), c
c = torch.ones(3)
v = c.view(3)
`},
}

func TestJITFound(t *testing.T) {
	for _, c := range found {
		for threshold := 1; threshold <= 3; threshold++ {
			t.Run(c.name, func(t *testing.T) {
				w := newTwins(t, countsPrelude+c.src, func(o *tracer.Options) { o.Threshold = threshold })
				for i := range 6 {
					if d := w.call("main"); d != "" {
						t.Fatalf("call %d: %s\n%s", i, d, w.rt[1].Explain("prog.py"))
					}
				}
				if w.raises > 0 {
					t.Error("the program raises an exception")
				}
			})
		}
	}
}
