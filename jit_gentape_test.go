package larkspur

// fuzzTape is the part of the prelude for programs whose regions end with a tape
// that is alive. All that flows has the shape [R, 3] and stays small. What is printed is
// rounded, and zeros have no sign: the order of a gradient's sums decides both.
const fuzzTape = `
import torch.nn.functional as F
P = (torch.randn(3, 3) * 0.5).requires_grad_()
Q = torch.randn(3, requires_grad=True)
R = 2
X = torch.randn(R, 3)
Y = torch.ones(R, 3)
RM = torch.zeros(3)
BUF = [torch.zeros(R, 3)]
KEEP = [P[:R] * 2]
GEN = [iter([])]
seen = 0
lin = torch.nn.Linear(3, 3)

class Mlp(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(3, 4)
        self.b = torch.nn.Linear(4, 3, bias=False)
        self.calls = 0
    def forward(self, x):
        self.calls += 1
        return self.b(torch.relu(self.a(x)))

mlp = Mlp()

class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 3 * x * x

def halve(g):
    global seen
    seen += 1
    return g * 0.5

def say(g):
    print('grad', [round(v, 3) + 0.0 for v in g.flatten().tolist()])

def rows(h, n):
    try:
        for i in range(n):
            yield h * P[i % 3]
    finally:
        print('rows end')

def show(*ts):
    for t in ts:
        print(None if t is None else [round(v, 3) + 0.0 for v in t.detach().flatten().tolist()])
`

var tapeMutations = []string{
	"P.grad = None\nQ.grad = None",
	"R = 5 - R\nX = torch.randn(R, 3)\nY = torch.ones(R, 3)\nBUF[0] = torch.zeros(R, 3)\nKEEP = [P[:R] * 2]", "R = 5 - R\nX = torch.randn(R, 3)\nY = torch.ones(R, 3)\nBUF[0] = torch.zeros(R, 3)\nKEEP = [P[:R] * 2]", "X = torch.randn(R, 3)", "X = X.detach().requires_grad_()", "X = X.detach()", "Y.mul_(0.5)", "Y = torch.rand(R, 3)", "KEEP = [P[:R] * 2]", "BUF[0] = torch.zeros(R, 3)",
	"P.requires_grad_(False)", "P.requires_grad_(True)", "P = P.detach().clone().requires_grad_()", "with torch.no_grad():\n    P.mul_(0.5)", "Q = Q.detach().requires_grad_()", "mlp.eval()", "mlp.a.weight.requires_grad_(False)", "mlp = Mlp()", "lin.zero_grad()", "lin.weight.register_hook(halve)",
	"torch.set_grad_enabled(False)", "torch.set_grad_enabled(True)", "BUF[0].detach_()", "GEN[0] = rows(X, 2)", "seen = 0",
}

// flow is an expression of the shape [R, 3].
func (g *gen) flow(d int) string {
	if d <= 0 {
		return g.pick("h", "h", "k", "x", "Y", "P[:R]", "Q", "BUF[0]")
	}
	switch g.n(16) {
	case 0, 1:
		return "(" + g.flow(d-1) + g.pick(" + ", " - ", " * ") + g.flow(d-1) + ").tanh()"
	case 2, 3:
		return "torch." + g.pick("tanh", "sigmoid", "sin", "relu", "square", "neg") + "(" + g.flow(d-1) + ").clamp(-3, 3)"
	case 4:
		return "(" + g.flow(d-1) + " + h @ P).tanh()"
	case 5:
		return g.pick("lin(h)", "mlp(h)", "F.linear(h, P, Q)", "lin(x)") + ".tanh()"
	case 6:
		return "torch.softmax(" + g.flow(d-1) + " + h, " + g.pick("0", "1") + ")"
	case 7:
		return g.flow(d-1) + ".exp().clamp(max=3)"
	case 8:
		return "F.dropout(h + " + g.flow(d-1) + ", 0.5)"
	case 9:
		return "(h + " + g.flow(0) + ").t().reshape(3, R).t()" + g.pick("", ".contiguous()")
	case 10:
		return "torch.where(h > 0, " + g.flow(d-1) + ", k)"
	case 11:
		return "(h * h.sum(" + g.pick("0", "1") + ", keepdim=True)).tanh()"
	case 12:
		return "F.layer_norm(h + " + g.flow(d-1) + ", (3,), Q)"
	case 13:
		return "torch.cat([h[:1], k[1:]])"
	case 14:
		return g.pick("Cube.apply(h.tanh())", "h.detach()", "(h * 2).detach()", "h.clone()", "h[[1, 0]]", "torch.stack([h[0], k[1]])", "h * h.max(1)[0].unsqueeze(1).tanh()", "torch.outer(h[:, 0], Q)")
	}
	return g.flow(d - 1)
}

