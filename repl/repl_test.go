package repl

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/larkspur-ml/larkspur"
)

const childHistory = "LARKSPUR_REPL_TEST_HISTORY"

// TestMain is the prompt itself when a test starts this program again on a terminal.
func TestMain(m *testing.M) {
	if h, ok := os.LookupEnv(childHistory); ok {
		if err := Run(context.Background(), Config{HistoryFile: h}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// terminal is a prompt that runs on a pseudo-terminal.
type terminal struct {
	t    *testing.T
	tty  *os.File
	mu   sync.Mutex
	seen bytes.Buffer
	from int
}

func open(t *testing.T, history string, env ...string) *terminal {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("pseudo-terminals of another kind")
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childHistory+"="+history, "TERM=xterm", "NO_COLOR=1")
	cmd.Env = append(cmd.Env, env...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 200})
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, tty: tty}
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := tty.Read(buf)
			x.mu.Lock()
			x.seen.Write(buf[:n])
			x.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		tty.Close()
	})
	return x
}

func (x *terminal) keys(s string) {
	x.t.Helper()
	if _, err := io.WriteString(x.tty, s); err != nil {
		x.t.Fatal(err)
	}
}

// expect waits until text has appeared since what was expected last.
func (x *terminal) expect(text string) {
	x.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		x.mu.Lock()
		rest := x.seen.String()[x.from:]
		if i := strings.Index(rest, text); i >= 0 {
			x.from += i + len(text)
			x.mu.Unlock()
			return
		}
		x.mu.Unlock()
		if time.Now().After(deadline) {
			x.t.Fatalf("%q does not appear; there is\n%q", text, rest)
		}
	}
}

func TestTerminal(t *testing.T) {
	history := filepath.Join(t.TempDir(), "history")
	x := open(t, history)
	x.expect(">>> ")
	x.keys("import torch\r")
	x.expect(">>> ")
	x.keys("torch.ones(2, 2)\r")
	x.expect("tensor([[1., 1.],\r\n        [1., 1.]])\r\n")

	// A block runs at the blank line, and comes back as one entry.
	x.keys("for i in range(2):\r    print('row', i)\r\r")
	x.expect("row 0\r\nrow 1\r\n")
	x.expect(">>> ")
	x.keys("\x1b[A\r")
	x.expect("row 0\r\nrow 1\r\n")

	// Completion of a name, and through attributes.
	x.expect(">>> ")
	x.keys("torch.nn.Embeddi\t")
	x.expect("torch.nn.Embedding")
	x.keys("\x03")
	x.expect("KeyboardInterrupt")

	// Ctrl-C drops the line whose completions are listed, chosen among or not.
	for _, tabs := range []string{"\t\t", "\t\t\t"} {
		x.expect(">>> ")
		x.keys("torch.ones" + tabs)
		x.expect("ones_like")
		x.keys("\x03")
		x.expect("KeyboardInterrupt")
	}

	// Python's words for leaving and for help.
	x.expect(">>> ")
	x.keys("exit\r")
	x.expect("Use exit() or Ctrl-D (i.e. EOF) to exit\r\n")
	x.keys("help(torch.relu)\r")
	x.expect("relu(Tensor self) -> Tensor\r\n")

	// Ctrl-C stops the statement, not the program.
	x.keys("while True: pass\r\r")
	time.Sleep(200 * time.Millisecond)
	x.keys("\x03")
	x.expect("KeyboardInterrupt")
	x.keys("6 * 7\r")
	x.expect("42\r\n")
	x.keys("import time\r")
	x.expect(">>> ")
	for _, long := range []string{"time.sleep(60)", "torch.randn(20000, 20000)", "input()"} {
		x.keys(long + "\r")
		time.Sleep(400 * time.Millisecond)
		x.keys("\x03")
		x.expect("Traceback (most recent call last):")
		x.expect("\r\nKeyboardInterrupt\r\n")
		x.expect(">>> ")
	}
	// A program that catches it goes on, with working tensors.
	x.keys("try:\r    while True: pass\rexcept KeyboardInterrupt:\r    print('kept', torch.ones(3).sum().item())\r\r")
	time.Sleep(400 * time.Millisecond)
	x.keys("\x03")
	x.expect("kept 3.0\r\n")
	x.keys("6 * 7\r")
	x.expect("42\r\n")
	x.keys("_ + 1\r")
	x.expect("43\r\n")

	x.keys("def f():\r    return 1 / 0\r\rf()\r")
	x.expect("Traceback (most recent call last):")
	x.expect("ZeroDivisionError: division by zero")

	// It can be looked at again.
	x.keys("import sys, traceback; traceback.print_last()\r")
	x.expect("in f\r\n    return 1 / 0\r\n")
	x.expect("ZeroDivisionError: division by zero")
	x.keys("sys.last_type, sys.last_value.args, sys.last_traceback is sys.last_value.__traceback__\r")
	x.expect("(<class 'ZeroDivisionError'>, ('division by zero',), True)")

	// A paste runs whole, blank lines inside blocks included.
	x.keys("\x1b[200~def g(n):\r    a = n\r\r    return a + 1\r\rprint('pasted', g(1))\r\x1b[201~")
	x.expect("pasted 2\r\n")

	x.keys("import sys\r")
	x.expect(">>> ")
	x.keys("\x04")
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		text, _ := os.ReadFile(history)
		if strings.Contains(string(text), "for i in range(2):⏎    print('row', i)\n") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the history file has %q", text)
		}
	}
}

