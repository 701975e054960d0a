package larkspur

import (
	"testing"

	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tracer"
)

// asleep are programs whose graph breaks at a call that runs the program's own code.
var asleep = []struct{ name, src string }{
	{"a function that is kept out", `
@torch._dynamo.disable
def kept(n):
    watch()
    s = 0
    for i in range(n):
        s += i
    return s
def main():
    y = torch.tanh(x)
    return y + kept(5), kept(3) * y
`},
	{"its exception is caught", `
@torch._dynamo.disable
def kept(n):
    watch()
    if n > 1:
        raise KeyError(n)
    return n
def main():
    y = torch.tanh(x)
    out = []
    for n in range(4):
        try:
            out.append(y + kept(n))
        except KeyError as e:
            out.append(y * e.args[0])
    return out
`},
	{"calls in calls", `
@torch._dynamo.disable
def kept(f, n):
    watch()
    return f(n) + f(n + 1)
def inner(n):
    return sorted([n, 3, 1], key=lambda a: -a)[0]
def main():
    y = torch.tanh(x)
    k = kept(lambda n: kept(inner, n), 2)
    return y + k
`},
	{"a generator", `
@torch._dynamo.disable
def kept(g):
    watch()
    return next(g) + next(g)
def numbers():
    n = 0
    while True:
        n += 1
        yield n
g = numbers()
def main():
    y = torch.tanh(x)
    return y + kept(g), y + kept(numbers())
`},
	{"an iterator's method in a loop", `
class Down:
    def __init__(self, n):
        self.n = n
    def __iter__(self):
        return self
    @torch._dynamo.disable
    def __next__(self):
        watch()
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n
def main():
    y = torch.tanh(x)
    for n in Down(4):
        y = y + n
    return y, [y + n for n in Down(2)]
`},
	{"a constructor", `
class A:
    @torch._dynamo.disable
    def __init__(self, n):
        watch()
        self.n = n
def main():
    y = torch.tanh(x)
    a = A(3)
    return y + a.n, y * A(2).n
`},
	{"an item inside of a key", `
def key(a):
    return torch.tensor([float(a)]).sum().item()
def main():
    y = torch.tanh(x)
    return y + sorted([3, 1, 2], key=key)[0], y * max([2, 5], key=key)
`},
	{"what it calls is recorded for its own sake", `
first = [1]
def step(t):
    return torch.relu(t) * 2 + 1
@torch._dynamo.disable
def kept(t):
    watch()
    if first:
        first.pop()
        torch._dynamo.reset()
    return t + 1
def key(a):
    return step(x * a).sum().item()
def main():
    y = step(x)
    z = sorted([1, 2], key=key)
    return y, z, step(kept(y))
`},
}

// TestJITAsleep: what the instruction of a break calls runs at full speed, and control
// comes back to the break whichever way it leaves.
func TestJITAsleep(t *testing.T) {
	for _, c := range asleep {
		for threshold := 1; threshold <= 3; threshold++ {
			t.Run(c.name, func(t *testing.T) {
				observed := 0
				w := newTwins(t, countsPrelude+c.src, func(o *tracer.Options) { o.Threshold = threshold })
				for _, m := range w.mod {
					m.m.Set("watch", value.NewBuiltin("watch", func(t *value.Thread, _ []value.Value, _ []value.Kwarg) (value.Value, error) {
						if th := vm.ThreadOf(t); th.Before != nil || th.Observer != nil {
							observed++
						}
						return value.None, nil
					}).Value())
				}
				for i := range 6 {
					if d := w.call("main"); d != "" {
						t.Fatalf("call %d: %s\n%s", i, d, w.rt[1].Explain("prog.py"))
					}
				}
				if w.raises > 0 {
					t.Error("the program raises an exception")
				}
				if observed > 0 {
					t.Errorf("%d calls of what is kept out were observed", observed)
				}
				if w.rt[1].tracer.Stats().Replays == 0 {
					t.Error("nothing was replayed")
				}
			})
		}
	}
}
