package larkspur

import (
	"bytes"
	"context"
	"errors"
	"math/rand"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/larkspur-ml/larkspur/graph"
	"github.com/larkspur-ml/larkspur/tracer"
)

// auto runs a program under JITAuto, with as much time for recording as for the
// program, and returns what it prints, where warnings go, and the runtime.
func auto(t *testing.T, src string, backend Backend) (out, warnings string, rt *Runtime) {
	t.Helper()
	var b, w bytes.Buffer
	o := Options{Stdout: &b, Stderr: &w, JIT: JITAuto, recording: func(o *tracer.Options) { o.Share = 1 }}
	if backend != nil {
		o.Backends, o.Backend = map[string]Backend{"test": backend}, "test"
	}
	o.KeepRecordings = true
	rt, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rt.RunString(context.Background(), "m.py", src); err != nil {
		t.Fatal(err.(*Error).Traceback())
	}
	return b.String(), w.String(), rt
}

const epochs = `
import torch
W = [torch.full((8, 8), 0.1 * (i + 1)) for i in range(3)]
def layers(x):
    for w in W:
        x = (x @ w).tanh()
    return x
def batch(x, i):
    y = layers(x)
    return (y * y).mean()
def main(epochs, batches):
    total = torch.zeros(())
    for epoch in range(epochs):
        x = torch.ones(4, 8)
        for i in range(batches):
            loss = batch(x, i)
            total = total + loss
    return total.item()
print(f"{main(20, 400):.3f}")
`

// TestAutoFindsTheLoop: of an epoch's loop, the batches' in it, and the functions and
// loops below, it is the batches' that is captured.
func TestAutoFindsTheLoop(t *testing.T) {
	want := printed(t, JITOff, epochs)
	got, warnings, rt := auto(t, epochs, nil)
	if got != want || warnings != "" {
		t.Errorf("prints %q, %q and not %q", got, warnings, want)
	}
	var loops []string
	for _, r := range rt.Report("m.py").Regions {
		if len(r.Graphs) > 0 {
			loops = append(loops, r.Kind+" "+r.Func)
		}
	}
	if s := rt.JITStats(); s.Graphs == 0 || s.Graphs > 4 || s.Replays < 1000 || strings.Join(loops, ", ") != "loop main" {
		t.Errorf("%+v: %v\n%s", s, loops, rt.Explain(""))
	}
}

// TestAutoLeavesScalarsAlone: what runs no tensor operations is not recorded.
func TestAutoLeavesScalarsAlone(t *testing.T) {
	_, _, rt := auto(t, `
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(20), sum([i * i for i in range(20000)]))
class C:
    def __init__(self): self.n = 0
    def add(self, k): self.n += k
c = C()
for i in range(20000): c.add(i)
`, nil)
	if s := rt.JITStats(); s.Recordings != 0 {
		t.Errorf("%+v\n%s", s, rt.Explain(""))
	}
}

type failing struct{}

func (failing) Compile(context.Context, *graph.Graph) (graph.Executable, error) {
	return nil, errors.New("lowering: no")
}

type panicking struct{}

func (panicking) Compile(context.Context, *graph.Graph) (graph.Executable, error) {
	panic("BUG: lowering: no")
}

// TestAutoCompilerFails: the program goes on, and there is one warning that names the
// function and what failed.
func TestAutoCompilerFails(t *testing.T) {
	want := printed(t, JITOff, epochs)
	for name, c := range map[string]graph.Compiler{"error": failing{}, "panic": panicking{}} {
		got, warnings, _ := auto(t, epochs, func(graph.Compiler) graph.Compiler { return c })
		if got != want {
			t.Errorf("%s: prints %q and not %q", name, got, want)
		}
		if strings.Count(warnings, "\n") != 1 || !strings.HasPrefix(warnings, "larkspur: compiling loop main at m.py:15 failed, it is interpreted: ") || !strings.HasSuffix(warnings, "lowering: no\n") {
			t.Errorf("%s: warnings %q", name, warnings)
		}
	}
}

type slow struct{ next graph.Compiler }

type slowExecutable struct{ graph.Executable }

