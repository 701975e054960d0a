// Lang compares the interpreter with CPython on small programs:
//
//	go run ./bench/lang [-rounds 7] [-gogc 400] [-python /usr/bin/python3] [program …]
//
// The two run alternately, each round in new processes; a process runs the
// program's main three times and reports the least CPU time of the process
// (garbage collector threads included). What is printed is the median of the
// rounds' ratios, ours to CPython's: below 1 is faster than CPython.
//
// Without arguments the three programs run that the project's target is stated
// for (fib, intloop, nbody: at most 0.7); -all runs all twelve.
package main

import (
	"bufio"
	"embed"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/lang/resolve"
	"github.com/larkspur-ml/larkspur/lang/syntax"
	"github.com/larkspur-ml/larkspur/lang/value"
)

//go:embed progs/*.py
var progs embed.FS

var (
	target  = []string{"fib", "intloop", "nbody"}
	rounds  = flag.Int("rounds", 7, "rounds of both")
	gogc    = flag.Int("gogc", 400, "GOGC of our processes")
	python  = flag.String("python", "/usr/bin/python3", "the interpreter to compare with")
	all     = flag.Bool("all", false, "run all programs")
	limit   = flag.Float64("max", 0, "exit with status 1 if a ratio is above this")
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
		fmt.Printf("%-10s %8.1f ms %8.1f ms CPython  ratio %.2f\n", name, median(ours)*1000, median(theirs)*1000, r)
	}
	fmt.Printf("geometric mean %.2f\n", math.Exp(logs/float64(len(names))))
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
	p, err := bytecode.CompileSource(name+".py", string(src), syntax.Options{}, resolve.Env{}, bytecode.ExecMode)
	check(err)
	math := value.NewModule("math")
	math.Set("sqrt", (&value.Builtin{Name: "sqrt", Fn: sqrt, Pure: true}).Value())
	machine := &vm.Machine{}
	machine.AddModule("math", math)
	th := vm.NewThread(vm.Options{Machine: machine})
	mod := value.NewModule("bench")
	_, err = th.Exec(p, mod)
	check(err)
	fn, _ := mod.Get("main")
	best := 1e9
	var result value.Value
	for range 3 {
		start := processTime()
		result, err = th.Call(fn, nil, nil)
		check(err)
		best = min(best, processTime()-start)
	}
	text, err := th.Do(value.ReprOf(&th.Thread, result))
	check(err)
	s, _ := text.AsString()
	fmt.Println(best, s)
}

func sqrt(t *value.Thread, args []value.Value, kw []value.Kwarg) (value.Value, error) {
	if len(args) != 1 || !args[0].IsFloat() {
		return value.Value{}, value.TypeErrorf("sqrt() takes one float")
	}
	return value.Float(math.Sqrt(args[0].Float64())), nil
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
