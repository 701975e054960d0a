package larkspur

import (
	"flag"
	"fmt"
	"math/rand"
	"os"
	"testing"

	"github.com/larkspur-ml/larkspur/guards"
	"github.com/larkspur-ml/larkspur/tracer"
)

// guardCase is a program that goes stale without one kind of test: main is called
// before and after each mutation.
type guardCase struct {
	name  string
	kinds []guards.Test // each of them is needed
	src   string
	muts  []string
}

var guardCases = []guardCase{
	{"immediate", []guards.Test{guards.TestEqual}, `
G = 1
def main():
    return G + 1
`, []string{"G = 'x'", "G = 1.5", "G = True"}},
	{"instance", []guards.Test{guards.TestIs}, `
class A: pass
o = A()
o.n = [1]
def main():
    return o.n is other
other = o.n
`, []string{"p = A()\np.n = [2]\no = p"}},
	{"global unset", []guards.Test{guards.TestUnset}, `
def main():
    return len([1, 2])
`, []string{"def len(x):\n    return 'mine'"}},
	{"cell unset", []guards.Test{guards.TestUnset}, `
def make():
    def get():
        return late
    def put(v):
        nonlocal late
        late = v
    if False:
        late = 0
    return get, put
get, put = make()
def main():
    try:
        return get()
    except NameError:
        return 'unset'
`, []string{"put(3)"}},
	{"symbol stays int", []guards.Test{guards.TestInt}, `
G = 1
def main():
    return isinstance(G, int), G + 1
`, []string{"G = 2", "G = 3", "G = 2.5"}},
	{"symbol stays float", []guards.Test{guards.TestFloat}, `
G = 1.5
def main():
    return isinstance(G, float), G + 1
`, []string{"G = 2.5", "G = 3.5", "G = 2"}},
	{"type", []guards.Test{guards.TestType}, `
L = [1]
def main():
    return isinstance(L, list)
`, []string{"L = {1: 2}"}},
	{"attributes", []guards.Test{guards.TestShape}, `
class A: pass
o = A()
def main():
    return hasattr(o, 'zz'), getattr(o, 'n', 7)
`, []string{"o.zz = 1", "o.n = 2", "del o.zz"}},
	{"told by class", []guards.Test{guards.TestShape}, `
class A:
    k = 1
class B:
    k = 2
xs = [A(), A(), B()]
o = xs[0]
def main():
    return o.k
`, []string{"o = xs[1]", "o = xs[0]", "o = xs[2]"}},
	{"class", []guards.Test{guards.TestVersion}, `
class A:
    k = 1
    def f(self): return 1
class B(A): pass
o = B()
def main():
    return o.k, o.f()
`, []string{"A.k = 2", "B.k = 3", "A.f = lambda self: 5"}},
	{"tuple", []guards.Test{guards.TestTuple}, `
T = (1, 2)
def main():
    return len(T)
`, []string{"T = (1, 2, 3)"}},
	{"function", []guards.Test{guards.TestFunc}, `
def f(a=1): return a
def main():
    return f()
`, []string{"f.__defaults__ = (4,)", "def f(a=1): return 'other'"}},
	{"closure", []guards.Test{guards.TestCode}, `
def make(c):
    def f(): return c + 1
    return f
def other(c):
    def f(): return c + 100
    return f
f = make(1)
def main():
    return f()
`, []string{"f = make(2)", "f = make(3)", "f = make(4)", "f = other(5)"}},
	{"tensor", []guards.Test{guards.TestTensor}, `
import torch
t = torch.tensor([1.0, 2.0])
def main():
    return t.dtype == torch.float32, len(t), t.requires_grad
`, []string{"t = t.double()", "t = torch.zeros(3)", "t.requires_grad_()"}},
	{"length", []guards.Test{guards.TestLen}, `
L = [1, 2]
def main():
    n = 0
    for x in L:
        n += 1
    return n, len(L), bool(L), L[-1]
`, []string{"L.append(2)", "L.clear()\nL.append(2)"}},
	{"dict length", []guards.Test{guards.TestLen}, `
D = {'a': 1}
def main():
    return len(D)
`, []string{"D['b'] = 2"}},
	{"key order", []guards.Test{guards.TestOrder}, `
D = {'a': 1, 'b': 1}
def main():
    return [k for k in D]
`, []string{"del D['a']\nD['a'] = 1"}},
	{"key present", []guards.Test{guards.TestHas}, `
D = {'a': 1}
def main():
    return 'a' in D
`, []string{"del D['a']"}},
	{"key absent", []guards.Test{guards.TestHasNot}, `
D = {}
def main():
    try:
        return D['a'], 'a' in D
    except KeyError:
        return 'a' in D, D.get('a', 5)
`, []string{"D['a'] = 1"}},
	{"iterator end", []guards.Test{guards.TestEnd}, `
L = [1]
def main():
    it = source
    n = 0
    for x in it:
        n += 1
    return n
source = iter([])
`, []string{"source = iter([])", "source = iter([1, 2])"}},
	{"same", []guards.Test{guards.TestSame}, `
L = [1]
K = L
def main():
    K.append(2)
    return len(L)
`, []string{"L.clear()", "K = [5]", "L = [1, 2]"}},
	{"distinct", []guards.Test{guards.TestDistinct}, `
L = [1, 2]
K = [1, 2]
def main():
    L[0] = 5
    r = K[0], L is K
    L[0] = 1
    return r
`, []string{"K = L"}},
	{"same storage", []guards.Test{guards.TestStorage}, `
import torch
a = torch.tensor([1.0, 2.0])
b = a.view(2)
def main():
    a.add_(1)
    return b * 1
`, []string{"", "b = torch.tensor([7.0, 8.0])", "b = a.clone().view(2)"}},
	{"storages apart", []guards.Test{guards.TestApart}, `
import torch
a = torch.tensor([1.0, 2.0])
b = torch.tensor([5.0, 6.0])
i = torch.tensor([1, 0])
def main():
    a.add_(1) # written last, as what follows may raise IndexError
    return b[i]
`, []string{"b = a.view(2)", "b = a"}},
	{"outcome true", []guards.Test{guards.TestTrue}, `
G = 1
def main():
    return 'small' if G < 10 else 'big'
`, []string{"G = 2", "G = 3", "G = 20"}},
	{"outcome false", []guards.Test{guards.TestFalse}, `
G = 1
def main():
    return 'big' if G > 10 else 'small'
`, []string{"G = 2", "G = 3", "G = 20"}},
	{"modes", []guards.Test{guards.TestMode}, `
import torch
w = torch.ones(2, requires_grad=True)
def main():
    return torch.is_grad_enabled(), torch.zeros(1).dtype
`, []string{"torch.set_grad_enabled(False)", "torch.set_grad_enabled(True)"}},
}

