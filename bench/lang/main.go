// Lang compares the interpreter with CPython, and with go.starlark.net where the
// program is valid there, on small programs:
//
//	go run ./bench/lang [-rounds 7] [-gogc 400] [-python /usr/bin/python3] [program …]
//
// They run in turn, each round in new processes; a process runs the program's
// main three times and reports the least CPU time of the process (garbage
// collector threads included). What is printed is the median of the rounds'
// ratios, ours to theirs: below 1 is faster. A program is valid in go.starlark.net
// if its parser and resolver say so with every option on (while, recursion, sets,
// control flow outside functions): those with classes, generators, exceptions,
// imports or ** are not.
//
// Without arguments the twelve programs run that the project's target is stated
// for (geometric mean at most 0.6, none over 1.6, at most two over 1.2; at most
// 0.25 of go.starlark.net's time); -all adds the others (bigsum, list, method,
// sieve).
package main

import (
	"bufio"
	"context"
	"embed"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"

	"github.com/larkspur-ml/larkspur"
)

//go:embed progs/*.py
var progs embed.FS

var (
	target  = []string{"fib", "intloop", "nbody", "spectral", "fannkuch", "richards", "deltablue", "str", "dict", "gen", "try", "jsontrip"}
	rounds  = flag.Int("rounds", 7, "rounds of both")
	gogc    = flag.Int("gogc", 400, "GOGC of our processes")
	python  = flag.String("python", "/usr/bin/python3", "the interpreter to compare with")
	all     = flag.Bool("all", false, "run all programs")
	limit   = flag.Float64("max", 0, "exit with status 1 if a ratio is above this")
	asJSON  = flag.Bool("json", false, "print one JSON object instead of the table")
	childOf = flag.String("run", "", "internal: run this program here and print time and result")
	starOf  = flag.String("starlark", "", "internal: -run, in go.starlark.net's interpreter")
	profile = flag.String("profile", "", "internal: with -run, write a CPU profile of many runs here")
)

const timer = `
import time
best = 1e9
for _ in range(3):
    start = time.process_time()
    result = main()
    best = min(best, time.process_time() - start)
print(best, result)
`

func main() {
	flag.Parse()
	switch {
	case *childOf != "":
		runHere(*childOf)
		return
	case *starOf != "":
		runStarlark(*starOf)
		return
	}
	names := flag.Args()
	switch {
	case *all:
		files, _ := progs.ReadDir("progs")
		for _, f := range files {
			names = append(names, strings.TrimSuffix(f.Name(), ".py"))
		}
	case len(names) == 0:
		names = target
	}
	self, err := os.Executable()
	check(err)
	var rows []row
	for _, name := range names {
		rows = append(rows, compare(self, name))
		if !*asJSON {
			fmt.Println(rows[len(rows)-1])
		}
	}
	report(rows)
}

// A row is what one program gave: medians in milliseconds, and the medians of the
// rounds' ratios. The fields of an interpreter that cannot run it are zero.
type row struct {
	name     string
	MS       float64 `json:"ms"`
	CPython  float64 `json:"cpython_ms"`
	Ratio    float64 `json:"ratio"`
	Starlark float64 `json:"starlark_ms,omitempty"`
	Over     float64 `json:"starlark_ratio,omitempty"`
}

func (r row) String() string {
	s := fmt.Sprintf("%-10s %8.1f ms %8.1f ms CPython  ratio %.2f", r.name, r.MS, r.CPython, r.Ratio)
	if r.Over == 0 {
		return s + fmt.Sprintf(" %11s Starlark  ratio    -", "-")
	}
	return s + fmt.Sprintf(" %8.1f ms Starlark  ratio %.3f", r.Starlark, r.Over)
}

