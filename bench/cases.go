package main

import (
	"embed"
	"fmt"
	"os"
	"strings"
)

//go:embed cases
var files embed.FS

// kind says how a case is run.
type kind uint8

const (
	captured kind = iota // with and without the recorder
	eagerOp              // one op at a time only: what a call costs
)

// benchCase is one row of the table.
type benchCase struct {
	name  string
	parts []string // texts of the program, in order: a file of cases, or "=" and the text itself
	kind  kind
	flops float64 // of a step
	bytes float64 // that a step cannot avoid to move
	// target is what the ratio of the peer's time to ours is to reach; 0: none is stated.
	target float64
	// most is a bound of our own time in seconds; 0: none.
	most float64
	// share is the part of the machine's peak (flops or bytes) that is to be reached.
	share float64
	// coldMost bounds the cold time in seconds.
	coldMost float64
	onnx     bool // ONNX Runtime is the peer too
	threads  int  // 0: as asked for
}

func cases() []benchCase {
	c := []benchCase{
		{name: "gelu(x*w+b) 16M", parts: []string{"gelu"}, bytes: 8 << 24, share: 0.85},
		{name: "softmax 4096x1024", parts: []string{"softmax"}, bytes: 8 << 22, target: 2, coldMost: 2e-3},
		{name: "layer_norm 4096x1024", parts: []string{"layer_norm"}, bytes: 8 << 22, target: 2},
		{name: "rms_norm+residual 4096x1024", parts: []string{"rms_norm"}, bytes: 12 << 22},
		{name: "cross_entropy 2048x8192", parts: []string{"cross_entropy"}, bytes: 4 << 24},
	}
	for _, n := range []int{256, 512, 1024, 2048} {
		g := benchCase{name: fmt.Sprintf("gemm %d", n), parts: []string{fmt.Sprintf("=N = %d\n", n), "gemm"}, flops: 2 * float64(n) * float64(n) * float64(n)}
		if n >= 1024 {
			g.share = 0.80
		}
		c = append(c, g)
		if n >= 512 {
			g.name, g.threads, g.share = g.name+", 1 thread", 1, 0.85
			c = append(c, g)
		}
	}
	c = append(c,
		benchCase{name: "gemv 4096", parts: []string{"gemv"}, flops: 2 << 24, bytes: 4 << 24},
		benchCase{name: "linear+gelu 512x512x2048", parts: []string{"linear_gelu"}, flops: 2 * 512 * 512 * 2048},
		benchCase{name: "mlp batch 1", parts: []string{"=N = 1\n", "mlp"}, most: 12e-6},
		benchCase{name: "mlp batch 64", parts: []string{"=N = 64\n", "mlp"}},
		benchCase{name: "chain of 100 ops on 8", parts: []string{"chain"}, most: 5e-6},
		benchCase{name: "gpt forward", parts: []string{"gpt", "gpt_forward"}, target: 1},
		benchCase{name: "gpt decode", parts: []string{"gpt", "gpt_decode"}, target: 3},
		benchCase{name: "gpt train", parts: []string{"gpt", "gpt_train"}, target: 1, coldMost: 1.5},
		benchCase{name: "digits step", parts: []string{"../scripts/digits.star", "digits"}, target: 2},
		benchCase{name: "vad chunk", parts: []string{"../scripts/vad.star", "vad"}, threads: 1, onnx: true, most: 120e-6},
	)
	for _, e := range [][2]string{
		{"add", "x + y"}, {"view", "a.view(2, 8)"}, {"transpose", "a.t()"}, {"index", "a[1]"}, {"mm", "torch.mm(a, a)"}, {"softmax", "torch.softmax(x, 0)"}, {"linear", "linear(x)"},
		{"add, no_grad", "x + y"}, {"sum", "x.sum()"}, {"relu", "torch.relu(x)"},
	} {
		body := "\n\ndef step():\n    return " + e[1] + "\n"
		inline := "\n\ndef run(n):\n    for _ in range(n):\n        " + e[1] + "\n"
		if strings.HasSuffix(e[0], "no_grad") {
			inline = strings.Replace(inline, "\n\ndef", "\n\n@torch.no_grad()\ndef", 1)
		}
		c = append(c, benchCase{name: "eager " + e[0], parts: []string{"tiny", "=" + body, "tail", "=" + inline}, kind: eagerOp, target: 1, threads: 1})
	}
	return c
}

// text is the program.
func (c *benchCase) text() (string, error) {
	var sb strings.Builder
	for _, p := range c.parts {
		switch {
		case p[0] == '=':
			sb.WriteString(p[1:])
			continue
		case strings.HasSuffix(p, ".star"):
			b, err := os.ReadFile(strings.TrimPrefix(p, "../"))
			if err != nil {
				return "", fmt.Errorf("bench is to be run in the root of the repository: %w", err)
			}
			for line := range strings.Lines(string(b)) {
				if !strings.Contains(line, "safetensors") || !strings.HasPrefix(line, "from") {
					sb.WriteString(line)
				}
			}
		default:
			b, err := files.ReadFile("cases/" + p + ".py")
			if err != nil {
				return "", err
			}
			sb.Write(b)
		}
	}
	if c.kind == captured {
		b, err := files.ReadFile("cases/tail.py")
		if err != nil {
			return "", err
		}
		sb.Write(b)
	}
	return sb.String(), nil
}
