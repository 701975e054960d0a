package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/larkspur-ml/larkspur"
)

// result is a row of the table; times are seconds of a step, medians of the rounds.
type result struct {
	Name     string   `json:"name"`
	Threads  int      `json:"threads"`
	Captured float64  `json:"captured,omitempty"`
	Eager    float64  `json:"eager"`
	Peer     float64  `json:"torch,omitempty"`
	ONNX     float64  `json:"onnxruntime,omitempty"`
	Ratio    float64  `json:"torch_over_captured,omitempty"`
	RatioOff float64  `json:"torch_over_eager,omitempty"`
	RatioORT float64  `json:"onnxruntime_over_captured,omitempty"`
	Share    float64  `json:"share_of_peak,omitempty"`
	Cold     float64  `json:"cold,omitempty"`
	Missed   []string `json:"missed,omitempty"`
}

type report struct {
	Machine   string             `json:"machine"`
	Processor int                `json:"processors"`
	Peers     map[string]string  `json:"peers"`
	Peaks     map[string]float64 `json:"peaks"`
	Cases     []*result          `json:"cases"`
}

type cpuBench struct {
	rounds, threads int
	slice           time.Duration
	target          larkspur.Target
	explain         bool
	py              *python
	ort             *onnx
	probe           *prober
	report          report
	flops, bytes    map[int][]float64
}

