package larkspur

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/guards"
	"github.com/larkspur-ml/larkspur/tracer"
)

var (
	jitPrograms = flag.Int("jit.programs", 60, "programs of TestJITDifferential")
	jitSeed     = flag.Int64("jit.seed", 1, "first seed of TestJITDifferential")
	jitShow     = flag.Bool("jit.show", false, "print the program that differs")
)

// twins are two runtimes that run the same program: one interprets, one records.
type twins struct {
	rt  [2]*Runtime
	mod [2]*Module
	out [2]bytes.Buffer
}

func newTwins(t testing.TB, src string, change func(*tracer.Options)) *twins {
	w := &twins{}
	for i := range w.rt {
		o := Options{Stdout: &w.out[i], StepLimit: 200000, RecursionLimit: 200, Threads: 1}
		if i == 1 {
			o.JIT = JITSync
			o.recording = func(o *tracer.Options) {
				o.Plain = true
				if change != nil {
					change(o)
				}
			}
		}
		rt, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		w.rt[i] = rt
		if w.mod[i], err = rt.LoadString(context.Background(), "prog.py", src); err != nil {
			t.Fatalf("%v", err)
		}
	}
	return w
}

// call calls a function in both and compares result, exception, output and all
// that the module reaches. "" means equal.
func (w *twins) call(name string) (diff string) {
	var got [2]string
	for i := range w.rt {
		w.out[i].Reset()
		f, err := w.mod[i].Func(name)
		if err != nil {
			return err.Error()
		}
		res, err := f.call(context.Background())
		text := ""
		if err != nil {
			if strings.Contains(err.Error(), "step limit") {
				return "over the limit"
			}
			text = lastLine(err.Error())
			if strings.Contains(err.Error(), "goroutine") {
				text = strings.ReplaceAll(err.Error(), "\n", "|")
			}
		}
		got[i] = "raised " + text + "\n" + w.out[i].String() + "\n" + dumpState(w.rt[i], w.mod[i], res)
	}
	return compareText(got[0], got[1])
}

func lastLine(s string) string {
	l := strings.Split(strings.TrimSpace(s), "\n")
	return l[len(l)-1]
}

func compareText(a, b string) string {
	if a == b {
		return ""
	}
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range la {
		if i >= len(lb) || la[i] != lb[i] {
			x := ""
			if i < len(lb) {
				x = lb[i]
			}
			return fmt.Sprintf("interpreted: %s\nrecorded:    %s", la[i], x)
		}
	}
	return "recorded: " + strings.Join(lb[len(la):], "\n")
}

// exec runs statements in both modules.
func (w *twins) exec(src string) string {
	var got [2]string
	for i := range w.rt {
		err := w.rt[i].runIn(context.Background(), w.mod[i], "mutation.py", src)
		if err != nil {
			got[i] = lastLine(err.Error())
		}
	}
	return compareText(got[0], got[1])
}

// program is one random case: text, and what is done to the outside between calls.
type program struct {
	src  string
	muts []string
}

func (p *program) run(t testing.TB, change func(*tracer.Options)) (diff string, w *twins) {
	w = newTwins(t, p.src, change)
	for _, m := range p.muts {
		if diff = w.call("main"); diff != "" {
			break
		}
		if m != "" {
			if diff = w.exec(m); diff != "" {
				break
			}
		}
	}
	if diff == "over the limit" {
		diff = ""
	}
	return diff, w
}

// TestJITDifferential runs random programs interpreted and recorded.
func TestJITDifferential(t *testing.T) {
	total := tracer.Stats{}
	bad := 0
	for i := range *jitPrograms {
		seed := *jitSeed + int64(i)
		p := randomProgram(rand.New(rand.NewSource(seed)))
		diff, w := p.run(t, nil)
		s := w.rt[1].tracer.Stats()
		total.Records += s.Records
		total.Replays += s.Replays
		total.Aborts += s.Aborts
		total.Breaks += s.Breaks
		if diff != "" {
			bad++
			t.Errorf("seed %d: %s", seed, diff)
			if *jitShow {
				t.Log(p.src, strings.Join(p.muts, "\n--\n"))
			}
			if bad > 5 {
				break
			}
		}
	}
	t.Logf("%+v", total)
	if total.Replays == 0 {
		t.Error("nothing was replayed")
	}
}

// FuzzJIT is the same with seeds from the fuzzing engine.
func FuzzJIT(f *testing.F) {
	for s := range int64(4) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, seed int64) {
		p := randomProgram(rand.New(rand.NewSource(seed)))
		if diff, _ := p.run(t, nil); diff != "" {
			t.Errorf("%s\n%s\n%s", diff, p.src, strings.Join(p.muts, "\n--\n"))
		}
	})
}

