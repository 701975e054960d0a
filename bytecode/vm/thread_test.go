package vm_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/lang/resolve"
	"github.com/larkspur-ml/larkspur/lang/syntax"
	"github.com/larkspur-ml/larkspur/lang/value"
)

func load(t testing.TB, machine *vm.Machine, src string) *value.Module {
	t.Helper()
	mod := value.NewModule("m")
	th := vm.NewThread(vm.Options{Machine: machine})
	if _, err := th.Exec(compile(t, "m.py", src), mod); err != nil {
		t.Fatal(err)
	}
	return mod
}

func get(t testing.TB, mod *value.Module, name string) value.Value {
	t.Helper()
	v, ok := mod.Get(name)
	if !ok {
		t.Fatalf("no %s", name)
	}
	return v
}

const shared = `
class Base:
    scale = 3
    def __init__(self, w): self.w = w
    def run(self, x): return self.w * x + self.scale
class Layer(Base):
    def run(self, x): return super().run(x) + 1
class Net:
    def __init__(self):
        self.layers = [Layer(i) if i % 2 else Base(i) for i in range(4)]
        self.table = {"a": 1, "b": 2}
    def __call__(self, x):
        for l in self.layers: x = l.run(x)
        return x + self.table["b"]
def adder(n):
    def add(x, k=1): return x + n + k
    return add
add5 = adder(5)
net = Net()
def gen(n):
    for i in range(n):
        try:
            yield i
        finally:
            pass
def forward(x):
    acc = []
    for v in gen(5):
        acc.append(net(x + v) + add5(v) + add5(v, k=2))
    try:
        acc[100]
    except IndexError as e:
        acc.append(str(e))
    return f"{acc} {sorted(acc[:3], key=lambda v: -v)}"
def spoil(): net.layers.append(1)
def spoil2():
    global net
    net = 3
`

// TestFrozenModuleIsShared calls one frozen module from many goroutines; it is
// meant for the race detector.
func TestFrozenModuleIsShared(t *testing.T) {
	machine := &vm.Machine{}
	mod := load(t, machine, shared)
	mod.Freeze()
	forward := get(t, mod, "forward")
	want := make([]string, 4)
	for i := range want {
		v, err := vm.NewThread(vm.Options{Machine: machine}).Call(forward, []value.Value{value.Int(int64(i))}, nil)
		if err != nil {
			t.Fatal(err)
		}
		want[i], _ = v.AsString()
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			th := vm.NewThread(vm.Options{Machine: machine})
			for i := range 50 {
				n := (g + i) % 4
				v, err := th.Call(forward, []value.Value{value.Int(int64(n))}, nil)
				if err != nil {
					t.Error(err)
					return
				}
				if s, _ := v.AsString(); s != want[n] {
					t.Errorf("forward(%d) = %s, want %s", n, s, want[n])
				}
			}
		})
	}
	wg.Wait()
	for _, name := range []string{"spoil", "spoil2"} {
		if _, err := vm.NewThread(vm.Options{Machine: machine}).Call(get(t, mod, name), nil, nil); err == nil || !strings.Contains(err.Error(), "frozen") {
			t.Errorf("%s: %v, want an error about frozen state", name, err)
		}
	}
}

func TestCancel(t *testing.T) {
	for _, src := range []string{
		"def f():\n    while True: pass\n",
		"def f():\n    for i in range(10**12): pass\n",
		"def f():\n    def g(): pass\n    while True: g()\n",
		"def f():\n    return sum(1 for i in iter(int, 1))\n",
		"def f():\n    while True:\n        try:\n            while True: pass\n        except BaseException: pass\n",
		"def f():\n    def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\n    fib(90)\n",
	} {
		machine := &vm.Machine{}
		mod := load(t, machine, src)
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
		th := vm.NewThread(vm.Options{Machine: machine, Context: ctx})
		start := time.Now()
		_, err := th.Call(get(t, mod, "f"), nil, nil)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", src, err)
		}
		if d := time.Since(start); d > 2*time.Second {
			t.Errorf("%s: cancelled after %v", src, d)
		}
		// The thread goes on once it has another context.
		th.SetContext(context.Background())
		one := load(t, machine, "def g(): return 1\n")
		if v, err := th.Call(get(t, one, "g"), nil, nil); err != nil || v != value.Int(1) {
			t.Errorf("after a cancelled call: %v %v", v, err)
		}
	}
}

