package torch

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/larkspur-ml/larkspur/eager"
	"github.com/larkspur-ml/larkspur/tensor"
)

//go:embed vectors.json.gz
var stored []byte

// vector is what PyTorch gave for a case.
type vector struct {
	Hash    string    `json:"h"`
	Skip    string    `json:"skip"`
	Err     []string  `json:"err"` // exception type and first line
	Out     []output  `json:"out"`
	Grad    []*string `json:"grad"`
	GradErr string    `json:"graderr"`
}

type output struct {
	DType  string  `json:"d"`
	Size   []int64 `json:"s"`
	Stride []int64 `json:"t"`
	Data   string  `json:"v"`
}

func vectors(t *testing.T) map[string]*vector {
	z, err := gzip.NewReader(bytes.NewReader(stored))
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]*vector{}
	if err := json.NewDecoder(z).Decode(&m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSweep holds every Def × sample against PyTorch.
func TestSweep(t *testing.T) {
	for _, name := range targets() {
		t.Run(name, func(t *testing.T) { sweep(t, name) })
	}
}

func sweep(t *testing.T, target string) {
	vs := vectors(t)
	used := map[string]bool{}
	compared, ran, ops, hosted := 0, 0, map[string]bool{}, map[string]bool{}
	groups := map[string][]*testCase{}
	var order []string
	for _, c := range cases() {
		if groups[c.Op] == nil {
			order = append(order, c.Op)
		}
		groups[c.Op] = append(groups[c.Op], c)
	}
	for _, name := range order {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, target)
			defer maps.Copy(hosted, m.onHost)
			ran++
			for _, c := range groups[name] {
				v := vs[c.ID]
				if v == nil || v.Hash != c.Hash {
					t.Errorf("%s: no vector for this sample: run vectors.py", c.ID)
					continue
				}
				if v.Skip != "" {
					if !strings.HasPrefix(name, "_") && !allowed(used, name, "no torch name") {
						t.Errorf("%s: %s", c.ID, v.Skip)
					}
					continue
				}
				compared++
				ops[name] = true
				for _, d := range compare(m, c, v) {
					if !allowed(used, name, d.what) && !allowed(used, c.ID, d.what) {
						t.Errorf("%s(%s): %s: %s", c.ID, c.text(), d.what, d.text)
					}
				}
			}
		})
	}
	t.Logf("%d cases of %d ops compared", compared, len(ops))
	if ran == len(order) {
		checkHosted(t, target, hosted)
	}
	if t.Failed() || testing.Short() {
		return
	}
	for _, e := range exceptions {
		if !used[e.id+" "+e.what] {
			t.Errorf("exception for %s (%s) is needed no more", e.id, e.what)
		}
	}
}

func allowed(used map[string]bool, id, what string) bool {
	for _, e := range exceptions {
		if e.id == id && e.what == what {
			used[id+" "+what] = true
			return true
		}
	}
	return false
}

// difference is one way in which a case differs: what names the kind.
type difference struct{ what, text string }

func compare(m *machine, c *testCase, v *vector) (d []difference) {
	r := m.run(c)
	add := func(what, f string, a ...any) { d = append(d, difference{what, fmt.Sprintf(f, a...)}) }
	if r.bug != "" {
		add("bug", "%s", r.bug)
		return
	}
	if v.Err != nil {
		switch {
		case r.err == nil:
			add("no error", "torch raises %s: %s", v.Err[0], v.Err[1])
		case r.err.Kind.String() != v.Err[0]:
			add("error kind", "%s (%s), torch %s (%s)", r.err.Kind, r.err.Msg, v.Err[0], v.Err[1])
		case r.err.Msg != v.Err[1]:
			add("error text", "\n\tours  %s\n\ttorch %s", r.err.Msg, v.Err[1])
		}
		return
	}
	if r.err != nil {
		add("error", "%s: %s", r.err.Kind, r.err.Msg)
		return
	}
	if c.Raises != "" {
		add("no error", "the sample must raise %s", c.Raises)
	}
	if len(r.out) != len(v.Out) {
		add("outputs", "%d, torch %d", len(r.out), len(v.Out))
		return
	}
	for i, t := range r.out {
		w := v.Out[i]
		if t.DType.String() != w.DType {
			add("dtype", "output %d is %s, torch %s", i, t.DType, w.DType)
			continue
		}
		if !slices.Equal(t.Size, w.Size) {
			add("size", "output %d is %v, torch %v", i, t.Size, w.Size)
			continue
		}
		if !sameStride(t, w.Stride) {
			add("stride", "output %d of size %v has %v, torch %v", i, t.Size, t.Stride, w.Stride)
		}
		if s := m.values(c, t, w.Data); s != "" {
			add("value", "output %d: %s", i, s)
		}
	}
	if v.GradErr != "" {
		return
	}
	for i := range v.Grad {
		g := r.grads[i]
		switch {
		case v.Grad[i] != nil && *v.Grad[i] == "-":
		case v.Grad[i] == nil && g == nil:
		case v.Grad[i] == nil:
			if !m.zero(g) {
				add("gradient", "operand %d has one, torch none", i)
			}
		case g == nil:
			if !zeros(*v.Grad[i]) {
				add("gradient", "operand %d has none", i)
			}
		case g.DType != r.types[i]:
			add("gradient", "operand %d: %s", i, g.DType)
		default:
			if s := m.values(c, g, *v.Grad[i]); s != "" {
				add("gradient", "operand %d: %s", i, s)
			}
		}
	}
	return
}

