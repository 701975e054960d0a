package larkspur

import (
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/tracer"
)

// tapeCase is a program whose regions end with a tape that is alive: step makes
// tensors, main goes on with them outside the region. A call of main prints or returns what
// there is to compare; the interpreted twin is the oracle.
type tapeCase struct {
	name, src string
	// aborts may happen; else none does.
	aborts bool
}

const tapeHead = `
import torch
import torch.nn.functional as F
torch.manual_seed(3)
W = torch.randn(4, 3, requires_grad=True)
B = torch.randn(3, requires_grad=True)
X = torch.randn(5, 4)
N = 0

def show(*ts):
    for t in ts:
        print("none" if t is None else [round(v, 4) for v in t.detach().flatten().tolist()])
`

var tapeCases = []tapeCase{
	{name: "one output", src: `
def step(x):
    return torch.tanh(x @ W + B).sum()

def main():
    W.grad = None
    B.grad = None
    l = step(X)
    W._version
    print(l.grad_fn.name(), l.requires_grad, l.is_leaf)
    l.backward()
    show(W.grad, B.grad)
`},
	{name: "accumulates", src: `
def step(x):
    return ((x @ W + B) ** 2).mean()

def main():
    l = step(X)
    W._version
    W._version
    l.backward()
    show(W.grad, B.grad)
`},
	{name: "backward twice", src: `
def step(x):
    return torch.exp(x @ W).sum()

def main():
    W.grad = None
    l = step(X)
    W._version
    l.backward(retain_graph=True)
    l.backward()
    try:
        l.backward()
    except RuntimeError as e:
        print(e)
    show(W.grad)
`},
	{name: "nothing saved may go twice", src: `
def step(x):
    return (W + B).t() + 2

def main():
    W.grad = None
    y = step(X)
    W._version
    y.sum().backward()
    y.sum().backward()
    show(W.grad)
`},
	{name: "loss and logits", src: `
def step(x):
    logits = torch.relu(x @ W) + B
    return logits, F.cross_entropy(logits, torch.tensor([0, 1, 2, 0, 1]))

def main():
    W.grad = None
    logits, loss = step(X)
    W._version
    logits.retain_grad()
    g = torch.autograd.grad(loss, logits, retain_graph=True)[0]
    show(g)
    loss.backward()
    show(W.grad, logits.grad)
`},
	{name: "hook on an output that another is made of", src: `
seen = []
def step(x):
    h = torch.sigmoid(x @ W)
    return h, (h * h).sum()

def main():
    W.grad = None
    h, l = step(X)
    W._version
    h.register_hook(lambda g: g * 2)
    l.backward()
    show(W.grad)
`},
	{name: "only one of two is used", src: `
def step(x):
    a = torch.exp(W).sum()
    b = torch.log(B * B).sum()
    return a, b

def main():
    W.grad = None
    B.grad = None
    a, b = step(X)
    W._version
    a.backward()
    print(B.grad)
    show(W.grad)
    b.backward()
    show(B.grad)
`},
	{name: "siblings that share what they are made of", src: `
def step(x):
    h = torch.tanh(x @ W)
    return h.sin(), h.cos(), h.exp().sum()

def main():
    global N
    N += 1
    W.grad = None
    a, b, c = step(X)
    W._version
    if N % 3 == 0:
        (a.sum() + b.sum() * 2).backward()
    elif N % 3 == 1:
        c.backward()
    else:
        (a.mean() + b.sum() + c).backward()
    show(W.grad)
    try:
        b.sum().backward()
    except RuntimeError as e:
        print(e)
`},
	{name: "shared part is released by one of them", src: `
def step(x):
    h = torch.exp(W)
    return torch.exp(B).sum() + h.sum(), h.sum() * 3, torch.exp(B).sum()

def main():
    a, b, c = step(X)
    W._version
    a.backward()
    for t in (b, c):
        try:
            t.backward()
            print("ok")
        except RuntimeError as e:
            print(str(e)[:40])
    W.grad = None
    B.grad = None
`},
	{name: "one pass uses a shared part on two levels", src: `
def step(x):
    h = torch.exp(x @ W)
    a = h.sin()
    return a, h.cos(), (a * h).sum()

def main():
    W.grad = None
    a, b, c = step(X)
    W._version
    (c + b.sum() + a.mean()).backward()
    show(W.grad)
    W._version
    try:
        b.sum().backward()
        print("ok")
    except RuntimeError as e:
        print("released")
`},
	{name: "nothing but a view", src: `
def step(x):
    return W.t()

def main():
    W.grad = None
    y = step(X)
    W._version
    (y * y).sum().backward()
    show(W.grad)
`},
	{name: "a number that changes", src: `
def step(x, s):
    return torch.exp(x @ W * s + B ** 2) * s

def main():
    global N
    N += 1
    W.grad = None
    B.grad = None
    y = step(X, N * 0.1)
    W._version
    y.sum().backward()
    show(y, W.grad, B.grad)
`},
	{name: "detach and no_grad", src: `
def step(x):
    h = torch.exp(x @ W)
    with torch.no_grad():
        k = h * 2
    return (h * k + h.detach() * h + B).sum()

def main():
    W.grad = None
    l = step(X)
    W._version
    W._version
    l.backward()
    show(W.grad)
`},
	{name: "input on an outer tape", src: `
def step(x):
    return torch.sigmoid(x @ W) * x.sum()

def main():
    W.grad = None
    x = torch.ones(5, 4, requires_grad=True)
    y = step(x * 3)
    W._version
    y.sum().backward()
    show(W.grad, x.grad)
`},
	{name: "a leaf made inside", src: `
def step(x):
    p = torch.full((3,), 2.0, requires_grad=True)
    return p, torch.exp(p * B).sum()

def main():
    B.grad = None
    p, l = step(X)
    W._version
    l.backward()
    show(p.grad, B.grad)
    print(p.is_leaf, l.is_leaf)
`},
	{name: "views", src: `
def step(x):
    h = torch.exp(x @ W)
    return h, h.t(), h[1:3]

def main():
    W.grad = None
    h, t, s = step(X)
    W._version
    (t.sum() + (s * s).sum() + h[0].sum()).backward()
    show(W.grad)
    print(t._base is h, s.grad_fn.name())
`},
	{name: "a view is written to afterwards", src: `
def step(x):
    h = x @ W
    return h, h[0]

def main():
    W.grad = None
    h, r = step(X)
    W._version
    r.mul_(B)
    h.sum().backward()
    show(W.grad)
    W.grad = None
    h, r = step(X)
    W._version
    h.add_(1)
    (r * r).sum().backward()
    show(W.grad)
`},
	{name: "a pass through what saves nothing, after all else is released", src: `
S = torch.tensor([1.0, 2.0])
V = S.view(2)
P = torch.tensor([0.5, 1.5], requires_grad=True)
def write():
    S[0] = 5
    V.add_(P)

def step(i):
    S.fill_(i)
    (P * S).sum().backward()

def main():
    P.grad = None
    for i in range(3):
        step(i)
        write()
    show(P.grad)
`, aborts: true},
	{name: "a saved input is written to", src: `
Y = torch.ones(3)
def step(x):
    return (W * Y).sum()

def main():
    W.grad = None
    l = step(X)
    W._version
    Y.add_(1)
    try:
        l.backward()
    except RuntimeError as e:
        print(e)
    Y.sub_(1)
    print(W.grad)
`},
	{name: "a saved output is written to", src: `
def step(x):
    return torch.sigmoid(x @ W)

def main():
    y = step(X)
    W._version
    with torch.no_grad():
        y.mul_(2)
    try:
        y.sum().backward()
    except RuntimeError as e:
        print(e)
`},
	{name: "an input that is not saved is written to", src: `
Y = torch.ones(3)
def step(x):
    return torch.sigmoid(W * 2 + torch.sin(Y))

def main():
    W.grad = None
    l = step(X)
    W._version
    Y.add_(1)
    l.sum().backward()
    show(W.grad)
    Y.fill_(1)
`},
	{name: "an output that is not saved is written to", src: `
def step(x):
    h = x @ W + B
    return h, torch.relu(h)

def main():
    W.grad = None
    h, r = step(X)
    W._version
    with torch.no_grad():
        h.fill_(7)
    r.sum().backward()
    show(W.grad)
`},
	{name: "writes in place inside", src: `
def step(x):
    h = x @ W
    h[0] = B
    h.mul_(2)
    h[:, 1].exp_()
    return h.sum()

def main():
    W.grad = None
    B.grad = None
    l = step(X)
    W._version
    W._version
    l.backward()
    show(W.grad, B.grad)
`},
	{name: "a tensor of the outside gets a history", src: `
BUF = [torch.zeros(3)]
def step(x):
    BUF[0].add_(B * B)
    return x

def main():
    B.grad = None
    BUF[0] = torch.ones(3)
    step(X)
    W._version
    print(BUF[0].grad_fn.name(), BUF[0].is_leaf)
    BUF[0].sum().backward()
    show(B.grad)
`},
	{name: "a view of the outside gets a history", src: `
BUF = [torch.zeros(2, 3)]
def step(x):
    v = BUF[0][1]
    v.mul_(B)
    return v

def main():
    B.grad = None
    BUF[0] = torch.ones(2, 3)
    v = step(X)
    W._version
    print(BUF[0].grad_fn.name(), v.grad_fn.name(), v._base is BUF[0])
    (BUF[0].sum() + (v * v).sum()).backward()
    show(B.grad)
`},
	{name: "outside on a tape is written to", src: `
def step(y):
    y.mul_(B)
    return y.exp()

def main():
    B.grad = None
    W.grad = None
    y = X @ W
    z = step(y)
    W._version
    (z.sum() + y.sum()).backward()
    show(B.grad, W.grad)
`},
	{name: "dropout", src: `
def step(x):
    return F.dropout(x @ W, 0.5)

def main():
    W.grad = None
    y = step(X)
    W._version
    (y * y).sum().backward()
    show(y, W.grad)
`},
	{name: "double backward makes the region stay interpreted", aborts: true, src: `
def step(x):
    return torch.exp(x @ W).sum()

def main():
    l = step(X)
    W._version
    g = torch.autograd.grad(l, W, create_graph=True)[0]
    h = torch.autograd.grad((g * g).sum(), W)[0]
    show(g, h)
`},
	{name: "double backward begins after replays", aborts: true, src: `
K = 0
def step(x):
    return torch.exp(x @ W).sum()

def main():
    global K
    K += 1
    W.grad = None
    l = step(X)
    W._version
    if K % 3:
        l.backward()
        show(W.grad)
    else:
        g, = torch.autograd.grad(l, W, create_graph=True)
        show(g, torch.autograd.grad((g * g).sum(), W)[0])
`},
	{name: "steps that are differentiated through", aborts: true, src: `
def main():
    W.grad = None
    B.grad = None
    total = 0
    for task in range(3):
        w, b = W, B
        for k in range(1 + task % 2):
            l = ((torch.tanh(X @ w) * b) ** 2).mean()
            gw, gb = torch.autograd.grad(l, [w, b], create_graph=True)
            w, b = w - 0.1 * gw, b - 0.1 * gb
        total = total + ((torch.tanh(X @ w) * b) ** 2).mean()
    total.backward()
    show(total, W.grad, B.grad)
`},
	{name: "released inside, on the way to some only", src: `
def step(x):
    h = torch.tanh(x @ W)
    k = torch.exp(B)
    (h.sum() + k.sum()).backward()
    return h, k, h[1:]

def main():
    h, k, s = step(X)
    W._version
    for t in (h, k, s):
        for p in (W, B, h):
            try:
                show(*torch.autograd.grad((B * 2).sum() + (W * 3).sum() + t.sum(), [p], allow_unused=True))
            except RuntimeError as e:
                print(e)
`},
	{name: "released inside, alone in the exit", src: `
def step(x):
    h = torch.tanh(x @ W)
    (h * h).sum().backward()
    return h

def main():
    W.grad = None
    h = step(X)
    W._version
    for p in (W, B):
        try:
            show(*torch.autograd.grad(h.sum() + (W * 2).sum() + (B * 3).sum(), [p]))
        except RuntimeError as e:
            print(e)
    try:
        (h.sum() + B.sum()).backward()
    except RuntimeError as e:
        print(e)
    show(W.grad, B.grad)
    B.grad = None
`},
	{name: "a write through data", src: `
Y = torch.ones(3)
def step(x):
    h = torch.sin(Y)
    y = torch.exp(B * Y)
    return y, (torch.exp(h * B) * Y + (y * W).sum(0)).sum()

def main():
    W.grad = None
    B.grad = None
    Y.fill_(1)
    y, l = step(X)
    W._version
    Y.data.mul_(3)
    y.data.add_(2)
    W.data.mul_(1.5)
    l.backward()
    show(W.grad, B.grad)
    W.data.div_(1.5)
`},
	{name: "what another path checks is written to", src: `
Y = torch.ones(3)
def step(x):
    h = torch.sin(Y)
    return torch.exp(h * B).sum(), (W * Y).sum()

def main():
    B.grad = None
    Y.fill_(1)
    a, b = step(X)
    W._version
    Y.mul_(3)
    a.backward()
    show(B.grad)
    try:
        b.backward()
    except RuntimeError as e:
        print(e)
`},
	{name: "names in the error of what was written to", src: `
def step(x):
    h = x @ W + B
    k = h[1:].expand(2, 4, 3)
    return h, (k * k).sum()

def two(x):
    h = x @ W
    h.mul_(h.expand(5, 3))
    return h

def main():
    h, l = step(X)
    W._version
    h.add_(1)
    try:
        l.backward()
    except RuntimeError as e:
        print(e)
    h = two(X)
    W._version
    try:
        h.sum().backward()
    except RuntimeError as e:
        print(e)
`},
	{name: "what a failing pass has done by then", src: `
Y = torch.ones(3)
V = torch.ones(3, requires_grad=True)
def step(x):
    a = torch.exp(V * 2)
    h = (W * Y).sum(0)
    return h, (h * a + torch.exp(B) * V).sum()

def main():
    W.grad = None
    B.grad = None
    V.grad = None
    h, l = step(X)
    W._version
    if h.requires_grad:
        h.register_hook(lambda g: print("hook"))
    Y.add_(1)
    for i in range(2):
        try:
            l.backward()
        except RuntimeError as e:
            print(e)
        show(W.grad, B.grad, V.grad)
    Y.fill_(1)
`},
	{name: "what runs is what was asked for", src: `
def step(x):
    a = torch.exp(B)
    h = torch.sigmoid(x @ W)
    return h, (h * a).sum()

def main():
    h, l = step(X)
    W._version
    h.register_hook(lambda g: print("hook"))
    show(*torch.autograd.grad(l, [B]))
    try:
        show(*torch.autograd.grad(l, [W]))
    except RuntimeError as e:
        print(e)
    show(*torch.autograd.grad(h.sum(), [W]))
`},
	{name: "hooks on a tape that holds nothing", src: `
def step(x):
    return W.t() + 1

def main():
    W.grad = None
    k = step(X)
    k.register_hook(lambda g: print("hook"))
    W._version
    k.sum().backward()
    show(W.grad)
`},
	{name: "a hook that raises", src: `
fail = 0
def bad(g):
    if fail:
        raise ValueError("bad")

def step(x):
    a = torch.exp(B)
    h = torch.sigmoid(x @ W)
    c = torch.exp(a + 1)
    return h, (h * c).sum()

def main():
    global fail
    B.grad = None
    h, l = step(X)
    W._version
    h.register_hook(bad)
    for fail in (1, 0):
        try:
            l.backward()
        except (ValueError, RuntimeError) as e:
            print(e)
    show(W.grad, B.grad)
    W.grad = None
`},
	{name: "sizes that change", src: `
def step(x):
    h = torch.tanh(x @ W + B)
    s = (h * h).mean(0)
    return h, (F.softmax(h, 1) * s).sum() / len(h)

def main():
    global N
    N += 1
    W.grad = None
    B.grad = None
    h, l = step(torch.arange(4.0 * (N + 2)).reshape(N + 2, 4).sin())
    W._version
    h.retain_grad()
    if N % 3 == 0:
        h.mul_(2)
    try:
        (l + h.sum()).backward()
    except RuntimeError as e:
        print(e)
    show(h, W.grad, B.grad, h.grad)
`},
	{name: "a pass fails before the hook of what is older", src: `
def step(x):
    a = F.layer_norm(x @ W, (3,), B)
    h = F.layer_norm(x @ W * 2, (3,), B)
    return a, h, a.sum() + h[1:].sum()

def main():
    W.grad = None
    B.grad = None
    a, h, l = step(X)
    W._version
    a.register_hook(lambda g: print("hook"))
    for i in range(2):
        try:
            l.backward()
        except RuntimeError as e:
            print(e)
    show(W.grad, B.grad)
`},
	{name: "loop variable", src: `
def main():
    W.grad = None
    h = X @ W
    for i in range(4):
        h = torch.tanh(h + B)
        W._version
    h.sum().backward()
    show(W.grad)
`},
	{name: "break between two halves", src: `
def main():
    W.grad = None
    B.grad = None
    h = torch.tanh(X @ W)
    r = h * B
    if r.sum().item() > 0:
        l = (r * h).sum()
    else:
        l = (r - h).sum()
    l.backward()
    show(W.grad, B.grad)
`},
	{name: "kept over calls", src: `
H = [torch.zeros(3)]
def step(x):
    H[0] = torch.tanh(H[0] + x[0] @ W)
    return H[0].sum()

def main():
    global N
    N += 1
    l = step(X)
    W._version
    if N % 2 == 0:
        l.backward()
        show(W.grad)
        H[0] = H[0].detach()
        W.grad = None
`},
	{name: "mixed with integers", src: `
def step(x):
    y = x @ W
    v, i = y.max(1)
    return v, i, (y > 0)

def main():
    W.grad = None
    v, i, p = step(X)
    W._version
    print(i.tolist(), p.sum().item(), i.requires_grad)
    v.sum().backward()
    show(W.grad)
`},
	{name: "normalised by what is learnt outside", src: `
RM = torch.zeros(3)
RV = torch.ones(3)
def step(x):
    return F.batch_norm(x @ W, RM, RV, torch.ones(3), B, True, 0.1, 1e-5)

def main():
    W.grad = None
    B.grad = None
    y = step(X)
    W._version
    (y * y).sum().backward()
    show(y, W.grad, B.grad, RM, RV)
`},
	{name: "a view whose memory is written to before its history is used", src: `
Q = torch.randn(3, requires_grad=True)
R = 2
X = torch.randn(R, 3)
Y = torch.ones(R, 3)
def say(g):
    pass
def step0(x, y, i0):
    h, k = x, y
    h = ((Q - Q).tanh() - (h * h.sum(0, keepdim=True)).tanh()).tanh()
    h = (h + x).t().reshape(3, R).t().contiguous()
    return [h, k]
def main():
    x, k = X, Y
    r = []
    for i0 in range(1):
        r += step0(x, k, i0)
    l = r[0].sum() + r[-1].sum()
    l.register_hook(say)
    h = r[0].detach()
    h.mul_(0.5)
    show(*torch.autograd.grad((r[0] * Q).sum(), [r[0], Q], allow_unused=True, retain_graph=True))
`},
	{name: "views of the outside that get new histories", src: `
K = 0
def base():
    b = torch.tanh(X[:3] @ W)
    W._version
    v = b.t()[1:]
    W._version
    u = b[0]
    W._version
    return b, v, u

def unseen(b, v, u):
    y = v * 2
    b.detach().mul_(0.5)
    return (y + v * 3).sum()

def seen(b, v, u):
    y = v * 2
    b.detach().mul_(0.5)
    y = y * v.sum()
    b.detach().mul_(0.5)
    return y.sum()

def base_written(b, v, u):
    b.mul_(B)
    return (v * 3).sum() + u.sum()

def view_written(b, v, u):
    v.mul_(2)
    return (v * 3).sum() + u.sum()

def both(b, v, u):
    y = v * 2
    u.mul_(B)
    return (y + v * 3).sum() * u.sum()

def stale(b, v, u):
    return (v * 3).sum() * u.sum()

def stale_written(b, v, u):
    b.detach().mul_(0.5)
    return (v * 3).sum() * u.sum()

def late(b, v, u):
    y = (v * 3).sum() * u.sum()
    b.detach().add_(1)
    return y

FS = [unseen, seen, base_written, view_written, both, stale, stale_written, late]

def main():
    for f in FS:
        b, v, u = base()
        old = (v * 2).sum() + u.sum()
        if f is stale or f is stale_written:
            b.detach().add_(1)
        W._version
        l = f(b, v, u)
        W._version
        for t in ([v], [u], [b], [W]):
            for z in (l, old):
                try:
                    show(*torch.autograd.grad(z, t, allow_unused=True, retain_graph=True))
                except RuntimeError as e:
                    print(e)
        show(*torch.autograd.grad((v * 2).sum() + u.sum(), [v, u, b], allow_unused=True))
        print(v.grad_fn.name(), u.grad_fn.name(), b.grad_fn.name())
`, aborts: true},
}