func TestStepLimit(t *testing.T) {
	mod := load(t, &vm.Machine{}, `
def f():
    while True: pass
def stubborn():
    while True:
        try:
            while True: pass
        except Exception: pass
def short():
    n = 0
    for i in range(100): n += i
    return n
`)
	for _, name := range []string{"f", "stubborn"} {
		th := vm.NewThread(vm.Options{StepLimit: 10000})
		_, err := th.Call(get(t, mod, name), nil, nil)
		if err == nil || !strings.Contains(err.Error(), "step limit exceeded") {
			t.Errorf("%s: %v", name, err)
		}
	}
	th := vm.NewThread(vm.Options{StepLimit: 10000})
	if v, err := th.Call(get(t, mod, "short"), nil, nil); err != nil || v != value.Int(4950) {
		t.Errorf("short: %v %v", v, err)
	}
}

func TestRecursionLimit(t *testing.T) {
	machine := &vm.Machine{RecursionLimit: 200}
	mod := load(t, machine, `
def f(n): return 0 if n == 0 else 1 + f(n - 1)
class K:
    def __hash__(self): return 1
    def __eq__(self, o): return {K(): 1} == {o: 1}
class R:
    def __repr__(self): return f"<{self!r}>"
class A:
    def __getattr__(self, n): return getattr(self, n + "x")
def gofeed(): return sorted([1, 2], key=lambda v: gofeed())
class P:
    @property
    def p(self): return self.p
`)
	th := vm.NewThread(vm.Options{Machine: machine})
	if v, err := th.Call(get(t, mod, "f"), []value.Value{value.Int(150)}, nil); err != nil || v != value.Int(150) {
		t.Fatalf("f(150): %v %v", v, err)
	}
	calls := []func() (value.Value, error){
		func() (value.Value, error) {
			return th.Call(get(t, mod, "f"), []value.Value{value.Int(1000)}, nil)
		},
		func() (value.Value, error) { return th.Call(get(t, mod, "gofeed"), nil, nil) },
	}
	for _, src := range []string{"K() == K()", "repr(R())", "A().x", "P().p"} {
		p, err := bytecode.CompileSource("e.py", src, syntax.Options{}, resolve.Env{}, bytecode.EvalMode)
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, func() (value.Value, error) { return th.Exec(p, mod) })
	}
	for i, call := range calls {
		_, err := call()
		if r, ok := err.(*value.Raised); !ok || r.Class != value.ExcRecursionError {
			t.Errorf("call %d: %v", i, err)
		}
	}
}

func TestDeepStackGrowth(t *testing.T) {
	machine := &vm.Machine{RecursionLimit: 20000}
	mod := load(t, machine, `
def f(n, a=1, b=2, c=3):
    x = [n, a, b, c]
    if n == 0: return 0
    return x[1] + f(n - 1, a, b, c) + x[2] - b
`)
	th := vm.NewThread(vm.Options{Machine: machine})
	for range 2 {
		if v, err := th.Call(get(t, mod, "f"), []value.Value{value.Int(15000)}, nil); err != nil || v != value.Int(15000) {
			t.Fatalf("f(15000): %v %v", v, err)
		}
	}
}