// sameStride leaves out what no address depends on: strides of dimensions of
// size 1, and all strides of an empty tensor.
func sameStride(t *eager.Tensor, want []int64) bool {
	for _, s := range t.Size {
		if s == 0 {
			return true
		}
	}
	for d, s := range t.Size {
		if s != 1 && t.Stride[d] != want[d] {
			return false
		}
	}
	return true
}

// tolerance is relative to the greatest magnitude in the tensor and to the
// element, each.
var tolerance = map[tensor.DType]float64{tensor.Float32: 4e-6, tensor.Float64: 2e-13, tensor.Float16: 1e-3, tensor.BFloat16: 8e-3}

func (m *machine) values(c *testCase, t *eager.Tensor, data string) string {
	want, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		panic(err)
	}
	got, err := m.Raw(t)
	if err != nil {
		return err.Error()
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%d bytes, torch %d", len(got), len(want))
	}
	z := t.DType.Size()
	if !t.DType.IsFloat() {
		for i := 0; i < len(got); i += z {
			if !bytes.Equal(got[i:i+z], want[i:i+z]) {
				return fmt.Sprintf("element %d is %v, torch %v", i/z, element(t.DType, got[i:]), element(t.DType, want[i:]))
			}
		}
		return ""
	}
	top := 0.0
	for i := 0; i < len(want); i += z {
		if x := math.Abs(element(t.DType, want[i:])); !math.IsInf(x, 0) && x > top {
			top = x
		}
	}
	tol := tolerance[t.DType]
	for i := 0; i < len(got); i += z {
		x, y := element(t.DType, got[i:]), element(t.DType, want[i:])
		if x == y || math.IsNaN(x) && math.IsNaN(y) {
			continue
		}
		if !(math.Abs(x-y) <= tol*math.Abs(y)+tol*math.Min(top, 1)*1.5) {
			return fmt.Sprintf("element %d is %v, torch %v", i/z, x, y)
		}
	}
	return ""
}

func (m *machine) zero(t *eager.Tensor) bool {
	for _, b := range must(m.Raw(t)) {
		if b != 0 && b != 0x80 {
			return false
		}
	}
	return true
}

func zeros(data string) bool {
	raw, _ := base64.StdEncoding.DecodeString(data)
	for _, b := range raw {
		if b != 0 && b != 0x80 {
			return false
		}
	}
	return true
}

func element(d tensor.DType, b []byte) float64 {
	le := binary.LittleEndian
	switch d {
	case tensor.Float64:
		return math.Float64frombits(le.Uint64(b))
	case tensor.Float32:
		return float64(math.Float32frombits(le.Uint32(b)))
	case tensor.Float16:
		return float64(tensor.F16ToF32(le.Uint16(b)))
	case tensor.BFloat16:
		return float64(tensor.BF16ToF32(le.Uint16(b)))
	case tensor.Int64:
		return float64(int64(le.Uint64(b)))
	case tensor.Int32:
		return float64(int32(le.Uint32(b)))
	case tensor.Int16:
		return float64(int16(le.Uint16(b)))
	case tensor.Int8:
		return float64(int8(b[0]))
	}
	return float64(b[0])
}

// text prints a case's arguments without values of tensors.
func (c *testCase) text() string {
	var p []string
	tensorText := func(t caseTensor) string {
		return fmt.Sprintf("%s%v:%v", t.DType, t.Size, t.Stride)
	}
	for _, a := range c.Args {
		if a.Default {
			continue
		}
		s := fmt.Sprint(a.V)
		switch v := a.V.(type) {
		case caseTensor:
			s = tensorText(v)
		case []any:
			var l []string
			for _, x := range v {
				if x == nil {
					l = append(l, "None")
					continue
				}
				l = append(l, tensorText(x.(caseTensor)))
			}
			s = "[" + strings.Join(l, ", ") + "]"
		case nil:
			s = "None"
		}
		p = append(p, a.Name+"="+s)
	}
	return strings.Join(p, ", ")
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
