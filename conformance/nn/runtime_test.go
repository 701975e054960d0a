package nn

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"

	"github.com/larkspur-ml/larkspur"
)

// TestCasesInLarkspur runs the cases on our own torch; expected.txt is what PyTorch's torch.nn printed.
func TestCasesInLarkspur(t *testing.T) {
	want, err := os.ReadFile("expected.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	rt, err := larkspur.New(larkspur.Options{Stdout: &out})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rt.RunFile(context.Background(), "cases.star"); err != nil {
		var e *larkspur.Error
		if errors.As(err, &e) {
			t.Error(e.Traceback())
		}
		t.Fatal(err)
	}
	if d := difference(out.String(), string(want)); d != "" {
		t.Error(d)
	}
}
