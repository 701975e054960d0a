package larkspur

import (
	"bytes"
	"context"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestJITScript runs the training script in each mode; all print the same, and
// when recorded most steps are replays of one graph.
func TestJITScript(t *testing.T) {
	var want string
	for _, mode := range []JITMode{JITOff, JITSync, JITAuto} {
		var out bytes.Buffer
		rt, err := New(Options{Stdout: &out, JIT: mode})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rt.RunFile(context.Background(), "scripts/mlp.py"); err != nil {
			t.Fatal(err)
		}
		if mode == JITOff {
			want = out.String()
			continue
		}
		if d := compareText(want, out.String()); d != "" {
			t.Errorf("mode %d: %s", mode, d)
		}
		if s := rt.tracer.Stats(); mode == JITSync && s.Replays < 150 {
			t.Errorf("few replays: %+v", s)
		}
	}
}

// TestJITTrainingLoop counts what a training loop records: the first steps are
// specialised, then one graph serves.
func TestJITTrainingLoop(t *testing.T) {
	w := newTwins(t, `
import torch
W = torch.tensor([[0.5, -0.5], [0.25, 0.1]], requires_grad=True)
X = torch.ones(3, 2)
def main():
    total = torch.zeros(())
    for step in range(50):
        W.grad = None
        loss = ((X @ W).relu() - 1).pow(2).mean()
        loss.backward()
        with torch.no_grad():
            W.sub_(W.grad, alpha=0.01)
        total = total + loss.detach()
    return total
`, nil)
	if d := w.call("main"); d != "" {
		t.Fatal(d)
	}
	s := w.rt[1].tracer.Stats()
	if s.Records != 2 || s.Replays != 48 || s.Aborts != 0 || s.Breaks != 0 {
		t.Errorf("%+v\n%s", s, w.rt[1].Explain(""))
	}
}

// scriptRun runs a script recorded and interpreted, and gives both texts without what
// clocks have put there, and the report of what was captured.
func scriptRun(t *testing.T, file string, args ...string) (report string) {
	t.Helper()
	var text [2]string
	for i, mode := range []JITMode{JITOff, JITSync} {
		var out bytes.Buffer
		rt, err := New(Options{Stdout: &out, Stderr: &out, JIT: mode, Args: append([]string{file}, args...), Grants: Grants{Clock: true, Read: []string{"scripts"}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rt.RunFile(context.Background(), file); err != nil {
			t.Fatal(err)
		}
		text[i] = regexp.MustCompile(` *\d+ samples/s| *in +\d+\.\d s`).ReplaceAllString(out.String(), "")
		if mode == JITSync {
			report = rt.Explain(file)
		}
	}
	if d := compareText(text[0], text[1]); d != "" {
		t.Errorf("%s: %s", file, d)
	}
	return report
}

// captured finds the graphs with tensor operations of regions of a name: their ops and replays.
func captured(report, region string) (ops, replays []int, text string) {
	in := false
	for _, l := range strings.Split(report, "\n") {
		if l != "" && l[0] != ' ' {
			in = strings.HasPrefix(l, region)
		}
		m := regexp.MustCompile(`graph \d+: (\d+) ops.* (\d+) replays`).FindStringSubmatch(l)
		if !in || m == nil || m[1] == "0" {
			continue
		}
		n, _ := strconv.Atoi(m[1])
		k, _ := strconv.Atoi(m[2])
		ops, replays, text = append(ops, n), append(replays, k), text+l+"\n"
	}
	return ops, replays, text
}

// TestJITDigits: forward, backward, optimiser and schedule of a training step are one
// graph: one for the first step, whose numbers are constants yet, one for full batches
// and one for the last batch of an epoch. Nothing breaks between the loop's header and
// its back edge, and after the second step the schedule makes nothing recompile.
func TestJITDigits(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	report := scriptRun(t, "scripts/digits.star", "--epochs", "2")
	ops, replays, text := captured(report, "loop train_epoch")
	if len(ops) != 3 {
		t.Fatalf("%d graphs:\n%s", len(ops), text)
	}
	most := 0
	for i := range ops {
		if ops[i] != ops[0] || ops[i] < 150 {
			t.Errorf("the graphs are not of one step:\n%s", text)
		}
		most = max(most, replays[i])
	}
	if most < 80 {
		t.Errorf("few replays:\n%s", text)
	}
	for _, m := range regexp.MustCompile(`digits\.star:(\d+) in train_epoch.*`).FindAllStringSubmatch(report, -1) {
		if line, _ := strconv.Atoi(m[1]); line >= 76 && line <= 88 {
			t.Errorf("a break in a step: %s", m[0])
		}
	}
	_, body, _ := strings.Cut(report, "\nloop train_epoch")
	body, _, _ = strings.Cut(body, "\n\n")
	for _, what := range []string{"optimizer", "schedule"} {
		if n := strings.Count(body, "recompiled: frame 0 local "+what); n > 1 {
			t.Errorf("%s recompiles %d times:\n%s", what, n, body)
		}
	}
}

// TestJITSpeech: a chunk is one graph, whose state is carried as inputs and outputs.
func TestJITSpeech(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	report := scriptRun(t, "scripts/vad.star")
	ops, replays, text := captured(report, "behind break speech_probabilities")
	n := 0
	for i := range ops {
		if ops[i] != ops[0] || ops[i] < 20 {
			t.Errorf("a chunk is not one graph:\n%s", text)
		}
		n += replays[i]
	}
	if len(ops) == 0 || len(ops) > 2 || n < 1870 {
		t.Errorf("%d graphs, %d replays:\n%s", len(ops), n, text)
	}
}
