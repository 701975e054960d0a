package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

const asCommand = "LARKSPUR_TEST_AS_COMMAND"

// TestMain is the command itself when a test starts this program again.
func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(run())
	}
	os.Exit(m.Run())
}

// command runs larkspur in the repository's root.
func command(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	cmd.Dir = filepath.Join("..", "..")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	timer := time.AfterFunc(4*time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// ok is command for a run that must succeed.
func ok(t *testing.T, args ...string) string {
	t.Helper()
	out, errs, status := command(t, args...)
	if status != 0 {
		t.Fatalf("larkspur %s: status %d\n%s", strings.Join(args, " "), status, errs)
	}
	return out
}

// TestMLP holds the seeded script against what python3 with PyTorch 1.13.1 printed:
//
//	python3 scripts/mlp.py > cmd/larkspur/testdata/mlp.txt
func TestMLP(t *testing.T) {
	want, err := os.ReadFile("testdata/mlp.txt")
	if err != nil {
		t.Fatal(err)
	}
	got := ok(t, "run", "scripts/mlp.py")
	a, b := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("line %d:\n got %s\nwant %s", i+1, a[i], b[i])
		}
	}
	if len(a) != len(b) {
		t.Errorf("%d lines, want %d", len(a), len(b))
	}
}

func TestVAD(t *testing.T) {
	out := ok(t, "run", "scripts/vad.star", "--check")
	m := regexp.MustCompile(`max difference (\S+) over 1875 chunks, median \S+ µs per chunk\n$`).FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("printed\n%s", out)
	}
	if d, err := strconv.ParseFloat(m[1], 64); err != nil || d > 1e-4 {
		t.Errorf("max difference %s, at most 1e-4 is allowed", m[1])
	}
	if n := strings.Count(out, "\n"); n < 10 {
		t.Errorf("only %d lines: are there segments?", n)
	}
}

func TestDigits(t *testing.T) {
	epochs, least := "12", 98.0
	if testing.Short() {
		epochs, least = "2", 94
	}
	out := ok(t, "run", "scripts/digits.star", "--epochs", epochs)
	m := regexp.MustCompile(`test accuracy (\S+) % in \S+ s\n$`).FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("printed\n%s", out)
	}
	if acc, err := strconv.ParseFloat(m[1], 64); err != nil || acc < least {
		t.Errorf("test accuracy %s %%, at least %v is wanted", m[1], least)
	}
}

