package torch

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/lang/value"
	"github.com/larkspur-ml/larkspur/tensor"
)

type goMemory struct{}

func (goMemory) Device() tensor.Device              { return tensor.Device{} }
func (goMemory) Alloc(n int) (tensor.Buffer, error) { return tensor.HostBuffer(make([]byte, n)), nil }
func (goMemory) Free(tensor.Buffer)                 {}

func testRuntime() (*Runtime, *value.Thread) {
	r := New(Options{Kernels: eager.NewKernels(nil), Alloc: func(tensor.Device) (tensor.Allocator, error) { return goMemory{}, nil }})
	t := &value.Thread{}
	r.Prepare(t)
	return r, t
}

func archiveOf(t testing.TB, pickle string, data ...string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	put := func(name, text string) {
		f, err := z.CreateHeader(&zip.FileHeader{Name: "a/" + name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(text))
	}
	put("data.pkl", pickle)
	for i, d := range data {
		put(fmt.Sprintf("data/%d", i), d)
	}
	z.Close()
	return b.Bytes()
}

// TestLoadPyTorch reads a file that PyTorch wrote (testdata/make_pt.py).
func TestLoadPyTorch(t *testing.T) {
	b, err := os.ReadFile("testdata/torch.pt")
	if err != nil {
		t.Fatal(err)
	}
	r, th := testRuntime()
	v, err := r.loadBytes(th, b)
	if err != nil {
		t.Fatal(err)
	}
	text, err := value.ReprOf(th, v)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := text.AsString()
	want := `{'x': tensor([[0., 1., 2.],
        [3., 4., 5.]]), 'xt': tensor([[0., 3.],
        [1., 4.],
        [2., 5.]]), 'half': tensor([1.5000], dtype=torch.float16), 'n': [1, 2.5, 'a', None, True, (1, 2), -7, 1099511627776], 'od': {'w': tensor([1, 2])}, 'p': Parameter containing:
tensor([1., 1.], requires_grad=True), 'd': torch.float64, 's': torch.Size([2, 3])}`
	if got != want {
		t.Errorf("got %s", got)
	}
	d := v.AsDict()
	x, _ := d.GetStr("x")
	xt, _ := d.GetStr("xt")
	a, _ := AsTensor(x)
	c, _ := AsTensor(xt)
	if a.Store != c.Store {
		t.Error("views of one storage came back with two")
	}
	again, err := r.saveBytes(th, v)
	if err != nil {
		t.Fatal(err)
	}
	w, err := r.loadBytes(th, again)
	if err != nil {
		t.Fatal(err)
	}
	text2, _ := value.ReprOf(th, w)
	if s, _ := text2.AsString(); s != want {
		t.Errorf("saved and loaded: %s", s)
	}
}

func TestLoadCorrupt(t *testing.T) {
	r, th := testRuntime()
	good, err := os.ReadFile("testdata/torch.pt")
	if err != nil {
		t.Fatal(err)
	}
	storage := func(off, size, stride string) string {
		return "\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x02tQ" +
			off + size + stride + "\x89NtR."
	}
	for _, c := range []struct {
		name string
		b    []byte
		want string
	}{
		{"empty", nil, "zip archive"},
		{"truncated", good[:len(good)/2], "zip archive"},
		{"no pickle", archiveOf(t, "")[:0], "zip archive"},
		{"empty pickle", archiveOf(t, ""), "truncated"},
		{"code", archiveOf(t, "\x80\x02cposix\nsystem\nX\x02\x00\x00\x00ls\x85R."), "unsupported global posix.system"},
		{"a bare global", archiveOf(t, "\x80\x02cbuiltins\neval\n."), "unsupported global builtins.eval"},
		{"unknown opcode", archiveOf(t, "\x80\x02\x97."), "unsupported pickle opcode"},
		{"long string", archiveOf(t, "\x80\x02X\xff\xff\xff\x7fa."), "truncated"},
		{"no mark", archiveOf(t, "\x80\x02t."), "no mark"},
		{"empty stack", archiveOf(t, "\x80\x02."), "end of the pickle's stack"},
		{"memo", archiveOf(t, "\x80\x02h\x05."), "memo value 5 is missing"},
		{"storage is missing", archiveOf(t, storage("K\x00", "K\x02\x85", "K\x01\x85")), "data/0: file not found"},
		{"too large", archiveOf(t, storage("K\x00", "K\x03\x85", "K\x01\x85"), "12345678"), "beyond its storage"},
		{"offset", archiveOf(t, storage("K\x02", "K\x01\x85", "K\x01\x85"), "12345678"), "beyond its storage"},
		{"negative size", archiveOf(t, storage("K\x00", "J\xff\xff\xff\xff\x85", "K\x01\x85"), "12345678"), "no natural number"},
		{"ranks differ", archiveOf(t, storage("K\x00", "K\x02\x85", ")"), "12345678"), "invalid geometry"},
	} {
		_, err := r.loadBytes(th, c.b)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
	if v, err := r.loadBytes(th, archiveOf(t, storage("K\x00", "K\x02\x85", "K\x01\x85"), "12345678")); err != nil {
		t.Errorf("a good file: %v, %v", v, err)
	}
}

func FuzzUnpickle(f *testing.F) {
	f.Add([]byte("\x80\x02}q\x00(X\x01\x00\x00\x00aK\x01u."), []byte("data"))
	f.Add([]byte("\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x02tQK\x00K\x02\x85K\x01\x85\x89NtR."), []byte("12345678"))
	f.Add([]byte("\x80\x04\x8c\x01a\x94]\x94(K\x01J\x00\x00\x00\x80e\x86."), []byte(""))
	r, th := testRuntime()
	f.Fuzz(func(t *testing.T, pickle, data []byte) {
		v, err := r.loadBytes(th, archiveOf(t, string(pickle), string(data)))
		if err != nil || v.IsUnset() {
			return
		}
		// What was loaded can be looked at.
		if x, ok := AsTensor(v); ok && x.Numel() < 1<<16 {
			r.Context(th).Raw(x)
		}
	})
}
