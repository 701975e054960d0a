package repl

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/larkspur-ml/larkspur"
)

// TestCommands gives a prompt without a terminal inputs that begin with a colon.
func TestCommands(t *testing.T) {
	const in = `import torch
x = torch.ones(3)
def f(x):
    y = x + 1
    torch._dynamo.graph_break()
    return y.sum() * 2

:graph f(x)
:guards x * 2
:breaks f(x)
:breaks x + 1
:time 1 + 1
:dis f
:dis torch.nn.ReLU()
:nothing
:graph 1 / 0
:graph 1 +
:dis 3
:time
print("on")
`
	const want = `graph 1: function <lambda> at <input 4>:2, 1 ops
graph {
  %0 = input float32 len 3
  %1 = add(%0 float32[3]:[1]@0, fixed 1, alpha=none) in float32 -> float32[3]:[1]@0 len 3
  return %1
}
graph 2: behind break f at <input 3>:4, 2 ops
graph {
  %0 = input float32 len 3
  %1 = sum(%0 float32[3]:[1]@0, dim=none, keepdim=False, dtype=none) in float32 -> float32[]:[]@0 len 1
  %2 = mul(%1 float32[]:[]@0, fixed 2) in float32 -> float32[]:[]@0 len 1
  return %2
}
GUARDS
<input 3>:3 in f: torch._dynamo.graph_break()
    torch._dynamo.graph_break()
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^
no graph breaks; graphs: 1
TIME
function f regs=5 params=0/1/0
  r0 = x
  r1 = y
    2     0  ADDI       r1, r0, 1
    3     1  GETG       r4, g1  ; torch
          2  GETATTR    r3, r4, s0  ; _dynamo
          3  CALLM      r2, 0, s1  ; graph_break
    4     4  MOVE       r3, r1
          5  CALLM      r2, 0, s2  ; sum
          6  MULI       r2, r2, 2
          7  RET        r2
    1     8  END
`
	file := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(file, []byte(in), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []larkspur.JITMode{larkspur.JITOff, larkspur.JITAuto} {
		stdin, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		err = Run(context.Background(), Config{Options: larkspur.Options{JIT: mode}, Stdin: stdin, Stdout: &out, Stderr: &errs})
		stdin.Close()
		if err != nil {
			t.Fatal(err)
		}
		got := regexp.MustCompile(`(?m)^\S+ \(median of 9 × \d+; best \S+\)$`).ReplaceAllString(out.String(), "TIME")
		got = regexp.MustCompile(`graph 1: function <lambda> at <input 5>:2, \d+ guards\n(  .*\n)*  __main__\.x is a tensor float32 \[3\]:\[1\]@0 -> #0\n(  .*\n)*`).ReplaceAllString(got, "GUARDS\n")
		if len(got) < len(want) || got[:len(want)] != want {
			t.Errorf("prints\n%s\nnot\n%s", got, want)
		}
		rest := got[min(len(want), len(got)):]
		if !regexp.MustCompile(`(?s)^function ReLU\.forward .*:graph +EXPR: .*:doc .*\non\n$`).MatchString(rest) {
			t.Errorf("then prints\n%s", rest)
		}
		if !regexp.MustCompile(`(?s)^there is no command :nothing; there are\nTraceback.*ZeroDivisionError: division by zero\n.*SyntaxError: .*\nTypeError: a function is expected, not int\n:time EXPR: .*\n$`).MatchString(errs.String()) {
			t.Errorf("errors\n%s", errs.String())
		}
	}
}
