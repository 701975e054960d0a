package python

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/larkspur-ml/larkspur"
)

// TestHeapLimit holds that programs which make ever more objects get MemoryError,
// and the runtime goes on.
func TestHeapLimit(t *testing.T) {
	rt, err := larkspur.New(larkspur.Options{HeapLimit: 256 << 20})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"x = [1]\nfor i in range(100): x = x + x",
		"x = 'a'\nfor i in range(100): x += x",
		"x = [1]\nfor i in range(100): x.extend(x)",
		"x = [[0] * 10**6 for _ in range(10**6)]",
		"','.join(['a' * 10**6] * 10**6)",
		"('a' * 10**6).replace('a', 'b' * 10**7)",
		"('\\t' * 1000).expandtabs(10**9)",
		"[*range(10**11)]",
	} {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		_, err := rt.LoadString(ctx, "limit.py", text)
		cancel()
		var e *larkspur.Error
		if !errors.As(err, &e) || e.Type != "MemoryError" {
			t.Errorf("%s: %v, want MemoryError", text, err)
		}
	}
	if _, err := rt.LoadString(context.Background(), "after.py", "assert sum([1, 2]) == 3"); err != nil {
		t.Error(err)
	}
}

// TestCancelled holds that loops inside builtins, which take no instructions, end
// with their context and count as steps.
func TestCancelled(t *testing.T) {
	for _, text := range []string{
		"sum(range(10**15))",
		"max(range(10**15))",
		"10**15 in iter(range(10**16))",
		"any(filter(None, map(bool, iter(int, 1))))",
		"any(False for _ in range(10**15))",
		"pow(3, 10**100000, 10**100000 + 7)",
	} {
		rt, err := larkspur.New(larkspur.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		start := time.Now()
		_, err = rt.LoadString(ctx, "endless.py", text)
		cancel()
		if !larkspur.Cancelled(err) {
			t.Errorf("%s: %v, want the context's error", text, err)
		}
		if d := time.Since(start); d > 60*time.Second {
			t.Errorf("%s: ended after %v", text, d)
		}
	}
	rt, err := larkspur.New(larkspur.Options{StepLimit: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rt.LoadString(context.Background(), "steps.py", "sum(range(10**15))"); err == nil {
		t.Error("a sum over many items keeps no step limit")
	}
}
