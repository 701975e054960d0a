package larkspur

import (
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/tracer"
)

// effectCase is a program whose main is to be recorded whole: breaks is how many
// breaks are recorded in 6 calls, aborts how many recordings are given up.
type effectCase struct {
	name, src      string
	breaks, aborts int
	mut            []string
}

var effectCases = []effectCase{
	{name: "print in order with other effects", src: `
log = []
n = 0
def main():
    global n
    n += 1
    print("step", n, X.shape)
    log.append(n)
    print(f"{n * 2:>4}|{n / 4:.2f}", [1, "a"], (2.5, None), sep="-", end=";\n")
    y = X * n
    print("end")
    return y
`},
	{name: "print of a value breaks", breaks: 1, src: `
def main():
    print(X.sum())
    return X + 1
`},
	{name: "print of own objects", src: `
class P:
    def __init__(self, n): self.n = n
    def __repr__(self): return f"P({self.n})"
    def __str__(self): return "p" + str(self.n)
def main():
    p = P(3)
    print(p, [p], {"k": p}, repr(p))
    return X + 1
`},
	{name: "print to a file", src: `
import sys
import io
OUT = io.StringIO()
def main():
    print("a", X.dim())
    return X * 2
`},
	{name: "writes in place", src: `
W = torch.zeros(6, 4)
V = torch.ones(40)
U = torch.ones(40)
def main():
    old = V + 0
    W[2:3] = X.sum()
    V.add_(1).mul_(0.5)
    U.mul_(0.9).add_(V, alpha=0.1)
    t = W.t() @ W
    W[0] += t[0]
    return t, old, U - V, W * 1
`},
	{name: "writes before what may fail", breaks: 1, src: `
W = torch.zeros(5, 2)
V = torch.ones(30)
I = torch.tensor([0, 1])
def main():
    V.add_(1)
    W[2:3] = W[1:2] + 7
    try:
        return torch.ones(3).index_select(0, I) + V.sum(), W * 1
    except Exception as e:
        return str(e), V * 1, W * 1
`, mut: []string{"I[1] = 9", "I[1] = 2"}},
	{name: "constants", src: `
def main():
    w = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    i = torch.tensor([1, 0])
    w[0, 0] = 7
    return w[i] + X[0, 0], torch.tensor(3), torch.as_tensor([True])
`},
	{name: "constants of what may change", src: `
L = [1.0, 2.0]
def main():
    return torch.tensor(L) * 2
`, mut: []string{"L[1] = 5.0", "L.append(3.0)"}},
	{name: "conversions", src: `
def main():
    return X.float() is X, X.double().dtype, X.to(torch.float64), X.long(), X.to(X.dtype) is X, X.cpu() is X
`},
	{name: "data", src: `
P = torch.ones(3, requires_grad=True)
def main():
    v = P._version
    P.data.add_(1)
    P.data[0] = 5
    d = P.data
    return P._version - v, d * 2, d
`, breaks: 2},
	{name: "data without a count", src: `
P = torch.ones(3, requires_grad=True)
def main():
    P.data.mul_(0.5)
    return P.data, P.data.sum()
`},
	{name: "requires_grad of the outside", src: `
P = torch.ones(3)
def main():
    P.requires_grad_(True)
    y = (P * P).sum()
    y.backward()
    g = P.grad
    P.grad = None
    P.requires_grad = False
    return g, y.detach(), P.requires_grad
`},
	{name: "a parameter is frozen and used", src: `
P = torch.ones(3)
def main():
    P.requires_grad = True
    y = (P * P).sum()
    return y
`, mut: []string{"P.requires_grad = False", "P.requires_grad = False"}},
	{name: "set by object", src: `
class A:
    def __setattr__(self, k, v):
        object.__setattr__(self, k, v + 1)
a = A()
a.x = 1
def main():
    a.x = X.dim()
    return X * a.x
`},
	{name: "autograd.grad", src: `
W = torch.ones(3, requires_grad=True)
def main():
    y = torch.exp(X @ W)
    g = torch.autograd.grad(y.sum(), W, create_graph=True)[0]
    h, = torch.autograd.grad((g * g).sum(), [W])
    return g.detach(), h, W.grad
`},
	{name: "strings into lists", src: `
def main():
    parts = "a,b,c".split(",")
    parts.append("d")
    return parts, "-".join(parts), X + len(parts)
`},
}

// TestEffects: each case is recorded whole, replayed, and does what it does
// interpreted.
func TestEffects(t *testing.T) {
	for _, c := range effectCases {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			w := newTwins(t, "import torch\nX = torch.ones(2, 3)\n"+c.src, nil)
			load := w.rt[1].tracer.Stats()
			for i := range 6 + len(c.mut) {
				if diff := w.call("main"); diff != "" {
					t.Fatalf("call %d: %s\n%s", i, diff, w.rt[1].Explain("prog.py"))
				}
				if i >= 3 && i-3 < len(c.mut) {
					w.exec(c.mut[i-3])
				}
			}
			s := w.rt[1].tracer.Stats()
			checkCounts(t, w, load, s, c.breaks, c.aborts)
			if strings.HasPrefix(w.out[0].String(), "raised ") {
				t.Error(w.out[0].String())
			}
		})
	}
}

func checkCounts(t *testing.T, w *twins, load, s tracer.Stats, breaks, aborts int) {
	t.Helper()
	if s.Breaks-load.Breaks != breaks || s.Aborts-load.Aborts != aborts || s.Replays-load.Replays < 2 {
		t.Errorf("%d breaks, %d recordings given up, %d replays; %d and %d are expected\n%s", s.Breaks-load.Breaks, s.Aborts-load.Aborts, s.Replays-load.Replays,
			breaks, aborts, w.rt[1].Explain("prog.py"))
	}
}
