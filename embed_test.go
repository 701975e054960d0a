package larkspur_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/larkspur-ml/larkspur"
)

var ctx = context.Background()

func newRuntime(t *testing.T, o larkspur.Options) *larkspur.Runtime {
	t.Helper()
	rt, err := larkspur.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return rt
}

func load(t *testing.T, rt *larkspur.Runtime, src string) *larkspur.Module {
	t.Helper()
	m, err := rt.LoadString(ctx, "test.star", src)
	if err != nil {
		t.Fatal(traceback(err))
	}
	return m
}

func traceback(err error) string {
	var e *larkspur.Error
	if errors.As(err, &e) {
		return e.Traceback() + string(larkspur.InternalStack(err))
	}
	return fmt.Sprint(err)
}

func call(t *testing.T, m *larkspur.Module, name string, args ...any) any {
	t.Helper()
	f, err := m.Func(name)
	if err != nil {
		t.Fatal(err)
	}
	v, err := f.Call(ctx, args...)
	if err != nil {
		t.Fatal(traceback(err))
	}
	return v
}

// fails calls a function that must raise, and gives the error's text.
func fails(t *testing.T, m *larkspur.Module, name string, args ...any) string {
	t.Helper()
	f, err := m.Func(name)
	if err != nil {
		t.Fatal(err)
	}
	v, err := f.Call(ctx, args...)
	if err == nil {
		t.Fatalf("%s returned %v, want an error", name, v)
	}
	var e *larkspur.Error
	if !errors.As(err, &e) {
		t.Fatalf("%s: error of type %T, want *larkspur.Error", name, err)
	}
	return err.Error()
}

func TestValuesCross(t *testing.T) {
	rt := newRuntime(t, larkspur.Options{})
	m := load(t, rt, `
def same(x): return x
def kinds(*args, **kw): return [type(a).__name__ for a in args] + sorted(kw)
`)
	type point struct {
		X    int
		Y    float64 `larkspur:"why"`
		Skip string  `larkspur:"-"`
	}
	for _, c := range []struct{ in, want any }{
		{nil, nil}, {true, true}, {7, int64(7)}, {uint8(200), int64(200)}, {1.5, 1.5}, {float32(0.5), 0.5},
		{"grüß", "grüß"}, {[]byte("ab"), []byte("ab")},
		{[]int{1, 2}, []any{int64(1), int64(2)}},
		{map[string]any{"a": 1, "b": []string{"c"}}, map[string]any{"a": int64(1), "b": []any{"c"}}},
		{map[int]string{3: "x"}, map[any]any{int64(3): "x"}},
		{point{1, 2.5, "no"}, map[string]any{"X": int64(1), "why": 2.5}},
		{&point{X: 2}, map[string]any{"X": int64(2), "why": 0.0}},
	} {
		if got := call(t, m, "same", c.in); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%#v comes back as %#v, want %#v", c.in, got, c.want)
		}
	}
	if got := call(t, m, "kinds", 1, "s", larkspur.KW{Name: "k", Value: 2}); !reflect.DeepEqual(got, []any{"int", "str", "k"}) {
		t.Errorf("kinds = %v", got)
	}
	if s := fails(t, m, "same", struct{ hidden int }{1}); !strings.HasPrefix(s, "TypeError: ") || !strings.Contains(s, "struct { hidden int } has no exported fields") {
		t.Errorf("a struct of which nothing is visible: %s", s)
	}
	if s := fails(t, m, "same", make(chan int)); !strings.Contains(s, "chan int") {
		t.Errorf("a channel: %s", s)
	}
}

func TestTensorsShareMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	rt := newRuntime(t, larkspur.Options{})
	m := load(t, rt, `
import torch
def double_(x): return x.mul_(2)
def fresh(n): return torch.arange(n, dtype=torch.float32)
def column(n): return torch.arange(n * 2, dtype=torch.float32).view(n, 2).t()[1]
`)
	data := []float32{1, 2, 3}
	x, err := larkspur.NewTensor(rt, data)
	if err != nil {
		t.Fatal(err)
	}
	call(t, m, "double_", x)
	if !reflect.DeepEqual(data, []float32{2, 4, 6}) {
		t.Errorf("the script's writes are not seen: %v", data)
	}
	// A slice handed to Go outlives the tensor, whatever the collector does meanwhile.
	var kept [][]float32
	for range 50 {
		y := call(t, m, "fresh", 1000).(*larkspur.Tensor)
		s, err := y.Float32s()
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, s)
	}
	for range 20 {
		call(t, m, "fresh", 1000)
		runtime.GC()
	}
	for _, s := range kept {
		for i, v := range s {
			if v != float32(i) {
				t.Fatalf("element %d of a kept slice is %v", i, v)
			}
		}
	}
	col, shared, err := larkspur.Slice[float32](call(t, m, "column", 3).(*larkspur.Tensor))
	if err != nil || shared || !reflect.DeepEqual(col, []float32{1, 3, 5}) {
		t.Errorf("a strided tensor as a slice: %v shared=%v err=%v", col, shared, err)
	}
	if _, err := larkspur.NewTensor(nil, data); err == nil || !strings.Contains(err.Error(), "needs a Runtime") {
		t.Errorf("no Runtime: %v", err)
	}
	if _, err := larkspur.NewTensor(rt, data, 1<<33, 1<<33); err == nil {
		t.Error("a shape whose size overflows is accepted")
	}
	if _, err := larkspur.NewTensor(rt, data, 2, 2); err == nil || !strings.Contains(err.Error(), "[2 2]") {
		t.Errorf("wrong shape: %v", err)
	}
}

func TestErrorsHavePlaces(t *testing.T) {
	rt := newRuntime(t, larkspur.Options{})
	m := load(t, rt, "def f(x):\n    return g(x)\n\ndef g(x):\n    y = x + 1\n    return y / 0\n")
	f, _ := m.Func("f")
	_, err := f.Call(ctx, 3)
	var e *larkspur.Error
	if !errors.As(err, &e) {
		t.Fatalf("error is %v", err)
	}
	want := `Traceback (most recent call last):
  File "test.star", line 2, in f
    return g(x)
           ^^^^
  File "test.star", line 6, in g
    return y / 0
           ~~^~~
ZeroDivisionError: division by zero
`
	if got := strings.ReplaceAll(e.Traceback(), "~", "^"); got != strings.ReplaceAll(want, "~", "^") {
		t.Errorf("traceback:\n%s\nwant:\n%s", got, want)
	}
	if len(e.Trace) != 2 || e.Trace[1].Line != 6 || e.Trace[1].Func != "g" {
		t.Errorf("frames: %+v", e.Trace)
	}
	_, err = rt.LoadString(ctx, "bad.star", "x = (1,\ny = 2\n")
	if !errors.As(err, &e) || e.Type != "SyntaxError" || e.Trace[0].File != "bad.star" {
		t.Errorf("syntax error: %v", traceback(err))
	}
	if want := "SyntaxError: '(' was never closed (bad.star, line 1)"; err.Error() != want {
		t.Errorf("syntax error: %q, want %q", err, want)
	}
}