var _ = guards.TestNone

type gen struct {
	r     *rand.Rand
	b     strings.Builder
	ind   int
	depth int
	left  int
	names int
}

func (g *gen) pick(s ...string) string { return s[g.r.Intn(len(s))] }

func (g *gen) line(format string, a ...any) {
	g.b.WriteString(strings.Repeat("    ", g.ind))
	fmt.Fprintf(&g.b, format, a...)
	g.b.WriteByte('\n')
}

// num is an expression for a number.
func (g *gen) num(d int) string {
	if d <= 0 {
		return g.pick("i0", "i1", "i2", "G", "o1.n", "o2.n", "x0.n", "A.k", "o1.k", "x0.k", fmt.Sprint(g.r.Intn(5)), "o3.n")
	}
	switch g.r.Intn(17) {
	case 0, 1, 2:
		return "(" + g.num(d-1) + g.pick(" + ", " - ", " * ") + g.num(d-1) + ")"
	case 3:
		return "(" + g.num(d-1) + g.pick(" % ", " // ") + g.pick("3", "4", "7", "(1 + G)") + ")"
	case 4:
		return "len(" + g.list(d-1) + ")"
	case 5:
		return g.list(0) + g.pick("[0]", "[-1]", "[1]", "[i0 % 2]")
	case 6:
		return "D" + g.pick("['a']", "['b']", "['c']", ".get('d', 7)", ".get('a', 1)")
	case 7:
		return g.inst() + ".m(" + g.num(d-1) + ")"
	case 8:
		return "pickone(" + g.num(d-1) + ", " + g.num(d-1) + ")"
	case 9:
		return "getattr(" + g.inst() + ", '" + g.pick("n", "k", "zz", "yy") + "', 3)"
	case 10:
		return "count(" + g.num(d-1) + ")"
	case 11:
		return "len(D)"
	case 12:
		return "T3[" + g.pick("0", "1", "-1") + "]"
	case 13:
		return "defaults(" + g.num(d-1) + ")"
	case 14:
		return "sum(" + g.list(0) + ")"
	case 15:
		return "int(" + g.num(0) + ")"
	}
	return g.num(0)
}

func (g *gen) inst() string {
	return g.pick("o1", "o2", "o3", "x0", "o1.sub", "x0", "L2[0]", "o3.sub")
}

func (g *gen) list(d int) string {
	switch g.r.Intn(9) {
	case 0, 1:
		return "L"
	case 2:
		return "o1.l"
	case 3:
		return g.inst() + ".l"
	case 4, 5:
		return "l0"
	case 6:
		if d > 0 {
			return "[" + g.num(d-1) + ", " + g.num(d-1) + "]"
		}
	}
	return "l1"
}

func (g *gen) tensor(d int) string {
	if d <= 0 {
		return g.pick("t0", "t1", "ta", "tb", "tv", "o1.t", "x0.t", "tw")
	}
	switch g.r.Intn(18) {
	case 0, 1, 2:
		return "(" + g.tensor(d-1) + g.pick(" + ", " - ", " * ") + g.tensor(d-1) + ")"
	case 3:
		return "(" + g.tensor(d-1) + " * " + g.num(d-1) + ")"
	case 4:
		return g.tensor(d-1) + g.pick(".relu()", ".abs()", ".neg()", ".exp().clamp(max=50.0)")
	case 5:
		return g.tensor(d-1) + ".view(2)"
	case 6:
		return "ta.narrow(0, " + g.pick("0", "1") + ", 1)"
	case 7:
		return g.tensor(d-1) + ".detach()"
	case 8:
		return "torch.full((2,), " + g.num(0) + " * 1.0)"
	case 9:
		return "mix(" + g.tensor(d-1) + ", " + g.num(d-1) + ")"
	case 10:
		return "x0.tm(" + g.tensor(d-1) + ")"
	case 11:
		return g.tensor(d-1) + ".clone()"
	case 12:
		return g.tensor(d-1) + g.pick("[0]", "[0:1]", "[i0 % 2]", "[-1]")
	case 13:
		return "torch.cat([" + g.tensor(0) + ".view(-1), " + g.tensor(0) + ".view(-1)])[:2]"
	case 14:
		return "(" + g.tensor(0) + " * torch.rand(2))"
	case 15:
		return "M.t()[0]"
	case 16:
		return "(M @ " + g.tensor(0) + ")"
	}
	return g.tensor(0)
}