// compare runs one program everywhere, round by round.
func compare(self, name string) row {
	src, err := progs.ReadFile("progs/" + name + ".py")
	check(err)
	valid := validStarlark(name, src)
	var ours, python3, starlark, ratios, over []float64
	for range *rounds {
		t, want := measure(exec.Command(*python, "-c", string(src)+timer))
		u, got := measure(exec.Command(self, "-run", name, "-gogc", strconv.Itoa(*gogc)))
		if got != want {
			check(fmt.Errorf("%s: %s, CPython says %s", name, got, want))
		}
		ours, python3, ratios = append(ours, u*1000), append(python3, t*1000), append(ratios, u/t)
		if !valid || len(starlark) == 1 && starlark[0] > 1000*starlarkPatience.Seconds() {
			continue
		}
		w, got := measure(exec.Command(self, "-starlark", name, "-gogc", strconv.Itoa(*gogc)))
		if got != want {
			check(fmt.Errorf("%s: go.starlark.net says %s, CPython %s", name, got, want))
		}
		starlark, over = append(starlark, w*1000), append(over, u/w)
	}
	r := row{name: name, MS: median(ours), CPython: median(python3), Ratio: median(ratios)}
	if valid {
		r.Starlark, r.Over = median(starlark), median(over)
	}
	return r
}

// report prints what holds of all programs together, and ends the process with
// status 1 where one is too slow.
func report(rows []row) {
	var ratios, over []float64
	table := map[string]row{}
	for _, r := range rows {
		table[r.name] = r
		ratios = append(ratios, r.Ratio)
		if r.Over > 0 {
			over = append(over, r.Over)
		}
	}
	if *asJSON {
		all := map[string]any{"programs": table, "geometric_mean": geomean(ratios)}
		if len(over) > 0 {
			all["starlark_geometric_mean"] = geomean(over)
		}
		check(json.NewEncoder(os.Stdout).Encode(all))
	} else {
		fmt.Printf("geometric mean %.2f of CPython's time", geomean(ratios))
		if len(over) > 0 {
			fmt.Printf(", %.3f of go.starlark.net's", geomean(over))
		}
		fmt.Println()
	}
	if *limit > 0 && slices.Max(ratios) > *limit {
		os.Exit(1)
	}
}

func geomean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(x)))
}

func measure(c *exec.Cmd) (seconds float64, result string) {
	c.Stderr = os.Stderr
	out, err := c.Output()
	check(err)
	s := bufio.NewScanner(strings.NewReader(string(out)))
	s.Scan()
	t, result, _ := strings.Cut(s.Text(), " ")
	seconds, err = strconv.ParseFloat(t, 64)
	check(err)
	return seconds, result
}

// collector sets the garbage collector as the command line does: a floor of 64 MB
// under the heap, which memory that is never touched makes.
func collector() (release func()) {
	debug.SetGCPercent(*gogc)
	floor := make([]byte, (64<<20)/(1+*gogc/100))
	return func() { runtime.KeepAlive(floor) }
}

func runHere(name string) {
	defer collector()()
	src, err := progs.ReadFile("progs/" + name + ".py")
	check(err)
	ctx := context.Background()
	rt, err := larkspur.New(larkspur.Options{})
	check(err)
	mod, err := rt.LoadString(ctx, name+".py", string(src)+"\ndef run_for_result():\n    return repr(main())\n")
	check(err)
	fn, err := mod.Func("run_for_result")
	check(err)
	best := 1e9
	var result any
	for range 3 {
		start := processTime()
		result, err = fn.Call(ctx)
		check(err)
		best = min(best, processTime()-start)
	}
	fmt.Println(best, result)
	if *profile == "" {
		return
	}
	f, err := os.Create(*profile)
	check(err)
	check(pprof.StartCPUProfile(f))
	for end := processTime() + profiled; processTime() < end; {
		_, err = fn.Call(ctx)
		check(err)
	}
	pprof.StopCPUProfile()
	check(f.Close())
}

// profiled is how many seconds of CPU time a profile is of.
const profiled = 3

func median(x []float64) float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	return x[len(x)/2]
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "lang:", err)
		os.Exit(1)
	}
}