// TestColours expects CPython 3.13's colours on a terminal, and none where nobody wants
// them.
func TestColours(t *testing.T) {
	x := open(t, filepath.Join(t.TempDir(), "history"), "NO_COLOR=")
	x.expect("\x1b[1;35m>>> \x1b[0m")
	x.keys("def f():\r    return 1 / 0\r\rf()\r")
	x.expect("\x1b[1;35m... \x1b[0m")
	x.expect("Traceback (most recent call last):\r\n")
	x.expect("  File \x1b[35m\"<input 2>\"\x1b[0m, line \x1b[35m1\x1b[0m, in \x1b[35m<module>\x1b[0m\r\n")
	x.expect("    return 1 / 0\r\n           \x1b[1;31m~~^~~\x1b[0m\r\n")
	x.expect("\x1b[1;35mZeroDivisionError\x1b[0m: \x1b[35mdivision by zero\x1b[0m\r\n")

	x = open(t, filepath.Join(t.TempDir(), "history"), "NO_COLOR=", "TERM=dumb")
	x.expect(">>> ")
	x.keys("1 / 0\r")
	x.expect("ZeroDivisionError: division by zero\r\n")
	if x.mu.Lock(); strings.Contains(x.seen.String(), "\x1b[1;35m") {
		t.Error("a dumb terminal gets colours")
	}
	x.mu.Unlock()
}

func TestPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, "x = 2\nx\nif x:\n    print('yes')\n\nx +\ny\nimport sys; sys.exit(3)\nprint('never')\n")
	w.Close()
	var out, errs bytes.Buffer
	err = Run(context.Background(), Config{Stdin: r, Stdout: &out, Stderr: &errs})
	e, ok := err.(*larkspur.Error)
	if code, exit := 0, false; ok {
		if code, exit = e.ExitCode(); !exit || code != 3 {
			t.Errorf("exit status %d %v", code, exit)
		}
	} else {
		t.Errorf("sys.exit gives %v", err)
	}
	if out.String() != "2\nyes\n" {
		t.Errorf("printed %q", out.String())
	}
	if s := errs.String(); !strings.Contains(s, "SyntaxError: invalid syntax") || !strings.Contains(s, "NameError: name 'y' is not defined") {
		t.Errorf("errors: %s", s)
	}
}

func TestPasteMarks(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"abc\r", "abc\r"},
		{pasteBegin + "a\rb\r" + pasteEnd, "a⏎b\r"},
		{pasteBegin + "word" + pasteEnd + "x", "wordx"},
		{pasteBegin + "one\n" + pasteEnd, "one\r"},
		{"\x1b[A", "\x1b[A"},
		{pasteBegin + "\tx" + pasteEnd, "    x"},
	} {
		for _, size := range []int{1, 3, 100} { // marks may arrive in pieces
			got, err := io.ReadAll(newPasteReader(&pieces{[]byte(c.in), size}))
			if err != nil || string(got) != c.want {
				t.Errorf("%q in pieces of %d: %q, %v; want %q", c.in, size, got, err, c.want)
			}
		}
	}
}

type pieces struct {
	b    []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.b) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.b[:min(p.size, len(p.b))])
	p.b = p.b[n:]
	return n, nil
}
