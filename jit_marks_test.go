package larkspur

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/larkspur-ml/larkspur/guards"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tracer"
)

// markCase is a program whose main is called often, with a change of the outside
// before each call but the first, cyclically.
type markCase struct {
	name, src string
	muts      []string
	calls     int
	records   int // at most
	polls     int // at most; -1: more than none
	replays   int // at least
}

const markPrelude = `
import torch
class Net:
    def __init__(self):
        self.w = torch.ones(2)
        self.scale = 2.0
        self.parts = [torch.ones(2), torch.ones(2)]
        self.by = {'a': torch.ones(2)}
        self.training = True
        self.other = 0
        self.calls = 0
    def run(self, x):
        y = x * self.w * self.scale
        for p in self.parts:
            y = y + p
        if self.training:
            y = y.relu()
        return y + self.by['a']
net = Net()
x = torch.tensor([-1.0, 2.0])
def main():
    return net.run(x)
`

var markCases = []markCase{
	{"nothing changes", markPrelude, []string{""}, 12, 3, 0, 10},
	{"same values", markPrelude, []string{"net.scale = net.scale\nnet.by['a'] = net.by['a']\nnet.parts[0] = net.parts[0]\nnet.training = True"}, 12, 3, 0, 10},
	{"places that nobody reads", markPrelude, []string{"net.other = net.other + 1", "net.calls = 7", "fresh = 3"}, 12, 3, 0, 10},
	{"a parameter is replaced", markPrelude, []string{"net.w = torch.ones(2) * 3", ""}, 24, 3, -1, 22},
	{"an element of a list", markPrelude, []string{"net.parts[1] = torch.zeros(2)", ""}, 24, 3, -1, 22},
	{"an entry of a dict", markPrelude, []string{"net.by['a'] = torch.zeros(2)", ""}, 24, 3, -1, 22},
	{"a mode is toggled", markPrelude, []string{"net.training = not net.training"}, 40, 6, -1, 33},
	{"requires_grad", markPrelude + "def main():\n    with torch.no_grad():\n        return net.run(x)\n", []string{"net.w.requires_grad_(True)", "net.w.requires_grad_(False)"}, 20, 5, -1, 14},
	{"set data", markPrelude, []string{"net.w.data = torch.ones(2, dtype=torch.float64)", "net.w.data = torch.ones(2)"}, 20, 7, -1, 12},
	{"a method is replaced", markPrelude, []string{"Net.run = lambda self, x: x - self.w", "", ""}, 12, 6, -1, 6},
	{"a counter of its own", strings.Replace(markPrelude, "y = x * self.w", "self.calls += 1\n        y = x * self.w", 1), []string{""}, 20, 5, 0, 16},
	{"a counter of somebody else", strings.Replace(markPrelude, "y = x * self.w", "y = x * self.w * self.calls", 1), []string{"net.calls = net.calls + 1"}, 40, 5, 12, 34},
	{"a default", markPrelude + "\ndef g(x, k=2):\n    return x * k\ndef main():\n    return g(x)\n", []string{"g.__defaults__ = (3,)", "g.__defaults__ = (4,)"}, 12, 15, -1, 0},
	{"a closure", `
import torch
def make():
    k = 1
    def get(x):
        return x * k
    def put(v):
        nonlocal k
        k = v
    return get, put
get, put = make()
x = torch.ones(2)
def main():
    return get(x)
`, []string{"put(2)", "put(2)", "put(5)"}, 20, 5, -1, 12},
}

// TestMarks counts what changes of the outside cost: those of places that nobody
// has read, nothing.
func TestMarks(t *testing.T) {
	for _, c := range markCases {
		t.Run(c.name, func(t *testing.T) {
			w := newTwins(t, c.src, nil)
			for i := range c.calls {
				if i > 0 {
					if m := c.muts[(i-1)%len(c.muts)]; m != "" {
						if d := w.exec(m); d != "" {
							t.Fatal(d)
						}
					}
				}
				if d := w.call("main"); d != "" {
					t.Fatalf("call %d: %s", i, d)
				}
			}
			s := w.rt[1].tracer.Stats()
			if s.Records > c.records || s.Replays < c.replays || c.polls >= 0 && s.Polls > c.polls || c.polls < 0 && s.Polls == 0 {
				t.Errorf("%+v\n%s", s, w.rt[1].Explain(""))
			}
		})
	}
}

