// Guards measures what it costs to know that a recording is still valid:
//
//	go run ./bench/guards [-modules 1000] [-rounds 5]
//
// A function that runs through nested modules, by attributes or over a list, is
// recorded; then its look-up is timed alone, and the same with every guard polled, as it
// is after something has fired. Further: captured calls of an nn.Sequential of that
// many layers against one of a single layer, through the public interface; and what an
// attribute store costs where nobody watches the object, where another slot is
// watched, and where the slot itself is.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/larkspur-ml/larkspur"
	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/lang/resolve"
	"github.com/larkspur-ml/larkspur/lang/syntax"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tracer"
)

var (
	modules = flag.Int("modules", 1000, "nested modules")
	rounds  = flag.Int("rounds", 5, "rounds, of which the best counts")
)

const classes = `
class Layer:
    def __init__(self, child):
        self.child = child
        self.scale = 2
        self.training = True
        self.bias = None
    def forward(self, x):
        if self.training:
            x = x + self.scale
        if self.bias is not None:
            x = x + self.bias
        if self.child is not None:
            return self.child.forward(x)
        return x

class Sequential:
    def __init__(self, layers):
        self.layers = layers
        self.training = True
    def forward(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x
`

const nested = `
net = None
for i in range(N):
    net = Layer(net)
def change():
    net.child.training = False
    net.child.training = True
`

const listed = `
net = Sequential([Layer(None) for i in range(N)])
def change():
    net.layers[1].training = False
    net.layers[1].training = True
`

const calls = `
def f(net, x):
    return net.forward(x)
def main():
    global look
    for i in range(4):
        f(net, 1)
    for i in range(ROUNDS):
        look = 1
        f(net, 1)
        change()
        look = 2
        f(net, 1)
        look = 0
`

func main() {
	flag.Parse()
	fmt.Printf("%d modules\n", *modules)
	for _, c := range []struct{ name, src string }{{"by attributes", nested}, {"over a list", listed}} {
		r := lookups(classes + c.src + calls)
		fmt.Printf("  %-14s  look-up %8.1f ns (%d guards polled, %d marked)   after a fire %8.1f µs   recorded in %.1f ms\n",
			c.name, r.look, r.polled, r.marked, r.fired/1000, r.record/1e6)
	}
	captured()
	stores()
}

// probe stands between the machine and the tracer, and times look-ups.
type probe struct {
	inner vm.Regions
	tr    *tracer.Tracer
	mod   *value.Module
	result
	seen int
}

type result struct {
	look, fired, record float64 // ns
	polled, marked      int
}

func (p *probe) Threshold() int { return p.inner.Threshold() }

func (p *probe) Hot(th *vm.Thread, at vm.Header) bool {
	if !at.Entry || at.Code.Name != "f" {
		return true
	}
	p.seen++
	start := cpuTime()
	look, _ := p.mod.Get("look")
	th.Regions = p.inner
	defer func() { th.Regions = p }()
	switch {
	case p.seen < 5:
		ok := p.inner.Hot(th, at)
		return ok
	case look == value.Int(1):
		n := 20000
		found, polled, marked := p.tr.Lookups(th, at, n)
		if found != n {
			fatal(fmt.Errorf("%d of %d look-ups found a recording", found, n))
		}
		p.look = least(p.look, float64((cpuTime()-start))/float64(n))
		p.result.polled, p.result.marked = polled, marked
	case look == value.Int(2): // something has fired
		if found, _, _ := p.tr.Lookups(th, at, 1); found == 1 {
			p.fired = least(p.fired, float64((cpuTime() - start)))
		}
	}
	return true
}

func least(best, t float64) float64 {
	if best == 0 || t < best {
		return t
	}
	return best
}

