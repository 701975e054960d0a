package ptx_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unsafe"

	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/inductor"
	"github.com/larkspur-ml/larkspur/inductor/loop"
	"github.com/larkspur-ml/larkspur/inductor/ptx"
	"github.com/larkspur-ml/larkspur/op"
	"github.com/larkspur-ml/larkspur/tensor"
	"github.com/larkspur-ml/larkspur/tensor/sym"
)

var (
	update = flag.Bool("update", false, "rewrite the stored texts")
	ptxas  = flag.String("ptxas", "", "path of NVIDIA's assembler: every text is given to it")
)

// listed is a machine that runs nothing: what is kept are the texts.
type listed struct{}

func (listed) Processors() int                                                   { return 132 }
func (listed) Load(text string) (ptx.Code, error)                                { return text, nil }
func (listed) Launch(ptx.Code, int, int, int, []uint64) error                    { return nil }
func (listed) Work(int) (uint64, error)                                          { return 1 << 20, nil }
func (listed) Faults(func(site uint32, value, limit uint64) error) (addr uint64) { return 1 << 16 }
func (listed) Read([]byte, uint64) error                                         { return nil }
func (listed) Write(uint64, []byte) error                                        { return nil }

// goldens are ops at sizes that choose each schedule.
var goldens = []struct {
	name string
	op   string
	args func() []op.Arg
}{
	{"pointwise", "gelu", func() []op.Arg { return []op.Arg{t16(1024, 1024)} }},
	{"softmax_registers", "_softmax", func() []op.Arg { return []op.Arg{t16(16384, 4096), op.IntArg(op.C(1))} }},
	{"softmax_wide", "_softmax", func() []op.Arg { return []op.Arg{t16(12288, 50304), op.IntArg(op.C(1))} }},
	{"softmax_warp", "_softmax", func() []op.Arg { return []op.Arg{t16(64, 96), op.IntArg(op.C(1))} }},
	{"sum_all", "sum", func() []op.Arg { return []op.Arg{t32(1 << 20)} }},
	{"sum_columns", "sum", func() []op.Arg { return []op.Arg{t32(65536, 1024), op.IntList([]op.SymInt{op.C(0)})} }},
	{"argmax", "argmax", func() []op.Arg { return []op.Arg{t32(64, 5000), op.IntArg(op.C(1))} }},
	{"embedding", "embedding", func() []op.Arg { return []op.Arg{t32(100, 64), tInt(8)} }},
	{"cumsum", "cumsum", func() []op.Arg { return []op.Arg{t32(70, 500), op.IntArg(op.C(1))} }},
	{"sort", "sort", func() []op.Arg { return []op.Arg{t32(4, 100), op.IntArg(op.C(1)), op.Bool(false)} }},
	{"sort_long", "sort", func() []op.Arg { return []op.Arg{tInt(10000), op.IntArg(op.C(0)), op.Bool(true)} }},
	{"product_plain", "mm", func() []op.Arg { return []op.Arg{t32(65, 33), t32(33, 70)} }},
	{"product_tensor_cores", "mm", func() []op.Arg { return []op.Arg{t16(256, 256), t16(256, 256)} }},
	{"product_few_rows", "mm", func() []op.Arg {
		return []op.Arg{t32(1, 784), op.T(op.NewSample(tensor.Float32, op.LayTrans, 1, op.Fill{}, 784, 256))}
	}},
	{"convolution", "_conv", func() []op.Arg { return conv(t32(8, 3, 16, 16), t32(4, 3, 3, 3)) }},
	{"convolution_tiles", "_conv", func() []op.Arg { return conv(t16(8, 64, 16, 16), t16(64, 64, 3, 3)) }},
	{"convolution_tiles_float32", "_conv", func() []op.Arg { return conv(t32(8, 64, 16, 16), t32(64, 64, 3, 3)) }},
	{"attention", "_attention", func() []op.Arg { return attention(false, 1, 2, 128, 64) }},
	{"attention_backward", "_attention_grad", func() []op.Arg {
		x, s := func() op.Arg { return t16(1, 2, 128, 128) }, t32(1, 2, 128)
		return []op.Arg{x(), x(), x(), {}, x(), s, x(), op.Num(tensor.Float(0.125)), op.Bool(true)}
	}},
	{"attention_causal", "_attention", func() []op.Arg { return attention(true, 4, 64, 4096, 128) }},
}

func t16(size ...int64) op.Arg {
	return op.T(op.NewSample(tensor.BFloat16, op.LayContig, 1, op.Fill{}, size...))
}
func t32(size ...int64) op.Arg {
	return op.T(op.NewSample(tensor.Float32, op.LayContig, 1, op.Fill{}, size...))
}
func tInt(size ...int64) op.Arg {
	return op.T(op.NewSample(tensor.Int64, op.LayContig, 1, op.Fill{Kind: op.FillInt, Hi: 9}, size...))
}