func TestFreeze(t *testing.T) {
	rt := newRuntime(t, larkspur.Options{Threads: 1})
	m := load(t, rt, `
import torch
from torch import nn
net = nn.Linear(3, 2)
seen = []
count = 0
def forward(x):
    with torch.no_grad():
        return net(x).sum().item()
def write():
    seen.append(1)
def attr():
    net.extra = 1
def glob():
    global count
    count = count + 1
`)
	call(t, m, "write")
	call(t, m, "attr")
	m.Freeze()
	for _, name := range []string{"write", "attr", "glob"} {
		if s := fails(t, m, name); !strings.Contains(s, "frozen") {
			t.Errorf("%s on a frozen module: %s", name, s)
		}
	}
	x, _ := larkspur.NewTensor(rt, []float32{1, 2, 3})
	want := call(t, m, "forward", x)
	f, _ := m.Func("forward")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				got, err := f.Call(ctx, x)
				if err != nil || got != want {
					t.Errorf("parallel call: %v, %v; want %v", got, err, want)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestUnfrozenCallsTakeTurns(t *testing.T) {
	rt := newRuntime(t, larkspur.Options{})
	m := load(t, rt, "n = 0\ndef bump():\n    global n\n    k = n\n    for i in range(50): pass\n    n = k + 1\n    return n\n")
	f, _ := m.Func("bump")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if _, err := f.Call(ctx); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n, _ := m.Get("n"); n != int64(400) {
		t.Errorf("n = %v after 400 bumps", n)
	}
}

func TestRuntimesAreApart(t *testing.T) {
	src := "import torch\ndef draw(): return torch.rand(1).item()\ndef seed(n): torch.manual_seed(n)\n"
	a, b := newRuntime(t, larkspur.Options{}), newRuntime(t, larkspur.Options{})
	ma, mb := load(t, a, src), load(t, b, src)
	call(t, ma, "seed", 1)
	call(t, mb, "seed", 1)
	first := call(t, ma, "draw")
	call(t, ma, "draw")
	if got := call(t, mb, "draw"); got != first {
		t.Errorf("the other runtime draws %v, want %v", got, first)
	}
	x, _ := larkspur.NewTensor(a, []float32{1})
	if s := fails(t, mb, "seed", x); !strings.Contains(s, "another Runtime") {
		t.Error(s)
	}
}

func TestLimits(t *testing.T) {
	rt := newRuntime(t, larkspur.Options{MemoryLimit: 8 << 20, StepLimit: 100_000})
	m := load(t, rt, `
import torch
def big(): return torch.zeros(1 << 24)
def small(): return torch.zeros(1000).sum().item()
def loop():
    while True: pass
def deep(n): return deep(n + 1)
def nested():
    x = []
    for i in range(100000 // 2): x = [x]
    return repr(x)
`)
	if s := fails(t, m, "big"); !strings.HasPrefix(s, "RuntimeError") || !strings.Contains(s, "67108864") && !strings.Contains(s, "64.0 MiB") {
		t.Errorf("over the memory limit: %s", s)
	}
	if s := fails(t, m, "loop"); !strings.Contains(s, "step limit") {
		t.Errorf("endless loop: %s", s)
	}
	if s := fails(t, m, "deep", 0); !strings.HasPrefix(s, "RecursionError: maximum recursion depth exceeded") {
		t.Errorf("endless recursion: %s", s)
	}
	if s := fails(t, m, "nested"); !strings.HasPrefix(s, "RecursionError") {
		t.Errorf("repr of a deep list: %s", s)
	}
	if v := call(t, m, "small"); v != 0.0 {
		t.Errorf("the runtime does not go on: %v", v)
	}
}

func TestCancel(t *testing.T) {
	rt := newRuntime(t, larkspur.Options{})
	m := load(t, rt, "def f():\n    while True:\n        try:\n            while True: pass\n        except Exception:\n            pass\n")
	f, _ := m.Func("f")
	c, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := f.Call(c)
	if !larkspur.Cancelled(err) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err = %v", err)
	}
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("it took %v", d)
	}
	if _, err := f.Call(c); !larkspur.Cancelled(err) {
		t.Errorf("a call under an ended context: %v", err)
	}
}

