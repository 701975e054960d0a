package larkspur

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/device/cpu"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tracer"
)

// meter is an allocator that knows at each allocation what is alive: it collects
// before. peak is the most that was, in bytes.
type meter struct {
	*cpu.CPU
	on   bool
	peak int64
}

func (m *meter) Alloc(n int) (tensor.Buffer, error) {
	if m.on && n >= 16<<10 {
		m.Collect()
	}
	b, err := m.CPU.Alloc(n)
	if m.on {
		m.peak = max(m.peak, m.Stats().Live)
	}
	return b, err
}

// metered makes a runtime whose allocations are counted.
func metered(t *testing.T, jit JITMode, src string) (*Runtime, *Module, *meter) {
	t.Helper()
	rt, err := New(Options{JIT: jit, recording: func(o *tracer.Options) { o.Threshold = 2 }})
	if err != nil {
		t.Fatal(err)
	}
	m := &meter{CPU: rt.cpu}
	x := rt.torch.Context(&rt.main.Thread)
	x.Alloc = func(tensor.Device) (tensor.Allocator, error) { return m, nil }
	mod, err := rt.LoadString(context.Background(), "prog.py", src)
	if err != nil {
		t.Fatal(err)
	}
	return rt, mod, m
}

// call calls main and tells how many bytes were alive at most.
func (m *meter) call(t *testing.T, mod *Module) int64 {
	t.Helper()
	f, err := mod.Func("main")
	if err != nil {
		t.Fatal(err)
	}
	m.on, m.peak = true, 0
	_, err = f.call(context.Background())
	m.on = false
	if err != nil {
		t.Fatal(err)
	}
	return m.peak
}

// left is how many bytes a program's objects hold after its calls: registers that were
// used and are not cleared until they are used again are gone with their thread.
func (m *meter) left(rt *Runtime) int64 {
	rt.main = rt.newThread()
	for range 3 { // pools let go at the second
		m.Collect()
	}
	return m.Stats().Live
}

var memoryCases = []struct{ name, src string }{
	{"a training step", `
import torch
import torch.nn as nn
import torch.nn.functional as F

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.norm1 = nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.norm2 = nn.BatchNorm2d(32)
        self.hidden = nn.Linear(32 * 2 * 2, 64)
        self.out = nn.Linear(64, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.norm2(self.conv2(x))), 2)
        return self.out(F.relu(self.hidden(x.flatten(1))))

torch.manual_seed(1)
model = Net()
optimizer = torch.optim.Adam(model.parameters())
X = torch.randn(64, 1, 8, 8)
Y = torch.arange(64) % 10

def main():
    loss = F.cross_entropy(model(X), Y)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
`},
	{"without a tape", `
import torch
W = torch.randn(256, 256)
X = torch.randn(64, 256)
def main():
    x = X
    with torch.no_grad():
        for i in range(20):
            x = torch.tanh(x @ W) + x
    return x.sum()
`},
	{"objects of the region", `
import torch
X = torch.randn(64, 256)
class Box:
    def __init__(self, x):
        self.x = x
def main():
    x = X
    for i in range(8):
        box = Box(x * 2)
        pair = [box.x, box.x + 1]
        x = (lambda: pair[0] + pair[1])()
    return x.sum()
`},
	{"places of the outside", `
import torch
X = torch.randn(64, 256)
class State:
    pass
state = State()
state.h = X
last = None
kept = [X + 1, X + 2]
table = {"h": X + 3}
def main():
    global last
    for i in range(5):
        state.h = state.h * 0.5
        last = state.h + 1
        kept[0] = kept[1] + last
        kept.append(kept[0] * 2)
        kept.pop()
        table["h"] = table["h"] * 2
`},
	{"a live tape in the exit", `
import torch
torch.manual_seed(1)
W = torch.randn(256, 256, requires_grad=True)
X = torch.randn(64, 256)
def main():
    h = torch.tanh(X @ W)
    y = torch.sigmoid(h @ W)
    return h, (y * y).sum()
`},
	{"a tape that is used outside of what was recorded", `
import torch
torch.manual_seed(1)
W = torch.randn(256, 256, requires_grad=True)
X = torch.randn(64, 256)
def forward():
    h = torch.tanh(X @ W)
    y = torch.sigmoid(h @ W)
    return h, (y * y).sum()
def main():
    h, loss = forward()
    torch._dynamo.graph_break()
    loss.backward()
    W.grad = None
`},
	{"all sorts of objects in the exit", `
import torch
torch.manual_seed(1)
W = torch.randn(256, 256, requires_grad=True)
X = torch.randn(64, 256)
class Box:
    def __init__(self, x):
        self.x = x
def main():
    a, b = X + 1, X * 2
    f = lambda x=b: a + x
    it = iter([a, b * 3])
    next(it)
    y = (X @ W).sum()
    y.backward()
    W.grad = None
    return f, it, y, a[1:], Box(b.t()), (x + 1 for x in [a, b]), {"b": b}
`},
}

// TestRecordingMemory: a call that is recorded needs no more memory than one that is
// not, and leaves no more behind.
func TestRecordingMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("collects at each allocation")
	}
	// In a process of its own: each collection looks at all that other tests have left.
	if os.Getenv("LARKSPUR_MEMORY_TEST") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestRecordingMemory$", "-test.v")
		cmd.Env = append(os.Environ(), "LARKSPUR_MEMORY_TEST=1")
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Error(err)
		}
		return
	}
	for _, c := range memoryCases {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			rt, mod, plain := metered(t, JITOff, c.src)
			rt2, mod2, rec := metered(t, JITSync, c.src)
			recorded := 0
			for i := range 3 {
				s := rt2.tracer.Stats()
				want, got := plain.call(t, mod), rec.call(t, mod2)
				now := rt2.tracer.Stats()
				if now.Graphs == s.Graphs || now.Replays > s.Replays {
					continue // a replay has what it makes beside what was there
				}
				recorded++
				t.Logf("call %d: %d bytes, unrecorded %d", i, got, want)
				// Registers above the top frame keep what they held until they are used again,
				// and the two sides do not leave the same ones: one small tensor in 1.8 MB.
				if got > want+want/100+4<<10 {
					t.Errorf("call %d needs %d bytes where it is recorded, else %d", i, got, want)
				}
			}
			if recorded == 0 {
				t.Errorf("nothing was recorded: %+v", rt2.tracer.Stats())
			}
			want, got := plain.left(rt), rec.left(rt2)
			t.Logf("left: %d bytes, unrecorded %d", got, want)
			if got > want+24<<10 { // small tensors share blocks, whose parts other ones keep
				t.Errorf("%d bytes are left, unrecorded %d", got, want)
			}
			runtime.KeepAlive([]any{rt, rt2, mod, mod2}) // and all that they keep
		})
	}
}