// TestLiveTape: regions that end with a tape alive are replayed, and every pass
// through that tape does what it does without the recorder.
func TestLiveTape(t *testing.T) {
	for _, c := range tapeCases {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			w := newTwins(t, tapeHead+c.src, nil)
			load := w.rt[1].tracer.Stats()
			for i := range 8 {
				if diff := w.call("main"); diff != "" {
					t.Fatalf("call %d: %s\n%s", i, diff, w.rt[1].Explain("prog.py"))
				}
			}
			s := w.rt[1].tracer.Stats()
			if s.Aborts > load.Aborts && !c.aborts || s.Tapes < 4 && !c.aborts {
				t.Errorf("%+v\n%s", s, w.rt[1].Explain("prog.py"))
			}
			if strings.Contains(w.out[0].String(), "raised") {
				t.Error(w.out[0].String())
			}
		})
	}
}

// TestLiveTapeSizes: a batch size that changes is a symbol where a tape is alive in the exit.
func TestLiveTapeSizes(t *testing.T) {
	w := newTwins(t, tapeHead+`
XS = [torch.randn(n, 4) for n in range(3, 15)]
def step(x):
    h = torch.tanh(x @ W + B)
    s = (h * h).mean(0)
    return h, (F.softmax(h, 1) * s).sum()

def main():
    global N
    N += 1
    W.grad = None
    B.grad = None
    h, l = step(XS[N - 1])
    W._version
    (l + h.sum()).backward()
`, nil)
	var at tracer.Stats
	for i := range 12 {
		if diff := w.call("main"); diff != "" {
			t.Fatalf("call %d: %s", i, diff)
		}
		if i == 5 {
			at = w.rt[1].tracer.Stats()
		}
	}
	if s := w.rt[1].tracer.Stats(); s.Graphs != at.Graphs || s.Tapes < at.Tapes+6 {
		t.Errorf("%+v, after six sizes %+v\n%s", s, at, w.rt[1].Explain("prog.py"))
	}
}
