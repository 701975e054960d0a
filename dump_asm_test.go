package larkspur

import (
	"context"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/inductor/amd64"
)

func TestDumpMachineCode(t *testing.T) {
	if !amd64.HasAVX2() {
		t.Skip("the processor has no AVX2")
	}
	var out strings.Builder
	rt, err := New(Options{Target: TargetAVX2, Dump: []string{"asm:sum"}, DumpTo: &out})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rt.RunString(context.Background(), "f.star", "import torch\nx = torch.ones(100)\ny = (x * 2).sum()\n"); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if !strings.HasPrefix(text, "; kernel sum\n") || !strings.Contains(text, "vaddpd ymm") || strings.Contains(text, "kernel mul") {
		t.Errorf("the listing of sum is\n%s", text)
	}
}