func (s slow) Compile(ctx context.Context, g *graph.Graph) (graph.Executable, error) {
	x, err := s.next.Compile(ctx, g)
	return slowExecutable{x}, err
}

func (s slowExecutable) Run(ctx context.Context, a *graph.RunArgs) error {
	time.Sleep(3 * time.Millisecond)
	return s.Executable.Run(ctx, a)
}

// TestAutoDropsWhatIsSlower: a region whose rounds take longer replayed than
// interpreted is interpreted from then on, and the report says so.
func TestAutoDropsWhatIsSlower(t *testing.T) {
	want := printed(t, JITOff, epochs)
	got, _, rt := auto(t, epochs, func(next graph.Compiler) graph.Compiler { return slow{next} })
	if got != want {
		t.Errorf("prints %q and not %q", got, want)
	}
	if text := rt.Explain(""); !strings.Contains(text, "dropped: a round takes ") {
		t.Errorf("nothing was dropped:\n%s", text)
	}
	if s := rt.JITStats(); s.Replays > 200 {
		t.Errorf("%+v", s)
	}
}

// TestAutoGivesUp: a loop that cannot be captured is tried a few times.
func TestAutoGivesUp(t *testing.T) {
	src := `
import torch
def main():
    x = torch.ones(4)
    for i in range(3000):
        try:
            x = (x * 1.5).sin()
            raise ValueError(x)
        except ValueError as e:
            f = e
    print(x[0].item())
main()
`
	want := printed(t, JITOff, src)
	got, _, rt := auto(t, src, nil)
	if got != want {
		t.Errorf("prints %q and not %q", got, want)
	}
	if s := rt.JITStats(); s.Recordings > 12 {
		t.Errorf("%+v\n%s", s, rt.Explain(""))
	}
}

// TestAutoModels runs model programs with as much time for recording as they like.
func TestAutoModels(t *testing.T) {
	files, err := filepath.Glob("conformance/models/*.py")
	if err != nil || len(files) < 20 {
		t.Fatal("no programs", err)
	}
	replays, regions := 0, 0
	for i, file := range files {
		if strings.HasSuffix(file, "make_expected.py") || i%3 != 0 {
			continue
		}
		var out, warnings [2]bytes.Buffer
		for k, mode := range []JITMode{JITOff, JITAuto} {
			rt, err := New(Options{Stdout: &out[k], Stderr: &warnings[k], JIT: mode, Grants: Grants{Clock: true}, recording: func(o *tracer.Options) { o.Share = 1 }})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := rt.RunFile(context.Background(), file); err != nil {
				t.Errorf("%s: %s", file, err.(*Error).Traceback())
			}
			if mode == JITAuto {
				s := rt.JITStats()
				replays += s.Replays
				regions += s.Recordings
			}
		}
		if d := compareText(out[0].String(), out[1].String()); d != "" {
			t.Errorf("%s: %s", file, d)
		}
		if a, b := warnings[0].String(), warnings[1].String(); a != b {
			t.Errorf("%s warns %q and not %q", file, b, a)
		}
	}
	if regions == 0 {
		t.Error("nothing was recorded")
	}
	t.Logf("%d recordings, %d replays", regions, replays)
}

// TestAutoDifferential runs the recorder's random programs with a policy that looks at
// every header, and with the compiler in the background.
func TestAutoDifferential(t *testing.T) {
	n := 40
	if *jitPrograms > 0 {
		n = *jitPrograms
	}
	f := newFuzzer()
	for seed := *jitSeed + 500_000; seed < *jitSeed+500_000+int64(n); seed++ {
		p := randomProgram(rand.New(rand.NewSource(seed)))
		diff, err := f.run(p, seed, func(o *tracer.Options) { o.Auto, o.Share, o.Plain = true, 1, false })
		if err != nil {
			t.Errorf("seed %d: %s\n%s", seed, err, p.src)
		}
		if diff != "" {
			t.Errorf("seed %d: %s\n%s", seed, diff, p.src)
		}
	}
	if f.total.stats.Replays == 0 {
		t.Errorf("nothing was replayed: %+v", f.total)
	}
}
