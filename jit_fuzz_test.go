package larkspur

import (
	"flag"
	"fmt"
	"math"
	"math/rand"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/tracer"
)

var (
	jitPrograms = flag.Int("jit.programs", 0, "programs of TestJITDifferential; 0: 60, or 20,000 where CI is set")
	jitSeed     = flag.Int64("jit.seed", 1, "first seed of TestJITDifferential")
	jitTapes    = flag.Bool("jit.tapes", false, "all programs are about tapes that are alive at exits")
	jitShow     = flag.Bool("jit.show", false, "print programs that differ whole, besides what is left of them")
)

// A fuzzMode is how a program is recorded; the seed chooses it.
type fuzzMode struct {
	name   string
	target [2]Target // interpreted, recorded
	change func(r *rand.Rand, o *tracer.Options)
}

var fuzzModes = []fuzzMode{
	{"sync", [2]Target{}, func(r *rand.Rand, o *tracer.Options) {}},
	{"sync", [2]Target{}, func(r *rand.Rand, o *tracer.Options) {}},
	{"sync", [2]Target{}, func(r *rand.Rand, o *tracer.Options) { o.Threshold = 1 + r.Intn(4) }},
	{"background", [2]Target{}, func(r *rand.Rand, o *tracer.Options) { o.Background = true }},
	{"small limits", [2]Target{}, func(r *rand.Rand, o *tracer.Options) {
		o.MaxSteps, o.MaxNodes, o.MaxEntries = 30+r.Intn(400), 3+r.Intn(30), 1+r.Intn(4)
	}},
	{"portable", [2]Target{TargetPortable, TargetPortable}, func(r *rand.Rand, o *tracer.Options) {}},
	{"machine code against portable", [2]Target{TargetPortable, TargetAuto}, func(r *rand.Rand, o *tracer.Options) {}},
	{"tensors only", [2]Target{}, func(r *rand.Rand, o *tracer.Options) { o.Plain = false }},
}

func modeOf(seed int64) (*fuzzMode, *rand.Rand) {
	r := rand.New(rand.NewSource(seed ^ 0x5eed))
	return &fuzzModes[r.Intn(len(fuzzModes))], r
}

// fuzzer runs programs in runtimes that it uses again.
type fuzzer struct {
	twins map[[2]Target]*twins
	uses  map[[2]Target]int
	steps uint64 // in place of the step limit
	total tally
}

// tally is what a run has done: proof that it was no idle one.
type tally struct {
	programs, over, weak int
	rounded              int // differ between targets, and not on either; or by rounding, and not in float64
	calls, raises        int
	recording            int // programs with a replay
	stats                tracer.Stats
}

func (a *tally) add(b *tally) {
	a.programs += b.programs
	a.over += b.over
	a.rounded += b.rounded
	a.weak += b.weak
	a.calls += b.calls
	a.raises += b.raises
	a.recording += b.recording
	s, t := &a.stats, b.stats
	s.Records += t.Records
	s.Replays += t.Replays
	s.Aborts += t.Aborts
	s.Breaks += t.Breaks
	s.Failures += t.Failures
	s.Graphs += t.Graphs
	s.Ops += t.Ops
	s.Tapes += t.Tapes
	s.Recompiles += t.Recompiles
	s.Polls += t.Polls
	s.Entries += t.Entries
}

func newFuzzer() *fuzzer { return &fuzzer{twins: map[[2]Target]*twins{}, uses: map[[2]Target]int{}} }

// pair is a pair of runtimes for two targets: after some programs a new one, as
// types, modules and kernels gather in them.
func (f *fuzzer) pair(target [2]Target) (*twins, error) {
	if f.uses[target]++; f.uses[target]%200 == 0 {
		delete(f.twins, target)
	}
	if w := f.twins[target]; w != nil {
		return w, nil
	}
	w, err := bareTwins(target)
	f.twins[target] = w
	return w, err
}

// forget makes the next programs run in new runtimes.
func (f *fuzzer) forget() { clear(f.twins) }