// tapeBreak is what a recording ends at.
func (g *gen) tapeBreak() {
	g.text(g.pick("P._version", "P._version", "print(h.requires_grad, look(h.detach()))", "if h.sum() > 0:\n    h = h * 0.5", "i0 = look(h)", "h.grad_fn is None"))
}

// tapeStep writes a statement of a function that makes tensors.
func (g *gen) tapeStep() {
	v := g.pick("h", "h", "k")
	switch g.n(24) {
	default:
		g.line("%s = %s", v, g.flow(2))
	case 0:
		g.line(g.pick("h = h + 0\nh[0] = %s[0]", "h = h * 1\nh.mul_(%s)", "h = h.clone()\nh[:, 1].mul_(2)\nk = %s", "k = k * 2\nk.add_(%s)"), g.flow(0)+".expand(R, 3)")
	case 1:
		g.line("with torch.%s:", g.pick("no_grad()", "enable_grad()", "set_grad_enabled(i0 % 2 == 0)"))
		g.line("    %s = %s", v, g.flow(2))
	case 2:
		g.line("print('step', i0, tuple(h.shape), h.is_leaf)")
	case 3:
		g.text(g.pick("h = h + 0\nif h.requires_grad:\n    h.retain_grad()", "h = h * 1\nif h.requires_grad:\n    h.register_hook(halve)", "k = k * 1\nif k.requires_grad:\n    k.register_hook(say)"))
	case 4:
		g.text(g.pick("BUF[0] = h", "BUF[0] = (BUF[0] * h).tanh()", "BUF[0] = BUF[0] * 1\nBUF[0].add_(Q * Q)\nBUF[0].tanh_()", "BUF[0] = BUF[0].detach() + h.detach()", "KEEP.append(h)", "KEEP.append(k[1:])", "KEEP[0] = h.t()"))
	case 5:
		g.text(g.pick("Y.mul_(0.5)", "Y.add_(0.1)", "RM.mul_(0.9).add_(h.detach().mean(0))", "with torch.no_grad():\n    X.mul_(0.9)"))
	case 6:
		g.line("for z in rows(h, %d):", 1+g.n(3))
		g.line("    h = (h + z).tanh()")
		g.ind++
		if g.n(2) == 0 {
			g.tapeBreak()
		}
		g.ind--
	case 7:
		g.text(g.pick("GEN[0] = rows(h, 3)", "h = h + next(GEN[0], 0)", "it = rows(k, 3)\nh = next(it)\nP._version\nh = (h + next(it)).tanh()"))
	case 8:
		g.line("try:")
		g.line("    k = %s", g.flow(1))
		g.line("    raise ValueError(%s)", g.pick("k", "i0", "look(k)"))
		g.line("except ValueError as e:")
		g.line("    h = %s", g.flow(1))
		g.ind++
		if g.n(3) > 0 {
			g.tapeBreak()
		}
		g.line("%s", g.pick("k = h + 1", "print('caught', type(e).__name__)", "i0 = len(e.args)", "f = e", "k = e.args[0] * h"))
		g.ind--
		if g.n(3) == 0 {
			g.line("finally:")
			g.line("    k = %s", g.flow(1))
		}
	case 9, 10:
		g.tapeBreak()
	case 11:
		g.line("for i in range(%d):", 1+g.n(4))
		g.ind++
		g.line("h = %s", g.flow(2))
		if g.n(2) == 0 {
			g.tapeBreak()
		}
		g.ind--
	case 12:
		g.line("k = torch.autograd.grad((%s).sum() + (P * P).sum(), [P])[0][:R].clamp(-3, 3)", g.flow(1))
	case 13:
		g.line("((h * P[:R]).sum() + (Q * k).mean()).backward(%s)", g.pick("", "retain_graph=True"))
	}
}

