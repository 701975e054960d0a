package nn

import (
	"os"
	"os/exec"
	"testing"
)

// python is Debian's interpreter, the one that has python3-torch.
const python = "/usr/bin/python3"

// needPyTorch skips the test where PyTorch is absent; under CI that is a failure.
func needPyTorch(t *testing.T) {
	t.Helper()
	// Read here so that Go's test cache knows what the result depends on.
	for _, file := range []string{"compare.py", "starimport.py", "make_expected.py", "cases.star", "expected.txt"} {
		if _, err := os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	if err := exec.Command(python, "-c", "import torch").Run(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s cannot import torch: %v", python, err)
		}
		t.Skipf("%s cannot import torch: %v", python, err)
	}
}

// TestAgainstPyTorch compares the library with PyTorch's own layer by layer.
func TestAgainstPyTorch(t *testing.T) {
	needPyTorch(t)
	if out, err := exec.Command(python, "-B", "compare.py").CombinedOutput(); err != nil {
		t.Fatalf("compare.py: %v\n%s", err, out)
	}
}

// TestExpected holds expected.txt against PyTorch, and the library on PyTorch's primitives against it.
func TestExpected(t *testing.T) {
	needPyTorch(t)
	if out, err := exec.Command(python, "-B", "make_expected.py", "--check").CombinedOutput(); err != nil {
		t.Fatalf("make_expected.py --check: %v\n%s", err, out)
	}
}