func runCase(t *testing.T, c *guardCase, skip guards.Test) (diff string, s tracer.Stats) {
	defer func() {
		if p := recover(); p != nil {
			diff = fmt.Sprint("panic: ", p)
		}
	}()
	w := newTwins(t, c.src, func(o *tracer.Options) { o.Skip = skip })
	for i := range len(c.muts) + 1 {
		for range 3 {
			if diff = w.call("main"); diff != "" {
				return diff, w.rt[1].tracer.Stats()
			}
		}
		if i < len(c.muts) && c.muts[i] != "" {
			if diff = w.exec(c.muts[i]); diff != "" {
				t.Fatal(diff)
			}
		}
	}
	return "", w.rt[1].tracer.Stats()
}

// TestGuardKinds proves each kind of test: with it the case is right, without it
// the recording goes stale.
func TestGuardKinds(t *testing.T) {
	proven := map[guards.Test]bool{}
	for i := range guardCases {
		c := &guardCases[i]
		t.Run(c.name, func(t *testing.T) {
			diff, s := runCase(t, c, guards.TestNone)
			if diff != "" {
				t.Fatal(diff)
			}
			if s.Replays == 0 {
				t.Fatalf("nothing was replayed: %+v", s)
			}
			for _, k := range c.kinds {
				if diff, _ := runCase(t, c, k); diff == "" {
					t.Errorf("still right without the test of %s", k)
				} else {
					proven[k] = true
				}
			}
		})
	}
	for _, k := range guards.Tests() {
		if !proven[k] && !unprovable[k] {
			t.Errorf("no case proves the test of %s", k)
		}
	}
}

var jitAblation = flag.Int("jit.ablation", 0, "random programs for each kind of test in TestJITAblation; 0: 4, or 40 where CI is set")

// TestJITAblation switches each kind of test off and counts the random programs
// that go stale: which kinds the fuzz sees to be needed. A kind that it does not
// reach is to have a directed case, which TestGuardKinds holds to the same.
func TestJITAblation(t *testing.T) {
	n := *jitAblation
	switch {
	case n > 0:
	case os.Getenv("CI") != "" && !testing.Short():
		n = 40
	default:
		n = 4
	}
	directed := map[guards.Test]bool{}
	for _, c := range guardCases {
		for _, k := range c.kinds {
			directed[k] = true
		}
	}
	reached := 0
	for _, k := range guards.Tests() {
		f := newFuzzer()
		f.steps = 1500 // a loop whose end is not tested runs into it
		stale := 0
		for i := range n {
			seed := *jitSeed + int64(i)
			p := randomProgram(rand.New(rand.NewSource(seed)))
			if diff, _ := f.run(p, seed, func(o *tracer.Options) { o.Skip = k }); diff != "" {
				stale++
			}
		}
		t.Logf("%-20s %d of %d go stale", k, stale, n)
		if stale > 0 {
			reached++
		} else if !directed[k] && !unprovable[k] {
			t.Errorf("neither the fuzz nor a directed case proves the test of %s", k)
		}
	}
	if least := min(n/6, 6); reached < least {
		t.Errorf("the fuzz proves %d kinds of %d, wanted %d", reached, len(guards.Tests()), least)
	}
}

// unprovable are the kinds that no program can make fail: it cannot freeze an object.
var unprovable = map[guards.Test]bool{guards.TestWritable: true}
