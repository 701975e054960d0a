package python

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/larkspur-ml/larkspur"
)

// fewest is how many programs there are at least; the number may not fall.
const fewest = 150

// modes in which programs run: what is recorded and replayed must print the same.
var modes = []struct {
	name string
	mode larkspur.JITMode
}{{"off", larkspur.JITOff}, {"sync", larkspur.JITSync}, {"auto", larkspur.JITAuto}}

func TestCases(t *testing.T) {
	names, err := filepath.Glob("*.py")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, name := range names {
		if strings.HasPrefix(name, "make_") {
			continue
		}
		n++
		t.Run(strings.TrimSuffix(name, ".py"), func(t *testing.T) {
			want, err := os.ReadFile(strings.TrimSuffix(name, ".py") + ".out")
			if err != nil {
				t.Fatal(err)
			}
			for _, mode := range modes {
				if got := run(t, name, mode.mode); got != string(want) {
					t.Errorf("--jit=%s: %s", mode.name, firstDifference(string(want), got))
				}
			}
		})
	}
	if n < fewest {
		t.Errorf("%d programs, want at least %d", n, fewest)
	}
}

// run is what a program prints, with the traceback of what ended it behind.
func run(t *testing.T, name string, mode larkspur.JITMode) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var out bytes.Buffer
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	rt, err := larkspur.New(larkspur.Options{
		Stdout: &out, Stderr: &out, Args: []string{name},
		HeapLimit: 4 << 30, JIT: mode,
		Grants: larkspur.Grants{Clock: true, Read: []string{dir}},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = rt.RunFile(ctx, name)
	writeEnd(t, &out, err)
	return out.String()
}

// writeEnd writes the traceback of what ended a program behind what it printed. It
// returns the error of a program that has left by sys.exit.
func writeEnd(t *testing.T, out *bytes.Buffer, err error) (exit *larkspur.Error) {
	t.Helper()
	if err == nil {
		return nil
	}
	var e *larkspur.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is no *larkspur.Error", err)
	}
	if stack := larkspur.InternalStack(err); stack != nil {
		t.Fatalf("%v\n%s", err, stack)
	}
	if _, ok := e.ExitCode(); ok {
		return e
	}
	out.WriteString(e.Traceback())
	return nil
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := 0; ; i++ {
		a, b := "(end)", "(end)"
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a != b || i >= len(w) && i >= len(g) {
			return "line " + strconv.Itoa(i+1) + "\nCPython:  " + a + "\nLarkspur: " + b
		}
	}
}