// run runs a program under the mode of a seed. err: it is none that can be run.
func (f *fuzzer) run(p *program, seed int64, change func(*tracer.Options)) (diff string, err error) {
	mode, _ := modeOf(seed)
	diff, err = f.runOn(mode.target, p, seed, change)
	if a, b := mode.target[0], mode.target[1]; diff != "" && a != b {
		// Targets round differently, and a program can make much of it.
		x, _ := f.runOn([2]Target{a, a}, p, seed, change)
		y, _ := f.runOn([2]Target{b, b}, p, seed, change)
		if x == "" && y == "" {
			f.total.rounded++
			return "", nil
		}
	} else if near(diff) {
		// So do kernels of one op and kernels of many. Then nothing is left to see in float64.
		q := *p
		wide := "import torch\ntorch.set_default_dtype(torch.float64)\n"
		q.prelude = nil
		for _, s := range p.prelude {
			q.prelude = append(q.prelude, wide+strings.ReplaceAll(s, "float32", "float64"))
			wide = ""
		}
		q.src = wide + strings.ReplaceAll(p.src, "float32", "float64")
		if x, err := f.runOn(mode.target, &q, seed, change); x == "" && err == nil {
			f.total.rounded++
			return "", nil
		}
	}
	return diff, err
}

var decimal = regexp.MustCompile(`-?\d+\.\d+(?:e[-+]\d+)?`)

// near reports two texts in which but decimals differ, and those by what rounding can
// come to.
func near(diff string) bool {
	a, b, ok := strings.Cut(strings.TrimPrefix(diff, "interpreted: "), "\nrecorded:    ")
	if !ok || decimal.ReplaceAllString(a, "#") != decimal.ReplaceAllString(b, "#") {
		return false
	}
	x, y := decimal.FindAllString(a, -1), decimal.FindAllString(b, -1)
	for i := range x {
		p, _ := strconv.ParseFloat(x[i], 64)
		q, _ := strconv.ParseFloat(y[i], 64)
		if math.Abs(p-q) > 1e-3*max(math.Abs(p), math.Abs(q), 0.1) {
			return false
		}
	}
	return true
}

func (f *fuzzer) runOn(target [2]Target, p *program, seed int64, change func(*tracer.Options)) (diff string, err error) {
	mode, r := modeOf(seed)
	w, err := f.pair(target)
	if err != nil {
		return "", err
	}
	w.renew(func(o *tracer.Options) {
		mode.change(r, o)
		if change != nil {
			change(o)
		}
	})
	for _, rt := range w.rt {
		if f.steps > 0 {
			rt.opts.StepLimit = f.steps
		}
	}
	one := tally{programs: 1}
	watched(30*time.Second, func() string { return fmt.Sprintf("seed %d:\n%s", seed, p.text()) }, func() { diff, err = p.runIn(w) })
	if diff == overLimit {
		diff = ""
		one.over = 1
	}
	one.calls, one.raises = w.calls, w.raises
	if err == nil && w.raises*2 > w.calls {
		one.weak = 1
	}
	one.stats = w.rt[1].tracer.Stats()
	if one.stats.Replays > 0 {
		one.recording = 1
	}
	if err == nil {
		f.total.add(&one)
	}
	if diff != "" || err != nil {
		f.forget()
	}
	return diff, err
}

// runIn runs the program in twins that have been renewed.
func (p *program) runIn(w *twins) (diff string, err error) {
	defer func() {
		if x := recover(); x != nil {
			diff = fmt.Sprintf("panic: %v\n%s", x, debug.Stack())
		}
	}()
	var parts []*bytecode.Program
	for _, s := range p.prelude {
		c, err := compiled(w.rt[0], "prelude.py", s)
		if err != nil {
			return "", err
		}
		parts = append(parts, c)
	}
	c, err := w.rt[0].compile("prog.py", p.src, bytecode.ExecMode)
	if err != nil {
		return "", err
	}
	if err := w.load(append(parts, c)...); err != nil {
		return "", err
	}
	if differentiatesTwice(strings.Join(append(p.prelude, p.src), "\n")) {
		w.rt[1].tracer.Twice()
	}
	for _, m := range p.muts {
		if diff = w.call("main"); diff != "" {
			return diff, nil
		}
		if m != "" {
			if diff = w.exec(m); diff != "" {
				return diff, nil
			}
		}
	}
	return "", nil
}

// fuzzCount is how many programs to run.
func fuzzCount() int {
	switch {
	case *jitPrograms > 0:
		return *jitPrograms
	case os.Getenv("CI") != "" && !testing.Short():
		return 20000
	}
	return 60
}

// fuzzChunk is how many programs one process runs: what programs leave behind
// in Runtimes that are used again adds up to gigabytes over some thousands.
const fuzzChunk = 1000

