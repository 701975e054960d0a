package larkspur

import (
	"fmt"
	"math/rand"
	"strings"
)

// program is one random case: text behind the prelude, and what is done to the
// outside between calls of main.
type program struct {
	prelude []string
	src     string
	muts    []string
}

func (p *program) text() string {
	var b strings.Builder
	for _, s := range p.prelude {
		b.WriteString(s)
	}
	b.WriteString(p.src)
	for i, m := range p.muts {
		fmt.Fprintf(&b, "# call main(), then (%d):\n", i)
		if m != "" {
			b.WriteString("#   " + strings.ReplaceAll(m, "\n", "\n#   ") + "\n")
		}
	}
	return b.String()
}

// gen draws a program. Its choices come from a random source or from bytes.
type gen struct {
	r     *rand.Rand
	data  []byte // in place of r
	b     strings.Builder
	ind   int
	depth int
	left  int
	names int
	loops int  // loops around
	train bool // the preludes there are
	model bool
}

// n is a choice among n.
func (g *gen) n(n int) int {
	if g.r != nil {
		return g.r.Intn(n)
	}
	if len(g.data) == 0 {
		return 0
	}
	c := int(g.data[0])
	g.data = g.data[1:]
	return c % n
}

func (g *gen) pick(s ...string) string { return s[g.n(len(s))] }

func (g *gen) line(format string, a ...any) {
	g.text(fmt.Sprintf(format, a...))
}

// text writes lines.
func (g *gen) text(s string) {
	for _, l := range strings.Split(s, "\n") {
		g.b.WriteString(strings.Repeat("    ", g.ind) + l + "\n")
	}
}

// num is an expression for a number.
func (g *gen) num(d int) string {
	if d <= 0 {
		return g.pick("i0", "i1", "i2", "G", "o1.n", "o2.n", "x0.n", "A.k", "o1.k", "x0.k", "3", "0", "2", "o3.n", "c1.n", "c1.p", "1.5")
	}
	switch g.n(32) {
	case 0, 1:
		return "(" + g.num(d-1) + g.pick(" + ", " - ") + g.num(d-1) + ")"
	case 2:
		return "(" + g.num(d-1) + " * " + g.num(d-1) + " % 1009)"
	case 3:
		return "(" + g.num(d-1) + g.pick(" % ", " // ", " / ") + g.pick("3", "4", "7", "(1 + G)") + ")"
	case 4:
		return "len(" + g.list(d-1) + ")"
	case 5:
		return g.list(0) + g.pick("[0]", "[-1]", "[1]", "[i0 % 2]")
	case 6:
		return "D" + g.pick("['a']", "['b']", "['c']", ".get('d', 7)", ".get('a', 1)", ".setdefault('e', 4)")
	case 7:
		return g.inst() + ".m(" + g.num(d-1) + ")"
	case 8:
		return "pickone(" + g.num(d-1) + ", " + g.num(d-1) + ")"
	case 9:
		return "getattr(" + g.inst() + ", '" + g.pick("n", "k", "zz", "yy") + "', 3)"
	case 10:
		return "count(" + g.num(d-1) + ")"
	case 11:
		return "len(" + g.pick("D", "E", "c1", "T3", "S", "ta") + ")"
	case 12:
		return "T3[" + g.pick("0", "1", "-1") + "]"
	case 13:
		return "defaults(" + g.num(d-1) + g.pick("", ", 2", ", b=G", ", c=L") + ")"
	case 14:
		return g.pick("sum", "max", "min") + "(" + g.list(0) + ")"
	case 15:
		return g.pick("int(", "abs(", "float(") + g.num(0) + ")"
	case 16:
		return g.pick("c1("+g.num(d-1)+")", "c1[0]", "c1 + "+g.num(0), "c1 + x0", "C.st("+g.num(0)+")", "C.made", "(1 + c1)")
	case 17:
		return "star(" + g.pick("i0", "*T3", "*"+g.list(0)+"[:3]", "1, *T3, z=i0", "**{'q': 1}", "i0, i1, a1=2") + ")"
	case 18:
		return "lastly(" + g.num(d-1) + ")"
	case 19:
		return "(" + g.num(d-1) + " if " + g.cond(d-1) + " else " + g.num(d-1) + ")"
	case 20:
		return "(lambda a, b=" + g.num(0) + ": a " + g.pick("+", "-") + " b)(" + g.num(d-1) + ")"
	case 21:
		return g.tensor(0) + g.pick(".numel()", ".dim()", ".shape[0]", ".size(0)", ".size(-1)", ".stride(0)", ".storage_offset()")
	case 22:
		return "(i1 := " + g.num(d-1) + ")"
	case 23:
		return "sum([a for a in " + g.list(0) + " if a != " + g.num(0) + "])"
	case 24:
		return "len({a: 1 for a in first(" + g.list(0) + ")})"
	case 25:
		return g.pick("L.index(2)", "l0.count(1)", "L.index("+g.num(0)+")", "S.count('q')", "S.find('l')", "ord(S[0])")
	case 26:
		return "next(a for a in " + g.list(0) + " if a " + g.pick(">", "!=") + " " + g.num(0) + ")"
	case 27:
		return "(" + g.pick("-", "+", "not ") + g.num(d-1) + ")"
	case 28:
		return g.pick("max(i0, i1)", "min(G, i2)", "round("+g.num(0)+")", "divmod(i0, 3)[1]", "pow(i0 % 7, 2)", "i0 & 3", "i1 | 1", "i2 ^ 2", "i0 << 1 & 15", "i1 >> 1")
	}
	return g.num(0)
}

