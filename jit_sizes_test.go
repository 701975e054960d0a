package larkspur

import (
	"fmt"
	"math/rand"
	"regexp"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/tracer"
)

// sizeProgram is a random function of tensors whose sizes, and numbers whose values,
// change between calls.
type sizeProgram struct {
	rng   *rand.Rand
	lines []string
	n     int // variables v0 … v(n-1)
}

func (p *sizeProgram) v() string { return fmt.Sprintf("v%d", p.rng.Intn(p.n)) }

func (p *sizeProgram) pick(s ...string) string { return s[p.rng.Intn(len(s))] }

func (p *sizeProgram) num() string {
	return p.pick("k", "f", "2", "0.5", p.v()+".shape[0]", "len("+p.v()+")", p.v()+".numel()", "k + 1", "f * 2", "max(k, 1)", "n // 2")
}

func (p *sizeProgram) idx() string {
	return p.pick("0", "1", "k", "-1", "n - 1", "k + 1", p.v()+".shape[0]", p.v()+".size(-1) // 2", "k % 3")
}

// expr is a tensor.
func (p *sizeProgram) expr() string {
	a, b := p.v(), p.v()
	return fmt.Sprintf(p.pick(
		"%[1]s + %[2]s", "%[1]s * %[3]s", "%[1]s - %[2]s", "%[1]s @ %[2]s", "%[1]s.t()", "torch.relu(%[1]s) / %[3]s", "%[1]s ** %[3]s",
		"%[1]s.reshape(-1)", "%[1]s.reshape(%[1]s.shape[0], -1)", "%[1]s.view(-1, %[1]s.shape[-1])", "%[1]s.sum(0)", "%[1]s.sum()", "%[1]s.mean(-1, keepdim=True)",
		"%[1]s[%[4]s]", "%[1]s[%[4]s:]", "%[1]s[:%[4]s]", "%[1]s[%[4]s:%[5]s]", "%[1]s[:, %[4]s:]", "%[1]s[..., %[4]s]", "%[1]s[None]", "%[1]s[::2]",
		"torch.cat([%[1]s, %[2]s])", "torch.stack([%[1]s, %[2]s])", "torch.zeros(%[1]s.shape[0], %[4]s) + %[3]s", "torch.ones_like(%[1]s)", "torch.full(%[1]s.shape, %[3]s)",
		"%[1]s.expand(%[4]s, *%[2]s.shape)", "%[1]s.unsqueeze(0)", "%[1]s.squeeze()", "%[1]s.flatten()", "%[1]s.softmax(-1)", "%[1]s.cumsum(0)", "%[1]s.max()",
		"torch.where(%[1]s > %[3]s, %[1]s, %[2]s)", "torch.arange(%[4]s) * 1.0", "%[1]s.contiguous()", "%[1]s.clamp(%[3]s, 3)", "%[1]s.repeat(2, 1)", "%[1]s.narrow(0, 0, %[4]s)",
		"%[1]s.transpose(0, -1)", "%[1]s.new_zeros(%[2]s.shape)", "torch.add(%[1]s, %[2]s, alpha=%[3]s)", "%[1]s.view(%[2]s.shape)", "torch.lerp(%[1]s, %[2]s, f)",
		"torch.eye(%[4]s)", "%[1]s.flip(0)", "%[1]s.pow(2).mean()", "torch.outer(%[1]s.flatten(), %[2]s.flatten())", "%[1]s.chunk(2)[0]", "%[1]s.split(2)[0]", "%[1]s.unbind(0)[0]",
		"torch.addcmul(%[1]s, %[2]s, %[2]s, value=%[3]s)", "%[1]s.index_select(0, torch.arange(%[4]s))", "%[1]s.argmax().float()", "%[1]s.detach().clone()", "%[1]s.gather(0, torch.zeros_like(%[1]s).long())",
		"torch.constant_pad_nd(%[1]s, (1, %[4]s))", "torch.tril(%[1]s)", "%[1]s.var()", "%[1]s.norm()", "%[1]s.T"), a, b, p.num(), p.idx(), p.idx())
}

func (p *sizeProgram) line(indent, s string) {
	for _, l := range strings.Split(s, "\n") {
		p.lines = append(p.lines, indent+l)
	}
}

func (p *sizeProgram) statement() {
	const in = "        "
	switch p.rng.Intn(12) {
	case 0: // in place
		p.line(in, p.pick(p.v()+".mul_("+p.num()+")", p.v()+" += "+p.v(), p.v()+"["+p.idx()+"] = "+p.num(), p.v()+"["+p.idx()+":] = "+p.v(), p.v()+".add_("+p.v()+", alpha=f)", p.v()+".copy_("+p.v()+")"))
	case 1:
		p.line(in, fmt.Sprintf("if %s %s %s:\n    %s = %s", p.pick(p.v()+".shape[0]", p.v()+".numel()", "k", "f", "n"), p.pick("<", "==", ">", "!="), p.pick("1", "2", "3", "k", "n"), p.v(), p.expr()))
	case 2:
		p.line(in, "log.append(("+p.pick(p.v()+".shape", "tuple("+p.v()+".shape)", "n, k * n", p.v()+".dim()", p.v()+".is_contiguous()", "f'{n} {f:.2f}'", p.v()+".stride()", p.num())+"))")
	case 3:
		if p.rng.Intn(2) == 0 {
			a := p.v()
			p.line(in, fmt.Sprintf("w.grad = None\nloss = (%s * w.sum() * %s).%s\nif loss.requires_grad:\n    loss.backward()\n    %s = w.grad * %s", a, p.num(), p.pick("sum()", "mean()", "pow(2).sum()", "relu().mean()"), p.v(), p.num()))
			return
		}
		fallthrough
	default:
		t := p.expr()
		if p.rng.Intn(4) == 0 {
			p.line(in, p.v()+" = "+t)
			return
		}
		p.line(in, fmt.Sprintf("v%d = %s", p.n, t))
		p.n++
	}
}