func (g *gen) cond(d int) string {
	switch g.r.Intn(14) {
	case 0, 1, 2:
		return g.num(d) + g.pick(" < ", " == ", " >= ", " != ") + g.num(d)
	case 3:
		return "hasattr(" + g.inst() + ", '" + g.pick("zz", "yy", "n", "k") + "')"
	case 4:
		return "'" + g.pick("a", "b", "c", "d") + "' in D"
	case 5:
		return g.inst() + g.pick(" is ", " is not ", " == ") + g.inst()
	case 6:
		return g.list(0) + g.pick(" is ", " == ") + g.list(0)
	case 7:
		return g.num(0) + " in " + g.list(0)
	case 8:
		return "isinstance(" + g.inst() + ", " + g.pick("A", "B") + ")"
	case 9:
		return g.tensor(0) + " is " + g.tensor(0)
	case 10:
		return "(" + g.cond(d-1) + g.pick(" and ", " or ") + g.cond(d-1) + ")"
	case 11:
		return g.pick("S == 'q'", "N is None", "ta.dtype == torch.float32", "ta.shape == tb.shape", "len(ta) == 2", "tw.grad is None", g.list(0), "D", "not L", "ta.requires_grad")
	case 12:
		return g.num(0)
	}
	return "not (" + g.num(d) + " > 2)"
}

func (g *gen) anything(d int) string {
	switch g.r.Intn(6) {
	case 0:
		return g.tensor(d)
	case 1:
		return g.list(d)
	case 2:
		return "(" + g.num(d) + ", " + g.tensor(0) + ")"
	case 3:
		return g.pick("D", "S", "N is None", "T3", "S + str("+g.num(0)+")", "f\"{"+g.num(1)+"}-{"+g.num(0)+"}\"")
	case 4:
		return g.inst() + ".n"
	}
	return g.num(d)
}

func (g *gen) block(k int) {
	g.ind++
	g.depth++
	for range 1 + g.r.Intn(k) {
		g.statement()
	}
	g.ind--
	g.depth--
}

func (g *gen) statement() {
	if g.left > 0 && g.r.Intn(2) == 0 {
		g.line("try:")
		g.ind++
		g.plain()
		g.ind--
		g.line("except Exception as e:")
		g.line("    print('E', type(e).__name__, e)")
		return
	}
	g.plain()
}