func (g *gen) inst() string {
	return g.pick("o1", "o2", "o3", "x0", "o1.sub", "x0", "L2[0]", "o3.sub", "c1")
}

func (g *gen) list(d int) string {
	switch g.n(11) {
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
	case 7:
		if d > 0 {
			return g.pick("L[:2]", "l0[1:]", "L[::-1]", "l1 + l0[:2]", "list(E)", "list(D.values())", "[*T3, 1]", "sorted(L)[:4]", "list(range(3))", "list(c1)", "l0 * 2", "list(map(key1, l1))", "[1 for a in L if a]")
		}
	}
	return "l1"
}

func (g *gen) tensor(d int) string {
	if d <= 0 {
		return g.pick("t0", "t1", "ta", "tb", "tv", "o1.t", "x0.t", "tw", "tn")
	}
	switch g.n(36) {
	case 0, 1, 2:
		return "(" + g.tensor(d-1) + g.pick(" + ", " - ", " * ") + g.tensor(d-1) + ")"
	case 3:
		return "(" + g.tensor(d-1) + " * " + g.num(d-1) + ")"
	case 4:
		return g.tensor(d-1) + g.pick(".relu()", ".abs()", ".neg()", ".clamp(-9, 50.0)", ".float()", ".sigmoid()")
	case 5:
		return g.tensor(d-1) + g.pick(".view(2)", ".reshape(-1)", ".unsqueeze(0)", ".flatten()", ".expand(2)", ".t()", ".contiguous()")
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
		return g.tensor(d-1) + g.pick("[0]", "[0:1]", "[i0 % 2]", "[-1]", "[tn]", "[None]", "[i0 % 2:]", "[:len(L)]")
	case 13:
		return g.pick("torch.cat", "torch.stack") + "([" + g.tensor(0) + ".view(-1), " + g.tensor(0) + ".view(-1)])[:2]"
	case 14:
		return "(" + g.tensor(0) + " * torch." + g.pick("rand(2)", "randn(2)", "randint(0, 5, (2,))", "rand_like(ta)", "randperm(2)", "bernoulli(torch.full((2,), 0.5))") + ")"
	case 15:
		return g.pick("M.t()[0]", "M[1]", "M[:, 0]", "M.T[1]", "M.diagonal()", "M.sum(0)", "M.mean(1)", "M.max(0).values", "M.flatten()[1:3]", "M.argmax(1)")
	case 16:
		return "(M @ " + g.tensor(0) + ")"
	case 17:
		return "torch.where(" + g.tensor(0) + " > " + g.num(0) + ", " + g.tensor(d-1) + ", " + g.tensor(0) + ")"
	case 18:
		return "(" + g.tensor(d-1) + g.pick(" > ", " == ", " <= ") + g.num(0) + ")"
	case 19:
		return g.tensor(d-1) + g.pick(".sum()", ".mean()", ".max()", ".sum(-1, keepdim=True)", ".cumsum(0)", ".softmax(0)", ".std()", ".prod()")
	case 20:
		return "torch.nn.functional." + g.pick("relu", "softplus", "tanh") + "(" + g.tensor(d-1) + ")"
	case 21:
		return "torch.nn.functional.dropout(" + g.tensor(0) + ", 0.5, " + g.pick("True", "False", "G > 1") + ")"
	case 22:
		return "quiet(" + g.tensor(d-1) + ")"
	case 23:
		return g.pick("torch.zeros(2)", "torch.ones(2)", "torch.arange(2)", "torch.tensor([1.0, 2.0])", "torch.zeros_like(ta)", "torch.empty(2).fill_(i0)", "torch.tensor(L[:2])", "torch.arange(len(L))[:2]", "torch.eye(2)[0]", "ta.new_zeros(2)")
	case 24:
		return g.pick("ta.double()", "tn.float()", "ta.long()", "tb.to(torch.float64)", "ta.to(tb.dtype)", "tn.bool()")
	case 25:
		if g.model {
			return g.pick("net(tb)", "net.fc(ta)", "net.seq(tb)", "net.fc.weight[0]", "learn(tb)", "learn(ta.detach())")
		}
	case 26:
		return g.pick("ta.split(1)[0]", "tb.chunk(2)[1]", "M.unbind(0)[1]", "torch.sort(ta)[0]", "tn.max(0)[0]", "ta.topk(1)[0]", "M.split(1)[i0 % 2][0]")
	case 27:
		return "(-" + g.tensor(d-1) + ")"
	}
	return g.tensor(0)
}