var tapeUses = []string{
	"l.backward()", "l.backward()", "l.backward(retain_graph=True)", "l.backward(retain_graph=True)",
	"show(P.grad, Q.grad)", "P.grad = None\nQ.grad = None", "lin.zero_grad()\nmlp.zero_grad()",
	"show(*torch.autograd.grad(l, [P, Q], retain_graph=True, allow_unused=True))", "show(*torch.autograd.grad(l, [Q], allow_unused=True))",
	"show(*torch.autograd.grad((r[0] * Q).sum(), [r[0], Q], allow_unused=True, retain_graph=True))",
	"r[0].sum().backward(retain_graph=True)", "r[-1].backward(torch.ones_like(r[-1]))", "r[0].backward(Y, retain_graph=True)",
	"Y.add_(0.25)", "with torch.no_grad():\n    P.mul_(0.9)", "with torch.no_grad():\n    r[0].mul_(2)", "r[0].mul_(Q)", "r[-1].add_(1)", "h = r[0].detach()\nh.mul_(0.5)",
	"if r[0].requires_grad:\n    r[0].retain_grad()", "if r[0].requires_grad:\n    r[0].register_hook(halve)", "if l.requires_grad:\n    l.register_hook(say)",
	"show(r[0].grad)", "print(l.grad_fn is None, r[0].is_leaf, r[-1].requires_grad)", "print(type(r[0].grad_fn).__name__)",
	"KEEP[-1].sum().backward(retain_graph=True)", "KEEP[0].sum().backward()", "BUF[0].sum().backward(retain_graph=True)", "BUF[0] = BUF[0].detach()", "del r[0]", "r = r[::-1]", "l = l * 2", "l = (l * Q).sum()", "l = l.detach().requires_grad_()",
	"P._version", "h = next(GEN[0], h)", "l = KEEP[-1].sum() + l", "X = X.detach().requires_grad_()", "show(X.grad)", "P.register_hook(halve)",
	"g = torch.autograd.grad(l, [P], create_graph=True)[0]\n(g * g).sum().backward()",
}

// tapeProgram writes functions that return tensors with a history, and a main that
// goes on with them outside of what was recorded.
func (g *gen) tapeProgram() []string {
	names := 1 + g.n(2)
	for i := range names {
		g.line("def step%d(x, y, i0):", i)
		g.ind++
		g.line("global X, Y, seen")
		g.line("h, k = x, y")
		g.line("h = %s", g.flow(2))
		for range 1 + g.n(6) {
			g.tapeStep()
		}
		g.line("return %s", g.pick("[h]", "[h, k]", "[h, h[1:]]", "[h.sum()]", "[h, (h * k).mean()]", "[h, h.t(), k]", "[(h * h).mean(), h.detach()]", "[h, h]", "[h.max(1)[0], h > 0, k]", "[k, h.view(-1)]"))
		g.ind--
	}
	g.line("def main():")
	g.ind++
	g.line("global X, Y, P, Q, seen")
	g.line("x, k = X, Y")
	if g.n(4) > 0 {
		g.line("P.grad = Q.grad = None")
	}
	g.line("r = []")
	g.line("for i0 in range(%d):", 1+g.n(3))
	g.line("    r += step0(x, k, i0)")
	g.line("    h = r[-1]")
	if g.n(3) > 0 {
		g.line("    P._version")
	}
	if names > 1 {
		g.line("    if r[0].shape == x.shape:")
		g.line("        k = r[0]")
		g.line("    r = %s", g.pick("step1(x, k, i0) + r", "r + step1(k, x, 1)", "step1(x, k, 2)"))
	}
	g.line("P._version")
	g.line("l = %s", g.pick("sum([t.sum() for t in r if t.requires_grad], P.sum() * 0)", "r[0].sum()", "(r[0] * r[0]).mean() + (Q * Q).sum()", "r[0].sum() + r[-1].sum()"))
	if g.n(2) == 0 {
		g.line("P._version")
	}
	for range 2 + g.n(7) {
		g.line("try:")
		g.ind++
		g.text(tapeUses[g.n(len(tapeUses))])
		g.ind--
		g.line("except (RuntimeError, IndexError) as e:")
		g.line("    print(type(e).__name__, e)")
	}
	g.line("del KEEP[:-2]")
	g.line("if %s:", g.pick("True", "G % 2 == 0", "seen > 3"))
	g.line("    KEEP[0] = P[:R] * 2")
	g.line("    BUF[0] = BUF[0].detach()")
	g.line("return %s", g.pick("l", "r", "None", "(P.grad, l)"))
	g.ind--
	var muts []string
	for range 5 + g.n(4) {
		m := ""
		if g.n(3) == 0 {
			m = tapeMutations[g.n(len(tapeMutations))]
		}
		muts = append(muts, m)
	}
	return muts
}

// tapes draws a program about tapes.
func (g *gen) tapes() *program {
	p := &program{prelude: []string{fuzzPrelude, fuzzTape}}
	p.muts = g.tapeProgram()
	p.src = g.b.String()
	return p
}