func (g *gen) plain() {
	g.left--
	if g.left < 0 {
		g.line("i0 = i0 + 1")
		return
	}
	k := g.r.Intn(56)
	if g.depth > 3 && k >= 30 && k < 38 {
		k = g.r.Intn(30)
	}
	switch k {
	case 0, 1:
		g.line("%s = %s", g.pick("i0", "i1", "i2"), g.num(2))
	case 2, 3:
		g.line("%s = %s", g.pick("t0", "t1"), g.tensor(2))
	case 4:
		g.line("l0 = %s", g.list(1))
	case 5, 6:
		g.line("%s.%s = %s", g.inst(), g.pick("n", "k", "zz"), g.num(2))
	case 7:
		g.line("%s.t = %s", g.inst(), g.tensor(1))
	case 8:
		g.line("%s.l = %s", g.inst(), g.list(1))
	case 9:
		g.line("G = %s", g.num(2))
	case 10:
		g.line("%s.append(%s)", g.list(0), g.num(1))
	case 11:
		g.line("%s[%s] = %s", g.list(0), g.pick("0", "-1", "1"), g.num(1))
	case 12:
		g.line("i1 = %s.pop()", g.list(0))
	case 13:
		g.line("D['%s'] = %s", g.pick("a", "b", "c", "d"), g.num(1))
	case 14:
		g.line("del D['%s']", g.pick("a", "b", "c", "d"))
	case 15, 16, 17:
		g.line("print(%s, %s)", g.anything(1), g.anything(1))
	case 18:
		g.line("x0 = %s", g.inst())
	case 19:
		g.line("%s.add_(%s)", g.tensor(0), g.pick(g.tensor(0), g.num(0)))
	case 20:
		g.line("%s.mul_(2)", g.pick("ta", "t0", "t1", "tv"))
	case 21:
		g.line("%s.copy_(%s)", g.tensor(0), g.tensor(1))
	case 22:
		g.line("%s += %s", g.pick("t0", "t1", "i0", "i1"), g.num(1))
	case 23:
		g.line("x0 = %s()", g.pick("A", "B"))
	case 24:
		g.line("%s = deep(%s)", g.pick("i1", "i2"), g.tensor(1))
	case 25:
		g.line("i2 = int(%s.sum().item()) %% 5", g.tensor(1))
	case 26:
		g.line("i1 = 10 + id(o1) * 0 + %s", g.num(0))
	case 27:
		g.line("L2[0] = %s", g.pick("o1", "o2", "x0"))
	case 28:
		g.line("%s.sub = %s", g.inst(), g.inst())
	case 29:
		g.line("tw.grad = None")
	case 30, 31:
		g.line("if %s:", g.cond(1))
		g.block(3)
		if g.r.Intn(2) == 0 {
			g.line("else:")
			g.block(3)
		}
	case 32, 33:
		v := fmt.Sprintf("v%d", g.depth)
		g.line("for %s in %s:", v, g.pick("range(3)", "range("+g.num(0)+" % 4)", "list(l0)[:4]", "list(L)[:4]", "D", "first(l1)", "first(L)", "(1, 2)", "[k for k in D]"))
		g.ind++
		g.line("%s", g.pick("i0 = i0 + 1", "print("+v+")"))
		g.line("if i0 > 40:")
		g.line("    %s", g.pick("break", "return i0"))
		g.ind--
		g.block(3)
		if g.r.Intn(4) == 0 {
			g.line("    %s", g.pick("continue", "break"))
		}
	case 34:
		g.line("for y in series(%s, %s):", g.tensor(0), g.pick("2", "3"))
		g.line("    i0 = i0 + 1")
		g.line("    t0 = y")
		g.block(2)
	case 35, 36:
		g.line("try:")
		g.block(3)
		if g.r.Intn(3) == 0 {
			g.line("except KeyError:")
			g.block(2)
		}
		g.line("except Exception as e:")
		g.line("    print('exc', type(e).__name__, e)")
		g.block(1)
	case 37:
		g.line("if %s.sum() > %s:", g.tensor(0), g.num(0))
		g.block(2)
	case 38, 39:
		g.line("(tw * %s).sum().backward()", g.tensor(0))
	case 40:
		g.line("print(tw.grad)")
	case 41:
		g.line("raise ValueError('x' + str(%s))", g.num(0))
	case 42:
		g.line("inner = make(%s)", g.num(0))
	case 43:
		g.line("i1 = %s", g.pick("inner(1)", "inner(i0)", "count(2)"))
	case 44:
		g.names++
		g.line("def loc%d(z):", g.names)
		g.line("    return z + ci + %s", g.pick("1", "G", "o1.n"))
		g.line("ci = %s", g.num(1))
		g.line("%s", g.pick(fmt.Sprintf("inner = loc%d", g.names), fmt.Sprintf("i2 = loc%d(2)", g.names), fmt.Sprintf("o1.fn = loc%d", g.names)))
	case 45:
		g.line("%s", g.pick("i1 = next(git)", "t0 = next(gg)", "it = iter(L)", "i1 = next(iter(L))", "git = iter(list(l0))", "gg = series(t0, 4)", "l0 = sorted(list(l1), key=key1)", "i1 = uu", "uu = i0", "S = S + 'q'", "l1 = l1 + [i0]", "l0 += [i1]"))
	case 46, 47, 48:
		g.line("t1 = alias(%s, %s, %s, %s, %s, %s)", g.tensor(1), g.tensor(0), g.list(0), g.list(0), g.inst(), g.inst())
	case 49:
		g.line("%s", g.pick("del o1.zz", "setattr(o2, 'yy', i0)", "del x0.k", "A.k = i0", "B.k = 2", "o1.fn = None", "x0.m = count", "i1 = o1.fn(2)", "t0 = t1[0]", "t1 = ta.view(1, 2)", "N = x0", "N = None", "i0 = 0"))
	case 50:
		g.line("with torch.no_grad():")
		g.block(2)
	case 51:
		g.line("t0 = torch.%s(2)", g.pick("rand", "randn"))
	case 52:
		g.line("ta[%s] = %s", g.pick("0", "i0 % 2"), g.pick("1.5", g.num(0)))
	case 53:
		g.line("for j, q in enumerate(%s):", g.pick("first(L)", "(ta, tb)", "first(l0)"))
		g.line("    i2 = i2 + j")
		g.block(1)
	case 54:
		g.line("train(%s)", g.pick("1", "2", "3"))
	case 55:
		g.line("%s = %s", g.pick("K", "l1"), g.pick("[a * 2 for a in first(L)]", "{a: 1 for a in first(l0)}", "[t0, t1]", "sorted(first(L))", "list(zip(first(L), first(l0)))"))
		g.line("l1 = [1, 2]")
	}
}