func (g *gen) cond(d int) string {
	switch g.n(17) {
	case 0, 1, 2:
		return g.num(d) + g.pick(" < ", " == ", " >= ", " != ") + g.num(d)
	case 3:
		return "hasattr(" + g.inst() + ", '" + g.pick("zz", "yy", "n", "k") + "')"
	case 4:
		return "'" + g.pick("a", "b", "c", "d") + "' " + g.pick("in", "not in") + " D"
	case 5:
		return g.inst() + g.pick(" is ", " is not ", " == ") + g.inst()
	case 6:
		return g.list(0) + g.pick(" is ", " == ") + g.list(0)
	case 7:
		return g.num(0) + " in " + g.pick(g.list(0), "E", "c1", "T3", "D", "range(3)")
	case 8:
		return "isinstance(" + g.inst() + ", " + g.pick("A", "B", "(C, B)", "C") + ")"
	case 9:
		return g.tensor(0) + " is " + g.tensor(0)
	case 10:
		return "(" + g.cond(d-1) + g.pick(" and ", " or ") + g.cond(d-1) + ")"
	case 11:
		return g.pick("S == 'q'", "N is None", "ta.dtype == torch.float32", "ta.shape == tb.shape", "len(ta) == 2", "tw.grad is None", g.list(0), "D", "not L", "ta.requires_grad", "c1", "S", "E", "c1 == c1", "c1 < o1", "torch.is_grad_enabled()", "callable(N)", "type(x0) is A", "S.startswith('q')")
	case 12:
		return g.num(0)
	case 13:
		return "0 < " + g.num(0) + " < " + g.num(0)
	case 14:
		return g.pick("all", "any") + "(a > 1 for a in " + g.list(0) + ")"
	}
	return "not (" + g.num(d) + " > 2)"
}

func (g *gen) str() string {
	return g.pick("S", "S + str("+g.num(0)+")", "f\"{"+g.num(1)+"}-{"+g.num(0)+"}\"", "f'{"+g.num(0)+":>5}|{S!r:4}'", "'%d %s' % (int("+g.num(0)+"), S)", "'{} {}'.format(i0, S)", "S.upper()", "','.join([str(a) for a in l1])", "str(c1)", "S * 2", "S[0]", "repr(T3)", "type("+g.anything(0)+").__name__", "f'{i0:03d}{"+g.num(0)+":.2f}'")
}

