// Lang compares the interpreter with CPython on small programs:
//
//	go run ./bench/lang [-rounds 7] [-gogc 400] [-python /usr/bin/python3] [program …]
//
// The two run alternately, each round in new processes; a process runs the
// program's main three times and reports the least CPU time of the process
// (garbage collector threads included). What is printed is the median of the
// rounds' ratios, ours to CPython's: below 1 is faster than CPython.
//
// Without arguments the twelve programs run that the project's target is stated
// for (geometric mean at most 0.6, none over 1.6, at most two over 1.2); -all
// adds the others (bigsum, list, method, sieve).
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
	"runtime/debug"
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
	if *childOf != "" {
		runHere(*childOf)
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
	logs, worst := 0.0, 0.0
	table := map[string]any{}
	for _, name := range names {
		src, err := progs.ReadFile("progs/" + name + ".py")
		check(err)
		var ratios, ours, theirs []float64
		for range *rounds {
			t, want := measure(exec.Command(*python, "-c", string(src)+timer))
			u, got := measure(exec.Command(self, "-run", name, "-gogc", strconv.Itoa(*gogc)))
			if got != want {
				check(fmt.Errorf("%s: %s, CPython says %s", name, got, want))
			}
			ratios, ours, theirs = append(ratios, u/t), append(ours, u), append(theirs, t)
		}
		r := median(ratios)
		logs += math.Log(r)
		worst = max(worst, r)
		if *asJSON {
			table[name] = map[string]float64{"ms": median(ours) * 1000, "cpython_ms": median(theirs) * 1000, "ratio": r}
			continue
		}
		fmt.Printf("%-10s %8.1f ms %8.1f ms CPython  ratio %.2f\n", name, median(ours)*1000, median(theirs)*1000, r)
	}
	mean := math.Exp(logs / float64(len(names)))
	if *asJSON {
		check(json.NewEncoder(os.Stdout).Encode(map[string]any{"programs": table, "geometric_mean": mean}))
	} else {
		fmt.Printf("geometric mean %.2f\n", mean)
	}
	if *limit > 0 && worst > *limit {
		os.Exit(1)
	}
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

func runHere(name string) {
	debug.SetGCPercent(*gogc)
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
}

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