func conv(x, w op.Arg) []op.Arg {
	l := func(v int64) op.Arg { return op.IntList([]op.SymInt{op.C(v), op.C(v)}) }
	return []op.Arg{x, w, {}, l(1), l(1), l(1), op.IntArg(op.C(1))}
}

func attention(causal bool, b, h, n, d int64) []op.Arg {
	x := func() op.Arg { return t16(b, h, n, d) }
	return []op.Arg{x(), x(), x(), {}, op.Num(tensor.Float(0.125)), op.Bool(causal)}
}

// texts compiles an op for the machine and gives what it loads. Buffers are addresses
// that nothing looks at.
func texts(t *testing.T, name string, args []op.Arg) (l []string) {
	d := op.Lookup(name)
	target := ptx.New(ptx.Options{Machine: listed{}, Fallback: loop.Portable(), Listing: func(_, text, why string) {
		if why != "" {
			t.Errorf("left to the host: %s", why)
		}
		l = append(l, text)
	}})
	c := inductor.New(inductor.Options{Target: target, Alloc: addresses{}, Copy: func(dst, src tensor.Buffer, n int) error { return nil }})
	x := eager.NewContext(eager.NewKernels(c), func(tensor.Device) (tensor.Allocator, error) { return addresses{}, nil })
	for i := range args {
		if s, ok := args[i].P.(*op.SampleTensor); ok {
			b, _ := addresses{}.Alloc(int(s.Numel()) * s.DType.Size())
			args[i] = op.T(eager.New(tensor.NewStorage(b), s.Geometry))
		}
	}
	if _, err := x.Apply(d, args); err != nil {
		t.Fatal(err)
	}
	return l
}

// addresses gives out memory that nobody looks at, at one place.
type addresses struct{}

type address int

func (addresses) Device() tensor.Device              { return tensor.Device{Type: tensor.CUDA} }
func (addresses) Alloc(n int) (tensor.Buffer, error) { return address(n), nil }
func (addresses) Free(tensor.Buffer)                 {}
func (address) Device() tensor.Device                { return tensor.Device{Type: tensor.CUDA} }
func (a address) Len() int                           { return int(a) }
func (address) Bytes() []byte                        { return nil }
func (address) Addr() unsafe.Pointer {
	a := uintptr(1 << 30)
	return *(*unsafe.Pointer)(unsafe.Pointer(&a))
}

func TestGolden(t *testing.T) {
	for _, c := range goldens {
		t.Run(c.name, func(t *testing.T) {
			got := strings.Join(texts(t, c.op, c.args()), "\n")
			assemble(t, got)
			path := filepath.Join("testdata", c.name+".ptx")
			if len(got) > 100_000 { // too long to read: a change is all that is told
				path = strings.TrimSuffix(path, ".ptx") + ".sum"
				got = fmt.Sprintf("%x %d lines\n", sha256.Sum256([]byte(got)), strings.Count(got, "\n"))
			}
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("another text than %s (-update rewrites it): %s", path, firstDifference(string(want), got))
			}
		})
	}
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return "line " + sym.C(int64(i+1)).String() + ": was " + x[i] + ", is " + y[i]
		}
	}
	return "one is longer"
}

// assemble gives each text to NVIDIA's assembler, if there is one.
func assemble(t *testing.T, all string) {
	if *ptxas == "" {
		return
	}
	for i, text := range strings.SplitAfter(all, "\n}\n") {
		if strings.TrimSpace(text) == "" {
			continue
		}
		f := filepath.Join(t.TempDir(), "k.ptx")
		os.WriteFile(f, []byte(strings.TrimLeft(text, "\n")), 0o644)
		for _, arch := range []string{"sm_80", "sm_90"} {
			out, err := exec.Command(*ptxas, "-v", "-arch="+arch, "-o", os.DevNull, f).CombinedOutput()
			if err != nil {
				t.Errorf("text %d, %s: %s", i, arch, out)
				continue
			}
			t.Logf("text %d, %s: %s", i, arch, used.FindString(string(out)))
			if s := spills.FindStringSubmatch(string(out)); s != nil && s[1] != "0" {
				t.Errorf("text %d, %s: registers are spilled: %s", i, arch, s[0])
			}
		}
	}
}

var (
	used   = regexp.MustCompile(`Used \d+ registers[^\n]*`)
	spills = regexp.MustCompile(`(\d+) bytes spill stores`)
)