func (g *gen) anything(d int) string {
	switch g.n(9) {
	case 0:
		return g.tensor(d)
	case 1:
		return g.list(d)
	case 2:
		return "(" + g.num(d) + ", " + g.tensor(0) + ")"
	case 3:
		return g.pick("D", "N is None", "T3", "E", "c1.rest", "c1.kw", "D.keys()", "list(D.items())", "[t0, t1]", "{'x': i0}", "(i0, [i1])", "frozenset(T3)", "sorted(E)", "list(zip(L, l0))", "ta.shape", "ta.tolist()")
	case 4:
		return g.inst() + ".n"
	case 5:
		return g.str()
	}
	return g.num(d)
}

func (g *gen) block(k int) {
	g.ind++
	g.depth++
	for range 1 + g.n(k) {
		g.statement()
	}
	g.ind--
	g.depth--
}

func (g *gen) loop(k int) {
	g.loops++
	g.block(k)
	g.loops--
}

func (g *gen) statement() {
	if g.left > 0 && g.n(4) != 0 {
		g.line("try:")
		g.ind++
		g.plain()
		g.ind--
		g.line("except Exception as e:")
		g.line("    %s", g.pick("lg.append(type(e).__name__)", "lg.append(str(e))", "lg.append(1)", "print('E', type(e).__name__, e)"))
		return
	}
	g.plain()
}

// plain writes one statement.
func (g *gen) plain() {
	g.left--
	if g.left < 0 {
		g.line("i0 = i0 + 1")
		return
	}
	k := g.n(len(statements))
	if s := statements[k]; !s.nests || g.depth <= 3 {
		s.write(g)
		return
	}
	g.line("i0 = i0 + 1")
}

// randomProgram draws a program from a random source.
func randomProgram(r *rand.Rand) *program { return (&gen{r: r}).program() }

// programOf is the program of a seed.
func programOf(seed int64) *program {
	return (&gen{r: rand.New(rand.NewSource(seed))}).program()
}

func (g *gen) program() *program {
	if *jitTapes || g.n(4) == 0 {
		return g.tapes()
	}
	p := &program{prelude: []string{fuzzPrelude}}
	switch g.n(6) {
	case 0, 1:
		g.train = true
		p.prelude = append(p.prelude, fuzzTraining)
	case 2:
		g.model = true
		p.prelude = append(p.prelude, fuzzModule)
	}
	fn := func(name, params string, n int) {
		g.line("def %s(%s):", name, params)
		g.ind++
		g.line("global G, S, N, K, D, E, T3, uu, git, gg, gt, count, tape")
		g.line("i0, i1, i2, t0, t1, l0, l1, x0, lg = 0, 1, 2, ta, tb, [1, 2], [3, 4], o1, []")
		g.left = n
		for g.left > 0 {
			g.statement()
		}
		g.line("return (i0, i1, i2, t0, t1, l0, x0, lg)")
		g.ind--
	}
	both := g.n(2) == 0
	if both {
		fn("helper", "h", 3+g.n(6))
	}
	fn("body", "", 6+g.n(14))
	g.line("def main():")
	g.line("    r = []")
	g.line("    for round in range(%d):", 1+g.n(3))
	g.line("        r.append(body())")
	if both {
		g.line("        r.append(helper(round))")
	}
	g.line("    return r")
	p.src = g.b.String()
	// Most mutations are of what the program looks at.
	var apt []string
	for _, m := range mutations {
		if strings.Contains(p.src, root(m)) {
			apt = append(apt, m)
		}
	}
	mutation := func() string {
		switch k := g.n(12); {
		case k == 0:
			return mutationDefs[g.n(len(mutationDefs))]
		case k < 9 && len(apt) > 0:
			return apt[g.n(len(apt))]
		}
		return mutations[g.n(len(mutations))]
	}
	for range 5 + g.n(4) {
		m := mutation()
		switch g.n(6) {
		case 0:
			m += "\n" + mutation()
		case 1, 2:
			m = ""
		}
		p.muts = append(p.muts, m)
	}
	return p
}

// root is what a mutation changes: a name, or an attribute of one.
func root(m string) string {
	for i, c := range m {
		if c == ' ' || c == '[' || c == '(' {
			return m[:i]
		}
	}
	return m
}