func TestPrompt(t *testing.T) {
	var out bytes.Buffer
	th := vm.NewThread(vm.Options{})
	th.Stdout = &out
	mod := value.NewModule("__main__")
	for _, src := range []string{"x = 5\n", "x + 1\n", "None\n", "def f(a): return a * 2\n", "f('ab'); f(3)\n", "if x: x\n", "'quoted'\n"} {
		p, err := bytecode.CompileSource("<stdin>", src, syntax.Options{}, resolve.Env{}, bytecode.SingleMode)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := th.Exec(p, mod); err != nil {
			t.Fatal(err)
		}
	}
	if want := "6\n'abab'\n6\n5\n'quoted'\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
	p, err := bytecode.CompileSource("<eval>", "x * 2", syntax.Options{}, resolve.Env{}, bytecode.EvalMode)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := th.Exec(p, mod); err != nil || v != value.Int(10) {
		t.Errorf("eval: %v %v", v, err)
	}
}

func TestTracebackSpans(t *testing.T) {
	p := compile(t, "t.py", "def f(a):\n    return a + (1 / 0)\n\nf(2)\n")
	_, err := vm.NewThread(vm.Options{}).Exec(p, value.NewModule("t"))
	r, ok := err.(*value.Raised)
	if !ok || len(r.Trace()) != 2 {
		t.Fatalf("%v", err)
	}
	want := []value.Entry{
		{File: "t.py", Line: 4, Col: 1, EndLine: 4, EndCol: 5, Func: "<module>"},
		{File: "t.py", Line: 2, Col: 17, EndLine: 2, EndCol: 22, Func: "f"},
	}
	for i := range want {
		if r.Trace()[i] != want[i] {
			t.Errorf("entry %d is %+v, want %+v", i, r.Trace()[i], want[i])
		}
	}
}

type countRegions struct {
	threshold int
	hot       map[string]int
	again     bool
}

func (c *countRegions) Threshold() int { return c.threshold }
func (c *countRegions) Hot(th *vm.Thread, at vm.Header) bool {
	kind := "loop"
	if at.Entry {
		kind = "entry"
	}
	c.hot[kind+" "+at.Code.Name]++
	return c.again
}

func TestRegions(t *testing.T) {
	const src = `
def leaf(x): return x + 1
def loop(n):
    i = 0
    while i < n: i = leaf(i)
    for j in range(n): pass
    return i
`
	mod := load(t, &vm.Machine{}, src)
	r := &countRegions{threshold: 100, hot: map[string]int{}}
	th := vm.NewThread(vm.Options{})
	th.Regions = r
	if v, err := th.Call(get(t, mod, "loop"), []value.Value{value.Int(5000)}, nil); err != nil || v != value.Int(5000) {
		t.Fatal(v, err)
	}
	if r.hot["entry leaf"]+r.hot["loop loop"] == 0 || r.hot["loop loop"] == 0 {
		t.Errorf("hot: %v", r.hot)
	}
	mod = load(t, &vm.Machine{}, src)
	// A trapped function is hot at each call, a trapped loop at each round.
	leaf, _ := value.As[*vm.Function](get(t, mod, "leaf"))
	vm.Trap(leaf, true, true)
	r = &countRegions{threshold: 1 << 40, hot: map[string]int{}, again: true}
	th = vm.NewThread(vm.Options{})
	th.Regions = r
	if v, err := th.Call(get(t, mod, "loop"), []value.Value{value.Int(50)}, nil); err != nil || v != value.Int(50) {
		t.Fatal(v, err)
	}
	if r.hot["entry leaf"] != 50 || len(r.hot) != 1 {
		t.Errorf("trapped: %v", r.hot)
	}
	vm.Trap(leaf, true, false)
	loop, _ := value.As[*vm.Function](get(t, mod, "loop"))
	vm.Trap(loop, false, true)
	clear(r.hot)
	if v, err := th.Call(loop.Value(), []value.Value{value.Int(50)}, nil); err != nil || v != value.Int(50) {
		t.Fatal(v, err)
	}
	if r.hot["loop loop"] != 50+51 || len(r.hot) != 1 {
		t.Errorf("trapped: %v", r.hot)
	}
}