const fuzzPrelude = `
import torch

def alias(p, q, l, m, x, y):
    a = p + q
    p.add_(q)
    p.mul_(q)
    l.append(len(m))
    m[0] = m[-1] + l[0]
    x.n = y.n + 1
    y.n = x.n * 2
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
        return super().m(z) * self.k

torch.manual_seed(3)
o1 = A()
o2 = B()
o3 = A()
o1.sub = o2
o2.sub = o1
o3.sub = o3
G = 1
S = "q"
N = None
K = None
L = [1, 2, 3]
L2 = [o1, o2]
D = {"a": 1, "b": 2}
T3 = (1, 5)
ta = torch.tensor([1.0, 2.0])
tb = torch.tensor([3.0, -1.0])
tv = ta.view(2)
tw = torch.tensor([0.5, 1.5], requires_grad=True)
M = torch.tensor([[1.0, 2.0], [0.5, -1.0]])

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
            t = t + int(t.sum().item()) % 3

def make(c):
    def inner(z):
        nonlocal c
        c = c + 1
        return z + c
    return inner

def defaults(a, b=3, *, c=[1]):
    return a + b + len(c)

count = make(1)
inner = make(2)
git = iter([5, 6, 7, 8, 9])
gg = series(ta, 3)
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

def pickone(a, b):
    if a > b:
        return a - b + G
    return b * o1.n

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
        q.append(7 + int(t.sum().item()) % 4 + z)
    return q[1] + q[2]
`

var mutations = []string{"", "", "o1.n = 5", "o1.n = 2.5", "o2 = A()", "L.append(4)", "L[0] = 9", "L = [7]", "D['c'] = 3", "del D['b']", "D = {'b': 1, 'a': 2}",
	"ta.add_(1)", "ta = torch.tensor([4.0, 5.0])", "tb = ta", "tv = ta.view(1, 2)", "tv = ta[0:1]", "ta = ta.double()", "tw.grad = None", "A.k = 7", "B.m = A.m",
	"o1.zz = 1", "o1.zz = 'z'", "o1.l = L", "o2.l = o1.l", "o1.t = tb", "o3 = o1", "L2 = [o2, o1]", "G = 0", "G = 3", "G = 2.0", "S = 'r'", "N = o1", "T3 = (2, 5)", "T3 = (1, 5, 6)",
	"count = make(4)", "inner = count", "git = iter([1, 2])", "git = iter(L)", "gg = series(tb, 2)", "o1.sub = o3", "o1.sub = None", "torch.manual_seed(5)", "torch.set_grad_enabled(False)",
	"torch.set_grad_enabled(True)", "o1.m = count", "W.data.mul_(0.5)", "params = [W]", "params = [bias, W]", "params = [W, bias]", "steps = 7", "D['a'] = 10", "defaults.__defaults__ = (5,)",
	"def pickone(a, b):\n    return a", "uu = 3", "M = torch.eye(2)", "ta.requires_grad_()", "ta = ta.detach().clone()", "L = D", "L = [1, 2, 3]", "o1.n = 1"}

func randomProgram(r *rand.Rand) *program {
	g := &gen{r: r}
	g.b.WriteString(fuzzPrelude)
	fn := func(name, params string, n int) {
		g.line("def %s(%s):", name, params)
		g.ind++
		g.line("global G, S, N, K, D, uu, git, gg, count")
		g.line("i0, i1, i2, t0, t1, l0, l1, x0 = 0, 1, 2, ta, tb, [1, 2], [3, 4], o1")
		g.left = n
		for g.left > 0 {
			g.statement()
		}
		g.line("return (i0, i1, i2, t0, t1, l0, x0)")
		g.ind--
	}
	fn("helper", "h", 8+r.Intn(8))
	fn("body", "", 14+r.Intn(16))
	g.line("def main():")
	g.line("    r = []")
	g.line("    for round in range(%d):", 1+r.Intn(3))
	g.line("        r.append(body())")
	if r.Intn(2) == 0 {
		g.line("        r.append(helper(round))")
	}
	g.line("    return r")
	p := &program{src: g.b.String()}
	for range 6 + r.Intn(4) {
		m := mutations[r.Intn(len(mutations))]
		if r.Intn(3) == 0 {
			m += "\n" + mutations[r.Intn(len(mutations))]
		}
		if r.Intn(3) == 0 {
			m = ""
		}
		p.muts = append(p.muts, strings.TrimSpace(m))
	}
	return p
}