func TestGrants(t *testing.T) {
	dir := t.TempDir()
	inside, outside := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	for _, d := range []string{inside, outside} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(d, "f.txt"), []byte("text"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(inside, "link")); err != nil {
		t.Skip(err)
	}
	rt := newRuntime(t, larkspur.Options{Grants: larkspur.Grants{Read: []string{inside}}})
	m := load(t, rt, `
import time
def read(p):
    with open(p) as f:
        return f.read()
def write(p):
    with open(p, "w") as f:
        f.write("x")
def clock(): return time.time()
`)
	if got := call(t, m, "read", filepath.Join(inside, "f.txt")); got != "text" {
		t.Errorf("read %q", got)
	}
	for _, p := range []string{filepath.Join(outside, "f.txt"), filepath.Join(inside, "..", "out", "f.txt"), filepath.Join(inside, "link", "f.txt")} {
		if s := fails(t, m, "read", p); !strings.HasPrefix(s, "PermissionError") || !strings.Contains(s, "--allow-read") {
			t.Errorf("read %s: %s", p, s)
		}
	}
	if s := fails(t, m, "write", filepath.Join(inside, "f.txt")); !strings.Contains(s, "--allow-write") {
		t.Errorf("write: %s", s)
	}
	if s := fails(t, m, "clock"); !strings.Contains(s, "Grants.Clock") {
		t.Errorf("clock: %s", s)
	}
	if s := fails(t, m, "read", filepath.Join(inside, "none")); !strings.HasPrefix(s, "FileNotFoundError: [Errno 2] No such file or directory: ") {
		t.Errorf("missing file: %s", s)
	}
}

func TestImportsOfSiblings(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("a/main.py", "import utils\nfrom pkg import sub\nfrom pkg.sub import NAME as n\nimport pkg.deep.leaf\nload('lib.star', 'twice')\nresult = (utils.WHO, sub.NAME, n, pkg.deep.leaf.UP, twice(4))\n")
	write("a/utils.py", "WHO = 'a'\n")
	write("a/lib.star", "def twice(x): return 2 * x\n")
	write("a/pkg/__init__.py", "")
	write("a/pkg/sub.py", "from . import deep\nNAME = __name__\n")
	write("a/pkg/deep/__init__.py", "")
	write("a/pkg/deep/leaf.py", "from ..sub import NAME\nfrom ... import nothing\n")
	write("b/main.py", "import utils\nresult = utils.WHO\n")
	write("b/utils.py", "WHO = 'b'\n")
	write("a/pkg/deep/leaf.py", "from ..sub import NAME\nUP = NAME + '!'\n")
	rt := newRuntime(t, larkspur.Options{})
	for file, want := range map[string]any{
		"a/main.py": []any{"a", "pkg.sub", "pkg.sub", "pkg.sub!", int64(8)},
		"b/main.py": "b",
	} {
		m, err := rt.LoadFile(ctx, filepath.Join(dir, file))
		if err != nil {
			t.Fatal(traceback(err))
		}
		if got, _ := m.Get("result"); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: result = %v, want %v", file, got, want)
		}
	}
	write("c/main.py", "import numpi\n")
	_, err := rt.LoadFile(ctx, filepath.Join(dir, "c/main.py"))
	if err == nil || !strings.HasPrefix(err.Error(), "ModuleNotFoundError: No module named 'numpi'") {
		t.Errorf("missing module: %v", err)
	}
}

func TestHostFunctions(t *testing.T) {
	var out bytes.Buffer
	boom := errors.New("boom")
	rt := newRuntime(t, larkspur.Options{
		Stdout: &out,
		Modules: map[string]map[string]any{"host": {
			"answer": 42,
			"join": func(c *larkspur.Call) (any, error) {
				return fmt.Sprint(c.Args...) + fmt.Sprint(c.KW["end"]), nil
			},
			"fail": func(*larkspur.Call) (any, error) { return nil, boom },
		}},
	})
	m := load(t, rt, "import host\nprint(host.answer, host.join('a', 1, end='!'))\ndef f(): host.fail()\n")
	if out.String() != "42 a 1!\n" && out.String() != "42 a1!\n" {
		t.Errorf("printed %q", out.String())
	}
	f, _ := m.Func("f")
	if _, err := f.Call(ctx); !errors.Is(err, boom) {
		t.Errorf("the host's error is lost: %v", err)
	}
}

