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
	if out := ok(t, "ops", "relu"); !strings.HasPrefix(out, "relu(Tensor self) -> Tensor\n") {
		t.Errorf("ops relu: %q", out)
	}
	if out := ok(t, "version"); !strings.HasPrefix(out, "larkspur ") {
		t.Errorf("version: %q", out)
	}
	if _, errs, status := command(t, "run", "--jit=fast", path); status == 0 || !strings.Contains(errs, "fast") {
		t.Errorf("an unknown mode: %d %s", status, errs)
	}
}
