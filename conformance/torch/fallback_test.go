package torch

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/device/cpu"
	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/inductor"
	"github.com/larkspur-ml/larkspur/inductor/amd64"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/tensor"
)

var updateFallback = flag.Bool("update-fallback", false, "write testdata/fallback.txt, which may only shrink")

// TestFallback runs the sweep's cases, with their backward passes, on machine code
// and holds the kernels that are left to the portable target against the stored
// list: an op that is not on it may not fall back, and one that no longer does is
// taken off. Templates are not kernels of loops and not counted.
func TestFallback(t *testing.T) {
	if testing.Short() {
		t.Skip("a sweep")
	}
	const file = "testdata/fallback.txt"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var stored, got []string
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			stored = append(stored, line)
		}
	}
	code := 0
	isas := 0
	for _, avx2 := range []bool{true, false} {
		if !amd64.HasAVX2() || !avx2 && !amd64.HasAVX512() {
			continue
		}
		isas++
		now := ""
		seen := map[string]bool{}
		dev := cpu.New(0)
		target, err := amd64.New(amd64.Options{
			Load:     func(b []byte) (amd64.Func, error) { return cpu.LoadCode(b) },
			Fallback: loop.Portable(), AVX2: avx2,
			Listing: func(name, _, why string) {
				if why == "" {
					code++
					return
				}
				line := now + ": " + strings.TrimPrefix(why, "amd64: not supported: ")
				if !seen[line] {
					seen[line] = true
					got = append(got, line)
				}
			},
		})
		if err != nil {
			t.Skip(err)
		}
		k := eager.NewKernels(inductor.New(inductor.Options{Target: target, Parallel: dev.Parallel, Alloc: dev}))
		x := eager.NewContext(k, func(tensor.Device) (tensor.Allocator, error) { return dev, nil })
		x.Threads = dev
		m := &machine{Context: x}
		for _, c := range cases() {
			now = c.Op
			m.run(c)
		}
	}
	if isas == 0 {
		t.Skip("no machine code on this processor")
	}
	slices.Sort(got)
	got = slices.Compact(got)
	t.Logf("%d kernels compiled, %d left to the portable target", code, len(got))
	if *updateFallback {
		text := "# Ops of the sweep that have kernels left to the portable target, and why: see TestFallback.\n" + strings.Join(got, "\n") + "\n"
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, g := range got {
		if !slices.Contains(stored, g) {
			t.Errorf("falls back: %s", g)
		}
	}
	for _, s := range stored {
		if isas == 2 && !slices.Contains(got, s) {
			t.Errorf("no longer falls back, take it off %s: %s", file, s)
		}
	}
	if code == 0 {
		t.Error("nothing was compiled")
	}
}