func lookups(src string) result {
	x := &eager.Context{}
	tr := tracer.New(tracer.Options{Context: func(*value.Thread) *eager.Context { return x },
		Wrap: func(*eager.Tensor) value.Value { return value.None }, Plain: true, MaxSteps: 1 << 20, Threshold: 2})
	machine := &vm.Machine{RecursionLimit: *modules + 100}
	th := vm.NewThread(vm.Options{Machine: machine})
	mod := value.NewModule("bench")
	mod.Set("N", value.Int(int64(*modules)))
	mod.Set("ROUNDS", value.Int(int64(*rounds)))
	run := func(name, text string) {
		p, err := bytecode.CompileSource(name, text, syntax.Options{}, resolve.Env{}, bytecode.ExecMode)
		check(err)
		_, err = th.Exec(p, mod)
		check(err)
	}
	run("bench.py", src)
	tr.Attach(th)
	p := &probe{inner: th.Regions, tr: tr, mod: mod}
	th.Regions = p
	main, _ := mod.Get("main")
	start := cpuTime()
	for i := range 2 { // recorded in the second call
		f, _ := mod.Get("f")
		net, _ := mod.Get("net")
		start = cpuTime()
		_, err := th.Call(f, []value.Value{net, value.Int(1)}, nil)
		check(err)
		_ = i
	}
	p.record = float64((cpuTime() - start))
	_, err := th.Call(main, nil, nil)
	check(err)
	if p.look == 0 {
		fatal(fmt.Errorf("nothing was recorded\n%s", tr.Explain("")))
	}
	return p.result
}

// captured times calls of a recorded model of layers that do next to nothing.
func captured() {
	const src = `
import torch
import torch.nn as nn
class Pass(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = 1.0
    def forward(self, x):
        if self.gain != 1.0:
            x = x * self.gain
        return x
def build(n):
    global net
    net = nn.Sequential(*[Pass() for i in range(n)])
    net.eval()
@torch.no_grad()
def f(x):
    return net(x) + 1
`
	ctx := context.Background()
	per := map[int]float64{}
	for _, n := range []int{1, *modules} {
		rt, err := larkspur.New(larkspur.Options{JIT: larkspur.JITSync, Stdout: os.Stdout, RecursionLimit: 5000})
		check(err)
		m, err := rt.LoadString(ctx, "net.py", src)
		check(err)
		build, err := m.Func("build")
		check(err)
		_, err = build.Call(ctx, n)
		check(err)
		f, err := m.Func("f")
		check(err)
		x, err := larkspur.NewTensor(rt, make([]float32, 8))
		check(err)
		for range 8 {
			_, err = f.Call(ctx, x)
			check(err)
		}
		for range *rounds {
			const k = 2000
			start := cpuTime()
			for range k {
				_, err = f.Call(ctx, x)
			}
			check(err)
			per[n] = least(per[n], float64((cpuTime()-start))/k)
		}
	}
	fmt.Printf("  nn.Sequential   captured call with 1 layer %.2f µs, with %d %.2f µs\n", per[1]/1000, *modules, per[*modules]/1000)
}

type nobody struct{}

func (nobody) Fired(*value.Watch, int) {}

// stores times attribute stores in the machine's loop.
func stores() {
	const src = `
class C:
    def __init__(self):
        self.a = 0
        self.b = 0
o = C()
def empty(n):
    for i in range(n):
        pass
def store(n):
    for i in range(n):
        o.a = i
`
	th := vm.NewThread(vm.Options{})
	mod := value.NewModule("bench")
	p, err := bytecode.CompileSource("bench.py", src, syntax.Options{}, resolve.Env{}, bytecode.ExecMode)
	check(err)
	_, err = th.Exec(p, mod)
	check(err)
	const n = 1_000_000
	timed := func(name string) float64 {
		f, _ := mod.Get(name)
		var t []float64
		for range *rounds {
			start := cpuTime()
			_, err := th.Call(f, []value.Value{value.Int(n)}, nil)
			check(err)
			t = append(t, float64((cpuTime()-start))/n)
		}
		return slices.Min(t)
	}
	obj, _ := mod.Get("o")
	loop := timed("empty")
	fmt.Printf("attribute store, with its loop's %.1f ns taken off:", loop)
	for _, c := range []struct {
		name  string
		watch *value.Watch
	}{{"unwatched", nil}, {"another slot watched", &value.Watch{Bits: 2, Owner: nobody{}}}, {"watched", &value.Watch{Bits: 1, Owner: nobody{}}}} {
		obj.AsInstance().Watch = c.watch
		fmt.Printf("  %s %.1f ns", c.name, timed("store")-loop)
	}
	fmt.Println()
}

func check(err error) {
	if err != nil {
		fatal(err)
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "guards:", err)
	os.Exit(1)
}