// TestFaults runs wrong programs: the message names place and values, the status is 1, and no Go stack is shown.
func TestFaults(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return p
	}
	file("cut.safetensors", "\x40\x00\x00\x00\x00\x00\x00\x00{\"a\":")
	file("huge.safetensors", "\xff\xff\xff\xff\xff\xff\xff\x7f{}")
	file("bad.wav", "RIFFxxxxJUNK")
	file("text.wav", "this is no audio")
	load := "from safetensors.torch import load_file\nimport os\nload_file(os.path.join(os.path.dirname(__file__), '%s'))\n"
	wav := "import wave, os\nwave.open(os.path.join(os.path.dirname(__file__), '%s'), 'rb')\n"
	for _, c := range []struct {
		name, text string
		args       []string
		want       []string
	}{
		{"syntax", "def f(:\n    pass\n", nil, []string{`syntax.py", line 1`, "SyntaxError"}},
		{"unclosed", "[1,2\ny = 3\n", nil, []string{"'[' was never closed"}},
		{"dialect", "# dialect: nope\nx = 1\n", nil, []string{`dialect.py", line 1`, "SyntaxError: unknown dialect: nope"}},
		{"spelling", "import torch\ntorch.zerso(2)\n", nil, []string{"AttributeError: module 'torch' has no attribute 'zerso'. Did you mean: 'zeros'?"}},
		{"complex", "import torch\ntorch.ones(2, dtype=torch.complex64)\n", nil,
			[]string{"NotImplementedError: a tensor of torch.complex64 exists in PyTorch, but not in Larkspur"}},
		{"python", "import sqlite3\n", nil,
			[]string{"ModuleNotFoundError: No module named 'sqlite3': it is part of Python's standard library, but Larkspur does not have it"}},
		{"unsupported", "async def f():\n    pass\n", nil, []string{`unsupported.py", line 1`, "SyntaxError", "async"}},
		{"name", "import torch\nx = torch.ones(2)\nprint(y)\n", nil, []string{"line 3, in <module>", "NameError: name 'y' is not defined"}},
		{"shapes", "import torch\na = torch.ones(2, 3)\nb = torch.ones(4, 5)\na @ b\n", nil,
			[]string{"line 4", "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"}},
		{"broadcast", "import torch\ntorch.ones(3) + torch.ones(4)\n", nil,
			[]string{"RuntimeError: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0"}},
		{"index", "import torch\nw = torch.ones(3, 2)\ntorch.nn.functional.embedding(torch.tensor([5]), w)\n", nil, []string{"IndexError", "out of range"}},
		{"missing", "import torch\nprint('before')\ntorch.fft.fft2(torch.ones(2, 2))\n", nil, []string{"line 3", "fft"}},
		{"module", "import nosuchmodule\n", nil, []string{"ModuleNotFoundError: No module named 'nosuchmodule'"}},
		{"file", "open('none.txt')\n", nil, []string{"FileNotFoundError: [Errno 2] No such file or directory: 'none.txt'"}},
		{"grant", "open('/etc/hostname')\n", nil, []string{"PermissionError", "'/etc/hostname'", "--allow-read"}},
		{"write", "open('out.txt', 'w')\n", nil, []string{"PermissionError", "--allow-write"}},
		{"cut", fmt.Sprintf(load, "cut.safetensors"), nil, []string{"line 3", "Error"}},
		{"huge", fmt.Sprintf(load, "huge.safetensors"), nil, []string{"line 3", "Error"}},
		{"badwav", fmt.Sprintf(wav, "bad.wav"), nil, []string{"wave.Error"}},
		{"textwav", fmt.Sprintf(wav, "text.wav"), nil, []string{"file does not start with RIFF id"}},
		{"recursion", "def f(n):\n    return f(n + 1)\nf(0)\n", nil, []string{"RecursionError: maximum recursion depth exceeded", "[Previous line repeated"}},
		{"steps", "while True:\n    pass\n", []string{"--step-limit", "100000"}, []string{"RuntimeError: step limit exceeded"}},
		{"memory", "import torch\ntorch.zeros(1 << 24)\n", []string{"--memory-limit", "16M"}, []string{"RuntimeError", "line 2"}},
		{"chained", "try:\n    {}['k']\nexcept KeyError as e:\n    raise ValueError('bad') from e\n", nil,
			[]string{"KeyError: 'k'", "direct cause", "ValueError: bad"}},
		{"grad", "import torch\nx = torch.ones(2, requires_grad=True)\ny = (x * x).sum()\ny.backward()\ny.backward()\n", nil,
			[]string{"line 5", "Trying to backward through the graph a second time"}},
		{"inplace", "import torch\nx = torch.ones(2, requires_grad=True)\nx.add_(1)\n", nil,
			[]string{"a leaf Variable that requires grad is being used in an in-place operation."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := file(c.name+".py", c.text)
			out, errs, status := command(t, append(append([]string{"run"}, c.args...), path)...)
			if status != 1 {
				t.Errorf("status %d, want 1", status)
			}
			for _, w := range c.want {
				if !strings.Contains(errs, w) {
					t.Errorf("%q is not in\n%s", w, errs)
				}
			}
			if strings.Contains(errs, "goroutine ") || strings.Contains(errs, ".go:") {
				t.Errorf("a Go stack:\n%s", errs)
			}
			if c.name == "missing" && out != "before\n" {
				t.Errorf("it fails before the name is used: printed %q", out)
			}
		})
	}
	t.Run("misplaced", func(t *testing.T) {
		_, errs, status := command(t, "run", file("late.py", "open('/late.txt', 'w')\n"), "--allow-write")
		if status != 1 || !strings.Contains(errs, "PermissionError") || !strings.Contains(errs, "--allow-write stands behind ") {
			t.Errorf("a flag behind FILE: %d, %s", status, errs)
		}
	})
	t.Run("nofile", func(t *testing.T) {
		_, errs, status := command(t, "run", "none.star")
		if status != 1 || !strings.Contains(errs, "can't open file 'none.star'") {
			t.Errorf("status %d: %s", status, errs)
		}
	})
	t.Run("exit", func(t *testing.T) {
		if _, _, status := command(t, "run", file("exit.py", "import sys\nsys.exit(7)\n")); status != 7 {
			t.Errorf("sys.exit(7) gives %d", status)
		}
		_, errs, status := command(t, "run", file("exit2.py", "import sys\nsys.exit('why')\n"))
		if status != 1 || errs != "why\n" {
			t.Errorf("sys.exit('why') gives %d, %q", status, errs)
		}
	})
}

