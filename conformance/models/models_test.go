package models

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur"
)

// TestModels runs every program and compares what it prints.
func TestModels(t *testing.T) {
	files, err := filepath.Glob("*.py")
	if err != nil || len(files) < 2 {
		t.Fatal("no programs", err)
	}
	for _, file := range files {
		if file == "make_expected.py" {
			continue
		}
		name := strings.TrimSuffix(file, ".py")
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(name + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			warned := ""
			for mode, jit := range []string{"off", "sync", "auto"} {
				var out, warnings bytes.Buffer
				rt, err := larkspur.New(larkspur.Options{Stdout: &out, Stderr: &warnings, JIT: larkspur.JITMode(mode), Grants: larkspur.Grants{Clock: true}})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := rt.RunFile(context.Background(), file); err != nil {
					var e *larkspur.Error
					if errors.As(err, &e) {
						t.Error(e.Traceback())
					}
					t.Errorf("--jit=%s: %v", jit, err)
				}
				if d := difference(out.String(), string(want)); d != "" {
					t.Errorf("--jit=%s: %s", jit, d)
				}
				// A recording that fails is interpreted on, and says so: it prints the same.
				if mode == 0 {
					warned = warnings.String()
				} else if w := warnings.String(); w != warned {
					t.Errorf("--jit=%s warns %q, --jit=off %q", jit, w, warned)
				}
				if strings.Contains(warnings.String(), "BUG") {
					t.Errorf("--jit=%s warns %q", jit, warnings.String())
				}
			}
		})
	}
}

var decimal = regexp.MustCompile(`-?\d+\.\d+(e[-+]\d+)?`)

// difference is the first line that differs, empty if none does.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		x, y := "(end)", "(end)"
		if i < len(g) {
			x = g[i]
		}
		if i < len(w) {
			y = w[i]
		}
		if !sameLine(x, y) {
			return fmt.Sprintf("line %d:\n  got  %s\n  want %s", i+1, x, y)
		}
	}
	return ""
}

func sameLine(x, y string) bool {
	if x == y {
		return true
	}
	if decimal.ReplaceAllString(x, "#") != decimal.ReplaceAllString(y, "#") {
		return false
	}
	a, b := decimal.FindAllString(x, -1), decimal.FindAllString(y, -1)
	for i := range a {
		p, err1 := strconv.ParseFloat(a[i], 64)
		q, err2 := strconv.ParseFloat(b[i], 64)
		if err1 != nil || err2 != nil || math.Abs(p-q) > lastDigit(b[i])*1.5 {
			return false
		}
	}
	return true
}

// lastDigit is the unit of the last digit of a number's text.
func lastDigit(s string) float64 {
	digits, exp, _ := strings.Cut(s, "e")
	e, _ := strconv.Atoi(exp)
	return math.Pow10(e - (len(digits) - strings.IndexByte(digits, '.') - 1))
}