// TestGuardWritable freezes what a recording writes to.
func TestGuardWritable(t *testing.T) {
	for _, skip := range []guards.Test{guards.TestNone, guards.TestWritable} {
		w := newTwins(t, "class C: pass\no = C()\no.n = 0\ndef main():\n    o.n = 1\n    return o.n\n", func(o *tracer.Options) { o.Skip = skip })
		for range 5 {
			if d := w.call("main"); d != "" {
				t.Fatal(d)
			}
		}
		for _, m := range w.mod {
			m.Freeze()
		}
		diff := ""
		for range 3 {
			if diff == "" {
				diff = w.call("main")
			}
		}
		if (diff == "") != (skip == guards.TestNone) {
			t.Errorf("without the test of %q: %q", skip, diff)
		}
	}
}

// TestEntriesLetGo drops the object that a recording is about.
func TestEntriesLetGo(t *testing.T) {
	rt, err := New(Options{JIT: JITSync})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	m, err := rt.LoadString(ctx, "m.py", markPrelude+"\ndef step(n):\n    return n.run(x)\ndef fresh():\n    global net\n    net = Net()\n    for i in range(4):\n        step(net)\ndef end():\n    global net\n    net = None\n")
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := m.Func("fresh")
	if err != nil {
		t.Fatal(err)
	}
	var nets []weak.Pointer[value.Instance]
	for range 4 {
		if _, err := fresh.Call(ctx); err != nil {
			t.Fatal(err)
		}
		net, _ := m.m.Get("net")
		nets = append(nets, weak.Make(net.AsInstance()))
	}
	if s := rt.tracer.Stats(); s.Replays == 0 {
		t.Fatalf("nothing was replayed: %+v", s)
	}
	end, err := m.Func("end")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := end.Call(ctx); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		runtime.GC()
	}
	for i, p := range nets {
		if p.Value() != nil {
			t.Errorf("object %d is still there", i)
		}
	}
	runtime.KeepAlive(rt)
}

// TestEntriesBounded meets more cases than are kept: what is in use stays.
func TestEntriesBounded(t *testing.T) {
	w := newTwins(t, `
import torch
x = torch.ones(2)
kind = 'a'
seen = 0
def main():
    return x * len(kind) + (1 if kind == 'a' else 2)
`, func(o *tracer.Options) { o.MaxEntries = 4 })
	for i := range 40 {
		kind := "a"
		if i%2 == 1 {
			kind = fmt.Sprint("k", i%12)
		}
		if d := w.exec("kind = '" + kind + "'"); d != "" {
			t.Fatal(d)
		}
		if d := w.call("main"); d != "" {
			t.Fatal(d)
		}
	}
	s := w.rt[1].tracer.Stats()
	if s.Entries > 4 || s.Replays < 15 {
		t.Errorf("%+v", s)
	}
}

// TestFrozenShared has two goroutines call a frozen module while recordings for
// new sizes are made and compiled beside them; all three share them.
func TestFrozenShared(t *testing.T) {
	const src = `
import torch
import torch.nn as nn
torch.manual_seed(1)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
table = {'k': [1.5, 2.5]}
def f(n, k):
    x = torch.arange(n * 4).reshape(n, 4) * 0.1
    with torch.no_grad():
        y = net(x) * table['k'][k]
    for i in range(3):
        y = y + i
    return y.sum().item()
`
	ctx := context.Background()
	load := func(o Options) (*Runtime, *Func) {
		rt, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		m, err := rt.LoadString(ctx, "m.py", src)
		if err != nil {
			t.Fatal(err)
		}
		m.Freeze()
		f, err := m.Func("f")
		if err != nil {
			t.Fatal(err)
		}
		return rt, f
	}
	_, plain := load(Options{})
	want := map[[2]int]float64{}
	for n := 1; n <= 12; n++ {
		for k := range 2 {
			v, err := plain.Call(ctx, n, k)
			if err != nil {
				t.Fatal(err)
			}
			want[[2]int{n, k}] = v.(float64)
		}
	}
	for _, o := range []Options{{JIT: JITAuto}, {JIT: JITSync}} {
		rt, f := load(o)
		var wg sync.WaitGroup
		call := func(n, k int) {
			v, err := f.Call(ctx, n, k)
			if err != nil {
				t.Error(err)
				return
			}
			w := want[[2]int{n, k}]
			if d := v.(float64) - w; d > 1e-4*max(w, 1) || d < -1e-4*max(w, 1) {
				t.Errorf("f(%d, %d) = %v, want %v", n, k, v, w)
			}
		}
		for g := range 2 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := range 300 {
					call(3+g, i%2)
				}
			}()
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 60 {
				call(1+i%12, i/12%2)
			}
		}()
		wg.Wait()
		// How much auto records depends on the time that is left for it.
		if s := rt.tracer.Stats(); o.JIT == JITSync && s.Replays < 100 || s.Failures > 0 {
			t.Errorf("%+v\n%s", s, rt.Explain(""))
		}
	}
}