func cpuMain(args []string) error {
	fs := flag.NewFlagSet("cpu", flag.ExitOnError)
	b := &cpuBench{flops: map[int][]float64{}, bytes: map[int][]float64{}}
	only := fs.String("only", "", "cases whose name matches this regular expression")
	jsonTo := fs.String("json", "", "file to write the results to")
	exe := fs.String("python", "/usr/bin/python3", "a python3 with PyTorch; empty: no such peer")
	node := fs.String("node", "node", "node, for ONNX Runtime; empty: no such peer")
	modules := fs.String("modules", "bench/.peers", "folder in whose node_modules onnxruntime-node is (npm i --prefix FOLDER onnxruntime-node)")
	target := fs.String("target", "auto", "how kernels run: portable, avx2, avx512, auto")
	fs.IntVar(&b.rounds, "rounds", 9, "rounds, in each of which all take turns")
	fs.IntVar(&b.threads, "threads", runtime.NumCPU(), "threads of all sides")
	fs.DurationVar(&b.slice, "slice", 60*time.Millisecond, "how long each side's turn is")
	fs.BoolVar(&cpuTime, "cputime", false, "measure time on processors instead of time that passes: for busy machines, with -threads 1")
	profile := fs.String("profile", "", "file to write a CPU profile of our side to")
	fs.BoolVar(&b.explain, "explain", false, "print what the recorder says of each case")
	fs.Parse(args)
	b.target = larkspur.Target(*target)
	match, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	debug.SetGCPercent(400) // as the command does
	b.report = report{Machine: runtime.GOARCH, Processor: runtime.NumCPU(), Peers: map[string]string{}, Peaks: map[string]float64{}}
	if *exe != "" {
		var version string
		if b.py, version, err = startPython(*exe, b.threads); err != nil {
			fmt.Fprintln(os.Stderr, "bench: no PyTorch:", err)
			b.py = nil
		} else {
			b.report.Peers["torch"] = version
			defer b.py.stop()
		}
	}
	if *node != "" && b.py != nil {
		var version string
		if b.ort, version, err = startONNX(*node, *exe, *modules); err != nil {
			fmt.Fprintln(os.Stderr, "bench: no ONNX Runtime:", err)
			b.ort = nil
		} else {
			b.report.Peers["onnxruntime"] = version
			defer b.ort.stop()
		}
	}
	if b.probe, err = newProber(); err != nil {
		return err
	}
	fmt.Printf("%-30s %2s %11s %11s %11s %7s %7s %6s %9s\n", "case", "t", "captured", "eager", "torch", "t/capt", "t/eager", "peak", "cold")
	for _, c := range cases() {
		if !match.MatchString(c.name) {
			continue
		}
		r, err := b.measure(&c)
		if err != nil {
			fmt.Printf("%-30s failed: %v\n", c.name, err)
			b.report.Cases = append(b.report.Cases, &result{Name: c.name, Missed: []string{"failed: " + err.Error()}})
			continue
		}
		b.report.Cases = append(b.report.Cases, r)
		line(r)
	}
	for t, l := range b.flops {
		b.report.Peaks[fmt.Sprintf("flops_%d", t)] = median(l)
		b.report.Peaks[fmt.Sprintf("triad_%d", t)] = median(b.bytes[t])
		fmt.Printf("%d thread(s): %.1f GFLOP/s of float32 FMA, %.1f GB/s triad\n", t, median(l)/1e9, median(b.bytes[t])/1e9)
	}
	if *jsonTo == "" {
		return nil
	}
	text, err := json.MarshalIndent(&b.report, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(*jsonTo, append(text, '\n'), 0o644)
}

func line(r *result) {
	num := func(v float64, format string) string {
		if v == 0 {
			return "-"
		}
		return fmt.Sprintf(format, v)
	}
	fmt.Printf("%-30s %2d %11s %11s %11s %7s %7s %6s %9s", r.Name, r.Threads, duration(r.Captured), duration(r.Eager), duration(r.Peer),
		num(r.Ratio, "%.2f"), num(r.RatioOff, "%.2f"), num(100*r.Share, "%.0f%%"), duration(r.Cold))
	if r.ONNX != 0 {
		fmt.Printf("  onnxruntime %s, %.2f", duration(r.ONNX), r.RatioORT)
	}
	for _, m := range r.Missed {
		fmt.Printf("  MISS %s", m)
	}
	fmt.Println()
}

func duration(s float64) string {
	switch {
	case s == 0:
		return "-"
	case s < 1e-3:
		return fmt.Sprintf("%.2f µs", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.3f ms", s*1e3)
	}
	return fmt.Sprintf("%.3f s", s)
}

// contender is a side in one case.
type contender struct {
	side
	n     int // steps of a turn
	times []float64
}

// settle finds how many steps make a turn.
func (c *contender) settle(slice time.Duration) error {
	c.n = 1
	for {
		d, err := c.run(c.n)
		if err != nil {
			return err
		}
		if d >= slice/2 || c.n >= 1<<20 {
			c.n = max(1, int(float64(c.n)*float64(slice)/float64(d)))
			return nil
		}
		c.n *= 2
	}
}

func (c *contender) turn() error {
	d, err := c.run(c.n)
	c.times = append(c.times, d.Seconds()/float64(c.n))
	return err
}

func (b *cpuBench) measure(c *benchCase) (*result, error) {
	text, err := c.text()
	if err != nil {
		return nil, err
	}
	threads := b.threads
	if c.threads > 0 {
		threads = min(threads, c.threads)
	}
	r := &result{Name: c.name, Threads: threads}
	eager := &contender{side: &ours{jit: larkspur.JITOff, target: b.target}}
	all := []*contender{eager}
	var capt, peer, ort *contender
	if c.kind == captured {
		capt = &contender{side: &ours{jit: larkspur.JITSync, target: b.target}}
		all = append(all, capt)
	}
	if b.py != nil {
		peer = &contender{side: b.py}
		all = append(all, peer)
	}
	if b.ort != nil && c.onnx {
		ort = &contender{side: b.ort}
		all = append(all, ort)
	}
	for _, x := range all {
		if err := x.load(text, threads); err != nil {
			return nil, err
		}
	}
	if capt != nil {
		for range 4 {
			d, err := capt.run(1)
			if err != nil {
				return nil, err
			}
			r.Cold += d.Seconds()
		}
	}
	if err := b.compare(all, capt, eager, peer); err != nil {
		return nil, err
	}
	for _, x := range all {
		if err := x.settle(b.slice); err != nil {
			return nil, err
		}
	}
	for range b.rounds {
		if b.probe != nil {
			f, m := b.probe.measure(threads)
			b.flops[threads], b.bytes[threads] = append(b.flops[threads], f), append(b.bytes[threads], m)
		}
		for _, x := range all {
			if err := x.turn(); err != nil {
				return nil, err
			}
		}
	}
	b.judge(c, r, capt, eager, peer, ort)
	if b.explain && capt != nil {
		fmt.Println(capt.side.(*ours).rt.Explain(""))
	}
	return r, nil
}

// compare holds the sides' results against each other. Random numbers are the same
// on all; what is left are orders of summation.
func (b *cpuBench) compare(all []*contender, capt, eager, peer *contender) error {
	var first []float64
	for _, x := range all {
		if x == capt || x != eager && x != peer {
			continue
		}
		p, err := x.probe()
		if err != nil {
			return err
		}
		if first == nil {
			first = p
			continue
		}
		if err := near(first, p); err != nil {
			return fmt.Errorf("eager and torch: %w", err)
		}
	}
	return nil
}

func near(a, b []float64) error {
	if len(a) != len(b) {
		return fmt.Errorf("%d numbers and %d", len(a), len(b))
	}
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-3*(1+math.Abs(b[i])) {
			return fmt.Errorf("results differ: %g and %g", a[i], b[i])
		}
	}
	return nil
}

func (b *cpuBench) judge(c *benchCase, r *result, capt, eager, peer, ort *contender) {
	r.Eager = median(eager.times)
	best := eager
	if capt != nil {
		r.Captured = median(capt.times)
		r.Cold = max(0, r.Cold-4*r.Captured)
		best = capt
	}
	mine := median(best.times)
	if peer != nil {
		r.Peer = median(peer.times)
		r.RatioOff = ratio(peer.times, eager.times)
		if capt != nil {
			r.Ratio = ratio(peer.times, capt.times)
		}
	}
	if ort != nil {
		r.ONNX = median(ort.times)
		r.RatioORT = ratio(ort.times, best.times)
	}
	if b.probe != nil {
		switch {
		case c.flops > 0 && c.bytes == 0:
			r.Share = c.flops / mine / median(last(b.flops[r.Threads], b.rounds))
		case c.bytes > 0:
			r.Share = c.bytes / mine / median(last(b.bytes[r.Threads], b.rounds))
		}
	}
	if got := ratio2(r.Ratio, r.RatioOff); c.target > 0 && peer != nil && got < c.target {
		r.Missed = append(r.Missed, fmt.Sprintf("%.2f of torch's speed, %.2f wanted", got, c.target))
	}
	if c.most > 0 && mine > c.most {
		r.Missed = append(r.Missed, fmt.Sprintf("%s, at most %s wanted", duration(mine), duration(c.most)))
	}
	if c.share > 0 && r.Share > 0 && r.Share < c.share {
		r.Missed = append(r.Missed, fmt.Sprintf("%.0f %% of the peak, %.0f %% wanted", 100*r.Share, 100*c.share))
	}
	if c.coldMost > 0 && r.Cold > c.coldMost {
		r.Missed = append(r.Missed, fmt.Sprintf("cold in %s, at most %s wanted", duration(r.Cold), duration(c.coldMost)))
	}
}

func ratio2(captured, eager float64) float64 {
	if captured > 0 {
		return captured
	}
	return eager
}

func last(s []float64, n int) []float64 { return s[max(0, len(s)-n):] }

// ratio is the median of the rounds' ratios.
func ratio(a, b []float64) float64 {
	var r []float64
	for i := range a {
		r = append(r, a[i]/b[i])
	}
	return median(r)
}

func median(s []float64) float64 {
	s = slices.Sorted(slices.Values(s))
	return s[len(s)/2]
}