func sizeSource(rng *rand.Rand) string {
	p := &sizeProgram{rng: rng, n: 3}
	for range 3 + rng.Intn(6) {
		p.statement()
	}
	vars := make([]string, p.n)
	for i := range vars {
		vars[i] = fmt.Sprintf("v%d", i)
	}
	return `
import torch
torch.manual_seed(3)
w = torch.tensor([0.5, -1.5, 2.0], requires_grad=True)
a = torch.ones(2, 3)
b = torch.ones(3)
c = torch.ones(2)
k = 1
f = 0.5
def body(v0, v1, v2):
    n = v0.shape[0]
    log = []
    try:
` + strings.Join(p.lines, "\n") + `
    except Exception as e:
        return type(e).__name__, log
    return log, ` + strings.Join(vars, ", ") + `
def main():
    return body(a.clone(), b, c * 2)
`
}

func (p *sizeProgram) mutation() string {
	size := func() int { return p.rng.Intn(6) }
	t := func() string {
		switch p.rng.Intn(5) {
		case 0:
			return fmt.Sprintf("torch.arange(%d.0)", size())
		case 1:
			return fmt.Sprintf("torch.arange(%d.0).reshape(%d, %d).t()", 12, p.pick2(3, 4, 2, 6), 0)
		case 2:
			n, m := size(), size()
			return fmt.Sprintf("torch.arange(%d.0).reshape(%d, %d)[:, :%d]", n*(m+1), n, m+1, m)
		}
		n, m := size(), size()
		return fmt.Sprintf("torch.arange(%d.0).reshape(%d, %d) - 2", n*m, n, m)
	}
	switch p.rng.Intn(6) {
	case 0:
		return fmt.Sprintf("k = %d", p.rng.Intn(5)-1)
	case 1:
		return fmt.Sprintf("f = %d / 4", p.rng.Intn(9)-2)
	case 2:
		n := size()
		return fmt.Sprintf("a = torch.arange(%d.0).reshape(%d, 3)\nc = torch.ones(%d)", 3*n, n, n)
	case 3:
		return "b = " + strings.ReplaceAll(t(), ", 0)", ", -1)")
	case 4:
		return "c = " + strings.ReplaceAll(t(), ", 0).t", ", -1).t")
	}
	return "a = " + strings.ReplaceAll(t(), ", 0).t", ", -1).t")
}

func (p *sizeProgram) pick2(s ...int) int { return s[p.rng.Intn(len(s))] }

// TestJITSizes runs random functions on tensors of changing sizes, interpreted and
// recorded: results, layouts and exceptions are the same, and some graphs have served
// more than one size.
func TestJITSizes(t *testing.T) {
	programs := 40
	if *jitPrograms > 0 {
		programs = *jitPrograms
	}
	w, err := bareTwins([2]Target{})
	if err != nil {
		t.Fatal(err)
	}
	var replays, records int
	for i := range programs {
		seed := *jitSeed + int64(i)
		rng := rand.New(rand.NewSource(seed))
		src := sizeSource(rng)
		w.renew(func(o *tracer.Options) { o.Plain = i%2 == 0 })
		prog, err := w.rt[0].compile("prog.py", src, bytecode.ExecMode)
		if err == nil {
			err = w.load(prog)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		before := w.rt[1].tracer.Stats()
		p := &sizeProgram{rng: rng}
		var muts []string
		for range 14 {
			d := w.call("main")
			if d == overLimit {
				break
			}
			if d != "" && oneStrides(w.texts[0]) != oneStrides(w.texts[1]) {
				t.Errorf("seed %d: %s\n%s\n# %s", seed, d, src, strings.Join(muts, "\n# "))
				break
			}
			m := p.mutation()
			muts = append(muts, m)
			if d := w.exec(m); d != "" {
				t.Fatalf("seed %d: %s: %s", seed, m, d)
			}
		}
		s := w.rt[1].tracer.Stats()
		replays += s.Replays - before.Replays
		records += s.Records - before.Records
	}
	t.Logf("%d programs: %d recordings, %d replays", programs, records, replays)
	if replays == 0 {
		t.Error("nothing was replayed")
	}
}

var layoutPattern = regexp.MustCompile(`\[([\d ]+)\]:\[([\d ]+)\]@`)

// oneStrides is a dump without the strides of dimensions of size 1, which nothing but
// stride() shows: rules on expressions do not ask whether a size is 1 to lay them out
// as torch does.
func oneStrides(text string) string {
	return layoutPattern.ReplaceAllStringFunc(text, func(s string) string {
		m := layoutPattern.FindStringSubmatch(s)
		size, stride := strings.Fields(m[1]), strings.Fields(m[2])
		for d := range size {
			if size[d] == "1" {
				stride[d] = "_"
			}
		}
		return fmt.Sprint(size, stride)
	})
}