func TestCommands(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f.py")
	if err := os.WriteFile(path, []byte("def add(a, b):\n    return a + b\n\nclass C:\n    def m(self): return 1\nimport torch\ntorch.relu(torch.ones(3))\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if out := ok(t, "dis", path, "add"); !strings.Contains(out, "function add") || strings.Contains(out, "C.m") {
		t.Errorf("dis add:\n%s", out)
	}
	for stage, want := range map[string]string{"ast": "FunctionDef", "names": "add", "bytecode:C.m": "function C.m", "graph:relu": "relu(", "loops:relu": "kernel", "plan:relu": "relu"} {
		if out := ok(t, "run", "--dump="+stage, path); !strings.Contains(out, want) {
			t.Errorf("--dump=%s has no %q:\n%s", stage, want, out)
		}
	}
	out := ok(t, "ops", "--count")
	var n, sigs int
	if _, err := fmt.Sscanf(out, "%d ops, %d signatures", &n, &sigs); err != nil || n < 120 {
		t.Errorf("ops --count: %q", out)
	}
	var all int
	if _, err := fmt.Sscanf(ok(t, "ops", "--count", "--all"), "%d ops", &all); err != nil || all <= n {
		t.Errorf("ops --count --all counts %d, without --all %d", all, n)
	}
	if listed := strings.Count(ok(t, "ops"), "\n"); listed != sigs {
		t.Errorf("ops lists %d signatures, and counts %d", listed, sigs)
	}
	if out, errs, status := command(t, "explain", filepath.Join(dir, "none.py")); status == 0 || out != "" || !strings.HasPrefix(errs, "larkspur: can't open file") {
		t.Errorf("explain of a file that is not there: %d\n%s%s", status, out, errs)
	}
	if out, _, _ := command(t, "explain", "--help"); !strings.Contains(out, `(default "sync")`) {
		t.Errorf("explain --help:\n%s", out)
	}
	if out := ok(t, "ops", "relu"); !strings.HasPrefix(out, "relu(Tensor self) -> Tensor\n") {
		t.Errorf("ops relu: %q", out)
	}
	if out := ok(t, "version"); !strings.HasPrefix(out, "larkspur ") {
		t.Errorf("version: %q", out)
	}
	if out := ok(t, "--version"); !strings.HasPrefix(out, "larkspur ") {
		t.Errorf("--version: %q", out)
	}
	for _, c := range []struct{ arg, want string }{{"torch.relu", "relu(Tensor self)"}, {"Tensor.relu_", "relu(Tensor self)"}, {"_to_copy", "_to_copy("}} {
		if out := ok(t, "ops", c.arg); !strings.HasPrefix(out, c.want) {
			t.Errorf("ops %s: %q", c.arg, out)
		}
	}
	list := strings.Split(strings.TrimSpace(ok(t, "ops")), "\n")
	name := func(sig string) string {
		base, _, _ := strings.Cut(sig, "(")
		base, _, _ = strings.Cut(base, ".")
		return base
	}
	for i, sig := range list {
		if strings.HasPrefix(sig, "_") || i > 0 && name(list[i-1]) > name(sig) {
			t.Errorf("ops lists %q behind %q", sig, list[max(i-1, 0)])
		}
	}
	if all := strings.Count(ok(t, "ops", "--all"), "\n"); all <= len(list) {
		t.Errorf("ops --all has %d lines, ops %d", all, len(list))
	}
	if out, errs, status := command(t, "dis", path, "nope"); status == 0 || out != "" || !strings.Contains(errs, `there is no function "nope"`) || !strings.Contains(errs, "C.m, add") {
		t.Errorf("dis of a name that is not there: %d %q %q", status, out, errs)
	}
	if _, errs, status := command(t, "run", "--dump=bytecode:nope", "--dump=graph:relu", path); status != 0 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, `nothing named "nope" passed the stage bytecode; there are `) {
		t.Errorf("--dump of a name that does not occur: %d %s", status, errs)
	}
	for _, flag := range []string{"--threads=-1", "--recursion-limit=-5"} {
		if _, errs, status := command(t, "run", flag, path); status != 2 || !strings.Contains(errs, flag) {
			t.Errorf("%s: %d %s", flag, status, errs)
		}
	}
	if _, errs, status := command(t, path); status != 2 || !strings.Contains(errs, "did you mean: larkspur run "+path) {
		t.Errorf("FILE without run: %d %s", status, errs)
	}
	if out := ok(t, "-c", "import sys; print(sys.argv, __name__)", "a"); out != "['-c', 'a'] __main__\n" {
		t.Errorf("-c: %q", out)
	}
	if out := ok(t, "run", "-c", "print(6 * 7)"); out != "42\n" {
		t.Errorf("run -c: %q", out)
	}
	if _, errs, _ := command(t, "-c", "import warnings\nwarnings.warn('so')\n"); errs != "<string>:2: UserWarning: so\n  warnings.warn('so')\n" {
		t.Errorf("a warning: %q", errs)
	}
	draw := func() string { return ok(t, "-c", "import torch; print(torch.initial_seed(), torch.rand(4))") }
	if a, b := draw(), draw(); a == b {
		t.Errorf("two unseeded programs draw the same: %s", a)
	}
	if _, errs, status := command(t, "run", "--jit=fast", path); status == 0 || !strings.Contains(errs, "fast") {
		t.Errorf("an unknown mode: %d %s", status, errs)
	}
}
