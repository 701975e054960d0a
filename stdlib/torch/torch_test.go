package torch_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/bytecode"
	"github.com/larkspur-ml/larkspur/bytecode/vm"
	"github.com/larkspur-ml/larkspur/device/cpu"
	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/inductor"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/lang/resolve"
	"github.com/larkspur-ml/larkspur/lang/syntax"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/stdlib/torch"
	"github.com/larkspur-ml/larkspur/tensor"
)

// world is a machine with the torch module and nothing else.
type world struct {
	rt      *torch.Runtime
	machine *vm.Machine
	files   map[string][]byte // what ReadFile and WriteFile see
}

func newWorld() *world {
	w := &world{files: map[string][]byte{}}
	dev := cpu.New(0)
	w.machine = &vm.Machine{Importer: w}
	w.rt = torch.New(torch.Options{
		Kernels: eager.NewKernels(inductor.New(inductor.Options{Target: loop.Portable(), Parallel: dev.Parallel, Alloc: dev})),
		Alloc: func(d tensor.Device) (tensor.Allocator, error) {
			if d.Type == tensor.CPU {
				return dev, nil
			}
			return nil, fmt.Errorf("no device %s", d)
		},
		Threads: dev,
		Import: func(t *value.Thread, name string) (*value.Module, error) {
			return w.Import(vm.ThreadOf(t), name, 0, nil)
		},
		ReadFile: func(_ *value.Thread, path string) ([]byte, error) {
			if b, ok := w.files[path]; ok {
				return b, nil
			}
			return nil, value.Errorf(value.ExcFileNotFoundError, "No such file or directory: '%s'", path)
		},
		WriteFile: func(_ *value.Thread, path string, data []byte) error { w.files[path] = data; return nil },
	})
	return w
}

func (w *world) Import(t *vm.Thread, name string, _ int, _ *value.Module) (*value.Module, error) {
	if m, ok := w.rt.Module(name); ok {
		return m, nil
	}
	if m := w.machine.Module(name); m != nil {
		return m, nil
	}
	if name == "torch.nn" { // of which Parameter is all that is looked at here
		m := value.NewModule(name)
		c, _ := w.rt.Module("torch._C")
		p, err := value.GetAttr(&t.Thread, c.Value(), "Parameter")
		m.Set("Parameter", p)
		return m, err
	}
	base := strings.ReplaceAll(strings.TrimPrefix(name, "torch."), ".", "/")
	file := base + ".star"
	text, err := fs.ReadFile(torch.Files, file)
	if err != nil { // a package
		file = base + "/__init__.star"
		text, err = fs.ReadFile(torch.Files, file)
	}
	if err != nil {
		return nil, value.Errorf(value.ExcModuleNotFoundError, "No module named '%s'", name)
	}
	p, err := bytecode.CompileSource(file, string(text), syntax.Options{}, resolve.Env{}, bytecode.ExecMode)
	if err != nil {
		return nil, err
	}
	m := value.NewModule(name)
	w.machine.AddModule(name, m)
	_, err = t.Exec(p, m)
	return m, err
}

// run runs text as a module and returns what it printed.
func (w *world) run(ctx context.Context, name, text string) string {
	var out bytes.Buffer
	th := vm.NewThread(vm.Options{Machine: w.machine, Context: ctx})
	th.Stdout = &out
	w.rt.Prepare(&th.Thread)
	p, err := bytecode.CompileSource(name, text, syntax.Options{}, resolve.Env{}, bytecode.ExecMode)
	if err == nil {
		m := value.NewModule("chunk")
		m.Set("__name__", value.Str("chunk"))
		_, err = th.Exec(p, m)
	}
	if err != nil {
		if r := value.AsRaised(err); r != nil {
			fmt.Fprintf(&out, "raised %s: %s\n", r.Class.Name, r.Message())
		}
	}
	return out.String()
}

// TestAgainstTorch runs testdata/lang and compares with what PyTorch printed
// (testdata/make.py). Addresses aside, every character counts.
func TestAgainstTorch(t *testing.T) {
	files, err := filepath.Glob("testdata/lang/*.py")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	prelude, err := os.ReadFile("testdata/prelude.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".py"), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(strings.TrimSuffix(file, ".py") + ".out")
			if err != nil {
				t.Fatal(err)
			}
			chunks := strings.Split(string(src), "\n---\n")
			wants := strings.Split(string(want), "---\n")
			if len(chunks) != len(wants) {
				t.Fatalf("%d chunks, %d outputs", len(chunks), len(wants))
			}
			for i, c := range chunks {
				got := newWorld().run(context.Background(), filepath.Base(file), string(prelude)+c)
				compare(t, fmt.Sprintf("chunk %d", i+1), got, wants[i])
			}
		})
	}
}

func compare(t *testing.T, what, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := 0; i < max(len(g), len(w)); i++ {
		a, b := "(end)", "(end)"
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			t.Errorf("%s line %d:\n got  %s\n want %s", what, i+1, a, b)
			if len(g) != len(w) {
				return
			}
		}
	}
}
