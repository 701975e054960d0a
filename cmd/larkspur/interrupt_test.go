//go:build linux || darwin

package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// interrupt runs a script that prints "ready" lines and sends it a SIGINT a
// moment after each; stdin stays open. Out has the other lines.
func interrupt(t *testing.T, script string, flags ...string) (out, errs string, status int) {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "script.py")
	if err := os.WriteFile(name, []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], append(append([]string{"run"}, flags...), name)...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	cmd.Dir = dir
	var errText bytes.Buffer
	cmd.Stderr = &errText
	in, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer w.Close()
	cmd.Stdin = in
	r, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killed := time.AfterFunc(60*time.Second, func() { cmd.Process.Kill() })
	defer killed.Stop()
	var lines strings.Builder
	for s := bufio.NewScanner(r); s.Scan(); {
		if !strings.HasPrefix(s.Text(), "ready") {
			lines.WriteString(s.Text() + "\n")
			continue
		}
		time.Sleep(150 * time.Millisecond)
		cmd.Process.Signal(syscall.SIGINT)
	}
	cmd.Wait()
	return lines.String(), errText.String(), cmd.ProcessState.ExitCode()
}

// TestInterruptEnds: an interrupt that nobody catches ends the script as in Python.
func TestInterruptEnds(t *testing.T) {
	for name, work := range map[string]string{
		"sleep":  "import time\nprint('ready')\ntime.sleep(50)",
		"while":  "print('ready')\nwhile True: pass",
		"normal": "import torch\nprint('ready')\ntorch.randn(20000, 20000)",
		"matmul": "import torch\na = torch.ones(6000, 6000)\nprint('ready')\nwhile True: b = a @ a",
		"input":  "print('ready')\ninput()",
		"stdin":  "import sys\nprint('ready')\nfor line in sys.stdin: print(line)",
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			out, errs, status := interrupt(t, work+"\nprint('went on')\n")
			if status != 130 || out != "" || !strings.HasPrefix(errs, "Traceback (most recent call last):\n  File ") || !strings.HasSuffix(errs, "\nKeyboardInterrupt\n") {
				t.Errorf("status %d, printed %q\n%s", status, out, errs)
			}
			if d := time.Since(start); d > 45*time.Second {
				t.Errorf("it took %v", d)
			}
		})
	}
}

// TestInterruptCheckpoint saves what was learned on Ctrl-C, more than once.
func TestInterruptCheckpoint(t *testing.T) {
	out, errs, status := interrupt(t, `
import torch
a = torch.ones(1000, 1000)
for i in range(2):
    try:
        print('ready')
        while True:
            b = (a @ a).clamp(max=1)
    except KeyboardInterrupt as e:
        print('saving', repr(e))
        torch.save({'a': a * 2}, 'checkpoint.pt')
        print(torch.load('checkpoint.pt')['a'].sum().item())
`, "--allow-write")
	if want := strings.Repeat("saving KeyboardInterrupt()\n2000000.0\n", 2); out != want || status != 0 {
		t.Errorf("status %d, printed %q\n%s", status, out, errs)
	}
}

// TestInterruptTwice: a second signal ends a program that cannot see the first, as
// one that waits for the other end of a named pipe.
func TestInterruptTwice(t *testing.T) {
	start := time.Now()
	out, errs, status := interrupt(t, "print('ready')\nprint('ready')\nopen('pipe')\n")
	if status != 130 || out != "" || errs != "" {
		t.Errorf("status %d, printed %q\n%s", status, out, errs)
	}
	if d := time.Since(start); d > 45*time.Second {
		t.Errorf("it took %v", d)
	}
}