// TestJITDifferential runs random programs interpreted and recorded. A program
// that differs is shrunk and printed with the command that runs it alone.
//
//	go test -run TestJITDifferential -jit.programs=100000 -jit.seed=1000000 .
func TestJITDifferential(t *testing.T) {
	n := fuzzCount()
	if n > fuzzChunk {
		for from := *jitSeed; n > 0; from, n = from+fuzzChunk, n-fuzzChunk {
			cmd := exec.Command(os.Args[0], "-test.run=^TestJITDifferential$", fmt.Sprint("-jit.programs=", min(n, fuzzChunk)), fmt.Sprint("-jit.seed=", from), fmt.Sprint("-jit.tapes=", *jitTapes))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("programs from seed %d: %s\n%s", from, err, out)
			}
		}
		return
	}
	// The live heap is small; much is allocated and soon dropped.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	var (
		mu     sync.Mutex
		next   = *jitSeed
		bad    int
		total  tally
		wg     sync.WaitGroup
		report = func(format string, a ...any) {
			mu.Lock()
			defer mu.Unlock()
			t.Errorf(format, a...)
		}
	)
	take := func() (seed int64, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		if next >= *jitSeed+int64(n) || bad > 5 {
			return 0, false
		}
		next++
		return next - 1, true
	}
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			f := newFuzzer()
			for {
				seed, ok := take()
				if !ok {
					break
				}
				p := programOf(seed)
				diff, err := f.run(p, seed, nil)
				if err != nil {
					report("seed %d: %s\n%s", seed, err, p.src)
				}
				if diff != "" {
					mu.Lock()
					bad++
					mu.Unlock()
					report("%s", explainDiff(p, seed, diff))
				}
			}
			mu.Lock()
			total.add(&f.total)
			mu.Unlock()
		}()
	}
	wg.Wait()
	t.Logf("%+v", total)
	if bad == 0 {
		total.check(t)
	}
}

// check holds a run to a least of what it is to exercise.
func (a *tally) check(t *testing.T) {
	if a.programs < 50 {
		return
	}
	s := a.stats
	least := func(what string, n, of int, share float64) {
		if float64(n) < share*float64(of) {
			t.Errorf("too few %s: %d, %.3f of %d, wanted %.2f", what, n, float64(n)/float64(max(of, 1)), of, share)
		}
	}
	least("programs that replay", a.recording, a.programs, 0.8)
	least("recordings", s.Records, a.programs, 5)
	least("replays", s.Replays, a.programs, 10)
	least("breaks", s.Breaks, a.programs, 2)
	least("graphs", s.Graphs, a.programs, 3)
	least("ops of graphs", s.Ops, a.programs, 5)
	least("replays that leave a tape", s.Tapes, a.programs, 1)
	least("regions recorded again", s.Recompiles, a.programs, 0.2)
	least("looks at what an entry rests on", s.Polls, a.programs, 0.2)
	least("entries", s.Entries, a.programs, 1)
	least("calls that return", a.calls-a.raises, a.calls, 0.6)
	least("programs that mostly return", a.programs-a.weak, a.programs, 0.6)
	if a.rounded*200 > a.programs+200 {
		t.Errorf("%d programs of %d differ between targets", a.rounded, a.programs)
	}
	least("programs within the step limit", a.programs-a.over, a.programs, 0.98)
}

// explainDiff shrinks a program that differs and says how to run it again.
func explainDiff(p *program, seed int64, diff string) string {
	mode, _ := modeOf(seed)
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d (%s): %s\n", seed, mode.name, diff)
	small, last := shrink(p, seed)
	if small == nil {
		fmt.Fprintf(&b, "It does not differ in new runtimes: run the seeds before it too, in one process.\n")
		small = p
	} else {
		fmt.Fprintf(&b, "shrunk: %s\n", last)
	}
	fmt.Fprintf(&b, "go test -run TestJITDifferential -jit.programs=1 -jit.seed=%d -jit.show .\n%s", seed, small.text())
	if *jitShow {
		b.WriteString("\nwhole:\n" + p.text())
	}
	return b.String()
}

// FuzzJIT is the same with the fuzzing engine's bytes as the program's choices:
// the engine looks for bytes that reach new code of the recorder.
func FuzzJIT(f *testing.F) {
	for s := range int64(8) {
		data := make([]byte, 600)
		rand.New(rand.NewSource(s)).Read(data)
		f.Add(byte(s), data)
	}
	pool := make(chan *fuzzer, 64) // no sync.Pool: collections would take the runtimes away
	f.Fuzz(func(t *testing.T, mode byte, data []byte) {
		if len(data) > 4000 {
			return
		}
		var z *fuzzer
		select {
		case z = <-pool:
		default:
			z = newFuzzer()
		}
		defer func() { pool <- z }()
		p := (&gen{data: data}).program()
		diff, err := z.run(p, int64(mode), nil)
		if err != nil {
			t.Fatalf("%s\n%s", err, p.src)
		}
		if diff != "" {
			t.Error(explainDiff(p, int64(mode), diff))
		}
	})
}