func TestHostPanics(t *testing.T) {
	rt := newRuntime(t, larkspur.Options{Modules: map[string]map[string]any{"host": {
		"crash": func(c *larkspur.Call) (any, error) { return []int{}[len(c.Args)], nil },
	}}})
	m := load(t, rt, "import host\ndef f():\n    return host.crash()\n")
	f, _ := m.Func("f")
	_, err := f.Call(ctx)
	var e *larkspur.Error
	if !errors.As(err, &e) || e.Type != "SystemError" || !strings.Contains(e.Message, "index out of range") || len(e.Trace) != 1 || e.Trace[0].Line != 3 {
		t.Errorf("a panic of the host is %v\n%s", err, traceback(err))
	}
	if !strings.Contains(string(larkspur.InternalStack(err)), "TestHostPanics") {
		t.Errorf("the Go stack is lost: %s", larkspur.InternalStack(err))
	}
}

func TestNewReportsHostValues(t *testing.T) {
	for _, o := range []larkspur.Options{
		{Modules: map[string]map[string]any{"host": {"pipe": make(chan int)}}},
		{Predeclared: map[string]any{"pipe": make(chan int)}},
	} {
		if _, err := larkspur.New(o); err == nil || !strings.Contains(err.Error(), "pipe") || !strings.Contains(err.Error(), "chan int") {
			t.Errorf("New: %v", err)
		}
	}
	rt := newRuntime(t, larkspur.Options{Predeclared: map[string]any{"table": map[string]any{"a": 1}}})
	if got, _ := load(t, rt, "x = table['a']\n").Get("x"); got != int64(1) {
		t.Errorf("a predeclared dict: %v", got)
	}
}

func TestObjectsSpeak(t *testing.T) {
	var seen string
	rt := newRuntime(t, larkspur.Options{Modules: map[string]map[string]any{"host": {
		"show": func(c *larkspur.Call) (any, error) { seen = fmt.Sprint(c.Args[0]); return nil, nil },
	}}})
	m := load(t, rt, `
import host
class P:
    def __init__(self, n): self.n = n
    def __str__(self): return "P of " + str(self.n)
class Bad:
    def __str__(self): raise ValueError("no")
def make(n): return P(n)
def bad(): return Bad()
def show(): host.show(P(2))
`)
	if got := fmt.Sprint(call(t, m, "make", 1)); got != "P of 1" {
		t.Errorf("String() = %q", got)
	}
	if got := fmt.Sprint(call(t, m, "bad")); !strings.Contains(got, "Bad object") {
		t.Errorf("String() of an object whose __str__ fails = %q", got)
	}
	if call(t, m, "show"); seen != "P of 2" {
		t.Errorf("in a host function String() = %q", seen)
	}
}

func TestReadingTensors(t *testing.T) {
	rt := newRuntime(t, larkspur.Options{})
	m := load(t, rt, `
import torch
def make(dtype): return torch.tensor([[1, 0], [3, 4]], dtype=getattr(torch, dtype)).t()
def flags(): return torch.tensor([True, False])
`)
	for dtype, want := range map[string][]float64{"float16": {1, 3, 0, 4}, "bfloat16": {1, 3, 0, 4}, "int64": {1, 3, 0, 4}, "bool": {1, 1, 0, 1}} {
		if got := call(t, m, "make", dtype).(*larkspur.Tensor).Float64s(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", dtype, got, want)
		}
	}
	if got := call(t, m, "make", "float16").(*larkspur.Tensor).Bytes(); !bytes.Equal(got, []byte{0, 0x3c, 0, 0x42, 0, 0, 0, 0x44}) {
		t.Errorf("bytes of float16: % x", got)
	}
	x := call(t, m, "flags").(*larkspur.Tensor)
	if got, _, err := larkspur.Slice[bool](x); err != nil || !reflect.DeepEqual(got, []bool{true, false}) {
		t.Errorf("a bool tensor: %v, %v", got, err)
	}
	type celsius float32
	if y, err := larkspur.NewTensor(rt, []celsius{1.5}); err != nil || y.DType() != "float32" {
		t.Errorf("a named element type: %v, %v", y, err)
	}
	if y, err := larkspur.NewTensor(rt, []bool{true}); err != nil || y.DType() != "bool" || y.Float64s()[0] != 1 {
		t.Errorf("a slice of bool: %v, %v", y, err)
	}
}

