package larkspur_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/larkspur-ml/larkspur"
)

// Long enough that a test can only pass by stopping it.
const longPrograms = `
import time
import torch

def matmul():
    a = torch.ones(1500, 1500)
    while True:
        a = (a @ a).clamp(max=1.0)

def normal():
    return torch.randn(20000, 4000)

def order():
    return torch.arange(20_000_000, dtype=torch.float32).flip(0).sort()

def elementwise():
    x = torch.ones(20_000_000)
    while True:
        x = x.exp().sin()

def power():
    return 3 ** 40_000_000

def backtrack():
    import re
    return re.match('(a+)+b', 'a' * 60)

def sleep():
    time.sleep(60)

def spin():
    while True:
        pass
`

const longest = 30 * time.Second // far below what the work would take, far above a loaded machine

func stopProgram(t *testing.T, text string) (*larkspur.Runtime, *larkspur.Module) {
	t.Helper()
	rt, err := larkspur.New(larkspur.Options{Grants: larkspur.Grants{Clock: true}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := rt.LoadString(context.Background(), "long.py", longPrograms+text)
	if err != nil {
		t.Fatal(err)
	}
	return rt, m
}

func callFunc(ctx context.Context, m *larkspur.Module, name string) (any, error) {
	f, err := m.Func(name)
	if err != nil {
		return nil, err
	}
	return f.Call(ctx)
}

// TestCancelInside ends the context while each kind of work is under way: a
// program cannot catch that as an Exception, and the host sees its context's error.
func TestCancelInside(t *testing.T) {
	_, m := stopProgram(t, `
def guarded(name):
    try:
        globals()[name]()
    except Exception as e:
        return repr(e)
    return 'done'
`)
	f, err := m.Func("guarded")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"matmul", "normal", "order", "elementwise", "power", "backtrack", "sleep", "spin"} {
		t.Run(name, func(t *testing.T) {
			c, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
			defer cancel()
			start := time.Now()
			res, err := f.Call(c, name)
			if d := time.Since(start); d > longest {
				t.Errorf("it went on for %v", d)
			}
			var e *larkspur.Error
			if !errors.As(err, &e) || e.Type != "KeyboardInterrupt" || !larkspur.Cancelled(err) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("result %v, error %v", res, err)
			} else if e.Message != "context deadline exceeded" {
				t.Errorf("message %q", e.Message)
			}
		})
	}
}

// TestCancelForGood: after the end of its context a call cannot go on.
func TestCancelForGood(t *testing.T) {
	_, m := stopProgram(t, `
def stubborn():
    try:
        matmul()
    except BaseException:
        spin()
`)
	cause := errors.New("the host has other plans")
	c, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(100*time.Millisecond, func() { cancel(cause) })
	start := time.Now()
	_, err := callFunc(c, m, "stubborn")
	if !larkspur.Cancelled(err) || !errors.Is(err, cause) {
		t.Errorf("error %v", err)
	}
	if d := time.Since(start); d > longest {
		t.Errorf("it went on for %v", d)
	}
	// The next call has a context of its own.
	if _, err := callFunc(context.Background(), m, "matmul_once"); err == nil || larkspur.Cancelled(err) {
		t.Errorf("a missing function gives %v", err)
	}
}

// TestInterrupt interrupts each kind of work once; the program catches that and
// computes on.
func TestInterrupt(t *testing.T) {
	rt, m := stopProgram(t, `
def guarded(name):
    try:
        globals()[name]()
    except KeyboardInterrupt as e:
        return [repr(e), (torch.ones(300, 300) @ torch.ones(300, 300)).sum().item(), torch.randn(100_000).numel()]
    return 'done'
`)
	f, err := m.Func("guarded")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"matmul", "normal", "order", "elementwise", "power", "backtrack", "sleep", "spin"} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			time.AfterFunc(100*time.Millisecond, func() { rt.Interrupt() })
			res, err := f.Call(context.Background(), name)
			if d := time.Since(start); d > longest {
				t.Errorf("it went on for %v", d)
			}
			l, ok := res.([]any)
			if err != nil || !ok || len(l) != 3 || l[0] != "KeyboardInterrupt()" || l[1] != 2.7e7 || l[2] != int64(100_000) {
				t.Errorf("result %v, error %v", res, err)
			}
		})
	}
}

// TestInterruptUncaught: the exception is Python's, and no context's.
func TestInterruptUncaught(t *testing.T) {
	rt, m := stopProgram(t, "")
	if rt.Interrupt() {
		t.Error("an interrupt was taken while nothing ran")
	}
	time.AfterFunc(100*time.Millisecond, func() { rt.Interrupt() })
	_, err := callFunc(context.Background(), m, "spin")
	var e *larkspur.Error
	if !errors.As(err, &e) || e.Type != "KeyboardInterrupt" || e.Message != "" || larkspur.Cancelled(err) {
		t.Fatalf("error %v", err)
	}
	if text := e.Traceback(); !strings.HasPrefix(text, "Traceback (most recent call last):\n") || !strings.HasSuffix(text, "\nKeyboardInterrupt\n") {
		t.Errorf("traceback\n%s", text)
	}
}