// TestLacking holds how names are refused that Python or PyTorch has and Larkspur lacks, and how help shows those that it has.
func TestLacking(t *testing.T) {
	var out bytes.Buffer
	rt := newRuntime(t, larkspur.Options{Stdout: &out})
	load(t, rt, `
import torch
from torch.optim import ASGD
from torch.nn.utils import prune

def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__ + ":", e)

def module(): import torch.nn.utils.prune
def python(): import sqlite3
def base():
    class C(torch.nn.AdaptiveLogSoftmaxWithLoss): pass
for f in (lambda: ASGD([]), lambda: prune.identity, lambda: torch.optim.Nothing, module, python, base):
    attempt(f)
for d in (torch.complex64, torch.complex128, torch.float8_e4m3fn):
    for f in (lambda: torch.zeros(1, dtype=d), lambda: torch.tensor([1.0], dtype=d), lambda: torch.tensor(torch.ones(1), dtype=d), lambda: torch.ones(1).to(d), lambda: torch.ones(1).type(d),
              lambda: torch.finfo(d), lambda: torch.ones(2).sum(dtype=d), lambda: torch.ones(1).new_zeros(1, dtype=d),
              lambda: torch.rand(1, dtype=d), lambda: torch.zeros_like(torch.ones(1), dtype=d), lambda: torch.arange(3, dtype=d)):
        try:
            print("no error:", f())
        except NotImplementedError as e:
            assert "exists in PyTorch, but not in Larkspur" in str(e), str(e)
def f(a, *, b=2):
    """Adds."""
help(f)
help(torch.relu)
print(exit)
`)
	want := `NotImplementedError: torch.optim.ASGD exists in PyTorch, but not in Larkspur
NotImplementedError: torch.nn.utils.prune.identity exists in PyTorch, but not in Larkspur
AttributeError: module 'torch.optim' has no attribute 'Nothing'
ModuleNotFoundError: No module named 'torch.nn.utils.prune': it exists in PyTorch, but not in Larkspur
ModuleNotFoundError: No module named 'sqlite3': it is part of Python's standard library, but Larkspur does not have it
NotImplementedError: torch.nn.AdaptiveLogSoftmaxWithLoss exists in PyTorch, but not in Larkspur
Help on function f:

f(a, *, b=2)
    Adds.

Help on built-in function relu:

relu(Tensor self) -> Tensor
    max(self, 0).

Use exit() or Ctrl-D (i.e. EOF) to exit
`
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
	}
}

// TestStaticBinary builds a program that embeds the runtime and checks that nothing is linked dynamically.
func TestStaticBinary(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("a build of its own, for Linux")
	}
	dir := t.TempDir()
	prog := filepath.Join(dir, "main.go")
	src := "package main\n\nimport \"github.com/larkspur-ml/larkspur\"\n\nfunc main() {\n\tif _, err := larkspur.New(larkspur.Options{}); err != nil {\n\t\tpanic(err)\n\t}\n}\n"
	if err := os.WriteFile(prog, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "embed")
	cmd := exec.Command("go", "build", "-o", bin, prog)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	raw, err := os.ReadFile(bin)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(raw, []byte("ld-linux")) || bytes.Contains(raw, []byte("libc.so")) {
		t.Error("the binary names a dynamic loader or libc")
	}
	if text, err := exec.Command(bin).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}
